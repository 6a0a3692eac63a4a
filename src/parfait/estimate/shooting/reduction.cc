#include "parfait/estimate/shooting/reduction.h"

#include <fmt/format.h>

#include "parfait/estimate/shooting/fixed_fit.h"
#include "parfait/estimate/shooting/independent_intervals.h"

namespace parfait::estimate {

ReductionMethod choose_reduction(const ShootingLayout& layout, const FitOptions& options) {
  using enum ReductionMethod;
  const ReductionMethod method = options.reduction;
  const bool is_along_tangent = method == kTangentDirections || method == kTangentNodes;
  const bool can_replay = layout.nz() == 0 && integrate::info(options.integrator.method).can_replay;
  if (method == kFixedFit && !can_replay) {
    throw base::InputError(
        options.place,
        fmt::format("reduction fixfit: repeats recorded steps, which {} and models with algebraic "
                    "states cannot. Use none.",
                    integrate::method_names([](const auto& m) { return !m.can_replay; }, "and")));
  }
  if (is_along_tangent && !layout.has_invariants()) return kNone;
  const bool relaxed = layout.has_invariants() && options.relaxation != Relaxation::kLimit;
  if (relaxed && is_along_tangent) {
    throw base::InputError(
        options.place,
        "reduction invariants1, invariants2: need nodes that are projected onto the "
        "constraints, relaxation limit. Use fixfit or none.");
  }
  if (method != kAutomatic) return method;
  // What the constraints leave free in the first node is less than all of any other.
  if (relaxed) return can_replay && layout.num_nodes() > 1 ? kFixedFit : kNone;
  const int all = layout.ny() + layout.num_theta();
  const int few = layout.size_of_state(0) + layout.num_theta() + 1;
  if (can_replay && layout.num_nodes() > 1 && 2 * few <= all) return kFixedFit;
  return layout.has_invariants() ? kTangentDirections : kNone;
}

std::unique_ptr<Reduction> make_reduction(ReductionMethod method) {
  using Coordinates = IndependentIntervals::Coordinates;
  switch (method) {
    case ReductionMethod::kFixedFit:
      return std::make_unique<FixedFit>();
    case ReductionMethod::kTangentDirections:
      return std::make_unique<IndependentIntervals>(Coordinates::kTangentDirections);
    case ReductionMethod::kTangentNodes:
      return std::make_unique<IndependentIntervals>(Coordinates::kTangentNodes);
    case ReductionMethod::kAutomatic:  // choose_reduction() has chosen
    case ReductionMethod::kNone:
      break;
  }
  return std::make_unique<IndependentIntervals>(Coordinates::kNodes);
}

}  // namespace parfait::estimate
