#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parfait/math/directions.h"

/// What every dynamic system offers to integrators, estimators and reports.
///
///   y = (q, v, e)              differential state: coordinates, velocities, external states
///   y' = f(t, y, z, u, p)      with parameters p, algebraic states z and inputs u
///   0  = h(t, y, z, u, p)      algebraic equations of a DAE of index 1; none for ODEs and mechanics
///   g_pos(t, q, p)    = 0,
///   g_vel(t, q, v, p) = 0      invariants, which the exact solution keeps and projection restores
///
/// A System is immutable and shared between threads; everything that changes lives in a Workspace
/// owned by the caller. Every value comes with its exact directional derivatives, k at a time.
///
/// Laws (checked for every system by testing/system_laws.h)
///   directions() is the derivative of evaluate() at the point of the last evaluate(), on and off
///   the manifold; invariant_directions() that of invariants(); project() leaves |g| <= tolerance
///   and is idempotent; project_directions() is the derivative of project() at the point of the
///   last project().
///   A pull-back is the transpose: <seed, directions along d> = <pulled back seed, d> for every d.
/// At a singular position, where the rank of the invariants drops for an instant, project() may
/// leave more of those that no correction reaches: ProjectionReport::residual tells how much.
namespace parfait::dynamics {

using math::Directions;
using Vec = std::span<double>;
using ConstVec = std::span<const double>;

struct Sizes {
  int nq = 0;            ///< coordinates (positions)
  int nv = 0;            ///< velocities; natural coordinates have nv = nq
  int ne = 0;            ///< external (first-order) states; an ODE has only these
  int nz = 0;            ///< algebraic states
  int nu = 0;            ///< inputs: what acts from outside, chosen anew at every point
  int np = 0;            ///< parameters
  int num_pos = 0;       ///< position-level invariants
  int num_vel = 0;       ///< velocity-level invariants
  int num_switches = 0;  ///< switching functions
  int ny() const { return nq + nv + ne; }
};

/// Failed computations are statuses, not exceptions: they are expected.
enum class Status : std::uint8_t {
  kOk,
  kNotFinite,         ///< a NaN or an infinity appeared
  kSingular,          ///< the augmented system (or dh/dz) is singular at this point
  kProjectionFailed,  ///< the projection did not reach its tolerance
  kImpossible,        ///< the bound parameters describe no system: a mass is negative
};
const char* text(Status status);

/// The discrete mode: one entry per switching function, its sign (+1 or -1) while this mode lasts.
/// Empty: every branch is decided by its own values.
using Mode = std::span<const std::int8_t>;

/// (phi, phi', phi'') added to the invariants: g_pos - phi = 0, g_vel - phi' = 0, and +phi'' on the
/// acceleration right-hand side: for relaxation and drift of systems of any kind. Empty means 0.
struct Offset {
  ConstVec phi, dphi, ddphi;
};

struct Point {
  double t = 0;     ///< time
  ConstVec y;       ///< state (q, v, e)
  ConstVec z;       ///< algebraic states
  ConstVec u = {};  ///< inputs; empty: all zero
  Mode mode;
  Offset offset;
};

/// Directions that go with a Point; null or empty means zero.
struct PointDirections {
  ConstVec dt;  ///< one per direction, or empty
  const Directions* dy = nullptr;
  const Directions* dz = nullptr;
  const Directions* du = nullptr;
  const Directions* dphi = nullptr;  ///< of (phi | phi' | phi''), stacked
};

/// Where pull-backs add the adjoints of t, y, z and u; an empty z or u is not asked for.
struct Pulled {
  double t = 0;
  Vec y, z;
  Vec u = {};
};

/// The norm in which project() moves as little as possible (Kraus 2006, sections 8.5.2 to 8.5.4).
enum class Norm : std::uint8_t {
  kMass,       ///< positions then velocities, each nearest in the mass norm
  kEuclidean,  ///< positions and velocities together, nearest in the 2-norm
  kPartition,  ///< independent coordinates stay, dependent ones follow
};

struct ProjectionReport {
  Status status = Status::kOk;
  int iterations = 0;
  double distance_q = 0;  ///< how far q moved, in the norm used
  double distance_v = 0;
  double residual = 0;  ///< largest |g| afterwards
};

struct ParameterInfo {
  std::string id;
  double initial = 0;
  double lower, upper;  ///< -inf, +inf if unbounded
  double scale = 1;
};

/// What a switching function stands for. While the integration goes on, its sign is the mode.
struct SwitchInfo {
  /// Which passages through zero make the state jump; a passage always changes the mode.
  enum class Jump : std::uint8_t { kNever, kFalling, kRising, kBoth };
  std::string name;  ///< for messages and tables of events: an id, or the formula
  Jump jump = Jump::kNever;
  bool terminal = false;  ///< a passage that jumps ends the integration (after the jump)
  /// s = t - T(p): the time T is -s at t = 0, exactly, and steps end there.
  bool time_only = false;
};

class SecondOrder;  // second_order.h

class Workspace {
 public:
  virtual ~Workspace() = default;
  /// Adjoints of the parameters that pull-backs by directions have added up (np, or empty).
  std::vector<double> parameter_adjoint;
};

class System {
 public:
  virtual ~System() = default;

  virtual const Sizes& sizes() const = 0;
  virtual const std::vector<ParameterInfo>& parameters() const = 0;
  virtual std::vector<std::string> state_names() const = 0;
  virtual std::vector<double> initial_state() const = 0;

  /// Room for at most `max_directions` directions; nothing is allocated after this.
  virtual std::unique_ptr<Workspace> make_workspace(int max_directions) const = 0;

  /// A workspace of its own, bound to the parameters of `ws` but to no directions of them.
  virtual std::unique_ptr<Workspace> make_bound_copy(const Workspace& ws,
                                                     int max_directions) const = 0;

  /// Sets the parameters (np values), and the directions of the parameters (np x k).
  virtual void bind(Workspace& ws, ConstVec p) const = 0;
  virtual void bind_directions(Workspace& ws, const Directions& dp) const = 0;

  /// The initial y and z at the parameters bound, and their directions. Mechanics: as described,
  /// the caller projects. z is a guess where the algebraic equations must determine it.
  virtual void start(Workspace& ws, Vec y, Vec z) const;
  virtual void start_directions(Workspace& ws, Directions& dy) const;

  /// y' at a point; for nz > 0 also the residual h.
  virtual Status evaluate(Workspace& ws, const Point& at, Vec dydt, Vec residual) const = 0;
  /// Directions of y' (ny x k) and of h (nz x k, if nz > 0) at the point of the last evaluate().
  virtual void directions(Workspace& ws, const PointDirections& d, Directions& ddydt,
                          Directions* dresidual) const = 0;

  /// g_pos (num_pos), then g_vel (num_vel).
  virtual void invariants(Workspace& ws, double t, ConstVec y, Vec g) const = 0;
  /// Their directions (num_pos + num_vel x k) at (t, y), with those of the parameters bound.
  virtual void invariant_directions(Workspace& ws, double t, ConstVec y, const PointDirections& d,
                                    Directions& dg) const;
  /// Of each velocity invariant the position invariant whose rate it is; -1: of none.
  virtual std::vector<int> position_rows() const;
  virtual ProjectionReport project(Workspace& ws, double t, Vec y, Norm norm,
                                   double tolerance) const = 0;
  virtual Status project_directions(Workspace& ws, Directions& dy) const = 0;

  /// Quantities by name ("Load.com.x", a state, or a formula of such), compiled once; InputError
  /// with a suggestion for an unknown name.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual int size() const = 0;
    /// Whether a quantity needs y' (accelerations, reactions) besides y.
    virtual bool needs_rates() const = 0;
    /// Whether quantity i is an angle in (-pi, pi], known up to whole turns.
    virtual bool is_angle(int /*i*/) const { return false; }
  };
  virtual std::unique_ptr<Observer> make_observer(
      std::span<const std::string> quantities) const = 0;
  /// Values at a point; evaluates the right-hand side only if needs_rates().
  virtual Status observe(Workspace& ws, const Observer& observer, const Point& at,
                         Vec values) const = 0;
  /// Directions of the values (size x k) at the point of the last observe().
  virtual void observe_directions(Workspace& ws, const Observer& observer, const PointDirections& d,
                                  Directions& dvalues) const = 0;

  /// Times at which the right-hand side is not smooth (knots of input tables), ascending.
  virtual std::vector<double> time_breaks() const { return {}; }

  /// One entry per switching function.
  virtual std::vector<SwitchInfo> switch_infos() const { return {}; }
  /// The switching values (num_switches) at a point, smooth continuations in the branches of
  /// at.mode; the right-hand side is not needed.
  virtual Status switches(Workspace& ws, const Point& at, Vec s) const;
  /// Their directions at the point of the last switches().
  virtual void switch_directions(Workspace& ws, const PointDirections& d, Directions& ds) const;

  /// The state after switching function `which` passed zero at `before`, on the manifold. Called
  /// only where switch_infos() says that the state jumps.
  virtual Status jump(Workspace& ws, int which, const Point& before, Vec after) const;
  /// Its directions at the point of the last jump().
  virtual void jump_directions(Workspace& ws, const PointDirections& d, Directions& dafter) const;

  /// Adjoints. Given the adjoint ("seed") of a result, a pull-back adds those of what the result
  /// was computed from: of t, y, z and u to `to`, of the parameters to sums in the workspace, from
  /// which add_parameter_gradient() makes the gradient once for all. Each stands for the
  /// directions of the same name, at the point of the last call of the function itself.
  ///
  /// Without pull-backs of its own a system has these, made of its directions along every t, y,
  /// z, u and p: exact, at a price that grows with the number of states and parameters. Such a
  /// workspace needs room for math::kLanes directions and loses those of the parameters that were
  /// bound.
  virtual bool has_pull_backs() const { return false; }
  virtual void clear_parameter_adjoint(Workspace& ws) const;
  virtual void add_parameter_gradient(Workspace& ws, Vec gradient) const;
  /// From one workspace, which is clear afterwards, to another with the same parameters.
  virtual void move_parameter_adjoint(Workspace& from, Workspace& to) const;
  virtual void pull_back(Workspace& ws, ConstVec dydt, ConstVec residual, Pulled& to) const;
  /// In place: from the adjoint of the projected state to that of the state given.
  virtual Status pull_back_projection(Workspace& ws, Vec y) const;
  virtual void pull_back_observation(Workspace& ws, const Observer& observer, ConstVec values,
                                     Pulled& to) const;
  virtual void pull_back_switches(Workspace& ws, ConstVec s, Pulled& to) const;
  virtual void pull_back_jump(Workspace& ws, ConstVec after, Pulled& to) const;
  /// Of start(): parameters only.
  virtual void pull_back_start(Workspace& ws, ConstVec y) const;

  /// M, G and f of a mechanical system, for methods that need them; null: there are none.
  virtual const SecondOrder* second_order() const { return nullptr; }
};

}  // namespace parfait::dynamics
