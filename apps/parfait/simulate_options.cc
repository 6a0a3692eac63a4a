#include "simulate_options.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "name_list.h"
#include "parfait/base/error.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/text/number.h"
#include "parfait/run/job/settings.h"
#include "run_names.h"

namespace parfait::app {
namespace {

double number_in(const std::string& typed, std::string_view text) {
  const auto number = io::parse_number(io::trimmed(text));
  if (number.kind == io::NumberKind::kNumber) return number.value;
  throw base::InputError(
      fmt::format("--tolerance {}: \"{}\" is not a number.", typed, io::trimmed(text)));
}

/// "velocities=1e-6,1e-8": relative and absolute tolerance of a group of states.
void set_tolerance(const std::string& typed, run::SimulationRequest& request) {
  const auto equals = typed.find('=');
  const auto comma = typed.find(',');
  if (equals == std::string::npos || comma == std::string::npos || comma < equals) {
    throw base::InputError(fmt::format("--tolerance {}: must read group=rtol,atol.", typed));
  }
  const std::string name = typed.substr(0, equals);
  const std::array<std::pair<const char*, std::optional<integrate::Tolerance>*>, 3> groups{
      {{"positions", &request.positions},
       {"velocities", &request.velocities},
       {"states", &request.states}}};
  std::vector<std::string> names;
  for (const auto& [group, tolerance] : groups) {
    names.emplace_back(group);
    if (name != group) continue;
    *tolerance = {.rtol = number_in(typed, typed.substr(equals + 1, comma - equals - 1)),
                  .atol = number_in(typed, typed.substr(comma + 1))};
    return;
  }
  throw base::InputError(fmt::format("--tolerance {}: there is no group \"{}\".{} Groups: {}.",
                                     typed, name, base::suggestion(name, names),
                                     base::listing(names)));
}

}  // namespace

run::SimulationRequest SimulateOptions::complete() const {
  run::SimulationRequest complete = request;
  complete.set = run::parse_settings(set);
  complete.observe = split_names("--observe", observe);
  complete.sensitivity = split_names("--sensitivity", sensitivity);
  for (const auto& typed : tolerances) set_tolerance(typed, complete);
  complete.out = run_folder_of(out, request.file);
  return complete;
}

void add_options(CLI::App& parser, SimulateOptions& options) {
  auto& request = options.request;
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
  add("--set", options.set, "ID=VALUE", "value of a parameter; may be repeated", what);
  add("--coordinates", request.coordinates, "NAME", "of a mechanism: natural or joint (natural)",
      what);
  add("--sensitivity", options.sensitivity, "P,Q",
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
  add("--observe", options.observe, "A,B",
      "quantities or formulas, for example Load.com.x,energy.total", output);
  add("--out", options.out, "DIR", "folder for the results (run/<model name>)", output);

  const char* how = "How to compute it";
  add("--integrator", request.integrator, "NAME",
      "method, see below (dop853; bdf for models with algebraic states)", how);
  add("--rtol", request.rtol, "X", "relative tolerance (model file, or 1e-8)", how);
  add("--atol", request.atol, "X", "absolute tolerance (model file, or 1e-10)", how);
  add("--tolerance", options.tolerances, "GROUP=R,A",
      "of positions, velocities or states alone; may be repeated", how);
  parser
      .add_flag("--control-sensitivities", request.control_sensitivities,
                "the tolerances also hold for the sensitivities")
      ->group(how);
  add("--first-step", request.first_step, "H", "length of the first step (chosen)", how);
  add("--max-step", request.max_step, "H", "longest step (no limit)", how);
  add("--max-steps", request.max_steps, "N", "largest number of steps (1000000)", how);
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
