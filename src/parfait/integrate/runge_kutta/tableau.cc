#include "parfait/integrate/runge_kutta/tableau.h"

#include <array>
#include <cassert>
#include <cstddef>

namespace parfait::integrate {
namespace {

constexpr std::size_t kMaxBubbles = 4;

/// What multiplies b_i, the first stage, the stage at the new point, and the bubble coefficients.
struct DenseBasis {
  double b;
  double first;
  double fsal;
  std::array<double, kMaxBubbles> bubble;
};

DenseBasis values_at(double theta) {
  const double eta = 1 - theta;
  const double bubble = theta * theta * eta * eta;
  return {.b = theta * theta * (3 - 2 * theta),
          .first = theta * eta * eta,
          .fsal = -theta * theta * eta,
          .bubble = {bubble, bubble * theta, bubble * theta * eta, bubble * theta * theta * eta}};
}

DenseBasis rates_at(double theta) {
  const double eta = 1 - theta;
  const double t2 = theta * theta;
  return {
      .b = 6 * theta * eta,
      .first = eta * (1 - 3 * theta),
      .fsal = theta * (3 * theta - 2),
      .bubble = {2 * theta * eta * (1 - 2 * theta), t2 * eta * (3 - 5 * theta),
                 3 * t2 * eta * eta * (1 - 2 * theta), t2 * theta * eta * eta * (4 - 7 * theta)}};
}

void combine(const Tableau& t, const DenseBasis& basis, std::span<double> out) {
  assert(static_cast<int>(out.size()) == t.total_stages);
  for (int i = 0; i < t.total_stages; ++i) {
    double weight = i < t.stages ? basis.b * t.b[i] : 0.0;
    for (std::size_t m = 0; m < t.bubble[i].size(); ++m) weight += basis.bubble[m] * t.bubble[i][m];
    out[i] = weight;
  }
  out[0] += basis.first;
  out[t.fsal_stage] += basis.fsal;
}

Tableau make_dormand_prince_5() {
  Tableau t;
  t.stages = 7;
  t.total_stages = 7;
  t.order = 5;
  t.error_order = 4;
  t.dense_order = 4;
  t.fsal_stage = 6;
  t.c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  t.b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
  t.a = {{},
         {1.0 / 5},
         {3.0 / 40, 9.0 / 40},
         {44.0 / 45, -56.0 / 15, 32.0 / 9},
         {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
         {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
         {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  const std::vector<double> b_hat = {
      5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
  for (int i = 0; i < t.stages; ++i) t.e.push_back(t.b[i] - b_hat[i]);
  t.bubble = {{-12715105075.0 / 11282082432},  {0},
              {87487479700.0 / 32700410799},   {-10690763975.0 / 1880347072},
              {701980252875.0 / 199316789632}, {-1453857185.0 / 822651844},
              {69997945.0 / 29380423}};
  return t;
}

}  // namespace

void Tableau::dense_weights(double theta, std::span<double> out) const {
  combine(*this, values_at(theta), out);
}

void Tableau::dense_rate_weights(double theta, std::span<double> out) const {
  combine(*this, rates_at(theta), out);
}

const Tableau& dormand_prince_5() {
  static const Tableau tableau = make_dormand_prince_5();
  return tableau;
}

}  // namespace parfait::integrate
