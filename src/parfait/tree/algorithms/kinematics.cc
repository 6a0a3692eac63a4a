#include "parfait/tree/algorithms/kinematics.h"

#include <algorithm>

#include "parfait/tree/structure/second_order_number.h"

namespace parfait::tree {

using math::Dual;

namespace {

/// The rotation of a quaternion of any length: R(s q) = R(q).
template <class S>
Mat3<S> rotation_of(const S* q) {
  const S &w = q[0], &x = q[1], &y = q[2], &z = q[3];
  const S s = S(2.0) / (w * w + x * x + y * y + z * z);
  const S sx = s * x, sy = s * y, sz = s * z;
  const S wx = sx * w, wy = sy * w, wz = sz * w;
  const S xx = sx * x, xy = sx * y, xz = sx * z;
  const S yy = sy * y, yz = sy * z, zz = sz * z;
  const S one(1.0);
  return {{one - (yy + zz), xy + wz, xz - wy},
          {xy - wz, one - (xx + zz), yz + wx},
          {xz + wy, yz - wx, one - (xx + yy)}};
}

template <class S>
Vec3<S> vector_at(const S* x) {
  return {x[0], x[1], x[2]};
}

}  // namespace

template <class S>
void resize(const Tree& tree, DrivenMotion<S>& driven) {
  if (tree.plain) return;
  driven.theta.assign(tree.ntheta, S(0.0));
  driven.w.assign(tree.nw, S(0.0));
  driven.wdot.assign(tree.nw, S(0.0));
  driven.tau.assign(tree.nw, S(0.0));
  driven.jets.assign(tree.nw, Jet<S>{S(0.0), S(1.0), S(0.0), S(0.0)});
}

std::size_t driven_scratch_size(const Tree& tree) {
  std::size_t size = 0;
  for (const Function& f : tree.functions) size = std::max(size, scratch_size(f));
  return size;
}

template <class S>
void drive_positions(const Tree& tree, const BoundConstants<S>& bound, const S* q,
                     DrivenMotion<S>& driven, double* scratch) {
  for (const Node& node : tree.nodes) {
    if (node.num_w == 0) continue;
    const Drive& drive = tree.drives[node.w];
    if (!drive.is_scalar) {
      const int count = node.kind == NodeKind::kBall ? 4 : 3;
      std::copy_n(q + drive.q, count, driven.theta.begin() + node.theta);
      continue;
    }
    Jet<S> jet{q[drive.q], S(1.0), S(0.0), S(0.0)};
    for (const int f : {drive.inner, drive.outer}) {
      if (f < 0) continue;
      jet = composed(evaluate(tree.functions[f], bound.functions[f], jet.f, scratch), jet);
    }
    driven.theta[node.theta] = jet.f;
    driven.jets[node.w] = jet;
  }
}

template <class S>
void drive_velocities(const Tree& tree, const S* v, DrivenMotion<S>& driven) {
  for (int k = 0; k < tree.nw; ++k) driven.w[k] = driven.jets[k].d1 * v[tree.drives[k].v];
}

template <class S>
void drive_accelerations(const Tree& tree, const S* v, const S* vdot, DrivenMotion<S>& driven) {
  for (int k = 0; k < tree.nw; ++k) {
    const int j = tree.drives[k].v;
    driven.wdot[k] = driven.jets[k].d2 * (v[j] * v[j]);
    if (vdot) driven.wdot[k] = driven.wdot[k] + driven.jets[k].d1 * vdot[j];
  }
}

template <class S>
void collect_forces(const Tree& tree, const DrivenMotion<S>& driven, S* tau) {
  std::fill(tau, tau + tree.nv, S(0.0));
  for (int k = 0; k < tree.nw; ++k) {
    S& sum = tau[tree.drives[k].v];
    sum = sum + driven.jets[k].d1 * driven.tau[k];
  }
}

template <class S>
void rates_of_positions(const Tree& tree, const S* q, const S* v, S* qdot) {
  const S half(0.5);
  for (const Node& node : tree.nodes) {
    if (node.num_w == 0) continue;
    const Drive& drive = tree.drives[node.w];
    if (node.kind == NodeKind::kBall) {
      const S *a = q + drive.q, *o = v + drive.v;
      S* out = qdot + drive.q;
      out[0] = half * (-(a[1] * o[0]) - a[2] * o[1] - a[3] * o[2]);
      out[1] = half * (a[0] * o[0] + a[2] * o[2] - a[3] * o[1]);
      out[2] = half * (a[0] * o[1] + a[3] * o[0] - a[1] * o[2]);
      out[3] = half * (a[0] * o[2] + a[1] * o[1] - a[2] * o[0]);
    } else {
      for (int k = 0; k < node.num_w; ++k) qdot[drive.q + k] = v[drive.v + k];
    }
  }
}

template <class S>
void place_nodes(const Tree& tree, const BoundConstants<S>& bound, const S* theta,
                 std::vector<NodeMotion<S>>& nodes) {
  const int n = tree.num_nodes();
  const Mat3<S> world = Mat3<S>::identity();
  const Vec3<S> origin{S(0.0), S(0.0), S(0.0)};
  for (int i = 0; i < n; ++i) {
    const Node& node = tree.nodes[i];
    NodeMotion<S>& at = nodes[i];
    const Transform<S>& X_PN = bound.nodes[i].X_PN;
    const bool on_ground = node.parent < 0;
    const Mat3<S>& R_P = on_ground ? world : nodes[node.parent].R;
    const Vec3<S>& p_P = on_ground ? origin : nodes[node.parent].p;
    const Mat3<S> R = on_ground ? X_PN.R : R_P * X_PN.R;
    at.r = on_ground ? X_PN.p : node.displaced ? R_P * X_PN.p : origin;
    switch (node.kind) {
      case NodeKind::kFixed:
        at.R = R;
        break;
      case NodeKind::kRevolute: {
        S s, c;
        sine_cosine(theta[node.theta], s, c);
        at.R = {c * R.x + s * R.y, c * R.y - s * R.x, R.z};
        break;
      }
      case NodeKind::kPrismatic:
        at.R = R;
        at.r += theta[node.theta] * R.z;
        break;
      case NodeKind::kDisplacement:
        at.R = R;
        at.r += R * vector_at(theta + node.theta);
        break;
      case NodeKind::kBall:
        at.R = R * rotation_of(theta + node.theta);
        break;
    }
    at.p = p_P + at.r;
  }
}

template <class S>
void turn_inertias(const Tree& tree, const BoundConstants<S>& bound,
                   std::vector<NodeMotion<S>>& nodes) {
  for (int i = 0; i < tree.num_nodes(); ++i) {
    if (tree.nodes[i].body < 0) continue;
    NodeMotion<S>& at = nodes[i];
    at.h = at.R * bound.nodes[i].I.h;
    at.I = rotated(at.R, bound.nodes[i].I.I);
  }
}

template <class S>
void move_nodes(const Tree& tree, const S* w, std::vector<NodeMotion<S>>& nodes) {
  const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
  for (int i = 0; i < tree.num_nodes(); ++i) {
    const Node& node = tree.nodes[i];
    NodeMotion<S>& at = nodes[i];
    const bool on_ground = node.parent < 0;
    const Vec3<S> omega = on_ground ? zero : nodes[node.parent].omega;
    at.omega = omega;
    at.v = on_ground ? zero : nodes[node.parent].v;
    at.c_omega = zero;
    at.c_v = zero;
    if (node.displaced && !on_ground) {
      const Vec3<S> u = cross(omega, at.r);
      at.v += u;
      at.c_v = cross(omega, u);
    }
    switch (node.kind) {
      case NodeKind::kFixed:
        break;
      case NodeKind::kRevolute:
      case NodeKind::kBall: {
        const Vec3<S> relative =
            node.kind == NodeKind::kRevolute ? w[node.w] * at.R.z : at.R * vector_at(w + node.w);
        at.omega += relative;
        if (!on_ground) at.c_omega = cross(omega, relative);
        break;
      }
      case NodeKind::kPrismatic:
      case NodeKind::kDisplacement: {
        const Vec3<S> relative =
            node.kind == NodeKind::kPrismatic ? w[node.w] * at.R.z : at.R * vector_at(w + node.w);
        at.v += relative;
        if (!on_ground) {
          const Vec3<S> half = cross(omega, relative);
          at.c_v += half + half;
        }
        break;
      }
    }
  }
}

template <class S>
void newton_euler(const Tree& tree, const BoundConstants<S>& bound,
                  const std::vector<NodeMotion<S>>& nodes, const S* wdot, const Vec3<S>& a0,
                  const Force<S>* wrenches, std::vector<NodeForces<S>>& forces, S* tau) {
  const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
  const int n = tree.num_nodes();
  // Ground to tips: accelerations, then the force that the motion of each body requires.
  for (int i = 0; i < n; ++i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<S>& at = nodes[i];
    NodeForces<S>& out = forces[i];
    const Vec3<S> alpha = node.parent < 0 ? zero : forces[node.parent].alpha;
    out.alpha = alpha + at.c_omega;
    out.a = (node.parent < 0 ? a0 : forces[node.parent].a) + at.c_v;
    if (node.displaced && node.parent >= 0) out.a += cross(alpha, at.r);
    if (wdot) {
      switch (node.kind) {
        case NodeKind::kFixed:
          break;
        case NodeKind::kRevolute:
          out.alpha += wdot[node.w] * at.R.z;
          break;
        case NodeKind::kBall:
          out.alpha += at.R * vector_at(wdot + node.w);
          break;
        case NodeKind::kPrismatic:
          out.a += wdot[node.w] * at.R.z;
          break;
        case NodeKind::kDisplacement:
          out.a += at.R * vector_at(wdot + node.w);
          break;
      }
    }
    if (node.body < 0) {
      out.n = out.f = zero;
      continue;
    }
    // f = m a + alpha x h + omega x (omega x h),   n = I alpha + omega x I omega + h x a     (T12)
    out.f = bound.nodes[i].I.m * out.a + cross(out.alpha, at.h) +
            cross(at.omega, cross(at.omega, at.h));
    out.n = at.I * out.alpha + cross(at.omega, at.I * at.omega) + cross(at.h, out.a);
    if (wrenches) {
      const Force<S> outer = about_node(bound, nodes, node.body, i, wrenches[node.body]);
      out.f -= outer.f;
      out.n -= outer.n;
    }
  }
  // Tips to ground: what each joint transmits, and its component along the joint's motion.
  for (int i = n - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<S>& at = nodes[i];
    const NodeForces<S>& out = forces[i];
    switch (node.kind) {
      case NodeKind::kFixed:
        break;
      case NodeKind::kRevolute:
        tau[node.w] = dot(at.R.z, out.n);
        break;
      case NodeKind::kPrismatic:
        tau[node.w] = dot(at.R.z, out.f);
        break;
      case NodeKind::kBall:
      case NodeKind::kDisplacement: {
        const Vec3<S> local = transposed_times(at.R, node.kind == NodeKind::kBall ? out.n : out.f);
        tau[node.w] = local.x;
        tau[node.w + 1] = local.y;
        tau[node.w + 2] = local.z;
        break;
      }
    }
    if (node.parent < 0) continue;
    NodeForces<S>& parent = forces[node.parent];
    parent.f += out.f;
    parent.n += node.displaced ? out.n + cross(at.r, out.f) : out.n;
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): S is a type
#define PARFAIT_TREE_KINEMATICS(S)                                                                 \
  template void resize(const Tree&, DrivenMotion<S>&);                                             \
  template void drive_positions(const Tree&, const BoundConstants<S>&, const S*, DrivenMotion<S>&, \
                                double*);                                                          \
  template void drive_velocities(const Tree&, const S*, DrivenMotion<S>&);                         \
  template void drive_accelerations(const Tree&, const S*, const S*, DrivenMotion<S>&);            \
  template void collect_forces(const Tree&, const DrivenMotion<S>&, S*);                           \
  template void rates_of_positions(const Tree&, const S*, const S*, S*);                           \
  template void place_nodes(const Tree&, const BoundConstants<S>&, const S*,                       \
                            std::vector<NodeMotion<S>>&);                                          \
  template void turn_inertias(const Tree&, const BoundConstants<S>&, std::vector<NodeMotion<S>>&); \
  template void move_nodes(const Tree&, const S*, std::vector<NodeMotion<S>>&);                    \
  template void newton_euler(const Tree&, const BoundConstants<S>&,                                \
                             const std::vector<NodeMotion<S>>&, const S*, const Vec3<S>&,          \
                             const Force<S>*, std::vector<NodeForces<S>>&, S*);
// NOLINTEND(bugprone-macro-parentheses)
PARFAIT_TREE_KINEMATICS(double)
PARFAIT_TREE_KINEMATICS(Dual)
#undef PARFAIT_TREE_KINEMATICS

// Where trees are plain, also for second derivatives (second_derivatives.h).
template void place_nodes(const Tree&, const BoundConstants<SecondOrderNumber>&,
                          const SecondOrderNumber*, std::vector<NodeMotion<SecondOrderNumber>>&);
template void turn_inertias(const Tree&, const BoundConstants<SecondOrderNumber>&,
                            std::vector<NodeMotion<SecondOrderNumber>>&);
template void move_nodes(const Tree&, const SecondOrderNumber*,
                         std::vector<NodeMotion<SecondOrderNumber>>&);
template void newton_euler(const Tree&, const BoundConstants<SecondOrderNumber>&,
                           const std::vector<NodeMotion<SecondOrderNumber>>&,
                           const SecondOrderNumber*, const Vec3<SecondOrderNumber>&,
                           const Force<SecondOrderNumber>*,
                           std::vector<NodeForces<SecondOrderNumber>>&, SecondOrderNumber*);

}  // namespace parfait::tree
