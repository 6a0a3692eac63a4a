#include "parfait/io/foreign/osim_writer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/placed_bodies.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io::osim_writer_test {
namespace {

std::string text_of(const std::string& name) {
  return read_text_file(PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name);
}

/// Lines that differ.
std::vector<std::string> changed_lines(const std::string& a, const std::string& b) {
  std::vector<std::string> out;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const auto ei = std::min(a.find('\n', i), a.size()), ej = std::min(b.find('\n', j), b.size());
    if (a.substr(i, ei - i) != b.substr(j, ej - j)) out.push_back(b.substr(j, ej - j));
    i = ei + 1;
    j = ej + 1;
  }
  return out;
}

TEST(OsimWriter, WithoutChangesEveryByteIsKept) {
  for (const char* name : {"gait2354_subject01.osim", "arm26.osim"}) {
    const auto text = text_of(name);
    EXPECT_EQ(osim_text(text, name, read_osim_text(text, name)), text);
  }
}

TEST(OsimWriter, ChangedNumbersReadBackAndNothingElseDiffers) {
  const auto text = text_of("gait2354_subject01.osim");
  auto d = read_osim_text(text, "m.osim");
  d.bodies[1].mass = 7.25;
  d.bodies[1].center_of_mass = {0.01, -0.2, 0.003};
  d.bodies[1].inertia[0][1] = d.bodies[1].inertia[1][0] = 0.001;
  d.skin_markers[3].o = {0.1, 0.2, 0.3};
  d.joints[2].begin.frame = frame_at({0.01, -0.4, 0.02}, {0.1, -0.2, 0.3}, AngleOrder::kBodyXYZ);
  d.joints[2].motion.coordinates[0].initial = 0.125;
  // The first translation of the knee, a scaled spline: twice as far.
  auto& slide = d.joints[2].motion.axes[0];
  ASSERT_EQ(slide.function.kind, mechanism::CoordinateFunction::Kind::kSimmSpline);
  for (double& c : slide.function.constants) c *= 2;
  const auto written = osim_text(text, "m.osim", d);
  const auto lines = changed_lines(text, written);
  // mass, centre, one product of inertia, marker, place, angles, default, scale
  EXPECT_EQ(lines.size(), 8U) << ::testing::PrintToString(lines);
  const auto again = read_osim_text(written, "again.osim");
  EXPECT_EQ(again.bodies[1].mass.number, 7.25);
  EXPECT_EQ(again.bodies[1].center_of_mass[2].number, 0.003);
  EXPECT_EQ(again.bodies[1].inertia[0][1].number, 0.001);
  EXPECT_EQ(again.skin_markers[3].o, d.skin_markers[3].o);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(again.joints[2].begin.frame.o[i].number, d.joints[2].begin.frame.o[i].number,
                1e-15);
    EXPECT_NEAR(again.joints[2].begin.frame.x[i].number, d.joints[2].begin.frame.x[i].number,
                1e-15);
    EXPECT_NEAR(again.joints[2].begin.frame.z[i].number, d.joints[2].begin.frame.z[i].number,
                1e-15);
  }
  EXPECT_EQ(again.joints[2].motion.coordinates[0].initial, 0.125);
  for (std::size_t i = 0; i < slide.function.constants.size(); ++i) {
    EXPECT_NEAR(again.joints[2].motion.axes[0].function.constants[i], slide.function.constants[i],
                1e-15);
  }
}

const char* const kFrames = R"(<OpenSimDocument Version="40500"><Model name="m">
<BodySet><objects><Body name="a"><mass>1</mass><inertia>1 1 1 0 0 0</inertia>
<components><PhysicalOffsetFrame name="mid"><socket_parent>..</socket_parent><translation>0 0 0.5</translation><orientation>0 0.3 0</orientation></PhysicalOffsetFrame></components>
</Body><Body name="b"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects>
<PinJoint name="j"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/a</socket_child_frame>
<coordinates><Coordinate name="x"/></coordinates></PinJoint>
<PinJoint name="k"><socket_parent_frame>on_mid</socket_parent_frame><socket_child_frame>/bodyset/b</socket_child_frame>
<coordinates><Coordinate name="y"/></coordinates>
<frames><PhysicalOffsetFrame name="on_mid"><socket_parent>/bodyset/a/mid</socket_parent>
<translation>0.1 0 0</translation>
<orientation>0 0 0</orientation></PhysicalOffsetFrame></frames></PinJoint>
</objects></JointSet></Model></OpenSimDocument>)";

TEST(OsimWriter, FramesOnFramesChangeInTheirOwnAxes) {
  auto d = read_osim_text(kFrames, "f.osim");
  d.joints[1].begin.frame.o = {0.2, -0.1, 0.6};
  const auto again = read_osim_text(osim_text(kFrames, "f.osim", d), "again.osim");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(again.joints[1].begin.frame.o[i].number, d.joints[1].begin.frame.o[i].number,
                1e-15);
    EXPECT_NEAR(again.joints[1].begin.frame.x[i].number, d.joints[1].begin.frame.x[i].number,
                1e-15);
  }
}

TEST(OsimWriter, WhatTheFileHasNoPlaceForIsNamed) {
  const auto message = [](const mechanism::Description& d) -> std::string {
    try {
      osim_text(kFrames, "f.osim", d);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto original = read_osim_text(kFrames, "f.osim");
  auto d = original;
  d.joints[0].begin.frame.o[0] = 0.1;
  EXPECT_EQ(
      message(d),
      "f.osim:6:1: joint \"j\": its frame on the parent has changed, and the file has no place "
      "for it.");
  d = original;
  d.bodies[1].center_of_mass[0] = 0.1;
  EXPECT_EQ(message(d),
            "f.osim:4:8: body \"b\": its centre of mass has changed, and the file has no place for "
            "it.");
  d = original;
  d.bodies.pop_back();
  EXPECT_NE(message(d).find("only numbers can be written"), std::string::npos);
}

const char* const kCouplings = R"(<OpenSimDocument Version="40500"><Model name="m">
<BodySet><objects><Body name="a"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body>
<Body name="b"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body>
<Body name="c"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body>
<Body name="d"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects>
<PinJoint name="i"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/a</socket_child_frame>
<coordinates><Coordinate name="x"/></coordinates></PinJoint>
<PinJoint name="j"><socket_parent_frame>/bodyset/a</socket_parent_frame><socket_child_frame>/bodyset/b</socket_child_frame>
<coordinates><Coordinate name="y&amp;z"> <locked> false </locked> </Coordinate></coordinates></PinJoint>
<PinJoint name="k"><socket_parent_frame>/bodyset/b</socket_parent_frame><socket_child_frame>/bodyset/c</socket_child_frame>
<coordinates><Coordinate name="u"><clamped/></Coordinate></coordinates></PinJoint>
<PinJoint name="l"><socket_parent_frame>/bodyset/c</socket_parent_frame><socket_child_frame>/bodyset/d</socket_child_frame>
<coordinates><Coordinate name="w"/></coordinates></PinJoint>
</objects></JointSet>
<ConstraintSet>
  <objects>
    <!-- kept -->
    <CoordinateCouplerConstraint name="first"><coupled_coordinates_function><LinearFunction><coefficients>3 0.1</coefficients></LinearFunction></coupled_coordinates_function>
      <independent_coordinate_names>x</independent_coordinate_names><dependent_coordinate_name>y&amp;z</dependent_coordinate_name><scale_factor>0.5</scale_factor></CoordinateCouplerConstraint>
    <CoordinateCouplerConstraint name="chain"><coupled_coordinates_function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></coupled_coordinates_function>
      <independent_coordinate_names>y&amp;z</independent_coordinate_names><dependent_coordinate_name>u</dependent_coordinate_name></CoordinateCouplerConstraint>
  </objects>
</ConstraintSet></Model></OpenSimDocument>)";

/// Coordinates and couplings of both, the latter by coordinate.
void expect_same_couplings(const mechanism::Description& a, const mechanism::Description& b) {
  ASSERT_EQ(a.couplings.size(), b.couplings.size());
  for (const auto& one : a.couplings) {
    const auto other =
        std::ranges::find(b.couplings, one.coordinate, &mechanism::Coupling::coordinate);
    ASSERT_NE(other, b.couplings.end()) << one.coordinate;
    EXPECT_EQ(one.follows, other->follows) << one.coordinate;
    EXPECT_EQ(one.function.kind, other->function.kind) << one.coordinate;
    EXPECT_EQ(one.function.knots, other->function.knots) << one.coordinate;
    ASSERT_EQ(one.function.constants.size(), other->function.constants.size());
    for (std::size_t i = 0; i < one.function.constants.size(); ++i) {
      EXPECT_NEAR(one.function.constants[i], other->function.constants[i], 1e-15);
    }
  }
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    for (std::size_t i = 0; i < a.joints[j].motion.coordinates.size(); ++i) {
      const auto &one = a.joints[j].motion.coordinates[i],
                 &other = b.joints[j].motion.coordinates[i];
      EXPECT_EQ(one.locked, other.locked) << one.id;
      EXPECT_EQ(one.clamped, other.clamped) << one.id;
      EXPECT_EQ(one.initial, other.initial) << one.id;
    }
  }
}

TEST(OsimWriter, CouplingsAndLockedCoordinatesReadBack) {
  const auto original = read_osim_text(kCouplings, "c.osim");
  EXPECT_EQ(osim_text(kCouplings, "c.osim", original), kCouplings);
  const std::string x = original.joints[0].motion.coordinates[0].id,
                    y = original.joints[1].motion.coordinates[0].id,
                    u = original.joints[2].motion.coordinates[0].id,
                    w = original.joints[3].motion.coordinates[0].id;
  ASSERT_EQ(original.couplings.size(), 2U);
  ASSERT_EQ(original.couplings[1].follows, x);  // the chain is resolved
  const auto write = [&](const mechanism::Description& d) {
    const std::string written = osim_text(kCouplings, "c.osim", d);
    EXPECT_NE(written, kCouplings);
    EXPECT_NE(written.find("<!-- kept -->"), std::string::npos);
    expect_same_couplings(d, read_osim_text(written, "again.osim"));
    return written;
  };
  {
    SCOPED_TRACE("locked and clamped, where there is a place, an empty one and none");
    auto d = original;
    d.joints[0].motion.coordinates[0].locked = true;
    d.joints[0].motion.coordinates[0].clamped = true;
    d.joints[1].motion.coordinates[0].locked = true;
    d.joints[2].motion.coordinates[0].clamped = true;
    EXPECT_NE(write(d).find("<locked> true </locked>"), std::string::npos);
  }
  {
    SCOPED_TRACE("a function, and with it what follows its follower");
    auto d = original;
    for (auto& coupling : d.couplings) coupling.function.constants = {2.5, -0.25};
    EXPECT_NE(write(d).find("<coefficients>5 -0.5</coefficients>"), std::string::npos);
  }
  {
    SCOPED_TRACE("another leader");
    auto d = original;
    d.couplings[0].follows = w;
    d.couplings[1].follows = w;
    write(d);
  }
  {
    SCOPED_TRACE("one of a chain alone");
    auto d = original;
    d.couplings[1].function.constants = {0.75, 0};
    EXPECT_NE(write(d).find("<isEnforced>false</isEnforced>"), std::string::npos);
  }
  {
    SCOPED_TRACE("another kind of function");
    auto d = original;
    d.couplings[0].function.kind = mechanism::CoordinateFunction::Kind::kSimmSpline;
    d.couplings[0].function.knots = {-1, 0, 1.5};
    d.couplings[0].function.constants = {0, 0.5, 0.25};
    d.couplings.pop_back();
    write(d);
  }
  {
    SCOPED_TRACE("none, and a new one");
    auto d = original;
    d.couplings.clear();
    write(d);
    d.couplings = {{.coordinate = w, .follows = x, .function = {.constants = {2, 1}}, .place = {}}};
    write(d);
  }
  auto d = original;
  d.couplings[0].function.kind = mechanism::CoordinateFunction::Kind::kFormula;
  d.couplings[0].function.formula = "q^2";
  try {
    osim_text(kCouplings, "c.osim", d);
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(),
                 ("c.osim:1:34: coupling of \"" + y + "\": OpenSim has no such function.").c_str());
  }
  EXPECT_NE(u, w);
}

TEST(OsimWriter, CouplingsFindAPlaceInFilesWithoutAny) {
  const auto original = read_osim_text(kFrames, "f.osim");
  auto d = original;
  d.couplings = {{.coordinate = original.joints[1].motion.coordinates[0].id,
                  .follows = original.joints[0].motion.coordinates[0].id,
                  .function = {.kind = mechanism::CoordinateFunction::Kind::kPolynomial,
                               .constants = {0.5, 1, 0.25}},
                  .place = {}}};
  d.joints[0].motion.coordinates[0].locked = true;
  expect_same_couplings(d, read_osim_text(osim_text(kFrames, "f.osim", d), "again.osim"));
  // A file of version 3, with couplings of the patella that splines drive.
  const auto text = text_of("gait2354_subject01.osim");
  d = read_osim_text(text, "m.osim");
  d.joints[2].motion.coordinates[0].locked = !d.joints[2].motion.coordinates[0].locked;
  d.couplings.push_back({.coordinate = d.joints[4].motion.coordinates[0].id,
                         .follows = d.joints[3].motion.coordinates[0].id,
                         .function = {.constants = {-1, 0.1}},
                         .place = {}});
  expect_same_couplings(d, read_osim_text(osim_text(text, "m.osim", d), "again.osim"));
}

}  // namespace
}  // namespace parfait::io::osim_writer_test
