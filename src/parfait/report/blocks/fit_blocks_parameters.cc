#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/drawing/cells.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

// The table of parameters with its forest plot.
namespace parfait::report {
namespace {

using result::Estimate;

/// Why there is no ±.
std::string missing_reason(const FitView& view, const Estimate& e) {
  if (e.determined == "at_lower") return "at its lower bound";
  if (e.determined == "at_upper") return "at its upper bound";
  if (e.determined == "undetermined") {
    std::string reason = "not determined by the data";
    if (e.identifiability == "combination") reason += ": only in combination with others";
    if (e.identifiability == "no_influence") reason += ": no measurement depends on it";
    return reason;
  }
  if (!view.fit.has_values()) return "the fit did not get that far";
  return "no statistics";
}

/// An interval for people: "[374.1, 416.8]".
Html interval_cell(const result::Interval& interval, double sd) {
  if (std::isnan(interval.low) || std::isnan(interval.high)) return text("–");
  return text("[") + number(interval.low, rounded_like(interval.low, sd)) + text(", ") +
         number(interval.high, rounded_like(interval.high, sd)) + text("]");
}

Html bound_cell(const Estimate& e) {
  if (std::isinf(e.lower) && std::isinf(e.upper)) return text("–");
  return text(fmt::format("[{}, {}]", rounded(e.lower), rounded(e.upper)));
}

const result::Profile* profile_of(const FitView& view, const std::string& name) {
  for (const auto& profile : view.fit.profiles) {
    if (profile.parameter == name) return &profile;
  }
  return nullptr;
}

ForestRow forest_row(const FitView& view, const Estimate& e, const std::string& name) {
  ForestRow row{.value = e.value, .text = ""};
  row.initial = e.initial;
  row.truth = e.truth;
  row.lower = e.lower, row.upper = e.upper;
  row.text = fmt::format("{} = {}", name, rounded_like(e.value, e.sd));
  if (std::isfinite(e.sd)) {
    row.sd = e.sd;
    row.individual = {e.individual.low, e.individual.high};
    row.joint = {e.joint.low, e.joint.high};
    row.text +=
        fmt::format(", {} interval {} to {}", view.confidence(),
                    rounded_like(e.individual.low, e.sd), rounded_like(e.individual.high, e.sd));
  } else {
    row.text += ", " + missing_reason(view, e);
  }
  if (const auto* profile = profile_of(view, name)) {
    row.profile = {profile->interval.low, profile->interval.high};
  }
  if (std::isfinite(e.initial)) row.text += fmt::format("; first guess {}", rounded(e.initial));
  if (e.truth) row.text += fmt::format("; true value {}", rounded(*e.truth));
  return row;
}

struct EstimateColumns {
  bool unit, truth, bounds, shift, profile;
};

std::vector<Html> estimate_row(const FitView& view, const Estimate& e, const std::string& name,
                               const EstimateColumns& has) {
  const bool known = std::isfinite(e.sd);
  std::vector<Html> row = {text(name), number(e.value, rounded_like(e.value, e.sd))};
  if (known) {
    auto deviation = text("± ") + number(e.sd, rounded_like(e.sd, e.sd));
    if (e.identifiability == "practically_undetermined") {
      deviation +=
          text(" ") + element("span", {{"class", "reason"}}, text("practically undetermined"));
    }
    row.push_back(deviation);
    row.push_back(interval_cell(e.individual, e.sd));
    const double half = (e.individual.high - e.individual.low) / 2;
    row.push_back(e.value != 0
                      ? text(fmt::format("±{} %", rounded(100 * half / std::abs(e.value), 2)))
                      : text("–"));
  } else {
    row.push_back(element("span", {{"class", "reason"}}, text(missing_reason(view, e))));
    row.push_back(interval_cell(e.individual, e.sd));
    row.push_back(text("–"));
  }
  row.push_back(forest_cell(forest_row(view, e, name)));
  if (has.unit) row.insert(row.begin() + 2, text(e.unit));
  row.push_back(number(e.initial));
  if (has.truth) row.push_back(e.truth ? number(*e.truth) : text("–"));
  if (has.bounds) row.push_back(bound_cell(e));
  if (has.profile) {
    const auto* profile = profile_of(view, name);
    row.push_back(profile ? interval_cell(profile->interval, e.sd) : text("–"));
  }
  if (has.shift) row.push_back(e.shift ? number(*e.shift, 2) : text("–"));
  return row;
}

Html estimate_table(const FitView& view, const std::vector<Estimate>& estimates, bool states,
                    const std::string& caption) {
  const auto any = [&](auto&& test) {
    return std::any_of(estimates.begin(), estimates.end(), test);
  };
  const EstimateColumns has{.unit = any([](const Estimate& e) { return !e.unit.empty(); }),
                            .truth = any([](const Estimate& e) { return e.truth.has_value(); }),
                            .bounds = any([](const Estimate& e) {
                              return std::isfinite(e.lower) || std::isfinite(e.upper);
                            }),
                            .shift = any([](const Estimate& e) { return e.shift.has_value(); }),
                            .profile = !states && !view.fit.profiles.empty()};
  constexpr auto kNumber = Table::Kind::kNumber;
  Table table{caption, {{states ? "initial state" : "parameter"}, {"value", kNumber}}, {}};
  if (has.unit) table.columns.push_back({"unit"});
  table.columns.push_back({"±", Table::Kind::kText, "standard deviation"});
  table.columns.push_back(
      {view.confidence() + " interval", Table::Kind::kText, "for this parameter alone"});
  table.columns.push_back({"in %", kNumber, "half of the interval, relative to the value"});
  table.columns.push_back({"on an axis of its own"});
  table.columns.push_back({"first guess", kNumber});
  if (has.truth) table.columns.push_back({"true", kNumber, "as the problem file says"});
  if (has.bounds) table.columns.push_back({"bounds"});
  if (has.profile)
    table.columns.push_back(
        {"profile interval", Table::Kind::kText, "from the profile likelihood"});
  if (has.shift) {
    table.columns.push_back(
        {"shift", kNumber, "how far it moves with a 100 times more careful integrator, in sd"});
  }
  const bool several = view.several_experiments();
  for (const auto& e : estimates) {
    table.rows.push_back(estimate_row(view, e, result::name_of(e, states, several), has));
  }
  return html(table);
}

}  // namespace

Html parameters_block(const FitView& view) {
  const auto& fit = view.fit;
  if (fit.parameters.empty() && fit.initial_states.empty()) {
    return absent("No parameter was estimated: all of them were held at their values.");
  }
  using Sign = LegendEntry::Sign;
  Html content =
      legend({{Sign::kInterval, Ink::kModel,
               fmt::format("estimate with its {} interval; thin: joint interval of all parameters",
                           view.confidence())},
              {Sign::kSquare, Ink::kGuess, "first guess"},
              {Sign::kDiamond, Ink::kTruth, "true value"},
              {Sign::kTick, Ink::kLimit, "bound"},
              {Sign::kArrow, Ink::kGuess, "beyond the axis"}});
  if (!fit.parameters.empty()) {
    content += element("figure", {{"class", "wide"}, {"data-plot", "parameters"}},
                       estimate_table(view, fit.parameters, false, ""));
  }
  if (!fit.initial_states.empty()) {
    constexpr std::size_t kMostOpen = 20;
    const char* title = "Initial states that were estimated";
    const bool folded = fit.initial_states.size() > kMostOpen;
    Html table = estimate_table(view, fit.initial_states, true, folded ? "" : title);
    if (folded) {
      const auto summary = fmt::format("{}: {}", title, fit.initial_states.size());
      table = element("details", element("summary", summary) + table);
    }
    content += element("figure", {{"class", "wide"}, {"data-plot", "initial-states"}}, table);
  }
  return content;
}

}  // namespace parfait::report
