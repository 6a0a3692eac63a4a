#include "parfait/motion/anthropometry/heiman.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "parfait/base/error.h"
#include "parfait/motion/anthropometry/heiman_tables.h"

namespace parfait::motion {
namespace heiman {
namespace {

using Triple = std::array<double, 3>;

constexpr const char* kSides[] = {"Right", "Left"};
/// Of the height, Winter (2009): breadth of a foot. The ball of the foot in shares of its length
/// from the heel: heads of the first and fifth metatarsal bones. Felis draws these points (his
/// figure 4.9) and gives no numbers.
constexpr double kFootWidth = 0.055, kHallux = 0.73, kMeta5 = 0.63;
constexpr double kMarkerHeight = 1.86;  ///< of the man whose markers heiman_markers() has

/// "Thigh|Length" of one side.
std::string on_side(const std::string& name, const std::string& side) {
  const auto at = name.find('|');
  return at == std::string::npos ? name : name.substr(0, at) + side + name.substr(at + 1);
}
std::string without_place(const std::string& name) {
  return on_side(name, "");
}

/// A segment, where its joint is on the one before it and what the joint may do.
struct SegmentPlan {
  std::string part;  ///< as in the tables: "Thigh|"
  std::string side;  ///< "Right", "Left" or nothing
  std::string parent, joint;
  Triple place{};
  std::string axes;  ///< by default
  std::string length;

  std::string name() const { return on_side(part, side); }
};

class Parameters {
 public:
  explicit Parameters(const HeiManRequest& request) {
    std::vector<std::string> known;
    for (const auto& share : heiman_shares(request.sex, request.as_published)) {
      const double uniform = share.share * (share.is_mass ? request.mass : request.height);
      const bool is_pair = share.name.find('|') != std::string::npos;
      if (is_pair) known.push_back(without_place(share.name));
      for (const char* side : kSides) {
        const std::string name = on_side(share.name, side);
        if (!is_pair && side != kSides[0]) break;
        list_.push_back({name, uniform, uniform});
        pairs_.push_back(is_pair ? without_place(share.name) : name);
        known.push_back(name);
      }
    }
    // Table 6.1 calls the pelvis by another name.
    known.emplace_back("LowerTrunkHeight");
    for (const auto& [given, value] : request.set) {
      const std::string name = given == "LowerTrunkHeight" ? "PelvisHeight" : given;
      bool found = false;
      for (std::size_t i = 0; i < list_.size(); ++i) {
        if (list_[i].name != name && pairs_[i] != name) continue;
        // One side's own value counts before that of both.
        if (list_[i].name != name && request.set.contains(list_[i].name)) continue;
        list_[i].value = value;
        found = true;
      }
      if (!found && !std::any_of(pairs_.begin(), pairs_.end(),
                                 [&](const auto& pair) { return pair == name; })) {
        throw base::InputError(fmt::format("parameter \"{}\": HeiMan has none.{} Parameters: {}.",
                                           given, base::suggestion(given, known),
                                           base::listing(known, 60)));
      }
      const bool is_mass = name.ends_with("Mass");
      if (!std::isfinite(value) || value < 0 || (!is_mass && !(value > 0 && value < 2))) {
        throw base::InputError(fmt::format(
            "{} = {:g}: must be {}.", given, value,
            is_mass ? "a mass in kg, at least 0" : "a length in m, more than 0 and less than 2"));
      }
    }
  }

  double operator()(const std::string& name) const {
    for (const auto& parameter : list_) {
      if (parameter.name == name) return parameter.value;
    }
    throw base::InputError("no parameter " + name);
  }
  const std::vector<HeiManParameter>& list() const { return list_; }

 private:
  std::vector<HeiManParameter> list_;
  std::vector<std::string> pairs_;  ///< the name without its side
};

std::vector<SegmentPlan> make_plans(const Parameters& p) {
  std::vector<SegmentPlan> out;
  const std::string turns = "ry,rx,rz", fixed;
  out.push_back(
      {"Pelvis", "", mechanism::kInertial, "Pelvis", {}, "tx,ty,tz,ry,rx,rz", "PelvisHeight"});
  for (const std::string side : kSides) {
    const double left = side == "Left" ? 1 : -1;
    out.push_back({"Thigh|",
                   side,
                   "Pelvis",
                   "Hip" + side,
                   {0, left * p("Hip" + side + "Width"), 0},
                   turns,
                   "Thigh" + side + "Length"});
    out.push_back({"Shank|",
                   side,
                   "Thigh" + side,
                   "Knee" + side,
                   {0, 0, -p("Thigh" + side + "Length")},
                   "ry",
                   "Shank" + side + "Length"});
    out.push_back({"Foot|",
                   side,
                   "Shank" + side,
                   "Ankle" + side,
                   {0, 0, -p("Shank" + side + "Length")},
                   turns,
                   "Foot" + side + "Length"});
  }
  out.push_back({"MiddleTrunk",
                 "",
                 "Pelvis",
                 "Lumbar",
                 {0, 0, p("PelvisHeight")},
                 turns,
                 "MiddleTrunkHeight"});
  out.push_back({"UpperTrunk",
                 "",
                 "MiddleTrunk",
                 "Thorax",
                 {0, 0, p("MiddleTrunkHeight")},
                 fixed,
                 "UpperTrunkHeight"});
  for (const std::string side : kSides) {
    const double left = side == "Left" ? 1 : -1;
    out.push_back({"Clavicula|",
                   side,
                   "UpperTrunk",
                   "InnerShoulder" + side,
                   {0, 0, p("Shoulder" + side + "Height")},
                   fixed,
                   "Clavicula" + side + "Length"});
    out.push_back({"UpperArm|",
                   side,
                   "Clavicula" + side,
                   "Shoulder" + side,
                   {0, left * p("Clavicula" + side + "Length"), 0},
                   turns,
                   "UpperArm" + side + "Length"});
    out.push_back({"LowerArm|",
                   side,
                   "UpperArm" + side,
                   "Elbow" + side,
                   {0, 0, -p("UpperArm" + side + "Length")},
                   "ry",
                   "LowerArm" + side + "Length"});
    out.push_back({"Hand|",
                   side,
                   "LowerArm" + side,
                   "Wrist" + side,
                   {0, 0, -p("LowerArm" + side + "Length")},
                   fixed,
                   "Hand" + side + "Length"});
  }
  out.push_back(
      {"Neck", "", "UpperTrunk", "Neck", {0, 0, p("SuprasternaleHeight")}, fixed, "NeckLength"});
  out.push_back({"Head", "", "Neck", "Head", {0, 0, p("NeckLength")}, turns, "HeadLength"});
  return out;
}

std::vector<std::string> axes_in(const std::string& text, const std::string& joint) {
  std::vector<std::string> out;
  if (text == "fixed" || text.empty()) return out;
  std::istringstream parts(text);
  for (std::string each; std::getline(parts, each, ',');) {
    static const std::set<std::string> kKnown{"tx", "ty", "tz", "rx", "ry", "rz"};
    if (!kKnown.contains(each) || std::find(out.begin(), out.end(), each) != out.end()) {
      throw base::InputError(fmt::format(
          "joint {}: \"{}\" must be \"fixed\" or some of tx, ty, tz, rx, ry, rz, each once.", joint,
          text));
    }
    out.push_back(each);
  }
  return out;
}

/// What the model's dimensions leave: turns about y and displacements in the x-z plane, or z alone.
std::vector<std::string> in_dimensions(const std::vector<std::string>& axes, int dimensions) {
  if (dimensions == 3) return axes;
  std::vector<std::string> out;
  for (const auto& axis : axes) {
    const bool kept = dimensions == 2 ? axis == "tx" || axis == "tz" || axis == "ry" : axis == "tz";
    if (kept) out.push_back(axis);
  }
  return out;
}

class Builder {
 public:
  explicit Builder(const HeiManRequest& request)
      : request_(request), p_(request), plans_(make_plans(p_)) {
    std::vector<std::string> known;
    for (const auto& plan : plans_) {
      known.push_back(plan.joint);
      if (plan.side == "Right") known.push_back(base_of(plan));
    }
    for (const auto& [name, axes] : request.joints) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw base::InputError(fmt::format("joint \"{}\": HeiMan has none.{} Joints: {}.", name,
                                           base::suggestion(name, known),
                                           base::listing(known, 60)));
      }
    }
  }

  HeiMan build() {
    out_.parameters = p_.list();
    auto& d = out_.model;
    d.id = "heiman";
    d.remarks.push_back(fmt::format(
        "HeiMan (Felis 2015, section 4.3{}) of {:g} m and {:g} kg. x forward, y left, z up.",
        request_.as_published ? ", tables as printed" : ", corrected", request_.height,
        request_.mass));
    double mass = 0;
    for (const auto& plan : plans_) {
      add_body(plan);
      mass += d.bodies.back().mass.number;
    }
    if (std::abs(mass - request_.mass) > 1e-6 * request_.mass) {
      d.remarks.push_back(fmt::format("Its segments have {:.4f} kg together.", mass));
    }
    for (const auto& plan : plans_) add_joint(plan);
    add_markers();
    for (const char* side : kSides) add_foot(side);
    add_contacts();
    out_.kept_apart = {{"ShankRight", "ShankLeft"}, {"FootRight", "FootLeft"}};
    mechanism::Force gravity;
    gravity.key = "Gravitation";
    gravity.id = "gravity";
    gravity.constants = {{"gx", 0.0}, {"gy", 0.0}, {"gz", -9.81}};
    d.forces.push_back(gravity);
    return std::move(out_);
  }

 private:
  static std::string base_of(const SegmentPlan& plan) {
    return plan.joint.substr(0, plan.joint.size() - plan.side.size());
  }

  std::vector<std::string> axes_of(const SegmentPlan& plan) const {
    for (const std::string& name : {plan.joint, base_of(plan)}) {
      const auto found = request_.joints.find(name);
      if (found == request_.joints.end()) continue;
      auto axes = axes_in(found->second, name);
      if (!axes.empty() && !(p_(plan.name() + "Mass") > 0)) {
        throw base::InputError(fmt::format(
            "joint {}: {} has no mass, so nothing would say how it accelerates. It needs one "
            "(parameter {}Mass).",
            name, plan.name(), plan.name()));
      }
      return axes;
    }
    return in_dimensions(axes_in(plan.axes, plan.joint), request_.dimensions);
  }

  /// Origin of a segment in the world, in the neutral pose.
  Triple origin(const std::string& name) const {
    Triple out{0, 0, 0};
    if (name == mechanism::kInertial) return out;
    for (const auto& plan : plans_) {
      if (plan.name() != name) continue;
      out = origin(plan.parent);
      for (std::size_t i = 0; i < 3; ++i) out[i] += plan.place[i];
      if (plan.part == "Pelvis") out[2] += standing_height();
    }
    return out;
  }
  double standing_height() const {
    double height = 0;
    for (const std::string side : kSides) {
      height = std::max(height, p_("Thigh" + side + "Length") + p_("Shank" + side + "Length") +
                                    p_("Foot" + side + "Height"));
    }
    return height;
  }

  void add_body(const SegmentPlan& plan) {
    const std::string name = plan.name();
    mechanism::Body body;
    body.id = name;
    body.o = origin(name);
    const double mass = p_(name + "Mass"), length = p_(plan.length);
    body.mass = mass;
    Triple center{}, moments{};
    if (plan.part == "Clavicula|" || plan.part == "Neck") {
      // No table has them; one that is given a mass is a rod four times as long as thick.
      const std::size_t along = plan.part == "Neck" ? 2 : 1;
      center[along] = (plan.side == "Right" ? -0.5 : 0.5) * length;
      for (std::size_t k = 0; k < 3; ++k) {
        const double r2 = length * length / 64;
        moments[k] = k == along ? 0.5 * mass * r2 : mass * (length * length / 12 + r2 / 4);
      }
      if (!(mass > 0)) center = {};
    } else {
      const auto row = heiman_inertia(request_.sex, plan.part, request_.as_published);
      for (std::size_t k = 0; k < 3; ++k) {
        moments[k] = mass * std::pow(row.radii[k] * length, 2);  // (4.7)
      }
      const std::string foot = "Foot" + plan.side;
      if (plan.part != "Foot|") {
        center[2] = row.center * length;  // (4.5)
      } else if (request_.as_published) {
        center[2] = row.center * p_(foot + "Height");
      } else {
        // From the heel to the tip of the toes, and half way down to the sole.
        center = {-row.center * length - p_(foot + "PosteriorPoint"), 0,
                  -0.5 * p_(foot + "Height")};
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      body.center_of_mass[k] = center[k];
      body.inertia[k][k] = moments[k];
    }
    add_capsule(plan, body);
    out_.model.bodies.push_back(body);
  }

  void add_capsule(const SegmentPlan& plan, mechanism::Body& body) {
    struct Look {
      const char* part;
      double radius;  ///< in shares of the height
    };
    static constexpr Look kLooks[] = {
        {"Pelvis", 0.060},      {"Thigh|", 0.042},     {"Shank|", 0.028},     {"Foot|", 0.018},
        {"MiddleTrunk", 0.062}, {"UpperTrunk", 0.065}, {"Clavicula|", 0.022}, {"UpperArm|", 0.026},
        {"LowerArm|", 0.020},   {"Hand|", 0.016},      {"Neck", 0.030},       {"Head", 0.048}};
    const double length = p_(plan.length);
    double radius = 0;
    for (const Look& look : kLooks) {
      if (plan.part == look.part) radius = look.radius * request_.height;
    }
    Capsule capsule{plan.name(), {}, {}, radius};
    // From end to end, half spheres inside where there is room for them.
    const double inside = std::min(radius, 0.4 * length);
    const bool hangs = plan.part == "Thigh|" || plan.part == "Shank|" || plan.part == "UpperArm|" ||
                       plan.part == "LowerArm|" || plan.part == "Hand|";
    if (plan.part == "Foot|") {
      const std::string foot = plan.name();
      const double heel = -p_(foot + "PosteriorPoint"), z = radius - p_(foot + "Height");
      capsule.from = {heel + inside, 0, z};
      capsule.to = {heel + length - inside, 0, z};
    } else if (plan.part == "Clavicula|") {
      capsule.to = {0, (plan.side == "Right" ? -1 : 1) * length, 0};
    } else if (plan.part == "Pelvis") {
      capsule.from = {0, -p_("HipRightWidth"), 0.5 * length};
      capsule.to = {0, p_("HipLeftWidth"), 0.5 * length};
    } else if (hangs && plan.part != "Hand|") {
      capsule.to = {0, 0, -length};
    } else {
      capsule.from[2] = (hangs ? -1 : 1) * inside;
      capsule.to[2] = (hangs ? -1 : 1) * (length - inside);
    }
    out_.capsules.push_back(capsule);
    mechanism::Shape shape;
    shape.kind = mechanism::Shape::Kind::kCapsule;
    shape.from = capsule.from;
    shape.to = capsule.to;
    shape.radius = capsule.radius;
    shape.color = plan.side == "Left" ? "#c98f5a" : "#d9a066";
    body.shapes.push_back(shape);
  }

  void add_joint(const SegmentPlan& plan) {
    mechanism::Joint joint;
    joint.id = plan.joint + "_joint";
    joint.begin.body = plan.parent;
    joint.end.body = plan.name();
    for (std::size_t k = 0; k < 3; ++k) joint.begin.frame.o[k] = plan.place[k];
    for (auto* end : {&joint.begin, &joint.end}) {
      end->frame.has_x = end->frame.has_y = end->frame.has_z = true;
    }
    const auto axes = axes_of(plan);
    joint.key = axes.empty() ? "Fixed" : mechanism::kAxesJoint;
    bool rises = false;
    for (const auto& axis : axes) {
      mechanism::Coordinate coordinate;
      coordinate.id =
          plan.name() + (axis[0] == 'r' ? "_R" : "_T") + static_cast<char>(axis[1] - 'x' + 'X');
      coordinate.kind = axis[0] == 'r' ? mechanism::Coordinate::Kind::kRotation
                                       : mechanism::Coordinate::Kind::kTranslation;
      mechanism::MotionAxis motion;
      motion.turns = axis[0] == 'r';
      motion.axis = {0, 0, 0};
      motion.axis[static_cast<std::size_t>(axis[1] - 'x')] = 1;
      motion.coordinate = coordinate.id;
      if (plan.part == "Pelvis" && axis == "tz") {
        coordinate.initial = standing_height();
        rises = true;
      }
      joint.motion.coordinates.push_back(coordinate);
      joint.motion.axes.push_back(motion);
    }
    // A pelvis that cannot rise hangs where it would stand.
    if (plan.part == "Pelvis" && !rises) joint.begin.frame.o[2] = standing_height();
    out_.model.joints.push_back(joint);
  }

  void add_markers() {
    for (const auto& marker : heiman_markers()) {
      const bool is_pair = marker.name.find('|') != std::string::npos;
      for (const std::string side : kSides) {
        if (!is_pair && side != kSides[0]) break;
        mechanism::SkinMarker skin;
        skin.name = on_side(marker.name, side.substr(0, 1));
        skin.body = on_side(marker.part, side);
        skin.fixed = marker.landmark;
        for (std::size_t k = 0; k < 3; ++k) {
          skin.o[k] = marker.place[k] * request_.height / kMarkerHeight;
        }
        if (side == "Left") skin.o[1] = -skin.o[1];
        out_.model.skin_markers.push_back(skin);
      }
    }
  }

  void add_foot(const std::string& side) {
    const std::string foot = "Foot" + side;
    const double height = p_(foot + "Height"), length = p_(foot + "Length");
    const double back = -p_(foot + "PosteriorPoint");
    const double medial = (side == "Right" ? 0.5 : -0.5) * kFootWidth * request_.height;
    out_.points.push_back({"Heel" + side, foot, {back, 0, 0}, height});
    out_.points.push_back({"Hallux" + side, foot, {back + kHallux * length, medial, -height}, 0});
    out_.points.push_back({"Meta5" + side, foot, {back + kMeta5 * length, -medial, -height}, 0});
    for (auto& body : out_.model.bodies) {
      if (body.id != foot) continue;
      for (std::size_t i = out_.points.size() - 3; i < out_.points.size(); ++i) {
        mechanism::Marker marker;
        marker.id = out_.points[i].name;
        marker.body = foot;
        for (std::size_t k = 0; k < 3; ++k) marker.frame.o[k] = out_.points[i].place[k];
        body.markers.push_back(marker);
      }
    }
  }

  /// Felis 4.7: heel 3, flat 6, forefoot 5 rows; both feet have those of each.
  void add_contacts() {
    const Triple x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    std::map<std::string, std::vector<ContactRow>> rows;
    for (const std::string side : kSides) {
      const std::string heel = "Heel" + side, hallux = "Hallux" + side, meta5 = "Meta5" + side;
      auto& rolling = rows["Heel" + side];
      rolling = {{heel, x, true}, {heel, y, true}, {heel, z, false}};
      auto& flat = rows["Flat" + side];
      flat = rolling;
      flat.insert(flat.end(), {{meta5, y}, {meta5, z}, {hallux, z}});
      rows["Forefoot" + side] = {{hallux, x}, {hallux, y}, {hallux, z}, {meta5, x}, {meta5, z}};
    }
    const auto add = [&](const std::string& name, const std::vector<std::string>& parts) {
      ContactSet set{name, {}};
      for (const auto& part : parts) {
        set.rows.insert(set.rows.end(), rows[part].begin(), rows[part].end());
      }
      out_.contacts.push_back(set);
    };
    for (const std::string side : kSides) {
      for (const char* kind : {"Heel", "Flat", "Forefoot"}) add(kind + side, {kind + side});
    }
    for (const std::string side : kSides) {
      const std::string other = side == "Right" ? "Left" : "Right";
      const std::string forefoot = "Forefoot" + side;
      for (const char* kind : {"Heel", "Flat"}) {
        const std::string ahead = kind + other;
        add(forefoot + ahead, {forefoot, ahead});
      }
    }
  }

  const HeiManRequest& request_;
  Parameters p_;
  std::vector<SegmentPlan> plans_;
  HeiMan out_;
};

void check(const HeiManRequest& request) {
  // As in make_segments: tables of adults cannot be stretched farther.
  if (!(request.height >= 1.2 && request.height <= 2.3)) {
    throw base::InputError(fmt::format("height = {:g} m: must be within 1.2 and 2.3 m.{}",
                                       request.height,
                                       request.height >= 120 ? " Is it in mm or cm?" : ""));
  }
  if (!(request.mass >= 25 && request.mass <= 250)) {
    throw base::InputError(
        fmt::format("mass = {:g} kg: must be within 25 and 250 kg.", request.mass));
  }
  if (request.dimensions < 1 || request.dimensions > 3) {
    throw base::InputError(fmt::format("{} dimensions: must be 1, 2 or 3.", request.dimensions));
  }
  if (request.as_published && request.sex == Sex::kFemale) {
    throw base::InputError("the published tables are those of men.");
  }
}

}  // namespace
}  // namespace heiman

HeiMan make_heiman(const HeiManRequest& request) {
  heiman::check(request);
  return heiman::Builder(request).build();
}

double distance(const Capsule& a, const Capsule& b) {
  using heiman::Triple;
  const auto minus = [](const Triple& u, const Triple& v) {
    return Triple{u[0] - v[0], u[1] - v[1], u[2] - v[2]};
  };
  const auto dot = [](const Triple& u, const Triple& v) {
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  };
  // Nearest points a.from + s u, b.from + t v with s and t within 0 and 1 (Ericson 2005, 5.1.9).
  const Triple u = minus(a.to, a.from), v = minus(b.to, b.from), w = minus(a.from, b.from);
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const auto clamped = [](double x) { return std::clamp(x, 0.0, 1.0); };
  double s = 0, t = 0;
  if (uu > 0 || vv > 0) {
    const double determinant = uu * vv - uv * uv;
    if (uu > 0 && determinant > 1e-14 * uu * vv) s = clamped((uv * vw - uw * vv) / determinant);
    t = vv > 0 ? (uv * s + vw) / vv : 0;
    if (t < 0 || t > 1 || !(vv > 0)) {
      t = clamped(t);
      s = uu > 0 ? clamped((uv * t - uw) / uu) : 0;
    }
  }
  Triple d{};
  for (std::size_t k = 0; k < 3; ++k) d[k] = w[k] + s * u[k] - t * v[k];
  return std::sqrt(dot(d, d)) - a.radius - b.radius;
}

}  // namespace parfait::motion
