#include "parfait/run/summary/fit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/run/summary/starts_text.h"
#include "parfait/run/summary/text_table.h"
#include "parfait/run/summary/words.h"

// What a person reads when a fit is over.
namespace parfait::run {
namespace {

using base::counted;
using result::Fit;

/// Above this a p value is no reason to doubt.
constexpr double kDoubtful = 0.01;

std::string short_number(double x) {
  return fmt::format("{:.6g}", x);
}

std::string interval_text(const result::Interval& interval) {
  return fmt::format("[{:.5g}, {:.5g}]", interval.low, interval.high);
}

/// Value ± sd, or why there is none.
std::string deviation_text(const result::Estimate& e) {
  if (e.determined == "at_lower") return "at lower bound";
  if (e.determined == "at_upper") return "at upper bound";
  if (e.determined == "undetermined") return "not determined";
  return std::isnan(e.sd) ? "" : fmt::format("± {:.2g}", e.sd);
}

/// Long lists are shortened: the first so many.
void print_estimates(Words& out, const Fit& fit, const std::vector<result::Estimate>& estimates,
                     const char* title, bool are_states) {
  if (estimates.empty()) return;
  constexpr std::size_t kMostEstimates = 24;
  TextTable table({title, "value", "", fmt::format("{:g} % interval", 100 * fit.options.confidence),
                   "initial", "true", "shift/sd"},
                  {0, 2});
  const bool several = fit.experiments.size() > 1;
  const std::size_t shown =
      estimates.size() <= kMostEstimates + 1 ? estimates.size() : kMostEstimates;
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& e = estimates[k];
    const bool has_interval = e.determined == "by_data" && !std::isnan(e.sd);
    table.add({name_of(e, are_states, several), short_number(e.value), deviation_text(e),
               has_interval ? interval_text(e.individual) : "", short_number(e.initial),
               e.truth ? short_number(*e.truth) : "",
               e.shift ? fmt::format("{:.1e}", *e.shift) : ""});
  }
  out.print("\n{}", table.text("  "));
  if (shown < estimates.size()) {
    out.print("  ... and {} more in parameters.csv\n", estimates.size() - shown);
  }
}

void print_fit_quality(Words& out, const Fit& fit) {
  const bool by_likelihood = fit.likelihood && fit.likelihood->is_objective;
  const char* kind = by_likelihood              ? "   -2 log(likelihood and priors)"
                     : fit.options.norm == "l2" ? "   sum of squared weighted residuals"
                                                : "";
  out.print("  objective            {:.8g}{}\n", fit.objective, kind);
  out.print("  degrees of freedom   {}   {} - {} free\n", *fit.degrees_of_freedom,
            counted(*fit.measurements, "measurement", "measurements"), *fit.free);
  if (by_likelihood) {
    out.print("  log-likelihood       {:.10g}   AIC {:.6g}, BIC {:.6g} ({})\n",
              fit.likelihood->log_likelihood, fit.likelihood->aic, fit.likelihood->bic,
              counted(fit.likelihood->parameters, "parameter", "parameters"));
  }
  if (fit.options.sigma == "known") {
    if (fit.chi2_p_value) {
      const bool doubtful = *fit.chi2_p_value < kDoubtful;
      out.print("  goodness of fit      p = {:.2g}{}\n", *fit.chi2_p_value,
                doubtful ? "   the model does not explain the data within their sigma" : "");
    }
  } else if (std::isfinite(fit.sigma_scale)) {
    out.print("  beta                 {:.4g}   residual scatter relative to the stated sigma\n",
              fit.sigma_scale);
  }
}

/// "Of 5 parameters 2 are determined, 2 only in combination, 1 without influence."
void print_classes(Words& out, const Fit& fit) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kWords = {
      {{"determined", "determined"},
       {"at_bound", "at a bound"},
       {"combination", "only in combination"},
       {"practically_undetermined", "practically undetermined"},
       {"no_influence", "without influence"}}};
  const auto is_determined = [](const auto& e) { return e.identifiability == "determined"; };
  if (std::ranges::all_of(fit.parameters, is_determined)) return;
  std::string list;
  for (const auto& [key, words] : kWords) {
    const auto count =
        std::ranges::count(fit.parameters, std::string(key), &result::Estimate::identifiability);
    if (count > 0) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, words);
  }
  if (list.empty() || fit.parameters.size() < 2) return;
  out.print("  Of {} parameters: {}.\n", fit.parameters.size(), list);
}

void print_identifiability(Words& out, const Fit& fit) {
  // A bound takes the place of data: without it, more might be open.
  const auto held =
      std::ranges::count_if(fit.parameters, [](const auto& e) { return e.at_bound(); }) +
      std::ranges::count_if(fit.initial_states, [](const auto& e) { return e.at_bound(); });
  if (held > 0) {
    out.print("\n  Deviations are those with {} held at {}.\n",
              counted(held, "parameter", "parameters"), held == 1 ? "its bound" : "their bounds");
  }
  const auto& findings = fit.identifiability.findings;
  if (findings.empty()) return;
  out.print("\n  {}\n", !fit.identifiability.all_determined ? "What the data cannot determine:"
                        : held > 0 ? "Given these, the data determine all parameters, but:"
                                   : "The data determine all parameters, but:");
  for (const auto& finding : findings) {
    out.print("  - {}\n", finding.text);
    constexpr std::size_t kMostEffects = 4;
    for (std::size_t i = 0; i < std::min(kMostEffects, finding.effects.size()); ++i) {
      out.print("    no measurement changes along {}\n", finding.effects[i]);
    }
    if (!finding.advice.empty() && finding.kind != "no_influence") {
      out.print("    {}\n", finding.advice);
    }
  }
  print_classes(out, fit);
  const auto& fixing = fit.identifiability.fixing;
  if (findings.size() > 1 && !fixing.empty()) {
    std::string names;
    for (const auto& name : fixing) names += (names.empty() ? "" : ",") + name;
    out.print("  {} fixed would determine all others: {}\n",
              counted(static_cast<std::int64_t>(fixing.size()), "parameter", "parameters"), names);
  }
}

/// What more could be measured.
void print_suggestions(Words& out, const Fit& fit) {
  if (fit.suggestions.empty()) return;
  const auto deviation = [](double sd) {
    return std::isfinite(sd) ? fmt::format("{:.3g}", sd) : std::string("inf");
  };
  out.print(
      "\n  Which experiment would help? The worst deviation, relative to the value, is {} now:\n",
      deviation(fit.suggestions.front().worst_before));
  TextTable table({"candidate", "worst sd", "of", "undetermined"}, {0, 2});
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(kMost, fit.suggestions.size()); ++i) {
    const auto& s = fit.suggestions[i];
    table.add({(fit.experiments.size() > 1 ? s.experiment + ": " : "") + s.what,
               deviation(s.worst_after), s.worst,
               s.undetermined > 0 ? fmt::format("{}", s.undetermined) : ""});
  }
  out.print("{}", table.text("    "));
  if (fit.suggestions.size() > kMost) {
    out.print("    and {} more in result.json\n", fit.suggestions.size() - kMost);
  }
}

/// Only what speaks against the model; otherwise that nothing does.
void print_residual_analysis(Words& out, const Fit& fit) {
  std::vector<std::string> doubts;
  for (const auto& experiment : fit.experiments) {
    const auto& runs = experiment.runs;
    if (runs.p_value >= kDoubtful) continue;
    doubts.push_back(fmt::format(
        "{}: {} of equal sign where {:.1f} are expected (p = {:.1g}): {}.", experiment.id,
        counted(runs.runs, "run", "runs"), runs.expected, runs.p_value,
        runs.runs < runs.expected ? "the model misses a trend" : "the residuals alternate"));
  }
  if (fit.normality && fit.normality->p_value < kDoubtful) {
    doubts.push_back(
        fmt::format("not normally distributed (Anderson-Darling A2 = {:.2f}, p = {:.1g}).",
                    fit.normality->statistic, fit.normality->p_value));
  }
  for (const auto& outlier : fit.outliers) {
    if (outlier.p_value >= kDoubtful) continue;
    doubts.push_back(fmt::format(
        "outlier: {} = {:.6g} at {:g}{}, the model says {:.6g} ({:.1f} deviations, p = {:.1g}).",
        outlier.column, outlier.measured, outlier.t,
        fit.experiments.size() > 1 ? " of " + outlier.experiment : "", outlier.model,
        std::abs(outlier.studentized), outlier.p_value));
  }
  // No order of five signs is rare, and outliers are looked for from six degrees of freedom on.
  constexpr int kFewest = 6;
  if (doubts.empty() && fit.degrees_of_freedom < kFewest) {
    out.print("\n  Residuals: too few to say anything of their order, distribution or outliers.\n");
    return;
  }
  if (doubts.empty()) {
    out.print("\n  Residuals: signs in random order, {}no outliers.\n",
              fit.normality ? fmt::format("normal (p = {:.2g}), ", fit.normality->p_value) : "");
    return;
  }
  out.print("\n  Residuals:\n");
  constexpr std::size_t kMostDoubts = 10;
  for (std::size_t i = 0; i < std::min(doubts.size(), kMostDoubts); ++i) {
    out.print("  - {}\n", doubts[i]);
  }
  if (doubts.size() > kMostDoubts) {
    out.print("  - ... and {} more in result.json\n", doubts.size() - kMostDoubts);
  }
}

void print_profiles(Words& out, const Fit& fit) {
  for (const auto& profile : fit.profiles) {
    if (profile.interrupted) {
      out.print("\n  Profile likelihood of {}: interrupted.\n", profile.parameter);
      continue;
    }
    out.print("\n  Profile likelihood of {}: {:g} % interval {}.\n", profile.parameter,
              100 * fit.options.confidence, interval_text(profile.interval));
    const auto explain = [&](const std::string& end, const char* side) {
      if (end == "bound") {
        out.print("    {}: the bound; the objective stays below the threshold up to it.\n", side);
      } else if (end == "open") {
        out.print("    {}: open; the objective stays below the threshold however far one goes.\n",
                  side);
      } else if (end == "failed") {
        out.print("    {}: not found; {}.\n", side, profile.why);
      }
    };
    explain(profile.low_end, "below");
    explain(profile.high_end, "above");
  }
}

}  // namespace

std::string problem_line(const result::ProblemFacts& facts) {
  Words out;
  std::int64_t shared = 0, locals = 0, states = 0;
  for (const auto& parameter : facts.parameters) ++(parameter.experiment ? locals : shared);
  for (const auto& experiment : facts.experiments) states += experiment.free_initial;
  out.print(
      "{}: {}, {}, {}", facts.problem,
      counted(static_cast<std::int64_t>(facts.experiments.size()), "experiment", "experiments"),
      counted(facts.measurements, "measurement", "measurements"),
      counted(shared, "parameter", "parameters"));
  if (locals > 0) out.print(", {} of single experiments", locals);
  if (states > 0) out.print(", {}", counted(states, "initial state", "initial states"));
  out.print("\n\n");
  return out.text();
}

std::string fit_text(const FitRun& run, const std::filesystem::path& folder) {
  Words out;
  const Fit& fit = run.result;
  out.print("\n{} ({:.3g} s)\n", fit.verdict.message, run.timing.total());
  if (fit.has_values()) {
    const bool has_residuals = !fit.experiments.empty();
    if (has_residuals) print_fit_quality(out, fit);
    print_estimates(out, fit, fit.parameters, "parameter", /*are_states=*/false);
    print_estimates(out, fit, fit.initial_states, "initial state", /*are_states=*/true);
    if (fit.starts) print_starts(out, *fit.starts);
    if (!fit.options.intervals.empty()) out.print("\n  Shooting intervals:\n");
    for (const auto& choice : fit.options.intervals) out.print("  - {}\n", choice);
    print_profiles(out, fit);
    print_identifiability(out, fit);
    print_suggestions(out, fit);
    if (has_residuals) print_residual_analysis(out, fit);
  }
  for (const auto& warning : fit.verdict.warnings) out.print("  warning: {}\n", warning);
  if (folder.empty()) return out.text();
  out.print("\n{}results in {}: report.html, result.json, {}timing.json\n",
            run.complete() ? "" : "partial ", folder.string(),
            !fit.has_values() ? "" : "tables as CSV, ");
  return out.text();
}

}  // namespace parfait::run
