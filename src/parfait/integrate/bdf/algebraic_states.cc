#include "parfait/integrate/bdf/algebraic_states.h"

#include <algorithm>

namespace parfait::integrate {

AlgebraicStates::AlgebraicStates(Flow& flow, int num_directions)
    : equations_(flow, num_directions),
      start_(context_, equations_),
      y_rate_(equations_.ny()),
      z_rate_(equations_.nz()),
      dz_(equations_.nz(), num_directions) {}

dynamics::Status AlgebraicStates::solve(State& state) {
  const int ny = equations_.ny(), nz = equations_.nz();
  start_.t = state.t;
  std::ranges::copy(state.y, start_.u.data());
  std::ranges::copy(state.z, start_.u.data() + ny);
  for (int j = 0; j < dz_.count(); ++j) {
    for (int i = 0; i < ny; ++i) start_.S[j][i] = state.W(i, j);
  }
  equations_.forget();
  const dynamics::Status status = complete(equations_, start_);
  if (status != dynamics::Status::kOk) return status;
  std::copy_n(start_.u.data() + ny, nz, state.z.begin());
  std::copy_n(start_.du_dt.data(), ny, y_rate_.begin());
  std::copy_n(start_.du_dt.data() + ny, nz, z_rate_.begin());
  for (int j = 0; j < dz_.count(); ++j) {
    for (int i = 0; i < nz; ++i) dz_(i, j) = start_.S[j][ny + i];
  }
  return status;
}

}  // namespace parfait::integrate
