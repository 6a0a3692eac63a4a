#include <fmt/format.h>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/html/numbers.h"

// How a fit was made.
namespace parfait::report {
namespace {

std::vector<NamedCell> fit_option_cells(const result::FitOptions& o) {
  const auto yes = [](bool on) { return text(on ? "yes" : "no"); };
  std::vector<NamedCell> cells = {{"globalization", text(o.globalization)},
                                  {"back_projection", yes(o.back_projection)},
                                  {"tol", number(o.tol)},
                                  {"norm", text(o.norm)}};
  if (o.max_iterations) cells.push_back({"max_iterations", count(*o.max_iterations)});
  if (o.convergence) cells.push_back({"convergence", text(*o.convergence)});
  if (o.huber_gamma) cells.push_back({"huber_gamma", number(*o.huber_gamma)});
  cells.push_back({"condensing", text(o.condensing)});
  cells.push_back({"reduction", text(o.reduction)});
  cells.push_back({"relaxation", text(o.relaxation)});
  if (o.relaxation_rate) cells.push_back({"relaxation_rate", number(*o.relaxation_rate)});
  if (o.relaxation_factor) cells.push_back({"relaxation_factor", number(*o.relaxation_factor)});
  cells.push_back({"projection", text(o.projection)});
  cells.push_back({"consistent", yes(o.consistent)});
  cells.push_back({"integrator", text(o.integrator)});
  cells.push_back({"rtol", number(o.rtol)});
  cells.push_back({"atol", number(o.atol)});
  cells.push_back({"sigma", text(o.sigma)});
  cells.push_back({"confidence", number(o.confidence)});
  cells.push_back({"certify", yes(o.certify)});
  for (const auto& set : o.set) cells.push_back({"set", text(set)});
  for (const auto& fix : o.fix) cells.push_back({"fix", text(fix)});
  if (o.start) cells.push_back({"start", text(*o.start)});
  return cells;
}

}  // namespace

Html origin_block(const FitView& view) {
  const auto& fit = view.fit;
  Html content = command_block(fit.verdict.origin);
  content += element("p", fmt::format("Parfait {}. {}", fit.verdict.version, fit.convention));
  content += files_block(fit.verdict.origin);
  Html tables = name_table("Options", fit_option_cells(fit.options));
  tables += name_table("Work", {{"evaluations", count(fit.work.evaluations)},
                                {"linearizations", count(fit.work.linearizations)},
                                {"steps", count(fit.work.steps)},
                                {"right-hand sides", count(fit.work.right_hand_sides)},
                                {"directions", count(fit.work.directions)}});
  return content + side_by_side(tables);
}

}  // namespace parfait::report
