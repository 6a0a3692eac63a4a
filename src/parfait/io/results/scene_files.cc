#include "parfait/io/results/scene_files.h"

#include <fmt/format.h>

#include "parfait/io/results/json_archive.h"
#include "parfait/io/text/npy.h"

namespace parfait::io {
namespace scene_files_format {
namespace {

/// A point as [x, y, z]; NaN as null.
void point(JsonWriter& a, const char* key, const result::Point3& p) {
  a(key, std::vector<double>(p.begin(), p.end()));
}

void point(JsonReader& a, const char* key, result::Point3& p) {
  std::vector<double> numbers;
  a(key, numbers);
  if (numbers.size() != 3) JsonReader(a.at(key), a.path(key)).fail("must have three numbers");
  std::copy(numbers.begin(), numbers.end(), p.begin());
}

/// Points, one after the other, in one list.
void points(JsonWriter& a, const char* key, const std::vector<result::Point3>& list) {
  std::vector<double> numbers;
  for (const auto& p : list) numbers.insert(numbers.end(), p.begin(), p.end());
  a.unless_empty(key, numbers);
}

void points(JsonReader& a, const char* key, std::vector<result::Point3>& list) {
  std::vector<double> numbers;
  a.unless_empty(key, numbers);
  if (numbers.size() % 3 != 0) a.fail("has a list of points with a part of one");
  list.clear();
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    list.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
}

}  // namespace
}  // namespace scene_files_format

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneMesh> mesh) {
  a("file", mesh.file);
  a("vertices", mesh.vertices);
  a("faces", mesh.faces);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneShape> shape) {
  namespace format = scene_files_format;
  a("kind", shape.kind);
  format::point(a, "size", shape.size);
  a("radius", shape.radius);
  format::point(a, "from", shape.from);
  format::point(a, "to", shape.to);
  format::points(a, "points", shape.points);
  a("mesh", shape.mesh);
  a("scale", shape.scale);
  format::point(a, "o", shape.o);
  format::point(a, "x", shape.x);
  format::point(a, "y", shape.y);
  format::point(a, "z", shape.z);
  a("color", shape.color);
  a("opacity", shape.opacity);
  a("made_up", shape.made_up);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneBody> body) {
  a("id", body.id);
  a("mass", body.mass);
  scene_files_format::point(a, "com", body.com);
  a("shapes", body.shapes);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ScenePlace> place) {
  a("body", place.body);
  scene_files_format::point(a, "o", place.o);
  scene_files_format::point(a, "x", place.x);
  scene_files_format::point(a, "z", place.z);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneJoint> joint) {
  a("id", joint.id);
  a("key", joint.key);
  a("begin", joint.begin);
  a("end", joint.end);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneObstacle> obstacle) {
  a("kind", obstacle.kind);
  a("radius", obstacle.radius);
  a("sense", obstacle.sense);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneForce> force) {
  a("id", force.id);
  a("key", force.key);
  a("ends", force.ends);
  a("elastic", force.elastic);
  a.unless_empty("look", force.look);
  a.unless_empty("along", force.along);
  a.optional("obstacle", force.obstacle);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SceneMarker> marker) {
  a("id", marker.id);
  a("place", marker.place);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Scene> scene) {
  a("model", scene.model);
  scene_files_format::point(a, "up", scene.up);
  a("extent", scene.extent);
  a("meshes", scene.meshes);
  a("ground", scene.ground);
  a("bodies", scene.bodies);
  a("joints", scene.joints);
  a("forces", scene.forces);
  a("markers", scene.markers);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::MeasuredMarker> marker) {
  a("marker", marker.marker);
  a("place", marker.place);
  a("t", marker.t);
  scene_files_format::points(a, "points", marker.points);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Motion> motion) {
  a("experiment", motion.experiment);
  a("scene", motion.scene);
  a("t", motion.t);
  a("measured", motion.measured);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Scenes> scenes) {
  a.derived("program", "parfait");
  a.derived("format", result::kFormat);
  a("scenes", scenes.scenes);
  a("motions", scenes.motions);
}

std::vector<result::MotionFiles> motion_files(const result::Scenes& scenes) {
  std::vector<result::MotionFiles> out;
  for (const auto& motion : scenes.motions) {
    const std::string number = out.empty() ? "" : fmt::format("_{}", out.size() + 1);
    auto& files = out.emplace_back();
    files.experiment = motion.experiment;
    files.frames = fmt::format("motion{}.npy", number);
    if (!motion.initial.empty()) files.initial = fmt::format("motion_initial{}.npy", number);
    if (!motion.forces.empty()) files.forces = fmt::format("forces{}.npy", number);
    files.times = static_cast<int>(motion.t.size());
    for (const auto& body : scenes.scenes[static_cast<std::size_t>(motion.scene)].bodies) {
      files.bodies.push_back(body.id);
    }
  }
  return out;
}

std::string scene_text(const result::Scenes& scenes) {
  return JsonWriter::value_of(scenes).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::pair<std::string, std::string>> scene_files(const result::Scenes& scenes) {
  std::vector<std::pair<std::string, std::string>> out;
  if (scenes.empty()) return out;
  out.emplace_back("scene.json", scene_text(scenes));
  const auto files = motion_files(scenes);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& motion = scenes.motions[i];
    const std::size_t times = motion.t.size(), bodies = files[i].bodies.size();
    out.emplace_back(files[i].frames, npy_bytes(motion.frames, {times, bodies, 12}));
    if (!files[i].initial.empty()) {
      out.emplace_back(files[i].initial, npy_bytes(motion.initial, {times, bodies, 12}));
    }
    if (!files[i].forces.empty()) {
      out.emplace_back(files[i].forces,
                       npy_bytes(motion.forces, {times, motion.forces.size() / times}));
    }
  }
  return out;
}

result::Scenes read_scenes(const std::vector<result::MotionFiles>& files, std::string_view scene,
                           const std::function<std::string(const std::string& name)>& read) {
  const Json json = Json::parse(scene, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw base::InputError("scene.json: is not JSON.");
  result::Scenes out;
  JsonReader reader(json, "scene.json: ");
  fields(reader, out);
  if (out.motions.size() != files.size()) {
    throw base::InputError(fmt::format("scene.json: has {} motions, result.json lists {}.",
                                       out.motions.size(), files.size()));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto& motion = out.motions[i];
    if (motion.scene < 0 || static_cast<std::size_t>(motion.scene) >= out.scenes.size()) {
      throw base::InputError(fmt::format("scene.json: motions[{}].scene does not exist.", i));
    }
    const auto& s = out.scenes[static_cast<std::size_t>(motion.scene)];
    const auto array = [&](const std::string& name, const std::vector<std::size_t>& shape) {
      if (name.empty()) return std::vector<float>();
      auto found = read_npy(read(name), name);
      if (found.shape != shape) {
        throw base::InputError(fmt::format("{}: has not the shape that scene.json needs.", name));
      }
      return std::move(found.values);
    };
    motion.frames = array(files[i].frames, {motion.t.size(), s.bodies.size(), 12});
    motion.initial = array(files[i].initial, {motion.t.size(), s.bodies.size(), 12});
    motion.forces = array(files[i].forces, {motion.t.size(), s.forces.size()});
  }
  return out;
}

}  // namespace parfait::io
