#include "parfait/io/model/mesh_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "parfait/io/text/text_file.h"

namespace parfait::io::mesh_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A file that goes with the test.
class MeshFile : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& bytes) {
    fs::create_directories(folder_);
    write_text_file(folder_ / name, bytes);
    return folder_ / name;
  }
  std::string message(const std::string& name, const std::string& bytes) {
    try {
      read_mesh(write(name, bytes));
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "no error";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("parfait_mesh_" + std::to_string(::getpid()));
};

/// Six times the volume that the faces enclose, from the divergence theorem: with all faces turned
/// outward it is positive and exact.
double six_volumes(const result::SceneMesh& mesh) {
  double sum = 0;
  const auto v = [&](std::size_t face, std::size_t corner, std::size_t axis) {
    return mesh.vertices[3 * static_cast<std::size_t>(mesh.faces[3 * face + corner]) + axis];
  };
  for (std::size_t f = 0; f < mesh.faces.size() / 3; ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      sum += v(f, 0, i) * (v(f, 1, j) * v(f, 2, k) - v(f, 1, k) * v(f, 2, j));
    }
  }
  return sum;
}

/// The unit cube, faces as quads that look outward.
constexpr const char* kCube = R"(# cube
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vn 0 0 1
f 4/1 3/1 2/1 1/1
f 5//1 6//1 7//1 8//1
f 1 2 6 5
f -6 -5 -1 -2
f 3 4 8 7
f 4 1 5 8
)";

TEST_F(MeshFile, PolygonsOfAnObjFileBecomeTrianglesOfTheSameVolume) {
  const auto mesh = read_mesh(write("cube.obj", kCube));
  EXPECT_EQ(mesh.vertices.size(), 24U);
  EXPECT_EQ(mesh.faces.size(), 36U);
  // One side is listed twice and another is missing: negative indices count from the end.
  EXPECT_EQ(mesh.faces[18], 2);
  EXPECT_EQ(mesh.file, "cube.obj");
}

TEST_F(MeshFile, TetrahedronHasItsVolume) {
  const auto mesh = read_mesh(fs::path(PARFAIT_SOURCE_DIR) / "tests/cases/models/tetrahedron.obj");
  EXPECT_DOUBLE_EQ(std::abs(six_volumes(mesh)), 16);  // edge 2 sqrt(2): V = 8 / 3
}

/// The same tetrahedron as text and as bytes.
TEST_F(MeshFile, TextAndBinaryStlGiveTheSameMesh) {
  constexpr std::array<std::array<float, 3>, 4> kPoints{
      {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}};
  constexpr std::array<std::array<int, 3>, 4> kFaces{{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
  std::string text = "solid t\n", bytes("solid that is binary all the same");
  bytes.resize(84);
  bytes[80] = 4;
  for (const auto& face : kFaces) {
    text += "facet normal 0 0 0\n outer loop\n";
    bytes += std::string(12, '\0');
    for (const int corner : face) {
      const auto& p = kPoints[static_cast<std::size_t>(corner)];
      text += "  vertex " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " +
              std::to_string(p[2]) + "\n";
      bytes.append(reinterpret_cast<const char*>(p.data()), 12);
    }
    text += " endloop\nendfacet\n";
    bytes += std::string(2, '\0');
  }
  auto a = read_mesh(write("t.stl", text + "endsolid t\n"));
  auto b = read_mesh(write("b.STL", bytes));
  b.file = a.file;
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.vertices.size(), 12U);
  EXPECT_DOUBLE_EQ(std::abs(six_volumes(a)), 16);
}

TEST_F(MeshFile, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(message("a.obj", "v 0 0\n"), HasSubstr("a.obj:1: a vertex has three coordinates."));
  EXPECT_THAT(message("b.obj", "v 0 0 x\n"), HasSubstr("b.obj:1: \"x\" is not a finite number."));
  EXPECT_THAT(message("c.obj", "v 0 0 0\nf 1 2 3\n"), HasSubstr("c.obj:2: there is no vertex"));
  EXPECT_THAT(message("d.obj", "v 0 0 0\n"), HasSubstr("holds no faces"));
  EXPECT_THAT(message("e.stl", "solid\nvertex 0 0 0\n"), HasSubstr("three vertices"));
  EXPECT_THAT(message("f.obj", "v 1e400 0 0\n"), HasSubstr("not a finite number"));
}

}  // namespace
}  // namespace parfait::io::mesh_file_test
