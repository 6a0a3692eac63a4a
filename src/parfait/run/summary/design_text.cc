#include "parfait/run/summary/design_text.h"

#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/run/summary/text_table.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {
namespace design_words {
namespace {

std::string deviation(double sd) {
  return std::isfinite(sd) ? fmt::format("{:.4g}", sd) : "inf";
}

void print_parameters(Words& out, const result::Design& d) {
  TextTable table({"parameter", "value", "sd known", "as given", "as designed"});
  for (const auto& p : d.parameters) {
    table.add({p.id + (p.of_interest ? "" : " (not of interest)"), fmt::format("{:.6g}", p.value),
               deviation(p.sd_known), deviation(p.sd_start), deviation(p.sd_design)});
  }
  out.print("{}", table.text("  "));
}

void print_choice(Words& out, const DesignRun& run) {
  const auto& d = run.result;
  if (!d.choice) return;
  if (d.choice->certified) {
    out.print("  certified: no weights are better by more than {:.1e}, relative\n", d.choice->gap);
  } else {
    out.print("  not certified: {}\n", d.choice->remark);
  }
  out.print("  whole numbers reach {:.4g} % of the best weights\n", 100 * d.choice->efficiency);
  constexpr std::size_t kMost = 30;
  TextTable table({"measure", "t", "weight", "times"});
  std::size_t left = 0;
  for (const auto& s : run.tables.samples) {
    if (!(s.count > 1e-9)) continue;
    if (++left > kMost) continue;
    table.add({s.experiment + ": " + s.label, fmt::format("{:.6g}", s.t),
               fmt::format("{:.4g}", s.weight), fmt::format("{:.4g}", s.count)});
  }
  out.print("{}", table.text("  "));
  if (left > kMost) out.print("  and {} more in samples.csv\n", left - kMost);
}

void print_variables(Words& out, const result::Design& d) {
  if (d.variables.empty()) return;
  constexpr std::size_t kMost = 40;
  TextTable table({"variable", "start", "designed"});
  for (std::size_t i = 0; i < d.variables.size() && i < kMost; ++i) {
    const auto& v = d.variables[i];
    table.add({v.name, fmt::format("{:.6g}", v.start), fmt::format("{:.8g}", v.value)});
  }
  out.print("{}", table.text("  "));
  if (d.variables.size() > kMost) {
    out.print("  and {} more in result.json\n", d.variables.size() - kMost);
  }
}

void print_switching(Words& out, const result::Design& d) {
  if (!d.switching || !d.switching->converged) return;
  const auto& s = *d.switching;
  std::string times;
  for (const double t : s.times) times += fmt::format("{}{:.12g}", times.empty() ? "" : ", ", t);
  out.print("  switches at {} ({} on the switching conditions, residual {:.1e}): {}, {}\n", times,
            base::counted(s.iterations, "Newton step", "Newton steps"), s.residual,
            s.is_minimum ? "a minimum" : "no minimum",
            s.keeps_sign ? "the switching function has no other root"
                         : "the switching function has other roots");
}

}  // namespace
}  // namespace design_words

std::string design_text(const DesignRun& run, const std::filesystem::path& folder) {
  namespace words = design_words;
  Words out;
  const auto& d = run.result;
  out.print("{}: criterion {} of {}{}\n", d.design, d.criterion,
            d.interest.empty() ? "predictions" : base::listing(d.interest),
            d.relative && !d.interest.empty() ? " (relative)" : "");
  words::print_parameters(out, d);
  const auto& m = d.measures;
  out.print("  tr C {:.9g}, ln det M {:.9g}, smallest eigenvalue {:.9g}, tr M {:.9g}\n", m.trace_C,
            m.log_det_M, m.lambda_min, m.trace_M);
  if (d.start) {
    out.print("  the criterion falls by {:.4g} % from the design as it was given\n",
              100 * (1 - std::exp(m.psi - d.start->psi)));
  } else {
    out.print("  as it was given the design does not determine what is of interest\n");
  }
  if (!d.starts.empty()) {
    out.print("  a local optimum: {} of {} reached it\n", d.best_reached,
              base::counted(static_cast<std::int64_t>(d.starts.size()), "start", "starts"));
  }
  words::print_switching(out, d);
  words::print_choice(out, run);
  words::print_variables(out, d);
  for (const auto& warning : d.verdict.warnings) out.print("warning: {}\n", warning);
  if (!folder.empty()) {
    out.print("results in {}: problem_next.xml, samples.csv, report.html, result.json\n",
              folder.string());
  }
  return out.text();
}

}  // namespace parfait::run
