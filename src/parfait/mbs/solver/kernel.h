#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "parfait/math/lanes.h"
#include "parfait/mbs/solver/block_solver.h"
#include "parfait/mbs/solver/elimination.h"
#include "parfait/mbs/solver/mechanism_names.h"
#include "parfait/mbs/solver/simd.h"

/// Data of the O(n) solver: what is constant, what depends on the parameters, what on the state.
///
/// Every body is kept in canonical coordinates: origin o and axes X = (e1 e2 e3) whose rigid-body
/// constraints are X^T X = I; other coordinate choices are a constant linear map away
/// (coordinates.h). The equations of a body with mass m, centre of mass r_c = o + X c and second
/// moment J about it are (docs/theory/solver.md, S1-S4)
///
///   m a_c + F = f                          F, T: wrench of the joints about r_c
///   sum_i e_i x (X'' J)_i + T = tau
///   sym(X^T X'') = S,  S = -X'^T X'        on and off the manifold
///
/// so X'' = Y S + alpha x X with Y = X^-T: nothing assumes X to be orthonormal.
namespace parfait::mbs {

/// Vectors aligned for whole registers.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  bool operator==(const AlignedAllocator&) const { return true; }
};
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// A row of a joint; axes are indices into the joint's lists of distinct local vectors.
struct RowShape {
  RowKind kind = RowKind::kB0x;
  int a_axis = 0, b_axis = 0;
  bool is_velocity() const { return kind >= RowKind::kV0x; }
};

/// DDX rows of a joint that have one axis in common, on `side`; the partners are on the other side.
struct AxisGroup {
  int side = 0, axis = 0;
  int num_rows = 0;
  std::array<int, 3> rows{};
};

/// The part of a joint that never changes. Body index num_bodies means the ground.
struct JointShape {
  int body[2] = {0, 0};
  int nrows = 0;
  bool ball = false;  ///< rows 0, 1, 2 are B0_x, B0_y, B0_z
  bool fast = false;  ///< ball, and all other rows are DDX: the vectorized path
  /// The common fast joints have code of their own, with all loops unrolled.
  enum class Pattern { kOther, kSpherical, kRevolute, kRevolute2, kUniversal } pattern = {};
  std::array<int, 2> num_axes{0, 0};
  std::array<RowShape, 6> rows{};
  int num_groups = 0;
  std::array<AxisGroup, 3> groups{};  ///< fast joints: all DDX rows
  int first_row = 0;                  ///< in the vector of multipliers, which is also that of g_vel
  int first_pos_row = 0;              ///< in g_pos; velocity rows have none
};

/// A body that gave up some of its rigid-body constraints, in the order xx yy zz xy xz yz.
struct ReleasedShape {
  int body = 0;
  int count = 0;
  /// The symmetric change of X^T X that each of them allows (xx yy zz xy xz yz); in a general frame
  /// X = R S a released entry of X^T X frees S^-T E S^-1 of R^T R.
  std::array<std::array<double, 6>, 6> E{};
};

/// One of the joints of a body.
struct JointSide {
  int joint = 0, side = 0;
};

/// The order in which directions visit joints and bodies (direction_step.h): a joint is opened
/// before its bodies are freed and closed when both are, as soon as possible, so that what one step
/// has written is still at hand for the next.
struct DirectionVisit {
  enum class Kind { kOpenJoint, kFreeBody, kFreeReleased, kCloseJoint } kind = {};
  int index = 0;
};

struct Structure {
  int num_bodies = 0;
  std::vector<JointShape> joints;
  std::vector<int> nrows;
  EliminationPlan plan;
  std::vector<JointSide> joint_sides;  ///< by body
  std::vector<int> first_side;         ///< per body, and the end
  std::vector<DirectionVisit> visits;
  std::vector<ReleasedShape> released;
  std::vector<int> released_index;           ///< per body, index into `released` or -1; ground: -1
  std::vector<std::array<int, 6>> body_row;  ///< per body: row in g_pos and g_vel, -1 if released
  int num_rows = 0;                          ///< joint rows: multipliers
  int num_pos = 0, num_vel = 0;
  bool has_slow_joints = false;
  bool has_quadratic_rates = false;  ///< VVX rows: the only ones not linear in the velocities

  int num_quads() const { return (num_bodies + 3) / 4; }
  std::span<const JointSide> joints_of(int body) const {
    return {joint_sides.data() + first_side[body], joint_sides.data() + first_side[body + 1]};
  }
};

/// Mass, centre and second moment of four bodies (J: xx yy zz xy xz yz).
struct alignas(32) InertiaQuad {
  V4 m, inverse_m, c[3], J[6];
};

/// Local geometry of a joint or force relative to the centres of mass of its bodies (0 begin, 1
/// end): points rho = r - c and axes.
struct alignas(32) Geometry {
  double rho[2][4] = {};
  double axis[2][3][4] = {};
};

/// All constants the kernel needs, at the present parameters.
struct KernelConstants {
  AlignedVector<InertiaQuad> inertia;
  AlignedVector<Geometry> geometry;  ///< joints first, then forces, then markers

  double mass(int body) const { return inertia[body / 4].m[body % 4]; }
  double inverse_mass(int body) const { return inertia[body / 4].inverse_m[body % 4]; }
  std::array<double, 3> center(int body) const {
    const auto& q = inertia[body / 4];
    return {q.c[0][body % 4], q.c[1][body % 4], q.c[2][body % 4]};
  }
  double J(int body, int entry) const { return inertia[body / 4].J[entry][body % 4]; }
  void set_inertia(int body, double m, const double* c, const double* J);
};

/// What joints, forces and observers read of a body; one more stands for the ground.
struct alignas(32) BodyFrame {
  V4 X[3];    ///< axes, world (lane 3 is zero)
  V4 Xd[3];   ///< their rates
  V4 rc, vc;  ///< centre of mass and its velocity
  V4 Xdd[3];  ///< second derivative: of the free body; after finalize_frames() of the held one
  V4 ac;
  double Z[8] = {};  ///< Z = L^-T, Theta_w = L L^T: z00 z01 z11 z02 z12 z22, then 1/m
};

/// The body step's memory of four bodies, read again after the joints are solved.
struct alignas(32) BodyQuad {
  V4 X[9];  ///< X[3 i + k]: component k of axis i
  V4 Y[9];  ///< X^-T likewise
  V4 XJ[9];
  V4 Z[6];      ///< as in BodyFrame
  V4 tau_S[3];  ///< torque that the motion Y S needs
  V4 Xdd[9];    ///< Y S, then the second derivative of X
  V4 ac[3];
};

/// Whitened Jacobian of a joint, column by column: E[side][c][row], signs included.
struct alignas(32) JointRows {
  double E[2][3][8] = {};  ///< rotation
  double N[3][8] = {};     ///< translation, side a; side b is its negative
  V4 rho[2] = {};          ///< Xrho, world
  V4 axis[2][3] = {};      ///< X u, world
  V4 n[3] = {};            ///< DDX rows of a fast joint: u x w
};

/// Extra columns of a released body: directions Q_c in which its axes may move besides rotating.
struct alignas(32) ReleasedBasis {
  V4 Q[6][3] = {};
};

/// One block of K to assemble, with all addresses worked out: looking them up would cost as much as
/// the arithmetic.
struct AssemblyOp {
  const double (*Ep)[8];
  const double (*Ej)[8];
  const double*
      inverse_m[2];  ///< w = sign (inverse_m[0] + inverse_m[1]), where both joints are fast
  double sign;
  double* out;
  double* diagonal;  ///< of a diagonal block

  double ball() const { return sign * (*inverse_m[0] + *inverse_m[1]); }
};

/// Blocks of one size and kind in a row; `kernel` is a function of joint_step.cc made for them.
struct AssemblyRun {
  using Kernel = void (*)(const AssemblyOp* ops, int count);
  Kernel kernel;
  int first, count;
};

/// Joints of one kind in a row, likewise.
struct JointRun {
  using Kernel = void (*)(const JointShape* shapes, const Geometry* g, const BodyFrame* frames,
                          int count, JointRows* rows, double* residual);
  Kernel kernel;
  int first, count;
};

struct KernelState {
  AlignedVector<BodyFrame> frames;
  AlignedVector<BodyQuad> quads;
  AlignedVector<V4> force, torque;  ///< applied wrench about the centre of mass, per body
  AlignedVector<std::array<V4, 3>> axis_force;  ///< released bodies: forces F_X on the axes
  AlignedVector<ReleasedBasis> released;
  AlignedVector<JointRows> rows;
  AlignedVector<double> multiplier;  ///< 8 per joint: G a_free - gamma, after the solve lambda
  AlignedVector<std::array<double, 96>> released_columns;  ///< per joint: E[side][c < 6][8]
  std::vector<double> offset_acc;                          ///< r'' + phi'' of every joint row
  bool has_offset = false;                                 ///< whether any of them is not zero
  std::vector<double> metric_offset;  ///< per body: 6 entries added to S; empty: none
  BlockFactors factors;
  std::vector<JointRun> joint_runs;
  std::vector<AssemblyOp> assembly;
  std::vector<AssemblyRun> assembly_runs;

  explicit KernelState(const Structure& s);
  KernelState(const KernelState&) = delete;  // `assembly` points into it
  KernelState& operator=(const KernelState&) = delete;
};

}  // namespace parfait::mbs
