#include "nist_problems.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "parfait/io/text/csv.h"

namespace parfait::testing_support {
namespace {

std::filesystem::path folder() {
  return PARFAIT_SOURCE_DIR "/tests/reference/data/nist";
}

/// Cells of a table of words, without its header.
std::vector<std::vector<std::string>> words_of(const char* file, std::size_t num_columns) {
  std::ifstream in(folder() / file);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::stringstream cells(line);
    auto& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (row.size() != num_columns) throw std::runtime_error(file + (": " + line));
  }
  return rows;
}

estimate::Data read_data(const std::string& name) {
  const io::CsvTable table = io::read_csv(folder() / (name + ".csv"));
  return {.file = name + ".csv",
          .header = table.header,
          .columns = table.columns,
          .lines = table.lines};
}

}  // namespace

std::vector<NistProblem> nist_problems() {
  std::vector<NistProblem> problems;
  for (const auto& row : words_of("problems.csv", 6)) {
    NistProblem& problem = problems.emplace_back();
    problem.name = row[0];
    problem.level = row[1];
    problem.formula = row[3];
    problem.residual_sum = std::stod(row[4]);
    problem.residual_sd = std::stod(row[5]);
    problem.data = read_data(problem.name);
    problem.response = problem.data.header.front();
    if (problem.data.columns.front().size() != std::stoul(row[2])) {
      throw std::runtime_error(problem.name + ": wrong number of observations");
    }
  }
  for (const auto& row : words_of("parameters.csv", 6)) {
    const auto problem = std::find_if(problems.begin(), problems.end(),
                                      [&](const NistProblem& p) { return p.name == row[0]; });
    problem->parameters.push_back({.name = row[1],
                                   .start = {std::stod(row[2]), std::stod(row[3])},
                                   .certified = std::stod(row[4]),
                                   .certified_sd = std::stod(row[5])});
  }
  return problems;
}

estimate::Problem estimation_problem(const NistProblem& nist, int start) {
  estimate::Problem problem;
  for (const auto& parameter : nist.parameters) {
    const double initial = parameter.start[start];
    problem.estimates.push_back(
        {.parameter = parameter.name, .initial = initial, .scale = std::abs(initial)});
  }
  estimate::ExperimentDescription& experiment = problem.experiments.emplace_back();
  experiment.id = nist.name;
  experiment.data = nist.data;
  experiment.observations = {{.column = nist.response, .quantity = {nist.formula}}};
  return problem;
}

double matching_digits(double value, double certified) {
  constexpr double kCertifiedDigits = 11;
  const double error = std::abs(value - certified) / std::abs(certified);
  if (std::isnan(error)) return 0;
  return std::clamp(-std::log10(error), 0.0, kCertifiedDigits);
}

}  // namespace parfait::testing_support
