#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "command.h"
#include "interrupt.h"
#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/simulation/modes.h"
#include "run_names.h"
#include "saving.h"

// parfait modes: static equilibrium and vibration modes about it.
namespace parfait::app {
namespace {

struct ModesOptions {
  std::string file;
  std::vector<std::string> set;
  std::string coordinates;
  std::string at = "equilibrium";
  double time = 0;
  int count = std::numeric_limits<int>::max();
  std::string out;
};

void print_mode(const result::Mode& mode) {
  const std::string frequency = mode.swings() ? fmt::format("{:.6g}", mode.frequency_hz) : "-";
  // An undamped mode has what rounding leaves.
  const double damping = std::abs(mode.damping) < 1e-9 ? 0.0 : 100 * mode.damping;
  const std::string percent = mode.swings() ? fmt::format("{:.4g}", damping) : "-";
  const std::string time = damping == 0 ? "-" : fmt::format("{:.4g}", mode.time_constant);
  fmt::print("{:>6}  {:>14}  {:>10}  {:>16}  {}\n", mode.number, frequency, percent, time,
             mode.moves_most);
}

void print_modes(const run::ModesRun& run, const std::optional<std::filesystem::path>& folder) {
  const auto& m = run.result;
  fmt::print("{}: {}\n", m.model, run.contents);
  if (m.equilibrium) {
    fmt::print("{}\n", m.equilibrium->message);
    fmt::print("  moved by {:.3g}, accelerations and rates left {:.1e}\n", m.equilibrium->moved,
               m.equilibrium->residual);
    if (m.equilibrium->prescribed_speed > 0) {
      fmt::print("  driven constraints, which move with {:.3g}, are held where they are\n",
                 m.equilibrium->prescribed_speed);
    }
  } else {
    fmt::print("about the initial position, at rest: {}\n", m.stability.value_or("not known"));
    if (m.residual > 1e-6) {
      fmt::print("  not an equilibrium: accelerations or rates of {:.3g}\n", m.residual);
    }
  }
  if (!m.neutral.empty()) {
    fmt::print(
        "  {} neither swing nor decay: {}\n",
        base::counted(static_cast<std::int64_t>(m.neutral.size()), "direction", "directions"),
        base::listing(m.neutral));
  }
  if (!m.modes.empty()) {
    fmt::print("{:>6}  {:>14}  {:>10}  {:>16}  {}\n", "mode", "frequency [Hz]", "damping [%]",
               "time constant [s]", "moves most");
    for (const auto& mode : m.modes) print_mode(mode);
  }
  if (!folder) return;
  fmt::print("results in {}: modes.csv, shapes.csv, equilibrium.csv, result.json, timing.json\n",
             folder->string());
}

int modes(const ModesOptions& options, const GlobalOptions& global) {
  const InterruptWatch interrupt;  // until everything is written
  run::ModesRequest request;
  request.file = options.file;
  request.set = run::parse_settings(options.set);
  request.coordinates = options.coordinates;
  request.at_initial = options.at == "initial";
  request.time = options.time;
  request.count = options.count;
  request.out = run_folder_of(options.out, options.file);
  run::Callbacks callbacks;
  callbacks.stop = InterruptWatch::requested;
  auto run = run::find_modes(request, callbacks);
  const auto saved = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet && run.finished()) {
    print_modes(run, saved);
  }
  if (!run.finished()) {
    fmt::print(stderr, "{}: {}.\n", request.file, run.result.verdict.message);
  }
  return run.finished() && saved ? kDone : kNotFinished;
}

}  // namespace

Command add_modes(CLI::App& app, const GlobalOptions& global) {
  auto* parser =
      app.add_subcommand("modes", "find the static equilibrium and the frequencies about it");
  auto options = std::make_shared<ModesOptions>();
  parser->add_option("model", options->file, "model file: " + io::model_file_roots())
      ->required()
      ->type_name("FILE");
  parser->add_option("--at", options->at, "the point: equilibrium (default) or initial")
      ->check(CLI::IsMember({"equilibrium", "initial"}))
      ->type_name("POINT");
  parser->add_option("--time", options->time, "time at which time-dependent inputs are frozen (0)")
      ->type_name("T");
  parser->add_option("--count", options->count, "number of modes to write, slowest first (all)")
      ->type_name("N");
  parser->add_option("--set", options->set, "value of a parameter; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser
      ->add_option("--coordinates", options->coordinates,
                   "of a mechanism: natural or joint (natural)")
      ->type_name("NAME");
  parser->add_option("--out", options->out, "folder for the results (run/<model name>)")
      ->type_name("DIR");
  return {parser, [options, &global] { return modes(*options, global); }};
}

}  // namespace parfait::app
