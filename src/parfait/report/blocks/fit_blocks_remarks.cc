#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/html/numbers.h"

// The verdict on a fit and what there is to say about it, in words.
namespace parfait::report {
namespace {

constexpr double kUnlikely = 0.01;       ///< p values below this speak against a claim
constexpr double kCorrelated = 0.95;     ///< |rho| above this is worth a remark
constexpr double kShifted = 0.1;         ///< sd: the integrator is not careful enough
constexpr double kIncompatible = 0.8;    ///< kappa near 1: slow, and the minimum hardly stable
constexpr std::size_t kMostRemarks = 8;  ///< of one kind

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return out;
}

/// "a, b and 7 others".
std::string joined_some(std::vector<std::string> names) {
  constexpr std::size_t kMostNames = 6;
  if (names.size() <= kMostNames + 1) return joined(names);
  const std::size_t others = names.size() - kMostNames;
  names.resize(kMostNames);
  names.push_back(fmt::format("{} others", others));
  return joined(names);
}

bool is_sentence(const std::string& text) {
  return !text.empty() && std::string_view(".!?").find(text.back()) != std::string_view::npos;
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  return is_sentence(text) ? text : text + ".";
}

/// How many parameters and initial states there are with this field `determined`.
int determined_count(const result::Fit& fit) {
  return static_cast<int>(
      std::count_if(fit.parameters.begin(), fit.parameters.end(), [](const auto& estimate) {
        return estimate.determined == "by_data" && std::isfinite(estimate.sd);
      }));
}

void add_bounds(const FitView& view, std::vector<Remark>& remarks) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < view.fit.parameters.size(); ++i) {
    if (view.fit.parameters[i].at_bound()) names.push_back(view.names[i]);
  }
  if (names.empty()) return;
  remarks.push_back({Weight::kDoubt,
                     fmt::format("{} {} at a bound: the data pull further, and no ± can be given.",
                                 joined_some(names), names.size() == 1 ? "is" : "are"),
                     "parameters"});
}

void add_undetermined(const FitView& view, std::vector<Remark>& remarks) {
  for (const auto& finding : view.fit.identifiability.findings) {
    const bool correlated = finding.kind == "correlated";
    remarks.push_back(
        {correlated ? Weight::kDoubt : Weight::kBad, sentence(finding.text), "knowledge"});
  }
}

void add_correlations(const FitView& view, std::vector<Remark>& remarks) {
  // Those that the findings have already named are left out.
  std::vector<std::string> pairs;
  for (const auto& pair : strongest_pairs(view.fit.correlation, 200)) {
    if (std::abs(pair.correlation) <= kCorrelated) break;
    const auto &a = view.names[pair.i], &b = view.names[pair.j];
    const bool known =
        std::any_of(view.fit.identifiability.findings.begin(),
                    view.fit.identifiability.findings.end(), [&](const auto& finding) {
                      const auto has = [&](const std::string& name) {
                        return std::find(finding.parameters.begin(), finding.parameters.end(),
                                         name) != finding.parameters.end();
                      };
                      return has(a) && has(b);
                    });
    if (!known) pairs.push_back(fmt::format("{} and {} ({:.3f})", a, b, pair.correlation));
  }
  if (pairs.empty()) return;
  remarks.push_back({Weight::kDoubt,
                     "The data determine these parameters hardly one without the other "
                     "(correlation): " +
                         joined_some(pairs) + ".",
                     "knowledge"});
}

void add_residuals(const FitView& view, std::vector<Remark>& remarks) {
  std::vector<std::string> trends;
  for (const auto& experiment : view.fit.experiments) {
    if (experiment.runs.p_value < kUnlikely) {
      trends.push_back(
          fmt::format("{} (p = {})", experiment.id, rounded(experiment.runs.p_value, 2)));
    }
  }
  if (!trends.empty()) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("The signs of the residuals are not in random order in {}: the "
                                   "model misses something there, or follows the noise.",
                                   joined_some(trends)),
                       "residuals"});
  }
  if (view.fit.normality && view.fit.normality->p_value < kUnlikely) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("The residuals are not normally distributed (p = {}): intervals "
                                   "are approximate.",
                                   rounded(view.fit.normality->p_value, 2)),
                       "residuals"});
  }
  std::vector<std::string> outliers;
  for (const auto& outlier : view.fit.outliers) {
    if (outlier.p_value >= kUnlikely) continue;
    const auto where = view.several_experiments() ? outlier.experiment + ": " : "";
    outliers.push_back(fmt::format("{}{} at t = {}", where, outlier.column, rounded(outlier.t)));
  }
  if (!outliers.empty()) {
    remarks.push_back(
        {Weight::kDoubt,
         fmt::format("{} not fit the others (p < {:g}): {}.",
                     outliers.size() == 1 ? "One measurement does"
                                          : fmt::format("{} measurements do", outliers.size()),
                     kUnlikely, joined_some(outliers)),
         "residuals"});
  }
  if (view.fit.chi2_p_value && *view.fit.chi2_p_value < kUnlikely) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("With the sigma that was given the model does not explain the "
                                   "data (chi-squared test, p = {}).",
                                   rounded(*view.fit.chi2_p_value, 2)),
                       "residuals"});
  }
}

void add_iteration(const FitView& view, std::vector<Remark>& remarks) {
  if (!view.fit.history.empty()) {
    const double kappa = view.fit.history.back().kappa;
    if (kappa >= 1) {
      remarks.push_back({Weight::kBad,
                         fmt::format("κ = {} at the end is not below 1: the point may not be a "
                                     "stable minimum, residuals are too large for the curvature "
                                     "of the model.",
                                     rounded(kappa, 3)),
                         "convergence"});
    } else if (kappa > kIncompatible) {
      remarks.push_back({Weight::kDoubt,
                         fmt::format("κ = {} at the end is near 1: convergence is slow because "
                                     "residuals are large for the curvature of the model.",
                                     rounded(kappa, 3)),
                         "convergence"});
    }
  }
  std::vector<std::string> shifted;
  for (std::size_t i = 0; i < view.fit.parameters.size(); ++i) {
    const auto& shift = view.fit.parameters[i].shift;
    if (shift && std::abs(*shift) > kShifted) {
      shifted.push_back(fmt::format("{} ({} sd)", view.names[i], rounded(*shift, 2)));
    }
  }
  if (!shifted.empty()) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("A more careful integrator moves {}: tighten rtol and atol.",
                                   joined_some(shifted)),
                       "parameters"});
  }
}

void add_profiles(const FitView& view, std::vector<Remark>& remarks) {
  for (const auto& profile : view.fit.profiles) {
    const bool open = std::isinf(profile.interval.low) || std::isinf(profile.interval.high);
    if (open && !profile.interrupted) {
      remarks.push_back(
          {Weight::kDoubt,
           fmt::format("The profile of {} stays below its threshold on {}: its "
                       "interval is open.",
                       profile.parameter,
                       std::isinf(profile.interval.low) && std::isinf(profile.interval.high)
                           ? "both sides"
                           : "one side"),
           "knowledge"});
    } else if (profile.interrupted) {
      remarks.push_back({Weight::kDoubt,
                         fmt::format("The profile of {} was interrupted.", profile.parameter),
                         "knowledge"});
    }
  }
}

/// What helps where a fit did not come to its end.
std::string advice_for(const std::string& status) {
  if (status == "max_iterations") {
    return "What to do: start from here with --start result.json, or raise max_iterations.";
  }
  if (status == "step_too_small") {
    return "What to do: begin nearer to the solution, give bounds to parameters that run away, or "
           "use "
           "more intervals in <grid>.";
  }
  if (status == "integration_failed") {
    return "What to do: look at the first guess with parfait simulate, give bounds that keep the "
           "model meaningful, or use more intervals in <grid>.";
  }
  if (status == "linear_problem_failed") {
    return "What to do: look for requirements or bounds that contradict each other.";
  }
  if (status == "interrupted") {
    return "The values are those of the last point. Go on with --start result.json.";
  }
  return "";
}

std::string converged_sentence(const FitView& view) {
  const int total = static_cast<int>(view.fit.parameters.size());
  if (total == 0 && !view.fit.initial_states.empty()) {
    return fmt::format("No parameter was free; {} estimated.",
                       view.fit.initial_states.size() == 1
                           ? "one initial state was"
                           : fmt::format("{} initial states were", view.fit.initial_states.size()));
  }
  if (total == 0) {
    return "The model was evaluated at fixed values: there was nothing to estimate.";
  }
  const int determined = determined_count(view.fit);
  std::string text =
      determined == total
          ? (total == 1 ? std::string("The parameter is determined by the data")
                        : fmt::format("All {} parameters are determined by the data", total))
          : fmt::format("{} of {} parameters are determined by the data", determined, total);
  if (std::isfinite(view.fit.sigma_scale)) {
    text += fmt::format(", and residuals scatter {} times their stated sigma",
                        rounded(view.fit.sigma_scale, 3));
  }
  return text + ".";
}

}  // namespace

std::vector<Remark> fit_remarks(const FitView& view) {
  std::vector<Remark> remarks;
  for (const auto& warning : view.fit.verdict.warnings) {
    remarks.push_back({Weight::kDoubt, sentence(warning), ""});
  }
  add_undetermined(view, remarks);
  add_bounds(view, remarks);
  add_iteration(view, remarks);
  add_correlations(view, remarks);
  add_residuals(view, remarks);
  add_profiles(view, remarks);
  std::stable_sort(remarks.begin(), remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.weight > b.weight; });
  if (remarks.size() > 3 * kMostRemarks) {
    const std::size_t more = remarks.size() - 3 * kMostRemarks;
    remarks.resize(3 * kMostRemarks);
    remarks.push_back(
        {Weight::kDoubt, fmt::format("{} more remarks are in result.json.", more), ""});
  }
  return remarks;
}

Html verdict_block(const FitView& view, const std::vector<Remark>& remarks) {
  const auto& fit = view.fit;
  const bool converged = fit.verdict.status == "converged";
  const bool doubtful = std::any_of(remarks.begin(), remarks.end(),
                                    [](const Remark& r) { return r.weight != Weight::kGood; });
  const int total = static_cast<int>(fit.parameters.size());
  const bool undetermined =
      std::any_of(fit.parameters.begin(), fit.parameters.end(),
                  [](const auto& estimate) { return estimate.determined == "undetermined"; });

  const Weight weight = !converged                 ? Weight::kBad
                        : undetermined || doubtful ? Weight::kDoubt
                                                   : Weight::kGood;
  std::string word = converged ? "Converged." : "Not converged.";
  if (fit.verdict.status == "interrupted") word = "Interrupted.";
  if (converged && total == 0 && fit.initial_states.empty()) word = "Evaluated.";
  const std::string said =
      converged ? converged_sentence(view) : sentence(reason_of(fit.verdict.message));

  std::vector<Fact> facts;
  const bool by_likelihood = fit.likelihood && fit.likelihood->is_objective;
  const bool has_residuals = fit.measurements.value_or(1) > 0;
  if (std::isfinite(fit.sigma_scale) && !by_likelihood && has_residuals) {
    facts.push_back(
        {"β", number(fit.sigma_scale, 4), "residual scatter relative to the stated sigma"});
  }
  if (fit.has_values() && total > 0) {
    facts.push_back({"determined",
                     count(determined_count(fit)) + text(fmt::format(" of {}", total)),
                     "parameters that the data determine"});
  }
  if (std::isfinite(fit.objective)) {
    facts.push_back({"objective", number(fit.objective),
                     by_likelihood              ? "−2 log of likelihood and priors"
                     : fit.options.norm == "l2" ? "sum of squared weighted residuals"
                                                : "of the norm " + fit.options.norm});
  }
  if (fit.likelihood && std::isfinite(fit.likelihood->log_likelihood)) {
    facts.push_back({"log-likelihood", number(fit.likelihood->log_likelihood, 7),
                     fmt::format("AIC {:.6g}, BIC {:.6g} with {} parameters", fit.likelihood->aic,
                                 fit.likelihood->bic, fit.likelihood->parameters)});
  }
  if (fit.measurements && fit.degrees_of_freedom && has_residuals) {
    facts.push_back(
        {"degrees of freedom", count(*fit.degrees_of_freedom),
         fmt::format("{} measurements − {} free", *fit.measurements, fit.free.value_or(0))});
  }
  facts.push_back(
      {"iterations", count(fit.iterations), counted(fit.evaluations, "evaluation", "evaluations")});
  return verdict_box(weight, word, said, advice_for(fit.verdict.status), facts);
}

}  // namespace parfait::report
