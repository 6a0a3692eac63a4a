#include "parfait/integrate/stepping/combine.h"

#include <algorithm>

namespace parfait::integrate {

void Combination::evaluate(const double* base, double* out, std::size_t size) const {
  // A block stays in registers while all terms pass over it.
  constexpr std::size_t kBlock = 16;
  std::size_t at = 0;
  for (; at + kBlock <= size; at += kBlock) {
    double sum[kBlock];
    for (std::size_t m = 0; m < kBlock; ++m) sum[m] = base ? base[at + m] : 0;
    for (int j = 0; j < count_; ++j) {
      const double w = weights_[j];
      const double* x = terms_[j] + at;
      for (std::size_t m = 0; m < kBlock; ++m) sum[m] += w * x[m];
    }
    std::copy(sum, sum + kBlock, out + at);
  }
  for (; at < size; ++at) {
    double sum = base ? base[at] : 0;
    for (int j = 0; j < count_; ++j) sum += weights_[j] * terms_[j][at];
    out[at] = sum;
  }
}

}  // namespace parfait::integrate
