#include "parfait/integrate/adams/adams_control.h"

#include <algorithm>
#include <cmath>

namespace parfait::integrate {
namespace {

constexpr double kAim = 0.5;  // of the tolerance

// A step grows only if it can grow by this much. Doubling or nothing, the classical rule, costs 5
// to 15 % more evaluations on orbits and pendulums; smaller changes come so often that the order
// seldom finds the equal steps it needs to rise.
constexpr double kWorthGrowing = 1.5;

// How much rounding errors of f may be magnified before the order rises or the step grows. Equal
// steps do so by 2^(k-1), steps that double again and again by 2^(k^2/2): harmless for the
// tolerance, since the estimates see it, but the result of repeated steps would no longer be smooth
// in the initial values and parameters. The limit costs no evaluations worth mentioning.
double most_noise(int order) {
  return std::max(100.0, 1.5 * std::ldexp(1.0, order - 1));
}

}  // namespace

void AdamsControl::start() {
  order_ = 1;
  starting_ = true;
  num_rejected_ = 0;
  num_same_size_ = 0;
}

bool AdamsControl::lower_is_better(const AdamsErrors& e) const {
  if (order_ == 1) return false;
  if (order_ == 2) return e.lower <= 0.5 * e.same;
  return std::max(e.lower, e.lowest) <= e.same;
}

double AdamsControl::after_accepted(const AdamsErrors& e, bool same_size) {
  num_rejected_ = 0;
  num_same_size_ = same_size ? num_same_size_ + 1 : 1;
  double error = e.same;  // of the order chosen
  const bool lower = lower_is_better(e);
  if (lower || order_ == max_order_) starting_ = false;
  const bool may_grow = e.noise_same <= most_noise(order_);
  const bool may_rise = order_ < max_order_ && e.noise_higher <= most_noise(order_ + 1);
  if (starting_) {
    if (may_rise) ++order_;
    return 2;
  }
  if (lower) {
    --order_;
    error = e.lower;
  } else if (may_rise && e.has_higher && num_same_size_ > order_) {
    if (order_ > 1 && e.lower <= std::min(e.same, e.higher)) {
      --order_;
      error = e.lower;
    } else if (e.higher < (order_ == 1 ? 0.5 : 1.0) * e.same) {
      ++order_;
      error = e.higher;
    }
  }
  const double factor = error == 0 ? 2 : std::pow(kAim / error, 1.0 / (order_ + 1));
  if (factor >= kWorthGrowing && may_grow) return std::min(factor, 2.0);
  if (factor >= 1) return 1;
  return std::clamp(factor, 0.5, 0.9);
}

double AdamsControl::after_rejected(const AdamsErrors& e) {
  const bool lower = lower_is_better(e);
  starting_ = false;
  ++num_rejected_;
  num_same_size_ = 0;
  if (lower) --order_;
  if (num_rejected_ < 3) return 0.5;
  order_ = 1;
  if (num_rejected_ == 3 || !(e.same > 2 * kAim)) return 0.5;
  return std::min(0.5, std::sqrt(kAim / e.same));
}

double AdamsControl::after_failed() {
  starting_ = false;
  num_same_size_ = 0;
  if (++num_rejected_ >= 3) order_ = 1;
  return 0.25;
}

}  // namespace parfait::integrate
