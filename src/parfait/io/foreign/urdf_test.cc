#include "parfait/io/foreign/urdf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/build/mechanism_tree.h"

namespace parfait::io::urdf_test {
namespace {

using tree::MechanismTree;

const char* const kArm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial> <origin xyz="0 0 0.2" rpy="0 0 0"/> <mass value="2"/> <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/> </inertial>
    <visual> <origin xyz="0 0 0.2"/> <geometry> <cylinder radius="0.05" length="0.4"/> </geometry> <material name="m"> <color rgba="1 0.5 0 1"/> </material> </visual>
  </link>
  <link name="sensor">
    <inertial> <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/> <mass value="0.5"/> <inertia ixx="0.001" ixy="0.0002" ixz="0" iyy="0.002" iyz="0" izz="0.003"/> </inertial>
  </link>
  <link name="slider"> <inertial> <mass value="1"/> <inertia ixx="0.01" iyy="0.01" izz="0.01"/> </inertial> </link>
  <link name="finger"> <inertial> <mass value="0.1"/> <inertia ixx="0.001" iyy="0.001" izz="0.001"/> </inertial> </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/> <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/> <axis xyz="0 1 0"/> <limit lower="-1" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="mount" type="fixed"> <parent link="upper"/> <child link="sensor"/> <origin xyz="0 0 0.4" rpy="0 0.5 0"/> </joint>
  <joint name="extend" type="prismatic">
    <parent link="sensor"/> <child link="slider"/> <origin xyz="0 0 0.1"/> <axis xyz="0 0 1"/> <limit lower="0" upper="0.5" effort="1" velocity="1"/>
  </joint>
  <joint name="grip" type="continuous"> <parent link="slider"/> <child link="finger"/> <axis xyz="1 0 0"/> <mimic joint="extend" multiplier="2" offset="0.1"/> </joint>
</robot>)";

TEST(Urdf, MergedAndKeptLinksAreTheSameMechanism) {
  const auto merged = read_urdf_text(kArm, "arm.urdf");
  UrdfOptions keep;
  keep.keep_fixed = true;
  const auto kept = read_urdf_text(kArm, "arm.urdf", keep);
  EXPECT_EQ(merged.bodies.size(), 3U);
  EXPECT_EQ(kept.bodies.size(), 4U);
  ASSERT_EQ(merged.bodies[0].markers.size(), 1U);
  EXPECT_EQ(merged.bodies[0].markers[0].id, "sensor");
  const MechanismTree a(merged), b(kept);
  ASSERT_EQ(a.tree().nv, 2);
  ASSERT_EQ(b.tree().nv, 2);
  const std::vector<double> q{0.4, 0.2}, v{1.5, -0.7}, tau{0.3, 2.0};
  std::vector<double> first(2), second(2);
  tree::Workspace wa(a.tree()), wb(b.tree());
  tree::forward_dynamics(a.tree(), q, v, tau, {}, wa, first);
  tree::forward_dynamics(b.tree(), q, v, tau, {}, wb, second);
  EXPECT_NEAR(first[0], second[0], 1e-11 * std::abs(first[0]));
  EXPECT_NEAR(first[1], second[1], 1e-11 * std::abs(first[1]));
  EXPECT_GT(std::abs(first[0]), 0.1);
}

TEST(Urdf, PlacesAreThoseOfRollPitchYaw) {
  const auto d = read_urdf_text(kArm, "arm.urdf");
  const MechanismTree m(d);
  tree::Workspace ws(m.tree());
  const std::vector<double> q{0.0, 0.25};
  // R = Rz(0.3) Ry(0.2) Rx(0.1) of the shoulder; the slider is 0.4 up, then 0.1 + q along the z
  // axis turned by 0.5 about y.
  const auto X = tree::body_frame(m.tree(), q, m.tree_body(1), ws);
  const double reach = 0.35;
  const double local[3] = {reach * std::sin(0.5), 0, 0.4 + reach * std::cos(0.5)};
  const double cr = std::cos(0.1), sr = std::sin(0.1), cp = std::cos(0.2), sp = std::sin(0.2),
               cy = std::cos(0.3), sy = std::sin(0.3);
  const double R[3][3] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                          {-sp, cp * sr, cp * cr}};
  const double p[3] = {X.p.x, X.p.y, X.p.z};
  for (int i = 0; i < 3; ++i) {
    double expected = i == 2 ? 1 : 0;
    for (int k = 0; k < 3; ++k) expected += R[i][k] * local[k];
    EXPECT_NEAR(p[i], expected, 1e-14) << i;
  }
}

TEST(Urdf, MimicsLimitsAndShapesArrive) {
  const auto d = read_urdf_text(kArm, "arm.urdf");
  const MechanismTree m(d);
  const auto& shoulder = m.coordinates()[0];
  EXPECT_EQ(shoulder.id, "shoulder");
  EXPECT_EQ(shoulder.lower, -1);
  EXPECT_EQ(shoulder.upper, 2);
  EXPECT_TRUE(shoulder.clamped);
  ASSERT_EQ(d.couplings.size(), 1U);
  EXPECT_EQ(d.couplings[0].function.constants, (std::vector<double>{2, 0.1}));
  tree::Workspace ws(m.tree());
  const std::vector<double> q{0.0, 0.25};
  const auto finger = tree::body_frame(m.tree(), q, m.tree_body(2), ws);
  const auto slider = tree::body_frame(m.tree(), q, m.tree_body(1), ws);
  EXPECT_NEAR(dot(finger.R.y, slider.R.y), std::cos(2 * 0.25 + 0.1), 1e-14);
  ASSERT_EQ(d.bodies[0].shapes.size(), 1U);
  EXPECT_EQ(d.bodies[0].shapes[0].color, "#ff8000");
  EXPECT_NEAR(d.bodies[0].shapes[0].to[2], 0.4, 1e-15);
}

TEST(Urdf, AFloatingRootIsABodyThatFloats) {
  UrdfOptions floating;
  floating.floating = true;
  std::string text = kArm;
  const auto d = read_urdf_text(text, "arm.urdf", floating);
  EXPECT_EQ(d.bodies[0].id, "base");
  EXPECT_EQ(MechanismTree(d).tree().nv, 6 + 2);
}

}  // namespace
}  // namespace parfait::io::urdf_test
