#include "parfait/run/fit/synthesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/data_table.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/fit/problem_changes.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace {

namespace fs = std::filesystem;
using estimate::ExperimentDescription;
using estimate::Problem;

/// `--set` of an estimated parameter is its true value here: that is where data come from.
void set_truth(const std::vector<Setting>& settings, Problem& problem) {
  set_values(settings, problem);
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
  NewFolder(const Problem& problem, RunFolder& folder)
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
  RunFolder& folder_;
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

SynthesisRun make(const SynthesisRequest& request, const Job& job) {
  Problem problem = request.problem ? *request.problem : io::parse_problem(request.file);
  set_truth(request.set, problem);
  estimate::measure_anew(problem);
  estimate::check(problem);
  // What is in the way is found before anything is made; a problem made in code need not be saved.
  if (request.out.empty()) {
    if (!request.problem) files_in_place(problem, request.force);
  } else {
    check_replaceable(request.out);
  }
  SynthesisRun run;
  const estimate::FitOptions options = problem.options;
  problem.options.integrator.stop = &job.stop();
  problem.options.interrupted = [&] { return job.stopped(); };
  try {
    run.problem = estimate::synthesize(problem, request.seed);
  } catch (const base::InputError&) {
    if (job.stopped()) throw base::Stopped();
    throw;
  }
  run.problem.options = options;
  run.problem_file = request.out.empty()
                         ? request.file
                         : (request.out / fs::path(request.file).filename()).string();
  auto& out = run.result;
  out.version = version();
  out.problem = request.file;
  out.seed = request.seed;
  for (const auto& setting : request.set) out.set.push_back(setting.text);
  return run;
}

}  // namespace

SynthesisRun synthesize(const SynthesisRequest& request, const Callbacks& callbacks) {
  Job job(callbacks);
  SynthesisRun run;
  job.run([&] { run = make(request, job); });
  return run;
}

void save(SynthesisRun& run, const SynthesisRequest& request) {
  auto& out = run.result;
  const auto tell = [&](const ExperimentDescription& experiment, const std::string& file) {
    const bool at_samples = estimate::is_measured_at_samples(experiment);
    out.experiments.push_back({.id = experiment.id,
                               .data = file,
                               .times = at_samples ? "samples" : "data",
                               .rows = experiment.data.num_rows(),
                               .measurements = estimate::count(experiment).measurements});
  };
  out.experiments.clear();
  if (request.out.empty()) {
    for (const auto& [path, experiment] : files_in_place(run.problem, request.force)) {
      io::replace_text_file(path, io::data_table_text(experiment->data));
      tell(*experiment, path.string());
    }
    return;
  }
  RunFolder folder(request.out);
  NewFolder made(run.problem, folder);
  made.write();
  for (const auto& experiment : made.problem().experiments) {
    tell(experiment, (request.out / experiment.data.file).string());
  }
  out.outputs = folder.outputs({"result.json"});
  folder.write("result.json", io::result_text(out));
  folder.commit();
}

}  // namespace parfait::run
