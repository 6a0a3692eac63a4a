#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/math/quantiles.h"
#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/drawing/cells.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

// What the residuals say about the model.
namespace parfait::report {
namespace {

constexpr double kRare = 0.01;
constexpr std::size_t kMostGroups = 60;
constexpr int kMostLags = 20;

std::vector<double> weighted_residuals(const FitView& view) {
  std::vector<double> values;
  for (const auto& r : view.tables.residuals) {
    if (!r.prior) values.push_back(r.weighted);
  }
  return values;
}

/// The range of what was measured in a column: what has different units is shown in parts of it.
struct ColumnRange {
  double low = 0, high = 0;
  double part(double x) const { return high > low ? (x - low) / (high - low) : 0.5; }
};

ColumnRange range_of(const ResidualGroup& group) {
  ColumnRange range{group.residuals[0]->measured, group.residuals[0]->measured};
  for (const auto* r : group.residuals) {
    range.low = std::min({range.low, r->measured, r->model});
    range.high = std::max({range.high, r->measured, r->model});
  }
  return range;
}

void add_limits(Plot& plot, double limit) {
  plot.layers.emplace_back(Rule{.at = 0, .ink = Ink::kLimit, .in_range = true});
  for (const double sign : {-1.0, 1.0}) {
    plot.layers.emplace_back(
        Rule{.at = sign * limit, .ink = Ink::kAlarm, .dashed = true, .in_range = true});
  }
}

Html over_time(const FitView& view) {
  Plot plot{.name = "residuals-time",
            .title = "Over time",
            .text = "",
            .caption = "weighted residual (model − measured)/sigma; dashed: ±2β",
            .x = {.label = "t", .unit = "s"},
            .y = {.label = "weighted residual"}};
  add_limits(plot, 2 * view.scatter());
  Points points;
  long long outside = 0;
  for (const auto& r : view.tables.residuals) {
    if (r.prior) continue;
    points.x.push_back(r.t);
    points.y.push_back(r.weighted);
    if (std::abs(r.weighted) > 2 * view.scatter()) ++outside;
  }
  const auto n = static_cast<long long>(points.x.size());
  const auto extent = [](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return values.empty() ? 0.0 : *high - *low;
  };
  const double wide = extent(points.x), high = extent(points.y);
  plot.layers.emplace_back(std::move(points));
  Points far{.x = {}, .y = {}, .ink = Ink::kAlarm, .large = true};
  constexpr std::size_t kMostNamed = 4;
  for (const auto& outlier : view.fit.outliers) {
    if (outlier.p_value >= kRare) continue;
    far.x.push_back(outlier.t);
    far.y.push_back(outlier.weighted);
  }
  plot.layers.emplace_back(far);
  // A name that would lie over another one is left out: all of them are in the table of the
  // largest.
  std::vector<const result::Outlier*> named;
  for (const auto& outlier : view.fit.outliers) {
    if (outlier.p_value >= kRare || named.size() == kMostNamed) continue;
    const bool covered = std::any_of(named.begin(), named.end(), [&](const auto* other) {
      return std::abs(other->t - outlier.t) < 0.3 * wide &&
             std::abs(other->weighted - outlier.weighted) < 0.09 * high;
    });
    if (covered) continue;
    named.push_back(&outlier);
    const std::string name =
        view.several_experiments() ? outlier.experiment + ": " + outlier.column : outlier.column;
    plot.layers.emplace_back(Note{outlier.t, outlier.weighted, name});
  }
  plot.text = fmt::format("Weighted residuals over time: {} of {} lie outside of ±2β.", outside, n);
  return figure(plot);
}

/// Both plots against fitted values show all columns in one, each in parts of its own range.
Html over_fitted(const FitView& view) {
  Plot plot{.name = "residuals-fitted",
            .title = "Over the fitted value",
            .text = "Weighted residuals over the fitted value, all columns in one.",
            .caption = "each column scaled to its range",
            .x = {.label = "fitted value"},
            .y = {.label = "weighted residual"}};
  const bool alone = view.groups.size() == 1;
  if (alone) plot.caption = "";
  add_limits(plot, 2 * view.scatter());
  Points points;
  for (const auto& group : view.groups) {
    if (group.is_prior()) continue;
    const auto range = range_of(group);
    for (const auto* r : group.residuals) {
      points.x.push_back(alone ? r->model : range.part(r->model));
      points.y.push_back(r->weighted);
    }
  }
  plot.layers.emplace_back(std::move(points));
  return figure(plot);
}

Html observed_and_predicted(const FitView& view) {
  Plot plot{.name = "observed-predicted",
            .title = "Observed against fitted",
            .text = "Measured values over fitted values; a perfect model puts all on the diagonal.",
            .caption = "each column scaled to its range; line: equal",
            .x = {.label = "fitted value"},
            .y = {.label = "measured value"}};
  const bool alone = view.groups.size() == 1;
  if (alone) plot.caption = "line: equal";
  Points points;
  double low = INFINITY, high = -INFINITY;
  for (const auto& group : view.groups) {
    if (group.is_prior()) continue;
    const auto range = range_of(group);
    for (const auto* r : group.residuals) {
      points.x.push_back(alone ? r->model : range.part(r->model));
      points.y.push_back(alone ? r->measured : range.part(r->measured));
      low = std::min({low, points.x.back(), points.y.back()});
      high = std::max({high, points.x.back(), points.y.back()});
    }
  }
  if (low < high) plot.layers.emplace_back(Line{{low, high}, {low, high}, Ink::kLimit});
  plot.layers.emplace_back(std::move(points));
  return figure(plot);
}

Html residual_histogram(const FitView& view, const std::vector<double>& values) {
  const double scale = view.scatter();
  const auto bins = histogram(values);
  Plot plot{.name = "residuals-histogram",
            .title = "Histogram",
            .text = "",
            .caption = "line: normal with deviation β",
            .x = {.label = "weighted residual"},
            .y = {.label = "number", .whole = true}};
  plot.layers.emplace_back(Bars{bins.edges, bins.counts});
  const double width = bins.edges[1] - bins.edges[0];
  Line normal{{}, {}, Ink::kAlarm};
  constexpr int kPoints = 160;
  const double end =
      std::max({3 * scale, std::abs(bins.edges.front()), std::abs(bins.edges.back())});
  for (int i = 0; i <= kPoints; ++i) {
    const double x = end * (2.0 * i / kPoints - 1);
    normal.x.push_back(x);
    normal.y.push_back(static_cast<double>(values.size()) * width *
                       math::normal_density(x / scale) / scale);
  }
  plot.layers.emplace_back(std::move(normal));
  plot.text = fmt::format("Histogram of {} weighted residuals beside the normal distribution.",
                          values.size());
  if (view.fit.normality) {
    plot.text +=
        fmt::format(" Test of normality: p = {}.", rounded(view.fit.normality->p_value, 2));
    plot.caption +=
        fmt::format("; Anderson–Darling p = {}", rounded(view.fit.normality->p_value, 2));
  }
  return figure(plot);
}

Html quantile_plot(const FitView& view, const std::vector<double>& values) {
  auto q = normal_quantiles(values, view.scatter());
  long long outside = 0;
  for (std::size_t i = 0; i < q.found.size(); ++i) {
    if (q.found[i] < q.low[i] || q.found[i] > q.high[i]) ++outside;
  }
  Plot plot{
      .name = "residuals-quantiles",
      .title = "Quantiles",
      .text = fmt::format("Sorted residuals over normal quantiles: {} of {} lie outside of the "
                          "95 % envelope.",
                          outside, q.found.size()),
      .caption = "normal residuals lie on the line; band: 95 % for each",
      .x = {.label = "normal quantile × β"},
      .y = {.label = "weighted residual"}};
  plot.layers.emplace_back(
      Band{.x = q.expected, .low = q.low, .high = q.high, .pale = true, .in_range = false});
  if (!q.expected.empty()) {
    const double end = q.expected.back();
    plot.layers.emplace_back(Line{{-end, end}, {-end, end}, Ink::kLimit});
  }
  plot.layers.emplace_back(Points{q.expected, q.found});
  return figure(plot);
}

Html autocorrelation_plot(const FitView& view) {
  const auto found = autocorrelation(view.groups, kMostLags);
  if (found.values.size() < 2) return {};
  const double limit = 1.96 / std::sqrt(static_cast<double>(found.pairs));
  Stems stems{{}, found.values};
  int beyond = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    stems.x.push_back(static_cast<double>(i + 1));
    if (std::abs(found.values[i]) > limit) ++beyond;
  }
  Plot plot{
      .name = "residuals-autocorrelation",
      .title = "Autocorrelation",
      .text = fmt::format("Autocorrelation of the residuals for lags 1 to {}: {} beyond the "
                          "95 % limits.",
                          found.values.size(), beyond),
      .caption = "columns that are sampled evenly, together; dashed: 95 % without correlation",
      .x = {.label = "lag",
            .unit = "samples",
            .whole = true,
            .low = 0,
            .high = found.values.size() + 1.0},
      .y = {.label = "correlation"}};
  plot.layers.emplace_back(std::move(stems));
  add_limits(plot, limit);
  return figure(plot);
}

/// Who does not fit: a row for each column of each experiment.
Html group_table(const FitView& view) {
  double largest = view.scatter(), total = 0;
  for (const auto& group : view.groups) {
    if (std::isfinite(group.rms)) largest = std::max(largest, group.rms);
    total += group.sum_of_squares;
  }
  constexpr auto kNumber = Table::Kind::kNumber;
  Table table{
      "Who does not fit: root mean square of weighted residuals, worst first; dashed: β",
      {{"data"},
       {"number", kNumber},
       {"rms", kNumber, "root mean square of weighted residuals"},
       {"rms, as a bar"},
       {"share", kNumber, "of the sum of squares"},
       {"lag 1", kNumber, "autocorrelation from one sample to the next, if sampled evenly"}},
      {}};
  for (std::size_t i = 0; i < view.groups.size() && i < kMostGroups; ++i) {
    const auto& group = view.groups[i];
    // The rms of n normal residuals lies below this in 99 % of cases.
    const double n = static_cast<double>(group.residuals.size());
    const double usual = view.scatter() * std::sqrt(math::chi_squared_quantile(0.99, n) / n);
    const bool alarm = group.rms > usual;
    const double share = 100 * group.sum_of_squares / total;
    table.rows.push_back(
        {text(group_name(view, group)), count(static_cast<long long>(group.residuals.size())),
         number(group.rms, 3),
         bar_cell(group.rms / largest, alarm, view.scatter() / largest,
                  alarm ? "larger than expected" : "as expected"),
         total > 0 ? text(fmt::format("{:.{}f} %", share, share < 9.95 ? 1 : 0)) : text("–"),
         group.even ? number(group.autocorrelation, 2) : text("–")});
  }
  Html content = html(table);
  if (view.groups.size() > kMostGroups) {
    content +=
        absent(fmt::format("and {} more in residuals.csv.", view.groups.size() - kMostGroups));
  }
  return element("figure", {{"class", "wide"}, {"data-plot", "groups"}}, content);
}

Html outlier_table(const FitView& view) {
  Table table{"Largest residuals",
              {{"data"},
               {"t in s", Table::Kind::kNumber},
               {"measured", Table::Kind::kNumber},
               {"model", Table::Kind::kNumber},
               {"weighted", Table::Kind::kNumber},
               {"studentized", Table::Kind::kNumber},
               {"p", Table::Kind::kNumber, "of a residual this large, as the largest of all"}},
              {}};
  for (const auto& o : view.fit.outliers) {
    const std::string name = view.several_experiments() ? o.experiment + ": " + o.column : o.column;
    table.rows.push_back({text(name), number(o.t), number(o.measured), number(o.model),
                          number(o.weighted, 3), number(o.studentized, 3), number(o.p_value, 2)});
  }
  return table.rows.empty() ? Html{} : html(table);
}

}  // namespace

Html residuals_block(const FitView& view) {
  const auto values = weighted_residuals(view);
  if (values.empty()) return absent("There are no residuals to show.");
  Html figures = over_time(view) + over_fitted(view);
  figures += residual_histogram(view, values) + quantile_plot(view, values);
  figures += autocorrelation_plot(view) + observed_and_predicted(view);
  return plots(figures) + side_by_side(group_table(view) + outlier_table(view));
}

}  // namespace parfait::report
