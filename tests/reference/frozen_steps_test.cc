#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "frozen_run.h"
#include "motion.h"

// Sensitivities of mechanical models are the derivative of what the integrator computed, with its
// projections: against differences along the same steps, at tolerances so loose that the derivative
// of the exact motion is far away.
namespace parfait::reference {
namespace {

using integrate::Method;

struct Case {
  Method method;
  const char* model;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << integrate::text(c.method) << " " << c.model;
}

class FrozenSteps : public testing::TestWithParam<Case> {
 protected:
  static FrozenRun make_run() {
    const auto [method, name] = GetParam();
    // hht has order 2: at the tolerance of the others it would take thousands of steps.
    const double rtol = method == Method::kHht ? 1e-3 : 1e-5;
    auto options = tolerances(rtol, 0.01 * rtol, method);
    options.projection_tolerance = 1e-13;
    const std::string file = name;
    return FrozenRun(
        file == "bricard" ? load_example("bricard/bricard.xml") : load_model(file + ".xml"), 3,
        options);
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (auto method : {Method::kDop853, Method::kDopri5, Method::kAbm, Method::kHht}) {
    for (const char* model : {"spring_double_pendulum", "spring_four_bar", "bricard"}) {
      cases.push_back({method, model});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Mechanics, FrozenSteps, testing::ValuesIn(all_cases()),
                         [](const auto& instance) {
                           return std::string(integrate::text(instance.param.method)) + "_" +
                                  instance.param.model;
                         });

TEST_P(FrozenSteps, DirectionsAreTheDerivativeOfTheReplayedMotion) {
  FrozenRun run = make_run();
  integrate::Record record;
  const auto end = run.run(0.7, record);
  EXPECT_GE(record.steps.size(), 5u);
  double worst = 0;
  for (int j = 0; j < run.num_unknowns(); ++j) {
    const auto expected = difference(run, record, j);
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      error = std::max(error, std::abs(end.W(static_cast<int>(i), j) - expected[i]));
    }
    EXPECT_GT(largest, 1e-3) << "unknown " << j << " changes nothing";
    EXPECT_LT(error, 1e-8 * largest) << "unknown " << j;
    worst = std::max(worst, error / largest);
  }
  fmt::print("  {} steps, largest relative error {:.1e}\n", record.steps.size(), worst);
}

TEST_P(FrozenSteps, MovedStartFollowsTheDirectionsToSecondOrder) {
  FrozenRun run = make_run();
  integrate::Record record;
  const auto end = run.run(0.5, record);
  // All unknowns together, each by its own step.
  const int n = run.num_unknowns();
  std::vector<double> at(n), unit(n);
  for (int j = 0; j < n; ++j) {
    at[j] = run.unknown(j);
    unit[j] = 1e3 * run.step(j) * (j % 2 ? -1 : 0.7);
  }
  const auto defect = [&](double epsilon) {
    for (int j = 0; j < n; ++j) run.unknown(j) = at[j] + epsilon * unit[j];
    const auto moved = run.replay(record);
    double sum = 0;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      double linear = end.y[i];
      for (int j = 0; j < n; ++j) linear += epsilon * unit[j] * end.W(static_cast<int>(i), j);
      sum += std::abs(moved[i] - linear);
    }
    return sum;
  };
  for (double epsilon : {1e-3, 5e-4}) {
    ASSERT_GT(defect(epsilon / 2), 1e-10);  // above rounding
    EXPECT_NEAR(std::log2(defect(epsilon) / defect(epsilon / 2)), 2, 0.05) << epsilon;
  }
}

}  // namespace
}  // namespace parfait::reference
