#include "parfait/tree/structure/bound_constants.h"

#include <cmath>

namespace parfait::tree {

using math::Dual;

namespace {

/// A rotation whose third column is along the axis. Which one does not matter: A(u) R_z(theta)
/// A(u)^T is the rotation by theta about u whatever the other columns are.
template <class S>
Mat3<S> aligned(const Vec3<S>& axis) {
  using std::sqrt;
  const Vec3<S> z = (S(1.0) / sqrt(dot(axis, axis))) * axis;
  const double x = std::abs(math::value_of(z.x)), y = std::abs(math::value_of(z.y)),
               w = std::abs(math::value_of(z.z));
  Vec3<S> least{S(0.0), S(0.0), S(0.0)};
  (x <= y && x <= w ? least.x : y <= w ? least.y : least.z) = S(1.0);
  const Vec3<S> off = least - dot(least, z) * z;
  const Vec3<S> first = (S(1.0) / sqrt(dot(off, off))) * off;
  return {first, cross(z, first), z};
}

Vec3<Dual> lifted(const Vec3<double>& a) {
  return {Dual(a.x), Dual(a.y), Dual(a.z)};
}
Mat3<Dual> lifted(const Mat3<double>& R) {
  return {lifted(R.x), lifted(R.y), lifted(R.z)};
}

}  // namespace

template <class S>
void derive(const Tree& tree, const Constants<S>& constants, BoundConstants<S>& out) {
  out.nodes.resize(tree.nodes.size());
  out.X_NB.resize(tree.bodies.size());
  out.functions.resize(tree.functions.size());
  out.gravity = constants.gravity;
  for (std::size_t i = 0; i < tree.functions.size(); ++i) {
    prepare(tree.functions[i], constants.functions[i].data(), out.functions[i]);
  }
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    const BodyInfo& body = tree.bodies[b];
    const BodyConstants<S>& c = constants.bodies[b];
    Transform<S> before = c.X_PJ;  // from the frame of the node before to the next step
    if (body.parent >= 0) before = out.X_NB[body.parent] * before;
    for (int i = body.first_node; i <= body.node; ++i) {
      const NodeKind kind = tree.nodes[i].kind;
      const bool has_axis = kind == NodeKind::kRevolute || kind == NodeKind::kPrismatic;
      Transform<S> A;
      if (has_axis) A.R = aligned(c.axes[i - body.first_node]);
      out.nodes[i].X_PN = before * A;
      out.nodes[i].I = {};
      before = inverse(A);
    }
    out.X_NB[b] = before * inverse(c.X_BJ);
    out.nodes[body.node].I =
        in_parent(out.X_NB[b], inertia_about_origin(c.mass, c.center, c.Theta));
  }
}

Constants<Dual> without_directions(const Constants<double>& constants) {
  Constants<Dual> out;
  out.gravity = lifted(constants.gravity);
  for (const auto& numbers : constants.functions) {
    out.functions.emplace_back(numbers.begin(), numbers.end());
  }
  for (const BodyConstants<double>& body : constants.bodies) {
    const Sym3<double>& T = body.Theta;
    BodyConstants<Dual> b;
    b.X_PJ = {lifted(body.X_PJ.R), lifted(body.X_PJ.p)};
    b.X_BJ = {lifted(body.X_BJ.R), lifted(body.X_BJ.p)};
    b.mass = body.mass;
    b.center = lifted(body.center);
    b.Theta = {Dual(T.xx), Dual(T.yy), Dual(T.zz), Dual(T.xy), Dual(T.xz), Dual(T.yz)};
    for (const auto& axis : body.axes) b.axes.push_back(lifted(axis));
    out.bodies.push_back(b);
  }
  return out;
}

template void derive(const Tree&, const Constants<double>&, BoundConstants<double>&);
template void derive(const Tree&, const Constants<Dual>&, BoundConstants<Dual>&);

}  // namespace parfait::tree
