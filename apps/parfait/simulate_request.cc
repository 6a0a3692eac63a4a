#include "simulate_request.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "name_list.h"
#include "parfait/base/error.h"
#include "parfait/io/any_model_file.h"
#include "parfait/io/number.h"
#include "recorder.h"

namespace parfait::app {
namespace {

constexpr double kDefaultUntil = 10;       // s
constexpr double kDefaultIntervals = 500;  // rows of the trajectory, less one

using integrate::Method;
using integrate::MethodInfo;
using integrate::Options;

constexpr std::array<std::pair<dynamics::Norm, const char*>, 3> kNorms{
    {{dynamics::Norm::kMass, "mass"},
     {dynamics::Norm::kEuclidean, "euclidean"},
     {dynamics::Norm::kPartition, "partition"}}};

dynamics::Norm norm_of(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [norm, known] : kNorms) {
    if (name == known) return norm;
    names.emplace_back(known);
  }
  throw base::InputError(fmt::format("--projection {}: does not exist.{} Projections: {}.", name,
                                     base::suggestion(name, names), base::listing(names)));
}

double number_in(const std::string& typed, std::string_view text) {
  const auto number = io::parse_number(io::trimmed(text));
  if (number.kind == io::NumberKind::kNumber) return number.value;
  throw base::InputError(
      fmt::format("--tolerance {}: \"{}\" is not a number.", typed, io::trimmed(text)));
}

/// "velocities=1e-6,1e-8": relative and absolute tolerance of a group of states.
void set_tolerance(const std::string& typed, const dynamics::Sizes& sizes, Options& options) {
  const auto equals = typed.find('=');
  const auto comma = typed.find(',');
  if (equals == std::string::npos || comma == std::string::npos || comma < equals) {
    throw base::InputError(fmt::format("--tolerance {}: must read group=rtol,atol.", typed));
  }
  const std::string name = typed.substr(0, equals);
  struct Group {
    const char* name;
    int size;
    std::optional<integrate::Tolerance>* tolerance;
  };
  const std::array<Group, 3> groups{{{"positions", sizes.nq, &options.positions},
                                     {"velocities", sizes.nv, &options.velocities},
                                     {"states", sizes.ne, &options.externals}}};
  std::vector<std::string> names;
  for (const auto& group : groups) {
    names.emplace_back(group.name);
    if (name != group.name) continue;
    if (group.size == 0) {
      throw base::InputError(fmt::format("--tolerance {}: the model has no {}.", typed, name));
    }
    *group.tolerance = {.rtol = number_in(typed, typed.substr(equals + 1, comma - equals - 1)),
                        .atol = number_in(typed, typed.substr(comma + 1))};
    return;
  }
  throw base::InputError(fmt::format("--tolerance {}: there is no group \"{}\".{} Groups: {}.",
                                     typed, name, base::suggestion(name, names),
                                     base::listing(names)));
}

/// An option that the method or the model would ignore is a mistake.
void refuse_unused(const SimulateRequest& request, const LoadedModel& model, Method method) {
  const auto refuse = [&](bool given, bool used, const char* option, const std::string& why) {
    if (given && !used) throw base::InputError(fmt::format("{}: {}.", option, why));
  };
  const std::string chosen = fmt::format("this is {}", integrate::text(method));
  const auto& sizes = model.system->sizes();
  const bool has_invariants = sizes.num_pos + sizes.num_vel > 0;
  const auto& can = integrate::info(method);
  const auto names = [](bool (*holds)(const MethodInfo&)) { return method_names(holds, "and"); };
  refuse(request.hht_alpha.has_value(), can.has_alpha, "--hht-alpha",
         fmt::format("is for --integrator {}; {}",
                     names([](const MethodInfo& m) { return m.has_alpha; }), chosen));
  refuse(request.max_order.has_value(), can.max_order > 0, "--max-order",
         fmt::format("is for --integrator {}; {}",
                     names([](const MethodInfo& m) { return m.max_order > 0; }), chosen));
  refuse(request.max_order.has_value(), request.max_order.value_or(1) <= can.max_order,
         "--max-order", fmt::format("{} has the orders 1 to {}", can.name, can.max_order));
  refuse(!request.projection.empty(), has_invariants, "--projection",
         "the model has no constraints to project onto");
  refuse(request.projection_tolerance.has_value(), has_invariants, "--projection-tolerance",
         "the model has no constraints to project onto");
  refuse(request.control_sensitivities, !request.sensitivity.empty(), "--control-sensitivities",
         "needs --sensitivity");
}

Options make_options(const SimulateRequest& request, const LoadedModel& model) {
  Options options;
  const auto& defaults = model.simulation;
  const auto& name = request.integrator.empty() ? defaults.integrator : request.integrator;
  options.method =
      name.empty() ? integrate::default_method(*model.system) : integrate::method_of(name);
  refuse_unused(request, model, options.method);
  options.rtol = request.rtol.value_or(defaults.rtol.value_or(options.rtol));
  options.atol = request.atol.value_or(defaults.atol.value_or(options.atol));
  for (const auto& typed : request.tolerances) {
    set_tolerance(typed, model.system->sizes(), options);
  }
  options.first_step = request.first_step.value_or(options.first_step);
  options.max_step = request.max_step.value_or(options.max_step);
  options.max_steps = request.max_steps.value_or(options.max_steps);
  if (!request.projection.empty()) options.projection = norm_of(request.projection);
  options.projection_tolerance =
      request.projection_tolerance.value_or(options.projection_tolerance);
  options.hht_alpha = request.hht_alpha.value_or(options.hht_alpha);
  options.max_order = request.max_order.value_or(options.max_order);
  options.control_sensitivities = request.control_sensitivities;
  integrate::check_options(options);
  return options;
}

}  // namespace

const char* text(dynamics::Norm norm) {
  for (const auto& [known, name] : kNorms) {
    if (known == norm) return name;
  }
  return "unknown";
}

SimulatePlan make_plan(const SimulateRequest& request, const LoadedModel& model) {
  SimulatePlan plan;
  const auto& defaults = model.simulation;
  plan.until = request.until.value_or(defaults.until.value_or(kDefaultUntil));
  plan.step = request.step.value_or(defaults.step.value_or(plan.until / kDefaultIntervals));
  plan.times = make_grid(plan.until, plan.step);
  if (request.every_step) {
    plan.step = 0;
    plan.times.clear();
  }
  plan.options = make_options(request, model);
  plan.quantities = split_names("--observe", request.observe);
  if (plan.quantities.empty()) plan.quantities = defaults.outputs;
  if (plan.quantities.empty()) plan.quantities = model.default_quantities;
  plan.sensitivities = split_names("--sensitivity", request.sensitivity);
  plan.settle = request.settle;
  plan.out = request.out.empty() ? "run" / std::filesystem::path(request.file).stem()
                                 : std::filesystem::path(request.out);
  return plan;
}

void add_options(CLI::App& parser, SimulateRequest& request) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* help,
                       const char* group) {
    return parser.add_option(name, value, help)
        ->type_name(type)
        ->group(group)
        ->allow_extra_args(false);
  };
  parser.add_option("model", request.file, "model file: " + io::model_file_roots())
      ->required()
      ->type_name("FILE");

  const char* what = "What to compute";
  add("--until", request.until, "T", "end time (model file, or 10)", what);
  add("--set", request.set, "ID=VALUE", "value of a parameter; may be repeated", what);
  add("--sensitivity", request.sensitivity, "P,Q",
      "derivatives with respect to parameters, or initial:STATE", what);
  parser
      .add_flag("--settle", request.settle,
                "begin at rest in the static equilibrium near the start")
      ->group(what);

  const char* output = "What to write";
  auto* step =
      add("--step", request.step, "DT", "time between rows (model file, or T/500)", output);
  parser.add_flag("--every-step", request.every_step, "a row for every step instead")
      ->group(output)
      ->excludes(step);
  add("--observe", request.observe, "A,B",
      "quantities or formulas, for example Load.com.x,energy.total", output);
  add("--out", request.out, "DIR", "folder for the results (run/<model name>)", output);

  const char* how = "How to compute it";
  add("--integrator", request.integrator, "NAME",
      "method, see below (dop853; bdf for models with algebraic states)", how);
  add("--rtol", request.rtol, "X", "relative tolerance (model file, or 1e-8)", how);
  add("--atol", request.atol, "X", "absolute tolerance (model file, or 1e-10)", how);
  add("--tolerance", request.tolerances, "GROUP=R,A",
      "of positions, velocities or states alone; may be repeated", how);
  parser
      .add_flag("--control-sensitivities", request.control_sensitivities,
                "the tolerances also hold for the sensitivities")
      ->group(how);
  add("--first-step", request.first_step, "H", "length of the first step (chosen)", how);
  add("--max-step", request.max_step, "H", "longest step (no limit)", how);
  add("--max-steps", request.max_steps, "N", "give up after so many steps (1000000)", how);
  add("--max-order", request.max_order, "K", "of methods of variable order, see below", how);
  add("--hht-alpha", request.hht_alpha, "A", "hht: damping, from 0 (none) to -1/3 (-0.05)", how);
  add("--projection", request.projection, "NORM",
      "onto the constraints: mass (default), euclidean, partition", how);
  add("--projection-tolerance", request.projection_tolerance, "X",
      "largest constraint violation left (1e-12)", how);

  std::string integrators = "Integrators:\n";
  for (const auto& method : integrate::methods()) {
    integrators += fmt::format("  {:<8}{} ({})\n", method.name, method.purpose, method.summary);
  }
  parser.footer(integrators);
}

}  // namespace parfait::app
