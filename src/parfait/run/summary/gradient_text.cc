#include "parfait/run/summary/gradient_text.h"

#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {

std::string gradient_text(const GradientRun& run, const std::filesystem::path& folder) {
  Words out;
  const auto& g = run.result;
  out.print("{}: J = {:.15g}, gradient by {}\n", g.problem, g.objective, g.by);
  if (g.costs.size() > 1) {
    for (const auto& cost : g.costs) out.print("  {} {:.15g}\n", cost.name, cost.value);
  }
  const bool checked = g.difference.has_value();
  out.print("{:<24} {:>14} {:>22} {:>12}", "parameter", "value", "dJ/dp", "p/J dJ/dp");
  if (checked) out.print(" {:>22}", "forward");
  out.print("\n");
  for (const auto& e : g.gradient) {
    const std::string relative =
        std::isfinite(e.relative) ? fmt::format("{:.4g}", e.relative) : "-";
    out.print("{:<24} {:>14.6g} {:>22.15g} {:>12}", e.parameter, e.value, e.gradient, relative);
    if (e.forward) out.print(" {:>22.15g}", *e.forward);
    out.print("\n");
  }
  if (checked) {
    out.print("largest difference of {} and forward: {:.1e} of the largest component\n",
              g.by == "continuous" ? g.by : "adjoint", *g.difference);
  }
  out.print("{}, {}", base::counted(g.steps, "step", "steps"),
            base::counted(g.events, "event", "events"));
  if (run.seconds_forward > 0) {
    out.print("; the gradient took {:.3g} times as long as the value alone",
              run.seconds_gradient / run.seconds_forward);
  }
  if (g.tape_bytes > 0) {
    out.print("; {:.3g} MB of states, {}", g.tape_bytes / 1e6,
              g.tape_stride == 1 ? "all kept" : fmt::format("every {}th kept", g.tape_stride));
  }
  out.print("\n");
  for (const auto& warning : g.verdict.warnings) out.print("warning: {}\n", warning);
  if (!folder.empty()) {
    out.print("results in {}: gradient.csv, {}result.json, timing.json\n", folder.string(),
              run.adjoints.empty() ? "" : "adjoint.csv, ");
  }
  return out.text();
}

}  // namespace parfait::run
