#include "parfait/motion/calibration/geometry_parameters.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parfait::motion {

using tree::Mat3;

double& number_of(Geometry& geometry, GeometryKind kind, int index, int axis) {
  const auto i = static_cast<std::size_t>(index);
  switch (kind) {
    case GeometryKind::kScale:
      return component(geometry.scale[i], axis);
    case GeometryKind::kMarker:
      return component(geometry.place[i], axis);
    case GeometryKind::kParentPlace:
      return component(geometry.parent_place[i], axis);
    case GeometryKind::kChildPlace:
      return component(geometry.child_place[i], axis);
    case GeometryKind::kParentTurn:
      return component(geometry.parent_turn[i], axis);
    default:
      return component(geometry.child_turn[i], axis);
  }
}

Geometry geometry_at(const Skeleton& skeleton, const std::vector<GeometryParameter>& parameters,
                     const Eigen::Ref<const Eigen::VectorXd>& p) {
  Geometry geometry(skeleton);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const auto& term : parameters[i].terms) {
      number_of(geometry, term.kind, term.index, term.axis) =
          term.factor * p[static_cast<Eigen::Index>(i)];
    }
  }
  return geometry;
}

GeometryPlan::GeometryPlan(const Skeleton& skeleton,
                           const std::vector<GeometryParameter>& parameters)
    : num_parameters(static_cast<int>(parameters.size())) {
  struct Owner {
    int parameter = -1;
    double factor = 0;
  };
  const std::size_t most = std::max(skeleton.tree.bodies.size(), skeleton.markers.size());
  std::vector<std::array<std::array<Owner, 3>, kNumGeometryKinds>> owners(most);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const auto& term : parameters[i].terms) {
      owners[static_cast<std::size_t>(term.index)][static_cast<std::size_t>(term.kind)]
            [static_cast<std::size_t>(term.axis)] = {static_cast<int>(i), term.factor};
    }
  }
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    MarkerColumns own;
    const auto add = [&](GeometryKind kind, int index, int body, int next) {
      for (int k = 0; k < 3; ++k) {
        const Owner& owner = owners[static_cast<std::size_t>(index)][static_cast<std::size_t>(kind)]
                                   [static_cast<std::size_t>(k)];
        if (owner.parameter < 0) continue;
        own.contributions.push_back({kind, body, next, k, owner.parameter, owner.factor});
        own.parameters.push_back(owner.parameter);
      }
    };
    const int body = skeleton.markers[static_cast<std::size_t>(m)].body;
    add(GeometryKind::kMarker, m, body, -1);
    for (int b = body, next = -1; b >= 0;
         next = b, b = skeleton.tree.bodies[static_cast<std::size_t>(b)].parent) {
      add(GeometryKind::kScale, b, b, next);
      add(GeometryKind::kParentPlace, b, b, -1);
      add(GeometryKind::kChildPlace, b, b, -1);
      add(GeometryKind::kParentTurn, b, b, -1);
      add(GeometryKind::kChildTurn, b, b, -1);
    }
    std::sort(own.parameters.begin(), own.parameters.end());
    own.parameters.erase(std::unique(own.parameters.begin(), own.parameters.end()),
                         own.parameters.end());
    for (auto& contribution : own.contributions) {
      contribution.slot = static_cast<int>(
          std::lower_bound(own.parameters.begin(), own.parameters.end(), contribution.slot) -
          own.parameters.begin());
    }
    markers.push_back(own);
  }
}

GeometryColumns::GeometryColumns(const Skeleton& skeleton, const GeometryPlan& plan)
    : skeleton_(skeleton),
      plan_(plan),
      frames_(skeleton.tree.bodies.size()),
      shift_(skeleton.tree.bodies.size()) {
  int count = 0;
  for (const auto& marker : plan.markers) {
    first_.push_back(count);
    count += 3 * static_cast<int>(marker.parameters.size());
  }
  numbers_.resize(static_cast<std::size_t>(count));
}

namespace {

/// Axis of turn k of R_0 Rx Ry Rz(turn), in the axes that R_0 is given in.
Vec3<double> turn_axis(const Mat3<double>& R_0, const Vec3<double>& turn, int k) {
  Vec3<double> before = turn;
  for (int i = k; i < 3; ++i) component(before, i) = 0;
  return R_0 * column(cardan(before), k);
}

}  // namespace

void GeometryColumns::compute(const MarkerKinematics& kinematics, const Geometry& geometry,
                              const BoundGeometry& bound) {
  const tree::Tree& tree = skeleton_.tree;
  const tree::Workspace& ws = kinematics.workspace();
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    frames_[i] = kinematics.frame(b);
    shift_[i] = {};
    const tree::BodyInfo& info = tree.bodies[i];
    for (int node = info.first_node; node <= info.node; ++node) {
      const auto n = static_cast<std::size_t>(node);
      if (!skeleton_.scaled_steps[n]) continue;
      const Vec3<double>& axis =
          tree.constants.bodies[i].axes[static_cast<std::size_t>(node - info.first_node)];
      const double f = ws.theta(tree)[tree.nodes[n].theta] / bound.step_factor[n];
      shift_[i] += (f / std::sqrt(dot(axis, axis))) * axis;
    }
    shift_[i] = bound.constants.bodies[i].X_PJ.R * shift_[i];
  }
  std::fill(numbers_.begin(), numbers_.end(), 0.0);
  const Mat3<double> identity = Mat3<double>::identity();
  for (int m = 0; m < skeleton_.num_markers(); ++m) {
    const auto& own = plan_.markers[static_cast<std::size_t>(m)];
    const std::size_t n = own.parameters.size();
    double* rows = numbers_.data() + first_[static_cast<std::size_t>(m)];
    const Vec3<double>& x = kinematics.positions()[static_cast<std::size_t>(m)];
    for (const auto& c : own.contributions) {
      const auto b = static_cast<std::size_t>(c.body);
      const auto& X = frames_[b];
      const int parent = tree.bodies[b].parent;
      const auto a = static_cast<std::size_t>(std::max(parent, 0));
      const Mat3<double>& R_A = parent < 0 ? identity : frames_[a].R;
      const Vec3<double> S_A = parent < 0 ? Vec3<double>{1, 1, 1} : geometry.scale[a];
      Vec3<double> d{};
      switch (c.kind) {
        case GeometryKind::kScale: {
          const Vec3<double> carried =
              c.next < 0 ? geometry.place[static_cast<std::size_t>(m)]
                         : geometry.parent_place[static_cast<std::size_t>(c.next)] +
                               shift_[static_cast<std::size_t>(c.next)];
          d = component(carried - geometry.child_place[b], c.axis) * column(X.R, c.axis);
          break;
        }
        case GeometryKind::kMarker:
          d = component(geometry.scale[b], c.axis) * column(X.R, c.axis);
          break;
        case GeometryKind::kParentPlace:
          d = component(S_A, c.axis) * column(R_A, c.axis);
          break;
        case GeometryKind::kChildPlace:
          d = -component(geometry.scale[b], c.axis) * column(X.R, c.axis);
          break;
        case GeometryKind::kParentTurn: {
          const Vec3<double> w_A =
              turn_axis(tree.constants.bodies[b].X_PJ.R, geometry.parent_turn[b], c.axis);
          const Vec3<double> o_A = times(S_A, geometry.parent_place[b] + shift_[b]);
          const Vec3<double> o = (parent < 0 ? Vec3<double>{} : frames_[a].p) + R_A * o_A;
          d = cross(R_A * w_A, x - o) + R_A * times(S_A, cross(w_A, shift_[b]));
          break;
        }
        case GeometryKind::kChildTurn: {
          const Vec3<double> w =
              X.R * turn_axis(tree.constants.bodies[b].X_BJ.R, geometry.child_turn[b], c.axis);
          d = -cross(w, x - point_in_parent(X, times(geometry.scale[b], geometry.child_place[b])));
          break;
        }
      }
      const auto slot = static_cast<std::size_t>(c.slot);
      rows[slot] += c.factor * d.x;
      rows[n + slot] += c.factor * d.y;
      rows[2 * n + slot] += c.factor * d.z;
    }
  }
}

}  // namespace parfait::motion
