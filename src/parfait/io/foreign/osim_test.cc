#include "parfait/io/foreign/osim.h"

#include <gtest/gtest.h>

#include "parfait/io/motion_files/marker_errors.h"
#include "parfait/io/motion_files/trc.h"
#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/model.h"

namespace parfait::io::osim_test {
namespace {

using tree::MechanismTree;

std::string data(const std::string& name) {
  return PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name;
}

const mechanism::Joint& joint_of(const mechanism::Description& d, const std::string& id) {
  for (const auto& joint : d.joints) {
    if (joint.id == id) return joint;
  }
  throw std::runtime_error("no joint " + id);
}

TEST(Osim, MarkersOfAWalkingPersonLieWhereOpenSimHasThem) {
  // Markers made by OpenSim from this motion: what remains is the precision of the files. The
  // published error was computed with another program.
  const auto description = read_osim(std::filesystem::path(data("gait2354_subject01.osim")));
  const MechanismTree mechanism(description, MechanismTree::Locked::kFree);
  const auto motion =
      coordinate_motion(mechanism, read_storage(data("std_subject01_walk1_ik.mot")));
  const auto trial = read_trc(data("subject01_synthetic_marker_data.trc"));
  const auto errors = marker_errors(description, mechanism, motion, trial);
  EXPECT_EQ(errors.markers.size(), 31U);
  EXPECT_EQ(errors.num_frames, 73U);
  EXPECT_NEAR(1e3 * errors.rms, 0.0318, 0.001);
  EXPECT_NEAR(1e3 * errors.largest, 0.1325, 0.001);
}

TEST(Osim, CoordinatesHaveNamesRangesAndKinds) {
  const auto description = read_osim(std::filesystem::path(data("gait2354_subject01.osim")));
  const MechanismTree mechanism(description, MechanismTree::Locked::kFree);
  EXPECT_EQ(mechanism.coordinates().size(), 23U);
  EXPECT_EQ(mechanism.tree().nv, 23);
  const auto& knee = mechanism.coordinates()[mechanism.find_coordinate("knee_angle_r")];
  EXPECT_EQ(knee.kind, mechanism::Coordinate::Kind::kRotation);
  EXPECT_NEAR(knee.lower, -2.0943951, 1e-7);
  EXPECT_NEAR(knee.upper, 0.17453293, 1e-7);
  const auto& height = mechanism.coordinates()[mechanism.find_coordinate("pelvis_ty")];
  EXPECT_EQ(height.kind, mechanism::Coordinate::Kind::kTranslation);
  // Mass of the whole body, summed by hand from the file.
  tree::Workspace ws(mechanism.tree());
  EXPECT_NEAR(tree::center_of_mass(mechanism.tree(), mechanism.q(), mechanism.v(), ws).mass, 72.6,
              1e-6);
}

/// A model of version 4.05 as a person would write it: chained and shared frames, a coupling, a
/// locked coordinate, a reversed polynomial would be seen.
const char* const kModern = R"(<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40500">
  <Model name="two arms">
    <gravity>0 -9.81 0</gravity>
    <Ground name="ground">
      <components>
        <PhysicalOffsetFrame name="shelf">
          <socket_parent>..</socket_parent>
          <translation>0 1 0</translation> <orientation>0 0 1.5707963267948966</orientation>
        </PhysicalOffsetFrame>
      </components>
    </Ground>
    <BodySet name="bodyset">
      <objects>
        <Body name="upper">
          <components>
            <PhysicalOffsetFrame name="tip"> <socket_parent>..</socket_parent> <translation>0.5 0 0</translation> </PhysicalOffsetFrame>
            <PhysicalOffsetFrame name="beyond">
              <socket_parent>/bodyset/upper/tip</socket_parent> <translation>0.1 0 0</translation>
            </PhysicalOffsetFrame>
          </components>
          <mass>2</mass> <mass_center>0.25 0 0</mass_center> <inertia>0.01 0.04 0.04 0 0 0</inertia>
        </Body>
        <Body name="lower">
          <mass>1</mass> <mass_center>0.2 0 0</mass_center> <inertia>0.01 0.02 0.02 0 0 0</inertia>
        </Body>
        <Body name="plate">
          <mass>0.1</mass> <mass_center>0 0 0</mass_center> <inertia>0.001 0.001 0.001 0 0 0</inertia>
        </Body>
      </objects>
    </BodySet>
    <JointSet name="jointset">
      <objects>
        <PinJoint name="shoulder">
          <socket_parent_frame>/ground/shelf</socket_parent_frame>
          <socket_child_frame>/bodyset/upper</socket_child_frame>
          <coordinates> <Coordinate name="raise"> <default_value>0.3</default_value> <range>-inf inf</range> </Coordinate> </coordinates>
        </PinJoint>
        <CustomJoint name="elbow">
          <socket_parent_frame>/bodyset/upper/beyond</socket_parent_frame>
          <socket_child_frame>lower_offset</socket_child_frame>
          <coordinates> <Coordinate name="bend"> <default_value>0.5</default_value> </Coordinate> </coordinates>
          <frames>
            <PhysicalOffsetFrame name="lower_offset">
              <socket_parent>/bodyset/lower</socket_parent> <translation>-0.05 0 0</translation>
            </PhysicalOffsetFrame>
          </frames>
          <SpatialTransform>
            <TransformAxis name="rotation1"> <coordinates>bend</coordinates> <axis>0 0 1</axis> <LinearFunction name="function"> <coefficients>1 0</coefficients> </LinearFunction> </TransformAxis>
            <TransformAxis name="rotation2"> <coordinates></coordinates> <axis>1 0 0</axis> <Constant name="function"> <value>0.2</value> </Constant> </TransformAxis>
            <TransformAxis name="translation1"> <coordinates>bend</coordinates> <axis>1 0 0</axis>
              <MultiplierFunction name="function"> <function> <PolynomialFunction> <coefficients>0.02 0.01 0.003</coefficients> </PolynomialFunction> </function> <scale>2</scale> </MultiplierFunction>
            </TransformAxis>
          </SpatialTransform>
        </CustomJoint>
        <SliderJoint name="rail">
          <socket_parent_frame>/ground</socket_parent_frame>
          <socket_child_frame>/bodyset/plate</socket_child_frame>
          <coordinates> <Coordinate name="rail"> <default_value>7</default_value> </Coordinate> </coordinates>
        </SliderJoint>
      </objects>
    </JointSet>
    <ConstraintSet name="constraintset">
      <objects>
        <CoordinateCouplerConstraint name="follow">
          <coupled_coordinates_function> <LinearFunction> <coefficients>3 0.1</coefficients> </LinearFunction> </coupled_coordinates_function>
          <independent_coordinate_names>raise</independent_coordinate_names>
          <dependent_coordinate_name>rail</dependent_coordinate_name>
          <scale_factor>0.5</scale_factor>
        </CoordinateCouplerConstraint>
      </objects>
    </ConstraintSet>
    <MarkerSet name="markerset">
      <objects>
        <Marker name="Tip.1"> <socket_parent_frame>/bodyset/upper/tip</socket_parent_frame> <location>0 0.01 0</location> <fixed>true</fixed> </Marker>
        <Marker name="Hand"> <socket_parent_frame>/bodyset/lower</socket_parent_frame> <location>0.4 0 0</location> </Marker>
      </objects>
    </MarkerSet>
  </Model>
</OpenSimDocument>)";

TEST(Osim, ChainedFramesFunctionsAndCouplingsOfVersion4) {
  const auto d = read_osim_text(kModern, "modern.osim");
  const MechanismTree mechanism(d);
  ASSERT_EQ(mechanism.tree().nv, 2);  // rail follows
  EXPECT_EQ(mechanism.find_coordinate("rail"), 2);
  EXPECT_EQ(mechanism.coordinates()[2].q, -1);
  EXPECT_NEAR(mechanism.coordinates()[2].initial, 0.5 * (3 * 0.3 + 0.1), 1e-15);
  ASSERT_EQ(d.skin_markers.size(), 2U);
  EXPECT_EQ(d.skin_markers[0].body, "upper");
  EXPECT_NEAR(d.skin_markers[0].o[0], 0.5, 1e-15);
  EXPECT_NEAR(d.skin_markers[0].o[1], 0.01, 1e-15);
  EXPECT_TRUE(d.skin_markers[0].fixed);
  EXPECT_FALSE(d.skin_markers[1].fixed);

  // By hand: the shelf stands at (0, 1), turned by 90 degrees; the upper arm by another 0.3.
  const double a = 1.5707963267948966 + 0.3, b = 0.5;
  const double slide = 2 * (0.02 * b * b + 0.01 * b + 0.003);
  const double reach = 0.6 + slide;
  const double x = std::cos(a) * reach + std::cos(a + b) * 0.45;
  const double y = 1 + std::sin(a) * reach + std::sin(a + b) * 0.45;
  tree::Workspace ws(mechanism.tree());
  const auto hand = tree::point_position(mechanism.tree(), mechanism.q(), mechanism.tree_body(1),
                                         {0.4, 0, 0}, ws);
  EXPECT_NEAR(hand.x, x, 1e-14);
  EXPECT_NEAR(hand.y, y, 1e-14);
  EXPECT_NEAR(hand.z, 0, 1e-14);
  // The constant rotation turns the forearm about its own axis.
  const auto X = tree::body_frame(mechanism.tree(), mechanism.q(), mechanism.tree_body(1), ws);
  EXPECT_NEAR(X.R.y.z, std::sin(0.2), 1e-14);
  // The description's frames are those of the coordinates.
  EXPECT_NEAR(d.bodies[2].o[0], 0.5, 1e-15);
}

TEST(Osim, LockedCoordinatesAreHeldInSimulationAndFreeForInverseProblems) {
  std::string text = kModern;
  const std::string before = "<default_value>0.5</default_value>";
  text.replace(text.find(before), before.size(), before + "<locked>true</locked>");
  const auto d = read_osim_text(text, "locked.osim");
  const MechanismTree held(d), free(d, MechanismTree::Locked::kFree);
  EXPECT_EQ(held.tree().nv, 1);
  EXPECT_EQ(free.tree().nv, 2);
  tree::Workspace a(held.tree()), b(free.tree());
  for (int body = 0; body < 3; ++body) {
    const auto X = tree::body_frame(held.tree(), held.q(), body, a);
    const auto Y = tree::body_frame(free.tree(), free.q(), body, b);
    EXPECT_NEAR(X.p.x, Y.p.x, 1e-14);
    EXPECT_NEAR(X.R.x.y, Y.R.x.y, 1e-14);
  }
  const tree::Model model(d);
  EXPECT_EQ(model.degrees_of_freedom(), 1);
  EXPECT_EQ(model.state_names(), (std::vector<std::string>{"raise", "raise.rate"}));
}

TEST(Osim, AReversedJointIsTheInverseMotion) {
  std::string text = R"(<OpenSimDocument Version="20302"><Model name="m"><BodySet><objects>
    <Body name="ground"><Joint/></Body>
    <Body name="a"><mass>1</mass><inertia_xx>1</inertia_xx><inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz>
      <Joint><CustomJoint name="j"><parent_body>ground</parent_body><location_in_parent>0.1 0.2 0.3</location_in_parent>
        <orientation_in_parent>0.1 0.2 0.3</orientation_in_parent><location>0.4 0 0.1</location><orientation>0 0.3 0</orientation>
        <CoordinateSet><objects><Coordinate name="q"><default_value>0.7</default_value></Coordinate></objects></CoordinateSet>
        <reverse>false</reverse>
        <SpatialTransform>
          <TransformAxis name="rotation1"><coordinates>q</coordinates><axis>0 0 1</axis><function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function></TransformAxis>
          <TransformAxis name="rotation2"><coordinates>q</coordinates><axis>1 0 0</axis><function><PolynomialFunction><coefficients>0.3 0.1</coefficients></PolynomialFunction></function></TransformAxis>
          <TransformAxis name="translation1"><coordinates>q</coordinates><axis>1 0 0</axis><function><SimmSpline><x>0 1 2</x><y>0 0.3 0.1</y></SimmSpline></function></TransformAxis>
        </SpatialTransform></CustomJoint></Joint></Body>
    </objects></BodySet></Model></OpenSimDocument>)";
  const auto ahead = read_osim_text(text, "ahead.osim");
  text.replace(text.find("<reverse>false"), 14, "<reverse>true");
  const auto back = read_osim_text(text, "back.osim");
  // J_P -> J_B by the motion M: X_GB = X_GP M X_BJ^-1. Reversed: X_GB = X_GP M^-1 X_BJ^-1.
  const auto motion_of = [](const mechanism::Description& d) {
    const MechanismTree m(d);
    tree::Workspace ws(m.tree());
    const auto X = tree::body_frame(m.tree(), m.q(), 0, ws);
    const auto& c = m.tree().constants.bodies[0];
    return tree::inverse(c.X_PJ) * X * c.X_BJ;
  };
  const auto identity = motion_of(ahead) * motion_of(back);
  EXPECT_NEAR(identity.R.x.x, 1, 1e-14);
  EXPECT_NEAR(identity.R.y.z, 0, 1e-14);
  EXPECT_NEAR(identity.R.x.y, 0, 1e-14);
  EXPECT_NEAR(identity.p.x, 0, 1e-14);
  EXPECT_NEAR(identity.p.y, 0, 1e-14);
  EXPECT_NEAR(identity.p.z, 0, 1e-14);
  EXPECT_GT(std::abs(motion_of(ahead).p.x), 0.1);
  EXPECT_EQ(joint_of(back, "j").begin.body, "a");
}

}  // namespace
}  // namespace parfait::io::osim_test
