#pragma once

#include <array>
#include <functional>
#include <vector>

#include "parfait/tree/algorithms/test_trees.h"
#include "testing/dual.h"

/// Euler and Lagrange for any tree, from the positions of its bodies alone:
///
///   tau = d/dt dL/dv - dL/dq
///
/// with L = T - V, velocities and all derivatives by nested dual numbers. It shares the description
/// of joints with the room and nothing else: motions are composed of Rodrigues rotations and
/// translations, quaternions are varied by the exponential map (for which the rate of the angular
/// velocity is the second derivative of the rotation vector at zero).
namespace parfait::tree {

template <class S>
using Column = testing_support::Triple<S>;

template <class S>
struct PlacedBody {
  std::array<Column<S>, 3> R;  ///< rows
  Column<S> o;
};

class LagrangeTree {
 public:
  explicit LagrangeTree(const TestTree& description)
      : description_(description), tree_(description.build()) {}

  /// tau for the motion (q, v, vdot).
  std::vector<double> forces(const TestState& state) const {
    using testing_support::Dual1;
    using testing_support::Dual2;
    const int n = tree_.nv;
    std::vector<double> tau(n);
    for (int i = 0; i < n; ++i) {
      // Direction 1: v_i. Direction 2: the motion, x' = v and v' = vdot.
      std::vector<Dual2> x(n, Dual2(0.0)), v(n);
      for (int k = 0; k < n; ++k) {
        x[k] = testing_support::with_directions(0, 0, state.v[k]);
        v[k] = testing_support::with_directions(state.v[k], k == i ? 1 : 0, state.vdot[k]);
      }
      tau[i] = lagrangian(state.q, x, v).slope.slope;
      std::vector<Dual1> y(n, Dual1(0.0)), u(n);
      for (int k = 0; k < n; ++k) u[k] = Dual1(state.v[k], 0.0);
      y[i].slope = 1;
      tau[i] -= lagrangian(state.q, y, u).slope;
    }
    return tau;
  }

  const Tree& tree() const { return tree_; }

 private:
  template <class S>
  static Column<S> times(const std::array<Column<S>, 3>& R, const Column<S>& a) {
    return {dot(R[0], a), dot(R[1], a), dot(R[2], a)};
  }
  template <class S>
  static std::array<Column<S>, 3> times(const std::array<Column<S>, 3>& A,
                                        const std::array<Column<S>, 3>& B) {
    std::array<Column<S>, 3> C;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        C[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
      }
    }
    return C;
  }
  template <class S>
  static Column<S> lift(const Vec3<double>& a) {
    return {S(a.x), S(a.y), S(a.z)};
  }
  template <class S>
  static PlacedBody<S> lift(const Transform<double>& X) {
    return {{Column<S>{S(X.R.x.x), S(X.R.y.x), S(X.R.z.x)},
             Column<S>{S(X.R.x.y), S(X.R.y.y), S(X.R.z.y)},
             Column<S>{S(X.R.x.z), S(X.R.y.z), S(X.R.z.z)}},
            lift<S>(X.p)};
  }
  template <class S>
  static PlacedBody<S> then(const PlacedBody<S>& A, const PlacedBody<S>& B) {
    return {times(A.R, B.R), A.o + times(A.R, B.o)};
  }
  template <class S>
  static std::array<Column<S>, 3> skew(const Column<S>& a) {
    const S zero(0.0);
    return {Column<S>{zero, -a[2], a[1]}, Column<S>{a[2], zero, -a[0]},
            Column<S>{-a[1], a[0], zero}};
  }
  template <class S>
  static std::array<Column<S>, 3> sum(const std::array<Column<S>, 3>& A, double factor,
                                      const std::array<Column<S>, 3>& B) {
    std::array<Column<S>, 3> C = A;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) C[i][j] += S(factor) * B[i][j];
    }
    return C;
  }
  template <class S>
  static std::array<Column<S>, 3> unit() {
    const S one(1.0), zero(0.0);
    return {Column<S>{one, zero, zero}, Column<S>{zero, one, zero}, Column<S>{zero, zero, one}};
  }
  /// Rodrigues.
  template <class S>
  static std::array<Column<S>, 3> turn(const Vec3<double>& axis, const S& angle) {
    using std::cos;
    using std::sin;
    const double length = std::sqrt(dot(axis, axis));
    const auto U = skew(lift<S>((1 / length) * axis));
    const auto UU = times(U, U);
    const S s = sin(angle), c = S(1.0) - cos(angle);
    auto R = unit<S>();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) R[i][j] += s * U[i][j] + c * UU[i][j];
    }
    return R;
  }
  /// exp(xi^x) at xi = 0 with all derivatives up to the fourth.
  template <class S>
  static std::array<Column<S>, 3> exponential(const Column<S>& xi) {
    const auto X = skew(xi), X2 = times(X, X), X3 = times(X2, X), X4 = times(X2, X2);
    return sum(sum(sum(sum(unit<S>(), 1, X), 1.0 / 2, X2), 1.0 / 6, X3), 1.0 / 24, X4);
  }
  template <class S>
  static std::array<Column<S>, 3> turn(const double* q) {
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double sine = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return turn<S>(Vec3<double>{q[1], q[2], q[3]}, S(2 * std::atan2(sine / norm, q[0] / norm)));
  }
  /// f(q + x) by its derivatives at q, which function_test.cc examines.
  template <class S>
  static S along(const Function& f, double q, const S& x) {
    Coefficients<double> prepared;
    prepare(f, f.constants.data(), prepared);
    std::vector<double> scratch(scratch_size(f) + 1);
    const Jet<double> jet = evaluate(f, prepared, q, scratch.data());
    return S(jet.f) + x * (S(jet.d1) + x * (S(jet.d2 / 2) + x * S(jet.d3 / 6)));
  }

  template <class S>
  std::vector<PlacedBody<S>> place(const std::vector<double>& q, const std::vector<S>& x) const {
    std::vector<PlacedBody<S>> placed;
    // Scalar coordinates of each body: their value at x = 0 and their displacement.
    std::vector<std::vector<std::pair<double, S>>> scalars(description_.bodies.size());
    const auto independent = [&](std::size_t b, int c) {
      for (const TestCoupling& coupling : description_.couplings) {
        if (coupling.body == static_cast<int>(b) && coupling.coordinate == c) return false;
      }
      return true;
    };
    for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
      int at_q = tree_.bodies[b].q, at_v = tree_.bodies[b].v;
      for (int c = 0; c < description_.bodies[b].joint.num_scalar_coordinates(); ++c) {
        scalars[b].emplace_back(0.0, S(0.0));
        if (independent(b, c)) scalars[b].back() = {q[at_q++], x[at_v++]};
      }
    }
    for (const TestCoupling& c : description_.couplings) {
      const auto& [value, moved] = scalars[c.to_body][c.to_coordinate];
      const S result = along(c.f, value, moved), start = along(c.f, value, S(0.0));
      scalars[c.body][c.coordinate] = {number(start), result - start};
    }
    for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
      const Body& body = description_.bodies[b];
      PlacedBody<S> at = lift<S>(body.X_PJ);
      if (body.parent >= 0) at = then(placed[body.parent], at);
      int own_q = tree_.bodies[b].q, own_v = tree_.bodies[b].v;
      for (const Step& step : body.joint.steps) {
        PlacedBody<S> move{unit<S>(), lift<S>(Vec3<double>{0, 0, 0})};
        if (step.kind == StepKind::kBall) {
          move.R =
              times(turn<S>(&q[own_q]), exponential<S>({x[own_v], x[own_v + 1], x[own_v + 2]}));
          own_q += 4;
          own_v += 3;
        } else if (step.kind == StepKind::kDisplacement) {
          for (int k = 0; k < 3; ++k) move.o[k] = S(q[own_q++]) + x[own_v++];
        } else {
          const auto& [value, moved] = scalars[b][step.coordinate];
          const S theta = step.function < 0
                              ? S(value) + moved
                              : along(body.joint.functions[step.function], value, moved);
          const Vec3<double> u = (1 / std::sqrt(dot(step.axis, step.axis))) * step.axis;
          if (step.kind == StepKind::kRotation) {
            move.R = turn(u, theta);
          } else {
            move.o = theta * lift<S>(u);
          }
        }
        at = then(at, move);
      }
      placed.push_back(then(at, lift<S>(inverse(body.X_BJ))));
    }
    return placed;
  }
  template <class S>
  static double number(const S& x) {
    if constexpr (std::is_same_v<S, double>) {
      return x;
    } else {
      return number(x.value);
    }
  }

  /// L = T - V at displacements x of q, with velocities v.
  template <class S>
  S lagrangian(const std::vector<double>& q, const std::vector<S>& x,
               const std::vector<S>& v) const {
    using D = testing_support::Dual<S>;
    std::vector<D> moving;
    for (std::size_t k = 0; k < x.size(); ++k) moving.emplace_back(x[k], v[k]);
    const auto placed = place<D>(q, moving);
    S L(0.0);
    for (std::size_t b = 0; b < placed.size(); ++b) {
      const Body& body = description_.bodies[b];
      const Column<D> c = placed[b].o + times(placed[b].R, lift<D>(body.center));
      const double g[3] = {description_.gravity.x, description_.gravity.y, description_.gravity.z};
      for (int k = 0; k < 3; ++k) {
        L += S(0.5 * body.mass) * c[k].slope * c[k].slope + S(body.mass * g[k]) * c[k].value;
      }
      // omega^x = R^T R' in body axes.
      const auto spin = [&](int i, int j) {
        S s(0.0);
        for (int k = 0; k < 3; ++k) s += placed[b].R[k][i].value * placed[b].R[k][j].slope;
        return s;
      };
      const Column<S> omega{spin(2, 1), spin(0, 2), spin(1, 0)};
      const Sym3<double>& T = body.Theta;
      const std::array<Column<S>, 3> Theta{Column<S>{S(T.xx), S(T.xy), S(T.xz)},
                                           Column<S>{S(T.xy), S(T.yy), S(T.yz)},
                                           Column<S>{S(T.xz), S(T.yz), S(T.zz)}};
      L += S(0.5) * dot(omega, times(Theta, omega));
    }
    return L;
  }

  TestTree description_;
  Tree tree_;
};

}  // namespace parfait::tree
