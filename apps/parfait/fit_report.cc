#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit_run.h"
#include "parfait/base/counted.h"
#include "parfait/run/model.h"
#include "text_table.h"

// What a person reads when a fit is over.
namespace parfait::app {
namespace {

using estimate::EstimateResult;
using estimate::FitResult;

/// Above this a p value is no reason to doubt.
constexpr double kDoubtful = 0.01;

std::string short_number(double x) {
  return fmt::format("{:.6g}", x);
}

std::string interval_text(const estimate::Interval& interval) {
  return fmt::format("[{:.5g}, {:.5g}]", interval.low, interval.high);
}

/// Value ± sd, or why there is none.
std::string deviation_text(const estimate::ParameterStatistics& s) {
  switch (s.determined) {
    case estimate::Determined::kAtLower:
      return "at lower bound";
    case estimate::Determined::kAtUpper:
      return "at upper bound";
    case estimate::Determined::kUndetermined:
      return "not determined";
    case estimate::Determined::kByData:
      break;
  }
  return std::isnan(s.sd) ? "" : fmt::format("± {:.2g}", s.sd);
}

/// Long lists are shortened: the first so many.
void print_estimates(const FitResult& result, const std::vector<int>& which, const char* title) {
  if (which.empty()) return;
  constexpr std::size_t kMost = 24;
  TextTable table(
      {title, "value", "", fmt::format("{:g} % interval", 100 * result.scale.confidence), "initial",
       "true", "shift/sd"},
      {0, 2});
  const std::size_t shown = which.size() <= kMost + 1 ? which.size() : kMost;
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& e = result.estimates[static_cast<std::size_t>(which[k])];
    const auto& s = e.statistics;
    const bool has_interval = s.determined == estimate::Determined::kByData && !std::isnan(s.sd);
    table.add({name_of(result, which[k]), short_number(s.value), deviation_text(s),
               has_interval ? interval_text(s.individual) : "", short_number(e.initial),
               e.truth ? short_number(*e.truth) : "",
               e.shift ? fmt::format("{:.1e}", *e.shift) : ""});
  }
  fmt::print("\n{}", table.text("  "));
  if (shown < which.size()) {
    fmt::print("  ... and {} more in parameters.csv\n", which.size() - shown);
  }
}

void print_fit_quality(const FitRun& run) {
  const auto& scale = run.result.scale;
  const char* kind = run.plan.problem.options.linear.norm == estimate::Norm::kL2
                         ? "   sum of squared weighted residuals"
                         : "";
  fmt::print("  objective            {:.8g}{}\n", run.result.objective, kind);
  fmt::print("  degrees of freedom   {}   {} - {} free\n", scale.degrees_of_freedom,
             base::counted(scale.num_data, "measurement", "measurements"), scale.num_free);
  if (scale.sigma_known) {
    if (scale.chi2_p_value) {
      const bool doubtful = *scale.chi2_p_value < kDoubtful;
      fmt::print("  goodness of fit      p = {:.2g}{}\n", *scale.chi2_p_value,
                 doubtful ? "   the model does not explain the data within their sigma" : "");
    }
  } else if (std::isfinite(scale.beta())) {
    fmt::print("  beta                 {:.4g}   residual scatter relative to the stated sigma\n",
               scale.beta());
  }
}

void print_identifiability(const FitResult& result) {
  // A bound takes the place of data: without it, more might be open.
  const auto held = std::ranges::count_if(
      result.estimates, [](const auto& e) { return at_bound(e.statistics.determined); });
  if (held > 0) {
    fmt::print("\n  Deviations are those with {} held at {}.\n",
               base::counted(static_cast<int>(held), "parameter", "parameters"),
               held == 1 ? "its bound" : "their bounds");
  }
  const auto& findings = result.identifiability.findings;
  if (findings.empty()) return;
  fmt::print("\n  {}\n", !result.identifiability.all_determined()
                             ? "What the data cannot determine:"
                         : held > 0 ? "Given these, the data determine all parameters, but:"
                                    : "The data determine all parameters, but:");
  for (const auto& finding : findings) fmt::print("  - {}\n", finding.text);
}

/// Only what speaks against the model; otherwise that nothing does.
void print_residual_analysis(const FitResult& result) {
  std::vector<std::string> doubts;
  for (const auto& experiment : result.experiments) {
    const auto& runs = experiment.runs;
    if (runs.p_value >= kDoubtful) continue;
    doubts.push_back(fmt::format(
        "{}: {} of equal sign where {:.1f} are expected (p = {:.1g}): {}.", experiment.id,
        base::counted(runs.runs, "run", "runs"), runs.expected_runs, runs.p_value,
        runs.runs < runs.expected_runs ? "the model misses a trend" : "the residuals alternate"));
  }
  const auto& normality = result.normality;
  if (normality.valid && normality.p_value < kDoubtful) {
    doubts.push_back(
        fmt::format("not normally distributed (Anderson-Darling A2 = {:.2f}, p = {:.1g}).",
                    normality.statistic, normality.p_value));
  }
  for (const auto& outlier : result.outliers) {
    if (outlier.p_value >= kDoubtful) continue;
    auto left = static_cast<std::size_t>(outlier.index);
    for (const auto& experiment : result.experiments) {
      if (left >= experiment.residuals.size()) {
        left -= experiment.residuals.size();
        continue;
      }
      const auto& r = experiment.residuals[left];
      doubts.push_back(fmt::format(
          "outlier: {} = {:.6g} at {:g}{}, the model says {:.6g} ({:.1f} deviations, p = {:.1g}).",
          r.info.column, r.info.measured, r.info.t,
          result.experiments.size() > 1 ? " of " + experiment.id : "", r.model,
          std::abs(outlier.studentized), outlier.p_value));
      break;
    }
  }
  if (doubts.empty()) {
    fmt::print("\n  Residuals: signs in random order, {}no outliers.\n",
               normality.valid ? fmt::format("normal (p = {:.2g}), ", normality.p_value) : "");
    return;
  }
  fmt::print("\n  Residuals:\n");
  constexpr std::size_t kMost = 10;
  for (std::size_t i = 0; i < std::min(doubts.size(), kMost); ++i) {
    fmt::print("  - {}\n", doubts[i]);
  }
  if (doubts.size() > kMost)
    fmt::print("  - ... and {} more in result.json\n", doubts.size() - kMost);
}

void print_profiles(const FitRun& run) {
  for (const auto& profile : run.profiles) {
    if (profile.interrupted) {
      fmt::print("\n  Profile likelihood of {}: interrupted.\n", profile.parameter);
      continue;
    }
    fmt::print("\n  Profile likelihood of {}: {:g} % interval {}.\n", profile.parameter,
               100 * run.result.scale.confidence, interval_text({profile.low, profile.high}));
  }
}

}  // namespace

void print(const FitRun& run, double seconds) {
  const FitResult& result = run.result;
  fmt::print("\n{} ({:.3g} s)\n", run.message(), seconds);
  if (result.has_values()) {
    const auto order = order_of(result);
    const bool has_residuals = !result.experiments.empty();
    if (has_residuals) print_fit_quality(run);
    print_estimates(result, order.parameters, "parameter");
    print_estimates(result, order.states, "initial state");
    print_profiles(run);
    print_identifiability(result);
    if (has_residuals) print_residual_analysis(result);
  }
  for (const auto& warning : result.warnings) fmt::print("  warning: {}\n", warning);
  fmt::print("\n{}results in {}: result.json, {}timing.json\n", run.complete() ? "" : "partial ",
             run.plan.out.string(), !result.has_values() ? "" : "tables as CSV, ");
}

}  // namespace parfait::app
