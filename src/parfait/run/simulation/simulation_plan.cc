#include "parfait/run/simulation/simulation_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "parfait/base/error.h"
#include "parfait/run/simulation/recorder.h"

namespace parfait::run {
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

/// A tolerance of a group of states that the model does not have is a mistake.
std::optional<integrate::Tolerance> tolerance_of(
    const char* group, const std::optional<integrate::Tolerance>& requested, int size) {
  if (requested && size == 0) {
    throw base::InputError(fmt::format("--tolerance {}={:g},{:g}: the model has no {}.", group,
                                       requested->rtol, requested->atol, group));
  }
  return requested;
}

/// An option that the method or the model would ignore is a mistake.
void refuse_unused(const SimulationRequest& request, const Model& model, Method method) {
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

Options make_options(const SimulationRequest& request, const Model& model) {
  Options options;
  const auto& defaults = model.simulation;
  const auto& name = request.integrator.empty() ? defaults.integrator : request.integrator;
  const auto& sizes = model.system->sizes();
  options.method =
      name.empty() ? integrate::default_method(*model.system) : integrate::method_of(name);
  refuse_unused(request, model, options.method);
  options.rtol = request.rtol.value_or(defaults.rtol.value_or(options.rtol));
  options.atol = request.atol.value_or(defaults.atol.value_or(options.atol));
  options.scale_atol = !request.atol && !defaults.atol;
  options.positions = tolerance_of("positions", request.positions, sizes.nq);
  options.velocities = tolerance_of("velocities", request.velocities, sizes.nv);
  options.externals = tolerance_of("states", request.states, sizes.ne);
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

const char* norm_name(dynamics::Norm norm) {
  for (const auto& [known, name] : kNorms) {
    if (known == norm) return name;
  }
  return "unknown";
}

/// Each column once, and no more numbers than fit into memory.
void check_columns(const SimulationRequest& request, const SimulationPlan& plan) {
  const std::string where = request.observe.empty() ? "<output>" : "--observe";
  std::set<std::string> seen;
  for (const auto& name : plan.quantities) {
    if (name == "t") {
      throw base::InputError(where + " t: the time is the first column of every trajectory.");
    }
    if (!seen.insert(name).second) {
      throw base::InputError(fmt::format("{} {}: is given twice.", where, name));
    }
  }
  constexpr double kMost = 2e8;
  const double columns = static_cast<double>(plan.quantities.size()) *
                         static_cast<double>(1 + plan.sensitivities.size());
  if (static_cast<double>(plan.times.size()) * columns > kMost) {
    throw base::InputError(fmt::format(
        "{} rows of {:.0f} columns are more than the {:.0f} numbers that are kept. Use a "
        "larger --step, or --observe fewer quantities.",
        plan.times.size(), columns, kMost));
  }
}

}  // namespace

SimulationPlan make_plan(const SimulationRequest& request, const Model& model) {
  SimulationPlan plan;
  const auto& defaults = model.simulation;
  plan.until = request.until.value_or(defaults.until.value_or(kDefaultUntil));
  plan.step = request.step.value_or(defaults.step.value_or(plan.until / kDefaultIntervals));
  plan.times = make_grid(plan.until, plan.step);
  if (request.every_step) {
    plan.step = 0;
    plan.times.clear();
  }
  plan.options = make_options(request, model);
  plan.quantities = request.observe;
  if (plan.quantities.empty()) plan.quantities = defaults.outputs;
  if (plan.quantities.empty()) plan.quantities = model.default_quantities;
  plan.sensitivities = request.sensitivity;
  check_columns(request, plan);
  plan.settle = request.settle;
  return plan;
}

result::SimulationOptions options_of(const SimulationPlan& plan) {
  const auto& o = plan.options;
  const auto tolerance = [](const std::optional<integrate::Tolerance>& group) {
    using Tolerance = result::SimulationOptions::Tolerance;
    return group ? std::optional(Tolerance{group->rtol, group->atol}) : std::nullopt;
  };
  const auto if_set = [](double x) { return x > 0 ? std::optional(x) : std::nullopt; };
  result::SimulationOptions out;
  out.integrator = integrate::text(o.method);
  out.until = plan.until;
  if (!plan.times.empty()) out.step = plan.step;
  out.rtol = o.rtol;
  out.atol = o.atol;
  out.positions = tolerance(o.positions);
  out.velocities = tolerance(o.velocities);
  out.states = tolerance(o.externals);
  out.first_step = if_set(o.first_step);
  out.max_step = if_set(o.max_step);
  out.max_steps = o.max_steps;
  const auto& can = integrate::info(o.method);
  if (can.max_order > 0) out.max_order = std::min(o.max_order, can.max_order);
  if (can.has_alpha) out.hht_alpha = o.hht_alpha;
  out.projection = norm_name(o.projection);
  out.projection_tolerance = o.projection_tolerance;
  out.control_sensitivities = o.control_sensitivities;
  out.settle = plan.settle;
  out.observe = plan.quantities;
  out.sensitivity = plan.sensitivities;
  return out;
}

}  // namespace parfait::run
