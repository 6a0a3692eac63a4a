#include "parfait/estimate/algebraic/algebraic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "parfait/estimate/problem/sigma_formula.h"

namespace parfait::estimate {
namespace {

using base::InputError;

double cell(const Data& data, int column, int row) {
  return data.columns[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
}

class Compiler {
 public:
  Compiler(const ExperimentDescription& description, const Unknowns& shared)
      : description_(description), data_(description.data) {
    name_slots(shared);
  }

  AlgebraicTable compile() {
    for (const Observation& observation : description_.observations) {
      table_.quantities.push_back(formula(observation.quantity, observation.place));
      auto& sigma = table_.sigmas.emplace_back();
      if (observation.sigma.formula.empty()) continue;
      const auto is_known = [&](const std::string& name) {
        return name != observation.column && scope_.find(name) >= 0;
      };
      sigma = formula(sigma_formula(observation, is_known), observation.place);
    }
    for (const auto& local : description_.row_locals) {
      table_.guesses.push_back(formula(local.initial, local.place));
      forbid(table_.guesses.back(), 0, table_.layout.num_row, local.initial,
             "the guess of a row's unknown cannot depend on unknowns of the row");
    }
    for (const Requirement& requirement : description_.requirements) add(requirement);
    table_.cells = measurements_of(description_);
    if (table_.cells.empty()) fail(description_.place, "has no measurements.");
    for (std::size_t k = 0; k < table_.cells.size(); ++k) add_cell(static_cast<int>(k));
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const Place& place, const std::string& what) const {
    throw InputError(place, fmt::format("experiment \"{}\": {}", description_.id, what));
  }

  void name_slots(const Unknowns& shared) {
    SlotLayout& layout = table_.layout;
    layout.num_row = static_cast<int>(description_.row_locals.size());
    layout.num_locals = static_cast<int>(description_.locals.size());
    layout.num_shared = shared.size();
    layout.num_sets = static_cast<int>(description_.sets.size());
    layout.num_columns = static_cast<int>(data_.header.size());
    auto& names = table_.names;
    for (const auto& local : description_.row_locals) names.push_back(local.parameter);
    for (const Estimate& local : description_.locals) names.push_back(local.parameter);
    for (const Estimate& estimate : shared.estimates()) names.push_back(estimate.parameter);
    for (const SetParameter& set : description_.sets) names.push_back(set.parameter);
    names.insert(names.end(), data_.header.begin(), data_.header.end());
    scope_ = expr::Names(names);
  }

  expr::Formula formula(const FormulaText& text, const Place& fallback) {
    const Place& place = text.place.line > 0 ? text.place : fallback;
    expr::Formula compiled(text.text, scope_, place);
    table_.scratch = std::max(table_.scratch, compiled.scratch_size());
    return compiled;
  }

  void forbid(const expr::Formula& compiled, int first, int count, const FormulaText& text,
              const char* why) const {
    for (int slot = first; slot < first + count; ++slot) {
      if (!compiled.uses(slot)) continue;
      fail(text.place, fmt::format("\"{}\" uses \"{}\": {}.", text.text,
                                   table_.names[static_cast<std::size_t>(slot)], why));
    }
  }

  void add(const Requirement& requirement) {
    CompiledRequirement compiled{.terms = {}, .inequality = requirement.inequality, .text = {}};
    for (const Requirement::Term& term : requirement.terms) {
      if (term.at) {
        fail(requirement.place,
             fmt::format("a requirement at {}: without a model there is no time.", *term.at));
      }
      compiled.terms.push_back(formula(term.formula, requirement.place));
      const SlotLayout& layout = table_.layout;
      const char* why = "a requirement holds for parameters, not for the rows of the data";
      forbid(compiled.terms.back(), 0, layout.num_row, term.formula, why);
      forbid(compiled.terms.back(), layout.columns(), layout.num_columns, term.formula, why);
      compiled.text += (compiled.text.empty() ? "" : " + ") + term.formula.text;
    }
    table_.requirements.push_back(std::move(compiled));
  }

  /// Cells come row by row.
  void add_cell(int k) {
    const Measurement& measured = table_.cells[static_cast<std::size_t>(k)];
    const auto observation = static_cast<std::size_t>(measured.observation);
    if (table_.rows.empty() || table_.rows.back().number != measured.row) {
      table_.rows.push_back({.number = measured.row, .first = k, .count = 0});
      for (std::size_t j = 0; j < table_.guesses.size(); ++j) {
        check_cells(table_.guesses[j], description_.row_locals[j].initial.text, measured.row);
      }
    }
    ++table_.rows.back().count;
    check_cells(table_.quantities[observation],
                description_.observations[observation].quantity.text, measured.row);
    if (const auto& sigma = table_.sigmas[observation]) {
      check_cells(*sigma, description_.observations[observation].sigma.formula.text, measured.row);
    }
  }

  /// A formula that is evaluated in a row needs the cells it uses.
  void check_cells(const expr::Formula& compiled, const std::string& text, int row) const {
    for (const int slot : compiled.used_slots()) {
      const int column = slot - table_.layout.columns();
      if (column < 0 || std::isfinite(cell(data_, column, row))) continue;
      fail(description_.place,
           fmt::format("{}: \"{}\" needs column \"{}\", which is empty there.",
                       row_text(data_, row), text, data_.header[static_cast<std::size_t>(column)]));
    }
  }

  const ExperimentDescription& description_;
  const Data& data_;
  expr::Names scope_;
  AlgebraicTable table_;
};

}  // namespace

AlgebraicTable compile_table(const ExperimentDescription& description, const Unknowns& shared) {
  return Compiler(description, shared).compile();
}

std::string row_text(const Data& data, int row) {
  const auto i = static_cast<std::size_t>(row);
  if (i < data.lines.size()) {
    return Place{.file = data.place.file, .line = data.lines[i]}.text();
  }
  return fmt::format("row {}", row + 1);
}

}  // namespace parfait::estimate
