#pragma once

#include <vector>

#include "parfait/expr/formula.h"
#include "parfait/mbs/solver/kernel.h"
#include "parfait/mbs/solver/mechanism_names.h"
#include "parfait/mechanism/quantities/quantity.h"

/// Formulas of a model: where their arguments stand, offsets that drive constraints, and the
/// external states.
namespace parfait::mbs {

using mechanism::Quantity;

/// Slots of the formulas of laws and states: s, rate, t, parameters, states, then quantities.
struct SlotLayout {
  int s = 0, rate = 1, t = 2, first_parameter = 3, first_state = 0, first_quantity = 0, size = 0;
  int first_event_quantity = 0;  ///< those that only events use stand behind the others
};

/// Arguments of formulas, and gradients at the present state.
struct FormulaWork {
  std::vector<double> slots, scratch;
  AlignedVector<Lane> lanes;  ///< directions of the slots
  std::vector<double> law_values;
  std::vector<double> gradients;  ///< of laws, then of the derivatives of external states
  std::vector<std::size_t> gradient_first;
};

/// A joint row whose offset is not zero.
struct OffsetSpec {
  int row = 0;  ///< joint row
  RowKind kind = RowKind::kB0x;
  int constant = -1;  ///< the constant that is r, or
  int formula = -1;   ///< index of its formula of (t, parameters)
};

/// Rows with an offset; constant.
struct OffsetData {
  std::vector<OffsetSpec> specs;
  std::vector<char> row_has_offset;
  std::vector<expr::Formula> formulas;
  std::vector<int> formula_switch;  ///< first switching function of each formula
};

struct OffsetWork {
  std::vector<double> pos, vel;  ///< per joint row: r, r'
  std::vector<double> rates;     ///< of (t, parameters) in time: 1, 0 ...; and of those: 0
  std::vector<double> gradient;
  AlignedVector<Lane> lanes;  ///< per joint row
};

/// States beside those of the bodies; constant.
struct ExternalData {
  /// Those of the description, parameters that events set (rate 0), states of force elements.
  std::vector<State> states;
  int num_formulas = 0;  ///< the first two kinds: a formula is their rate
  struct HeldParameter {
    int state, parameter;
  };
  std::vector<HeldParameter> held;  ///< the second: where their initial value comes from
  struct OfElement {
    int state, constant;
  };
  std::vector<OfElement> of_elements;  ///< the last likewise
  std::vector<expr::Formula> formulas;
  std::vector<Quantity> quantities;  ///< that these formulas use
  std::vector<int> formula_switch;   ///< first switching function of each formula
};

struct ExternalWork {
  std::vector<double> rates;
  AlignedVector<Lane> element_lanes;  ///< directions of the rates of elements' states
};

}  // namespace parfait::mbs
