#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// timing.json.
namespace parfait::io {

std::string timing_text(const result::Timing& timing) {
  Json json = {{"format", result::kFormat}, {"total", timing.total()}};
  for (const auto& stage : timing.stages) json[stage.name] = stage.seconds;
  return json.dump(2) + "\n";
}

result::Timing read_timing_text(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const JsonReader reader(json, file + ": ");
  result::Timing timing;
  for (const auto& [key, value] : json.items()) {
    if (key == "format" || key == "total") continue;
    JsonReader::read(value, reader.path(key.c_str()), timing.stages.emplace_back().seconds);
    timing.stages.back().name = key;
  }
  return timing;
}

}  // namespace parfait::io
