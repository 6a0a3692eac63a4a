#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "parfait/motion/skeleton/marker_kinematics.h"

namespace parfait::motion {

enum class PoseMethod : std::uint8_t {
  kGaussNewton,  ///< full steps within the limits, Newton's near the minimum; damped only where a
                 ///< step does not descend
  kDamped,  ///< (J^T W J + (r^T W r / 2 + lambda) 1) dq = -J^T W r, no limits (Felis 2015, 4.4.3;
            ///< Sugihara 2011), for comparison
};

struct PoseOptions {
  PoseMethod method = PoseMethod::kGaussNewton;
  bool limits = true;
  double tolerance = 1e-8;  ///< on the largest change of a coordinate, rad or m
  int max_iterations = 200;
  double damping = 1e-3;  ///< lambda of kDamped
  /// A pivot that much smaller than its diagonal belongs to a coordinate that is not seen. By
  /// default it is known 300 times worse than if it were the only one: by radians.
  double unseen = 1e-5;
  /// Goals of coordinates, weight (q - value)^2 added to the objective; one per velocity, or none.
  struct Goal {
    double weight = 0, value = 0;
  };
  std::vector<Goal> goals{};
  /// Looked at before each frame of a trial: true ends the work, whose result is worth nothing
  /// then.
  const std::atomic<bool>* stop = nullptr;
  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

enum class CoordinateState : std::uint8_t {
  kFree,
  kAtLower,
  kAtUpper,
  kLocked,
  kUnseen,  ///< no visible marker tells it from the others; it keeps the value it had
};

/// One frame.
struct FramePose {
  std::vector<double> q;
  double objective = 0;  ///< sum of weight |model - measured|^2, m^2, and goals of coordinates
  int num_visible = 0;   ///< markers
  int iterations = 0;
  bool converged = false;
  std::vector<CoordinateState> states;  ///< one per coordinate
  int num_free() const;
};

/// The pose that fits measured markers best:
///
///   min over q   sum_m w_m |x_m(q) - y_m|^2,      lower <= q <= upper,
///
/// by Gauss-Newton steps, each the exact minimum of its quadratic model within the limits (active
/// set). Missing markers (NaN) and those of weight 0 do not count. Near the minimum the model has
/// the curvature of the markers' paths as well (Newton), as long as it is convex: where few markers
/// fit badly, Gauss-Newton would creep or go round in circles.
///
/// Assembly  J^T W J never sees a Jacobian. A motion s = (omega, u) displaces the markers of a
///           subtree by u + omega x x_m, so that entries of J^T W J are s_i^T G s_j with G the
///           moments (sum w, sum w x, sum w x x^T) of the subtree, as composite inertias make a
///           mass matrix. Curvature: with c_j = u_j + omega_j x x what j does to a marker, r what is
///           left of it and i a turn that carries j,
///
///             sum w r . d2x/dq_i dq_j = omega_i . sum w (c_j x r)
///                                     = omega_i . (u_j x F + T omega_j - tr(T) omega_j),
///
///           F = sum w r, T = sum w x r^T of the subtree; a displacement that carries j adds
///           nothing, turns of one ball take the mean of both orders.
/// Unseen    Coordinates whose pivot vanishes beside the diagonal keep their value and are told;
///           those that could move along with them have no standard deviation.
/// Limits    A root coordinate that may make a whole turn is not limited.
/// Cost      O(markers + coordinates x depth + coordinates^3 / 6) per iteration; no allocation.
class PoseSolver {
 public:
  PoseSolver(const Skeleton& skeleton, const MarkerPlan& plan, const PoseOptions& options);

  void bind(const BoundGeometry& geometry) { kinematics_.bind(geometry); }

  /// From pose.q, which is brought into the limits first. `measured`: 3 per marker of the skeleton;
  /// `weights`: one per marker. Only coordinates with `movable` move; empty: all that are not
  /// locked.
  void solve(std::span<const double> measured, std::span<const double> weights, FramePose& pose,
             std::span<const char> movable = {});

  /// From anywhere: the root is turned in every direction first, then the best of them are solved.
  void solve_from_afar(std::span<const double> measured, std::span<const double> weights,
                       FramePose& pose);

  /// Diagonal of (J^T W J)^-1 of the free coordinates at the pose of the last solve(); NaN for
  /// others, and for those that are
  /// found only together with an unseen one.
  void inverse_diagonal(std::span<double> out) const;

  /// Brings the solver back to a pose that solve() found.
  void stand_at(std::span<const double> measured, std::span<const double> weights, FramePose& pose);
  /// Of the pose of the last solve() or stand_at(), with H = J^T W J of the free coordinates:
  ///
  ///   leverages[m] = w_m trace(J_m H^-1 J_m^T)        of marker m; NaN: it is missing
  ///   variances[v] = sum_m w_m u_m |row v of H^-1 J_m^T|^2
  ///
  /// the variance of a coordinate where the errors of marker m have the variance u_m / w_m; NaN as
  /// in inverse_diagonal(). `units` are the u_m; empty: no variances are wanted.
  void spread(std::span<const double> measured, std::span<const double> weights,
              std::span<const double> units, std::span<double> leverages,
              std::span<double> variances);

  const std::vector<Vec3<double>>& positions() const { return kinematics_.positions(); }
  MarkerKinematics& kinematics() { return kinematics_; }
  /// U of J^T W J = U^T U for the coordinates free_coordinates() of the last solve(), row by row.
  const std::vector<double>& factor() const { return U_; }
  const std::vector<int>& free_coordinates() const { return free_; }
  /// Brings kinematics, factor() and free_coordinates() to the given pose, with the coordinates
  /// free that are free in it.
  void factorize_at(std::span<const double> measured, std::span<const double> weights,
                    FramePose& pose);
  bool is_limited(int coordinate) const {
    return limited_[static_cast<std::size_t>(coordinate)] != 0;
  }

 private:
  struct Moments {
    double w = 0;
    Vec3<double> h{};        ///< sum w x
    tree::Sym3<double> X{};  ///< sum w x x^T
    Vec3<double> F{};        ///< sum w r
    Vec3<double> T[3]{};     ///< rows of sum w x r^T

    Vec3<double> moment() const {  ///< sum w x cross r
      return {T[1].z - T[2].y, T[2].x - T[0].z, T[0].y - T[1].x};
    }
    double trace() const { return T[0].x + T[1].y + T[2].z; }
  };
  struct Ancestor {
    int motion;
    int v;
  };

  double place(std::span<const double> measured, std::span<const double> weights,
               const std::vector<double>& q);
  void assemble(bool with_curvature = false);
  /// Minimizes d^T H d / 2 + g^T d with lambda diag(H) added, within [low_, high_]; false: it does
  /// not settle, or, with H of Newton, is not convex.
  bool minimize_in_box(double lambda, FramePose& pose, bool with_curvature = false);
  /// Newton's step into d_, with the coordinates that Gauss-Newton saw; false: there is none, and
  /// the states of the pose are as before.
  bool find_newton_step(FramePose& pose);
  void factorize(double lambda, FramePose& pose);
  bool factorize_convex(FramePose& pose);
  void find_tied(int a);         ///< what the coordinate without a pivot could make up for
  int eliminate(double lambda);  ///< U_ of free_; the first without a pivot, -1: none
  void into_limits(std::vector<double>& q) const;

  const Skeleton& skeleton_;
  const MarkerPlan& plan_;
  PoseOptions options_;
  MarkerKinematics kinematics_;
  std::vector<char> limited_;
  int n_ = 0;

  // Motions of all bodies in a row, with those that carry them.
  struct OwnMotion {
    int node, w, v, axis;
    bool turns;
  };
  std::vector<OwnMotion> motions_;
  std::vector<int> first_motion_;            ///< of each body, and the end
  std::vector<std::vector<int>> ancestors_;  ///< motions of the bodies that carry a body

  // Of the last point.
  Vec3<double> origin_{};
  int num_visible_ = 0;
  std::vector<Moments> moments_;
  std::vector<tree::Motion<double>> twists_;
  std::vector<double> H_, g_;      ///< upper triangle, row by row
  std::vector<double> K_;          ///< likewise, what curvature adds to H
  std::vector<double> from_goal_;  ///< q - value; empty: no goals

  // Of the quadratic problem.
  std::vector<double> U_, d_, target_, low_, high_;
  std::vector<int> free_;  ///< coordinates in the factor, in order
  std::vector<char> movable_;
  std::vector<char> tied_;               ///< found, but only together with one that is not seen
  std::vector<CoordinateState> states_;  ///< before Newton's step
  std::vector<double> trial_;
  std::vector<double> inverse_, row_;  ///< H^-1 of the free coordinates; a row of H^-1 J^T
  std::vector<int> slot_;              ///< of a coordinate among the free ones; -1: not free
};

}  // namespace parfait::motion
