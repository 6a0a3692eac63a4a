#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/simulation/simulation.h"
#include "parfait/run/summary/simulation_text.h"
#include "progress.h"
#include "saving.h"
#include "simulate_options.h"

// parfait simulate: a model file in, its motion out.
namespace parfait::app {
namespace {

run::SimulationRun simulate_with_bar(const run::SimulationRequest& request, bool shows) {
  Progress progress(shows);
  run::Callbacks callbacks;
  callbacks.on_ready = InterruptWatch::begin;
  callbacks.stop = InterruptWatch::requested;
  callbacks.on_progress = [&](double fraction, const std::string& note) {
    progress.show(fraction, note);
  };
  return run::simulate(request, callbacks);
}

int simulate(const SimulateOptions& options, const GlobalOptions& global) {
  auto request = options.complete();
  request.arguments = global.arguments;
  auto run = simulate_with_bar(request, !global.quiet && !global.json);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::simulation_text(run, folder.value_or("")));
  }
  if (!run.finished() && (global.json || global.quiet)) {
    fmt::print(stderr, "{}\n", run.result.verdict.message);
  }
  return run.finished() && folder ? kDone : kNotFinished;
}

}  // namespace

Command add_simulate(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand("simulate", "compute the motion of a model");
  auto options = std::make_shared<SimulateOptions>();
  add_options(*parser, *options);
  return {parser, [options, &global] { return simulate(*options, global); }};
}

}  // namespace parfait::app
