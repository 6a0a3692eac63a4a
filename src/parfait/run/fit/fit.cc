#include "parfait/run/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/prediction.h"
#include "parfait/estimate/fit/profile.h"
#include "parfait/estimate/starts/interval_choice.h"
#include "parfait/io/results/fit_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/results/scene_files.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/fit/fit_motion.h"
#include "parfait/run/fit/fit_plan.h"
#include "parfait/run/fit/fit_result.h"
#include "parfait/run/fit/fit_suggestions.h"
#include "parfait/run/fit/many_starts.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
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
    profile_names_ = plan.profiles;
    plan.problem.options.interrupted = [this] { return job_.stopped(); };
    plan.problem.options.integrator.stop = &job_.stop();
    prepared_.emplace(std::move(plan.problem), request_.team);
    sources_.emplace(prepared_->problem(), request_.start);
    std::optional<Eigen::VectorXd> start;
    if (plan.earlier) start = plan.earlier->make_start(*prepared_);
    if (request_.intervals == "auto") {
      choose_intervals();
      start.reset();
    }
    std::optional<StartsPlan> starts;
    if (request_.starts) {
      starts = plan_starts(request_, prepared_->problem(), {request_.arguments, sources_->files()});
    }
    job_.everything_is_read();
    // All have got so far before one leaves a trace: where one cannot, nothing is left.
    prepared_->team().any(false);
    if (callbacks_.on_ready) job_.tell([&] { callbacks_.on_ready(); });
    if (!request_.out.empty()) claim();
    run_.timing.add("read", watch.lap());
    tell_problem();
    if (starts) {
      start_many(*starts);
      start.reset();
      run_.timing.add("starts", watch.lap());
    }

    const auto fit = estimate::fit(
        *prepared_, {.on_iteration = on_iteration(), .certify = request_.certify, .start = start});
    run_.timing.add("start", fit.timing.start);
    run_.timing.add("iterate", fit.timing.iteration);
    run_.timing.add("statistics", fit.timing.statistics);
    const auto profiles = make_profiles(fit);
    if (prepared_->team().rank() == 0) conclude(fit, profiles);
  }

 private:
  /// The folder, by the first process for all.
  void claim() {
    std::string why;
    if (prepared_->team().rank() == 0) {
      try {
        run_.claim = std::make_shared<FolderClaim>(request_.out);
      } catch (const base::InputError& error) {
        why = error.what();
      }
    }
    if (prepared_->team().any(!why.empty())) throw base::InputError(why);
  }

  /// The same problem with other shooting grids.
  void choose_intervals() {
    estimate::Problem problem = prepared_->problem();
    for (const auto& choice : estimate::choose_intervals(problem)) {
      intervals_.push_back(choice.text());
    }
    prepared_.emplace(std::move(problem), request_.team);
  }

  /// The fit that follows is the best of many.
  void start_many(const StartsPlan& plan) {
    auto many = fit_many_starts(
        plan, request_.seed, *prepared_,
        [this](double fraction, const std::string& note) { tell_progress(note, fraction); });
    starts_ = std::move(many.starts);
    prepared_.emplace(std::move(many.problem), request_.team);
  }

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

  void tell_progress(const std::string& note, double fraction = std::nan("")) {
    if (callbacks_.on_progress) job_.tell([&] { callbacks_.on_progress(fraction, note); });
  }

  /// Times at which each experiment is predicted: fewer of very many experiments, and where the
  /// derivatives of very many quantities by very many parameters would fill the memory.
  int prediction_points(const estimate::FitResult& fit) const {
    constexpr int kPoints = 201, kFewest = 11, kMostRows = 200'000;
    constexpr std::size_t kMostDerivatives = 20'000'000;
    std::size_t widest = 1;
    for (const auto& experiment : prepared_->problem().experiments) {
      widest = std::max(widest, experiment.observations.size());
    }
    widest *= std::max<std::size_t>(1, fit.estimates.size());
    const int experiments = std::max(1, prepared_->ensemble().num_experiments());
    const int most = static_cast<int>(std::min<std::size_t>(kMostDerivatives / widest, kPoints));
    return std::clamp(std::min(kMostRows / experiments, most), kFewest, kPoints);
  }

  /// All processes take part; where one was interrupted, none is begun.
  std::vector<estimate::Profile> make_profiles(const estimate::FitResult& fit) {
    Stopwatch watch;
    std::vector<estimate::Profile> profiles;
    const bool stopped = prepared_->team().any(job_.stopped());
    if (!profile_names_.empty() && fit.converged() && !stopped) {
      tell_progress("profiles");
      profiles =
          estimate::make_profiles(*prepared_, fit, profile_names_, [this](int done, int all) {
            tell_progress(fmt::format("profiles: {} of {} sides", done, all),
                          done / static_cast<double>(all));
          });
    }
    run_.timing.add("profile", watch.lap());
    return profiles;
  }

  void conclude(const estimate::FitResult& fit, const std::vector<estimate::Profile>& profiles) {
    Stopwatch watch;
    std::vector<estimate::Prediction> predictions;
    const int points = prediction_points(fit);
    std::vector<estimate::Prediction> first_guess;
    // Who stops a fit waits neither for its curves nor for its pictures: nothing is integrated.
    base::unless_stopped(job_.stop(), [&] {
      if (!fit.has_values()) return;
      predictions = estimate::predict(*prepared_, fit, points);
      if (fit.start.size() != fit.x.size()) return;
      first_guess = estimate::predict_values(*prepared_, fit.start, points);
    });
    run_.timing.add("predict", watch.lap());
    const FitParts parts{.request = request_,
                         .prepared = *prepared_,
                         .sources = *sources_,
                         .fit = fit,
                         .predictions = predictions,
                         .profiles = profiles,
                         .first_guess = first_guess,
                         .values = values_,
                         .starts = starts_,
                         .intervals = intervals_,
                         .stopped = job_.stopped()};
    run_.result = make_result(parts);
    const bool is_open = !run_.result.identifiability.all_determined;
    const bool alone = prepared_->team().size() == 1;
    if (fit.converged() && !job_.stopped() && alone && (request_.suggest || is_open)) {
      run_.result.suggestions = make_suggestions(*prepared_, *sources_, fit);
    }
    run_.tables = make_tables(parts, run_.result);
    base::unless_stopped(job_.stop(), [&] {
      run_.scenes = make_scenes(*prepared_, fit, run_.result, run_.tables);
    });
    run_.result.motions = io::motion_files(run_.scenes);
    run_.timing.add("motion", watch.lap());
  }

  const FitRequest& request_;
  const Callbacks& callbacks_;
  Job& job_;
  FitRun& run_;
  std::optional<estimate::PreparedProblem> prepared_;
  std::optional<ProblemSources> sources_;
  std::optional<result::Starts> starts_;
  std::vector<std::string> intervals_;  ///< as they were chosen
  std::vector<std::string> profile_names_;
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

std::filesystem::path save(FitRun& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target, std::move(run.claim));
  for (const auto& [name, text] : io::fit_table_files(run.result, run.tables)) {
    folder.write(name, text);
  }
  for (const auto& [name, bytes] : io::scene_files(run.scenes)) folder.write(name, bytes);
  folder.write("report.html",
               report::fit_report(run.result, run.tables, run.scenes, report::Liveness::kLive));
  return write_last_files(folder, run, watch);
}

}  // namespace parfait::run
