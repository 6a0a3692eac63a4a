#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/expr/formula.h"
#include "parfait/mbs/data/force_data.h"
#include "parfait/mechanism/elements/event.h"
#include "parfait/mechanism/quantities/quantity.h"

/// Events and switching functions of a model.
namespace parfait::mbs {

struct EventSpec {
  std::string id;
  std::unique_ptr<mechanism::EventElement> element;  ///< null: a formula says when
  std::vector<EndSpec> ends;
  ConstantRange constants;
  int formula = -1;  ///< `when` or `at`: index into event_formulas
  bool is_timed = false;
  int switch_index = 0;
  dynamics::SwitchInfo::Jump jump = dynamics::SwitchInfo::Jump::kFalling;
  bool terminal = false;
  struct Set {
    int state = 0, formula = 0;
  };
  std::vector<Set> sets;
};

/// Constant.
struct EventData {
  std::vector<EventSpec> specs;
  std::vector<expr::Formula> formulas;
  std::vector<std::size_t> gradient_first;
  std::vector<mechanism::Quantity> quantities;
  int num_when = 0;                 ///< the first of them decide when, the others what
  std::vector<int> formula_switch;  ///< first switching function of each formula
};

/// Switching functions that are computed together.
struct SwitchGroup {
  enum class Kind {
    kLaw,         ///< branches in the formula of force `index`
    kElement,     ///< those of the element of force `index` itself
    kDerivative,  ///< branches in the derivative of external state `index`
    kOffset,      ///< branches in offset formula `index`
    kEvent,       ///< event `index` itself
    kWhen,        ///< branches in its formula
  };
  Kind kind = Kind::kEvent;
  int index = 0;
  int first = 0, count = 1;
  std::size_t first_gradient = 0;  ///< of the switches of a formula: count x num_used
};

/// Constant.
struct SwitchData {
  std::vector<SwitchGroup> groups;
  std::size_t gradient_size = 0;
  bool use_bodies = false;
};

struct SwitchWork {
  std::vector<double> values, gradients, event_gradients;
};

/// The last jump.
struct JumpWork {
  int event = -1;
  int force = -1, force_switch = 0;  ///< or that of a force element
  double t = 0;
  std::vector<double> y, still, response;  ///< before; zero; canonical, per unit of impulse
  std::vector<double> change;              ///< of the velocities
  AlignedVector<Lane> dy, dset;
};

}  // namespace parfait::mbs
