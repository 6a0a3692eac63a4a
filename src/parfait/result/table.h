#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parfait::result {

/// Columns of numbers with names: a motion over time, for example. NaN: there is no value.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<double>> columns;  ///< one per name, all of the same length

  int num_rows() const { return columns.empty() ? 0 : static_cast<int>(columns.front().size()); }
  int find_column(std::string_view name) const;  ///< -1: there is none
  /// InputError, with the names there are, if there is no such column.
  const std::vector<double>& column(std::string_view name) const;
  bool operator==(const Table&) const = default;
};

/// A dense matrix, row after row.
struct Matrix {
  int rows = 0, cols = 0;
  std::vector<double> values;  ///< rows * cols

  Matrix() = default;
  Matrix(int num_rows, int num_cols);
  double& operator()(int row, int col) { return values[index(row, col)]; }
  double operator()(int row, int col) const { return values[index(row, col)]; }
  bool operator==(const Matrix&) const = default;

 private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(col);
  }
};

}  // namespace parfait::result
