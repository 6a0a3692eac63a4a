#include "parfait/io/petab/petab_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "parfait/base/error.h"
#include "parfait/io/text/text_file.h"

// Alone, outside the unity build, for the sake of yaml-cpp's headers.
namespace parfait::io {
namespace {

using base::InputError;
using base::Place;

class YamlReader {
 public:
  explicit YamlReader(const std::filesystem::path& file) : file_(file) {}

  PetabFiles read() {
    YAML::Node root;
    try {
      root = YAML::Load(read_text_file(file_));
    } catch (const YAML::Exception& error) {
      fail(error.mark, fmt::format("not a YAML file: {}.", error.msg));
    }
    if (!root.IsMap()) fail(root.Mark(), "a PEtab problem is a list of keys and values.");
    const YAML::Node version = required(root, "format_version");
    const std::string text = version.IsScalar() ? version.Scalar() : "";
    if (text != "1" && text.rfind("1.", 0) != 0) {
      fail(version.Mark(), fmt::format("format_version {}: PEtab version 1 is supported.", text));
    }
    PetabFiles files;
    files.parameters = path(one(root, "parameter_file"));
    const YAML::Node problems = required(root, "problems");
    if (!problems.IsSequence() || problems.size() != 1) {
      fail(problems.Mark(), "exactly one problem in the list \"problems\" is supported.");
    }
    const YAML::Node problem = problems[0];
    if (!problem.IsMap()) fail(problem.Mark(), "a problem is a list of keys and values.");
    files.sbml = path(one(problem, "sbml_files"));
    files.conditions = paths(problem, "condition_files");
    files.measurements = paths(problem, "measurement_files");
    files.observables = paths(problem, "observable_files");
    return files;
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw InputError(
        Place{.file = file_.string(), .line = mark.line + 1, .column = mark.column + 1}, message);
  }
  YAML::Node required(const YAML::Node& node, const char* key) const {
    const YAML::Node found = node[key];
    if (!found) fail(node.Mark(), fmt::format("\"{}\" is missing.", key));
    return found;
  }
  /// A name, or a list of one name.
  YAML::Node one(const YAML::Node& node, const char* key) const {
    const YAML::Node found = required(node, key);
    if (found.IsScalar()) return found;
    if (!found.IsSequence() || found.size() != 1 || !found[0].IsScalar()) {
      fail(found.Mark(), fmt::format("\"{}\": one file is supported.", key));
    }
    return found[0];
  }
  std::vector<std::filesystem::path> paths(const YAML::Node& node, const char* key) const {
    const YAML::Node found = required(node, key);
    std::vector<std::filesystem::path> out;
    if (found.IsScalar()) out.push_back(path(found));
    for (const YAML::Node& entry : found) out.push_back(path(entry));
    if (out.empty()) fail(found.Mark(), fmt::format("\"{}\" names no file.", key));
    return out;
  }
  std::filesystem::path path(const YAML::Node& node) const {
    if (!node.IsScalar()) fail(node.Mark(), "the name of a file is expected.");
    return (file_.parent_path() / node.Scalar()).lexically_normal();
  }

  std::filesystem::path file_;
};

}  // namespace

PetabFiles read_petab_yaml(const std::filesystem::path& yaml) {
  return YamlReader(yaml).read();
}

}  // namespace parfait::io
