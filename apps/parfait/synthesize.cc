#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "command.h"
#include "json_text.h"
#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/any_model_file.h"
#include "parfait/io/data_table.h"
#include "parfait/io/problem_file.h"
#include "parfait/io/text_file.h"
#include "parfait/run/model.h"
#include "parfait/run/problem_changes.h"
#include "parfait/run/run_folder.h"

// parfait synthesize: measurements as the model makes them, with the noise of the problem.
#include "parfait/run/version.h"

namespace parfait::app {
namespace {

namespace fs = std::filesystem;
using estimate::ExperimentDescription;
using estimate::Problem;

struct SynthesizeRequest {
  std::string file;
  std::uint64_t seed = 1;
  std::vector<std::string> set;
  std::string out;
  bool force = false;
};

/// `--set` of an estimated parameter is its true value here: that is where data come from.
void set_truth(const std::vector<run::Setting>& settings, Problem& problem) {
  run::set_values(settings, problem);
  for (const auto& setting : settings) {
    const auto take = [&](std::vector<estimate::Estimate>& estimates) {
      for (auto& e : estimates) {
        if (e.parameter == setting.id) e.truth = setting.value;
      }
    };
    take(problem.estimates);
    for (auto& experiment : problem.experiments) take(experiment.locals);
  }
}

std::vector<std::string> tables_of(const fs::path& model) {
  return std::visit(
      [](const auto& description) {
        std::vector<std::string> files;
        for (const auto& input : description.inputs) {
          if (!input.file.empty()) files.push_back(input.file);
        }
        return files;
      },
      io::read_any_model(model));
}

/// Whether a relative path stays in its folder.
bool is_inside(const fs::path& path) {
  return !path.is_absolute() && *path.lexically_normal().begin() != "..";
}

/// The problem in a folder of its own. Models and tables that lie below the old one are copied,
/// others are referred to.
class NewFolder {
 public:
  NewFolder(const Problem& problem, run::RunFolder& folder)
      : problem_(problem), old_(fs::absolute(problem.file).parent_path()), folder_(folder) {
    names_.insert(fs::path(problem.file).filename().string());
    names_.insert("result.json");
  }

  void write() {
    for (auto& experiment : problem_.experiments) {
      if (!experiment.model.empty()) experiment.model = keep(experiment.model, /*is_model=*/true);
      if (!experiment.grid.values.file.empty()) {
        experiment.grid.values.file = keep(experiment.grid.values.file, /*is_model=*/false);
      }
    }
    for (auto& experiment : problem_.experiments) {
      experiment.data.file = new_name(experiment);
      folder_.write(experiment.data.file, io::data_table_text(experiment.data));
    }
    folder_.write(fs::path(problem_.file).filename().string(), io::problem_text(problem_));
  }

  const Problem& problem() const { return problem_; }

 private:
  /// The path by which the new problem finds a file that the old one names.
  std::string keep(const std::string& path, bool is_model) {
    if (!is_inside(path)) {
      return fs::path(path).is_absolute() ? path
                                          : fs::proximate(old_ / path, folder_.target()).string();
    }
    copy(path);
    if (!is_model) return path;
    for (const auto& table : tables_of(old_ / path)) {
      const auto below = (fs::path(path).parent_path() / table).lexically_normal();
      if (!is_inside(below)) {
        throw base::InputError(fmt::format(
            "{}: its table \"{}\" lies outside the folder of the problem, so that the model cannot "
            "be copied. Leave out --out, or move the table.",
            (old_ / path).string(), table));
      }
      copy(below.string());
    }
    return path;
  }

  void copy(const std::string& path) {
    const std::string name = fs::path(path).lexically_normal().string();
    if (names_.insert(name).second) folder_.write(name, io::read_text_file(old_ / path));
  }

  /// As the problem calls it, or after the experiment; each has a file of its own.
  std::string new_name(const ExperimentDescription& experiment) {
    const fs::path old = experiment.data.file;
    fs::path name = old.empty() ? fs::path(experiment.id) : is_inside(old) ? old : old.filename();
    name.replace_extension(".csv");
    if (!names_.insert(name.lexically_normal().string()).second) {
      name.replace_filename(fmt::format("{}_{}.csv", name.stem().string(), experiment.id));
      names_.insert(name.string());
    }
    return name.string();
  }

  Problem problem_;
  fs::path old_;
  run::RunFolder& folder_;
  std::set<std::string> names_;
};

/// The files of the data where the problem looks for them.
std::map<fs::path, const ExperimentDescription*> files_in_place(const Problem& problem,
                                                                bool force) {
  const fs::path folder = fs::path(problem.file).parent_path();
  std::map<fs::path, const ExperimentDescription*> files;
  for (const auto& experiment : problem.experiments) {
    const auto fail = [&](const std::string& message) {
      throw base::InputError(experiment.place,
                             fmt::format("experiment \"{}\": {}", experiment.id, message));
    };
    if (experiment.data.file.empty()) {
      fail("names no data file. Give data=\"...\", or choose a folder with --out.");
    }
    const auto path = folder / experiment.data.file;
    if (!files.emplace(path, &experiment).second) {
      fail(fmt::format("shares {} with another experiment. Choose a folder with --out.",
                       path.string()));
    }
    if (!force && fs::exists(path)) {
      fail(fmt::format("{} exists and is not replaced. Use --force, or choose a folder with --out.",
                       path.string()));
    }
  }
  return files;
}

int synthesize(const SynthesizeRequest& request, const Common& common) {
  Problem problem = io::read_problem(request.file);
  set_truth(run::parse_settings(request.set), problem);
  estimate::measure_anew(problem);
  estimate::check(problem);
  Json experiments = Json::array();
  const auto tell = [&](const ExperimentDescription& experiment, const std::string& file) {
    const bool at_samples = estimate::is_measured_at_samples(experiment);
    experiments.push_back({{"id", experiment.id},
                           {"data", file},
                           {"times", at_samples ? "samples" : "data"},
                           {"rows", experiment.data.num_rows()},
                           {"measurements", estimate::count(experiment).measurements}});
  };
  Json summary = {{"program", "parfait"},    {"version", run::version()}, {"command", "synthesize"},
                  {"problem", request.file}, {"seed", request.seed},      {"set", request.set}};
  std::string fit_file = request.file;
  if (request.out.empty()) {
    files_in_place(problem, request.force);  // what is in the way is found before anything is made
    const Problem made = estimate::synthesize(problem, request.seed);
    for (const auto& [path, experiment] : files_in_place(made, request.force)) {
      io::write_text_file(path, io::data_table_text(experiment->data));
      tell(*experiment, path.string());
    }
    summary["experiments"] = experiments;
  } else {
    run::RunFolder folder(request.out);
    NewFolder made(estimate::synthesize(problem, request.seed), folder);
    made.write();
    for (const auto& experiment : made.problem().experiments) {
      tell(experiment, (fs::path(request.out) / experiment.data.file).string());
    }
    summary["experiments"] = experiments;
    folder.write("result.json", Json(summary).dump(2) + "\n");
    folder.commit();
    fit_file = (fs::path(request.out) / fs::path(request.file).filename()).string();
  }
  if (common.json) {
    fmt::print("{}\n", summary.dump(2));
  } else if (!common.quiet) {
    for (const auto& e : experiments) {
      fmt::print(
          "{}: {}, {}\n", e["data"].get<std::string>(),
          base::counted(e["measurements"].get<int>(), "measurement", "measurements"),
          e["times"] == "samples" ? "at the times of <samples>" : "where the old data have them");
    }
    fmt::print("seed {}; next: parfait fit {}\n", request.seed, fit_file);
  }
  return kDone;
}

}  // namespace

Command add_synthesize(CLI::App& app, const Common& common) {
  auto* parser = app.add_subcommand(
      "synthesize", "make measurements with the model at the true parameters, and noise");
  auto request = std::make_shared<SynthesizeRequest>();
  parser->add_option("problem", request->file, "problem file")->required()->type_name("FILE");
  parser->add_option("--seed", request->seed, "of the noise (1)")->type_name("N");
  parser
      ->add_option("--set", request->set,
                   "true value of a parameter, or a condition; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser
      ->add_option("--out", request->out,
                   "folder for data, models and problem (the data files of the problem)")
      ->type_name("DIR");
  parser->add_flag("--force", request->force, "replace data files that exist");
  return {parser, [request, &common] { return synthesize(*request, common); }};
}

}  // namespace parfait::app
