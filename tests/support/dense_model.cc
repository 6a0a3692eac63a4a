#include "testing/dense_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parfait/math/dense_solves.h"
#include "testing/vectors.h"

namespace parfait::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Coordinates of the two bodies of an element: 12 of a, 12 of b; those of the ground are unused.
template <class S>
using Coordinates24 = std::array<S, 24>;

template <class Element>
int global_index(const Element& element, int slot) {
  const int body = slot < 12 ? element.a.body : element.b.body;
  return body < 0 ? -1 : 12 * body + slot % 12;
}

template <class Element>
Coordinates24<double> gather(const Element& element, const VectorXd& q) {
  Coordinates24<double> x{};
  for (int k = 0; k < 24; ++k) {
    const int at = global_index(element, k);
    if (at >= 0) x[k] = q[at];
  }
  return x;
}

/// Constants of scalar S, to be given directions.
template <class S>
Coordinates24<S> lift(const Coordinates24<double>& x) {
  Coordinates24<S> lifted;
  for (int k = 0; k < 24; ++k) lifted[k] = S(x[k]);
  return lifted;
}

template <class S>
Pose<S> pose_at(const WitnessParts& parts, int body, const S* q) {
  return body < 0 ? ground_pose<S>() : pose_of(parts.bodies[body].coordinates, q);
}

/// The ground does not move.
template <class S>
Pose<S> rate_at(const WitnessParts& parts, int body, const S* v) {
  if (body >= 0) return pose_of(parts.bodies[body].coordinates, v);
  Pose<S> zero;
  zero.o.fill(S(0.0));
  for (auto& axis : zero.e) axis.fill(S(0.0));
  return zero;
}

template <class S>
std::vector<S> position_values(const WitnessParts& parts, const WitnessConstraint& c, const S& t,
                               const Coordinates24<S>& q) {
  const auto A = pose_at(parts, c.a.body, q.data());
  const auto B = pose_at(parts, c.b.body, q.data() + 12);
  std::vector<S> values;
  for (const auto& row : c.position_rows) values.push_back(position_row(c, row, A, B, t));
  return values;
}

/// Rates of the position rows, then the velocity rows.
template <class S>
std::vector<S> velocity_values(const WitnessParts& parts, const WitnessConstraint& c, const S& t,
                               const Coordinates24<S>& q, const Coordinates24<S>& v) {
  Coordinates24<Dual<S>> moving;
  for (int k = 0; k < 24; ++k) moving[k] = Dual<S>(q[k], v[k]);
  std::vector<S> values;
  for (const auto& x : position_values(parts, c, Dual<S>(t, S(1.0)), moving)) {
    values.push_back(x.slope);
  }
  const auto A = pose_at(parts, c.a.body, q.data());
  const auto Av = rate_at(parts, c.a.body, v.data());
  const auto Bv = rate_at(parts, c.b.body, v.data() + 12);
  for (const auto& row : c.velocity_rows) values.push_back(velocity_row(c, row, A, Av, Bv, t));
  return values;
}

template <class S>
S measure_value(const WitnessParts& parts, const WitnessForce& f, const Coordinates24<S>& q) {
  return measure_of(f, pose_at(parts, f.a.body, q.data()), pose_at(parts, f.b.body, q.data() + 12));
}

double law_value(const WitnessForce& f, double s, double rate, double t, const VectorXd& e) {
  switch (f.law) {
    case LawKind::kSpring:
      return f.stiffness * (s - f.rest);
    case LawKind::kDamper:
      return f.damping * rate;
    case LawKind::kSpringDamper:
      return f.stiffness * (s - f.rest) + f.damping * rate;
    case LawKind::kActuator:
      return f.force ? f.force(t) : f.constant;
    default:
      return f.general(s, rate, t, e);
  }
}

/// Cursor over the rows in their global order.
struct RowCursor {
  int position = 0, velocity = 0;
  void pass(const WitnessConstraint& c) {
    position += static_cast<int>(c.position_rows.size());
    velocity += static_cast<int>(c.velocity_rows.size());
  }
};

/// A point of a body as a matrix over its 12 coordinates.
MatrixXd point_matrix(const WitnessBody& body, const Vector3d& r) {
  MatrixXd C(3, 12);
  for (int k = 0; k < 12; ++k) {
    std::array<double, 12> unit{};
    unit[k] = 1;
    const auto p = pose_of(body.coordinates, unit.data()).point(r);
    C.col(k) << p[0], p[1], p[2];
  }
  return C;
}

VectorXd coordinates_of(const WitnessBody& body, const Vector3d& o, const Eigen::Matrix3d& X) {
  VectorXd q(12);
  q << o, X.col(0), X.col(1), X.col(2);
  if (body.coordinates == mechanism::BodyCoordinates::kFourPoints) {
    for (int i = 0; i < 3; ++i) q.segment<3>(3 + 3 * i) += o;
  } else if (body.coordinates == mechanism::BodyCoordinates::kTwoPointsTwoVectors) {
    q.segment<3>(3) += o;
  }
  return q;
}

}  // namespace

State moved(const State& state, const State& direction, double h) {
  return {state.t + h * direction.t, state.q + h * direction.q, state.v + h * direction.v,
          state.e + h * direction.e};
}

DenseModel::DenseModel(const mechanism::Description& description, const Functions& functions,
                       DenseOptions options)
    : parts_(make_witness_parts(description, functions)), functions_(functions), options_(options) {
  for (const auto& c : parts_.constraints) {
    num_position_rows_ += static_cast<int>(c.position_rows.size());
    num_velocity_rows_ += static_cast<int>(c.velocity_rows.size());
  }
  M_ = MatrixXd::Zero(nq(), nq());
  initial_.q.resize(nq());
  initial_.v.resize(nq());
  for (int i = 0; i < num_bodies(); ++i) {
    const auto& body = parts_.bodies[i];
    for (const auto& mass : body.masses) {
      const MatrixXd C = point_matrix(body, mass.r);
      M_.block<12, 12>(12 * i, 12 * i) += mass.mass * math::gram(C);
    }
    const auto& given = description.bodies[i];
    Vector3d o_rate = vector(given.o_rate);
    Eigen::Matrix3d X_rate;
    X_rate << vector(given.x_rate), vector(given.y_rate), vector(given.z_rate);
    if (given.v) o_rate = vector(*given.v);
    if (given.omega) {
      for (int k = 0; k < 3; ++k) X_rate.col(k) = vector(*given.omega).cross(body.X0.col(k));
    }
    initial_.q.segment<12>(12 * i) = coordinates_of(body, body.o0, body.X0);
    initial_.v.segment<12>(12 * i) = coordinates_of(body, o_rate, X_rate);
  }
  initial_.e.resize(static_cast<Eigen::Index>(description.states.size()));
  for (size_t i = 0; i < description.states.size(); ++i) {
    initial_.e[static_cast<Eigen::Index>(i)] = description.states[i].initial;
  }
}

std::vector<std::string> DenseModel::row_names() const {
  std::vector<std::string> names;
  for (const auto& c : parts_.constraints) {
    for (const auto& row : c.position_rows) names.push_back(row.name);
  }
  for (const auto& c : parts_.constraints) {
    for (const auto& row : c.velocity_rows) names.push_back(row.name);
  }
  return names;
}

int DenseModel::body_index(const std::string& id) const {
  for (int i = 0; i < num_bodies(); ++i) {
    if (parts_.bodies[i].id == id) return i;
  }
  throw base::InputError("\"" + id + "\" is not a body.");
}

VectorXd DenseModel::g(double t, const VectorXd& q) const {
  VectorXd values(num_position_rows_);
  int row = 0;
  for (const auto& c : parts_.constraints) {
    for (const double x : position_values<double>(parts_, c, t, gather(c, q))) values[row++] = x;
  }
  return values;
}

VectorXd DenseModel::g_velocity(double t, const VectorXd& q, const VectorXd& v) const {
  VectorXd values(num_rows());
  RowCursor at;
  for (const auto& c : parts_.constraints) {
    const auto x = velocity_values<double>(parts_, c, t, gather(c, q), gather(c, v));
    const size_t np = c.position_rows.size();
    for (size_t i = 0; i < x.size(); ++i) {
      values[i < np ? at.position + i : num_position_rows_ + at.velocity + (i - np)] = x[i];
    }
    at.pass(c);
  }
  return values;
}

MatrixXd DenseModel::dg_dq(double t, const VectorXd& q) const {
  MatrixXd J = MatrixXd::Zero(num_position_rows_, nq());
  RowCursor at;
  for (const auto& c : parts_.constraints) {
    auto x = lift<Dual1>(gather(c, q));
    for (int k = 0; k < 24; ++k) {
      const int column = global_index(c, k);
      if (column < 0) continue;
      x[k].slope = 1;
      int row = at.position;
      for (const auto& y : position_values(parts_, c, Dual1(t), x)) J(row++, column) += y.slope;
      x[k].slope = 0;
    }
    at.pass(c);
  }
  return J;
}

MatrixXd DenseModel::dc_dx(double t, const VectorXd& q, const VectorXd& v) const {
  MatrixXd J = MatrixXd::Zero(num_position_rows_ + num_rows(), 2 * nq());
  J.topLeftCorner(num_position_rows_, nq()) = dg_dq(t, q);
  RowCursor at;
  for (const auto& c : parts_.constraints) {
    auto x = lift<Dual1>(gather(c, q));
    auto xv = lift<Dual1>(gather(c, v));
    const size_t np = c.position_rows.size();
    for (int k = 0; k < 48; ++k) {
      int column = global_index(c, k % 24);
      if (column < 0) continue;
      if (k >= 24) column += nq();
      double& seed = (k < 24 ? x : xv)[k % 24].slope;
      seed = 1;
      const auto y = velocity_values(parts_, c, Dual1(t), x, xv);
      seed = 0;
      for (size_t i = 0; i < y.size(); ++i) {
        const auto row =
            num_position_rows_ +
            static_cast<int>(i < np ? at.position + i : num_position_rows_ + at.velocity + i - np);
        J(row, column) += y[i].slope;
      }
    }
    at.pass(c);
  }
  return J;
}

MatrixXd DenseModel::G(double t, const VectorXd& q, const VectorXd& v) const {
  MatrixXd J(num_rows(), nq());
  J.topRows(num_position_rows_) = dg_dq(t, q);
  if (num_velocity_rows_ > 0) {
    J.bottomRows(num_velocity_rows_) = dc_dx(t, q, v).bottomRightCorner(num_velocity_rows_, nq());
  }
  return J;
}

VectorXd DenseModel::gamma(double t, const VectorXd& q, const VectorXd& v) const {
  VectorXd values(num_rows());
  RowCursor at;
  for (const auto& c : parts_.constraints) {
    const auto x = gather(c, q), xv = gather(c, v);
    // Positions along q + v tau: the second derivative is what G a must cancel.
    Coordinates24<Dual2> curve;
    for (int k = 0; k < 24; ++k) curve[k] = on_curve(x[k], xv[k], 0);
    int row = at.position;
    for (const auto& y : position_values(parts_, c, on_curve(t, 1, 0), curve)) {
      values[row++] = -y.slope.slope;
    }
    // Velocity rows along (q + v tau, v).
    Coordinates24<Dual1> line, still = lift<Dual1>(xv);
    for (int k = 0; k < 24; ++k) line[k] = Dual1(x[k], xv[k]);
    const auto y = velocity_values(parts_, c, Dual1(t, 1), line, still);
    row = num_position_rows_ + at.velocity;
    for (size_t i = c.position_rows.size(); i < y.size(); ++i) values[row++] = -y[i].slope;
    at.pass(c);
  }
  return values;
}

VectorXd DenseModel::f(double t, const VectorXd& q, const VectorXd& v, const VectorXd& e) const {
  VectorXd force = VectorXd::Zero(nq());
  for (int i = 0; i < num_bodies(); ++i) {
    const auto& body = parts_.bodies[i];
    force.segment<12>(12 * i) +=
        body.mass * point_matrix(body, body.center).transpose() * parts_.gravity;
  }
  for (const auto& element : parts_.forces) {
    const auto x = gather(element, q), xv = gather(element, v);
    Coordinates24<Dual1> along_v;
    for (int k = 0; k < 24; ++k) along_v[k] = Dual1(x[k], xv[k]);
    const Dual1 s = measure_value(parts_, element, along_v);
    const double F = law_value(element, s.value, s.slope, t, e);
    auto seeded = lift<Dual1>(x);
    for (int k = 0; k < 24; ++k) {
      const int at = global_index(element, k);
      if (at < 0) continue;
      seeded[k].slope = 1;
      force[at] -= F * measure_value(parts_, element, seeded).slope;
      seeded[k].slope = 0;
    }
  }
  return force;
}

MatrixXd DenseModel::hessian_g(double t, const VectorXd& q, const VectorXd& weight) const {
  MatrixXd H = MatrixXd::Zero(nq(), nq());
  RowCursor at;
  for (const auto& c : parts_.constraints) {
    const auto x0 = gather(c, q);
    auto x = lift<Dual2>(x0);
    for (int k = 0; k < 24; ++k) {
      const int row = global_index(c, k);
      if (row < 0) continue;
      for (int l = 0; l < 24; ++l) {
        const int column = global_index(c, l);
        if (column < 0) continue;
        x[k] += with_directions(0, 1, 0);
        x[l] += with_directions(0, 0, 1);
        int j = at.position;
        for (const auto& y : position_values(parts_, c, Dual2(t), x)) {
          H(row, column) += weight[j++] * y.slope.slope;
        }
        x[k] = Dual2(x0[k]);
        x[l] = Dual2(x0[l]);
      }
    }
    at.pass(c);
  }
  return H;
}

MatrixXd DenseModel::hessian_c(double t, const VectorXd& q, const VectorXd& v,
                               const VectorXd& weight) const {
  MatrixXd H = MatrixXd::Zero(2 * nq(), 2 * nq());
  H.topLeftCorner(nq(), nq()) = hessian_g(t, q, weight.head(num_position_rows_));
  RowCursor at;
  for (const auto& c : parts_.constraints) {
    const auto q0 = gather(c, q), v0 = gather(c, v);
    auto x = lift<Dual2>(q0), xv = lift<Dual2>(v0);
    const size_t np = c.position_rows.size();
    const auto slot = [&](int k) -> Dual2& { return (k < 24 ? x : xv)[k % 24]; };
    const auto value = [&](int k) { return (k < 24 ? q0 : v0)[k % 24]; };
    for (int k = 0; k < 48; ++k) {
      const int row = global_index(c, k % 24);
      if (row < 0) continue;
      for (int l = k; l < 48; ++l) {
        const int column = global_index(c, l % 24);
        if (column < 0) continue;
        slot(k) += with_directions(0, 1, 0);
        slot(l) += with_directions(0, 0, 1);
        const auto y = velocity_values(parts_, c, Dual2(t), x, xv);
        double h = 0;
        for (size_t i = 0; i < y.size(); ++i) {
          const auto j = num_position_rows_ +
                         static_cast<int>(i < np ? at.position + i
                                                 : num_position_rows_ + at.velocity + i - np);
          h += weight[j] * y[i].slope.slope;
        }
        slot(k) = Dual2(value(k));
        slot(l) = Dual2(value(l));
        const int r = row + (k < 24 ? 0 : nq()), s = column + (l < 24 ? 0 : nq());
        H(r, s) += h;
        if (k != l) H(s, r) += h;
      }
    }
    at.pass(c);
  }
  return H;
}

std::vector<int> independent_rows(const MatrixXd& A, double tolerance) {
  if (A.rows() == 0) return {};
  const math::PivotedQr qr(A.rowwise().normalized().transpose(), tolerance);
  std::vector<int> rows;
  for (Eigen::Index i = 0; i < qr.rank(); ++i) rows.push_back(static_cast<int>(qr.column(i)));
  std::sort(rows.begin(), rows.end());
  return rows;
}

Solution DenseModel::solve(const State& state) const {
  return solve(state, VectorXd::Zero(num_rows()));
}

Solution DenseModel::solve(const State& state, const VectorXd& gamma_addition) const {
  const MatrixXd all_G = G(state.t, state.q, state.v);
  const VectorXd all_gamma = gamma(state.t, state.q, state.v) + gamma_addition;
  const VectorXd force = f(state.t, state.q, state.v, state.e);
  // Dependent rows add nothing to the accelerations: solve with an independent set of them.
  const std::vector<int> rows = independent_rows(all_G, options_.rank_tolerance);
  const int n = nq(), m = static_cast<int>(rows.size());
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  VectorXd b(n + m);
  K.topLeftCorner(n, n) = M_;
  K.bottomLeftCorner(m, n) = all_G(rows, Eigen::all);
  K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
  b << force, all_gamma(rows);
  const math::PivotedQr qr(K);
  VectorXd x = qr.solve(b);
  const auto K_long = K.cast<long double>().eval();
  for (int refinement = 0; refinement < 2; ++refinement) {
    const auto residual = (b.cast<long double>() - K_long * x.cast<long double>()).eval();
    x += qr.solve(residual.cast<double>());
  }

  Solution solution;
  solution.rank = m;
  solution.a = x.head(n);
  if (m == num_rows()) {
    solution.lambda = x.tail(m);
  } else {
    const math::OrthogonalDecomposition rows_of_G(all_G.transpose(), options_.rank_tolerance);
    solution.lambda = rows_of_G.solve(force - M_ * solution.a);
  }
  if (num_rows() > 0) {
    solution.residual = (all_G * solution.a - all_gamma).lpNorm<Eigen::Infinity>();
  }
  solution.e_rate = functions_.state_rates
                        ? functions_.state_rates(state.t, state.q, state.v, state.e)
                        : VectorXd::Zero(state.e.size());
  return solution;
}

Vector3d DenseModel::point(int body, const Vector3d& r, const VectorXd& q) const {
  return point_matrix(parts_.bodies[body], r) * q.segment<12>(12 * body);
}

Vector3d DenseModel::direction(int body, const Vector3d& r, const VectorXd& q) const {
  return point(body, r, q) - point(body, Vector3d::Zero(), q);
}

Vector3d DenseModel::center(int body, const VectorXd& q) const {
  return point(body, parts_.bodies[body].center, q);
}

double DenseModel::potential_energy(const VectorXd& q) const {
  double V = 0;
  for (int i = 0; i < num_bodies(); ++i)
    V -= parts_.bodies[i].mass * parts_.gravity.dot(center(i, q));
  for (const auto& element : parts_.forces) {
    if (element.law != LawKind::kSpring && element.law != LawKind::kSpringDamper) continue;
    const double s = measure_value(parts_, element, gather(element, q)) - element.rest;
    V += 0.5 * element.stiffness * s * s;
  }
  return V;
}

Vector3d DenseModel::momentum(const VectorXd& v) const {
  Vector3d p = Vector3d::Zero();
  for (int i = 0; i < num_bodies(); ++i) p += parts_.bodies[i].mass * center(i, v);
  return p;
}

Vector3d DenseModel::angular_momentum(const VectorXd& q, const VectorXd& v) const {
  Vector3d L = Vector3d::Zero();
  for (int i = 0; i < num_bodies(); ++i) {
    for (const auto& mass : parts_.bodies[i].masses) {
      L += mass.mass * point(i, mass.r, q).cross(point(i, mass.r, v));
    }
  }
  return L;
}

State dense_motion(const DenseModel& model, State state, double until, int steps) {
  const double h = (until - state.t) / steps;
  const auto rate = [&](const State& y) {
    const Solution solution = model.solve(y);
    return State{1, y.v, solution.a, solution.e_rate};
  };
  for (int i = 0; i < steps; ++i) {
    const State k1 = rate(state);
    const State k2 = rate(moved(state, k1, h / 2));
    const State k3 = rate(moved(state, k2, h / 2));
    const State k4 = rate(moved(state, k3, h));
    for (const auto& [k, weight] : {std::pair{&k1, 1.0}, {&k2, 2.0}, {&k3, 2.0}, {&k4, 1.0}}) {
      state = moved(state, *k, weight * h / 6);
    }
  }
  return state;
}

}  // namespace parfait::testing_support
