#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/expr/formula.h"
#include "parfait/mechanism/constants/constant_table.h"
#include "parfait/mechanism/elements/event.h"
#include "parfait/mechanism/elements/force.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/quantities/quantity_names.h"

/// What a mechanism has besides bodies and the coordinates of their joints: force elements and
/// their laws, external states, constraints with their offsets, events and switching functions.
/// Names are resolved once; nothing here knows coordinates. element_stage.h evaluates it.
namespace parfait::mechanism {

/// A marker as elements use it: where its twelve constants stand, and which axes they give.
struct Site {
  int body = -1;  ///< described; -1: the ground
  int first_constant = 0;
  bool has_x = false, has_y = false;
};
/// `prefix` is what the names of its constants begin with, unless it refers to another marker.
Site site_of(const Description& description, const ConstantTable& table, const Marker& marker,
             const std::string& prefix);

struct ElementEnd {
  int site = 0;
  unsigned use = 0;  ///< EndUse
};

struct ActingForce {
  std::string id;
  std::unique_ptr<ForceElement> element;
  std::vector<ElementEnd> ends;
  int first_constant = 0, num_constants = 0;
  int first_state = 0, num_states = 0;  ///< among the external states
  int law = -1;
  int first_switch = 0, num_switches = 0;
  bool may_rest = false;            ///< ForceElement
  bool accounts_for_power = false;  ///< ForceType

  /// Whether it does nothing in the mode of all switching functions (null: it is not known).
  bool rests(const std::int8_t* mode) const {
    return may_rest && mode && element->rests(mode + first_switch);
  }
};

struct ActingEvent {
  std::string id;
  std::unique_ptr<EventElement> element;  ///< null: a formula says when
  std::vector<ElementEnd> ends;
  int first_constant = 0, num_constants = 0;
  int formula = -1;  ///< `when` or `at`, among event_formulas
  bool is_timed = false;
  int switch_index = 0;
  dynamics::SwitchInfo::Jump jump = dynamics::SwitchInfo::Jump::kFalling;
  bool terminal = false;
  struct Set {
    int state = 0, formula = 0;
  };
  std::vector<Set> sets;
};

/// The offset of a constraint: a constant, or a formula of (t, parameters).
struct ConstraintOffset {
  int constant = -1, formula = -1;
};

/// Switching functions that are computed together.
struct SwitchGroup {
  enum class Kind {
    kLaw,         ///< branches in the law of force `index`
    kElement,     ///< those of the element of force `index` itself
    kDerivative,  ///< branches in the derivative of external state `index`
    kOffset,      ///< branches in offset formula `index`
    kEvent,       ///< event `index` itself
    kWhen,        ///< branches in its formula
  };
  Kind kind = Kind::kEvent;
  int index = 0;
  int first = 0, count = 1;
  std::size_t first_gradient = 0;
};

/// Arguments of formulas: s, rate, t, parameters, states, then quantities.
struct Slots {
  static constexpr int kS = 0, kRate = 1, kTime = 2, kFirstParameter = 3;
  int first_state = 0, first_state_quantity = 0, first_event_quantity = 0, size = 0;
};

/// Immutable. Built for a description that check() has seen.
struct ElementSet {
  ElementSet(const Description& description, const ConstantTable& table);

  const std::vector<std::string>* parameter_ids = nullptr;
  QuantityNames quantities;

  /// Named markers of all bodies; begin and end of every joint, then of every constraint; then the
  /// ends of forces and events.
  std::vector<Site> sites;
  int first_joint_site = 0, first_constraint_site = 0, first_element_site = 0;

  std::vector<ActingForce> forces;
  std::vector<expr::Formula> laws;
  std::vector<int> law_switch;  ///< first switching function of each

  /// Those of the description, parameters that events set (of rate 0), energies that outputs ask
  /// for, states of force elements.
  std::vector<State> states;
  int num_formula_states = 0;  ///< all but the last kind
  struct Kept {
    int state, source;
  };
  std::vector<Kept> held_parameters;  ///< state, parameter it begins with
  std::vector<Kept> element_states;   ///< state, constant it begins with
  std::vector<expr::Formula> derivatives;
  std::vector<int> derivative_switch;
  std::vector<Quantity> state_quantities;  ///< that the derivatives use

  std::vector<ConstraintOffset> offsets;  ///< one per constraint of the description
  std::vector<expr::Formula> offset_formulas;
  std::vector<int> offset_owner, offset_switch;

  std::vector<ActingEvent> events;
  std::vector<expr::Formula> event_formulas;
  std::vector<std::size_t> event_gradient;
  std::vector<int> event_switch;
  std::vector<Quantity> event_quantities;
  int num_when = 0;  ///< the first of these quantities say when, the others what

  std::vector<SwitchGroup> switch_groups;
  std::size_t switch_gradient_size = 0;
  int num_switches = 0;
  bool switches_see_bodies = false, derivatives_switch = false;

  Slots slots;
  std::size_t scratch_size = 0, max_gradient = 0;
  int max_ends = 0, max_constants = 0, max_states = 0, max_switches = 0;
  std::vector<std::string> constraint_ids;

  int num_parameters() const { return static_cast<int>(parameter_ids->size()); }
  std::vector<dynamics::SwitchInfo> switch_infos() const;
  std::vector<double> time_breaks() const;
};

}  // namespace parfait::mechanism
