#include "parfait_run.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/base/error.h"

namespace parfait::bench {
namespace {

using Eigen::Vector3d;
using Map3 = Eigen::Map<const Vector3d>;

constexpr int kBody = 12;  // coordinates of a body: o, e1, e2, e3

}  // namespace

Run::Run(const mechanism::Description& given, int max_directions)
    : description(given),
      model(mbs::build(given)),
      workspace(model->make_workspace(max_directions)),
      y(model->initial_state()),
      dydt(y.size()) {
  std::vector<double> p;
  for (const auto& parameter : model->parameters()) p.push_back(parameter.initial);
  model->bind(*workspace, p);
}

void Run::evaluate(dynamics::ConstVec at) {
  dynamics::Point point;
  point.y = at;
  const dynamics::Status status = model->evaluate(*workspace, point, dydt, {});
  if (status != dynamics::Status::kOk) {
    throw base::InputError("model \"" + description.id + "\": " + dynamics::text(status) + ".");
  }
}

void Run::directions(const math::Directions& dy, math::Directions& ddydt) {
  dynamics::PointDirections d;
  d.dy = &dy;
  model->directions(*workspace, d, ddydt, nullptr);
}

Accelerations accelerations(const mechanism::Description& description, dynamics::ConstVec y,
                            dynamics::ConstVec dydt) {
  Accelerations out;
  const std::size_t nq = description.bodies.size() * kBody;
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    const double* q = &y[i * kBody];
    const double* a = &dydt[nq + i * kBody];
    const auto& c = description.bodies[i].center_of_mass;
    Vector3d center = Map3(a);
    // Xddot X^T = alpha^ + omega^ omega^, and the second part is symmetric.
    Vector3d alpha = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
      const Map3 e(q + 3 + 3 * k), e_ddot(a + 3 + 3 * k);
      center += c[k].number * e_ddot;
      alpha += 0.5 * e.cross(e_ddot);
    }
    out.center.push_back({center[0], center[1], center[2]});
    out.angular.push_back({alpha[0], alpha[1], alpha[2]});
  }
  return out;
}

namespace {

Vector3d vector3(const mechanism::Number3& x) {
  return {x[0], x[1], x[2]};
}

/// A vector that a body carries (an axis, or its origin seen from a joint) and how it moves.
struct Carried {
  Vector3d x, x_dot;
};

/// One column: bodies in `moved` turn about `axis` through `point`, all fixed in a base that turns
/// with `omega`; `v` is the velocity of the base at the point.
struct Turn {
  Vector3d axis, point, v, omega;

  // At constant joint rates the motion relative to the base turns with the body:
  //   dx = axis x (x - point),   d(x') = omega x dx + axis x (x' - v - omega x (x - point)).
  Carried rotated(const Carried& from) const {
    const Vector3d dx = axis.cross(from.x);
    return {dx, omega.cross(dx) + axis.cross(from.x_dot - omega.cross(from.x))};
  }
};

}  // namespace

math::Directions joint_directions(const mechanism::Description& description, int count,
                                  int num_zero) {
  const int n = static_cast<int>(description.bodies.size());
  std::map<std::string, int> index;
  for (int i = 0; i < n; ++i) index[description.bodies[i].id] = i;

  math::Directions out(2 * n * kBody, count);
  int column = 0;
  const int wanted = count - num_zero;
  const auto add_columns = [&](const mechanism::Joint& joint, const Vector3d& marker_axis) {
    Turn turn{marker_axis, Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
    const mechanism::Body& carried = description.bodies[index.at(joint.end.body)];
    turn.point = vector3(carried.o);
    turn.v = vector3(carried.v.value());
    if (joint.begin.body != mechanism::kInertial) {
      const mechanism::Body& base = description.bodies[index.at(joint.begin.body)];
      turn.omega = vector3(base.omega.value());
      turn.axis = marker_axis[0] * vector3(base.x) + marker_axis[1] * vector3(base.y) +
                  marker_axis[2] * vector3(base.z);
    }
    std::vector<bool> moved(n, false);
    moved[index.at(joint.end.body)] = true;
    for (const auto& other : description.joints) {  // a body stands after the one that carries it
      if (other.begin.body != mechanism::kInertial && moved[index.at(other.begin.body)]) {
        moved[index.at(other.end.body)] = true;
      }
    }
    for (int i = 0; i < n; ++i) {
      if (!moved[i]) continue;
      const mechanism::Body& body = description.bodies[i];
      const Vector3d omega = vector3(body.omega.value());
      const auto axis_of = [&](const mechanism::Number3& e) {
        return Carried{vector3(e), omega.cross(vector3(e))};
      };
      const Carried parts[4] = {{vector3(body.o) - turn.point, vector3(body.v.value()) - turn.v},
                                axis_of(body.x),
                                axis_of(body.y),
                                axis_of(body.z)};
      for (int part = 0; part < 4; ++part) {
        const Carried d = turn.rotated(parts[part]);
        for (int k = 0; k < 3; ++k) {
          const int row = i * kBody + 3 * part + k;
          out(row, column) = d.x[k];
          out(n * kBody + row, column) = d.x_dot[k];
          if (column + 1 < wanted) out(n * kBody + row, column + 1) = d.x[k];
        }
      }
    }
    column += 2;
  };

  while (column < wanted) {
    for (const auto& joint : description.joints) {
      const auto& frame = joint.begin.frame;
      const bool ball = joint.key == "Spherical";
      if (!ball && joint.key != "Revolute") {
        throw base::InputError("joint \"" + joint.id + "\": directions of " + joint.key +
                               " are not defined here.");
      }
      const mechanism::Value3* axes[3] = {&frame.z, &frame.x, &frame.y};
      for (int k = 0; k < (ball ? 3 : 1) && column < wanted; ++k) {
        const mechanism::Value3& u = *axes[k];
        add_columns(joint, Vector3d(u[0].number, u[1].number, u[2].number));
      }
      if (column >= wanted) break;
    }
  }
  return out;
}

void check_right_hand_side(Run& run) {
  run.evaluate();
  const Residuals r = residuals(run.description, accelerations(run.description, run.y, run.dydt));
  // 1 % more of one moment of inertia gives 5e-5 (spherical chain of 10), right ones about 1e-14.
  if (!(r.constraints < 1e-9 && r.forces < 1e-9)) {
    throw base::InputError(fmt::format(
        "model \"{}\": wrong accelerations, residual of the joints {:.1e}, of the forces {:.1e}.",
        run.description.id, r.constraints, r.forces));
  }
}

void check_directions(Run& run, const math::Directions& dy, const math::Directions& dp,
                      const math::Directions& ddydt, int columns) {
  std::vector<double> p;
  for (const auto& parameter : run.model->parameters()) p.push_back(parameter.initial);
  const int ny = static_cast<int>(run.y.size());
  // Truncation h^2 and rounding 1e-15/h meet near 1e-10 at this step.
  const double h = 1e-5;
  std::vector<int> tested{dy.count() - 1};
  for (int c = 0; c < std::min(columns, dy.count()); ++c) tested.push_back(c);
  for (const int c : tested) {
    const auto shifted = [&](double step) {
      std::vector<double> y = run.y, q = p;
      for (int i = 0; i < ny; ++i) y[i] += step * dy(i, c);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += step * dp(static_cast<int>(i), c);
      run.model->bind(*run.workspace, q);
      run.evaluate(y);
      return run.dydt;
    };
    const std::vector<double> plus = shifted(h), minus = shifted(-h);
    double worst = 0, scale = 0;
    for (int i = 0; i < ny; ++i) {
      worst = std::max(worst, std::abs((plus[i] - minus[i]) / (2 * h) - ddydt(i, c)));
      scale = std::max(scale, std::abs(ddydt(i, c)));
    }
    if (!(scale > 0 && worst < 1e-6 * (1 + scale))) {
      throw base::InputError(
          fmt::format("model \"{}\": direction {} differs from the central difference by {:.1e} of "
                      "{:.1e}.",
                      run.description.id, c, worst, scale));
    }
  }
  run.model->bind(*run.workspace, p);
  run.evaluate();
}

}  // namespace parfait::bench
