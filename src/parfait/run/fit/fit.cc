#include "parfait/run/fit/fit.h"

#include <cmath>

#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/prediction.h"
#include "parfait/estimate/fit/profile.h"
#include "parfait/io/results/fit_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/results/scene_files.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/fit/fit_motion.h"
#include "parfait/run/fit/fit_plan.h"
#include "parfait/run/fit/fit_result.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"

namespace parfait::run {
namespace {

/// The work of a fit, from its plan to what was found, on the threads of a job.
class FitWork {
 public:
  FitWork(const FitRequest& request, const Callbacks& callbacks, Job& job, FitRun& run)
      : request_(request), callbacks_(callbacks), job_(job), run_(run) {}

  void operator()() {
    Stopwatch watch;
    auto plan = make_plan(request_);
    plan.problem.options.interrupted = [this] { return job_.stopped(); };
    plan.problem.options.integrator.stop = &job_.stop();
    prepared_.emplace(std::move(plan.problem), request_.team);
    if (!request_.out.empty()) check_replaceable(request_.out);
    sources_.emplace(prepared_->problem(), request_.start);
    std::optional<Eigen::VectorXd> start;
    if (plan.earlier) start = plan.earlier->make_start(*prepared_);
    run_.timing.add("read", watch.lap());
    tell_problem();

    const auto fit = estimate::fit(
        *prepared_, {.on_iteration = on_iteration(), .certify = request_.certify, .start = start});
    run_.timing.add("start", fit.timing.start);
    run_.timing.add("iterate", fit.timing.iteration);
    run_.timing.add("statistics", fit.timing.statistics);
    if (prepared_->team().rank() == 0) conclude(fit);
  }

 private:
  void tell_problem() {
    if (!callbacks_.on_problem) return;
    const auto facts = facts_of(prepared_->problem(), prepared_->warnings());
    job_.tell([&] { callbacks_.on_problem(facts); });
  }

  estimate::OnPoint on_iteration() {
    names_ = prepared_->estimate_names();
    return [this](const estimate::Iteration& iteration, const std::vector<double>& values,
                  estimate::VecIn x) {
      values_.push_back(values);
      if (callbacks_.on_iteration) {
        const IterationRecord record{iteration_of(iteration), names_, values};
        job_.tell([&] { callbacks_.on_iteration(record); });
      }
      tell_curves(x);
      return !prepared_->team().any(job_.stopped());
    };
  }

  /// What the model says at x, a few times a second at most.
  void tell_curves(estimate::VecIn x) {
    if (!callbacks_.on_curves && !callbacks_.on_motion) return;
    if (curves_told_ && curves_age_.passed() < 0.2) return;
    if (callbacks_.on_curves) {
      const auto predictions = predictions_of(estimate::predict_values(*prepared_, x));
      job_.tell([&] { callbacks_.on_curves(predictions); });
    }
    if (callbacks_.on_motion) {
      const auto scenes = scenes_at(*prepared_, x);
      if (!scenes.empty()) job_.tell([&] { callbacks_.on_motion(scenes); });
    }
    curves_told_ = true;
    curves_age_ = Stopwatch();
  }

  void tell_progress(const std::string& note) {
    if (callbacks_.on_progress) job_.tell([&] { callbacks_.on_progress(std::nan(""), note); });
  }

  void conclude(const estimate::FitResult& fit) {
    Stopwatch watch;
    std::vector<estimate::Prediction> predictions;
    if (fit.has_values()) predictions = estimate::predict(*prepared_, fit);
    std::vector<estimate::Prediction> first_guess;
    if (fit.has_values() && fit.start.size() == fit.x.size()) {
      first_guess = estimate::predict_values(*prepared_, fit.start);
    }
    run_.timing.add("predict", watch.lap());
    std::vector<estimate::Profile> profiles;
    for (const auto& parameter : request_.profile) {
      if (!fit.converged() || job_.stopped()) break;  // the next ones are not begun
      tell_progress("profile of " + parameter);
      profiles.push_back(estimate::make_profile(*prepared_, fit, parameter));
    }
    run_.timing.add("profile", watch.lap());
    const FitParts parts{.request = request_,
                         .prepared = *prepared_,
                         .sources = *sources_,
                         .fit = fit,
                         .predictions = predictions,
                         .profiles = profiles,
                         .first_guess = first_guess,
                         .values = values_,
                         .stopped = job_.stopped()};
    run_.result = make_result(parts);
    run_.tables = make_tables(parts, run_.result);
    run_.scenes = make_scenes(*prepared_, fit, run_.result, run_.tables);
    run_.result.motions = io::motion_files(run_.scenes);
    run_.timing.add("motion", watch.lap());
  }

  const FitRequest& request_;
  const Callbacks& callbacks_;
  Job& job_;
  FitRun& run_;
  std::optional<estimate::PreparedProblem> prepared_;
  std::optional<ProblemSources> sources_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;  ///< at each point
  Stopwatch curves_age_;
  bool curves_told_ = false;
};

}  // namespace

FitRun fit(const FitRequest& request, const Callbacks& callbacks) {
  FitRun run;
  Job job(callbacks, request.threads);
  FitWork work(request, callbacks, job, run);
  job.run([&] { work(); });
  return run;
}

void save(FitRun& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target);
  folder.write("result.json", io::result_text(run.result));
  for (const auto& [name, text] : io::fit_table_files(run.result, run.tables)) {
    folder.write(name, text);
  }
  for (const auto& [name, bytes] : io::scene_files(run.scenes)) folder.write(name, bytes);
  folder.write("report.html",
               report::fit_report(run.result, run.tables, run.scenes, report::Liveness::kLive));
  run.timing.add("write", watch.lap());
  folder.write("timing.json", io::timing_text(run.timing));
  folder.commit();
}

}  // namespace parfait::run
