#include "parfait/io/results/json_archive.h"

#include <algorithm>

#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {

namespace {

Json parse_ours(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_ours = [](const Json& j) {
    return j.is_object() && j.contains("program") && j["program"] == "parfait";
  };
  return is_ours(json) ? json : Json();
}

}  // namespace

std::string result_command(std::string_view text) {
  const Json json = parse_ours(text);
  if (json.is_null() || !json.contains("command") || !json["command"].is_string()) return "";
  return json["command"].get<std::string>();
}

bool is_result_folder(const std::filesystem::path& folder) {
  const auto file = folder / "result.json";
  return std::filesystem::is_regular_file(file) && !parse_ours(read_text_file(file)).is_null();
}

std::vector<std::string> files_of_result(const std::filesystem::path& folder) {
  if (!is_result_folder(folder)) return {};
  // What versions before the key `outputs` wrote (docs/results.md). A folder of synthesized data
  // has names of its owner's choice, and is not known to be ours.
  std::vector<std::string> files = {"analog.csv",
                                    "covariance.csv",
                                    "equilibrium.csv",
                                    "events.csv",
                                    "markers.csv",
                                    "modes.csv",
                                    "motion.csv",
                                    "nodes.csv",
                                    "outputs.csv",
                                    "parameters.csv",
                                    "profile.csv",
                                    "report.html",
                                    "residuals.csv",
                                    "result.json",
                                    "shapes.csv",
                                    "steps.csv",
                                    "timing.json",
                                    "trajectory.csv",
                                    "trajectory_initial.csv",
                                    "wrenches.csv"};
  const Json json = parse_ours(read_text_file(folder / "result.json"));
  if (json.contains("outputs") && json["outputs"].is_array()) {
    files = {"result.json"};
    for (const Json& name : json["outputs"]) {
      if (name.is_string()) files.push_back(name.get<std::string>());
    }
  }
  std::ranges::sort(files);
  return files;
}

Json parse_result(std::string_view text, const std::string& file, const char* command) {
  Json json = parse_ours(text);
  if (json.is_null() || !json.contains("command") || json["command"] != command) {
    throw base::InputError(fmt::format("{}: is not a result.json of parfait {}.", file, command));
  }
  if (json.contains("format")) {
    const Json& format = json["format"];
    if (!format.is_number_integer() || format.get<std::int64_t>() < 1 ||
        format.get<std::int64_t>() > result::kFormat) {
      throw base::InputError(
          fmt::format("{}: has format {}, this version reads formats up to {}. Was it written by a "
                      "later version?",
                      file, format.dump(), result::kFormat));
    }
  }
  return json;
}

}  // namespace parfait::io
