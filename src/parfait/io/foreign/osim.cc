#include "parfait/io/foreign/osim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "parfait/io/foreign/osim_functions.h"
#include "parfait/io/foreign/placed_bodies.h"
#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace osim {
namespace {

using mechanism::Coordinate;
using mechanism::CoordinateFunction;
using mechanism::Frame;
using mechanism::kInertial;
using mechanism::MotionAxis;
using mechanism::Number3;

/// A frame of the file, or a body: where it lies on a body.
struct PlacedFrame {
  std::string body;  ///< id, or kInertial
  Frame frame;
};

/// A frame as it is written, before it is known where its parent lies.
struct WrittenFrame {
  XmlView element;
  std::string owner;  ///< path of what it belongs to: paths of its sockets begin there
  bool is_body = false;
  std::string body;
};

std::string last_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string parent_path(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "" : path.substr(0, slash);
}

/// `path` as seen from `from`, with . and .. resolved.
std::string joined_path(const std::string& from, const std::string& path) {
  std::vector<std::string> parts;
  const std::string whole = path.starts_with("/") ? path : from + "/" + path;
  std::size_t at = 0;
  while (at <= whole.size()) {
    const auto slash = std::min(whole.find('/', at), whole.size());
    const std::string part = whole.substr(at, slash - at);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = slash + 1;
  }
  std::string out;
  for (const auto& part : parts) out += "/" + part;
  return out;
}

bool is_frame_element(const std::string& name) {
  return name == "PhysicalOffsetFrame" || name == "OffsetFrame";
}

/// What a socket names: <socket_parent_frame> since 4.0, <connectors> in the files before it.
std::optional<std::string> socket(const XmlView& element, const char* name) {
  if (auto text = element.text_of((std::string("socket_") + name).c_str())) return text;
  if (auto text = element.text_of((std::string("socket_") + name + "_connectee_name").c_str())) {
    return text;
  }
  for (const auto& connector : element.child("connectors").children()) {
    if (connector.attribute("name") == name) return connector.text_of("connectee_name");
  }
  return std::nullopt;
}

/// An OpenSim joint with one coordinate per elementary motion.
struct SimpleJoint {
  const char* name;
  /// Letters X Y Z turn, x y z displace: how coordinates are ordered, and how they act.
  const char* coordinates;
  const char* motion;
};
constexpr SimpleJoint kSimpleJoints[] = {
    {"PinJoint", "Z", "Z"},        {"SliderJoint", "x", "x"},     {"UniversalJoint", "XY", "XY"},
    {"BallJoint", "XYZ", "XYZ"},   {"GimbalJoint", "XYZ", "XYZ"}, {"FreeJoint", "XYZxyz", "xyzXYZ"},
    {"PlanarJoint", "Zxy", "Zxy"},
};

class Reader {
 public:
  explicit Reader(const XmlSource& source) : source_(source) {}

  mechanism::Description read();

 private:
  void read_bodies(const XmlView& model);
  void read_old_joint(const XmlView& body, const std::string& id);
  void index_frames(const XmlView& model);
  void read_joint_set(const XmlView& model);
  void read_joint(const XmlView& element, const std::string& name, const PlacedFrame& parent,
                  const PlacedFrame& child);
  std::vector<Coordinate> read_coordinates(const XmlView& element);
  void read_custom(const XmlView& element, mechanism::Joint& joint);
  void read_simple(const XmlView& element, const SimpleJoint& kind, mechanism::Joint& joint);
  void read_constraints(const XmlView& model);
  void read_markers(const XmlView& model);
  void name_the_rest(const XmlView& model);
  const PlacedFrame& place_of(const std::string& path, const std::string& from,
                              const XmlView& asked);
  PlacedFrame body_frame(const std::string& name, const XmlView& asked) const;
  std::vector<XmlView> objects(const XmlView& model, const char* set) const;
  std::string marker_body(const XmlView& marker, Number3& o);

  const XmlSource& source_;
  mechanism::Description out_;
  std::vector<std::string> taken_;               ///< ids of bodies, joints, forces
  std::map<std::string, std::string> body_ids_;  ///< OpenSim's name → id
  std::map<std::string, WrittenFrame> frames_;   ///< by path
  std::map<std::string, PlacedFrame> placed_;
  std::set<std::string> being_placed_;
  std::set<std::string> coordinate_names_;
  std::vector<std::string> taken_coordinates_;
  std::map<std::string, std::string> coordinate_ids_;
  int version_ = 0;
};

std::vector<XmlView> Reader::objects(const XmlView& model, const char* set) const {
  const XmlView found = model.child(set);
  if (found && found.attribute("file")) {
    found.fail(fmt::format("<{}> lies in another file (\"{}\"), which is not read.", set,
                           *found.attribute("file")));
  }
  return found.child("objects").children();
}

PlacedFrame Reader::body_frame(const std::string& name, const XmlView& asked) const {
  if (name == "ground") return {kInertial, frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ)};
  const auto found = body_ids_.find(name);
  if (found == body_ids_.end()) {
    std::vector<std::string> names = {"ground"};
    for (const auto& [body, id] : body_ids_) names.push_back(body);
    asked.fail(fmt::format("\"{}\" is not a body.{} Bodies: {}.", name,
                           base::suggestion(name, names), base::listing(names)));
  }
  return {found->second, frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ)};
}

void Reader::read_bodies(const XmlView& model) {
  const auto bodies = objects(model, "BodySet");
  for (const auto& element : bodies) {
    if (element.name() != "Body") {
      element.fail(fmt::format("<{}> in <BodySet>: only <Body> can be read.", element.name()));
    }
    const std::string name = element.required_attribute("name");
    if (name == "ground") continue;
    if (body_ids_.contains(name)) element.fail(fmt::format("body \"{}\" is there twice.", name));
    mechanism::Body body;
    body.id = free_identifier(name, "_body", taken_);
    body_ids_[name] = body.id;
    body.place = element.place();
    body.mass = element.number_of("mass").value_or(0.0);
    const auto center = element.vector_of("mass_center").value_or(Number3{0, 0, 0});
    for (std::size_t i = 0; i < 3; ++i) body.center_of_mass[i] = center[i];
    double I[6] = {};
    if (const XmlView inertia = element.child("inertia"); inertia && !inertia.text().empty()) {
      const auto numbers = inertia.numbers(6);
      std::copy(numbers.begin(), numbers.end(), I);
    } else {
      constexpr const char* kNames[] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                        "inertia_xy", "inertia_xz", "inertia_yz"};
      for (int i = 0; i < 6; ++i) I[i] = element.number_of(kNames[i]).value_or(0.0);
    }
    body.inertia = {mechanism::Value3{I[0], I[3], I[4]}, mechanism::Value3{I[3], I[1], I[5]},
                    mechanism::Value3{I[4], I[5], I[2]}};
    body.inertia[0][0].place = (element.child("inertia")      ? element.child("inertia")
                                : element.child("inertia_xx") ? element.child("inertia_xx")
                                                              : element)
                                   .place();
    body.mass.place = (element.child("mass") ? element.child("mass") : element).place();
    out_.bodies.push_back(body);
  }
  if (out_.bodies.empty()) model.fail("the model has no bodies but ground.");
}

/// Up to version 3 a body has the joint that carries it inside.
void Reader::read_old_joint(const XmlView& body, const std::string& name) {
  const XmlView holder = body.child("Joint");
  const auto joints = holder ? holder.children() : std::vector<XmlView>{};
  if (joints.empty()) {
    body.fail(fmt::format("body \"{}\" has no joint.", name));
  }
  const XmlView& element = joints.front();
  const auto parent_name = element.text_of("parent_body");
  if (!parent_name) element.fail("the joint has no <parent_body>.");
  PlacedFrame parent = body_frame(*parent_name, element.child("parent_body"));
  PlacedFrame child = body_frame(name, element);
  const auto zero = Number3{0, 0, 0};
  parent.frame =
      frame_at(element.vector_of("location_in_parent").value_or(zero),
               element.vector_of("orientation_in_parent").value_or(zero), AngleOrder::kBodyXYZ);
  child.frame = frame_at(element.vector_of("location").value_or(zero),
                         element.vector_of("orientation").value_or(zero), AngleOrder::kBodyXYZ);
  const auto joint_name = element.attribute("name").value_or("");
  read_joint(element, joint_name.empty() ? name + "_joint" : joint_name, parent, child);
}

/// Since version 4 joints connect frames: bodies, or offset frames anywhere in the model.
void Reader::index_frames(const XmlView& model) {
  frames_["/ground"] = {{}, "", true, "ground"};
  const auto add_frames = [&](const XmlView& holder, const std::string& owner,
                              auto&& self) -> void {
    if (!holder) return;
    for (const auto& child : holder.children()) {
      if (is_frame_element(child.name())) {
        const std::string path = owner + "/" + child.required_attribute("name");
        frames_[path] = {child, path, false, ""};
        self(child.child("components"), path, self);
      }
    }
  };
  for (const auto& body : objects(model, "BodySet")) {
    const std::string name = body.required_attribute("name"), path = "/bodyset/" + name;
    frames_[path] = {body, path, true, name};
    add_frames(body.child("components"), path, add_frames);
  }
  add_frames(model.child("Ground").child("components"), "/ground", add_frames);
  add_frames(model.child("components"), "", add_frames);
  for (const auto& component : objects(model, "ComponentSet")) {
    if (!is_frame_element(component.name())) continue;
    const std::string path = "/componentset/" + component.required_attribute("name");
    frames_[path] = {component, path, false, ""};
  }
  for (const auto& joint : objects(model, "JointSet")) {
    const std::string path = "/jointset/" + joint.required_attribute("name");
    add_frames(joint.child("frames"), path, add_frames);
    add_frames(joint.child("components"), path, add_frames);
  }
}

const PlacedFrame& Reader::place_of(const std::string& text, const std::string& from,
                                    const XmlView& asked) {
  // As seen from its owner, or from what that belongs to; files before 4.0 give bare names.
  std::string path;
  for (std::string owner = from;; owner = parent_path(owner)) {
    const std::string candidate = joined_path(owner, text);
    if (frames_.contains(candidate)) {
      path = candidate;
      break;
    }
    if (owner.empty() || text.starts_with("/")) break;
  }
  if (path.empty()) {
    const std::string name = last_name(text);
    if (name == "ground") path = "/ground";
    if (frames_.contains("/bodyset/" + name)) path = "/bodyset/" + name;
    int found = 0;
    for (const auto& [known, frame] : frames_) {
      if (path.empty() || found > 0) {
        if (last_name(known) != name) continue;
        path = known;
        ++found;
      }
    }
    if (found > 1) {
      asked.fail(fmt::format("\"{}\": {} frames have this name; give the path.", text, found));
    }
  }
  if (path.empty()) {
    std::vector<std::string> names;
    for (const auto& [known, frame] : frames_) names.push_back(known);
    asked.fail(fmt::format("\"{}\" is not a frame.{} Frames: {}.", text,
                           base::suggestion(text, names), base::listing(names)));
  }
  if (const auto known = placed_.find(path); known != placed_.end()) return known->second;
  const WrittenFrame& frame = frames_.at(path);
  if (frame.is_body) return placed_[path] = body_frame(frame.body, asked);
  if (being_placed_.size() > 500) frame.element.fail("frames are chained more than 500 deep.");
  if (!being_placed_.insert(path).second) {
    frame.element.fail(fmt::format("frame \"{}\" hangs on itself.", last_name(path)));
  }
  const auto parent = socket(frame.element, "parent");
  if (!parent) frame.element.fail(fmt::format("frame \"{}\" has no parent.", last_name(path)));
  const PlacedFrame& base = place_of(*parent, frame.owner, frame.element);
  const auto zero = Number3{0, 0, 0};
  const Frame own =
      frame_at(frame.element.vector_of("translation").value_or(zero),
               frame.element.vector_of("orientation").value_or(zero), AngleOrder::kBodyXYZ);
  being_placed_.erase(path);
  return placed_[path] = {base.body, composed(base.frame, own)};
}

void Reader::read_joint_set(const XmlView& model) {
  for (const auto& element : objects(model, "JointSet")) {
    const std::string name = element.required_attribute("name"), path = "/jointset/" + name;
    const auto parent = socket(element, "parent_frame"), child = socket(element, "child_frame");
    if (!parent) element.fail(fmt::format("joint \"{}\" has no parent frame.", name));
    if (!child) element.fail(fmt::format("joint \"{}\" has no child frame.", name));
    const PlacedFrame from = place_of(*parent, path, element);
    const PlacedFrame to = place_of(*child, path, element);
    if (from.body == to.body) {
      element.fail(fmt::format("joint \"{}\": both of its frames lie on \"{}\".", name, from.body));
    }
    read_joint(element, name, from, to);
  }
}

std::vector<Coordinate> Reader::read_coordinates(const XmlView& element) {
  // <CoordinateSet><objects> up to version 3, <coordinates> since.
  std::vector<XmlView> written = element.child("coordinates").children("Coordinate");
  for (const auto& each : element.child("CoordinateSet").child("objects").children("Coordinate")) {
    written.push_back(each);
  }
  std::vector<Coordinate> out;
  for (const auto& each : written) {
    Coordinate c;
    const std::string name = each.required_attribute("name");
    if (!coordinate_names_.insert(name).second) {
      each.fail(fmt::format("coordinate \"{}\" is there twice.", name));
    }
    c.id = free_identifier(name, "_coordinate", taken_coordinates_);
    coordinate_ids_[name] = c.id;
    c.place = each.place();
    c.initial = each.number_of("default_value").value_or(0.0);
    c.rate = each.number_of("default_speed_value").value_or(0.0);
    if (const XmlView range = each.child("range"); range && !range.text().empty()) {
      // Infinity is a range, too.
      const auto words = words_of(range.text());
      const auto is_infinite = [](const std::string& word) {
        const auto parsed = parse_number(word);
        return parsed.kind == NumberKind::kNotFinite && !std::isnan(parsed.value);
      };
      if (words.size() == 2 && (is_infinite(words[0]) || is_infinite(words[1]))) {
        c.lower = parse_number(words[0]).value;
        c.upper = parse_number(words[1]).value;
      } else {
        const auto numbers = range.numbers(2);
        c.lower = numbers[0];
        c.upper = numbers[1];
      }
      if (c.lower > c.upper) {
        range.fail(fmt::format("coordinate \"{}\": its range begins at {} and ends at {}.", name,
                               c.lower, c.upper));
      }
    }
    c.clamped = each.truth_of("clamped").value_or(false);
    c.locked = each.truth_of("locked").value_or(false);
    if (each.truth_of("prescribed").value_or(false) &&
        !each.child("prescribed_function").children().empty()) {
      out_.left_out.push_back(fmt::format(
          "{}: coordinate \"{}\": its prescribed motion is left out.", each.place().text(), name));
    }
    out.push_back(c);
  }
  return out;
}

MotionAxis axis_of(char letter, const std::string& coordinate) {
  MotionAxis axis;
  axis.turns = letter <= 'Z';
  const int k = axis.turns ? letter - 'X' : letter - 'x';
  axis.axis = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
  axis.coordinate = coordinate;
  return axis;
}

void Reader::read_simple(const XmlView& element, const SimpleJoint& kind, mechanism::Joint& joint) {
  const std::string_view letters = kind.coordinates;
  auto& coordinates = joint.motion.coordinates;
  if (coordinates.empty()) {  // OpenSim makes them up
    for (std::size_t i = 0; i < letters.size(); ++i) {
      Coordinate c;
      c.id = free_identifier(fmt::format("{}_coord_{}", joint.id, i), "_coordinate",
                             taken_coordinates_);
      c.place = element.place();
      coordinate_ids_[c.id] = c.id;
      coordinate_names_.insert(c.id);
      coordinates.push_back(c);
    }
  }
  if (coordinates.size() != letters.size()) {
    element.fail(fmt::format("a {} has {} coordinate{}, found {}.", kind.name, letters.size(),
                             letters.size() == 1 ? "" : "s", coordinates.size()));
  }
  for (const char letter : std::string_view(kind.motion)) {
    const std::size_t which = letters.find(letter);
    coordinates[which].kind =
        letter <= 'Z' ? Coordinate::Kind::kRotation : Coordinate::Kind::kTranslation;
    joint.motion.axes.push_back(axis_of(letter, coordinates[which].id));
  }
}

void Reader::read_custom(const XmlView& element, mechanism::Joint& joint) {
  const XmlView transform = element.child("SpatialTransform");
  if (!transform) element.fail("the CustomJoint has no <SpatialTransform>.");
  std::map<std::string, XmlView> axes;
  for (const auto& axis : transform.children("TransformAxis")) {
    axes[axis.required_attribute("name")] = axis;
  }
  // <objects> in some old files.
  for (const auto& axis : transform.child("objects").children("TransformAxis")) {
    axes[axis.required_attribute("name")] = axis;
  }
  for (const auto& [name, axis] : axes) {
    constexpr const char* kAxes[] = {"rotation1",    "rotation2",    "rotation3",
                                     "translation1", "translation2", "translation3"};
    if (std::find(std::begin(kAxes), std::end(kAxes), name) != std::end(kAxes)) continue;
    axis.fail(
        fmt::format("<TransformAxis> \"{}\": must be rotation1 … 3 or translation1 … 3.", name));
  }
  auto& coordinates = joint.motion.coordinates;
  std::vector<bool> turns(coordinates.size(), false), slides(coordinates.size(), false);
  for (const char* name :
       {"translation1", "translation2", "translation3", "rotation1", "rotation2", "rotation3"}) {
    const auto found = axes.find(name);
    if (found == axes.end()) continue;  // no motion
    const XmlView& written = found->second;
    MotionAxis axis;
    axis.place = written.place();
    axis.turns = name[0] == 'r';
    const int k = name[axis.turns ? 8 : 11] - '1';
    axis.axis = written.vector_of("axis").value_or(
        Number3{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0});
    if (axis.axis == Number3{0, 0, 0}) {
      written.child("axis").fail(fmt::format("{}: the axis has no direction.", name));
    }
    std::optional<XmlView> function;
    for (const auto& child : written.children()) {
      if (is_osim_function(child.name())) function = child;
      if (child.name() != "function") continue;
      const auto inside = child.children();
      if (inside.size() == 1) function = inside[0];
    }
    const auto names = words_of(written.child("coordinates").text());
    if (names.size() > 1) {
      written.fail(fmt::format("{}: a function of {} coordinates cannot be represented.", name,
                               names.size()));
    }
    axis.function = function        ? read_osim_function(*function)
                    : names.empty() ? CoordinateFunction::constant(0)
                                    : CoordinateFunction{};
    const auto& f = axis.function;
    const bool is_constant = f.kind == CoordinateFunction::Kind::kLinear && f.constants[0] == 0;
    if (is_constant) {
      if (f.constants[1] == 0) continue;
    } else if (names.empty()) {
      written.fail(fmt::format("{}: its function needs a coordinate.", name));
    } else {
      std::size_t which = 0;
      const auto id = coordinate_ids_.find(names[0]);
      const std::string wanted = id == coordinate_ids_.end() ? names[0] : id->second;
      while (which < coordinates.size() && coordinates[which].id != wanted) ++which;
      if (which == coordinates.size()) {
        std::vector<std::string> ids;
        ids.reserve(coordinates.size());
        for (const auto& c : coordinates) ids.push_back(c.id);
        written.fail(fmt::format("{}: \"{}\" is not a coordinate of this joint.{} Coordinates: {}.",
                                 name, names[0], base::suggestion(names[0], ids),
                                 ids.empty() ? "none" : base::listing(ids)));
      }
      axis.coordinate = coordinates[which].id;
      const bool is_direct = f.kind == CoordinateFunction::Kind::kLinear &&
                             std::abs(std::abs(f.constants[0]) - 1) < 1e-9;
      if (is_direct) (axis.turns ? turns : slides)[which] = true;
    }
    joint.motion.axes.push_back(axis);
  }
  // OpenSim: a coordinate is an angle (and in degrees in motion files) if it turns something one to
  // one.
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    coordinates[i].kind = turns[i]    ? Coordinate::Kind::kRotation
                          : slides[i] ? Coordinate::Kind::kTranslation
                                      : Coordinate::Kind::kMixed;
  }
  std::erase_if(coordinates, [&](const Coordinate& c) {
    const bool moves = std::any_of(joint.motion.axes.begin(), joint.motion.axes.end(),
                                   [&](const MotionAxis& axis) { return axis.coordinate == c.id; });
    if (!moves) {
      out_.left_out.push_back(fmt::format("{}: coordinate \"{}\" moves nothing and is left out.",
                                          c.place.text(), c.id));
    }
    return !moves;
  });
}

void Reader::read_joint(const XmlView& element, const std::string& name, const PlacedFrame& parent,
                        const PlacedFrame& child) {
  mechanism::Joint joint;
  joint.id = free_identifier(name, "_joint", taken_);
  joint.place = element.place();
  joint.begin.body = parent.body;
  joint.begin.frame = parent.frame;
  joint.begin.place = joint.place;
  joint.end.body = child.body;
  joint.end.frame = child.frame;
  joint.end.place = joint.place;
  joint.motion.coordinates = read_coordinates(element);
  const std::string kind = element.name();
  const auto simple = std::find_if(std::begin(kSimpleJoints), std::end(kSimpleJoints),
                                   [&](const SimpleJoint& known) { return known.name == kind; });
  if (kind == "WeldJoint") {
    joint.motion.coordinates.clear();
  } else if (kind == "CustomJoint") {
    read_custom(element, joint);
  } else if (simple != std::end(kSimpleJoints)) {
    read_simple(element, *simple, joint);
  } else {
    std::vector<std::string> known = {"WeldJoint", "CustomJoint"};
    for (const auto& each : kSimpleJoints) known.emplace_back(each.name);
    element.fail(fmt::format("joint \"{}\": the kind {} cannot be represented.{} Joints: {}.", name,
                             kind, base::suggestion(kind, known), base::listing(known)));
  }
  if (joint.motion.coordinates.empty()) {
    // Constant displacements and turns belong to the frame.
    joint.key = "Fixed";
    for (const auto& axis : joint.motion.axes) {
      joint.begin.frame = moved(joint.begin.frame, axis, axis.function.constants[1]);
    }
    joint.motion.axes.clear();
  } else {
    joint.key = mechanism::kAxesJoint;
  }
  // A reversed joint describes how the parent moves as seen from the child.
  if (element.truth_of("reverse").value_or(false)) std::swap(joint.begin, joint.end);
  out_.joints.push_back(joint);
}

void Reader::read_constraints(const XmlView& model) {
  for (const auto& element : objects(model, "ConstraintSet")) {
    const std::string name = element.attribute("name").value_or(""), kind = element.name();
    const bool enforced = element.truth_of("isEnforced").value_or(true) &&
                          !element.truth_of("isDisabled").value_or(false);
    if (!enforced) {
      out_.left_out.push_back(fmt::format("{}: {} \"{}\" is disabled and is left out.",
                                          element.place().text(), kind, name));
      continue;
    }
    if (kind == "CoordinateCouplerConstraint") {
      mechanism::Coupling coupling;
      coupling.place = element.place();
      const auto id_of = [&](const char* field) {
        const auto text = element.text_of(field);
        if (!text) element.fail(fmt::format("coupler \"{}\" needs <{}>.", name, field));
        const auto words = words_of(*text);
        if (words.size() != 1) {
          element.child(field).fail(
              fmt::format("coupler \"{}\": a function of {} coordinates cannot be represented.",
                          name, words.size()));
        }
        const std::string word = last_name(words[0]);
        const auto found = coordinate_ids_.find(word);
        if (found == coordinate_ids_.end()) {
          std::vector<std::string> names(coordinate_names_.begin(), coordinate_names_.end());
          element.child(field).fail(
              fmt::format("\"{}\" is not a coordinate.{}", word, base::suggestion(word, names)));
        }
        return found->second;
      };
      coupling.coordinate = id_of("dependent_coordinate_name");
      coupling.follows = id_of("independent_coordinate_names");
      const auto function = coupler_function(element);
      if (!function) {
        element.fail(fmt::format("coupler \"{}\" has no <coupled_coordinates_function>.", name));
      }
      coupling.function = read_osim_function(*function);
      const double scale = element.number_of("scale_factor").value_or(1.0);
      for (double& c : coupling.function.constants) c *= scale;
      out_.couplings.push_back(coupling);
      continue;
    }
    out_.left_out.push_back(
        fmt::format("{}: {} \"{}\" is left out.", element.place().text(), kind, name));
  }
  // Chains: what follows a follower follows its leader, where the second function is linear.
  for (auto& coupling : out_.couplings) {
    for (std::size_t step = 0; step < out_.couplings.size(); ++step) {
      const auto next =
          std::find_if(out_.couplings.begin(), out_.couplings.end(),
                       [&](const auto& other) { return other.coordinate == coupling.follows; });
      if (next == out_.couplings.end() || !coupling.function.is_identity()) break;
      coupling.function = next->function;
      coupling.follows = next->follows;
    }
  }
}

std::string Reader::marker_body(const XmlView& marker, Number3& o) {
  if (const auto body = marker.text_of("body")) {
    return body_frame(*body, marker.child("body")).body;
  }
  const auto path = socket(marker, "parent_frame");
  if (!path) {
    marker.fail(fmt::format("marker \"{}\" has no body.", marker.attribute("name").value_or("")));
  }
  const PlacedFrame& frame =
      place_of(*path, "/markerset/" + marker.attribute("name").value_or(""), marker);
  o = point_outside(frame.frame, o);
  return frame.body;
}

void Reader::read_markers(const XmlView& model) {
  const XmlView set = model.child("MarkerSet");
  if (set && set.attribute("file")) {
    out_.left_out.push_back(fmt::format("{}: the markers lie in \"{}\", which is not read.",
                                        set.place().text(), *set.attribute("file")));
    return;
  }
  std::set<std::string> names;
  for (const auto& element : objects(model, "MarkerSet")) {
    mechanism::SkinMarker marker;
    marker.name = element.required_attribute("name");
    marker.place = element.place();
    if (!names.insert(marker.name).second) {
      element.fail(fmt::format("marker \"{}\" is there twice.", marker.name));
    }
    marker.o = element.vector_of("location").value_or(Number3{0, 0, 0});
    marker.body = marker_body(element, marker.o);
    marker.fixed = element.truth_of("fixed").value_or(false);
    out_.skin_markers.push_back(marker);
  }
}

/// What the file has besides, by kind and number.
void Reader::name_the_rest(const XmlView& model) {
  for (const char* set : {"ForceSet", "ContactGeometrySet", "ControllerSet", "ProbeSet"}) {
    std::map<std::string, int> kinds;
    std::vector<std::string> order;
    const auto found = model.child(set).child("objects").children();
    for (const auto& element : found) {
      if (kinds[element.name()]++ == 0) order.push_back(element.name());
    }
    if (order.empty()) continue;
    std::string text;
    for (const auto& kind : order) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kinds[kind], kind);
    }
    out_.left_out.push_back(
        fmt::format("{}: {}: left out: {}.", model.child(set).place().text(), set, text));
  }
}

mechanism::Description Reader::read() {
  const XmlView root(source_, source_.root());
  out_.file = source_.file();
  const XmlView model = root.name() == "Model" ? root : root.child("Model");
  if (!model) root.fail("<OpenSimDocument> has no <Model>: only models can be read here.");
  if (const auto version = root.attribute("Version")) {
    const auto numbers = root.attribute_numbers("Version", 1);
    version_ = static_cast<int>(std::clamp((*numbers)[0], 0.0, 1e9));
    if (version_ >= 50000) {
      root.fail(
          fmt::format("version {} of the file format is not known; 1.09 to 4.x are.", *version));
    }
  }
  std::vector<std::string> no_ids;
  out_.id = free_identifier(model.attribute("name").value_or("model"), "", no_ids);
  taken_ = {"gravity", "Gravitation"};
  read_bodies(model);
  if (model.child("JointSet")) {
    index_frames(model);
    read_joint_set(model);
  } else {
    for (const auto& element : objects(model, "BodySet")) {
      const std::string name = element.required_attribute("name");
      if (name != "ground") read_old_joint(element, name);
    }
  }
  read_constraints(model);
  read_markers(model);
  name_the_rest(model);
  mechanism::Force gravity;
  gravity.key = "Gravitation";
  gravity.id = "gravity";
  gravity.place = (model.child("gravity") ? model.child("gravity") : model).place();
  const auto g = model.vector_of("gravity").value_or(Number3{0, -9.80665, 0});
  for (std::size_t i = 0; i < 3; ++i) {
    gravity.constants.push_back({std::string("g") + "xyz"[i], g[i]});
  }
  out_.forces.push_back(gravity);
  place_bodies(out_);
  return out_;
}

}  // namespace
}  // namespace osim

mechanism::Description read_osim(const XmlSource& source) {
  return osim::Reader(source).read();
}

mechanism::Description read_osim_text(std::string_view text, const std::string& file_name) {
  return read_osim(XmlSource(text, file_name));
}

mechanism::Description read_osim(const std::filesystem::path& file) {
  return read_osim_text(read_text_file(file), file.string());
}

}  // namespace parfait::io
