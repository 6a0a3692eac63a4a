#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What can be seen of a mechanism: its bodies as shapes, its joints, forces and markers, and how
/// they move. Plain numbers in m, for whatever draws them.
namespace parfait::result {

using Point3 = std::array<double, 3>;
inline constexpr int kGround = -1;  ///< the index of the world, where a body is asked for

/// Triangles of a mesh file, as it was read.
struct SceneMesh {
  std::string file;
  std::vector<double> vertices;     ///< x, y, z of each
  std::vector<std::int64_t> faces;  ///< three vertices each
  bool operator==(const SceneMesh&) const = default;
};

struct SceneShape {
  /// "box" and "ellipsoid" of `size`, "sphere" of `radius`, "cylinder" and "capsule" of `radius`
  /// between two points, "mesh", "plate": the polygon through `points`, `radius` thick.
  std::string kind;
  Point3 size{0, 0, 0};
  double radius = 0;
  Point3 from{0, 0, 0}, to{0, 0, 0};
  std::vector<Point3> points;
  int mesh = -1;  ///< index of Scene::meshes
  double scale = 1;
  Point3 o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};  ///< its frame in that of the body
  std::string color;                                      ///< "#rrggbb"; empty: any
  double opacity = 1;
  bool made_up = false;  ///< the model gives none: from joints and inertia
  bool operator==(const SceneShape&) const = default;
};

struct SceneBody {
  std::string id;
  double mass = 0;  ///< [kg]
  Point3 com{0, 0, 0};
  std::vector<SceneShape> shapes;
  bool operator==(const SceneBody&) const = default;
};

/// A frame on a body.
struct ScenePlace {
  int body = kGround;
  Point3 o{0, 0, 0}, x{1, 0, 0}, z{0, 0, 1};
  bool operator==(const ScenePlace&) const = default;
};

struct SceneJoint {
  std::string id, key;
  ScenePlace begin, end;
  bool operator==(const SceneJoint&) const = default;
};

/// What the last leg of a muscle goes round: at the end before the last one.
struct SceneObstacle {
  std::string kind;  ///< "cylinder" about z of that end, "sphere"
  double radius = 0;
  double sense = 1;  ///< 1: counterclockwise about z, -1: clockwise
  bool operator==(const SceneObstacle&) const = default;
};

/// A force between points on bodies: a spring, a cable, a muscle, a contact.
struct SceneForce {
  std::string id, key;
  std::vector<ScenePlace> ends;
  bool elastic = false;  ///< drawn as a coil
  /// "muscle": a coloured path through all ends; "contact": the last end touches a surface of the
  /// first; empty: a line or a coil.
  std::string look;
  /// Where it does not act along the line of its ends: "z" of the world, "begin_z", or, of a
  /// contact with a sphere, "radial".
  std::string along;
  std::optional<SceneObstacle> obstacle;
  bool operator==(const SceneForce&) const = default;
};

struct SceneMarker {
  std::string id;  ///< "Load.com"
  ScenePlace place;
  bool operator==(const SceneMarker&) const = default;
};

struct Scene {
  std::string model;   ///< file
  Point3 up{0, 0, 1};  ///< against gravity
  double extent = 1;   ///< how large the model is [m]
  std::vector<SceneMesh> meshes;
  std::vector<SceneShape> ground;  ///< what stands in the world
  std::vector<SceneBody> bodies;
  std::vector<SceneJoint> joints;
  std::vector<SceneForce> forces;
  std::vector<SceneMarker> markers;
  bool operator==(const Scene&) const = default;
};

/// A point of a body that was measured.
struct MeasuredMarker {
  std::string marker;          ///< "Load.com"
  ScenePlace place;            ///< where the model has it
  std::vector<double> t;       ///< [s]
  std::vector<Point3> points;  ///< NaN: this coordinate was not measured
  bool operator==(const MeasuredMarker&) const = default;
};

/// Frames of all bodies over time: o, e1, e2, e3 of each in world coordinates, twelve numbers.
struct Motion {
  std::string experiment;      ///< of a fit
  int scene = 0;               ///< index of the scene that moves
  std::vector<double> t;       ///< [s]
  std::vector<float> frames;   ///< times x bodies x 12
  std::vector<float> initial;  ///< the same before the fit; empty: none
  std::vector<float> forces;   ///< times x forces of the scene [N]; NaN: none
  std::vector<MeasuredMarker> measured;
  bool operator==(const Motion&) const = default;
};

/// Everything that moves in a run.
struct Scenes {
  std::vector<Scene> scenes;
  std::vector<Motion> motions;
  bool empty() const { return motions.empty(); }
  bool operator==(const Scenes&) const = default;
};

/// What result.json says about the files of a motion.
struct MotionFiles {
  std::string experiment;  ///< of a fit
  std::string frames;      ///< "motion.npy": times x bodies x 12, float32
  std::string initial;     ///< the same before the fit; empty: none
  std::string forces;      ///< times x forces, float32; empty: none
  std::vector<std::string> bodies;
  int times = 0;
  bool operator==(const MotionFiles&) const = default;
};

}  // namespace parfait::result
