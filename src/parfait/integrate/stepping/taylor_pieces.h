#pragma once

#include <span>
#include <vector>

namespace parfait::integrate {

/// Vector-valued polynomials on adjacent intervals, several columns of them:
///
///   x(t) = sum_j c_j ((t - center) / h)^j       up to `end` of the piece
///
/// Storage is kept by clear(), so that a step of known order allocates nothing.
class TaylorPieces {
 public:
  TaylorPieces(int rows, int columns) : rows_(rows), columns_(columns) {}

  void clear();
  /// A further piece, its coefficients to be written.
  void append(double end, double center, double h, int order);
  /// c_power of the last piece (rows numbers).
  double* coefficient(int column, int power);

  /// Rows first_row ... of x(t), or of x'(t).
  void value(double t, int column, int first_row, std::span<double> out) const;
  void rate(double t, int column, int first_row, std::span<double> out) const;

 private:
  struct Piece {
    double end, center, h;
    int order;
    std::size_t first;  ///< in data_
  };
  const Piece& piece_at(double t) const;
  const double* coefficient(const Piece& piece, int column, int power) const;

  int rows_, columns_;
  std::vector<Piece> pieces_;
  std::vector<double> data_;
};

}  // namespace parfait::integrate
