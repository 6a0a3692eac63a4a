#include "parfait/report/pages/fit_report.h"

#include <fmt/format.h>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/html/frame.h"

namespace parfait::report {

double FitView::scatter() const {
  return std::isfinite(fit.sigma_scale) && fit.sigma_scale > 0 ? fit.sigma_scale : 1;
}

std::string FitView::confidence() const {
  return fmt::format("{:g} %", 100 * fit.options.confidence);
}

FitView make_view(const result::Fit& fit, const result::FitTables& tables) {
  FitView view{fit, tables, residual_groups(tables.residuals), {}};
  for (const auto& estimate : fit.parameters) {
    view.names.push_back(result::name_of(estimate, false, fit.experiments.size() > 1));
  }
  return view;
}

std::string group_name(const FitView& view, const ResidualGroup& group) {
  const std::string name = group.is_prior() ? group.column + " (prior)" : group.column;
  return view.several_experiments() ? group.experiment + ": " + name : name;
}

std::string fit_report(const result::Fit& fit, const result::FitTables& tables,
                       const result::Scenes& scenes, Liveness liveness) {
  const FitView view = make_view(fit, tables);
  const auto remarks = fit_remarks(view);
  Frame frame("Fit of " + fit.problem, verdict_block(view, remarks));
  frame.add("findings", "Findings", remarks_block(remarks, !view.fit.verdict.partial));
  frame.add("parameters", "Parameters", parameters_block(view));
  frame.add("fit", "Observed and fitted", fitted_block(view));
  frame.add("residuals", "Residuals", residuals_block(view));
  frame.add("knowledge", "How well the parameters are known", knowledge_block(view));
  if (const Html table = suggestions_block(view); !table.empty()) {
    frame.add("suggestions", "Which experiment would help?", table);
  }
  if (fit.starts) frame.add("starts", "Many starts", starts_block(view));
  frame.add("convergence", "Convergence", convergence_block(view));
  if (const Html motion = motion_block(scenes, liveness); !motion.empty()) {
    frame.add("motion", "Motion", motion);
  }
  frame.add("origin", "How it was made", origin_block(view));
  return finished(frame.page(), scenes, liveness);
}

}  // namespace parfait::report
