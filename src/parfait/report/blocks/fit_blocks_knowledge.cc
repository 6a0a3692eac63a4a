#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/math/quantiles.h"
#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/drawing/heat_map.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

// How well the parameters are known: correlations, where the information comes from, profiles.
namespace parfait::report {
namespace {

constexpr std::size_t kMostParameters = 60;  ///< in a heat map
constexpr std::size_t kMostExperiments = 40;
constexpr int kMostPairs = 8, kMostEllipses = 3;
constexpr std::size_t kMostProfiles = 24;

Html correlation_map(const FitView& view) {
  const auto& correlation = view.fit.correlation;
  auto order = clustered_order(correlation);
  // Of parameters without a deviation nothing can be shown.
  std::erase_if(order, [&](int i) { return !std::isfinite(correlation(i, i)); });
  if (order.size() < 2) return {};
  const std::size_t all = order.size();
  if (all > kMostParameters) order.resize(kMostParameters);
  HeatMap map{.name = "correlation", .title = "Correlation", .text = "", .lower_triangle = true};
  map.caption = "orange: positive, blue: negative; what is strongly correlated stands side by side";
  if (order.size() < all) map.caption += fmt::format("; {} of {} parameters", order.size(), all);
  for (const int i : order) {
    map.rows.push_back(view.names[i]);
    auto& row = map.values.emplace_back();
    for (const int j : order) row.push_back(correlation(i, j));
  }
  map.columns = map.rows;
  const auto strongest = strongest_pairs(correlation, 1);
  map.text = fmt::format("Correlation matrix of {} parameters.", order.size());
  if (!strongest.empty()) {
    map.text += fmt::format(" The strongest correlation is {:.3f}, between {} and {}.",
                            strongest[0].correlation, view.names[strongest[0].i],
                            view.names[strongest[0].j]);
  }
  return figure(map);
}

Html pair_table(const FitView& view) {
  Table table{"Strongest correlations",
              {{"parameter"}, {"with"}, {"correlation", Table::Kind::kNumber}},
              {}};
  for (const auto& pair : strongest_pairs(view.fit.correlation, kMostPairs)) {
    table.rows.push_back(
        {text(view.names[pair.i]), text(view.names[pair.j]), number(pair.correlation, 4)});
  }
  return table.rows.empty() ? Html{} : html(table);
}

/// Shares of the information: experiments x parameters.
Html information_map(const FitView& view) {
  const auto& information = view.fit.identifiability.information;
  if (view.fit.experiments.size() < 2 || information.empty()) return {};
  struct Row {
    std::string experiment;
    std::vector<double> shares;
    double sum = 0;
  };
  std::vector<Row> rows;
  HeatMap map{.name = "information",
              .title = "Where the information comes from",
              .text = "Share of each experiment in the information about each parameter.",
              .caption = "share of an experiment (row) in what is known about a parameter (column)",
              .diverging = false};
  // Of what belongs to one experiment alone (its initial states) that one knows everything.
  std::vector<const result::Information*> shared;
  for (const auto& entry : information) {
    const auto informed = std::count_if(entry.shares.begin(), entry.shares.end(),
                                        [](const auto& share) { return share.value > 0; });
    if (informed > 1 && shared.size() < kMostParameters) shared.push_back(&entry);
  }
  if (shared.empty()) return {};
  for (const auto* entry : shared) map.columns.push_back(entry->parameter);
  for (const auto& experiment : view.fit.experiments) {
    Row row{experiment.id, {}, 0};
    for (const auto* entry : shared) {
      double share = 0;
      for (const auto& [name, value] : entry->shares) {
        if (name == experiment.id) share = value;
      }
      row.shares.push_back(share);
      row.sum += share;
    }
    rows.push_back(std::move(row));
  }
  if (rows.size() > kMostExperiments) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.sum > b.sum; });
    map.caption +=
        fmt::format("; the {} of {} experiments that tell most", kMostExperiments, rows.size());
    rows.resize(kMostExperiments);
  }
  for (auto& row : rows) {
    map.rows.push_back(row.experiment);
    map.values.push_back(std::move(row.shares));
  }
  return figure(map);
}

const result::Estimate* estimate_named(const FitView& view, const std::string& name) {
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (view.names[i] == name) return &view.fit.parameters[i];
  }
  return nullptr;
}

/// A curve through few points of a profile: the signed root +-sqrt(objective - least) is nearly a
/// straight line, so it is drawn straight from point to point (over log x if the axis has that).
/// See  D. M. Bates, D. G. Watts, Nonlinear Regression Analysis (1988), 6.1.2.
Line profile_curve(const Points& points, bool log) {
  Line curve;
  const auto least = std::min_element(points.y.begin(), points.y.end());
  if (least == points.y.end()) return curve;
  const auto bottom = least - points.y.begin();
  const auto root = [&](std::ptrdiff_t i) {
    const double z = std::sqrt(std::max(0.0, points.y[i] - *least));
    return i < bottom ? -z : z;
  };
  constexpr int kParts = 24;
  for (std::ptrdiff_t i = 0; i + 1 < std::ssize(points.x); ++i) {
    for (int k = 0; k < kParts; ++k) {
      const double part = k / double{kParts};
      const double z = root(i) + part * (root(i + 1) - root(i));
      curve.x.push_back(log ? points.x[i] * std::pow(points.x[i + 1] / points.x[i], part)
                            : points.x[i] + part * (points.x[i + 1] - points.x[i]));
      curve.y.push_back(*least + z * z);
    }
  }
  curve.x.push_back(points.x.back()), curve.y.push_back(points.y.back());
  return curve;
}

Html profile_plot(const FitView& view, const result::Profile& profile) {
  const auto* estimate = estimate_named(view, profile.parameter);
  Plot plot{.name = "profile",
            .key = profile.parameter,
            .title = "Profile of " + profile.parameter,
            .text = "",
            .caption = "",
            .x = {.label = profile.parameter, .unit = estimate ? estimate->unit : ""},
            .y = {.label = "objective"}};
  Points points{.x = {}, .y = {}, .ink = Ink::kModel}, failed{.x = {}, .y = {}, .ink = Ink::kAlarm};
  // Far above the threshold nothing is of interest.
  constexpr double kHighest = 3;
  const double least = view.fit.objective;
  const double highest = std::isfinite(profile.threshold)
                             ? least + kHighest * (profile.threshold - least)
                             : result::kInfinity;
  for (const auto& point : profile.points) {
    if (point.objective > highest) continue;
    auto& list = point.converged ? points : failed;
    list.x.push_back(point.value), list.y.push_back(point.objective);
  }
  constexpr double kDecades = 100;  // what spans more is shown on a logarithmic axis
  plot.x.log =
      !points.x.empty() && points.x.front() > 0 && points.x.back() > kDecades * points.x.front();
  Line curve = profile_curve(points, plot.x.log);
  // What the covariance says: objective + (beta (p - value) / sd)^2.
  if (estimate && std::isfinite(estimate->sd) && !curve.x.empty()) {
    const double unit = view.fit.options.sigma == "known" ? 1 : view.scatter();
    Line quadratic{{}, {}, Ink::kGuess, true, false};
    constexpr int kPoints = 100;
    for (int i = 0; i <= kPoints; ++i) {
      const double p = curve.x.front() + (curve.x.back() - curve.x.front()) * i / kPoints;
      const double d = unit * (p - estimate->value) / estimate->sd;
      if (least + d * d > highest) continue;
      quadratic.x.push_back(p);
      quadratic.y.push_back(least + d * d);
    }
    plot.layers.emplace_back(std::move(quadratic));
  }
  plot.layers.emplace_back(std::move(curve));
  plot.layers.emplace_back(std::move(points));
  plot.layers.emplace_back(std::move(failed));
  plot.layers.emplace_back(
      Rule{.at = profile.threshold, .ink = Ink::kAlarm, .dashed = true, .in_range = true});
  for (const double end : {profile.interval.low, profile.interval.high}) {
    if (std::isfinite(end))
      plot.layers.emplace_back(Rule{.at = end, .vertical = true, .ink = Ink::kModel});
  }
  const auto side = [&](double end, const std::string& why) {
    if (std::isnan(end)) return std::string("not found");
    if (std::isinf(end)) return std::string("open");
    return rounded(end, 5) + (why == "bound" ? " (bound)" : "");
  };
  const std::string low = side(profile.interval.low, profile.low_end);
  const std::string high = side(profile.interval.high, profile.high_end);
  plot.caption =
      fmt::format("interval [{}, {}]; dashed: threshold and, grey, what ± says", low, high);
  plot.text = fmt::format("Profile likelihood of {}: interval from {} to {}.", profile.parameter,
                          low, high);
  return figure(plot);
}

/// 95 % regions of two parameters: radius^2 = 2 F(0.95; 2, nu), with known sigma chi^2(0.95; 2).
double ellipse_radius(const FitView& view) {
  const double confidence = view.fit.options.confidence;
  if (view.fit.options.sigma == "known") {
    return std::sqrt(math::chi_squared_quantile(confidence, 2));
  }
  const int nu = view.fit.degrees_of_freedom.value_or(0);
  return nu > 0 ? std::sqrt(2 * math::fisher_f_quantile(confidence, 2, nu)) : 0;
}

Html ellipse_plot(const FitView& view, const Pair& pair) {
  const auto &a = view.fit.parameters[pair.i], &b = view.fit.parameters[pair.j];
  const double radius = ellipse_radius(view);
  if (!(radius > 0) || !std::isfinite(a.sd) || !std::isfinite(b.sd)) return {};
  const auto curve = ellipse(a.value, b.value, a.sd, b.sd, pair.correlation, radius);
  Plot plot{
      .name = "ellipse",
      .key = view.names[pair.i] + "/" + view.names[pair.j],
      .title = fmt::format("{} and {}", view.names[pair.i], view.names[pair.j]),
      .text = fmt::format("{} region of {} and {}, correlation {:.3f}.", view.confidence(),
                          view.names[pair.i], view.names[pair.j], pair.correlation),
      .caption = fmt::format("{} region, correlation {:.3f}", view.confidence(), pair.correlation),
      .x = {.label = view.names[pair.i], .unit = a.unit},
      .y = {.label = view.names[pair.j], .unit = b.unit}};
  plot.layers.emplace_back(Line{curve.x, curve.y, Ink::kModel});
  plot.layers.emplace_back(
      Points{.x = {a.value}, .y = {b.value}, .ink = Ink::kData, .large = true});
  if (a.truth && b.truth) {
    plot.layers.emplace_back(
        Points{.x = {*a.truth}, .y = {*b.truth}, .ink = Ink::kTruth, .large = true});
    plot.layers.emplace_back(Note{*a.truth, *b.truth, "true"});
  }
  return figure(plot);
}

}  // namespace

Html knowledge_block(const FitView& view) {
  const auto& fit = view.fit;
  Html content;
  for (const auto& finding : fit.identifiability.findings) {
    std::string words = finding.text;
    for (const auto& effect : finding.effects) {
      words += fmt::format(" No measurement changes along {}.", effect);
    }
    if (!finding.advice.empty()) words += " " + finding.advice;
    content += element("p", words);
  }
  content += side_by_side(correlation_map(view) + pair_table(view) + information_map(view));
  Html figures;
  for (std::size_t i = 0; i < fit.profiles.size() && i < kMostProfiles; ++i) {
    figures += profile_plot(view, fit.profiles[i]);
  }
  for (const auto& pair : strongest_pairs(fit.correlation, kMostEllipses)) {
    figures += ellipse_plot(view, pair);
  }
  content += plots(figures);
  if (content.empty()) {
    if (fit.parameters.empty()) return absent("No parameter was estimated.");
    if (!fit.has_values()) return absent("There is no covariance: the fit did not get that far.");
    if (fit.parameters.size() == 1) return absent("One parameter alone: its interval says all.");
    return absent("There is no covariance to show.");
  }
  return content;
}

Html suggestions_block(const FitView& view) {
  const auto& fit = view.fit;
  if (fit.suggestions.empty()) return {};
  const auto deviation = [](double sd) {
    return std::isfinite(sd) ? number(sd, 3) : text("not determined");
  };
  Table table;
  table.caption =
      "What one more measurement would do to the worst standard deviation, relative to the value";
  table.columns = {{"experiment"},
                   {"candidate"},
                   {"before", Table::Kind::kNumber},
                   {"after", Table::Kind::kNumber},
                   {"worst parameter then"}};
  constexpr std::size_t kMost = 30;
  for (std::size_t i = 0; i < std::min(kMost, fit.suggestions.size()); ++i) {
    const auto& s = fit.suggestions[i];
    table.rows.push_back({text(s.experiment), text(s.what), deviation(s.worst_before),
                          deviation(s.worst_after), text(s.worst)});
  }
  return html(table);
}

}  // namespace parfait::report
