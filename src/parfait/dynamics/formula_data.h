#pragma once

#include <string>
#include <utility>
#include <vector>

#include "parfait/dynamics/formula_chain.h"
#include "parfait/dynamics/formula_model.h"
#include "parfait/dynamics/system.h"
#include "parfait/expr/formula.h"
#include "parfait/expr/scope.h"

/// A formula model compiled. Internal to dynamics.
namespace parfait::dynamics {

/// Where the values of names stand: t, y, z, p are given; definitions, y', h and the event
/// functions are written by steps.
struct FormulaSlots {
  int t = 0, y = 1, z = 0, p = 0, definitions = 0, rates = 0, residuals = 0, events = 0;
  int size = 0;
};

/// What happens at an event: the chain writes the new values, targets[i] is the state that takes
/// the i-th of them (slot FormulaSlots::size + i).
struct FormulaJump {
  FormulaChain chain;
  std::vector<int> targets;
};

struct FormulaData {
  Sizes sizes;
  FormulaSlots slots;
  std::vector<ParameterInfo> parameters;
  std::vector<double> p0;  ///< their initial values
  std::vector<std::string> state_names, algebraic_names, definition_names;
  std::vector<std::pair<std::string, expr::Table>> inputs;

  /// Initial y and z; their slots are the parameters alone.
  std::vector<expr::Formula> start_y, start_z;
  std::size_t start_scratch_size = 0;

  std::vector<FormulaStep> definitions, rates;
  FormulaChain rhs;                   ///< writes y' and h
  FormulaChain event_values;          ///< writes the event functions, and what `switched` needs
  std::vector<FormulaStep> switched;  ///< formulas with switches that are announced
  std::size_t switched_gradient_size = 0;
  int first_event_switch = 0;
  std::vector<FormulaJump> jumps;  ///< one for each event
  std::vector<SwitchInfo> switch_infos;
  std::vector<double> time_breaks;
  std::vector<std::string> warnings;
};

/// InputError if a formula, a count or an id is wrong.
FormulaData compile(const FormulaModel& model);

/// What is wrong with a model before any formula is looked at: ids, bounds, numbers of equations.
void check_structure(const FormulaModel& model);

/// The names that formulas of a compiled model may use.
class FormulaScope final : public expr::Scope {
 public:
  /// With the rates of states (`x.rate`) for observers.
  FormulaScope(const FormulaData& data, bool with_rates);

  void add(std::string name, int slot) { names_.emplace_back(std::move(name), slot); }
  int find(std::string_view name) override;
  std::vector<std::string> names() const override;
  const expr::Table* table(std::string_view name) override;

 private:
  const FormulaData& data_;
  std::vector<std::pair<std::string, int>> names_;
};

/// The outputs in their order, preceded by the definitions and rates that they need.
FormulaChain make_chain(const FormulaData& data, const std::vector<FormulaStep>& outputs);

}  // namespace parfait::dynamics
