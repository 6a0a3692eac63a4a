#include "parfait/mechanism/description/joint_motion.h"

namespace parfait::mechanism {

std::span<const FunctionKindName> function_kind_names() {
  using Kind = CoordinateFunction::Kind;
  static constexpr FunctionKindName kNames[] = {{"linear", Kind::kLinear},
                                                {"polynomial", Kind::kPolynomial},
                                                {"natural_spline", Kind::kNaturalSpline},
                                                {"simm_spline", Kind::kSimmSpline},
                                                {"piecewise_linear", Kind::kPiecewiseLinear},
                                                {"formula", Kind::kFormula}};
  return kNames;
}

std::span<const CoordinateKindName> coordinate_kind_names() {
  using Kind = Coordinate::Kind;
  static constexpr CoordinateKindName kNames[] = {
      {"rotation", Kind::kRotation}, {"translation", Kind::kTranslation}, {"mixed", Kind::kMixed}};
  return kNames;
}

}  // namespace parfait::mechanism
