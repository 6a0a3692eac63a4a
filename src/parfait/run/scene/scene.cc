#include "parfait/run/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "parfait/base/error.h"
#include "parfait/io/model/mesh_file.h"
#include "parfait/mechanism/constants/constant_table.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/run/scene/made_up_shapes.h"

namespace parfait::run {
namespace scene_parts {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::Description;
using mechanism::Marker;
using result::Point3;

Vector3d vector(const Point3& p) {
  return {p[0], p[1], p[2]};
}
Point3 point3(const Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

/// Looks at a description with all of its constants bound to parameters.
class Viewer {
 public:
  Viewer(const Description& description, dynamics::ConstVec p)
      : description_(description), table_(description), constants_(table_.size()) {
    std::vector<double> scratch(table_.scratch_size());
    table_.bind(p.data(), constants_.data(), scratch.data());
    for (std::size_t i = description.bodies.size(); i-- > 0;) {
      body_index_[description.bodies[i].id] = static_cast<int>(i);
    }
  }

  int body_index(const std::string& id) const {
    const auto found = body_index_.find(id);
    return found == body_index_.end() ? result::kGround : found->second;
  }

  std::optional<Point3> vector_constant(const std::string& name) const {
    Point3 out{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string full = name + "." + "xyz"[i];
      if (!table_.has(full)) return std::nullopt;
      out[i] = constants_[static_cast<std::size_t>(table_.index(full))];
    }
    return out;
  }
  double constant(const std::string& name) const {
    return constants_[static_cast<std::size_t>(table_.index(name))];
  }

  /// The frame of an end of `element`, or of a marker of the body.
  result::ScenePlace place(const std::string& element, const std::string& end,
                           const Marker& marker) const {
    if (marker.reference.empty()) return framed(marker.body, element + "." + end, marker.frame);
    return marker_place(marker.body, marker.reference);
  }

  result::ScenePlace marker_place(const std::string& body, const std::string& marker) const {
    result::ScenePlace place;
    place.body = body_index(body);
    if (marker == "com") {
      place.o = vector_constant(body + ".com").value_or(Point3{0, 0, 0});
      return place;
    }
    if (marker == "origin" || place.body == result::kGround) return place;
    for (const auto& known : description_.bodies[static_cast<std::size_t>(place.body)].markers) {
      if (known.id == marker) return framed(body, fmt::format("{}.{}", body, marker), known.frame);
    }
    return place;
  }

  Matrix3d inertia(const std::string& body) const {
    const auto part = [&](const char* name) { return constant(body + ".inertia." + name); };
    Matrix3d I;
    I(0, 0) = part("xx"), I(1, 1) = part("yy"), I(2, 2) = part("zz");
    I(0, 1) = I(1, 0) = part("xy");
    I(0, 2) = I(2, 0) = part("xz");
    I(1, 2) = I(2, 1) = part("yz");
    return I;
  }

 private:
  result::ScenePlace framed(const std::string& body, const std::string& constants,
                            const mechanism::Frame& frame) const {
    result::ScenePlace place;
    place.body = body_index(body);
    place.o = vector_constant(constants + ".o").value_or(place.o);
    mechanism::Shape axes;  // completes axes to a frame
    if (frame.has_x) axes.x = vector_constant(constants + ".x");
    axes.z = vector_constant(constants + ".z");
    const auto completed = mechanism::axes_of(axes);
    place.x = completed[0];
    place.z = completed[2];
    return place;
  }

  const Description& description_;
  mechanism::ConstantTable table_;
  std::vector<double> constants_;
  std::unordered_map<std::string_view, int> body_index_;
};

/// A point of a body in the world, as the description places it.
Vector3d in_world(const Description& description, int body, const Point3& p) {
  if (body == result::kGround) return vector(p);
  const auto& b = description.bodies[static_cast<std::size_t>(body)];
  Vector3d out = vector(b.o);
  out += p[0] * vector(b.x);
  out += p[1] * vector(b.y);
  out += p[2] * vector(b.z);
  return out;
}

/// A shape of the file; meshes go to the scene, each file once.
result::SceneShape shape_of(const mechanism::Shape& shape, const Description& description,
                            result::Scene& scene) {
  result::SceneShape out;
  for (const auto& [name, kind] : mechanism::shape_kind_names()) {
    if (kind == shape.kind) out.kind = name;
  }
  out.size = shape.size;
  out.radius = shape.radius;
  out.from = shape.from;
  out.to = shape.to;
  out.scale = shape.scale;
  out.o = shape.o;
  const auto axes = mechanism::axes_of(shape);
  out.x = axes[0];
  out.y = axes[1];
  out.z = axes[2];
  out.color = shape.color;
  out.opacity = shape.opacity;
  if (shape.kind != mechanism::Shape::Kind::kMesh) return out;
  const auto name = std::filesystem::path(shape.file).filename().string();
  const auto file = std::filesystem::path(description.file).parent_path() / shape.file;
  result::SceneMesh mesh = io::read_mesh(file, shape.place);
  const auto known = std::find(scene.meshes.begin(), scene.meshes.end(), mesh);
  out.mesh = static_cast<int>(known - scene.meshes.begin());
  if (known == scene.meshes.end()) scene.meshes.push_back(std::move(mesh));
  return out;
}

/// Against gravity; z where there is none.
Point3 up_of(const Description& description, const Viewer& viewer) {
  Vector3d g = Vector3d::Zero();
  for (const auto& force : description.forces) {
    const auto* type = mechanism::registry().find_force(force.key);
    if (!type || type->is_element()) continue;
    const auto infos = mechanism::type_constants(force);
    if (infos.size() == 1) g.z() += viewer.constant(force.id + "." + infos[0].name);
    if (infos.size() != 3) continue;
    for (int i = 0; i < 3; ++i) {
      g[i] += viewer.constant(force.id + "." + infos[static_cast<std::size_t>(i)].name);
    }
  }
  return g.norm() > 0 ? point3(-g / g.norm()) : Point3{0, 0, 1};
}

/// Those whose points say where they act: no weights, no torques.
bool is_drawn(const mechanism::Force& force) {
  const auto* type = mechanism::registry().find_force(force.key);
  return type && type->is_element() && type->measure != "angle" && force.begin && force.end;
}

/// What a force looks like, by its type: those of Parfait are named in families.
void set_look(const mechanism::Force& force, const Viewer& viewer, result::SceneForce& out) {
  const std::string_view key = force.key;
  if (key.starts_with("Z_") || key == "General_Z") out.along = "z";
  if (key.starts_with("Direction_") || key == "General_Direction") out.along = "begin_z";
  if (key.starts_with("Hertz_")) {
    out.look = "contact";
    out.along = key.ends_with("_Sphere") ? "radial" : "begin_z";
  }
  if (!key.starts_with("Muscle") && !key.starts_with("Passive_Muscle")) return;
  out.look = "muscle";
  for (const char* kind : {"cylinder", "sphere"}) {
    if (!key.ends_with(kind[0] == 'c' ? "_Cylinder" : "_Sphere")) continue;
    out.obstacle = result::SceneObstacle{kind, viewer.constant(force.id + ".radius"),
                                         viewer.constant(force.id + ".sense")};
  }
}

/// The largest edge of the box around everything, at the start.
double extent_of(const Description& description, const Viewer& viewer, const result::Scene& scene) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vector3d low = Vector3d::Constant(kInfinity), high = Vector3d::Constant(-kInfinity);
  const auto add = [&](int body, const Point3& p) {
    const Vector3d world = in_world(description, body, p);
    if (!world.allFinite()) return;
    low = low.cwiseMin(world);
    high = high.cwiseMax(world);
  };
  for (const auto& body : description.bodies) {
    const auto com = viewer.marker_place(body.id, "com");
    add(com.body, com.o);
    for (const auto& shape : body.shapes) {
      if (shape.kind == mechanism::Shape::Kind::kOther) continue;
      add(com.body, shape.from), add(com.body, shape.to), add(com.body, shape.o);
    }
  }
  for (const auto& joint : scene.joints) {
    add(joint.begin.body, joint.begin.o), add(joint.end.body, joint.end.o);
  }
  for (const auto& force : scene.forces) {
    for (const auto& end : force.ends) add(end.body, end.o);
  }
  for (const auto& marker : scene.markers) add(marker.place.body, marker.place.o);
  const double extent = (high - low).maxCoeff();
  return std::isfinite(extent) && extent > 0 ? extent : 0;
}

/// Where there is but one point, the size of its body: of a sphere with its inertia.
double lone_extent(const Description& description, const Viewer& viewer) {
  double largest = 0;
  for (const auto& body : description.bodies) {
    const double mass = viewer.constant(body.id + ".mass");
    const double trace = viewer.inertia(body.id).trace();
    if (mass > 0 && trace > 0) largest = std::max(largest, 2 * std::sqrt(5 * trace / (6 * mass)));
  }
  return largest > 0 ? largest : 1;
}

/// The places on each body where something is fastened: joints, forces, and points of interest.
/// These are part of the body unless they are many: then they are something else, a marker set.
std::vector<std::vector<Vector3d>> points_of_bodies(const Description& description,
                                                    const result::Scene& scene) {
  std::vector<std::vector<Vector3d>> points(description.bodies.size());
  const auto add = [&](const result::ScenePlace& place) {
    if (place.body != result::kGround) {
      points[static_cast<std::size_t>(place.body)].push_back(vector(place.o));
    }
  };
  for (const auto& joint : scene.joints) add(joint.begin), add(joint.end);
  for (const auto& force : scene.forces) {
    for (const auto& end : force.ends) add(end);
  }
  for (const auto& marker : scene.markers) {
    if (marker.place.body == result::kGround) continue;
    const auto& body = description.bodies[static_cast<std::size_t>(marker.place.body)];
    if (body.markers.size() <= 2) add(marker.place);
  }
  return points;
}

void add_bodies(const Description& description, const Viewer& viewer, result::Scene& scene) {
  const auto points = points_of_bodies(description, scene);
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    const auto& body = description.bodies[i];
    result::SceneBody out;
    out.id = body.id;
    out.mass = viewer.constant(body.id + ".mass");
    out.com = viewer.marker_place(body.id, "com").o;
    for (const auto& shape : body.shapes) {
      if (shape.kind == mechanism::Shape::Kind::kOther) continue;
      out.shapes.push_back(shape_of(shape, description, scene));
    }
    if (out.shapes.empty()) {
      const BodyOutline outline{points[i], out.mass, vector(out.com), viewer.inertia(body.id)};
      out.shapes = make_up_shapes(outline, scene.extent);
    }
    scene.bodies.push_back(std::move(out));
  }
}

}  // namespace
}  // namespace scene_parts

result::Scene make_scene(const mechanism::Description& description, dynamics::ConstVec p) {
  const scene_parts::Viewer viewer(description, p);
  result::Scene scene;
  scene.model = description.file;
  for (const auto& joint : description.joints) {
    scene.joints.push_back({joint.id, joint.key, viewer.place(joint.id, "begin", joint.begin),
                            viewer.place(joint.id, "end", joint.end)});
  }
  for (const auto& constraint : description.constraints) {
    scene.joints.push_back({constraint.id, "Constraint",
                            viewer.place(constraint.id, "begin", constraint.begin),
                            viewer.place(constraint.id, "end", constraint.end)});
  }
  for (const auto& force : description.forces) {
    if (!scene_parts::is_drawn(force)) continue;
    result::SceneForce out;
    out.id = force.id;
    out.key = force.key;
    out.elastic = mechanism::type_of(force).elastic;
    for (const auto& [name, marker] : mechanism::ends_of(force)) {
      out.ends.push_back(viewer.place(force.id, name, *marker));
    }
    scene_parts::set_look(force, viewer, out);
    scene.forces.push_back(std::move(out));
  }
  for (const auto& body : description.bodies) {
    for (const auto& marker : body.markers) {
      scene.markers.push_back({body.id + "." + marker.id, viewer.marker_place(body.id, marker.id)});
    }
  }
  scene.up = scene_parts::up_of(description, viewer);
  scene.extent = scene_parts::extent_of(description, viewer, scene);
  if (scene.extent == 0) scene.extent = scene_parts::lone_extent(description, viewer);
  for (const auto& shape : description.shapes) {
    if (shape.kind == mechanism::Shape::Kind::kOther) continue;
    scene.ground.push_back(scene_parts::shape_of(shape, description, scene));
  }
  scene_parts::add_bodies(description, viewer, scene);
  return scene;
}

MotionQuantities motion_quantities(const mechanism::Description& description,
                                   const result::Scene& scene) {
  MotionQuantities out;
  out.num_bodies = description.bodies.size();
  for (const auto& body : description.bodies) {
    for (const char* vector : {"origin", "e1", "e2", "e3"}) {
      for (const char axis : {'x', 'y', 'z'})
        out.names.push_back(body.id + "." + vector + "." + axis);
    }
  }
  for (const auto& force : scene.forces) {
    const auto* type = mechanism::registry().find_force(force.key);
    const bool has_strength = type && std::any_of(type->quantities.begin(), type->quantities.end(),
                                                  [](const auto& q) { return q.name == "force"; });
    out.force_columns.push_back(has_strength ? static_cast<int>(out.names.size()) : -1);
    if (has_strength) out.names.push_back(force.id + ".force");
  }
  return out;
}

void append_frame(const MotionQuantities& quantities, dynamics::ConstVec values,
                  result::Motion& motion) {
  for (std::size_t i = 0; i < 12 * quantities.num_bodies; ++i) {
    motion.frames.push_back(static_cast<float>(values[i]));
  }
  for (const int column : quantities.force_columns) {
    motion.forces.push_back(column < 0
                                ? std::numeric_limits<float>::quiet_NaN()
                                : static_cast<float>(values[static_cast<std::size_t>(column)]));
  }
}

}  // namespace parfait::run
