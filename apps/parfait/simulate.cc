#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "command.h"
#include "interrupt.h"
#include "parfait/base/error.h"
#include "parfait/integrate/integrate.h"
#include "parfait/io/csv.h"
#include "parfait/io/model_file.h"
#include "parfait/io/number.h"
#include "parfait/mbs/model.h"
#include "progress.h"
#include "recorder.h"
#include "run_folder.h"

// parfait simulate: a model file in, its motion out.
namespace parfait::app {
namespace {

/// What was typed; what is absent comes from the model file, then from the defaults below.
struct Request {
  std::string file;
  std::optional<double> until, rtol, atol, step;
  std::vector<std::string> observe;
  std::vector<std::string> set;
  std::string out;
};

constexpr double kDefaultUntil = 10;       // s
constexpr double kDefaultIntervals = 500;  // rows of the trajectory, less one

class Stopwatch {
 public:
  /// Seconds since it was made or last asked.
  double lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// "a,atan2(b,c)" gives "a" and "atan2(b,c)": commas inside parentheses belong to a formula.
std::vector<std::string> split_quantities(const std::vector<std::string>& lists) {
  std::vector<std::string> quantities;
  for (const auto& list : lists) {
    int depth = 0;
    std::string word;
    for (char c : list + ",") {
      if (c == ',' && depth == 0) {
        const auto name = io::trimmed(word);
        if (name.empty()) throw base::InputError("--observe " + list + ": a name is missing.");
        quantities.emplace_back(name);
        word.clear();
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      word += c;
    }
    if (!word.empty()) throw base::InputError("--observe " + list + ": a ) is missing.");
  }
  return quantities;
}

/// Values of all parameters, with those of --set in place.
std::vector<double> parameter_values(const dynamics::System& system,
                                     const std::vector<std::string>& settings) {
  std::vector<double> p;
  std::vector<std::string> ids;
  for (const auto& parameter : system.parameters()) {
    p.push_back(parameter.initial);
    ids.push_back(parameter.id);
  }
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      throw base::InputError(fmt::format("--set {}: must read id=value.", setting));
    }
    const std::string id = setting.substr(0, equals);
    const auto number = io::parse_number(setting.substr(equals + 1));
    const auto found = std::find(ids.begin(), ids.end(), id);
    if (found == ids.end()) {
      throw base::InputError(
          ids.empty() ? fmt::format("--set {}: the model has no parameters.", setting)
                      : fmt::format("--set {}: there is no parameter \"{}\".{} Parameters: {}.",
                                    setting, id, base::suggestion(id, ids), base::listing(ids)));
    }
    if (number.kind != io::NumberKind::kNumber) {
      throw base::InputError(
          fmt::format("--set {}: \"{}\" is not a number.", setting, setting.substr(equals + 1)));
    }
    const auto i = static_cast<std::size_t>(found - ids.begin());
    const auto& info = system.parameters()[i];
    if (number.value < info.lower || number.value > info.upper) {
      throw base::InputError(fmt::format("--set {}: must lie between {:g} and {:g}.", setting,
                                         info.lower, info.upper));
    }
    p[i] = number.value;
  }
  return p;
}

/// The model was assembled at the parameters of the file; --set may have moved the constraints.
double project_start(const std::string& file, const dynamics::System& system,
                     dynamics::Workspace& workspace, std::vector<double>& y,
                     const integrate::Options& options) {
  if (system.sizes().num_pos + system.sizes().num_vel == 0) return 0;
  const auto report =
      system.project(workspace, 0, y, options.projection, options.projection_tolerance);
  if (report.status != dynamics::Status::kOk) {
    throw base::InputError(
        fmt::format("{}: with these parameters the initial state cannot be brought onto the "
                    "constraints: {:.1e} "
                    "is left.",
                    file, report.residual));
  }
  return std::max(report.distance_q, report.distance_v);
}

std::string plural(std::int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

int simulate(const Request& request, const Common& common) {
  Stopwatch watch;
  Json timing = {{"total", 0.0}};

  const auto description = io::read_model(request.file);
  timing["read"] = watch.lap();
  const auto model = mbs::build(description);
  timing["build"] = watch.lap();

  const auto& defaults = description.simulation;
  const double until = request.until.value_or(defaults.until.value_or(kDefaultUntil));
  const double step = request.step.value_or(defaults.step.value_or(until / kDefaultIntervals));
  integrate::Options options;
  options.step.rtol = request.rtol.value_or(defaults.rtol.value_or(options.step.rtol));
  options.step.atol = request.atol.value_or(defaults.atol.value_or(options.step.atol));
  integrate::check_options(options);
  auto quantities = split_quantities(request.observe);
  if (quantities.empty()) quantities = defaults.outputs;
  if (quantities.empty()) quantities = model->default_quantities();
  const auto p = parameter_values(*model, request.set);
  const std::filesystem::path out = request.out.empty()
                                        ? "run" / std::filesystem::path(request.file).stem()
                                        : std::filesystem::path(request.out);
  RunFolder folder(out);
  Recorder recorder(*model, p, quantities, make_grid(until, step), options);

  const auto workspace = model->make_workspace(0);
  model->bind(*workspace, p);
  std::vector<double> y = model->initial_state();
  const double start_correction = project_start(request.file, *model, *workspace, y, options);

  InterruptWatch interrupt;
  integrate::Result result;
  {
    Progress progress(!common.quiet);
    recorder.start(0, y);
    result = integrate::integrate(
        *model, *workspace, 0, until, y, options, [&](const integrate::Step& accepted) {
          recorder.add(accepted);
          progress.show(accepted.t1 / until, fmt::format("t = {:.3g} s", accepted.t1));
          return !interrupt.requested() && recorder.status() == dynamics::Status::kOk;
        });
  }
  if (recorder.status() != dynamics::Status::kOk) {
    result.outcome = integrate::Outcome::kSystemFailed;
    result.status = recorder.status();
  }
  timing["integrate"] = watch.lap();

  const auto table = recorder.table();
  const auto& statistics = result.statistics;
  const bool finished = result.outcome == integrate::Outcome::kFinished;
  Json parameters = Json::object();
  for (std::size_t i = 0; i < p.size(); ++i) parameters[model->parameters()[i].id] = p[i];
  const Json summary = {
      {"program", "parfait"},
      {"version", PARFAIT_VERSION},
      {"command", "simulate"},
      {"model", request.file},
      {"status", text(result.outcome)},
      {"partial", !finished},
      {"message", result.message()},
      {"warnings", model->warnings()},
      {"t", result.t},
      {"rows", table.num_rows()},
      {"steps", statistics.steps},
      {"rejected", statistics.rejected},
      {"evaluations", statistics.evaluations},
      {"projections", statistics.projections},
      {"drift",
       {{"constraints", recorder.largest_residual()},
        {"correction", statistics.largest_correction},
        {"start_correction", start_correction},
        {"energy", recorder.largest_energy_change()}}},
      {"energy", recorder.initial_energy()},
      {"options",
       {{"integrator", "dopri5"},
        {"until", until},
        {"step", step},
        {"rtol", options.step.rtol},
        {"atol", options.step.atol},
        {"projection_tolerance", options.projection_tolerance},
        {"observe", quantities}}},
      {"parameters", parameters},
  };
  folder.write("trajectory.csv", io::csv_text(table));
  folder.write_json("result.json", summary);
  timing["write"] = watch.lap();
  double total = 0;
  for (const auto& stage : timing) total += stage.get<double>();
  timing["total"] = total;
  folder.write_json("timing.json", timing);
  folder.commit();

  if (common.json) {
    fmt::print("{}\n", summary.dump(2));
  } else if (!common.quiet) {
    fmt::print("{}: {}, {}, {} states\n", request.file,
               plural(static_cast<std::int64_t>(description.bodies.size()), "body", "bodies"),
               plural(static_cast<std::int64_t>(description.joints.size()), "joint", "joints"),
               model->sizes().ny());
    fmt::print("{}\n", result.message());
    fmt::print("  {} rejected, {}, {:.3g} s of computing\n", statistics.rejected,
               plural(statistics.evaluations, "evaluation", "evaluations"), total);
    fmt::print("  energy {:.6g} J at the start, changed by at most {:.1e} J\n",
               recorder.initial_energy(), recorder.largest_energy_change());
    fmt::print("  constraints kept to {:.1e}\n", recorder.largest_residual());
    fmt::print("results in {}: trajectory.csv ({}, {}), result.json, timing.json\n", out.string(),
               plural(table.num_rows(), "row", "rows"),
               plural(static_cast<std::int64_t>(table.columns.size()), "column", "columns"));
  }
  if (!finished && (common.json || common.quiet)) fmt::print(stderr, "{}\n", result.message());
  return finished ? kDone : kNotFinished;
}

}  // namespace

Command add_simulate(CLI::App& app, const Common& common) {
  auto* parser = app.add_subcommand("simulate", "compute the motion of a model");
  auto request = std::make_shared<Request>();
  parser->add_option("model", request->file, "model file")->required()->type_name("FILE");
  parser->add_option("--until", request->until, "end time (model file, or 10)")->type_name("T");
  parser->add_option("--step", request->step, "time between rows (model file, or T/500)")
      ->type_name("DT");
  parser->add_option("--rtol", request->rtol, "relative tolerance (model file, or 1e-8)")
      ->type_name("X");
  parser->add_option("--atol", request->atol, "absolute tolerance (model file, or 1e-10)")
      ->type_name("X");
  parser
      ->add_option("--observe", request->observe, "quantities, for example Load.com.x,energy.total")
      ->type_name("A,B")
      ->allow_extra_args(false);
  parser->add_option("--set", request->set, "value of a parameter; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser->add_option("--out", request->out, "folder for the results (run/<model name>)")
      ->type_name("DIR");
  return {parser, [request, &common] { return simulate(*request, common); }};
}

}  // namespace parfait::app
