#include "parfait/run/job/origin.h"

#include <algorithm>

#include "parfait/base/sha256.h"
#include "parfait/io/text/text_file.h"
#include "parfait/mechanism/quantities/quantity_unit.h"

namespace parfait::run {
namespace {

namespace fs = std::filesystem;

std::string unit_in(const mechanism::Description& description, const std::string& name) {
  return mechanism::quantity_unit(description, name);
}

std::string unit_in(const dynamics::FormulaModel& model, const std::string& name) {
  if (name == "t") return "s";
  for (const auto& parameter : model.parameters) {
    if (parameter.id == name) return parameter.unit;
  }
  return "";
}

/// The tables that the inputs of a model come from.
std::vector<fs::path> input_files(const io::AnyModel& model, const fs::path& folder) {
  std::vector<fs::path> files;
  std::visit(
      [&](const auto& source) {
        for (const auto& input : source.inputs) {
          if (!input.file.empty()) files.push_back(folder / input.file);
        }
      },
      model);
  return files;
}

/// Each file once; what was made in code has none.
void add_file(std::vector<result::InputFile>& files, const std::string& kind,
              const fs::path& file) {
  const auto path = file.string();
  const bool known =
      std::any_of(files.begin(), files.end(), [&](const auto& f) { return f.path == path; });
  if (!known && fs::is_regular_file(file)) files.push_back(hashed_file(kind, path));
}

}  // namespace

result::InputFile hashed_file(const std::string& kind, const std::string& path) {
  return {kind, path, base::sha256(io::read_bytes(path))};
}

std::vector<result::InputFile> hashed_files(const std::vector<NamedFile>& files) {
  std::vector<result::InputFile> out;
  for (const auto& [kind, path] : files) add_file(out, kind, path);
  return out;
}

std::vector<result::InputFile> files_of(const Model& model) {
  std::vector<result::InputFile> files;
  if (model.file.empty()) return files;
  add_file(files, "model", model.file);
  for (const auto& file : input_files(*model.source, fs::path(model.file).parent_path())) {
    add_file(files, "input", file);
  }
  return files;
}

std::string unit_of(const io::AnyModel& model, const std::string& name) {
  return std::visit([&](const auto& source) { return unit_in(source, name); }, model);
}

std::vector<result::ColumnUnit> units_of(const io::AnyModel& model,
                                         const std::vector<std::string>& columns) {
  std::vector<result::ColumnUnit> units;
  const auto add = [&](const std::string& column, std::string unit) {
    if (!unit.empty()) units.push_back({column, std::move(unit)});
  };
  if (const auto* description = std::get_if<mechanism::Description>(&model)) {
    const mechanism::QuantityUnits known(*description);  // a large model has very many columns
    for (const auto& column : columns) add(column, known.of(column));
  } else {
    for (const auto& column : columns) add(column, unit_of(model, column));
  }
  return units;
}

ProblemSources::ProblemSources(const estimate::Problem& problem, const fs::path& start) {
  const auto folder = fs::path(problem.file).parent_path();
  if (!problem.file.empty()) add_file(files_, "problem", problem.file);
  for (const auto& experiment : problem.experiments) {
    const auto file = folder / experiment.model;
    if (experiment.model.empty() || models_.contains(experiment.model) ||
        !fs::is_regular_file(file)) {
      continue;
    }
    add_file(files_, "model", file);
    const auto& model = models_.emplace(experiment.model, io::read_any_model(file)).first->second;
    for (const auto& input : input_files(model, file.parent_path())) {
      add_file(files_, "input", input);
    }
  }
  for (const auto& experiment : problem.experiments) {
    if (!experiment.data.file.empty()) add_file(files_, "data", folder / experiment.data.file);
  }
  if (!start.empty()) {
    files_.push_back(
        hashed_file("start", (fs::is_directory(start) ? start / "result.json" : start).string()));
  }
}

std::string ProblemSources::parameter_unit(const std::string& id) const {
  for (const auto& [file, model] : models_) {
    if (auto unit = unit_of(model, id); !unit.empty()) return unit;
  }
  return "";
}

std::string ProblemSources::quantity_unit(const estimate::ExperimentDescription& experiment,
                                          const std::string& quantity) const {
  const auto found = models_.find(experiment.model);
  return found == models_.end() ? "" : unit_of(found->second, quantity);
}

const io::AnyModel* ProblemSources::model(const estimate::ExperimentDescription& experiment) const {
  const auto found = models_.find(experiment.model);
  return found == models_.end() ? nullptr : &found->second;
}

}  // namespace parfait::run
