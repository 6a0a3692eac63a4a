#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/result/table.h"

/// Tables of numbers with a header row, separated by commas (or by semicolons or tabs throughout,
/// and then 1,5 may be written for 1.5).
///
///   t,load_x,"load, y"      names may be quoted ("" is a quote inside quotes)
///   # a comment             lines that begin with # and empty lines are skipped
///   0,0.1,                  an empty cell was not measured: NaN in the table
namespace parfait::io {

struct CsvTable {
  std::string file;
  std::vector<std::string> header;
  std::vector<std::vector<double>> columns;  ///< one per header, all of the same length
  std::vector<int> lines;                    ///< line of each row in the file; empty if not read

  int num_rows() const { return columns.empty() ? 0 : static_cast<int>(columns.front().size()); }
  int find_column(std::string_view name) const;  ///< -1: there is none
  /// The column with that header; InputError at `asked_at`, with the names there are, if there is
  /// none.
  const std::vector<double>& column(std::string_view name, const base::Place& asked_at = {}) const;
};

struct CsvOptions {
  bool non_finite = false;  ///< accept cells that say nan or inf; otherwise they are errors
  int first_line = 1;       ///< of the text in its file
};

CsvTable read_csv(const std::filesystem::path& file, const CsvOptions& options = {});
CsvTable read_csv_text(std::string_view text, const std::string& file_name,
                       const CsvOptions& options = {});

/// Shortest numbers that read back the same; NaN becomes an empty cell.
std::string csv_text(const CsvTable& table);
std::string csv_text(const result::Table& table);
/// Law  read_table_text(csv_text(t), f) = t.
result::Table read_table_text(std::string_view text, const std::string& file_name);
/// Rows of words, quoted where needed.
std::string csv_text(const std::vector<std::vector<std::string>>& rows);
void write_csv(const CsvTable& table, const std::filesystem::path& file);

}  // namespace parfait::io
