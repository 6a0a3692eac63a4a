#include "iteration_table.h"

#include <fmt/format.h>

namespace parfait::app {
namespace {

/// What was not computed at this point (no step was taken, nothing came before) is a dash.
std::string number_or_dash(double x, const char* format) {
  return x == 0 ? "-" : fmt::format(fmt::runtime(format), x);
}

}  // namespace

std::string iteration_header() {
  return fmt::format("{:>4} {:>14} {:>11} {:>8} {:>8} {:>8} {:>8} {:>5} {:>8}", "iter", "objective",
                     "constraints", "|dx|", "step", "omega", "kappa", "rank", "cond");
}

std::string iteration_line(const estimate::Iteration& i) {
  return fmt::format("{:>4} {:>14.8e} {:>11.2e} {:>8.2e} {:>8} {:>8} {:>8} {:>5} {:>8.1e}",
                     i.number, i.objective, i.infeasibility, i.increment,
                     number_or_dash(i.step, "{:.2e}"), number_or_dash(i.omega, "{:.1e}"),
                     number_or_dash(i.kappa, "{:.1e}"), i.rank, i.condition);
}

}  // namespace parfait::app
