#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {
namespace {

/// Names in order, the parameters first. Quantities of the mechanics ("Arm.com.x") have a dot;
/// which of them exist only the assembled model knows.
class CheckScope : public expr::Scope {
 public:
  CheckScope(std::vector<std::string> names, bool has_quantities)
      : names_(std::move(names)), has_quantities_(has_quantities) {}

  int find(std::string_view name) override {
    const auto it = std::find(names_.begin(), names_.end(), name);
    if (it != names_.end()) return static_cast<int>(it - names_.begin());
    const bool is_quantity = has_quantities_ && name.find('.') != std::string_view::npos;
    return is_quantity ? static_cast<int>(names_.size()) : -1;
  }
  std::vector<std::string> names() const override { return names_; }

 private:
  std::vector<std::string> names_;
  bool has_quantities_;
};

class FormulaCheck {
 public:
  explicit FormulaCheck(const Description& description) : description_(description) {
    for (const auto& parameter : description.parameters) {
      parameters_.push_back(parameter_name(description, parameter));
    }
    append_ids(description.inputs, inputs_);
    append_ids(description.states, states_);
    used_.assign(parameters_.size(), false);
    for (const auto& name : parameters_) set_by_.push_back(event_that_sets(description, name));
  }

  void constant(const Value& value) { parse(value, {}); }
  void constants(const Value3& values) { std::for_each(values.begin(), values.end(), checker()); }
  void frame(const Frame& frame) {
    constants(frame.o);
    constants(frame.x);
    constants(frame.y);
    constants(frame.z);
  }
  /// A constant that may change in time: the force of an actuator.
  void actuation(const Value& value) { parse(value, {"t"}, inputs_, &states_); }
  void law(const Value& value, const std::string& measure) {
    parse(value, {measure, "rate", "t"}, inputs_, &states_);
  }
  /// Of a state, or when an event happens and what it sets.
  void derivative(const Value& value) { parse(value, {"t"}, inputs_, &states_, true); }

  void offset(const Constraint& constraint) {
    const auto formula = parse(constraint.offset, {"t"}, inputs_);
    const int first_input = static_cast<int>(parameters_.size()) + 1;
    const bool is_position = constraint.key.front() != 'V';
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!formula.uses(first_input + static_cast<int>(i))) continue;
      const Interpolation interpolation = description_.inputs[i].interpolation;
      const bool smooth = interpolation == Interpolation::kCubic ||
                          (interpolation == Interpolation::kLinear && !is_position);
      if (smooth) continue;
      throw base::InputError(
          place_or(constraint.offset.place, constraint.place),
          fmt::format("{}: the input \"{}\" that drives it must have interpolation=\"{}\": its {} "
                      "exist.",
                      element_label("constraint", constraint.id), inputs_[i],
                      is_position ? "cubic" : "linear\" or \"cubic",
                      is_position ? "first and second derivative must" : "derivative must"));
    }
  }

  std::vector<bool> used() const { return used_; }

 private:
  std::function<void(const Value&)> checker() {
    return [this](const Value& value) { constant(value); };
  }

  expr::Formula parse(const Value& value, std::vector<std::string> names,
                      const std::vector<std::string>& inputs = {},
                      const std::vector<std::string>* states = nullptr,
                      bool has_quantities = false) {
    if (!value.is_formula()) return {};
    names.insert(names.begin(), parameters_.begin(), parameters_.end());
    names.insert(names.end(), inputs.begin(), inputs.end());
    if (states) names.insert(names.end(), states->begin(), states->end());
    CheckScope scope(std::move(names), has_quantities);
    expr::Formula formula(value.formula, scope, value.place);
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!formula.uses(static_cast<int>(i))) continue;
      used_[i] = true;
      if (states || !set_by_[i]) continue;
      throw base::InputError(
          value.place,
          fmt::format("\"{}\": event \"{}\" sets the parameter \"{}\", so only force laws, "
                      "derivatives of states and events may use it.",
                      value.formula, set_by_[i]->id, parameters_[i]));
    }
    return formula;
  }

  const Description& description_;
  std::vector<std::string> parameters_, inputs_, states_;
  std::vector<const Event*> set_by_;  ///< per parameter; null: no event sets it
  std::vector<bool> used_;
};

}  // namespace

std::vector<bool> check_formulas(const Description& description) {
  FormulaCheck formulas(description);
  for (const auto& body : description.bodies) {
    formulas.constant(body.mass);
    formulas.constants(body.center_of_mass);
    for (const auto& row : body.inertia) formulas.constants(row);
    for (const auto& marker : body.markers) formulas.frame(marker.frame);
  }
  for (const auto& joint : description.joints) {
    formulas.frame(joint.begin.frame);
    formulas.frame(joint.end.frame);
    for (const auto& constant : joint.constants) formulas.constant(constant.value);
  }
  for (const auto& constraint : description.constraints) {
    formulas.frame(constraint.begin.frame);
    formulas.frame(constraint.end.frame);
    formulas.offset(constraint);
  }
  for (const auto& force : description.forces) {
    for (const auto& end : ends_of(force)) formulas.frame(end.marker->frame);
    const int law = type_of(force).law_constant;
    const auto infos = type_constants(force);
    for (const auto& constant : force.constants) {
      if (law >= 0 && constant_index(infos, constant.name) == law) {
        formulas.actuation(constant.value);
      } else {
        formulas.constant(constant.value);
      }
    }
    formulas.law(force.law, measure_name(force));
  }
  for (const auto& input : description.inputs) {
    static_cast<void>(table_of(input));  // throws if it is no table
  }
  for (const auto& state : description.states) {
    if (!state.derivative.is_formula()) {
      throw base::InputError(
          state.place, fmt::format("{}: needs a derivative.", element_label("state", state.id)));
    }
    formulas.derivative(state.derivative);
  }
  for (const auto& event : description.events) {
    if (event.begin) formulas.frame(event.begin->frame);
    if (event.end) formulas.frame(event.end->frame);
    for (const auto& constant : event.constants) formulas.constant(constant.value);
    formulas.constant(Value(event.at));
    formulas.derivative(Value(event.when));
    for (const auto& set : event.sets) formulas.derivative(Value(set.value));
  }
  return formulas.used();
}

StartNumbers::StartNumbers(const Description& description) {
  for (const auto& parameter : description.parameters) {
    for (const auto& target : parameter.targets) {
      driven_.emplace(resolve_constant(description, target), names_.size());
    }
    names_.push_back(parameter_name(description, parameter));
    values_.push_back(start_value(description, parameter));
  }
}

std::optional<double> StartNumbers::number(const Value& value, const std::string& name,
                                           const Place& around) const {
  std::optional<double> number = value.number;
  if (const auto it = driven_.find(name); it != driven_.end()) {
    number = values_[it->second];
  } else if (value.is_formula()) {
    CheckScope scope(names_, false);
    const expr::Formula formula(value.formula, scope, value.place);
    std::vector<double> slots(names_.size(), 0.0);
    for (const int slot : formula.used_slots()) {
      const auto& start = values_[static_cast<std::size_t>(slot)];
      if (!start) return std::nullopt;
      slots[static_cast<std::size_t>(slot)] = *start;
    }
    std::vector<double> scratch(formula.scratch_size());
    number = formula.value(slots.data(), scratch.data());
  }
  if (number && !std::isfinite(*number)) {
    throw base::InputError(
        place_or(value.place, around),
        fmt::format("\"{}\" is {} at the start values of the parameters; it must be "
                    "finite.",
                    name, *number));
  }
  return number;
}

}  // namespace parfait::mechanism
