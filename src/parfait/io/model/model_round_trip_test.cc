#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <tuple>

#include "parfait/io/model/model_file.h"

// Two texts that say the same give the same Description, and what is written reads back unchanged.
// Descriptions are compared field by field, places and file name aside.
namespace parfait::io {
namespace {

namespace fs = std::filesystem;

const fs::path kModelFolder = fs::path(PARFAIT_SOURCE_DIR) / "tests/cases/models";

std::vector<fs::path> models_to_write() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kModelFolder)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  return files;
}

void expect_same(const mechanism::Value& a, const mechanism::Value& b, const std::string& what) {
  EXPECT_EQ(a.formula, b.formula) << what;
  if (!a.is_formula()) {
    EXPECT_EQ(a.number, b.number) << what;
  }
}

void expect_same(const mechanism::Value3& a, const mechanism::Value3& b, const std::string& what) {
  for (std::size_t i = 0; i < 3; ++i) expect_same(a[i], b[i], what + " " + std::to_string(i));
}

void expect_same(const mechanism::Marker& a, const mechanism::Marker& b, const std::string& what) {
  EXPECT_EQ(a.id, b.id) << what;
  EXPECT_EQ(a.body, b.body) << what;
  EXPECT_EQ(a.reference, b.reference) << what;
  expect_same(a.frame.o, b.frame.o, what + ".o");
  expect_same(a.frame.x, b.frame.x, what + ".x");
  expect_same(a.frame.y, b.frame.y, what + ".y");
  expect_same(a.frame.z, b.frame.z, what + ".z");
  EXPECT_EQ(a.frame.has_x, b.frame.has_x) << what;
  EXPECT_EQ(a.frame.has_y, b.frame.has_y) << what;
  EXPECT_EQ(a.frame.has_z, b.frame.has_z) << what;
}

void expect_same(const std::vector<mechanism::NamedValue>& a,
                 const std::vector<mechanism::NamedValue>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name) << what;
    expect_same(a[i].value, b[i].value, what + "." + a[i].name);
  }
}

void expect_same(const std::vector<mechanism::Shape>& a, const std::vector<mechanism::Shape>& b,
                 const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto tie = [](const mechanism::Shape& s) {
      return std::tie(s.kind, s.size, s.radius, s.from, s.to, s.file, s.scale, s.o, s.x, s.z,
                      s.color, s.opacity, s.text);
    };
    EXPECT_TRUE(tie(a[i]) == tie(b[i])) << what << ": shape " << i;
  }
}

void expect_same(const mechanism::Body& a, const mechanism::Body& b) {
  const std::string& what = a.id;
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.o, b.o) << what;
  EXPECT_EQ(a.x, b.x) << what;
  EXPECT_EQ(a.y, b.y) << what;
  EXPECT_EQ(a.z, b.z) << what;
  EXPECT_EQ(a.o_rate, b.o_rate) << what;
  EXPECT_EQ(a.x_rate, b.x_rate) << what;
  EXPECT_EQ(a.y_rate, b.y_rate) << what;
  EXPECT_EQ(a.z_rate, b.z_rate) << what;
  EXPECT_EQ(a.v, b.v) << what;
  EXPECT_EQ(a.omega, b.omega) << what;
  expect_same(a.mass, b.mass, what + ".mass");
  expect_same(a.center_of_mass, b.center_of_mass, what + ".center_of_mass");
  for (std::size_t i = 0; i < 3; ++i) expect_same(a.inertia[i], b.inertia[i], what + ".inertia");
  EXPECT_EQ(a.about, b.about) << what;
  expect_same(a.shapes, b.shapes, what);
  ASSERT_EQ(a.markers.size(), b.markers.size()) << what;
  for (std::size_t i = 0; i < a.markers.size(); ++i) {
    expect_same(a.markers[i], b.markers[i], what + "." + a.markers[i].id);
  }
}

void expect_same(const mechanism::CoordinateFunction& a, const mechanism::CoordinateFunction& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.knots, b.knots);
  EXPECT_EQ(a.constants, b.constants);
  EXPECT_EQ(a.formula, b.formula);
}

void expect_same(const mechanism::Coordinate& a, const mechanism::Coordinate& b) {
  EXPECT_EQ(std::tie(a.id, a.kind, a.initial, a.rate, a.lower, a.upper, a.clamped, a.locked),
            std::tie(b.id, b.kind, b.initial, b.rate, b.lower, b.upper, b.clamped, b.locked));
}

void expect_same(const mechanism::MotionAxis& a, const mechanism::MotionAxis& b) {
  EXPECT_EQ(std::tie(a.turns, a.axis, a.coordinate), std::tie(b.turns, b.axis, b.coordinate));
  expect_same(a.function, b.function);
}

void expect_same(const mechanism::Coupling& a, const mechanism::Coupling& b) {
  EXPECT_EQ(std::tie(a.coordinate, a.follows), std::tie(b.coordinate, b.follows));
  expect_same(a.function, b.function);
}

void expect_same(const mechanism::SkinMarker& a, const mechanism::SkinMarker& b) {
  EXPECT_EQ(std::tie(a.name, a.body, a.o, a.fixed), std::tie(b.name, b.body, b.o, b.fixed));
}

template <class Item>
void expect_each_same(const std::vector<Item>& a, const std::vector<Item>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const mechanism::Joint& a, const mechanism::Joint& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.key, b.key) << a.id;
  expect_same(a.begin, b.begin, a.id + ".begin");
  expect_same(a.end, b.end, a.id + ".end");
  expect_same(a.constants, b.constants, a.id);
  expect_each_same(a.motion.coordinates, b.motion.coordinates);
  expect_each_same(a.motion.axes, b.motion.axes);
}

void expect_same(const mechanism::Constraint& a, const mechanism::Constraint& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.key, b.key) << a.id;
  expect_same(a.begin, b.begin, a.id + ".begin");
  expect_same(a.end, b.end, a.id + ".end");
  EXPECT_EQ(a.begin_axis, b.begin_axis) << a.id;
  EXPECT_EQ(a.end_axis, b.end_axis) << a.id;
  expect_same(a.offset, b.offset, a.id + ".offset");
}

void expect_same(const mechanism::Force& a, const mechanism::Force& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.key, b.key) << a.id;
  ASSERT_EQ(a.begin.has_value(), b.begin.has_value()) << a.id;
  ASSERT_EQ(a.end.has_value(), b.end.has_value()) << a.id;
  if (a.begin) expect_same(*a.begin, *b.begin, a.id + ".begin");
  if (a.end) expect_same(*a.end, *b.end, a.id + ".end");
  ASSERT_EQ(a.via.size(), b.via.size()) << a.id;
  for (std::size_t i = 0; i < a.via.size(); ++i) expect_same(a.via[i], b.via[i], a.id + ".via");
  expect_same(a.constants, b.constants, a.id);
  expect_same(a.law, b.law, a.id + ".law");
  EXPECT_EQ(a.side, b.side) << a.id;
  EXPECT_EQ(a.adhesion, b.adhesion) << a.id;
}

void expect_same(const mechanism::Event& a, const mechanism::Event& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.key, b.key) << a.id;
  ASSERT_EQ(a.begin.has_value(), b.begin.has_value()) << a.id;
  ASSERT_EQ(a.end.has_value(), b.end.has_value()) << a.id;
  if (a.begin) expect_same(*a.begin, *b.begin, a.id + ".begin");
  if (a.end) expect_same(*a.end, *b.end, a.id + ".end");
  expect_same(a.constants, b.constants, a.id);
  EXPECT_EQ(a.when.text, b.when.text) << a.id;
  EXPECT_EQ(a.at.text, b.at.text) << a.id;
  EXPECT_EQ(a.direction, b.direction) << a.id;
  EXPECT_EQ(a.terminal, b.terminal) << a.id;
  ASSERT_EQ(a.sets.size(), b.sets.size()) << a.id;
  for (std::size_t i = 0; i < a.sets.size(); ++i) {
    EXPECT_EQ(a.sets[i].to, b.sets[i].to) << a.id;
    EXPECT_EQ(a.sets[i].target, b.sets[i].target) << a.id;
    EXPECT_EQ(a.sets[i].value.text, b.sets[i].value.text) << a.id;
  }
}

void expect_same(const mechanism::State& a, const mechanism::State& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.initial, b.initial) << a.id;
  expect_same(a.derivative, b.derivative, a.id);
}

void expect_same(const mechanism::Input& a, const mechanism::Input& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.file, b.file) << a.id;
  EXPECT_EQ(a.column, b.column) << a.id;
  EXPECT_EQ(a.interpolation, b.interpolation) << a.id;
  EXPECT_EQ(a.t, b.t) << a.id;
  EXPECT_EQ(a.value, b.value) << a.id;
}

void expect_same(const mechanism::Parameter& a, const mechanism::Parameter& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.initial, b.initial) << a.id;
  EXPECT_EQ(a.lower, b.lower) << a.id;
  EXPECT_EQ(a.upper, b.upper) << a.id;
  EXPECT_EQ(a.scale, b.scale) << a.id;
  EXPECT_EQ(a.unit, b.unit) << a.id;
  EXPECT_EQ(a.targets, b.targets) << a.id;
}

template <class Element>
void expect_same(const std::vector<Element>& a, const std::vector<Element>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const mechanism::Description& a, const mechanism::Description& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.natural.rank_tolerance, b.natural.rank_tolerance);
  for (const auto& body : a.bodies) {
    const auto &from = a.natural.of(body.id), &to = b.natural.of(body.id);
    EXPECT_EQ(from.coordinates, to.coordinates) << body.id;
    for (const auto& [name, flag] : mechanism::released_names()) {
      EXPECT_EQ(from.released.*flag, to.released.*flag) << body.id << " " << name;
    }
  }
  EXPECT_EQ(a.remarks, b.remarks);
  EXPECT_EQ(a.simulation.until, b.simulation.until);
  EXPECT_EQ(a.simulation.rtol, b.simulation.rtol);
  EXPECT_EQ(a.simulation.atol, b.simulation.atol);
  EXPECT_EQ(a.simulation.step, b.simulation.step);
  EXPECT_EQ(a.simulation.integrator.text, b.simulation.integrator.text);
  ASSERT_EQ(a.simulation.outputs.size(), b.simulation.outputs.size());
  for (std::size_t i = 0; i < a.simulation.outputs.size(); ++i) {
    EXPECT_EQ(a.simulation.outputs[i].text, b.simulation.outputs[i].text);
  }
  expect_same(a.shapes, b.shapes, "model");
  expect_same(a.bodies, b.bodies);
  expect_same(a.joints, b.joints);
  expect_same(a.constraints, b.constraints);
  expect_same(a.forces, b.forces);
  expect_same(a.states, b.states);
  expect_same(a.inputs, b.inputs);
  expect_same(a.events, b.events);
  expect_same(a.parameters, b.parameters);
  expect_each_same(a.couplings, b.couplings);
  expect_each_same(a.skin_markers, b.skin_markers);
}

TEST(ModelRoundTrip, ElementStyleAndAttributeStyleSayTheSame) {
  expect_same(read_model(kModelFolder / "pendulum.xml"),
              read_model(kModelFolder / "pendulum_attributes.xml"));
}

TEST(ModelRoundTrip, WritingAndReadingGivesTheSameModel) {
  const fs::path folder =
      fs::temp_directory_path() / ("parfait_model_round_trip_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  for (const auto& file : models_to_write()) {
    SCOPED_TRACE(file.string());
    const auto original = read_model(file);
    // Beside the original, so that input tables have the same relative path.
    expect_same(original, read_model_text(model_text(original), file.string()));
    // Elsewhere the path changes, the table does not.
    const auto moved_file = folder / file.filename();
    write_model(original, moved_file);
    const auto moved = read_model(moved_file);
    EXPECT_EQ(model_text(moved).substr(0, 300), model_text(original).substr(0, 300));
    ASSERT_EQ(moved.inputs.size(), original.inputs.size());
    for (std::size_t i = 0; i < moved.inputs.size(); ++i) {
      EXPECT_EQ(moved.inputs[i].value, original.inputs[i].value);
    }
  }
  fs::remove_all(folder);
}

TEST(ModelRoundTrip, ModelsBuiltInCodeRoundTripWithEveryKindOfNumberAndFormula) {
  mechanism::Description d;
  mechanism::Body body;
  body.id = "B";
  body.mass.formula = "2 * k";
  body.center_of_mass[0] = 1.0 / 3;
  body.center_of_mass[1] = -0.0;
  body.center_of_mass[2].formula = "(k + 1)";
  body.inertia[0][0] = 5e-324;
  body.inertia[1][1].formula = "max(k, 1 + 2)";
  body.inertia[0][1] = 0.1;
  body.inertia[1][0] = 0.2;  // not symmetric: nothing is lost on the way to the check
  d.natural.bodies[body.id].released.yz = true;
  d.bodies.push_back(body);
  mechanism::Force force;
  force.id = "F";
  force.key = "General_Linear";
  force.law.formula = "length < 1 and \"x\" & rate > 2 ?\n 'a' : 1e300";
  force.constants = {{"Constant_0", 0.1 + 0.2}, {"odd", 1.7976931348623157e308}};
  d.forces.push_back(force);
  expect_same(d, read_model_text(model_text(d), "m.xml"));
}

TEST(ModelRoundTrip, ByteOrderMarksAndWindowsLineEndsAreAccepted) {
  const fs::path file =
      fs::temp_directory_path() / ("parfait_bom_" + std::to_string(::getpid()) + ".xml");
  const auto text = model_text(read_model(kModelFolder / "pendulum.xml"));
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  {
    std::FILE* out = std::fopen(file.string().c_str(), "wb");
    ASSERT_NE(out, nullptr);
    std::fwrite(windows.data(), 1, windows.size(), out);
    std::fclose(out);
  }
  expect_same(read_model(kModelFolder / "pendulum.xml"), read_model(file));
  fs::remove(file);
}

}  // namespace
}  // namespace parfait::io
