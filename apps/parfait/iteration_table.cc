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

std::string iteration_line(const result::Iteration& i) {
  return fmt::format("{:>4} {:>14.8e} {:>11.2e} {:>8.2e} {:>8} {:>8} {:>8} {:>5} {:>8.1e}",
                     i.number, i.objective, i.constraints, i.increment,
                     number_or_dash(i.step, "{:.2e}"), number_or_dash(i.omega, "{:.1e}"),
                     number_or_dash(i.kappa, "{:.1e}"), i.rank, i.condition);
}

const char* iteration_legend() {
  return "Columns of the iteration table (more in docs/fit_results.md):\n"
         "  iter         increments applied before this point\n"
         "  objective    what is minimized; l2: the sum of squared weighted residuals, or -2 log "
         "L\n"
         "  constraints  violation of equations, inequalities and matching conditions\n"
         "  |dx|         length of the scaled increment; converged when below --tol\n"
         "  step         part of the increment that was applied\n"
         "  omega        nonlinearity; |dx| omega well below 1 means fast convergence\n"
         "  kappa        rate of convergence near the solution; 1 or more: no stable minimum\n"
         "  rank, cond   directions that the data determine, and the condition number\n";
}

}  // namespace parfait::app
