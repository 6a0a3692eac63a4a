#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/dynamics/system.h"
#include "parfait/expr/table.h"

/// What descriptions of models of every kind have in common, as a person writes it: parameters,
/// inputs, events, how to simulate. Formula models (formula_model.h) and mechanisms
/// (mechanism/description/description.h) use these words as they are or add to them; `io` reads and
/// writes them once, check_vocabulary.h checks them once.
namespace parfait::dynamics {

/// A formula as a person wrote it, and where its first character stands. A number is a formula too.
struct FormulaText {
  std::string text;
  base::Place place;

  FormulaText() = default;
  // NOLINTBEGIN(google-explicit-constructor): in code a formula is a text or a number
  FormulaText(std::string formula) : text(std::move(formula)) {}
  FormulaText(const char* formula) : text(formula) {}
  FormulaText(double number);  ///< the shortest text that reads back as the same number
  FormulaText(int number) : text(std::to_string(number)) {}
  // NOLINTEND(google-explicit-constructor)
  FormulaText(std::string formula, base::Place where)
      : text(std::move(formula)), place(std::move(where)) {}
  bool empty() const { return text.empty(); }
};

/// A number that may be changed, estimated and differentiated with respect to.
struct Parameter {
  std::string id;
  std::optional<double> initial{};  ///< formula models need it; see mechanism::Parameter
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::optional<double> scale{};  ///< default max(|initial|, 1)
  std::string unit{};
  base::Place place{};
};

/// A table in time that formulas use by its id.
struct Input {
  std::string id;
  std::vector<double> t, value;
  expr::Interpolation interpolation = expr::Interpolation::kLinear;
  std::string file{};    ///< CSV; as written, relative to the model file; empty: given in place
  std::string column{};  ///< header of the value column; empty: the second column
  base::Place place{};
};

/// What formulas read of an input; InputError if it is no table.
expr::Table table_of(const Input& input);

/// What an event gives to a state or a parameter, computed from the values before the event.
struct Assignment {
  enum class To { kEither, kState, kParameter };

  std::string target;   ///< its id
  FormulaText value;    ///< of everything
  base::Place place{};  ///< where the target stands
  To to = To::kEither;  ///< what the target is said to be
};

/// Which passages of a switching function through zero are meant; not kNever.
using Passage = SwitchInfo::Jump;

/// Something that happens when `when` passes zero, or at the time `at`: one of the two is given.
/// All assignments take the values before it. Without any it is only noted (or ends the run).
struct Event {
  std::string id;                      ///< in formula models it may be empty
  FormulaText when{};                  ///< a switching function of everything
  std::optional<Passage> direction{};  ///< of `when`; absent: both
  FormulaText at{};                    ///< of parameters
  std::vector<Assignment> sets{};
  bool terminal = false;  ///< ends the simulation
  base::Place place{};
  base::Place direction_place{};

  bool is_timed() const { return !at.empty(); }

  Event& set(std::string target, FormulaText to) {
    sets.push_back({std::move(target), std::move(to)});
    return *this;
  }
  Event& on(Passage passage) {
    direction = passage;
    return *this;
  }
  Event& stop() {
    terminal = true;
    return *this;
  }
};

/// How to simulate; each absent value has the command's default.
struct Simulation {
  std::optional<double> until, rtol, atol, step;
  FormulaText integrator{};            ///< the name of a method, or empty
  std::vector<FormulaText> outputs{};  ///< quantities by name, or formulas of them
  base::Place place{};
};

}  // namespace parfait::dynamics
