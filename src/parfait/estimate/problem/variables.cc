#include "parfait/estimate/problem/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parfait::estimate {
namespace {

bool uses_log(const Estimate& e) {
  return e.transform == Estimate::Transform::kLog;
}

void require(bool holds, const Estimate& e, const std::string& what) {
  if (!holds)
    throw base::InputError(e.place, fmt::format("parameter \"{}\": {}", e.parameter, what));
}

double default_scale(const Estimate& e) {
  return uses_log(e) ? 1.0 : std::max(std::abs(e.initial), 1.0);
}

void check_estimate(const Estimate& e) {
  require(std::isfinite(e.initial), e, fmt::format("initial = {}: must be a number.", e.initial));
  require(!(e.lower > e.upper), e,
          fmt::format("lower = {} is above upper = {}.", e.lower, e.upper));
  require(e.lower <= e.initial && e.initial <= e.upper, e,
          fmt::format("initial = {} is outside its bounds [{}, {}].", e.initial, e.lower, e.upper));
  require(!e.scale || (std::isfinite(*e.scale) && *e.scale > 0), e,
          fmt::format("scale = {}: must be > 0.", e.scale.value_or(0)));
  if (!uses_log(e)) return;
  require(e.initial > 0, e,
          fmt::format("initial = {}: must be > 0 with transform log.", e.initial));
  require(e.upper > 0, e, fmt::format("upper = {}: must be > 0 with transform log.", e.upper));
}

}  // namespace

Unknowns::Unknowns(std::vector<Estimate> estimates) : estimates_(std::move(estimates)) {
  const auto n = static_cast<Eigen::Index>(estimates_.size());
  scale_.resize(n);
  initial_.resize(n);
  lower_.resize(n);
  upper_.resize(n);
  for (int i = 0; i < size(); ++i) {
    const Estimate& e = estimate(i);
    check_estimate(e);
    scale_[i] = e.scale.value_or(default_scale(e));
    initial_[i] = x_of(i, e.initial);
    lower_[i] = is_log(i) && e.lower <= 0 ? -kInfinity : x_of(i, e.lower);
    upper_[i] = x_of(i, e.upper);
  }
}

std::vector<std::string> Unknowns::names() const {
  std::vector<std::string> names;
  names.reserve(estimates_.size());
  for (const Estimate& e : estimates_) names.push_back(e.parameter);
  return names;
}

int Unknowns::find(const std::string& name) const {
  const auto at = std::find_if(estimates_.begin(), estimates_.end(),
                               [&](const Estimate& e) { return e.parameter == name; });
  return at == estimates_.end() ? -1 : static_cast<int>(at - estimates_.begin());
}

double Unknowns::value_of(int i, double x) const {
  // At a bound it is the bound, whatever scaling there and back would make of it.
  if (std::isfinite(x) && x == lower_[i]) return estimate(i).lower;
  if (std::isfinite(x) && x == upper_[i]) return estimate(i).upper;
  return is_log(i) ? std::exp(scale_[i] * x) : scale_[i] * x;
}

double Unknowns::x_of(int i, double p) const {
  return (is_log(i) ? std::log(p) : p) / scale_[i];
}

double Unknowns::derivative_of(int i, double x) const {
  return is_log(i) ? scale_[i] * value_of(i, x) : scale_[i];
}

void Unknowns::values(VecIn x, double* p) const {
  for (int i = 0; i < size(); ++i) p[i] = value_of(i, x[i]);
}

Eigen::VectorXd Unknowns::values(VecIn x) const {
  Eigen::VectorXd p(size());
  values(x, p.data());
  return p;
}

void Unknowns::derivatives(VecIn x, double* dp_dx) const {
  for (int i = 0; i < size(); ++i) dp_dx[i] = derivative_of(i, x[i]);
}

Eigen::VectorXd Unknowns::derivatives(VecIn x) const {
  Eigen::VectorXd dp_dx(size());
  derivatives(x, dp_dx.data());
  return dp_dx;
}

std::vector<std::optional<double>> Unknowns::truth() const {
  std::vector<std::optional<double>> truth;
  truth.reserve(estimates_.size());
  for (const Estimate& e : estimates_) truth.push_back(e.truth);
  return truth;
}

std::vector<BoundRow> bound_rows(const Unknowns& unknowns) {
  std::vector<BoundRow> rows;
  for (int i = 0; i < unknowns.size(); ++i) {
    if (std::isfinite(unknowns.lower()[i])) rows.push_back({.unknown = i, .upper = false});
    if (std::isfinite(unknowns.upper()[i])) rows.push_back({.unknown = i, .upper = true});
  }
  return rows;
}

double bound_value(const Unknowns& unknowns, const BoundRow& row, VecIn x) {
  const int i = row.unknown;
  return row.upper ? unknowns.upper()[i] - x[i] : x[i] - unknowns.lower()[i];
}

bool is_at_bound(const Unknowns& unknowns, const BoundRow& row, VecIn x) {
  constexpr double kNear = 1e-9;
  const int i = row.unknown;
  const double bound = row.upper ? unknowns.upper()[i] : unknowns.lower()[i];
  return bound_value(unknowns, row, x) <=
         kNear * std::max(std::abs(bound), std::abs(unknowns.initial()[i]));
}

double bound_sign(const BoundRow& row) {
  return row.upper ? -1.0 : 1.0;
}

}  // namespace parfait::estimate
