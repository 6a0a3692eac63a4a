#include "parfait/run/scene/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/model/model_file.h"
#include "parfait/mbs/model.h"
#include "parfait/run/scene/made_up_shapes.h"
#include "parfait/run/scene/motion_recorder.h"
#include "parfait/run/simulation/simulation.h"

namespace parfait::run::scene_test {
namespace {

const std::string kSource = PARFAIT_SOURCE_DIR;

result::Scene scene_of(const std::string& file) {
  const auto model = load_model(kSource + "/" + file);
  return make_scene(model.mechanics->description(), model.parameter_values());
}

TEST(Scene, BodiesWithoutShapesAreRodsBetweenTheirJoints) {
  const auto scene = scene_of("examples/six_bar/six_bar.xml");
  ASSERT_EQ(scene.bodies.size(), 5U);
  const auto& shape = scene.bodies[0].shapes.at(0);
  EXPECT_EQ(shape.kind, "capsule");
  EXPECT_TRUE(shape.made_up);
  EXPECT_EQ(shape.from, (result::Point3{0, 0, 0}));
  EXPECT_EQ(shape.to, (result::Point3{1, 0, 0}));
  EXPECT_EQ(scene.up, (result::Point3{0, 1, 0}));  // gravity acts along -y
  EXPECT_EQ(scene.joints.size(), 6U);
  EXPECT_NEAR(scene.extent, 1, 1e-12);
}

TEST(Scene, HexapodHasTheShapesOfItsFileAPlateAndSixSprings) {
  const auto scene = scene_of("examples/hexapod/hexapod.xml");
  EXPECT_EQ(scene.bodies.at(0).shapes.at(0).kind, "plate");
  EXPECT_GE(scene.bodies[0].shapes[0].points.size(), 5U);
  EXPECT_EQ(scene.bodies.at(1).shapes.at(0).kind, "cylinder");
  EXPECT_FALSE(scene.bodies[1].shapes[0].made_up);
  ASSERT_EQ(scene.forces.size(), 6U);
  EXPECT_TRUE(scene.forces[0].elastic);
  EXPECT_EQ(scene.forces[0].ends.size(), 2U);
}

TEST(Scene, MusclesAndContactsAreToldFromLines) {
  const auto scene = scene_of("tests/web/elbow.xml");
  ASSERT_EQ(scene.forces.size(), 4U);  // weight has no place
  const auto &biceps = scene.forces[0], &triceps = scene.forces[1], &table = scene.forces[3];
  EXPECT_EQ(biceps.look, "muscle");
  EXPECT_FALSE(biceps.obstacle);
  EXPECT_EQ(triceps.look, "muscle");
  EXPECT_EQ(triceps.ends.size(), 3U);
  EXPECT_EQ(triceps.obstacle, (result::SceneObstacle{"cylinder", 0.03, 1}));
  ASSERT_TRUE(scene.forces[2].obstacle);
  EXPECT_EQ(scene.forces[2].obstacle->kind, "sphere");
  EXPECT_EQ(scene.forces[2].obstacle->radius, 0.03);
  EXPECT_EQ(table.look, "contact");
  EXPECT_EQ(table.along, "begin_z");
  EXPECT_EQ(scene_of("examples/hexapod/hexapod.xml").forces[0].look, "");
}

/// The box of equal inertia, back from its edges: I_x = m (b^2 + c^2) / 12.
TEST(Scene, ABodyAloneIsTheBoxOfItsInertia) {
  BodyOutline body{{}, 3, Eigen::Vector3d(0.1, 0, 0), Eigen::Matrix3d::Zero()};
  body.inertia(0, 0) = 0.2, body.inertia(1, 1) = 0.3, body.inertia(2, 2) = 0.4;
  const auto shapes = make_up_shapes(body, 1);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].kind, "box");
  const auto& s = shapes[0].size;
  for (const double moment : {0.2, 0.3, 0.4}) {
    // Along one of its axes the box has this moment.
    double nearest = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const double b = s[(i + 1) % 3], c = s[(i + 2) % 3];
      nearest = std::min(nearest, std::abs(3 * (b * b + c * c) / 12 - moment));
    }
    EXPECT_LT(nearest, 1e-12);
  }
}

TEST(Scene, PointsOnALineGiveARodAndPointsInSpaceAStar) {
  BodyOutline body{{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, 1, {1, 0, 0}, Eigen::Matrix3d::Identity()};
  auto shapes = make_up_shapes(body, 3);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].kind, "capsule");
  EXPECT_NEAR(std::abs(shapes[0].to[0] - shapes[0].from[0]), 3, 1e-12);
  body.points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  body.com = {0, 0, 0};
  EXPECT_EQ(make_up_shapes(body, 2).size(), 6U);
}

/// Every model that the examples have looks like something.
TEST(Scene, EveryBodyOfEveryExampleHasAShape) {
  for (const char* file :
       {"examples/bricard/bricard.xml", "tests/cases/models/hitting_pendulum.xml",
        "examples/combined_experiments/arm.xml", "examples/double_pendulum/double_pendulum.xml",
        "examples/four_bar/four_bar.xml", "examples/pendulum/pendulum.xml",
        "examples/spring_double_pendulum/spring_double_pendulum.xml",
        "tests/cases/models/everything.xml"}) {
    const auto scene = scene_of(file);
    EXPECT_GT(scene.extent, 0) << file;
    for (const auto& body : scene.bodies) {
      EXPECT_FALSE(body.shapes.empty()) << file << ": " << body.id;
      for (const auto& shape : body.shapes) {
        EXPECT_TRUE(std::isfinite(shape.radius + shape.size[0] + shape.o[0])) << body.id;
      }
    }
  }
}

TEST(Scene, MeshesAreReadOnce) {
  const auto scene = scene_of("tests/cases/models/everything.xml");
  ASSERT_EQ(scene.meshes.size(), 1U);
  EXPECT_EQ(scene.meshes[0].faces.size(), 12U);
  const auto& shapes = scene.bodies.at(0).shapes;
  EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(),
                          [](const auto& s) { return s.kind == "mesh" && s.mesh == 0; }));
}

/// The frames are those that the trajectory speaks of.
TEST(Motion, FramesAgreeWithTheTrajectory) {
  SimulationRequest request;
  request.file = kSource + "/examples/hexapod/hexapod.xml";
  request.until = 0.2;
  request.step = 0.05;
  request.observe = {"Upper3.origin.y", "Upper3.e2.z", "Spring4.force"};
  const auto run = simulate(request);
  ASSERT_EQ(run.scenes.motions.size(), 1U);
  const auto& motion = run.scenes.motions[0];
  const auto& scene = run.scenes.scenes[0];
  EXPECT_EQ(motion.t, run.trajectory.column("t"));
  ASSERT_EQ(motion.frames.size(), motion.t.size() * 13 * 12);
  std::size_t upper = 0;
  while (scene.bodies[upper].id != "Upper3") ++upper;
  for (std::size_t i = 0; i < motion.t.size(); ++i) {
    const float* frame = motion.frames.data() + (i * 13 + upper) * 12;
    EXPECT_EQ(frame[1], static_cast<float>(run.trajectory.column("Upper3.origin.y")[i]));
    EXPECT_EQ(frame[3 * 2 + 2], static_cast<float>(run.trajectory.column("Upper3.e2.z")[i]));
    EXPECT_EQ(motion.forces[i * 6 + 3],
              static_cast<float>(run.trajectory.column("Spring4.force")[i]));
  }
  EXPECT_GT(std::abs(motion.forces[3]), 0);
  EXPECT_EQ(run.result.motions.at(0).frames, "motion.npy");
}

TEST(Motion, LongOnesAreThinned) {
  SimulationRequest request;
  request.file = kSource + "/examples/pendulum/pendulum.xml";
  request.until = 1;
  request.step = 1.0 / 9000;
  const auto run = simulate(request);
  const auto& motion = run.scenes.motions.at(0);
  EXPECT_EQ(motion.t.size(), 2251U);  // 9001 rows, every fourth
  EXPECT_EQ(motion.t[1], run.trajectory.column("t")[4]);
  EXPECT_EQ(motion.frames.size(), 2251U * 12);
}

TEST(Motion, AModelStandsWhereItIsAssembled) {
  const auto model = load_model(kSource + "/examples/four_bar/four_bar.xml");
  const auto scenes = standing(*model.mechanics, model.parameter_values());
  ASSERT_EQ(scenes.motions.size(), 1U);
  EXPECT_EQ(scenes.motions[0].t, std::vector<double>{0});
  for (const auto x : scenes.motions[0].frames) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace parfait::run::scene_test
