#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parfait/report/blocks/diagnostics.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/html.h"
#include "parfait/result/fit.h"

/// The parts of a fit's report, each one section of the page.
namespace parfait::report {

/// A fit and what its blocks have in common.
struct FitView {
  const result::Fit& fit;
  const result::FitTables& tables;
  std::vector<ResidualGroup> groups;  ///< worst first
  std::vector<std::string> names;     ///< of fit.parameters: "offset (run1)"

  bool several_experiments() const { return fit.experiments.size() > 1; }
  /// How far residuals scatter, as a factor of sigma; 1 where it is not known.
  double scatter() const;
  std::string confidence() const;  ///< "95 %"
};
FitView make_view(const result::Fit& fit, const result::FitTables& tables);

/// The name of the column, with the experiment where there are several.
std::string group_name(const FitView& view, const ResidualGroup& group);

/// What a person should know before trusting the numbers, gravest first.
std::vector<Remark> fit_remarks(const FitView& view);

Html verdict_block(const FitView& view, const std::vector<Remark>& remarks);
Html parameters_block(const FitView& view);
Html fitted_block(const FitView& view);
Html residuals_block(const FitView& view);
Html knowledge_block(const FitView& view);
/// Empty: nothing was asked.
Html suggestions_block(const FitView& view);
Html starts_block(const FitView& view);  ///< empty: one start
Html convergence_block(const FitView& view);
Html origin_block(const FitView& view);

}  // namespace parfait::report
