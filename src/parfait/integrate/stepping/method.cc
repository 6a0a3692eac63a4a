#include "parfait/integrate/stepping/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

// How each method is made. The folders of the methods define these; the table below needs no more
// of them, so that it can stand before them all.
std::unique_ptr<Stepper> make_dop853(Flow& flow, int num_directions);
std::unique_ptr<Stepper> make_dopri5(Flow& flow, int num_directions);
std::unique_ptr<Stepper> make_adams(Flow& flow, int num_directions);
std::unique_ptr<Stepper> make_bdf(Flow& flow, int num_directions);
std::unique_ptr<Stepper> make_hht(Flow& flow, int num_directions);

namespace {

constexpr std::array kMethods{
    MethodInfo{.method = Method::kDop853,
               .name = "dop853",
               .purpose = "everything that is not stiff",
               .summary = "Runge-Kutta of order 8",
               .make = make_dop853},
    MethodInfo{.method = Method::kDopri5,
               .name = "dopri5",
               .purpose = "low accuracy, many events",
               .summary = "Runge-Kutta of order 5",
               .make = make_dopri5},
    MethodInfo{.method = Method::kAbm,
               .name = "abm",
               .purpose = "high accuracy, costly right-hand sides",
               .summary = "Adams-Bashforth-Moulton of order 1 to 12",
               .make = make_adams,
               .max_order = 12},
    // Repeats the times of a record, but not its steps.
    MethodInfo{.method = Method::kBdf,
               .name = "bdf",
               .purpose = "stiff ODEs; DAEs",
               .summary = "backward differentiation of order 1 to 5",
               .make = make_bdf,
               .for_stiff = true,
               .solves_dae = true,
               .can_replay = false,
               .max_order = 5},
    MethodInfo{.method = Method::kHht,
               .name = "hht",
               .purpose = "stiff mechanisms",
               .summary = "Hilber-Hughes-Taylor of order 2, with numerical damping",
               .make = make_hht,
               .for_stiff = true,
               .needs_second_order = true,
               .keeps_constraints = true,
               .has_alpha = true},
};

bool can_integrate(const MethodInfo& method, const dynamics::System& system) {
  return (method.solves_dae || system.sizes().nz == 0) &&
         (!method.needs_second_order || system.second_order());
}

}  // namespace

std::span<const MethodInfo> methods() {
  return kMethods;
}

const MethodInfo& info(Method method) {
  return *std::ranges::find(kMethods, method, &MethodInfo::method);
}

const char* text(Method method) {
  return info(method).name;
}

Method method_of(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& method : kMethods) {
    if (name == method.name) return method.method;
    names.emplace_back(method.name);
  }
  throw base::InputError(fmt::format("integrator \"{}\" does not exist.{} Integrators: {}.", name,
                                     base::suggestion(name, names), base::listing(names)));
}

Method default_method(const dynamics::System& system) {
  for (const auto& method : kMethods) {
    if (can_integrate(method, system)) return method.method;
  }
  return kMethods.front().method;
}

std::string obstacle(Method method, const dynamics::System& system) {
  const MethodInfo& can = info(method);
  if (can_integrate(can, system)) return "";
  if (system.sizes().nz > 0 && !can.solves_dae) {
    return fmt::format("has algebraic states, which only {} can integrate",
                       method_names([](const MethodInfo& m) { return m.solves_dae; }, "and"));
  }
  return fmt::format("is not mechanical. Use {}",
                     method_names([](const MethodInfo& m) { return !m.needs_second_order; }, "or"));
}

std::string method_names(bool (*holds)(const MethodInfo&), std::string_view word) {
  std::vector<std::string> names;
  for (const auto& method : kMethods) {
    if (holds(method)) names.emplace_back(method.name);
  }
  return base::joined(names, word);
}

}  // namespace parfait::integrate
