#pragma once

#include <string>
#include <vector>

#include "parfait/dynamics/vocabulary.h"

namespace parfait::dynamics {

/// An ODE or a semi-explicit DAE of index 1 as a person describes it: what a file with the root
/// `<ode>` or `<dae>` says, nothing computed.
///
///   y_i' = f_i(t, y, z, p),    0 = h_j(t, y, z, p),    y(t0) = y0(p)
///
/// `io` reads and writes it; make_formula_system() (formula_system.h) checks it and turns it into a
/// System. In code it is written line by line:
///
///   FormulaModel ball;
///   ball.state("h", 1, "v");
///   ball.state("v", 0, "-g");
///   ball.parameter("g", 9.81);
///   ball.event("bounce", "h").set("v", "-0.8 * v");
///
/// Names  Formulas see t, states, algebraic states, parameters, inputs and the definitions before
///        them; initial values and the times of time events see parameters only. The functions are
///        those of docs/theory/formulas.md.
/// See    docs/theory/formula_models.md.
struct FormulaModel {
  using Place = base::Place;
  using Parameter = dynamics::Parameter;
  using Input = dynamics::Input;
  using Event = dynamics::Event;
  using Simulation = dynamics::Simulation;

  struct State {
    std::string id;
    FormulaText initial;     ///< of parameters
    FormulaText derivative;  ///< of everything
    Place place{};
  };

  /// An algebraic state; as many as there are equations.
  struct Algebraic {
    std::string id;
    FormulaText initial = 0.0;  ///< of parameters: a guess from which the equations are solved
    Place place{};
  };

  /// "0 = expression", "left = right" (the residual is left - right) or "expression" (0 is meant).
  struct Equation {
    FormulaText text;
    Place place{};
  };

  /// A name for a formula, for the formulas after it.
  struct Definition {
    std::string id;
    FormulaText formula;
    Place place{};
  };

  std::string id;
  std::string file;
  std::vector<std::string> remarks;
  Simulation simulation;
  std::vector<State> states;
  std::vector<Algebraic> algebraics;
  std::vector<Equation> equations;
  std::vector<Parameter> parameters;
  std::vector<Input> inputs;
  std::vector<Definition> definitions;
  std::vector<Event> events;

  bool is_dae() const { return !algebraics.empty() || !equations.empty(); }

  // Each appends one and returns it, for the fields that are not arguments.
  State& state(std::string name, FormulaText initial, FormulaText derivative) {
    return states.emplace_back(State{std::move(name), std::move(initial), std::move(derivative)});
  }
  Algebraic& algebraic(std::string name, FormulaText guess = 0.0) {
    return algebraics.emplace_back(Algebraic{std::move(name), std::move(guess)});
  }
  Equation& equation(FormulaText text) { return equations.emplace_back(Equation{std::move(text)}); }
  Parameter& parameter(std::string name, double initial) {
    return parameters.emplace_back(Parameter{std::move(name), initial});
  }
  Input& input(std::string name, std::vector<double> t, std::vector<double> value,
               expr::Interpolation interpolation = expr::Interpolation::kLinear) {
    return inputs.emplace_back(
        Input{std::move(name), std::move(t), std::move(value), interpolation});
  }
  Definition& define(std::string name, FormulaText formula) {
    return definitions.emplace_back(Definition{std::move(name), std::move(formula)});
  }
  /// Falling passages, as of a ball that reaches the ground; on() says otherwise.
  Event& event(std::string name, FormulaText when) {
    Event& e = events.emplace_back();
    e.id = std::move(name);
    e.when = std::move(when);
    e.direction = SwitchInfo::Jump::kFalling;
    return e;
  }
  Event& event_at(std::string name, FormulaText time) {
    Event& e = events.emplace_back();
    e.id = std::move(name);
    e.at = std::move(time);
    return e;
  }
};

}  // namespace parfait::dynamics
