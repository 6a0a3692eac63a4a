#pragma once

#include <memory>

#include "parfait/dynamics/second_order.h"
#include "parfait/mbs/data/model_data.h"

namespace parfait::mbs {

/// M, G and f of a model in the coordinates its bodies show (docs/theory/hht.md, H8-H10):
///
///   M   4 x 4 per body, (x) I_3
///   f   what force elements give their ends, and the weights
///   G   body rows and position rows of joints in the order of g_pos; velocity rows have no place
///       in it
///
/// Derivatives are put together element by element, from local Jacobian blocks.
std::unique_ptr<const dynamics::SecondOrder> make_second_order(const ModelData& m);

/// The derivatives at the state the workspace holds, laws and external states prepared.
void linearize_second_order(const ModelData& m, ModelWorkspace& w, dynamics::Linearization& out);

/// <seed, M(p) a> and <r, r(p)> + <g, g(p)> + <edot, e'(p)> pulled back to the constants, in O(n),
/// where r is a motion that keeps the constraints; `applied` are the forces r(p) themselves.
void pull_back_mass(const ModelData& m, ModelWorkspace& w, const double* a, const double* seed);
void pull_back_second_order(const ModelData& m, ModelWorkspace& w, const double* r, const double* g,
                            const double* edot);

/// From forces on canonical coordinates to those on the user's: canonical = u A.
template <class T>
void pull_back(const CoordinateMap& map, const T* canonical, T* user) {
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) {
      T sum{};
      for (int j = 0; j < 4; ++j) sum += canonical[3 * j + k] * map.A[i][j];
      user[3 * i + k] = sum;
    }
  }
}

/// sum over both ends of c_i u_i, u_i(side, i) the vectors of the bodies.
template <class S, class Vectors>
Vec3<S> combine_vectors(const std::array<std::array<S, 4>, 2>& c, const Vectors& u) {
  Vec3<S> sum{};
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < 4; ++i) sum += c[side][i] * u(side, i);
  }
  return sum;
}

}  // namespace parfait::mbs
