#pragma once

#include "parfait/integrate/bdf/bdf_start.h"
#include "parfait/integrate/stepping/state.h"

namespace parfait::integrate {

/// The algebraic states of a flow where no method has computed them: at the start, at an event in
/// time, after a jump.
///
/// Works in the workspace of the flow, in its mode; needs nz > 0.
class AlgebraicStates {
 public:
  AlgebraicStates(Flow& flow, int num_directions);

  /// Solves h(t, y, z) = 0 for state.z, beginning with what is there; then the rates of y and z
  /// and, if the state has directions, those of z along W. kSingular: the index is not 1;
  /// kProjectionFailed: no z was found.
  dynamics::Status solve(State& state);

  dynamics::ConstVec y_rate() const { return y_rate_; }
  dynamics::ConstVec z_rate() const { return z_rate_; }
  const dynamics::Directions& directions() const { return dz_; }

 private:
  sundials::Context context_;
  BdfEquations equations_;
  BdfStart start_;
  std::vector<double> y_rate_, z_rate_;
  dynamics::Directions dz_;
};

}  // namespace parfait::integrate
