#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include "parfait/dynamics/spectrum.h"
#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// One way in which a system moves about a point of rest: dy(t) = Re(shape exp(eigenvalue t)).
struct LinearMode {
  std::complex<double> eigenvalue;  ///< 1/s; of a conjugate pair the one with Im > 0
  bool swings = false;              ///< a conjugate pair
  double frequency = 0;             ///< |eigenvalue| / 2 pi: undamped, Hz; 0 if it does not swing
  double damped_frequency = 0;      ///< Im / 2 pi: of the motion itself, Hz
  double damping = 0;               ///< ratio to critical damping, -Re / |eigenvalue|
  double time_constant = 0;         ///< -1 / Re: s; infinite if undamped, negative if it grows
  /// dy, ny entries: the largest of coordinates and external states is 1 (velocities follow).
  Eigen::VectorXcd shape;
};

struct ModalAnalysis {
  Status status = Status::kOk;
  std::vector<LinearMode>
      modes;                ///< slowest first, by |eigenvalue|; neutral directions are not modes
  Eigen::MatrixXd neutral;  ///< dy of directions with the eigenvalue 0, scaled like shapes
  std::vector<std::string> neutral_names;
  bool drifts = false;  ///< along a neutral direction, once set in motion, it goes on
  Stability stability = Stability::kStable;
  double growth = 0;           ///< largest real part [1/s]
  double residual = 0;         ///< largest acceleration or rate: 0 at an equilibrium
  int degrees_of_freedom = 0;  ///< n_q
  Eigen::MatrixXd A;           ///< of (xi, w, e), see rest_point.h
};

/// The linear motion about the point of the manifold next to (q, e) of y, at rest, time standing
/// still at t:
///
///   xi'' = -K xi - D xi' + ...,   e' = ...   as x' = A x,   A shape = eigenvalue shape
///
/// Where the point is no equilibrium (`residual`) this is how neighbouring motions depart from each
/// other at first, no more. The parameters are those bound to `ws`, which is not changed.
/// Cost  O(n^3) for n = n_q + n_v + n_e.
/// See   docs/theory/modes.md (M1-M4)
ModalAnalysis analyze_modes(const System& system, const Workspace& ws, double t, ConstVec y,
                            ConstVec z, double projection_tolerance = 1e-12);

}  // namespace parfait::dynamics
