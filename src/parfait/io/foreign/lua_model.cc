#include "parfait/io/foreign/lua_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "parfait/base/error.h"
#include "parfait/io/foreign/placed_bodies.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace lua_model {
namespace {

using mechanism::Coordinate;
using mechanism::Frame;
using mechanism::kInertial;
using mechanism::MotionAxis;
using mechanism::Number3;

/// Joints by name: letters as in tree::Joint::sequence.
struct NamedJoint {
  const char* name;
  const char* letters;
};
constexpr NamedJoint kNamedJoints[] = {
    {"JointTypeFixed", ""},           {"JointTypeRevoluteX", "X"},
    {"JointTypeRevoluteY", "Y"},      {"JointTypeRevoluteZ", "Z"},
    {"JointTypePrismatic", "x"},      {"JointTypeEulerZYX", "ZYX"},
    {"JointTypeEulerXYZ", "XYZ"},     {"JointTypeEulerYXZ", "YXZ"},
    {"JointTypeEulerZXY", "ZXY"},     {"JointTypeTranslationXYZ", "xyz"},
    {"JointTypeSpherical", "ball"},   {"JointTypeFloatingBase", "free"},
    {"JointTypeFloatingbase", "free"}};

class Reader {
 public:
  Reader(const LuaValue& table, std::string_view text, std::string file)
      : table_(table), text_(text), file_(std::move(file)) {}

  mechanism::Description read();

 private:
  base::Place place_of(const std::string& name) const;
  [[noreturn]] void fail(const std::string& frame, const std::string& message) const;
  double number(const LuaValue& value, const std::string& frame, const std::string& what) const;
  std::vector<double> numbers(const LuaValue& value, std::size_t count, const std::string& frame,
                              const std::string& what) const;
  Number3 vector(const LuaValue& value, const std::string& frame, const std::string& what) const;
  Frame frame_of(const LuaValue& value, const std::string& frame, const std::string& what) const;
  void read_frame(const LuaValue& frame);
  void read_body(const LuaValue* value, mechanism::Body& body);
  void read_joint(const LuaValue& frame, const std::string& name, const std::string& body);
  void add_axis(const std::vector<double>& six, const std::string& frame, mechanism::Joint& joint);
  void add_step(const std::string& frame, bool turns, const Number3& axis, mechanism::Joint& joint);
  void read_points();
  void read_gravity();
  const std::string& body_of(const std::string& frame, const std::string& asked) const;

  const LuaValue& table_;
  std::string_view text_;
  std::string file_;
  mechanism::Description out_;
  std::map<std::string, std::string> bodies_;  ///< frame → body
  std::vector<std::string> taken_{"gravity"}, taken_coordinates_;
  std::set<std::string> marker_names_;
};

/// The line on which `name = "..."` or `"..."` stands first.
base::Place Reader::place_of(const std::string& name) const {
  base::Place place{file_, 0, 0};
  if (name.empty()) return place;
  for (const char quote : {'"', '\''}) {
    const std::string word = quote + name + quote;
    std::size_t best = std::string_view::npos;
    for (std::size_t at = text_.find(word); at != std::string_view::npos;
         at = text_.find(word, at + 1)) {
      std::size_t before = at;
      while (before > 0 &&
             (text_[before - 1] == ' ' || text_[before - 1] == '=' || text_[before - 1] == '\t')) {
        --before;
      }
      const bool is_name = before >= 4 && text_.substr(before - 4, 4) == "name";
      if (is_name) {
        best = at;
        break;
      }
      if (best == std::string_view::npos) best = at;
    }
    if (best == std::string_view::npos) continue;
    place.line = 1 + static_cast<int>(std::count(
                         text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(best), '\n'));
    return place;
  }
  return place;
}

void Reader::fail(const std::string& frame, const std::string& message) const {
  throw base::InputError(place_of(frame),
                         frame.empty() ? message : fmt::format("frame \"{}\": {}", frame, message));
}

double Reader::number(const LuaValue& value, const std::string& frame,
                      const std::string& what) const {
  if (!value.is_number()) fail(frame, fmt::format("{} must be a number.", what));
  if (!std::isfinite(value.number)) fail(frame, fmt::format("{} is not finite.", what));
  return value.number;
}

std::vector<double> Reader::numbers(const LuaValue& value, std::size_t count,
                                    const std::string& frame, const std::string& what) const {
  if (!value.is_table() || value.list.size() != count) {
    fail(frame, fmt::format("{} must be a list of {} numbers, found {}.", what, count,
                            value.is_table() ? std::to_string(value.list.size()) : "none"));
  }
  std::vector<double> out;
  for (const auto& each : value.list) out.push_back(number(each, frame, "a number of " + what));
  return out;
}

Number3 Reader::vector(const LuaValue& value, const std::string& frame,
                       const std::string& what) const {
  const auto three = numbers(value, 3, frame, what);
  return {three[0], three[1], three[2]};
}

Frame Reader::frame_of(const LuaValue& value, const std::string& frame,
                       const std::string& what) const {
  Frame out = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ);
  if (!value.is_table()) fail(frame, fmt::format("{} must be a table.", what));
  if (const LuaValue* r = value.find("r")) {
    const auto o = vector(*r, frame, what + ".r");
    for (std::size_t i = 0; i < 3; ++i) out.o[i] = o[i];
  }
  const LuaValue* E = value.find("E");
  if (!E) return out;
  if (!E->is_table() || E->list.size() != 3) fail(frame, what + ".E must have three rows.");
  std::array<Number3, 3> rows;
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i] = vector(E->list[i], frame, fmt::format("{}.E[{}]", what, i + 1));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += rows[i][k] * rows[j][k];
      if (std::abs(product - (i == j ? 1.0 : 0.0)) < 1e-4) continue;
      fail(frame, fmt::format("{}.E is not a rotation: its rows {} and {} have the product {:g}.",
                              what, i + 1, j + 1, product));
    }
  }
  mechanism::Value3* axes[3] = {&out.x, &out.y, &out.z};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) (*axes[i])[k] = rows[i][k];
  }
  return out;
}

const std::string& Reader::body_of(const std::string& frame, const std::string& asked) const {
  const auto found = bodies_.find(frame);
  if (found != bodies_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, body] : bodies_) names.push_back(name);
  fail(asked, fmt::format("\"{}\" is not a frame before it.{} Frames: {}.", frame,
                          base::suggestion(frame, names), base::listing(names)));
}

void Reader::read_body(const LuaValue* value, mechanism::Body& body) {
  body.mass = 0;
  body.inertia = {};
  if (!value) return;
  const std::string frame = body.id;
  if (!value->is_table()) fail(frame, "body must be a table.");
  if (const LuaValue* mass = value->find("mass")) body.mass = number(*mass, frame, "body.mass");
  if (body.mass.number < 0)
    fail(frame, fmt::format("body.mass = {}: must not be negative.", body.mass.number));
  if (const LuaValue* com = value->find("com")) {
    const auto c = vector(*com, frame, "body.com");
    for (std::size_t i = 0; i < 3; ++i) body.center_of_mass[i] = c[i];
  }
  const LuaValue* inertia = value->find("inertia");
  if (!inertia) return;
  if (!inertia->is_table() || inertia->list.size() != 3) {
    fail(frame, "body.inertia must have three rows.");
  }
  std::array<Number3, 3> I;
  for (std::size_t i = 0; i < 3; ++i) {
    I[i] = vector(inertia->list[i], frame, fmt::format("body.inertia[{}]", i + 1));
  }
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      largest = std::max(largest, std::abs(I[i][j]));
      off = std::max(off, std::abs(I[i][j] - I[j][i]));
      body.inertia[i][j] = 0.5 * (I[i][j] + I[j][i]);
    }
  }
  if (off > 1e-9 * largest) {
    out_.left_out.push_back(
        fmt::format("{}: frame \"{}\": its inertia is not symmetric; the mean of "
                    "both halves is used.",
                    place_of(frame).text(), frame));
  }
}

void Reader::add_step(const std::string& frame, bool turns, const Number3& axis,
                      mechanism::Joint& joint) {
  // Thigh_R_RY, or a number where the axis is none of x, y, z.
  std::string ending = turns ? "_R" : "_T";
  std::size_t used = 0, which = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (axis[i] != 0) {
      ++used;
      which = i;
    }
  }
  if (used == 1) {
    ending += "XYZ"[which];
  } else {
    ending += std::to_string(joint.motion.coordinates.size() + 1);
  }
  add_coordinate(joint, free_identifier(frame + ending, "", taken_coordinates_), turns, axis);
}

void Reader::add_axis(const std::vector<double>& six, const std::string& frame,
                      mechanism::Joint& joint) {
  const Number3 turn{six[0], six[1], six[2]}, slide{six[3], six[4], six[5]};
  const auto length = [](const Number3& a) {
    return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  };
  const double turns = length(turn), slides = length(slide);
  if (turns == 0 && slides == 0) fail(frame, "an axis of its joint has no direction.");
  for (const double size : {turns, slides}) {
    if (size == 0 || std::abs(size - 1) < 1e-6 || (turns > 0 && slides > 0)) continue;
    out_.left_out.push_back(
        fmt::format("{}: frame \"{}\": an axis of length {:g} counts as one of length 1.",
                    place_of(frame).text(), frame, size));
  }
  add_step(frame, turns > 0, turns > 0 ? turn : slide, joint);
  if (turns == 0 || slides == 0) return;
  // A helical joint: it advances as it turns.
  MotionAxis step = joint.motion.axes.back();
  step.turns = false;
  step.axis = slide;
  step.function.constants = {slides / turns, 0.0};
  joint.motion.axes.push_back(step);
}

void Reader::read_joint(const LuaValue& frame, const std::string& name, const std::string& body) {
  mechanism::Joint joint;
  joint.place = place_of(name);
  const LuaValue* parent = frame.find("parent");
  if (!parent || !parent->is_string())
    fail(name, "it needs \"parent\", the name of a frame or ROOT.");
  joint.begin.body = body_of(parent->text, name);
  joint.begin.place = joint.end.place = joint.place;
  joint.begin.frame = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ);
  if (const LuaValue* place = frame.find("joint_frame")) {
    joint.begin.frame = frame_of(*place, name, "joint_frame");
  }
  joint.end.body = body;
  joint.end.frame = frame_at({0, 0, 0}, {0, 0, 0}, AngleOrder::kBodyXYZ);
  const LuaValue* motion = frame.find("joint");
  joint.key = "Fixed";
  std::string letters;
  if (motion && !motion->is_nil()) {
    if (!motion->is_table()) fail(name, "joint must be a table.");
    const auto& list = motion->list;
    const bool is_flat = !list.empty() && list[0].is_number();
    if (!list.empty() && list[0].is_string()) {
      std::vector<std::string> known;
      bool found = false;
      for (const auto& each : kNamedJoints) {
        known.emplace_back(each.name);
        if (list[0].text != each.name) continue;
        letters = each.letters;
        found = true;
      }
      if (!found || list.size() != 1) {
        fail(name, fmt::format("unknown joint \"{}\".{} Joints: {}.", list[0].text,
                               base::suggestion(list[0].text, known), base::listing(known, 20)));
      }
    } else if (is_flat) {
      add_axis(numbers(*motion, 6, name, "joint"), name, joint);
    } else {
      for (std::size_t i = 0; i < list.size(); ++i) {
        add_axis(numbers(list[i], 6, name, fmt::format("joint[{}]", i + 1)), name, joint);
      }
    }
  }
  if (letters == "free") {
    if (joint.begin.body != kInertial) {
      fail(name, "a floating base on a moving frame cannot be represented.");
    }
    for (auto& each : out_.bodies) {
      if (each.id != body) continue;
      each.o = numbers_of(joint.begin.frame.o);
      each.x = numbers_of(joint.begin.frame.x);
      each.y = numbers_of(joint.begin.frame.y);
      each.z = numbers_of(joint.begin.frame.z);
    }
    return;
  }
  joint.id = free_identifier(name + "_joint", "", taken_);
  if (letters == "ball") {
    joint.key = "Spherical";
  } else {
    for (const char letter : letters) {
      const bool turns = letter <= 'Z';
      Number3 axis{0, 0, 0};
      axis[static_cast<std::size_t>(turns ? letter - 'X' : letter - 'x')] = 1;
      add_step(name, turns, axis, joint);
    }
    if (!joint.motion.axes.empty()) joint.key = mechanism::kAxesJoint;
  }
  out_.joints.push_back(joint);
}

void Reader::read_frame(const LuaValue& frame) {
  if (!frame.is_table()) fail("", "every entry of frames must be a table.");
  const LuaValue* name_value = frame.find("name");
  if (!name_value || !name_value->is_string() || name_value->text.empty()) {
    fail("", fmt::format("frame number {} has no name.", bodies_.size()));
  }
  const std::string& name = name_value->text;
  if (bodies_.contains(name)) fail(name, "the name is there twice.");
  mechanism::Body body;
  body.id = free_identifier(name, "_body", taken_);
  body.place = place_of(name);
  body.mass.place = body.place;
  read_body(frame.find("body"), body);
  out_.bodies.push_back(body);
  read_joint(frame, name, body.id);
  bodies_[name] = body.id;
  const LuaValue* markers = frame.find("markers");
  if (!markers || markers->is_nil()) return;
  if (!markers->is_table()) fail(name, "markers must be a table.");
  const LuaValue* tracking = frame.find("tracking_markers");
  for (const auto& field : markers->fields) {
    mechanism::SkinMarker marker;
    marker.name = field.name;
    marker.body = body.id;
    marker.fixed = !tracking || std::none_of(tracking->list.begin(), tracking->list.end(),
                                             [&](const auto& each) {
                                               return each.is_string() && each.text == field.name;
                                             });
    marker.place = place_of(name);
    marker.o = vector(field.value, name, "marker " + field.name);
    if (!marker_names_.insert(field.name).second) {
      fail(name, fmt::format("marker \"{}\" is there twice.", field.name));
    }
    out_.skin_markers.push_back(marker);
  }
}

/// Named points and frames of bodies.
void Reader::read_points() {
  for (const auto& [list, place] : {std::pair{"points", "point"}, std::pair{"local_frames", "r"}}) {
    const LuaValue* values = table_.find(list);
    if (!values || !values->is_table()) continue;
    for (const auto& value : values->list) {
      const LuaValue* name = value.is_table() ? value.find("name") : nullptr;
      const LuaValue* body = value.is_table() ? value.find("body") : nullptr;
      const LuaValue* r = value.is_table() ? value.find(place) : nullptr;
      if (!name || !name->is_string() || !body || !body->is_string() || !r) {
        fail("", fmt::format("an entry of {} needs name, body and {}.", list, place));
      }
      mechanism::Marker marker;
      marker.frame = std::string(list) == "points" ? frame_at(vector(*r, name->text, "point"),
                                                              {0, 0, 0}, AngleOrder::kBodyXYZ)
                                                   : frame_of(value, name->text, list);
      marker.place = place_of(name->text);
      const std::string& id = body_of(body->text, name->text);
      for (auto& each : out_.bodies) {
        if (each.id != id) continue;
        std::vector<std::string> ids{"com", "origin", "e1", "e2", "e3"};
        for (const auto& other : each.markers) ids.push_back(other.id);
        marker.id = free_identifier(name->text, "_point", ids);
        each.markers.push_back(marker);
      }
    }
  }
}

void Reader::read_gravity() {
  Number3 g{0, -9.81, 0};
  if (const LuaValue* given = table_.find("gravity")) {
    g = vector(*given, "", "gravity");
  } else {
    const LuaValue* configuration = table_.find("configuration");
    const LuaValue* up = configuration ? configuration->find("axis_up") : nullptr;
    if (up) {
      const auto axis = vector(*up, "", "configuration.axis_up");
      for (std::size_t i = 0; i < 3; ++i) g[i] = -9.81 * axis[i];
    }
    out_.left_out.push_back(
        fmt::format("{}: it says nothing about gravity: ({:g}, {:g}, {:g}) m/s^2{}.", file_, g[0],
                    g[1], g[2], up ? ", against axis_up" : ", as RBDL has it"));
  }
  mechanism::Force gravity;
  gravity.key = "Gravitation";
  gravity.id = "gravity";
  for (std::size_t i = 0; i < 3; ++i) {
    gravity.constants.push_back({std::string("g") + "xyz"[i], g[i]});
  }
  out_.forces.push_back(gravity);
}

mechanism::Description Reader::read() {
  out_.file = file_;
  out_.id = "model";
  if (!table_.is_table()) fail("", "the program must return a table, the model.");
  const LuaValue* frames = table_.find("frames");
  if (!frames || !frames->is_table() || frames->list.empty()) {
    fail("", "the model has no frames.");
  }
  bodies_["ROOT"] = kInertial;
  for (const auto& frame : frames->list) read_frame(frame);
  read_points();
  read_gravity();
  std::vector<std::string> others;
  static const std::set<std::string> kKnown{"gravity", "configuration", "frames", "points",
                                            "local_frames"};
  for (const auto& field : table_.fields) {
    if (!kKnown.contains(field.name)) others.push_back(field.name);
  }
  if (!others.empty()) {
    out_.left_out.push_back(
        fmt::format("{}: not part of the mechanism: {}.", file_, base::listing(others)));
  }
  place_bodies(out_);
  return out_;
}

LuaValue rows_of(const std::array<Number3, 3>& rows) {
  LuaValue out;
  out.kind = LuaValue::Kind::kTable;
  for (const auto& row : rows) out.list.push_back(lua_list({row[0], row[1], row[2]}));
  return out;
}

LuaValue list_of(const Number3& a) {
  return lua_list({a[0], a[1], a[2]});
}

/// Replaces numbers only where they differ, so that what is said in fewer digits stays so.
void set_numbers(LuaValue& table, const std::string& name, const LuaValue& value, bool is_default) {
  const LuaValue* old = table.find(name);
  if (old ? *old == value : is_default) return;
  set_field(table, name, value);
}

LuaValue& subtable(LuaValue& table, const std::string& name) {
  LuaValue* found = table.find(name);
  if (!found || !found->is_table()) {
    LuaValue empty;
    empty.kind = LuaValue::Kind::kTable;
    set_field(table, name, empty);
  }
  return *table.find(name);
}

}  // namespace
}  // namespace lua_model

LuaModel read_lua_model_text(std::string_view text, const std::string& file_name) {
  LuaModel out;
  out.table = run_lua(text, file_name, std::filesystem::path(file_name).parent_path());
  out.description = lua_model::Reader(out.table, text, file_name).read();
  return out;
}

LuaModel read_lua_model(const std::filesystem::path& file) {
  return read_lua_model_text(read_text_file(file), file.string());
}

std::string lua_model_text(const LuaModel& model) {
  using lua_model::list_of;
  using lua_model::rows_of;
  using lua_model::set_numbers;
  using lua_model::subtable;
  LuaValue table = model.table;
  const auto& d = model.description;
  LuaValue* frames = table.find("frames");
  for (std::size_t i = 0; frames && i < frames->list.size() && i < d.bodies.size(); ++i) {
    LuaValue& frame = frames->list[i];
    const auto& body = d.bodies[i];
    const mechanism::Number3 zero{0, 0, 0};
    // The tensor as it was where its halves differ: what is used is their mean.
    const auto center = numbers_of(body.center_of_mass);
    std::array<mechanism::Number3, 3> I;
    for (std::size_t k = 0; k < 3; ++k) I[k] = numbers_of(body.inertia[k]);
    const bool is_nothing = body.mass.number == 0 && center == zero &&
                            I == std::array<mechanism::Number3, 3>{zero, zero, zero};
    if (!is_nothing || frame.find("body")) {
      LuaValue& numbers = subtable(frame, "body");
      set_numbers(numbers, "mass", lua_number(body.mass.number), body.mass.number == 0);
      set_numbers(numbers, "com", list_of(center), center == zero);
      set_numbers(numbers, "inertia", rows_of(I),
                  I == std::array<mechanism::Number3, 3>{zero, zero, zero});
    }
    for (const auto& joint : d.joints) {
      if (joint.end.body != body.id) continue;
      const auto& f = joint.begin.frame;
      const auto o = numbers_of(f.o);
      const std::array<mechanism::Number3, 3> E{numbers_of(f.x), numbers_of(f.y), numbers_of(f.z)};
      const bool is_straight = E == std::array<mechanism::Number3, 3>{mechanism::Number3{1, 0, 0},
                                                                      mechanism::Number3{0, 1, 0},
                                                                      mechanism::Number3{0, 0, 1}};
      if (o == zero && is_straight && !frame.find("joint_frame")) continue;
      LuaValue& place = subtable(frame, "joint_frame");
      set_numbers(place, "r", list_of(o), o == zero);
      set_numbers(place, "E", rows_of(E), is_straight);
    }
    for (const auto& marker : d.skin_markers) {
      if (marker.body == body.id) {
        set_numbers(subtable(frame, "markers"), marker.name, list_of(marker.o), false);
      }
    }
  }
  for (const auto& force : d.forces) {
    if (force.key != "Gravitation" || !table.find("gravity") || force.constants.size() != 3)
      continue;
    set_numbers(table, "gravity",
                lua_list({force.constants[0].value.number, force.constants[1].value.number,
                          force.constants[2].value.number}),
                false);
  }
  return lua_text(table);
}

}  // namespace parfait::io
