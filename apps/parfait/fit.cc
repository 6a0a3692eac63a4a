#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "command.h"
#include "fit_options.h"
#include "interrupt.h"
#include "mpi_team.h"
#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/summary/fit_text.h"
#include "parfait/run/summary/iteration_table.h"
#include "progress.h"
#include "saving.h"

// parfait fit: a problem file in, its parameters and what is known about them out.
namespace parfait::app {
namespace {

/// The iteration table, line by line, until somebody presses Ctrl-C.
run::Callbacks table_callbacks(bool shows, Progress& progress) {
  run::Callbacks callbacks;
  callbacks.on_ready = InterruptWatch::begin;
  callbacks.stop = InterruptWatch::requested;
  if (!shows) return callbacks;
  callbacks.on_progress = [&progress](double fraction, const std::string& note) {
    if (!std::isnan(fraction)) progress.show(fraction, note);
  };
  callbacks.on_problem = [](const result::ProblemFacts& facts) {
    fmt::print("{}", run::problem_line(facts));
    std::fflush(stdout);
  };
  callbacks.on_iteration = [lines = 0](const run::IterationRecord& record) mutable {
    constexpr int kLinesPerHeader = 25;
    if (lines++ % kLinesPerHeader == 0) fmt::print("{}\n", run::iteration_header());
    fmt::print("{}\n", run::iteration_line(record.iteration));
    std::fflush(stdout);
  };
  return callbacks;
}

/// By gradients, which say nothing about how well the parameters are known.
int minimize(const FitCommandOptions& options, const GlobalOptions& global) {
  InterruptWatch::begin();
  const bool shows = !global.quiet && !global.json;
  auto request = options.complete_minimization();
  request.arguments = global.arguments;
  run::Callbacks callbacks;
  callbacks.stop = InterruptWatch::requested;
  auto run = run::minimize(request, callbacks, [&](const result::Minimization::Step& step) {
    if (!shows) return;
    if (step.iteration == 0) fmt::print("{}\n", run::minimization_header());
    fmt::print("{}\n", run::minimization_line(step));
    std::fflush(stdout);
  });
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (shows) {
    fmt::print("{}", run::minimization_text(run, folder.value_or("")));
  }
  if (!run.finished()) fmt::print(stderr, "{}: {}.\n", request.file, run.result.verdict.message);
  return run.finished() && folder ? kDone : kNotFinished;
}

int fit(const FitCommandOptions& options, const GlobalOptions& global) {
  if (options.minimizes()) return minimize(options, global);
  if (!options.contour.empty()) {
    throw base::InputError("--contour is for gradient methods: give --method lbfgs, too.");
  }
  MpiSession session;
  const bool leads = session.team().rank() == 0;
  const bool shows = leads && !global.quiet && !global.json;
  run::FitRequest request;
  run::FitRun run;
  {
    Progress progress(shows);
    session.together([&] {
      request = options.complete();
      request.team = &session.team();
      request.arguments = global.arguments;
      run = run::fit(request, table_callbacks(shows, progress));
    });
  }
  if (!leads) return kDone;  // the first process says how it ended
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });

  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::fit_text(run, folder.value_or("")));
  }
  if (!run.complete() && (global.json || global.quiet)) {
    fmt::print(stderr, "{}\n", run.result.verdict.message);
  }
  return run.complete() && folder ? kDone : kNotFinished;
}

}  // namespace

Command add_fit(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand("fit", "estimate parameters from measurements");
  auto options = std::make_shared<FitCommandOptions>();
  add_options(*parser, *options);
  return {parser, [options, &global] {
            try {
              return fit(*options, global);
            } catch (const ToldByOther&) {
              // mpirun ends all processes when one exits with another code, and the first one may
              // not have said what is wrong yet.
              return static_cast<int>(kDone);
            }
          }};
}

}  // namespace parfait::app
