#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/expr/formula.h"

/// An algebraic experiment compiled: formulas with numbered slots, and the measured cells. Internal
/// to estimate.
namespace parfait::estimate {

/// Values a formula may use: [row's unknowns | locals | shared | sets | columns].
struct SlotLayout {
  int num_row = 0, num_locals = 0, num_shared = 0, num_sets = 0, num_columns = 0;

  int locals() const { return num_row; }
  int shared() const { return locals() + num_locals; }
  int sets() const { return shared() + num_shared; }
  int columns() const { return sets() + num_sets; }
  int size() const { return columns() + num_columns; }
};

struct CompiledRequirement {
  std::vector<expr::Formula> terms;
  bool inequality = false;
  std::string text;
};

struct AlgebraicTable {
  /// A row with at least one measurement: cells [first, first + count) of `cells`.
  struct Row {
    int number = 0;  ///< in the data
    int first = 0, count = 0;
  };

  SlotLayout layout;
  std::vector<std::string> names;  ///< of the slots
  std::vector<expr::Formula> quantities;
  std::vector<std::optional<expr::Formula>>
      sigmas;                          ///< of the observations whose sigma is a formula
  std::vector<expr::Formula> guesses;  ///< of the rows' unknowns
  std::vector<CompiledRequirement> requirements;
  std::vector<Measurement> cells;
  std::vector<Row> rows;
  std::size_t scratch = 0;  ///< largest scratch of the formulas
};

/// Compiles and checks; InputError with the place.
AlgebraicTable compile_table(const ExperimentDescription& description, const Unknowns& shared);

/// "data.csv:14" or "row 13".
std::string row_text(const Data& data, int row);

}  // namespace parfait::estimate
