#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Reading tables of text as other programs write them: any line ends, tabs or blanks, cells left
/// empty.
namespace parfait::io {

/// The lines of a text; \n, \r\n and \r end a line.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  bool next(std::string_view& line);
  int number() const { return number_; }  ///< of the line last read, from 1

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int number_ = 0;
};

/// Cells between separators, without blanks at their ends; empty ones are kept.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells);
/// Words between blanks, tabs or commas.
void split_words(std::string_view line, std::vector<std::string_view>& words, bool commas = false);
/// By tabs if there is one, by blanks otherwise.
void split_row(std::string_view line, std::vector<std::string_view>& cells);

/// What a cell of numbers holds.
struct CellValue {
  double value;    ///< NaN unless it is a finite number
  bool is_number;  ///< or nan, or empty
};
CellValue cell_value(std::string_view cell);

/// Whether two words are the same but for capitals.
bool same_word(std::string_view a, std::string_view b);
bool begins_with_word(std::string_view text, std::string_view word);

}  // namespace parfait::io
