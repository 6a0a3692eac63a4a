#include "parfait/integrate/options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "parfait/base/error.h"

namespace parfait::integrate {
namespace {

constexpr std::array<std::pair<Method, const char*>, 5> kMethods{{{Method::kDop853, "dop853"},
                                                                  {Method::kDopri5, "dopri5"},
                                                                  {Method::kAbm, "abm"},
                                                                  {Method::kBdf, "bdf"},
                                                                  {Method::kHht, "hht"}}};

void require(bool holds, const char* name, double value, const char* rule) {
  if (!holds) throw base::InputError(fmt::format("{} = {:g}: must be {}.", name, value, rule));
}

void check_tolerance(double rtol, double atol) {
  require(rtol > 0 && rtol < 1, "rtol", rtol, "> 0 and < 1");
  require(atol > 0 && std::isfinite(atol), "atol", atol, "> 0");
}

}  // namespace

const char* text(Method method) {
  for (const auto& [m, name] : kMethods) {
    if (m == method) return name;
  }
  return "unknown";
}

Method method_of(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [m, known] : kMethods) {
    if (name == known) return m;
    names.emplace_back(known);
  }
  throw base::InputError(fmt::format("integrator \"{}\" does not exist.{} Integrators: {}.", name,
                                     base::suggestion(std::string(name), names),
                                     base::listing(names)));
}

void check_options(const Options& o) {
  check_tolerance(o.rtol, o.atol);
  for (const auto& group : {o.positions, o.velocities, o.externals}) {
    if (group) check_tolerance(group->rtol, group->atol);
  }
  require(o.first_step >= 0 && std::isfinite(o.first_step), "first_step", o.first_step,
          ">= 0 (0: chosen from the problem)");
  require(o.max_step >= 0 && std::isfinite(o.max_step), "max_step", o.max_step,
          ">= 0 (0: no limit)");
  require(o.max_steps > 0, "max_steps", o.max_steps, "> 0");
  require(o.projection_tolerance > 0, "projection_tolerance", o.projection_tolerance, "> 0");
  require(o.max_order >= 1 && o.max_order <= 12, "max_order", o.max_order, "1 to 12");
  require(o.hht_alpha >= -1.0 / 3 && o.hht_alpha <= 0, "hht_alpha", o.hht_alpha, "in [-1/3, 0]");
  require(o.max_events > 0, "max_events", o.max_events, "> 0");
}

}  // namespace parfait::integrate
