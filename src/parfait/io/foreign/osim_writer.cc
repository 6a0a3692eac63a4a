#include "parfait/io/foreign/osim_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/osim_functions.h"
#include "parfait/io/foreign/placed_bodies.h"
#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/number.h"

namespace parfait::io {
namespace osim_writer {
namespace {

using mechanism::CoordinateFunction;
using mechanism::Coupling;
using mechanism::Description;
using mechanism::Frame;
using mechanism::Number3;

/// Differences below this are rounding of frames that were composed and taken apart again.
constexpr double kSame = 1e-13;

bool same(double a, double b) {
  return a == b || std::abs(a - b) <= kSame * std::max(1.0, std::abs(a));
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same(x, y); });
}

bool same(const CoordinateFunction& a, const CoordinateFunction& b) {
  return same(a.constants, b.constants) && same(a.knots, b.knots) && a.kind == b.kind &&
         a.formula == b.formula;
}

bool same(const Frame& a, const Frame& b) {
  const auto all = [](const Frame& f) {
    std::vector<double> out;
    for (const auto* v : {&f.o, &f.x, &f.y, &f.z}) {
      for (const auto& value : *v) out.push_back(value.number);
    }
    return out;
  };
  return same(all(a), all(b));
}

/// Body-fixed x-y-z angles of a frame: R = Rx(a) Ry(b) Rz(c).
Number3 angles_of(const Frame& f) {
  const auto x = numbers_of(f.x), y = numbers_of(f.y), z = numbers_of(f.z);
  const double b = std::asin(std::clamp(z[0], -1.0, 1.0));
  if (std::abs(z[0]) > 1 - 1e-12) return {std::atan2(y[2], y[1]), b, 0};
  return {std::atan2(-z[1], z[2]), b, std::atan2(-y[0], x[0])};
}

/// X_AB^-1 X_AC.
Frame relative(const Frame& X_AB, const Frame& X_AC) {
  const std::array<Number3, 3> R{numbers_of(X_AB.x), numbers_of(X_AB.y), numbers_of(X_AB.z)};
  const auto into = [&](const Number3& a) {
    Number3 out{};
    for (std::size_t i = 0; i < 3; ++i) out[i] = R[i][0] * a[0] + R[i][1] * a[1] + R[i][2] * a[2];
    return out;
  };
  Frame out = X_AC;
  Number3 r = numbers_of(X_AC.o);
  const Number3 o = numbers_of(X_AB.o);
  for (std::size_t i = 0; i < 3; ++i) r[i] -= o[i];
  const auto store = [](const Number3& from, mechanism::Value3& to) {
    for (std::size_t i = 0; i < 3; ++i) to[i] = from[i];
  };
  store(into(r), out.o);
  store(into(numbers_of(X_AC.x)), out.x);
  store(into(numbers_of(X_AC.y)), out.y);
  store(into(numbers_of(X_AC.z)), out.z);
  return out;
}

const Coupling* coupling_of(const Description& d, const std::string& coordinate) {
  const auto found = std::ranges::find(d.couplings, coordinate, &Coupling::coordinate);
  return found == d.couplings.end() ? nullptr : &*found;
}

bool same(const Coupling& a, const Coupling& b) {
  return a.coordinate == b.coordinate && a.follows == b.follows && same(a.function, b.function);
}

class Writer {
 public:
  Writer(const XmlSource& source, const Description& before, const Description& after,
         XmlEdits& edits)
      : source_(source), before_(before), after_(after), edits_(edits) {}

  void write();

 private:
  [[noreturn]] void fail(const XmlView& at, const std::string& what) const {
    at.fail(what + " has changed, and the file has no place for it.");
  }
  /// Truth in the child of that name, which is made where there is none.
  void put_truth(const XmlView& parent, const char* name, bool truth);
  /// Puts numbers into the child of that name.
  void put(const XmlView& parent, const char* name, const std::vector<double>& old,
           const std::vector<double>& now, const std::string& what);
  void write_bodies(const XmlView& model);
  void write_joints(const XmlView& model);
  void write_joint(const XmlView& element, std::size_t joint, bool is_old);
  void write_end(const XmlView& element, const Frame& old, const Frame& now, bool is_old,
                 bool is_parent, const std::string& id);
  void write_functions(const XmlView& element, const mechanism::Joint& old,
                       const mechanism::Joint& now);
  void write_function(const XmlView& function, const CoordinateFunction& now, double factor);
  void write_markers(const XmlView& model);
  void write_couplings(const XmlView& model);
  /// Whether the coupling could be changed where it stands.
  bool write_coupling(const XmlView& element, const Coupling& old, const Coupling& now);
  void disable(const XmlView& coupler);
  std::string coupler_text(const Coupling& coupling, const XmlView& model) const;

  const XmlSource& source_;
  const Description &before_, &after_;
  XmlEdits& edits_;
  std::map<std::string, std::string> coordinate_names_;  ///< in the file, by id
  bool is_old_ = false;                                  ///< up to version 3
};

void Writer::put(const XmlView& parent, const char* name, const std::vector<double>& old,
                 const std::vector<double>& now, const std::string& what) {
  if (same(old, now)) return;
  const XmlView element = parent.child(name);
  if (!element) fail(parent, what);
  edits_.put(element, now);
}

void Writer::put_truth(const XmlView& parent, const char* name, bool truth) {
  const char* text = truth ? "true" : "false";
  if (const XmlView element = parent.child(name)) {
    edits_.put_text(element, text);
  } else {
    edits_.insert(parent, fmt::format("<{0}>{1}</{0}>", name, text));
  }
}

void Writer::write_bodies(const XmlView& model) {
  std::size_t i = 0;
  for (const auto& element : model.child("BodySet").child("objects").children("Body")) {
    if (element.attribute("name") == "ground") continue;
    const auto &old = before_.bodies[i], &now = after_.bodies[i];
    ++i;
    const std::string label = fmt::format("body \"{}\": ", now.id);
    const auto list = [](const mechanism::Value3& v) {
      return std::vector<double>{v[0].number, v[1].number, v[2].number};
    };
    put(element, "mass", {old.mass.number}, {now.mass.number}, label + "its mass");
    put(element, "mass_center", list(old.center_of_mass), list(now.center_of_mass),
        label + "its centre of mass");
    const auto six = [](const mechanism::Body& b) {
      const auto& I = b.inertia;
      return std::vector<double>{I[0][0].number, I[1][1].number, I[2][2].number,
                                 I[0][1].number, I[0][2].number, I[1][2].number};
    };
    const auto a = six(old), b = six(now);
    if (element.child("inertia")) {
      put(element, "inertia", a, b, label + "its inertia");
      continue;
    }
    constexpr const char* kNames[] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                      "inertia_xy", "inertia_xz", "inertia_yz"};
    for (std::size_t k = 0; k < 6; ++k) {
      put(element, kNames[k], {a[k]}, {b[k]}, label + kNames[k]);
    }
  }
}

void Writer::write_end(const XmlView& element, const Frame& old, const Frame& now, bool is_old,
                       bool is_parent, const std::string& id) {
  if (same(old, now)) return;
  const std::string what =
      fmt::format("joint \"{}\": its frame on the {}", id, is_parent ? "parent" : "child");
  XmlView holder = element;
  const char *place = is_parent ? "location_in_parent" : "location",
             *angles = is_parent ? "orientation_in_parent" : "orientation";
  Frame base = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ);
  if (!is_old) {
    // The offset frame of its own that the socket names.
    const auto socket =
        element.text_of(is_parent ? "socket_parent_frame" : "socket_child_frame").value_or("");
    const auto slash = socket.rfind('/');
    const std::string name = slash == std::string::npos ? socket : socket.substr(slash + 1);
    holder = {};
    for (const auto& frame : element.child("frames").children("PhysicalOffsetFrame")) {
      if (frame.attribute("name") == name) holder = frame;
    }
    if (!holder) fail(element, what);
    place = "translation";
    angles = "orientation";
    // Where that frame's own parent lies: what is left of the old place without it.
    const auto zero = Number3{0, 0, 0};
    const Frame own =
        frame_at(holder.vector_of("translation").value_or(zero),
                 holder.vector_of("orientation").value_or(zero), AngleOrder::kBodyXYZ);
    const Frame back = relative(own, frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ));
    base = composed(old, back);
  }
  const Frame a = relative(base, old), b = relative(base, now);
  const auto list = [](const Number3& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  put(holder, place, list(numbers_of(a.o)), list(numbers_of(b.o)), what);
  if (!same(list(numbers_of(a.x)), list(numbers_of(b.x))) ||
      !same(list(numbers_of(a.y)), list(numbers_of(b.y)))) {
    put(holder, angles, {NAN}, list(angles_of(b)), what);
  }
}

void Writer::write_function(const XmlView& function, const CoordinateFunction& now, double factor) {
  const std::string name = function.name();
  std::vector<double> constants = now.constants;
  for (double& c : constants) c /= factor;
  if (name == "MultiplierFunction") {
    const auto inner = function.child("function").children();
    const double scale = function.number_of("scale").value_or(1.0);
    // A multiple of what was there is another scale.
    const CoordinateFunction old = read_osim_function(function);
    std::optional<double> ratio;
    bool is_multiple = old.constants.size() == constants.size();
    for (std::size_t i = 0; is_multiple && i < constants.size(); ++i) {
      if (old.constants[i] == 0) {
        is_multiple = constants[i] == 0;
        continue;
      }
      const double each = constants[i] / old.constants[i];
      if (!ratio) ratio = each;
      is_multiple = std::abs(each - *ratio) <= 1e-12 * std::abs(*ratio);
    }
    if (is_multiple && ratio && function.child("scale")) {
      edits_.put(function.child("scale"), {scale * *ratio});
      return;
    }
    if (scale == 0 || inner.size() != 1) fail(function, "a function");
    write_function(inner[0], now, factor * scale);
    return;
  }
  if (name == "Constant") {
    put(function, "value", {NAN}, {constants[1]}, "a constant");
  } else if (name == "LinearFunction" || name == "PolynomialFunction") {
    put(function, "coefficients", {NAN}, constants, "a function");
  } else if (name == "SimmSpline" || name == "NaturalCubicSpline" ||
             name == "PiecewiseLinearFunction") {
    put(function, "x", function.child("x").numbers(-1), now.knots, "a function");
    put(function, "y", {NAN}, constants, "a function");
  } else {
    fail(function, "a function");
  }
}

void Writer::write_functions(const XmlView& element, const mechanism::Joint& old,
                             const mechanism::Joint& now) {
  if (old.motion.axes.size() != now.motion.axes.size()) fail(element, "the axes of a joint");
  for (std::size_t i = 0; i < now.motion.axes.size(); ++i) {
    const auto &a = old.motion.axes[i], &b = now.motion.axes[i];
    const bool is_same = same(a.function, b.function);
    const bool same_axis = same({a.axis.begin(), a.axis.end()}, {b.axis.begin(), b.axis.end()});
    if (is_same && same_axis) continue;
    // The axis at the place where it was read.
    XmlView written;
    for (const auto& set :
         {element.child("SpatialTransform"), element.child("SpatialTransform").child("objects")}) {
      for (const auto& each : set.children("TransformAxis")) {
        if (each.place().line == a.place.line && each.place().column == a.place.column) {
          written = each;
        }
      }
    }
    if (!written) fail(element, fmt::format("joint \"{}\": an axis", now.id));
    if (!same_axis) put(written, "axis", {NAN}, {b.axis.begin(), b.axis.end()}, "an axis");
    if (is_same) continue;
    std::optional<XmlView> function;
    for (const auto& child : written.children()) {
      if (is_osim_function(child.name())) function = child;
      if (child.name() == "function" && child.children().size() == 1)
        function = child.children()[0];
    }
    if (!function || a.function.kind != b.function.kind) fail(written, "a function");
    write_function(*function, b.function, 1.0);
  }
}

void Writer::write_joint(const XmlView& element, std::size_t joint, bool is_old) {
  const auto &old = before_.joints[joint], &now = after_.joints[joint];
  const bool reversed = element.truth_of("reverse").value_or(false);
  write_end(element, reversed ? old.end.frame : old.begin.frame,
            reversed ? now.end.frame : now.begin.frame, is_old, true, now.id);
  write_end(element, reversed ? old.begin.frame : old.end.frame,
            reversed ? now.begin.frame : now.end.frame, is_old, false, now.id);
  write_functions(element, old, now);
  std::vector<XmlView> written = element.child("coordinates").children("Coordinate");
  for (const auto& each : element.child("CoordinateSet").child("objects").children("Coordinate")) {
    written.push_back(each);
  }
  for (std::size_t i = 0; i < now.motion.coordinates.size(); ++i) {
    const auto &a = old.motion.coordinates[i], &b = now.motion.coordinates[i];
    bool is_written = false;
    for (const auto& each : written) {
      if (each.place().line != a.place.line || each.place().column != a.place.column) continue;
      const std::string label = fmt::format("coordinate \"{}\": ", b.id);
      is_written = true;
      coordinate_names_[a.id] = each.required_attribute("name");
      if (a.clamped != b.clamped) put_truth(each, "clamped", b.clamped);
      if (a.locked != b.locked) put_truth(each, "locked", b.locked);
      put(each, "default_value", {a.initial}, {b.initial}, label + "its default");
      put(each, "default_speed_value", {a.rate}, {b.rate}, label + "its speed");
      if (std::isfinite(b.lower) && std::isfinite(b.upper)) {
        put(each, "range", {a.lower, a.upper}, {b.lower, b.upper}, label + "its range");
      }
    }
    const bool is_same = same(a.initial, b.initial) && same(a.rate, b.rate) &&
                         a.clamped == b.clamped && a.locked == b.locked;
    if (!is_written && !is_same) fail(element, fmt::format("coordinate \"{}\"", b.id));
  }
}

void Writer::write_joints(const XmlView& model) {
  std::size_t joint = 0;
  if (model.child("JointSet")) {
    for (const auto& element : model.child("JointSet").child("objects").children()) {
      write_joint(element, joint++, false);
    }
    return;
  }
  for (const auto& body : model.child("BodySet").child("objects").children("Body")) {
    if (body.attribute("name") == "ground") continue;
    const auto joints = body.child("Joint").children();
    write_joint(joints.front(), joint++, true);
  }
}

void Writer::write_markers(const XmlView& model) {
  std::size_t i = 0;
  for (const auto& element : model.child("MarkerSet").child("objects").children()) {
    const auto &old = before_.skin_markers[i], &now = after_.skin_markers[i];
    ++i;
    if (same({old.o.begin(), old.o.end()}, {now.o.begin(), now.o.end()})) continue;
    const auto written = element.vector_of("location").value_or(Number3{0, 0, 0});
    if (!same({written.begin(), written.end()}, {old.o.begin(), old.o.end()})) {
      fail(element, fmt::format("marker \"{}\" on an offset frame: its place", now.name));
    }
    put(element, "location", {NAN}, {now.o.begin(), now.o.end()},
        fmt::format("marker \"{}\": its place", now.name));
  }
}

void Writer::disable(const XmlView& coupler) {
  if (coupler.child("isDisabled") || (is_old_ && !coupler.child("isEnforced"))) {
    put_truth(coupler, "isDisabled", true);
  } else {
    put_truth(coupler, "isEnforced", false);
  }
}

bool Writer::write_coupling(const XmlView& element, const Coupling& old, const Coupling& now) {
  const std::string path = element.text_of("independent_coordinate_names").value_or("");
  const std::string leader = path.substr(path.rfind('/') + 1);
  if (leader != coordinate_names_[old.follows]) {
    // It follows a follower by the identity: it is read with that one's coupling.
    const auto follower = std::ranges::find(coordinate_names_, leader,
                                            &std::pair<const std::string, std::string>::second);
    const Coupling* next =
        follower == coordinate_names_.end() ? nullptr : coupling_of(after_, follower->first);
    return next && next->follows == now.follows && same(next->function, now.function);
  }
  const bool can_change = now.function.kind == old.function.kind &&
                          now.function.kind != CoordinateFunction::Kind::kFormula &&
                          coordinate_names_.contains(now.follows);
  if (!can_change) return false;
  const auto function = coupler_function(element);
  const double scale = element.number_of("scale_factor").value_or(1.0);
  if (!function || scale == 0) return false;
  if (now.follows != old.follows) {
    edits_.put_text(element.child("independent_coordinate_names"),
                    xml_escaped(coordinate_names_[now.follows]));
  }
  if (!same(old.function, now.function)) write_function(*function, now.function, scale);
  return true;
}

std::string Writer::coupler_text(const Coupling& coupling, const XmlView& model) const {
  const auto name_of = [&](const std::string& id) {
    const auto found = coordinate_names_.find(id);
    if (found == coordinate_names_.end()) {
      model.fail(fmt::format("coupling of \"{}\": \"{}\" is not a coordinate of the file.",
                             coupling.coordinate, id));
    }
    return xml_escaped(found->second);
  };
  std::set<std::string> taken;
  for (const auto& each : model.child("ConstraintSet").child("objects").children()) {
    taken.insert(each.attribute("name").value_or(""));
  }
  const std::string dependent = name_of(coupling.coordinate), leader = name_of(coupling.follows);
  std::string name = dependent + "_coupling";
  while (taken.contains(name)) name += "_2";
  const auto function = osim_function_text(coupling.function);
  if (!function) {
    model.fail(
        fmt::format("coupling of \"{}\": OpenSim has no such function.", coupling.coordinate));
  }
  return fmt::format(
      "<CoordinateCouplerConstraint name=\"{}\"> <{}> "
      "<coupled_coordinates_function> {} </coupled_coordinates_function> "
      "<independent_coordinate_names>{}</independent_coordinate_names> "
      "<dependent_coordinate_name>{}</dependent_coordinate_name> "
      "<scale_factor>1</scale_factor> </CoordinateCouplerConstraint>",
      name, is_old_ ? "isDisabled>false</isDisabled" : "isEnforced>true</isEnforced", *function,
      leader, dependent);
}

void Writer::write_couplings(const XmlView& model) {
  const bool is_unchanged = std::equal(
      before_.couplings.begin(), before_.couplings.end(), after_.couplings.begin(),
      after_.couplings.end(), [](const Coupling& a, const Coupling& b) { return same(a, b); });
  if (is_unchanged) return;
  const XmlView set = model.child("ConstraintSet"), objects = set.child("objects");
  std::string further;
  for (const auto& old : before_.couplings) {
    const Coupling* now = coupling_of(after_, old.coordinate);
    if (now && same(old, *now)) continue;
    XmlView element;
    for (const auto& each : objects.children("CoordinateCouplerConstraint")) {
      if (each.place().line == old.place.line && each.place().column == old.place.column) {
        element = each;
      }
    }
    if (now && write_coupling(element, old, *now)) continue;
    disable(element);
    if (now) further += coupler_text(*now, model);
  }
  for (const auto& now : after_.couplings) {
    if (!coupling_of(before_, now.coordinate)) further += coupler_text(now, model);
  }
  if (further.empty()) return;
  if (objects) {
    edits_.insert(objects, further);
  } else if (set) {
    edits_.insert(set, "<objects> " + further + " </objects>");
  } else {
    edits_.insert(model, "<ConstraintSet> <objects> " + further + " </objects> </ConstraintSet>");
  }
}

void Writer::write() {
  const XmlView root(source_, source_.root());
  const XmlView model = root.name() == "Model" ? root : root.child("Model");
  const auto ids = [](const auto& items) {
    std::vector<std::string> out;
    out.reserve(items.size());
    for (const auto& item : items) out.push_back(item.id);
    return out;
  };
  const auto names = [](const auto& markers) {
    std::vector<std::string> out;
    out.reserve(markers.size());
    for (const auto& marker : markers) out.push_back(marker.name);
    return out;
  };
  if (ids(before_.bodies) != ids(after_.bodies) || ids(before_.joints) != ids(after_.joints) ||
      names(before_.skin_markers) != names(after_.skin_markers)) {
    model.fail(
        "the model has other bodies, joints or markers than the file: only numbers can be "
        "written.");
  }
  is_old_ = !model.child("JointSet");
  write_bodies(model);
  write_joints(model);
  write_couplings(model);
  write_markers(model);
  const auto gravity = [](const Description& d) {
    std::vector<double> out;
    for (const auto& force : d.forces) {
      if (force.key != "Gravitation") continue;
      for (const auto& constant : force.constants) out.push_back(constant.value.number);
    }
    return out;
  };
  put(model, "gravity", gravity(before_), gravity(after_), "gravity");
}

}  // namespace
}  // namespace osim_writer

std::string osim_text(std::string_view text, const std::string& file_name,
                      const mechanism::Description& changed, const BodyFactors& factors,
                      std::vector<std::string>& told) {
  const XmlSource source(text, file_name);
  const auto before = read_osim(source);
  XmlEdits edits(source);
  osim_writer::Writer(source, before, changed, edits).write();
  scale_attachments(source, factors, edits, told);
  return edits.text();
}

std::string osim_text(std::string_view text, const std::string& file_name,
                      const mechanism::Description& changed) {
  std::vector<std::string> told;
  return osim_text(text, file_name, changed, {}, told);
}

}  // namespace parfait::io
