#include "parfait/integrate/stepping/combine.h"

#include "parfait/math/lanes.h"

namespace parfait::integrate {

void Combination::evaluate(const double* base, double* out, std::size_t size) const {
  using math::Lane;
  using math::load;
  // Two lanes stay in registers while all terms pass over them. Written as lanes: of a loop over an
  // array GCC 12 makes gathers, four terms at a time, which takes three times as long. The base is
  // added last: the terms are small beside it, and it is rounded once.
  constexpr std::size_t kBlock = 2 * math::kLanes;
  std::size_t at = 0;
  for (; at + kBlock <= size; at += kBlock) {
    Lane first, second;
    for (int j = 0; j < count_; ++j) {
      const double w = weights_[j];
      const double* x = terms_[j] + at;
      first += w * load(x);
      second += w * load(x + math::kLanes);
    }
    if (base) {
      first += load(base + at);
      second += load(base + at + math::kLanes);
    }
    store(out + at, first);
    store(out + at + math::kLanes, second);
  }
  for (; at < size; ++at) {
    double sum = 0;
    for (int j = 0; j < count_; ++j) sum += weights_[j] * terms_[j][at];
    out[at] = base ? base[at] + sum : sum;
  }
}

}  // namespace parfait::integrate
