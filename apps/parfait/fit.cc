#include <fmt/format.h>
#include <tbb/global_control.h>

#include <cstdio>
#include <optional>

#include "command.h"
#include "fit_run.h"
#include "interrupt.h"
#include "iteration_table.h"
#include "json_text.h"
#include "mpi_team.h"
#include "parfait/base/counted.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/run/model.h"
#include "parfait/run/stopwatch.h"
#include "parfait/run/variable_layout.h"

// parfait fit: a problem file in, its parameters and what is known about them out.
namespace parfait::app {
namespace {

using estimate::FitResult;
using estimate::Problem;

void print_problem_line(const Problem& problem) {
  int measurements = 0;
  std::size_t locals = 0;
  int states = 0;
  for (const auto& experiment : problem.experiments) {
    measurements += estimate::count(experiment).measurements;
    locals += experiment.locals.size();
    states += estimate::num_free_initial(experiment);
  }
  fmt::print("{}: {}, {}, {}", problem.file,
             base::counted(static_cast<std::int64_t>(problem.experiments.size()), "experiment",
                           "experiments"),
             base::counted(measurements, "measurement", "measurements"),
             base::counted(static_cast<std::int64_t>(problem.estimates.size()), "parameter",
                           "parameters"));
  if (locals > 0) {
    fmt::print(", {} of single experiments", locals);
  }
  if (states > 0) fmt::print(", {}", base::counted(states, "initial state", "initial states"));
  fmt::print("\n\n");
}

/// The table, line by line, until somebody presses Ctrl-C.
class Watch {
 public:
  Watch(bool shows, const InterruptWatch& interrupt, MpiTeam& team)
      : shows_(shows), interrupt_(interrupt), team_(team) {}

  bool operator()(const estimate::Iteration& iteration) {
    constexpr int kLinesPerHeader = 25;
    if (shows_) {
      if (lines_++ % kLinesPerHeader == 0) fmt::print("{}\n", iteration_header());
      fmt::print("{}\n", iteration_line(iteration));
      std::fflush(stdout);
    }
    return !team_.any(interrupt_.requested());
  }

 private:
  bool shows_;
  const InterruptWatch& interrupt_;
  MpiTeam& team_;
  int lines_ = 0;
};

int fit(const FitRequest& request, const Common& common) {
  const InterruptWatch interrupt;
  MpiSession session;
  run::Stopwatch watch;
  Json timing = {{"total", 0.0}};

  // What all processes do alike.
  std::optional<tbb::global_control> threads;
  std::optional<FitPlan> plan;
  std::optional<run::RunFolder> folder;
  FitResult result;
  const bool leads = session.team().rank() == 0;
  session.together([&] {
    plan = make_plan(request);
    if (request.threads) {
      threads.emplace(tbb::global_control::max_allowed_parallelism,
                      static_cast<std::size_t>(*request.threads));
    }
    folder.emplace(plan->out);
    timing["read"] = watch.lap();
    const bool shows = leads && !common.quiet && !common.json;
    if (shows) {
      print_problem_line(plan->problem);
      std::fflush(stdout);
    }
    plan->problem.options.interrupted = [&interrupt] { return interrupt.requested(); };
    Watch table(shows, interrupt, session.team());
    result = estimate::fit(plan->problem, {.on_iteration = table,
                                           .team = &session.team(),
                                           .certify = request.certify,
                                           .start = plan->start});
  });
  if (!leads) return kDone;  // the first process says how it ended
  timing["start"] = result.timing.start;
  timing["iterate"] = result.timing.iteration;
  timing["statistics"] = result.timing.statistics;
  watch.lap();

  estimate::Team alone;
  const auto variables = run::variable_layout(*estimate::make_ensemble(plan->problem, alone));
  FitRun run{.request = request,
             .plan = *plan,
             .result = result,
             .variables = variables,
             .predictions = {},
             .profiles = {},
             .interrupted = false};
  if (result.has_values()) run.predictions = estimate::predict(plan->problem, result);
  timing["predict"] = watch.lap();
  for (const auto& parameter : plan->profiles) {
    if (!result.converged() || interrupt.requested()) break;  // the next ones are not begun
    run.profiles.push_back(estimate::make_profile(plan->problem, result, parameter));
  }
  timing["profile"] = watch.lap();
  run.interrupted = interrupt.requested();

  const std::string summary = json_text(as_json(run));
  folder->write("result.json", summary + "\n");
  write_tables(run, *folder);
  timing["write"] = watch.lap();
  double total = 0;
  for (const auto& stage : timing) total += stage.get<double>();
  timing["total"] = total;
  folder->write("timing.json", Json(timing).dump(2) + "\n");
  folder->commit();

  if (common.json) {
    fmt::print("{}\n", summary);
  } else if (!common.quiet) {
    print(run, total);
  }
  if (!run.complete() && (common.json || common.quiet)) {
    fmt::print(stderr, "{}\n", run.message());
  }
  return run.complete() ? kDone : kNotFinished;
}

}  // namespace

Command add_fit(CLI::App& app, const Common& common) {
  auto* parser = app.add_subcommand("fit", "estimate parameters from measurements");
  auto request = std::make_shared<FitRequest>();
  add_options(*parser, *request);
  return {parser, [request, &common] {
            try {
              return fit(*request, common);
            } catch (const ToldByOther&) {
              // mpirun ends all processes when one exits with another code, and the first one may
              // not have said what is wrong yet.
              return static_cast<int>(kDone);
            }
          }};
}

}  // namespace parfait::app
