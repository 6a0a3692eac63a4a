#include "parfait/io/foreign/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "parfait/io/foreign/placed_bodies.h"
#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace urdf {
namespace {

using mechanism::Coordinate;
using mechanism::Frame;
using mechanism::kInertial;
using mechanism::MotionAxis;
using mechanism::Number3;

constexpr std::array kJointTypes{"revolute", "continuous", "prismatic",
                                 "fixed",    "floating",   "planar"};

struct Joint {
  std::string name, type, parent, child;
  XmlView element;
  Frame origin;
};

struct Link {
  XmlView element;
  int joint = -1;  ///< that carries it; -1: the root
  /// The body it belongs to, and its frame there.
  std::string body;
  Frame frame;
  bool placed = false;
};

Frame origin_of(const XmlView& element) {
  const XmlView origin = element.child("origin");
  Number3 xyz{0, 0, 0}, rpy{0, 0, 0};
  if (origin) {
    if (const auto given = origin.attribute_numbers("xyz", 3)) {
      xyz = {(*given)[0], (*given)[1], (*given)[2]};
    }
    if (const auto given = origin.attribute_numbers("rpy", 3)) {
      rpy = {(*given)[0], (*given)[1], (*given)[2]};
    }
  }
  return frame_at(xyz, rpy, AngleOrder::kFixedXYZ);
}

double required_number(const XmlView& element, const char* name) {
  const auto numbers = element.attribute_numbers(name, 1);
  if (!numbers) element.fail(fmt::format("<{}> needs the attribute \"{}\".", element.name(), name));
  return (*numbers)[0];
}

double number_or(const XmlView& element, const char* name, double fallback) {
  const auto numbers = element ? element.attribute_numbers(name, 1) : std::nullopt;
  return numbers ? (*numbers)[0] : fallback;
}

/// Mass, centre and tensor about the centre, in the axes of a body.
struct Mass {
  double m = 0;
  Number3 c{0, 0, 0};
  std::array<Number3, 3> I{};  ///< rows
};

std::array<Number3, 3> turned_tensor(const Frame& frame, const std::array<Number3, 3>& I) {
  const std::array<Number3, 3> R{numbers_of(frame.x), numbers_of(frame.y), numbers_of(frame.z)};
  std::array<Number3, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t l = 0; l < 3; ++l) out[i][j] += R[k][i] * I[k][l] * R[l][j];
      }
    }
  }
  return out;
}

/// m (|d|^2 1 - d d^T) added to a tensor.
void add_steiner(double m, const Number3& d, std::array<Number3, 3>& I) {
  const double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) I[i][j] += m * ((i == j ? dd : 0.0) - d[i] * d[j]);
  }
}

Mass joined(const Mass& a, const Mass& b) {
  Mass out;
  out.m = a.m + b.m;
  for (std::size_t i = 0; i < 3; ++i) {
    out.c[i] = out.m > 0 ? (a.m * a.c[i] + b.m * b.c[i]) / out.m : 0.0;
    for (std::size_t j = 0; j < 3; ++j) out.I[i][j] = a.I[i][j] + b.I[i][j];
  }
  for (const Mass* part : {&a, &b}) {
    add_steiner(part->m, {part->c[0] - out.c[0], part->c[1] - out.c[1], part->c[2] - out.c[2]},
                out.I);
  }
  return out;
}

/// The <inertial> of a link in the axes of its body.
Mass mass_of(const XmlView& link, const Frame& frame) {
  Mass out;
  const XmlView inertial = link.child("inertial");
  if (!inertial) return out;
  const XmlView mass = inertial.child("mass"), inertia = inertial.child("inertia");
  if (!mass) inertial.fail("<inertial> needs <mass>.");
  out.m = required_number(mass, "value");
  if (out.m < 0) mass.fail(fmt::format("mass = {}: must not be negative.", out.m));
  const Frame center = composed(frame, origin_of(inertial));
  out.c = numbers_of(center.o);
  if (!inertia) return out;
  const double xx = required_number(inertia, "ixx"), yy = required_number(inertia, "iyy"),
               zz = required_number(inertia, "izz"), xy = number_or(inertia, "ixy", 0),
               xz = number_or(inertia, "ixz", 0), yz = number_or(inertia, "iyz", 0);
  out.I = turned_tensor(center, {Number3{xx, xy, xz}, Number3{xy, yy, yz}, Number3{xz, yz, zz}});
  return out;
}

class Reader {
 public:
  Reader(const XmlSource& source, const UrdfOptions& options)
      : source_(source), options_(options) {}

  mechanism::Description read();

 private:
  void read_links(const XmlView& robot);
  void read_joints(const XmlView& robot);
  void find_root(const XmlView& robot);
  void place(const std::string& name);
  void place_after_parent(const std::string& name, Link& link);
  void add_body(const std::string& name, Link& link);
  void add_joint(const Joint& joint, const Link& parent, const std::string& body);
  void add_mimics();
  void add_shapes(const Link& link);
  void name_the_rest(const XmlView& robot);

  const XmlSource& source_;
  UrdfOptions options_;
  mechanism::Description out_;
  std::vector<std::string> order_;  ///< of links
  std::map<std::string, Link> links_;
  std::vector<Joint> joints_;
  std::string root_;
  std::vector<std::string> taken_{"gravity"}, taken_coordinates_;
  std::map<std::string, Mass> masses_;                ///< by body
  std::map<std::string, std::string> coordinate_of_;  ///< joint → coordinate
};

void Reader::read_links(const XmlView& robot) {
  for (const auto& element : robot.children("link")) {
    const std::string name = element.required_attribute("name");
    if (!links_.emplace(name, Link{element, -1, "", {}, false}).second) {
      element.fail(fmt::format("link \"{}\" is there twice.", name));
    }
    order_.push_back(name);
  }
  if (links_.empty()) robot.fail("the robot has no links.");
}

void Reader::read_joints(const XmlView& robot) {
  std::set<std::string> names;
  for (const auto& element : robot.children("joint")) {
    Joint joint;
    joint.element = element;
    joint.name = element.required_attribute("name");
    joint.type = element.required_attribute("type");
    if (!names.insert(joint.name).second) {
      element.fail(fmt::format("joint \"{}\" is there twice.", joint.name));
    }
    if (std::find(kJointTypes.begin(), kJointTypes.end(), joint.type) == kJointTypes.end()) {
      const std::vector<std::string> known(kJointTypes.begin(), kJointTypes.end());
      element.fail(fmt::format("joint \"{}\": unknown type \"{}\".{} Types: {}.", joint.name,
                               joint.type, base::suggestion(joint.type, known),
                               base::listing(known)));
    }
    for (auto [tag, link] :
         {std::pair{"parent", &joint.parent}, std::pair{"child", &joint.child}}) {
      const XmlView end = element.child(tag);
      if (!end) element.fail(fmt::format("joint \"{}\" needs <{}>.", joint.name, tag));
      *link = end.required_attribute("link");
      if (links_.contains(*link)) continue;
      end.fail(fmt::format("joint \"{}\": \"{}\" is not a link.{} Links: {}.", joint.name, *link,
                           base::suggestion(*link, order_), base::listing(order_)));
    }
    Link& child = links_.at(joint.child);
    if (child.joint >= 0) {
      element.fail(fmt::format("joint \"{}\": link \"{}\" is already carried by joint \"{}\".",
                               joint.name, joint.child, joints_[child.joint].name));
    }
    if (joint.parent == joint.child) {
      element.fail(
          fmt::format("joint \"{}\" connects link \"{}\" with itself.", joint.name, joint.child));
    }
    child.joint = static_cast<int>(joints_.size());
    joint.origin = origin_of(element);
    joints_.push_back(joint);
  }
}

void Reader::find_root(const XmlView& robot) {
  std::vector<std::string> roots;
  for (const auto& name : order_) {
    if (links_.at(name).joint < 0) roots.push_back(name);
  }
  if (roots.empty()) robot.fail("every link is carried by another: the joints form a loop.");
  if (roots.size() > 1) {
    links_.at(roots[1]).element.fail(
        fmt::format("link \"{}\" is carried by no joint, as link \"{}\": a robot has one root.",
                    roots[1], roots[0]));
  }
  root_ = roots[0];
}

void Reader::add_body(const std::string& name, Link& link) {
  mechanism::Body body;
  body.id = free_identifier(name, "_link", taken_);
  body.place = link.element.place();
  link.body = body.id;
  link.frame = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kFixedXYZ);
  out_.bodies.push_back(body);
}

/// Parents first; a loop is found on the way.
void Reader::place(const std::string& name) {
  std::vector<std::string> way;
  for (std::string at = name; !links_.at(at).placed; at = joints_[links_.at(at).joint].parent) {
    way.push_back(at);
    if (way.size() > links_.size()) {
      links_.at(name).element.fail(
          fmt::format("link \"{}\" is carried by itself: the joints form a loop.", name));
    }
    if (links_.at(at).joint < 0) break;
  }
  for (auto at = way.rbegin(); at != way.rend(); ++at) place_after_parent(*at, links_.at(*at));
}

void Reader::place_after_parent(const std::string& name, Link& link) {
  const Frame identity = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kFixedXYZ);
  if (link.joint < 0) {
    if (options_.floating) {
      add_body(name, link);
    } else {
      link.body = kInertial;
      link.frame = identity;
    }
  } else {
    const Joint& joint = joints_[link.joint];
    const Link& parent = links_.at(joint.parent);
    if (joint.type == "fixed" && !options_.keep_fixed) {
      link.body = parent.body;
      link.frame = composed(parent.frame, joint.origin);
      for (auto& body : out_.bodies) {
        if (body.id != link.body) continue;
        std::vector<std::string> ids{"com", "origin", "e1", "e2", "e3"};
        for (const auto& marker : body.markers) ids.push_back(marker.id);
        mechanism::Marker marker;
        marker.id = free_identifier(name, "_link", ids);
        marker.frame = link.frame;
        marker.place = link.element.place();
        body.markers.push_back(marker);
      }
    } else {
      add_body(name, link);
      add_joint(joint, parent, link.body);
    }
  }
  Mass& mass = masses_[link.body];
  mass = joined(mass, mass_of(link.element, link.frame));
  add_shapes(link);
  link.placed = true;
}

void Reader::add_joint(const Joint& joint, const Link& parent, const std::string& body) {
  mechanism::Joint out;
  out.place = joint.element.place();
  out.id = free_identifier(joint.name, "_joint", taken_);
  out.begin.body = parent.body;
  out.begin.frame = composed(parent.frame, joint.origin);
  out.begin.place = out.place;
  out.end.body = body;
  out.end.frame = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kFixedXYZ);
  out.end.place = out.place;
  if (joint.type == "fixed") {
    out.key = "Fixed";
    out_.joints.push_back(out);
    return;
  }
  if (joint.type == "floating" && parent.body == kInertial) {
    // No joint: the body floats, from where the joint puts it.
    for (auto& each : out_.bodies) {
      if (each.id != body) continue;
      each.o = numbers_of(out.begin.frame.o);
      each.x = numbers_of(out.begin.frame.x);
      each.y = numbers_of(out.begin.frame.y);
      each.z = numbers_of(out.begin.frame.z);
    }
    return;
  }
  out.key = mechanism::kAxesJoint;
  Number3 axis{1, 0, 0};
  const XmlView axis_element = joint.element.child("axis");
  if (axis_element) {
    if (const auto xyz = axis_element.attribute_numbers("xyz", 3)) {
      axis = {(*xyz)[0], (*xyz)[1], (*xyz)[2]};
    }
  }
  if (axis == Number3{0, 0, 0} && joint.type != "floating") {
    axis_element.fail(fmt::format("joint \"{}\": its axis has no direction.", joint.name));
  }
  const auto add = [&](const std::string& ending, bool turns, const Number3& along) {
    add_coordinate(out, free_identifier(joint.name + ending, "_coordinate", taken_coordinates_),
                   turns, along);
  };
  if (joint.type == "planar") {
    Number3 e{0, 0, 0};
    std::size_t least = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (std::abs(axis[i]) < std::abs(axis[least])) least = i;
    }
    e[least] = 1;
    const auto cross = [](const Number3& a, const Number3& b) {
      return Number3{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]};
    };
    const Number3 y = cross(axis, e), x = cross(y, axis);
    add("_x", false, x);
    add("_y", false, y);
    add("_angle", true, axis);
  } else if (joint.type == "floating") {
    for (std::size_t k = 0; k < 6; ++k) {
      Number3 along{0, 0, 0};
      along[k % 3] = 1;
      add(std::string(k < 3 ? "_" : "_r") + "xyz"[k % 3], k >= 3, along);
    }
  } else {
    add("", joint.type != "prismatic", axis);
    Coordinate& c = out.motion.coordinates[0];
    coordinate_of_[joint.name] = c.id;
    const XmlView limit = joint.element.child("limit");
    if (limit && joint.type != "continuous") {
      c.lower = number_or(limit, "lower", 0);
      c.upper = number_or(limit, "upper", 0);
      c.clamped = true;
      if (c.lower > c.upper) {
        limit.fail(fmt::format("joint \"{}\": lower = {} is above upper = {}.", joint.name, c.lower,
                               c.upper));
      }
    } else if (!limit && joint.type != "continuous") {
      out_.left_out.push_back(fmt::format("{}: joint \"{}\" ({}) has no <limit>: it has no range.",
                                          out.place.text(), joint.name, joint.type));
    }
  }
  out_.joints.push_back(out);
}

/// q = multiplier q_i + offset; what mimics a mimic follows its leader.
void Reader::add_mimics() {
  struct Mimic {
    std::string leader;
    double multiplier, offset;
    XmlView element;
  };
  std::map<std::string, Mimic> mimics;
  std::vector<std::string> order;
  for (const auto& joint : joints_) {
    const XmlView mimic = joint.element.child("mimic");
    if (!mimic) continue;
    const std::string leader = mimic.required_attribute("joint");
    if (!coordinate_of_.contains(joint.name)) {
      mimic.fail(fmt::format("joint \"{}\" ({}) has no single coordinate that could mimic another.",
                             joint.name, joint.type));
    }
    if (!coordinate_of_.contains(leader)) {
      std::vector<std::string> names;
      for (const auto& [name, id] : coordinate_of_) names.push_back(name);
      mimic.fail(
          fmt::format("joint \"{}\": \"{}\" is not a joint with one coordinate.{} Joints: {}.",
                      joint.name, leader, base::suggestion(leader, names), base::listing(names)));
    }
    mimics[joint.name] = {leader, number_or(mimic, "multiplier", 1), number_or(mimic, "offset", 0),
                          mimic};
    order.push_back(joint.name);
  }
  for (const auto& name : order) {
    const Mimic& own = mimics.at(name);
    double slope = own.multiplier, offset = own.offset;
    std::string leader = own.leader;
    for (std::size_t steps = 0; mimics.contains(leader); ++steps) {
      if (steps > mimics.size() || leader == name) {
        own.element.fail(fmt::format("joint \"{}\" mimics itself.", name));
      }
      const Mimic& next = mimics.at(leader);
      offset += slope * next.offset;
      slope *= next.multiplier;
      leader = next.leader;
    }
    mechanism::Coupling coupling;
    coupling.coordinate = coordinate_of_.at(name);
    coupling.follows = coordinate_of_.at(leader);
    coupling.function.constants = {slope, offset};
    coupling.place = own.element.place();
    out_.couplings.push_back(coupling);
  }
}

void Reader::add_shapes(const Link& link) {
  auto* shapes = &out_.shapes;
  for (auto& body : out_.bodies) {
    if (body.id == link.body) shapes = &body.shapes;
  }
  for (const auto& visual : link.element.children("visual")) {
    const Frame frame = composed(link.frame, origin_of(visual));
    mechanism::Shape shape;
    shape.place = visual.place();
    shape.o = numbers_of(frame.o);
    const XmlView geometry = visual.child("geometry");
    const XmlView box = geometry.child("box"), sphere = geometry.child("sphere"),
                  cylinder = geometry.child("cylinder");
    if (box) {
      const auto size = box.attribute_numbers("size", 3);
      if (!size) box.fail("<box> needs the attribute \"size\".");
      shape.kind = mechanism::Shape::Kind::kBox;
      for (std::size_t i = 0; i < 3; ++i) shape.size[i] = (*size)[i];
      shape.x = numbers_of(frame.x);
      shape.z = numbers_of(frame.z);
    } else if (sphere) {
      shape.kind = mechanism::Shape::Kind::kSphere;
      shape.radius = required_number(sphere, "radius");
    } else if (cylinder) {
      shape.kind = mechanism::Shape::Kind::kCylinder;
      shape.radius = required_number(cylinder, "radius");
      const double half = required_number(cylinder, "length") / 2;
      shape.o = {0, 0, 0};
      shape.from = point_outside(frame, {0, 0, -half});
      shape.to = point_outside(frame, {0, 0, half});
    } else {
      continue;  // a mesh
    }
    const bool is_possible =
        shape.radius > 0 || (shape.size[0] > 0 && shape.size[1] > 0 && shape.size[2] > 0);
    if (!is_possible) visual.fail("a shape has no extent.");
    if (const auto rgba = visual.child("material").child("color").attribute_numbers("rgba", 4)) {
      std::string color = "#";
      for (std::size_t i = 0; i < 3; ++i) {
        color += fmt::format("{:02x}",
                             static_cast<int>(std::lround(255 * std::clamp((*rgba)[i], 0.0, 1.0))));
      }
      shape.color = color;
      shape.opacity = std::clamp((*rgba)[3], 0.0, 1.0);
    }
    shapes->push_back(shape);
  }
}

void Reader::name_the_rest(const XmlView& robot) {
  int meshes = 0, damped = 0;
  for (const auto& name : order_) {
    for (const auto& visual : links_.at(name).element.children("visual")) {
      meshes += visual.child("geometry").child("mesh") ? 1 : 0;
    }
  }
  for (const auto& joint : joints_) {
    const XmlView dynamics = joint.element.child("dynamics");
    const bool acts = dynamics && (number_or(dynamics, "damping", 0) != 0 ||
                                   number_or(dynamics, "friction", 0) != 0);
    damped += acts ? 1 : 0;
  }
  std::map<std::string, int> others;
  for (const auto& child : robot.children()) {
    const std::string name = child.name();
    if (name != "link" && name != "joint" && name != "material") ++others[name];
  }
  std::string text;
  const auto add = [&](int count, const std::string& what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(meshes, "mesh of visual");
  add(damped, "damping or friction of joints");
  for (const auto& [name, count] : others) add(count, name);
  if (!text.empty())
    out_.left_out.push_back(fmt::format("{}: left out: {}.", source_.file(), text));
}

mechanism::Description Reader::read() {
  const XmlView robot(source_, source_.root());
  out_.file = source_.file();
  std::vector<std::string> no_ids;
  out_.id = free_identifier(robot.attribute("name").value_or("robot"), "", no_ids);
  read_links(robot);
  read_joints(robot);
  find_root(robot);
  for (const auto& name : order_) place(name);
  add_mimics();
  name_the_rest(robot);
  for (auto& body : out_.bodies) {
    const Mass& mass = masses_[body.id];
    body.mass = mass.m;
    for (std::size_t i = 0; i < 3; ++i) {
      body.center_of_mass[i] = mass.c[i];
      for (std::size_t j = 0; j < 3; ++j)
        body.inertia[i][j] = mass.I[std::min(i, j)][std::max(i, j)];
    }
  }
  if (out_.bodies.empty())
    robot.fail("nothing can move: all links hang on the ground by fixed joints.");
  mechanism::Force gravity;
  gravity.key = "Gravitation";
  gravity.id = "gravity";
  gravity.constants = {{"gx", 0.0}, {"gy", 0.0}, {"gz", -9.81}};
  out_.forces.push_back(gravity);
  place_bodies(out_);
  return out_;
}

}  // namespace
}  // namespace urdf

mechanism::Description read_urdf(const XmlSource& source, const UrdfOptions& options) {
  return urdf::Reader(source, options).read();
}

mechanism::Description read_urdf_text(std::string_view text, const std::string& file_name,
                                      const UrdfOptions& options) {
  return read_urdf(XmlSource(text, file_name), options);
}

mechanism::Description read_urdf(const std::filesystem::path& file, const UrdfOptions& options) {
  return read_urdf_text(read_text_file(file), file.string(), options);
}

}  // namespace parfait::io
