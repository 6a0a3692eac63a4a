#include "parfait/io/model/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>

#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace mesh_file {
namespace {

constexpr std::size_t kMostBytes = 64'000'000;

/// What is wrong, and where: in the mesh, and where the model asks for it.
class Fault {
 public:
  Fault(const std::filesystem::path& file, const base::Place& asked_at)
      : file_(file.string()), asked_at_(asked_at) {}
  [[noreturn]] void operator()(const std::string& what, int line = 0) const {
    const std::string text =
        line > 0 ? fmt::format("{}:{}: {}", file_, line, what) : fmt::format("{}: {}", file_, what);
    throw base::InputError(asked_at_, text);
  }

 private:
  std::string file_;
  base::Place asked_at_;
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_space(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !is_space(line[i])) ++i;
    if (i > begin) words.push_back(line.substr(begin, i - begin));
  }
  return words;
}

/// Calls `use` with each line and its number.
template <class Use>
void for_lines(std::string_view text, Use&& use) {
  int number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    use(text.substr(0, end), ++number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

double coordinate(std::string_view word, int line, const Fault& fault) {
  const auto parsed = parse_number(word);
  if (parsed.kind != NumberKind::kNumber) {
    fault(fmt::format("\"{}\" is not a finite number.", word), line);
  }
  return parsed.value;
}

/// "7", "7/1/2", "-1": the index of a vertex, counted from 1 or from the end.
std::int64_t vertex_index(std::string_view word, std::size_t vertices, int line,
                          const Fault& fault) {
  const auto parsed = parse_number(word.substr(0, word.find('/')));
  const double count = static_cast<double>(vertices);
  const double index = parsed.value < 0 ? count + parsed.value : parsed.value - 1;
  if (parsed.kind != NumberKind::kNumber || index != std::floor(index) || index < 0 ||
      index >= count) {
    fault(fmt::format("there is no vertex \"{}\" among {}.", word, vertices), line);
  }
  return static_cast<std::int64_t>(index);
}

void read_obj(std::string_view text, const Fault& fault, result::SceneMesh& mesh) {
  for_lines(text, [&](std::string_view line, int number) {
    const auto words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) return;
    if (words[0] == "v") {
      if (words.size() < 4) fault("a vertex has three coordinates.", number);
      for (std::size_t i = 1; i <= 3; ++i) {
        mesh.vertices.push_back(coordinate(words[i], number, fault));
      }
    } else if (words[0] == "f") {
      if (words.size() < 4) fault("a face has at least three vertices.", number);
      std::vector<std::int64_t> corners;
      for (std::size_t i = 1; i < words.size(); ++i) {
        corners.push_back(vertex_index(words[i], mesh.vertices.size() / 3, number, fault));
      }
      for (std::size_t i = 2; i < corners.size(); ++i) {
        mesh.faces.insert(mesh.faces.end(), {corners[0], corners[i - 1], corners[i]});
      }
    }
  });
}

/// Vertices of an STL file stand there once for each face: equal ones become one.
class Corners {
 public:
  explicit Corners(result::SceneMesh& mesh) : mesh_(mesh) {}
  void add(const result::Point3& p) {
    const auto [found, is_new] = index_.try_emplace(p, static_cast<std::int64_t>(index_.size()));
    if (is_new) mesh_.vertices.insert(mesh_.vertices.end(), p.begin(), p.end());
    mesh_.faces.push_back(found->second);
  }

 private:
  result::SceneMesh& mesh_;
  std::map<result::Point3, std::int64_t> index_;
};

void read_text_stl(std::string_view text, const Fault& fault, result::SceneMesh& mesh) {
  Corners corners(mesh);
  for_lines(text, [&](std::string_view line, int number) {
    const auto words = words_of(line);
    if (words.empty() || words[0] != "vertex") return;
    if (words.size() != 4) fault("a vertex has three coordinates.", number);
    result::Point3 p{};
    for (std::size_t i = 0; i < 3; ++i) p[i] = coordinate(words[i + 1], number, fault);
    corners.add(p);
  });
  if (mesh.faces.size() % 3 != 0) fault("a facet does not have three vertices.");
}

constexpr std::size_t kHeader = 84, kFacet = 50;  // bytes of a binary STL file

std::uint32_t facets_of(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  return count;
}

/// By its size alone: text files may begin with anything, binary ones with "solid".
bool is_binary_stl(std::string_view bytes) {
  return bytes.size() >= kHeader &&
         bytes.size() == kHeader + kFacet * std::size_t{facets_of(bytes)};
}

void read_binary_stl(std::string_view bytes, const Fault& fault, result::SceneMesh& mesh) {
  Corners corners(mesh);
  for (std::size_t at = kHeader; at < bytes.size(); at += kFacet) {
    std::array<float, 9> numbers{};
    std::memcpy(numbers.data(), bytes.data() + at + 12, sizeof numbers);
    for (std::size_t i = 0; i < 9; i += 3) {
      const result::Point3 p{numbers[i], numbers[i + 1], numbers[i + 2]};
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
        fault(fmt::format("facet {} has a coordinate that is not finite.",
                          (at - kHeader) / kFacet + 1));
      }
      corners.add(p);
    }
  }
}

}  // namespace
}  // namespace mesh_file

result::SceneMesh read_mesh(const std::filesystem::path& file, const base::Place& asked_at) {
  const mesh_file::Fault fault(file, asked_at);
  std::error_code failed;
  if (const auto size = std::filesystem::file_size(file, failed);
      !failed && size > mesh_file::kMostBytes) {
    fault(fmt::format("has {} bytes; meshes of at most {} are read.", size, mesh_file::kMostBytes));
  }
  const std::string bytes = read_bytes(file, asked_at);
  result::SceneMesh mesh;
  mesh.file = file.filename().string();
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".obj") {
    mesh_file::read_obj(bytes, fault, mesh);
  } else if (mesh_file::is_binary_stl(bytes)) {
    mesh_file::read_binary_stl(bytes, fault, mesh);
  } else {
    mesh_file::read_text_stl(bytes, fault, mesh);
  }
  if (mesh.faces.empty()) fault("holds no faces.");
  if (mesh.faces.size() / 3 > kMostFaces) {
    fault(fmt::format("has {} faces; meshes of at most {} are read.", mesh.faces.size() / 3,
                      kMostFaces));
  }
  return mesh;
}

}  // namespace parfait::io
