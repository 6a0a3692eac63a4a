#include "parfait/expr/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace parfait::expr {

struct Table::Data {
  std::vector<double> t, value;
  std::vector<double> curvature;  ///< second derivative at the knots (kCubic only)
  Interpolation interpolation;
};

namespace {

void check_knots(const std::vector<double>& t, const std::vector<double>& value,
                 const base::Place& place) {
  const auto row = [](std::size_t i) { return fmt::format("table, row {}: ", i + 1); };
  if (t.size() != value.size()) {
    throw base::InputError(place,
                           fmt::format("table: {} times but {} values.", t.size(), value.size()));
  }
  if (t.empty()) throw base::InputError(place, "table: empty; at least one row is required.");
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!std::isfinite(t[i])) throw base::InputError(place, row(i) + "the time is not finite.");
    if (!std::isfinite(value[i])) {
      throw base::InputError(place, row(i) + "the value is not finite.");
    }
    if (i > 0 && !(t[i] > t[i - 1])) {
      throw base::InputError(
          place,
          row(i) + fmt::format("time {} is not after {}; times must ascend.", t[i], t[i - 1]));
    }
  }
}

/// Second derivatives of the natural cubic spline: for inner knots, with h[i] = t[i+1] - t[i],
///   h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 (slope[i] - slope[i-1]),
/// and m = 0 at both ends. Tridiagonal and diagonally dominant: elimination without pivoting.
std::vector<double> natural_spline(const std::vector<double>& t, const std::vector<double>& value) {
  const int n = static_cast<int>(t.size());
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  for (int i = 1; i + 1 < n; ++i) {
    const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    const double rhs = 6 * ((value[i + 1] - value[i]) / h1 - (value[i] - value[i - 1]) / h0);
    const double pivot = 2 * (h0 + h1) - h0 * upper[i - 1];
    upper[i] = h1 / pivot;
    m[i] = (rhs - h0 * m[i - 1]) / pivot;
  }
  for (int i = n - 2; i >= 1; --i) m[i] -= upper[i] * m[i + 1];
  return m;
}

}  // namespace

Table::Table(std::vector<double> t, std::vector<double> value, Interpolation interpolation,
             const base::Place& place) {
  check_knots(t, value, place);
  auto data = std::make_shared<Data>();
  if (interpolation == Interpolation::kCubic) data->curvature = natural_spline(t, value);
  data->t = std::move(t);
  data->value = std::move(value);
  data->interpolation = interpolation;
  data_ = std::move(data);
}

Interpolation Table::interpolation() const {
  return data_->interpolation;
}

const std::vector<double>& Table::knots() const {
  return data_->t;
}

double Table::value(double t) const {
  double d[4];
  evaluate(t, d);
  return d[0];
}

void Table::evaluate(double t, double derivatives[4]) const {
  const Data& table = *data_;
  double* d = derivatives;
  d[1] = d[2] = d[3] = 0;
  if (std::isnan(t)) {
    d[0] = t;
    return;
  }
  if (t < table.t.front()) {
    d[0] = table.value.front();
    return;
  }
  if (t >= table.t.back()) {
    d[0] = table.value.back();
    return;
  }
  const auto after = std::upper_bound(table.t.begin(), table.t.end(), t);
  const auto i = static_cast<std::size_t>(after - table.t.begin()) - 1;
  const double h = table.t[i + 1] - table.t[i], s = t - table.t[i];
  const double slope = (table.value[i + 1] - table.value[i]) / h;
  d[0] = table.value[i];
  switch (table.interpolation) {
    case Interpolation::kPrevious:
      return;
    case Interpolation::kLinear:
      d[0] += slope * s;
      d[1] = slope;
      return;
    case Interpolation::kCubic: {
      const double m0 = table.curvature[i], m1 = table.curvature[i + 1];
      d[3] = (m1 - m0) / h;
      d[2] = m0 + s * d[3];
      const double start = slope - h * (2 * m0 + m1) / 6;  // first derivative at the knot
      d[1] = start + s * (m0 + s * d[3] / 2);
      d[0] += s * (start + s * (m0 / 2 + s * d[3] / 6));
      return;
    }
  }
}

void Table::append_breaks(std::vector<double>& out, int smooth) const {
  const std::vector<double>& t = data_->t;
  const std::size_t n = t.size();
  if (n < 2) return;  // a constant
  switch (data_->interpolation) {
    case Interpolation::kPrevious:  // the first value also holds before the first knot
      if (smooth >= -1) out.insert(out.end(), t.begin() + 1, t.end());
      return;
    case Interpolation::kLinear:
      if (smooth >= 0) out.insert(out.end(), t.begin(), t.end());
      return;
    case Interpolation::kCubic:
      if (smooth >= 0) out.push_back(t.front());
      if (smooth >= 2) out.insert(out.end(), t.begin() + 1, t.end() - 1);
      if (smooth >= 0) out.push_back(t.back());
      return;
  }
}

}  // namespace parfait::expr
