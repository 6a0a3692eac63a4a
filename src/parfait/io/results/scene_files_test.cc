#include "parfait/io/results/scene_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "parfait/base/error.h"
#include "parfait/io/text/npy.h"

namespace parfait::io::scene_files_test {
namespace {

result::Scenes some_scenes() {
  result::Scenes scenes;
  auto& scene = scenes.scenes.emplace_back();
  scene.model = "</script>\"&.xml";
  scene.meshes.push_back({"leg.obj", {0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, 2}});
  result::SceneShape plate;
  plate.kind = "plate";
  plate.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  plate.radius = 0.01;
  scene.bodies.push_back({"Arm", 2, {0.5, 0, 0}, {plate}});
  scene.bodies.push_back({"Hand", 1, {0, 0, 0}, {}});
  scene.joints.push_back({"Elbow", "Revolute", {0, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}});
  scene.forces.push_back({"Spring", "Spring", {{}, {1, {0, 0, 1}}}, true, "", "", {}});
  scene.forces.push_back({"Triceps",
                          "Muscle_Cylinder",
                          {{}, {}, {1, {0, 0, 1}}},
                          false,
                          "muscle",
                          "begin_z",
                          result::SceneObstacle{"cylinder", 0.03, -1}});
  scene.markers.push_back({"Arm.tip", {0, {1, 0, 0}}});
  for (int m = 0; m < 2; ++m) {
    auto& motion = scenes.motions.emplace_back();
    motion.experiment = m == 0 ? "run1" : "run 2";
    motion.t = {0, 0.1, 0.25};
    for (int i = 0; i < 3 * 2 * 12; ++i)
      motion.frames.push_back(0.1F * static_cast<float>(i * (m + 1)));
    motion.forces = {1, 2, 3, 4, 5, 6};  // times x forces
  }
  scenes.motions[0].initial = scenes.motions[1].frames;
  scenes.motions[0].measured.push_back({"Arm.tip", {0, {1, 0, 0}}, {0.1}, {{1, 2, 3}}});
  return scenes;
}

TEST(SceneFiles, ReadingGivesBackWhatWasWritten) {
  const auto scenes = some_scenes();
  std::map<std::string, std::string> files;
  for (auto& [name, bytes] : scene_files(scenes)) files.emplace(name, bytes);
  EXPECT_TRUE(files.contains("motion.npy") && files.contains("motion_2.npy") &&
              files.contains("motion_initial.npy") && files.contains("forces_2.npy"));
  const auto read = read_scenes(motion_files(scenes), files.at("scene.json"),
                                [&](const std::string& name) { return files.at(name); });
  EXPECT_EQ(read, scenes);
}

TEST(SceneFiles, DamagedOnesAreRefused) {
  const auto scenes = some_scenes();
  std::map<std::string, std::string> files;
  for (auto& [name, bytes] : scene_files(scenes)) files.emplace(name, bytes);
  const auto read = [&] {
    return read_scenes(motion_files(scenes), files.at("scene.json"),
                       [&](const std::string& name) { return files.at(name); });
  };
  const std::string frames = files.at("motion.npy");
  files.at("motion.npy") = frames.substr(0, frames.size() - 4);
  EXPECT_THROW(read(), base::InputError);
  files.at("motion.npy") = files.at("forces.npy");
  EXPECT_THROW(read(), base::InputError);
  files.at("motion.npy") = frames;
  EXPECT_EQ(read(), scenes);
  files.at("scene.json") = "{";
  EXPECT_THROW(read(), base::InputError);
}

TEST(Npy, HasTheHeaderThatNumpyDocuments) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto bytes = npy_bytes(values, {2, 3});
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ((bytes.size() - 24) % 64, 0U);
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"),
            std::string::npos);
  EXPECT_EQ(bytes[bytes.size() - 25], '\n');
  const auto array = read_npy(bytes, "a.npy");
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(array.values, values);
  EXPECT_NE(npy_bytes(values, {6}).find("(6, )"), std::string::npos);
}

}  // namespace
}  // namespace parfait::io::scene_files_test
