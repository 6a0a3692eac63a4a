#include "parfait/integrate/hht/parameter_pull_back.h"

#include <algorithm>

namespace parfait::integrate {

using dynamics::ConstVec;
using dynamics::Directions;

namespace {

constexpr int kCount = math::kLanes;

double product(ConstVec seed, const Directions& d, int j) {
  double sum = 0;
  for (std::size_t i = 0; i < seed.size(); ++i) sum += seed[i] * d(static_cast<int>(i), j);
  return sum;
}

}  // namespace

ParameterPullBack::ParameterPullBack(const dynamics::System& system,
                                     const dynamics::SecondOrder& mechanics)
    : system_(system),
      mechanics_(mechanics),
      dp_(system.sizes().np, kCount),
      dy_(system.sizes().ny(), kCount),
      dr_(system.sizes().nq, kCount),
      dg_(system.sizes().num_pos, kCount),
      dedot_(system.sizes().ne, kCount) {}

template <class Differentiate, class Along>
void ParameterPullBack::by_directions(dynamics::Workspace& ws, const Differentiate& differentiate,
                                      const Along& along) {
  const int np = system_.sizes().np;
  ws.parameter_adjoint.resize(static_cast<std::size_t>(np));
  for (int first = 0; first < np; first += kCount) {
    const int count = std::min(kCount, np - first);
    dp_.resize(np, kCount);
    for (int j = 0; j < count; ++j) dp_(first + j, j) = 1;
    system_.bind_directions(ws, dp_);
    differentiate();
    double* const to = ws.parameter_adjoint.data() + first;
    for (int j = 0; j < count; ++j) to[j] += along(j);
  }
}

void ParameterPullBack::mass(dynamics::Workspace& ws, ConstVec a, ConstVec seed) {
  if (mechanics_.pull_back_mass(ws, a, seed)) return;
  by_directions(
      ws, [&] { mechanics_.mass_directions(ws, a, dr_); },
      [&](int j) { return product(seed, dr_, j); });
}

void ParameterPullBack::forces(dynamics::Workspace& ws, ConstVec r, ConstVec g, ConstVec edot) {
  if (mechanics_.pull_back_parameters(ws, r, g, edot)) return;
  by_directions(
      ws, [&] { mechanics_.directions(ws, {.dt = {}, .dy = &dy_}, dr_, dg_, dedot_); },
      [&](int j) { return product(r, dr_, j) + product(g, dg_, j) + product(edot, dedot_, j); });
}

}  // namespace parfait::integrate
