#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "command.h"
#include "json_text.h"
#include "modes_table.h"
#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/dynamics/equilibrium.h"
#include "parfait/dynamics/modes.h"
#include "parfait/io/any_model_file.h"
#include "parfait/run/model.h"
#include "parfait/run/run_folder.h"

// parfait modes: how a model hangs, and how it swings about that.
#include "parfait/run/version.h"

namespace parfait::app {
namespace {

struct Request {
  std::string file;
  std::vector<std::string> set;
  std::string at = "equilibrium";
  double time = 0;
  int count = std::numeric_limits<int>::max();
  std::string out;
};

Json as_json(const dynamics::EquilibriumReport& report) {
  return {{"status", text(report.outcome)},  {"message", report.message()},
          {"iterations", report.iterations}, {"evaluations", report.evaluations},
          {"correction", report.correction}, {"residual", report.residual},
          {"moved", report.moved},           {"prescribed_speed", report.prescribed_speed},
          {"moving", report.moving}};
}

Json as_json(const ModesTable& table) {
  Json modes = Json::array();
  for (int i = 0; i < table.num_modes(); ++i) {
    const auto& mode = table.mode(i);
    Json entry = {{"mode", i + 1},
                  {"re", mode.eigenvalue.real()},
                  {"im", mode.eigenvalue.imag()},
                  {"frequency_hz", mode.frequency},
                  {"damped_frequency_hz", mode.damped_frequency},
                  {"damping", mode.damping},
                  {"time_constant", nullptr},
                  {"moves_most", table.moves_most(i)}};
    if (std::isfinite(mode.time_constant)) entry["time_constant"] = mode.time_constant;
    modes.push_back(entry);
  }
  return modes;
}

void print_mode(int number, const dynamics::LinearMode& mode, const std::string& moves_most) {
  const std::string frequency = mode.swings ? fmt::format("{:.6g}", mode.frequency) : "-";
  // An undamped mode has what rounding leaves.
  const double damping = std::abs(mode.damping) < 1e-9 ? 0.0 : 100 * mode.damping;
  const std::string percent = mode.swings ? fmt::format("{:.4g}", damping) : "-";
  const std::string time = damping == 0 ? "-" : fmt::format("{:.4g}", mode.time_constant);
  fmt::print("{:>6}  {:>14}  {:>10}  {:>16}  {}\n", number, frequency, percent, time, moves_most);
}

void print(const run::Model& model, const dynamics::EquilibriumReport* equilibrium,
           const dynamics::ModalAnalysis& analysis, const ModesTable& table,
           const std::filesystem::path& out) {
  fmt::print("{}: {}\n", model.file, model.contents);
  if (equilibrium) {
    fmt::print("{}\n", equilibrium->message());
    fmt::print("  moved by {:.3g}, accelerations and rates left {:.1e}\n", equilibrium->moved,
               equilibrium->residual);
    if (equilibrium->prescribed_speed > 0) {
      fmt::print("  driven constraints, which move with {:.3g}, are held where they are\n",
                 equilibrium->prescribed_speed);
    }
  } else {
    fmt::print("about the initial position, at rest: {}\n", text(analysis.stability));
    if (analysis.residual > 1e-6) {
      fmt::print("  not an equilibrium: accelerations or rates of {:.3g}\n", analysis.residual);
    }
  }
  if (!analysis.neutral_names.empty()) {
    fmt::print("  {} neither swing nor decay: {}\n",
               base::counted(analysis.neutral.cols(), "direction", "directions"),
               base::listing(analysis.neutral_names));
  }
  if (table.num_modes() > 0) {
    fmt::print("{:>6}  {:>14}  {:>10}  {:>16}  {}\n", "mode", "frequency [Hz]", "damping [%]",
               "time constant [s]", "moves most");
    for (int i = 0; i < table.num_modes(); ++i) {
      print_mode(i + 1, table.mode(i), table.moves_most(i));
    }
  }
  fmt::print("results in {}: modes.csv, shapes.csv, equilibrium.csv, result.json, timing.json\n",
             out.string());
}

int modes(const Request& request, const Common& common) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  if (request.count < 1) {
    throw base::InputError(fmt::format("--count {}: must be at least 1.", request.count));
  }
  const auto model = run::load_model(request.file, run::parse_settings(request.set));
  const auto& system = *model.system;
  const std::filesystem::path out = request.out.empty()
                                        ? "run" / std::filesystem::path(request.file).stem()
                                        : std::filesystem::path(request.out);
  run::RunFolder folder(out);
  const auto workspace = system.make_workspace(0);
  system.bind(*workspace, model.parameter_values());
  std::vector<double> y(system.sizes().ny()), z(system.sizes().nz);
  system.start(*workspace, y, z);

  const bool settle = request.at == "equilibrium";
  dynamics::EquilibriumReport report;
  if (settle) report = find_equilibrium(system, *workspace, request.time, y, z);
  dynamics::ModalAnalysis analysis;
  if (report.found()) analysis = analyze_modes(system, *workspace, request.time, y, z);
  const bool done = report.found() && analysis.status == dynamics::Status::kOk;
  const std::string message =
      !report.found() ? report.message()
      : !done         ? fmt::format("{}: {}", request.at, dynamics::text(analysis.status))
                      : "done";

  const ModesTable table(model, request.time, y, z, analysis, request.count);
  Json parameters = Json::object();
  const auto p = model.parameter_values();
  for (std::size_t i = 0; i < p.size(); ++i) parameters[system.parameters()[i].id] = p[i];
  const std::string status = !report.found() ? text(report.outcome)
                             : !done         ? "system_failed"
                                             : "done";
  const Json summary = {
      {"program", "parfait"},
      {"version", run::version()},
      {"command", "modes"},
      {"model", request.file},
      {"status", status},
      {"partial", !done},
      {"message", message},
      {"warnings", model.warnings},
      {"at", request.at},
      {"t", request.time},
      {"equilibrium", settle ? as_json(report) : Json(nullptr)},
      {"degrees_of_freedom", analysis.degrees_of_freedom},
      {"stability", done ? Json(text(analysis.stability)) : Json(nullptr)},
      {"growth", analysis.growth},
      {"residual", analysis.residual},
      {"neutral", analysis.neutral_names},
      {"drifts", analysis.drifts},
      {"num_modes", analysis.modes.size()},
      {"shapes", "the largest displacement of a coordinate or state is 1"},
      {"modes", as_json(table)},
      {"parameters", parameters},
  };
  folder.write("result.json", Json(summary).dump(2) + "\n");
  if (done) {
    folder.write("modes.csv", table.modes_csv());
    folder.write("shapes.csv", table.shapes_csv());
    folder.write("equilibrium.csv", table.point_csv());
  }
  const double total = std::chrono::duration<double>(Clock::now() - begin).count();
  folder.write("timing.json", Json({{"total", total}}).dump(2) + "\n");
  folder.commit();

  if (common.json) {
    fmt::print("{}\n", summary.dump(2));
  } else if (!common.quiet && done) {
    print(model, settle ? &report : nullptr, analysis, table, out);
  }
  if (!done) fmt::print(stderr, "{}: {}.\n", request.file, message);
  return done ? kDone : kNotFinished;
}

}  // namespace

Command add_modes(CLI::App& app, const Common& common) {
  auto* parser =
      app.add_subcommand("modes", "find the static equilibrium and the frequencies about it");
  auto request = std::make_shared<Request>();
  parser->add_option("model", request->file, "model file: " + io::model_file_roots())
      ->required()
      ->type_name("FILE");
  parser->add_option("--at", request->at, "the point: equilibrium (default) or initial")
      ->check(CLI::IsMember({"equilibrium", "initial"}))
      ->type_name("POINT");
  parser->add_option("--time", request->time, "what depends on time stands still at T (0)")
      ->type_name("T");
  parser->add_option("--count", request->count, "write so many modes, the slowest (all)")
      ->type_name("N");
  parser->add_option("--set", request->set, "value of a parameter; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser->add_option("--out", request->out, "folder for the results (run/<model name>)")
      ->type_name("DIR");
  return {parser, [request, &common] { return modes(*request, common); }};
}

}  // namespace parfait::app
