#include "parfait/motion/scaling/body_scaling.h"

#include <algorithm>
#include <cmath>

namespace parfait::motion {
namespace {

using mechanism::CoordinateFunction;
using Triple = std::array<double, 3>;

const Triple* find(const ScaleFactors& factors, const std::string& body) {
  const auto found = factors.find(body);
  return found == factors.end() ? nullptr : &found->second;
}

void scale(mechanism::Value3& values, const Triple& s) {
  for (std::size_t i = 0; i < 3; ++i) values[i].number *= s[i];
}

/// Columns of the axes of a frame.
std::array<Triple, 3> axes_of(const mechanism::Frame& frame) {
  std::array<Triple, 3> R;
  const mechanism::Value3* columns[] = {&frame.x, &frame.y, &frame.z};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) R[k][i] = (*columns[k])[i].number;
  }
  return R;
}

/// R^T S R a, of a unit vector a.
Triple stretched(const Triple& a, const std::array<Triple, 3>& R, const Triple& s) {
  Triple outside{}, inside{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) outside[i] += R[k][i] * a[k];
    outside[i] *= s[i];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) inside[k] += R[k][i] * outside[i];
  }
  return inside;
}

double length(const Triple& a) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

void scale_displacements(mechanism::Joint& joint, const Triple& s, ScalingRule rule) {
  const auto R = axes_of(joint.begin.frame);
  for (mechanism::MotionAxis& axis : joint.motion.axes) {
    // What comes after a turn is not fixed in the axes of the body.
    if (axis.turns) return;
    CoordinateFunction& f = axis.function;
    if (f.is_identity() || f.kind == CoordinateFunction::Kind::kFormula) continue;
    const double size = length(axis.axis);
    double factor = 0;
    if (rule == ScalingRule::kOpenSim) {
      for (std::size_t k = 0; k < 3; ++k) factor += std::abs(axis.axis[k]) * s[k];
    } else {
      Triple a = axis.axis;
      for (double& x : a) x /= size;
      const Triple along = stretched(a, R, s);
      factor = length(along);
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = along[k] / factor;
        if (std::abs(x - a[k]) > 1e-15) axis.axis[k] = x * size;
      }
    }
    for (double& constant : f.constants) constant *= factor;
  }
}

/// Diagonal of the inertia of a cylinder about its end after its radius and length were scaled.
void scale_cylinder(mechanism::Body& body, double old_mass, const Triple& s) {
  auto& I = body.inertia;
  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k) {
    if (I[k][k].number < I[axis][axis].number) axis = k;
  }
  const std::size_t other = axis == 0 ? 1 : 0, third = 3 - axis - other;
  const double mass = body.mass.number;
  double radius2 = 2 * I[axis][axis].number / old_mass;
  double length2 = 3 * (I[other][other].number / old_mass - 0.25 * radius2);
  length2 *= s[axis] * s[axis];
  radius2 *= s[other] * s[third];
  I[axis][axis].number = 0.5 * mass * radius2;
  I[other][other].number = I[third][third].number = mass * (length2 / 3 + radius2 / 4);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i != j) I[i][j].number *= s[i] * s[j];
    }
  }
}

void scale_second_moments(mechanism::Body& body, const Triple& s, double mass_factor) {
  auto& I = body.inertia;
  const double half = 0.5 * (I[0][0].number + I[1][1].number + I[2][2].number);
  Triple P{};
  for (std::size_t k = 0; k < 3; ++k) {
    P[k] = (half - I[k][k].number) * s[k] * s[k] * mass_factor;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i == j) {
        I[i][i].number = P[(i + 1) % 3] + P[(i + 2) % 3];
      } else {
        I[i][j].number *= s[i] * s[j] * mass_factor;
      }
    }
  }
}

}  // namespace

void scale_geometry(mechanism::Description& description, const ScaleFactors& factors,
                    ScalingRule rule) {
  for (auto& body : description.bodies) {
    if (const Triple* s = find(factors, body.id)) scale(body.center_of_mass, *s);
  }
  for (auto& joint : description.joints) {
    if (const Triple* s = find(factors, joint.begin.body)) {
      scale(joint.begin.frame.o, *s);
      scale_displacements(joint, *s, rule);
    }
    if (const Triple* s = find(factors, joint.end.body)) scale(joint.end.frame.o, *s);
  }
  for (auto& marker : description.skin_markers) {
    if (const Triple* s = find(factors, marker.body)) {
      for (std::size_t i = 0; i < 3; ++i) marker.o[i] *= (*s)[i];
    }
  }
}

double total_mass(const mechanism::Description& description) {
  double sum = 0;
  for (const auto& body : description.bodies) sum += body.mass.number;
  return sum;
}

void scale_masses(mechanism::Description& description, const ScaleFactors& factors,
                  const MassScaling& scaling) {
  for (auto& body : description.bodies) {
    const Triple* s = find(factors, body.id);
    if (!s) continue;
    const double old = body.mass.number;
    const double factor = scaling.keep_distribution ? 1.0 : std::abs((*s)[0] * (*s)[1] * (*s)[2]);
    body.mass.number *= factor;
    const bool uniform = (*s)[0] == (*s)[1] && (*s)[1] == (*s)[2];
    if (scaling.rule == ScalingRule::kOpenSim && !uniform && old > 0) {
      scale_cylinder(body, old, *s);
    } else {
      scale_second_moments(body, *s, factor);
    }
  }
  const double sum = total_mass(description);
  if (!(scaling.total > 0) || !(sum > 0)) return;
  for (auto& body : description.bodies) {
    body.mass.number *= scaling.total / sum;
    for (auto& row : body.inertia) {
      for (auto& value : row) value.number *= scaling.total / sum;
    }
  }
}

ScaleFactors factors_of(const Skeleton& skeleton, const Geometry& geometry) {
  ScaleFactors out;
  for (std::size_t b = 0; b < skeleton.tree.bodies.size(); ++b) {
    const auto& s = geometry.scale[b];
    if (s.x != 1 || s.y != 1 || s.z != 1) out[skeleton.tree.bodies[b].name] = {s.x, s.y, s.z};
  }
  return out;
}

void set_geometry(mechanism::Description& description, const Skeleton& skeleton,
                  const Geometry& geometry, double total_mass) {
  const ScaleFactors factors = factors_of(skeleton, geometry);
  // Turned joints first: displacements are scaled in the axes that the joint has in the end.
  const auto put = [](const Vec3<double>& from, mechanism::Value3& to) {
    to[0].number = from.x;
    to[1].number = from.y;
    to[2].number = from.z;
  };
  const auto place = [&](mechanism::Frame& frame, const tree::Transform<double>& described,
                         const Vec3<double>& p, const Vec3<double>& turn) {
    const auto moved = p - described.p;
    if (dot(moved, moved) != 0) put(p, frame.o);
    if (dot(turn, turn) == 0) return;
    const auto R = described.R * cardan(turn);
    put(R.x, frame.x);
    put(R.y, frame.y);
    put(R.z, frame.z);
  };
  for (std::size_t b = 0; b < skeleton.tree.bodies.size(); ++b) {
    const std::string& body = skeleton.tree.bodies[b].name;
    const int parent = skeleton.tree.bodies[b].parent;
    const std::string on = parent < 0 ? std::string() : skeleton.tree.bodies[parent].name;
    const auto& constants = skeleton.tree.constants.bodies[b];
    for (auto& joint : description.joints) {
      const bool ahead = joint.end.body == body && (parent < 0 || joint.begin.body == on);
      const bool back = parent >= 0 && joint.begin.body == body && joint.end.body == on;
      if (!ahead && !back) continue;
      place((ahead ? joint.begin : joint.end).frame, constants.X_PJ, geometry.parent_place[b],
            geometry.parent_turn[b]);
      place((ahead ? joint.end : joint.begin).frame, constants.X_BJ, geometry.child_place[b],
            geometry.child_turn[b]);
    }
  }
  for (auto& marker : description.skin_markers) {
    const int m = skeleton.find_marker(marker.name);
    if (m < 0) continue;
    const auto& o = geometry.place[static_cast<std::size_t>(m)];
    marker.o = {o.x, o.y, o.z};
  }
  scale_geometry(description, factors);
  scale_masses(description, factors, {.total = total_mass});
}

}  // namespace parfait::motion
