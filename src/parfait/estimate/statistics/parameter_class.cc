#include "parfait/estimate/statistics/parameter_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parfait::estimate {
namespace parameter_class {
namespace {

bool names(const Identifiability& identifiability, Finding::Kind kind, const std::string& name) {
  return std::ranges::any_of(identifiability.findings, [&](const Finding& f) {
    return f.kind == kind && std::ranges::find(f.parameters, name) != f.parameters.end();
  });
}

/// Of the logarithm: a factor of ten.
constexpr double kUnknownFactor = std::numbers::ln10;

/// Why a parameter with a deviation is as good as undetermined; empty: it is not.
std::string practically_undetermined(const ClassifiedParameter& p, const FitScale& scale) {
  if (!(p.sd > 0) || !std::isfinite(p.sd)) return "";
  constexpr double kNothingNew = 0.95;
  if (p.prior_sigma && p.sd >= kNothingNew * scale.beta() * *p.prior_sigma) {
    return fmt::format("{} is known from its prior alone: the data add nothing (sd {:.3g}).",
                       p.name, p.sd);
  }
  const bool in_log = p.is_log && p.value > 0;
  const double half = scale.individual * (in_log ? p.sd / p.value : p.sd);
  const bool bounded =
      std::isfinite(p.lower) && std::isfinite(p.upper) && (!p.is_log || p.lower > 0);
  const double range = p.is_log ? std::log(p.upper / p.lower) : p.upper - p.lower;
  if (bounded && 2 * half >= range) {
    return fmt::format(
        "{} is practically undetermined: its {:g} % interval is wider than its bounds [{:.4g}, "
        "{:.4g}].",
        p.name, 100 * scale.confidence, p.lower, p.upper);
  }
  // A positive number, of which not even the order of magnitude is known.
  if (in_log && half >= kUnknownFactor) {
    return fmt::format(
        "{} is practically undetermined: {:.4g} with a relative deviation of {:.3g} %, so that its "
        "{:g} % interval reaches beyond a tenth and ten times the value.",
        p.name, p.value, 100 * p.sd / p.value, 100 * scale.confidence);
  }
  return "";
}

}  // namespace
}  // namespace parameter_class

const char* text(ParameterClass parameter_class) {
  switch (parameter_class) {
    case ParameterClass::kDetermined:
      return "determined";
    case ParameterClass::kAtBound:
      return "at_bound";
    case ParameterClass::kCombination:
      return "combination";
    case ParameterClass::kPractically:
      return "practically_undetermined";
    case ParameterClass::kNoInfluence:
      return "no_influence";
  }
  return "";
}

std::vector<ParameterClass> classify(const std::vector<ClassifiedParameter>& parameters,
                                     const FitScale& scale, Identifiability& identifiability) {
  std::vector<ParameterClass> classes;
  std::vector<Finding> found;
  for (const auto& p : parameters) {
    auto& out = classes.emplace_back(ParameterClass::kDetermined);
    if (at_bound(p.determined)) {
      out = ParameterClass::kAtBound;
    } else if (p.determined == Determined::kUndetermined) {
      out = parameter_class::names(identifiability, Finding::Kind::kNoInfluence, p.name)
                ? ParameterClass::kNoInfluence
                : ParameterClass::kCombination;
    } else if (const auto why = parameter_class::practically_undetermined(p, scale); !why.empty()) {
      out = ParameterClass::kPractically;
      Finding f{.kind = Finding::Kind::kPractically, .parameters = {p.name}};
      f.text = why;
      f.advice = fmt::format(
          "A profile of {0} (--profile) shows what can be excluded; measure what "
          "depends more on {0}, or fix it.",
          p.name);
      found.push_back(std::move(f));
    }
  }
  // Behind what is open, before what is correlated.
  auto& findings = identifiability.findings;
  const auto at = std::ranges::find(findings, Finding::Kind::kCorrelated, &Finding::kind);
  findings.insert(at, std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  return classes;
}

}  // namespace parfait::estimate
