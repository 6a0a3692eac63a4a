#include "parfait/integrate/adams/adams_history.h"

#include <algorithm>

#include "parfait/math/lanes.h"

namespace parfait::integrate {

using math::kLanes;
using math::Lane;
using math::load;
using math::store;

namespace {

AdamsArray times_beta(const AdamsCoefficients& c, const AdamsArray& w) {
  AdamsArray product;
  for (int i = 1; i <= c.order(); ++i) product[i] = w[i] * c.beta(i);
  return product;
}

}  // namespace

void AdamsHistory::resize(std::size_t n) {
  const std::size_t blocks = (n + kLanes - 1) / kLanes;
  phi_.assign(blocks * kDepth * kLanes, 0.0);
  delta_.assign(blocks * kLanes, 0.0);
  change_.assign(blocks * kLanes, 0.0);
}

void AdamsHistory::start(const double* f) {
  for (std::size_t b = 0; b < size() / kLanes; ++b) store(difference(b, 1), load(f + b * kLanes));
}

void AdamsHistory::predict(const AdamsCoefficients& c, const double* y0, double* p) {
  const int k = c.order();
  AdamsArray g_beta, beta;
  for (int i = 1; i <= k; ++i) {
    beta[i] = c.beta(i);
    g_beta[i] = c.g(i) * beta[i];
  }
  const double h = c.h();
  for (std::size_t b = 0; b < size() / kLanes; ++b) {
    // Small terms first.
    const Lane last = load(difference(b, k));
    Lane sum = g_beta[k] * last;
    Lane expected = beta[k] * last;
    for (int i = k - 1; i >= 1; --i) {
      const Lane phi = load(difference(b, i));
      sum += g_beta[i] * phi;
      expected += beta[i] * phi;
    }
    store(p + b * kLanes, load(y0 + b * kLanes) + h * sum);
    store(delta_.data() + b * kLanes, expected);  // until f_p is known
  }
}

void AdamsHistory::correct(const AdamsCoefficients& c, const double* p, const double* fp,
                           double* y1) {
  const double h_g = c.h() * c.g(c.order() + 1);
  for (std::size_t j = 0; j < size(); j += kLanes) {
    const Lane delta = load(fp + j) - load(delta_.data() + j);
    store(delta_.data() + j, delta);
    store(y1 + j, load(p + j) + h_g * delta);
  }
}

void AdamsHistory::finish(const double* fp, const double* f1) {
  for (std::size_t j = 0; j < size(); j += kLanes) {
    store(change_.data() + j, load(f1 + j) - load(fp + j));
  }
}

void AdamsHistory::advance(const AdamsCoefficients& c, const double* f1) {
  const int k = c.order();
  const int last = std::min(k + 1, c.num_known());
  AdamsArray beta;
  for (int i = 1; i <= last; ++i) beta[i] = c.beta(i);
  for (std::size_t b = 0; b < size() / kLanes; ++b) {
    Lane next = load(f1 + b * kLanes);
    for (int i = 1; i <= last; ++i) {
      double* phi = difference(b, i);
      const Lane old = load(phi);
      store(phi, next);
      next -= beta[i] * old;  // (A1)
    }
    store(difference(b, last + 1), next);
  }
}

void AdamsHistory::predicted_difference(const AdamsCoefficients& c, int below, double* out) const {
  const int k = c.order();
  for (std::size_t b = 0; b < size() / kLanes; ++b) {
    Lane sum = load(delta_.data() + b * kLanes);
    for (int i = k; i > k - below; --i) sum += c.beta(i) * load(difference(b, i));
    store(out + b * kLanes, sum);
  }
}

void AdamsHistory::higher_difference(const AdamsCoefficients& c, double* out) const {
  const int k = c.order();
  for (std::size_t b = 0; b < size() / kLanes; ++b) {
    const std::size_t j = b * kLanes;
    store(out + j, load(delta_.data() + j) + load(change_.data() + j) -
                       c.beta(k + 1) * load(difference(b, k + 1)));
  }
}

void AdamsHistory::interpolate(const AdamsCoefficients& c, double s, const double* y0,
                               std::span<double> y) const {
  AdamsArray basis, integral;
  c.basis(s, basis, integral);
  combine(c, integral, s * (s - 1), s * c.h(), y0, y);
}

void AdamsHistory::interpolate_rate(const AdamsCoefficients& c, double s,
                                    std::span<double> dydt) const {
  AdamsArray basis, integral;
  c.basis(s, basis, integral);
  combine(c, basis, s * (3 * s - 2), 1, nullptr, dydt);
}

void AdamsHistory::combine(const AdamsCoefficients& c, const AdamsArray& w, double bubble,
                           double scale, const double* y0, std::span<double> out) const {
  const int k = c.order();
  const AdamsArray w_beta = times_beta(c, w);
  const double scaled_delta = scale * w[k + 1];
  const double scaled_bubble = scale * bubble;
  for (std::size_t j = 0; j < out.size(); j += kLanes) {
    const std::size_t b = j / kLanes;
    Lane sum = w_beta[k] * load(difference(b, k));
    for (int i = k - 1; i >= 1; --i) sum += w_beta[i] * load(difference(b, i));
    // In the order of predict and correct, so that s = 1 gives the number of the step.
    const Lane base = y0 != nullptr ? load(y0 + j) : Lane{};
    Lane value = base + scale * sum;
    value = value + scaled_delta * load(delta_.data() + j);
    value = value + scaled_bubble * load(change_.data() + j);
    if (out.size() - j >= kLanes) {
      store(out.data() + j, value);
    } else {
      for (std::size_t l = 0; j + l < out.size(); ++l) out[j + l] = value[static_cast<int>(l)];
    }
  }
}

}  // namespace parfait::integrate
