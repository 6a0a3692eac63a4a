#include "parfait/io/results/design_tables.h"

#include <fmt/format.h>

#include <cmath>

namespace parfait::io {
namespace design_tables {
namespace {

std::string cell(double x) {
  return std::isfinite(x) ? fmt::format("{}", x) : "";
}

std::string samples_csv(const result::DesignTables& tables) {
  std::string text = "experiment,what,t,weight,count,gain\n";
  for (const auto& s : tables.samples) {
    text += fmt::format("{},{},{},{},{},{}\n", s.experiment, s.label, cell(s.t), cell(s.weight),
                        cell(s.count), cell(s.gain));
  }
  return text;
}

std::string inputs_csv(const result::DesignTables& tables) {
  std::string text = "input,t,value\n";
  for (std::size_t i = 0; i < tables.inputs.size(); ++i) {
    const auto& columns = tables.input_tables[i].columns;
    for (std::size_t k = 0; k < columns[0].size(); ++k) {
      text += fmt::format("{},{},{}\n", tables.inputs[i], columns[0][k], columns[1][k]);
    }
  }
  return text;
}

std::string information_csv(const result::Design& design, const result::DesignTables& tables) {
  std::string text = "parameter";
  for (const auto& name : design.interest) text += "," + name;
  text += '\n';
  for (int i = 0; i < tables.information.rows; ++i) {
    text += design.interest[static_cast<std::size_t>(i)];
    for (int j = 0; j < tables.information.cols; ++j) {
      text += fmt::format(",{}", tables.information(i, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace
}  // namespace design_tables

std::vector<std::pair<std::string, std::string>> design_table_files(
    const result::Design& design, const result::DesignTables& tables) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"samples.csv", design_tables::samples_csv(tables)}};
  if (!tables.inputs.empty()) files.emplace_back("inputs.csv", design_tables::inputs_csv(tables));
  if (tables.information.rows > 0) {
    files.emplace_back("information.csv", design_tables::information_csv(design, tables));
  }
  return files;
}

}  // namespace parfait::io
