#include "parfait/result/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"

namespace parfait::result {

int Table::find_column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

const std::vector<double>& Table::column(std::string_view name) const {
  const int found = find_column(name);
  if (found < 0) {
    throw base::InputError(fmt::format("there is no column \"{}\".{} Columns: {}.", name,
                                       base::suggestion(std::string(name), header),
                                       base::listing(header)));
  }
  return columns[static_cast<std::size_t>(found)];
}

Matrix::Matrix(int num_rows, int num_cols)
    : rows(num_rows),
      cols(num_cols),
      values(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(num_cols)) {}

}  // namespace parfait::result
