#pragma once

#include <string>
#include <vector>

#include "parfait/math/directions.h"
#include "parfait/mbs/solver/coordinates.h"
#include "parfait/mbs/solver/direction_step.h"
#include "parfait/mbs/solver/geometry.h"
#include "parfait/mbs/solver/kernel.h"
#include "parfait/mbs/solver/mechanism_names.h"

/// What the solver works on: bodies, joints and their constants, the state, and their directions.
namespace parfait::mbs {

/// Where the constants of a body are, and how they are to be read.
struct BodySpec {
  int first_constant = 0;  ///< mass, com (3), inertia (6), cholesky (10)
  bool from_cholesky = false;
  bool about_origin = false;  ///< the inertia constants are about the origin
  bool driven = false;        ///< a parameter changes mass, centre or inertia
};

struct GravitySpec {
  int first_constant = 0, count = 0;
};

/// Bodies and joints; constant.
struct KernelData {
  Structure structure;
  std::vector<CoordinateMap> maps;
  bool canonical = true;  ///< all bodies in canonical coordinates
  std::vector<BodySpec> bodies;
  bool any_body_driven = false;
  std::vector<GravitySpec> gravity;
  std::vector<std::string> joint_ids;  ///< joints, then single constraints
  std::vector<GeometrySpec> geometry;  ///< joints, forces, markers
  int first_marker_geometry = 0;
  std::vector<int> driven_geometry;  ///< those that a parameter moves
  std::vector<char> general_joint;   ///< takes the general path in the directions
  bool any_general_joint = false;
  bool needs_centers = false;  ///< the right-hand side looks at centres of mass

  int num_bodies() const { return structure.num_bodies; }
  int num_joints() const { return static_cast<int>(structure.joints.size()); }
};

/// Everything that depends on the parameters alone (placement_bind.cc).
struct BoundWork {
  std::vector<double> p;          ///< parameters
  std::vector<double> constants;  ///< all of the model, in the order of its ConstantTable
  KernelConstants kernel;
  std::array<double, 3> gravity{};
  std::vector<double> gradients;  ///< of the driven constants
  double rank_tolerance = 0;
  bool is_possible = true;  ///< no mass is negative
};

/// The state that is looked at.
struct StateWork {
  double t = 0;                   ///< time
  std::vector<double> q, v;       ///< canonical; only if some body is not in canonical coordinates
  const double* q_now = nullptr;  ///< those, or the caller's own
  const double* v_now = nullptr;
  std::vector<double> e;                ///< external states
  const std::int8_t* mode = nullptr;    ///< of the last Point; null: values decide
  std::vector<std::int8_t> mode_store;  ///< where it is kept

  /// The part of the mode that begins with switching function `first`.
  const std::int8_t* mode_from(int first) const { return mode ? mode + first : nullptr; }
};

/// What the last solve found, besides what KernelState holds.
struct SolutionWork {
  std::vector<double> a;       ///< accelerations, canonical
  std::vector<double> lambda;  ///< multipliers of the joint rows
  bool frames_final = false;   ///< frames hold these accelerations
};

/// Directions of what the parameters and time move, and where a chunk finds its own.
struct SeedWork {
  math::Directions dp;                          ///< of the parameters, np x k
  AlignedVector<InertiaLanes> inertia_lanes;    ///< [chunk][body]
  std::vector<const InertiaLanes*> inertia;     ///< per body, of the present chunk
  AlignedVector<GeometryLanes> geometry_lanes;  ///< [chunk][geometry]
  std::vector<const GeometryLanes*> geometry;   ///< likewise
  AlignedVector<Lane> constant_lanes;           ///< [chunk][driven constant]
  const Lane* constants = nullptr;              ///< those of the present chunk
  Lane gravity[3] = {};
  AlignedVector<Lane> zero;  ///< directions that do not move the state
};

/// Room for the directions of accelerations besides what DirectionState holds.
struct DirectionWork {
  int max = 0;
  bool ready = false;                ///< coefficients are those of the present state
  AlignedVector<Lane> metric;        ///< per body 6
  AlignedVector<Lane> canonical;     ///< dq, dv in canonical coordinates
  AlignedVector<Lane> acceleration;  ///< 12 per body
};

/// M^T A M, A symmetric as xx yy zz xy xz yz.
template <class T>
std::array<T, 6> congruent(const std::array<std::array<double, 3>, 3>& M,
                           const std::array<T, 6>& A) {
  std::array<T, 6> out{};
  for (int e = 0; e < 6; ++e) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        out[e] = out[e] + A[kEntry[i][j]] * (M[i][kPair[e][0]] * M[j][kPair[e][1]]);
      }
    }
  }
  return out;
}

}  // namespace parfait::mbs
