#pragma once

#include <memory>
#include <string>

#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/shooting/shooting_interval.h"
#include "parfait/estimate/shooting/shooting_layout.h"
#include "parfait/estimate/shooting/shooting_point.h"

namespace parfait::estimate {

/// Directions of a node, a column each: of s, of z, of theta.
struct Seeds {
  Eigen::MatrixXd s, z, theta;
};
/// All of them: of s, of z and of theta, one after another.
Seeds all_directions(const ShootingLayout& layout, int node);

/// Where an interval begins.
struct PlacedNode {
  std::unique_ptr<dynamics::Workspace> workspace;
  ShootingInterval::Start start;
  Eigen::VectorXd consistency;  ///< h(tau, s, z, p) of a system with algebraic states
  dynamics::Directions dconsistency;
  Eigen::VectorXd to_manifold;  ///< pi(s) - s of a system with invariants, scaled
  std::string why;              ///< it could not be placed; empty: it was
};

/// Makes node states consistent, so that an interval can begin there, with exact derivatives.
///
///   start    y, z and p as the variables say; in the first node, what is not free as the
///            model says
///   settle   y = the equilibrium before the experiment, if it begins at rest: the state that the
///            motion from the model's initial values tends to, found by Newton's method with what
///            the flow conserves held (dynamics/equilibrium.h)
///   project  y = pi(s), where the system has invariants: the relaxation `limit` (Kraus 2006,
///            section 8.4)
///   relax    y = s, and the constraints (g_0, g'_0 in relaxed_mechanics.h) or the algebraic
///            equations (h_0 in relaxed_dae.h) of what is integrated are shifted to the node
///
/// With every relaxation the first node is projected: that makes all consistent in the end.
class NodePlacement {
 public:
  /// `layout` must outlive it.
  NodePlacement(const ShootingLayout& layout, const FitOptions& options);

  /// Room for all directions of a node, and one more.
  PlacedNode make_node() const;
  /// What interval i integrates; null: the system itself.
  std::unique_ptr<dynamics::System> make_relaxed(int i) const;

  /// Whether somebody interrupts; node.why then says it.
  [[nodiscard]] bool interrupted(PlacedNode& node) const;
  /// Start, then project or relax. `seeds`: what to differentiate along; null: values only. False:
  /// it cannot be had, or somebody interrupts; node.why says it.
  [[nodiscard]] bool place(int i, const ShootingPoint& at, const Seeds* seeds,
                           PlacedNode& node) const;
  void start(int i, const ShootingPoint& at, const Seeds* seeds, PlacedNode& node) const;
  [[nodiscard]] bool project(int i, bool with_directions, PlacedNode& node) const;

 private:
  bool settle(const ShootingPoint& at, const Seeds* seeds, PlacedNode& node) const;
  bool keeps_off_constraints(int i) const;
  double relaxation_rate(double t0, double t1) const;
  bool relax_algebraic(int i, bool with_directions, PlacedNode& node) const;
  void relax_constraints(int i, bool with_directions, PlacedNode& node) const;

  const ShootingLayout& layout_;
  const FitOptions& options_;
};

}  // namespace parfait::estimate
