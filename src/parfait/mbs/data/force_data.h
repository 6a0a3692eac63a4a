#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"
#include "parfait/mbs/data/element_ends.h"
#include "parfait/mechanism/elements/force.h"

/// Force elements of a model.
namespace parfait::mbs {

/// The constants of an element among all.
struct ConstantRange {
  int first = 0, count = 0;
};

struct ForceSpec {
  std::string id;
  std::unique_ptr<mechanism::ForceElement> element;
  std::vector<EndSpec> ends;
  ConstantRange constants;
  int first_state = 0, num_states = 0;  ///< among the external states
  int law = -1;                         ///< index of its formula
  int first_switch = 0, num_switches = 0;
  bool may_rest = false;            ///< ForceElement
  bool accounts_for_power = false;  ///< by its potential and its dissipation

  /// Whether it does nothing in the mode of all switching functions (null: it is not known).
  bool rests(const std::int8_t* mode) const {
    return may_rest && mode && element->rests(mode + first_switch);
  }
};

/// Constant.
struct ForceData {
  std::vector<ForceSpec> elements;
  std::vector<int> bodies;  ///< that some of them acts on, each once
  std::vector<expr::Formula> laws;
  std::vector<int> law_switch;  ///< first switching function of each law
  /// Of an element or event.
  int max_ends = 0, max_constants = 0, max_states = 0, max_switches = 0;
};

/// Room for one element at a time: what it sees and what it gives.
template <class S>
struct ForceWork {
  AlignedVector<EndFrame<S>> frames;
  AlignedVector<Vec3<S>> rho;
  AlignedVector<EndForce<S>> forces;
  AlignedVector<S> constants, states, rates, switches;  ///< numbers with directions only
  mechanism::Law<S> law{};

  void resize(const ForceData& data);
};

}  // namespace parfait::mbs
