#include "parfait/estimate/objective/minimize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/base/error.h"

namespace parfait::estimate::minimize_test {
namespace {

using Eigen::VectorXd;

const VectorXd kNone = VectorXd::Constant(2, kInfinity);

VectorXd vec(double a, double b) {
  return (VectorXd(2) << a, b).finished();
}

/// (x - 1)^2 + 10 (y + 2)^2.
bool paraboloid(const VectorXd& x, double& f, VectorXd* g) {
  f = std::pow(x[0] - 1, 2) + 10 * std::pow(x[1] + 2, 2);
  if (g) *g = vec(2 * (x[0] - 1), 20 * (x[1] + 2));
  return true;
}

bool rosenbrock(const VectorXd& x, double& f, VectorXd* g) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  f = a * a + 100 * b * b;
  if (g) *g = vec(-2 * a - 400 * x[0] * b, 200 * b);
  return true;
}

/// Sum of (x^4 - 16 x^2 + 5 x) / 2.
bool styblinski_tang(const VectorXd& x, double& f, VectorXd* g) {
  f = 0;
  for (const double t : x) f += 0.5 * (std::pow(t, 4) - 16 * t * t + 5 * t);
  if (g) *g = (2 * x.array().cube() - 16 * x.array() + 2.5).matrix();
  return true;
}

struct Way {
  Descent method;
  StepSearch search;
};
class Minimize : public testing::TestWithParam<Way> {
 protected:
  MinimizeOptions options() const {
    MinimizeOptions out;
    out.method = GetParam().method;
    out.line_search = GetParam().search;
    return out;
  }
};
std::vector<Way> ways() {
  std::vector<Way> out;
  for (const auto method : {Descent::kLbfgs, Descent::kBfgs, Descent::kSteepest}) {
    for (const auto search :
         {StepSearch::kWolfe, StepSearch::kGolden, StepSearch::kQuadratic, StepSearch::kCubic}) {
      out.push_back({method, search});
    }
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Ways, Minimize, testing::ValuesIn(ways()), [](const auto& instance) {
  return std::string(text(instance.param.method)) + "_" + text(instance.param.search);
});

TEST_P(Minimize, FindsTheMinimumOfAParaboloid) {
  const auto found = minimize(paraboloid, vec(-3, 5), -kNone, kNone, options());
  EXPECT_TRUE(found.converged()) << text(found.outcome);
  EXPECT_NEAR(found.x[0], 1, 1e-6);
  EXPECT_NEAR(found.x[1], -2, 1e-6);
  EXPECT_LT(found.iterations, 100);
}

TEST_P(Minimize, FindsTheDeepestOfStyblinskiAndTang) {
  const auto found = minimize(styblinski_tang, vec(-2, -4), -kNone, kNone, options());
  EXPECT_TRUE(found.converged()) << text(found.outcome);
  for (const double x : found.x) EXPECT_NEAR(x, -2.903534027771177, 1e-7);
  EXPECT_NEAR(found.f, 2 * -39.16616570377142, 1e-11);
}

TEST_P(Minimize, StopsAtBounds) {
  const auto found = minimize(paraboloid, vec(3, 0.5), vec(2, -1), vec(10, 1), options());
  EXPECT_TRUE(found.converged()) << text(found.outcome);
  EXPECT_EQ(found.x, vec(2, -1));
}

TEST_P(Minimize, NeverGoesUp) {
  const auto found = minimize(rosenbrock, vec(-1.2, 1), -kNone, kNone, options());
  for (std::size_t i = 1; i < found.path.size(); ++i) {
    EXPECT_LE(found.path[i].f, found.path[i - 1].f);
  }
  if (GetParam().method == Descent::kSteepest) return;  // it creeps along the valley
  EXPECT_TRUE(found.converged()) << text(found.outcome);
  EXPECT_NEAR(found.x[0], 1, 1e-5);
  EXPECT_LT(found.iterations, 80);
}

TEST_P(Minimize, GoesAroundWhereTheFunctionDoesNotExist) {
  const auto f = [](const VectorXd& x, double& value, VectorXd* g) {
    if (x[0] <= 0) return false;
    value = x[0] - std::log(x[0]) + x[1] * x[1];
    if (g) *g = vec(1 - 1 / x[0], 2 * x[1]);
    return true;
  };
  const auto found = minimize(f, vec(5, 3), -kNone, kNone, options());
  EXPECT_TRUE(found.converged()) << text(found.outcome);
  EXPECT_NEAR(found.x[0], 1, 1e-5);
}

TEST(MinimizeOptionsText, SaysWhatThereIs) {
  EXPECT_EQ(descent_of("bfgs", "--method"), Descent::kBfgs);
  EXPECT_THROW(descent_of("newton", "--method"), base::InputError);
  EXPECT_THROW(line_search_of("exact", "--line-search"), base::InputError);
}

TEST(MinimizeOptionsText, AStartWithoutValueFails) {
  const auto f = [](const VectorXd&, double&, VectorXd*) { return false; };
  EXPECT_EQ(minimize(f, vec(0, 0), -kNone, kNone).outcome, MinimizeResult::Outcome::kFailed);
}

}  // namespace
}  // namespace parfait::estimate::minimize_test
