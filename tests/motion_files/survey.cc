// What is in every motion file of a folder, as a table in Markdown: for docs/motion_files.md, and
// to see at once what a change of a reader does to files of many laboratories.
//
//   motion_files_survey FOLDER
#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/motion_file.h"

namespace {

using namespace parfait;  // NOLINT(google-build-using-namespace): a program of one file
namespace fs = std::filesystem;

std::string contents(const io::MotionFile& file) {
  if (!file.trial) {
    return fmt::format("{} × {}, {:.4g} to {:.4g} s, {}{}", file.table->num_rows(),
                       file.table->columns.size() + 1, file.table->time.front(),
                       file.table->time.back(),
                       file.table->angles == io::AngleUnit::kDegrees ? "degrees" : "radians",
                       file.table->angles_stated ? "" : " (assumed)");
  }
  const io::Trial& trial = *file.trial;
  std::string out = fmt::format("{} markers × {} frames from {} at {:.5g} Hz", trial.markers.size(),
                                trial.num_frames, trial.first_frame, trial.rate);
  if (const std::size_t all = trial.markers.size() * trial.num_frames; all > 0) {
    out +=
        fmt::format(", {:.1f} % missing", 100 * static_cast<double>(trial.markers.num_missing()) /
                                              static_cast<double>(all));
  }
  if (trial.outputs.size() > 0) out += fmt::format("; {} outputs", trial.outputs.size());
  if (!trial.analog.empty())
    out += fmt::format("; {} channels at {:g} Hz", trial.analog.size(), trial.analog_rate);
  for (std::size_t i = 0; i < trial.plates.size(); ++i) {
    out += fmt::format("{}{}{}", i == 0 ? "; plates of type " : ", ", trial.plates[i].type,
                       trial.plates[i].wrenches.size() > 0 ? "" : " (no wrench)");
  }
  if (!trial.events.empty()) out += fmt::format("; {} events", trial.events.size());
  return out + fmt::format("; {}, {} up", trial.length_unit.empty() ? "no unit" : trial.length_unit,
                           trial.up.name());
}

std::string told(const std::vector<io::FileWarning>& warnings) {
  std::string out;
  for (const auto& warning : warnings) out += (out.empty() ? "" : "<br>") + warning.text();
  std::replace(out.begin(), out.end(), '|', '/');
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "motion_files_survey FOLDER\n");
    return 2;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(argv[1])) {
    std::string ending = entry.path().extension().string();
    for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    for (const char* known : {".c3d", ".trc", ".mot", ".sto", ".bvh", ".ff"}) {
      if (ending == known) files.push_back(entry.path());
    }
    if (ending == ".csv" && entry.path().string().find("luamodel") != std::string::npos)
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  fmt::print("| file | format | contents | told |\n|---|---|---|---|\n");
  for (const auto& path : files) {
    const std::string name = fs::relative(path, argv[1]).string();
    try {
      const auto file = io::read_motion_file(path);
      fmt::print("| `{}` | {} | {} | {} |\n", name, file.format(), contents(file),
                 told(file.warnings()));
    } catch (const base::InputError& error) {
      std::string why = error.what();
      const std::string begin = path.string() + ": ";
      if (why.starts_with(begin)) why.erase(0, begin.size());
      if (why.starts_with(path.string())) why.erase(0, path.string().size() + 1);
      fmt::print("| `{}` | – | refused | {} |\n", name, why);
    }
  }
}
