#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parfait/base/error.h"

namespace parfait::io {

/// A cell of a table and where its first character stands.
struct Cell {
  std::string text;
  base::Place place;
  bool decimal_comma = false;  ///< commas do not separate here: one may be a decimal point
};

/// Cuts the text of a table into rows of cells, which commas separate, or semicolons or tabs if the
/// first row has these and no commas. Cells may be quoted and then hold separators and line ends.
class TableScanner {
 public:
  /// `text` must outlive this. `first_line`: of the text in its file.
  TableScanner(std::string_view text, const std::string& file, int first_line = 1);

  /// The next row that is neither empty nor a comment (#); false at the end of the text. InputError
  /// if a quote is not closed.
  bool next_row(std::vector<Cell>& row);

 private:
  std::string_view rest_of_line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }
  void skip(std::size_t count);
  void end_line();
  void skip_blanks();
  Cell next_cell();
  Cell quoted_cell();

  std::string_view text_;
  std::size_t at_ = 0;
  base::Place place_;
  char separator_ = ',';
};

/// The names in the first row. InputError if there is none, one is empty or occurs twice, or all
/// are numbers.
std::vector<std::string> read_header(TableScanner& scanner, const std::string& file);

/// InputError unless the row has a cell for every column.
void check_width(const std::vector<Cell>& row, std::size_t num_columns);

/// The number in a cell of that column, NaN if it is empty. Between semicolons or tabs 1,5 is a
/// number, too. InputError for anything else;
/// `non_finite`: nan and inf are numbers too.
double cell_number(const Cell& cell, const std::string& column, bool non_finite = false);

}  // namespace parfait::io
