#include "testing/differences.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace parfait::testing_support {

Derivative differentiate(const std::function<Eigen::VectorXd(double)>& f, double h0) {
  constexpr int kLevels = 7;
  std::vector<Eigen::VectorXd> previous, row;
  Derivative best;
  best.error = std::numeric_limits<double>::infinity();
  double h = h0;
  for (int level = 0; level < kLevels; ++level, h /= 2) {
    row = {(f(h) - f(-h)) / (2 * h)};
    double factor = 4;  // the error of a central difference is a series in h^2
    for (int k = 1; k <= level; ++k, factor *= 4) {
      row.push_back(row[k - 1] + (row[k - 1] - previous[k - 1]) / (factor - 1));
      const double error = std::max((row[k] - row[k - 1]).lpNorm<Eigen::Infinity>(),
                                    (row[k] - previous[k - 1]).lpNorm<Eigen::Infinity>());
      if (error < best.error) best = {row[k], error};
    }
    previous = row;
  }
  return best;
}

Derivative acceleration_derivative(const DenseModel& model, const State& state,
                                   const State& direction, double h0) {
  return differentiate([&](double h) { return model.solve(moved(state, direction, h)).a; }, h0);
}

Derivative acceleration_derivative(const std::function<mechanism::Description(double)>& at,
                                   const State& state, const Functions& functions, double h0) {
  return differentiate([&](double h) { return DenseModel(at(h), functions).solve(state).a; }, h0);
}

}  // namespace parfait::testing_support
