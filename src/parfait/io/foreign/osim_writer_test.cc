#include "parfait/io/foreign/osim_writer.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace parfait::io::osim_writer_test
