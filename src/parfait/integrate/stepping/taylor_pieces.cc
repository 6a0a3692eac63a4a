#include "parfait/integrate/stepping/taylor_pieces.h"

#include <algorithm>

namespace parfait::integrate {

void TaylorPieces::clear() {
  pieces_.clear();
  data_.clear();
}

void TaylorPieces::append(double end, double center, double h, int order) {
  pieces_.push_back({end, center, h, order, data_.size()});
  data_.resize(data_.size() + static_cast<std::size_t>(order + 1) * columns_ * rows_);
}

const double* TaylorPieces::coefficient(const Piece& piece, int column, int power) const {
  return data_.data() + piece.first +
         (static_cast<std::size_t>(column) * (piece.order + 1) + power) * rows_;
}

double* TaylorPieces::coefficient(int column, int power) {
  return const_cast<double*>(coefficient(pieces_.back(), column, power));
}

const TaylorPieces::Piece& TaylorPieces::piece_at(double t) const {
  const auto piece = std::ranges::lower_bound(pieces_, t, {}, &Piece::end);
  return piece == pieces_.end() ? pieces_.back() : *piece;
}

void TaylorPieces::value(double t, int column, int first_row, std::span<double> out) const {
  const Piece& piece = piece_at(t);
  const double theta = (t - piece.center) / piece.h;
  std::ranges::fill(out, 0.0);
  for (int power = piece.order; power >= 0; --power) {
    const double* c = coefficient(piece, column, power) + first_row;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] * theta + c[i];
  }
}

void TaylorPieces::rate(double t, int column, int first_row, std::span<double> out) const {
  const Piece& piece = piece_at(t);
  const double theta = (t - piece.center) / piece.h;
  std::ranges::fill(out, 0.0);
  for (int power = piece.order; power >= 1; --power) {
    const double* c = coefficient(piece, column, power) + first_row;
    const double factor = power / piece.h;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] * theta + factor * c[i];
  }
}

}  // namespace parfait::integrate
