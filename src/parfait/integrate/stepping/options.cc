#include "parfait/integrate/stepping/options.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/base/error.h"

namespace parfait::integrate {
namespace {

void require(bool holds, const char* name, double value, const char* rule) {
  if (!holds) throw base::InputError(fmt::format("{} = {:g}: must be {}.", name, value, rule));
}

void check_tolerance(double rtol, double atol) {
  require(rtol > 0 && rtol < 1, "rtol", rtol, "> 0 and < 1");
  require(atol > 0 && std::isfinite(atol), "atol", atol, "> 0");
}

}  // namespace

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
