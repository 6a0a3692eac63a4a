#include "parfait/integrate/tableau.h"

namespace parfait::integrate {
namespace {

Tableau make_dormand_prince_5() {
  Tableau t;
  t.stages = 7;
  t.order = 5;
  t.error_order = 4;
  t.dense_order = 4;
  t.fsal = true;
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

  // The cubic Hermite interpolant of (y, k_1) and (y_1, k_7), plus a bubble theta^2 (1 - theta)^2
  // that leaves both ends alone and lifts the order from 3 to 4.
  const std::vector<double> bubble = {-12715105075.0 / 11282082432,  0,
                                      87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                      701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                      69997945.0 / 29380423};
  for (int i = 0; i < t.stages; ++i) {
    std::vector<double> d = {0, 3 * t.b[i] + bubble[i], -2 * t.b[i] - 2 * bubble[i], bubble[i]};
    if (i == 0) {
      d[0] += 1;
      d[1] -= 2;
      d[2] += 1;
    }
    if (i == t.stages - 1) {
      d[1] -= 1;
      d[2] += 1;
    }
    t.dense.push_back(d);
  }
  return t;
}

}  // namespace

std::vector<double> Tableau::dense_weights(double theta) const {
  std::vector<double> weights(stages, 0.0);
  for (int i = 0; i < stages; ++i) {
    for (std::size_t j = dense[i].size(); j-- > 0;) weights[i] = (weights[i] + dense[i][j]) * theta;
  }
  return weights;
}

const Tableau& dormand_prince_5() {
  static const Tableau tableau = make_dormand_prince_5();
  return tableau;
}

}  // namespace parfait::integrate
