#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

// Data against model: a small plot for each column of each experiment, the worst first.
namespace parfait::report {
namespace {

using result::Prediction;

constexpr std::size_t kMostPanels = 12;
constexpr std::size_t kMostNodes = 40;

/// A curve over time, with its deviation where that is known.
struct Curve {
  std::vector<double> t, value, sd;
};

/// The quantity that the model says about a column; the column's own name if nothing else is known.
const result::Observed* observed_of(const FitView& view, const ResidualGroup& group) {
  for (const auto& experiment : view.fit.experiments) {
    if (experiment.id != group.experiment) continue;
    for (const auto& observed : experiment.observed) {
      if (observed.column == group.column) return &observed;
    }
  }
  return nullptr;
}

/// The prediction for a group, found by the names of experiment and quantity; empty if there is
/// none.
Curve predicted(const FitView& view, const ResidualGroup& group,
                const std::vector<Prediction>& predictions) {
  const auto* observed = observed_of(view, group);
  const std::string& quantity = observed ? observed->quantity : group.column;
  for (const auto& prediction : predictions) {
    if (prediction.experiment != group.experiment) continue;
    const auto found =
        std::find(prediction.quantities.begin(), prediction.quantities.end(), quantity);
    if (found == prediction.quantities.end()) return {};
    const int column = static_cast<int>(found - prediction.quantities.begin());
    Curve curve{prediction.t, {}, {}};
    for (int i = 0; i < prediction.values.rows; ++i) {
      curve.value.push_back(prediction.values(i, column));
      if (prediction.sd.rows > 0) curve.sd.push_back(prediction.sd(i, column));
    }
    return curve;
  }
  return {};
}

/// The model at the measurements, where there is no curve (algebraic experiments).
Curve at_measurements(const ResidualGroup& group) {
  Curve curve;
  for (const auto* r : group.residuals) {
    curve.t.push_back(r->t);
    curve.value.push_back(r->model);
    curve.sd.push_back(r->sd);
  }
  return curve;
}

/// sigma of the measurements, between them on a straight line.
double sigma_at(const ResidualGroup& group, double t) {
  const auto& list = group.residuals;
  const auto next = std::lower_bound(list.begin(), list.end(), t,
                                     [](const auto* r, double time) { return r->t < time; });
  if (next == list.begin()) return list.front()->sigma;
  if (next == list.end()) return list.back()->sigma;
  const auto &a = **(next - 1), &b = **next;
  const double part = b.t > a.t ? (t - a.t) / (b.t - a.t) : 0;
  return a.sigma + part * (b.sigma - a.sigma);
}

/// value -+ 1.96 deviations of the mean, and of a new observation: sqrt(sd^2 + (beta sigma)^2).
void add_bands(const FitView& view, const ResidualGroup& group, const Curve& curve, Plot& plot) {
  constexpr double kQuantile = 1.96;
  Band mean{.x = curve.t}, observation{.x = curve.t, .pale = true};
  for (std::size_t i = 0; i < curve.sd.size(); ++i) {
    const double noise = view.scatter() * sigma_at(group, curve.t[i]);
    const double half = kQuantile * curve.sd[i];
    const double wide = kQuantile * std::hypot(curve.sd[i], noise);
    mean.low.push_back(curve.value[i] - half);
    mean.high.push_back(curve.value[i] + half);
    observation.low.push_back(curve.value[i] - wide);
    observation.high.push_back(curve.value[i] + wide);
  }
  if (mean.low.size() != curve.t.size()) return;
  plot.layers.emplace_back(std::move(observation));
  plot.layers.emplace_back(std::move(mean));
}

/// Ticks where shooting intervals begin.
void add_nodes(const FitView& view, const ResidualGroup& group, Plot& plot) {
  for (const auto& experiment : view.fit.experiments) {
    if (experiment.id != group.experiment || !experiment.nodes) continue;
    if (experiment.nodes->t.size() > kMostNodes) return;
    for (const double t : experiment.nodes->t) {
      plot.layers.emplace_back(Rule{.at = t, .vertical = true, .ink = Ink::kLimit, .dashed = true});
    }
  }
}

bool is_dynamic(const FitView& view, const ResidualGroup& group) {
  for (const auto& experiment : view.fit.experiments) {
    if (experiment.id == group.experiment) return experiment.nodes.has_value();
  }
  return false;
}

Html panel(const FitView& view, const ResidualGroup& group) {
  const auto* observed = observed_of(view, group);
  const bool dynamic = is_dynamic(view, group);
  Plot plot{.name = "fit",
            .key = group.experiment + "/" + group.column,
            .title = group_name(view, group),
            .text = "",
            .caption = fmt::format("rms {}", rounded(group.rms, 3)),
            .x = {.label = dynamic ? "t" : "row", .unit = dynamic ? "s" : ""},
            .y = {.label = group.column}};
  if (observed != nullptr) {
    plot.y.unit = observed->unit;
    if (observed->quantity != group.column) plot.caption += ", " + observed->quantity;
  }
  add_nodes(view, group, plot);
  Curve curve = predicted(view, group, view.tables.predictions);
  const bool has_curve = !curve.t.empty();
  if (!has_curve) curve = at_measurements(group);
  add_bands(view, group, curve, plot);
  if (const Curve guess = predicted(view, group, view.tables.first_guess); !guess.t.empty()) {
    plot.layers.emplace_back(Line{guess.t, guess.value, Ink::kGuess, true, false});
  }
  plot.layers.emplace_back(Line{curve.t, curve.value, Ink::kModel});
  Points points;
  for (const auto* r : group.residuals) {
    points.x.push_back(r->t);
    points.y.push_back(r->measured);
    points.deviation.push_back(r->sigma);
  }
  plot.layers.emplace_back(std::move(points));
  plot.text = fmt::format(
      "{}: {} and the fitted curve; root mean square of weighted residuals {}.",
      group_name(view, group),
      counted(static_cast<long long>(group.residuals.size()), "measurement", "measurements"),
      rounded(group.rms, 3));
  return figure(plot);
}

}  // namespace

Html fitted_block(const FitView& view) {
  if (view.groups.empty()) {
    return absent("There is nothing to show: the fit did not get to a point with residuals.");
  }
  using Sign = LegendEntry::Sign;
  std::vector<LegendEntry> entries = {{Sign::kPoint, Ink::kData, "measured, with sigma"},
                                      {Sign::kLine, Ink::kModel, "fitted"},
                                      {Sign::kBand, Ink::kModel, "95 % band of the mean"},
                                      {Sign::kPaleBand, Ink::kModel, "of a new observation"}};
  if (!view.tables.first_guess.empty()) {
    entries.push_back({Sign::kDashed, Ink::kGuess, "first guess"});
  }
  const bool nodes =
      std::any_of(view.fit.experiments.begin(), view.fit.experiments.end(),
                  [](const auto& e) { return e.nodes && e.nodes->t.size() <= kMostNodes; });
  if (nodes) entries.push_back({Sign::kTick, Ink::kLimit, "shooting node"});

  Html figures;
  std::size_t shown = 0, measured = 0;
  for (const auto& group : view.groups) {
    if (group.is_prior()) continue;
    ++measured;
    if (shown == kMostPanels) continue;
    figures += panel(view, group);
    ++shown;
  }
  Html content = legend(entries);
  if (shown < measured) {
    content +=
        absent(fmt::format("The {} that fit worst, of {} columns of data; all of them are "
                           "listed under Residuals and in residuals.csv.",
                           shown, measured));
  }
  return content + plots(figures);
}

}  // namespace parfait::report
