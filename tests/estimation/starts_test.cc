#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/starts/multi_start.h"

// Many starts: where they lie, what they find, how they end.
namespace parfait::estimation::starts_test {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

/// A wave of unknown frequency: the sum of squares has a minimum every few steps.
Problem wave() {
  Problem problem;
  problem.estimates = {{.parameter = "w", .initial = 0.9, .lower = 0.5, .upper = 6, .truth = 3.1}};
  problem.experiments.push_back(algebraic_experiment("run", empty_data(times(0, 6, 61), {"eta"}),
                                                     {{"eta", "sin(w * t)"}}, 0.1));
  problem.options.sigma_known = true;
  return synthesize(problem, 3);
}

MultiStart started(const Problem& problem, int count, std::uint64_t seed = 1,
                   const std::vector<StartResult>& earlier = {}) {
  Team alone;
  const StartPoints points(make_start_space(problem), count, seed);
  return fit_from_many_starts(problem, points, alone, {.earlier = earlier});
}

TEST(Starts, FindTheMinimaThatAScanFinds) {
  Problem problem = wave();
  const auto& t = column(problem.experiments[0], "t");
  const auto& eta = column(problem.experiments[0], "eta");
  const auto objective = [&](double w) {
    double sum = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      sum += std::pow((std::sin(w * t[i]) - eta[i]) / 0.1, 2);
    }
    return sum;
  };
  // Minima of a scan in small steps, refined by a parabola.
  constexpr double kStep = 1e-4;
  std::vector<std::pair<double, double>> scanned;  // objective, w
  for (int i = 1; i < 54999; ++i) {
    const double w = 0.5 + i * kStep;
    const double a = objective(w - kStep), b = objective(w), c = objective(w + kStep);
    if (b > a || b >= c) continue;
    scanned.emplace_back(b - (c - a) * (c - a) / (8 * (a - 2 * b + c)), w);
  }
  std::ranges::sort(scanned);
  ASSERT_GT(scanned.size(), 4U);

  const FitResult alone = fit(problem);
  EXPECT_GT(alone.objective, 10 * scanned[0].first);  // that start leads elsewhere
  const MultiStart found = started(problem, 64);
  ASSERT_FALSE(found.minima.empty());
  EXPECT_NEAR(found.minima[0].objective, scanned[0].first, 1e-5 * scanned[0].first);
  EXPECT_GT(found.minima[0].count, 3);
  int inside = 0;
  for (const auto& minimum : found.minima) {
    const double w = minimum.low[0];
    EXPECT_LT(minimum.high[0] - w, 1e-4) << w;
    if (w < 0.5 + 1e-6 || w > 6 - 1e-6) continue;  // at a bound
    ++inside;
    const bool known = std::ranges::any_of(scanned, [&](const auto& s) {
      return std::abs(s.first - minimum.objective) < 1e-5 * s.first &&
             std::abs(s.second - w) < 1e-3;
    });
    EXPECT_TRUE(known) << "w = " << w << ", objective " << minimum.objective;
  }
  EXPECT_GT(inside, 2);
  // Sorted, each start once.
  std::vector<int> numbers;
  double last = 0;
  for (const auto& start : found.starts) {
    numbers.push_back(start.number);
    if (std::isnan(start.objective)) continue;
    EXPECT_GE(start.objective, last);
    last = start.objective;
  }
  std::ranges::sort(numbers);
  ASSERT_EQ(numbers.size(), 65U);
  for (int i = 0; i < 65; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(found.best()->number, found.starts[0].number);
}

TEST(Starts, MoreStartsRepeatTheFirstOnes) {
  const Problem problem = wave();
  const auto by_number = [](MultiStart found) {
    std::ranges::sort(found.starts, {}, &StartResult::number);
    return found.starts;
  };
  const auto few = by_number(started(problem, 4)), more = by_number(started(problem, 9));
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].initial, more[i].initial);
    EXPECT_EQ(few[i].objective, more[i].objective);
  }
  // What was done earlier is taken as it is.
  auto earlier = few;
  earlier[2].objective = 1e-3;
  earlier[3].status = "interrupted";
  const auto resumed = by_number(started(problem, 9, 1, earlier));
  EXPECT_EQ(resumed[2].objective, 1e-3);
  EXPECT_EQ(resumed[3].objective, more[3].objective);
  EXPECT_EQ(resumed[9].objective, more[9].objective);
}

TEST(Starts, LieWithinTheBoundsOnTheScaleOfTheEstimate) {
  Problem problem;
  problem.estimates = {
      {.parameter = "a", .initial = 1, .lower = -2, .upper = 6},
      {.parameter = "k",
       .initial = 1,
       .lower = 1e-4,
       .upper = 1e4,
       .transform = Estimate::Transform::kLog},
      {.parameter = "free", .initial = 7},
      {.parameter = "rate", .initial = 1, .lower = 1e-2, .upper = 1e2},
      {.parameter = "known", .initial = 3, .prior = Prior{.value = 3, .sigma = 1}}};
  const StartSpace space = make_start_space(problem);
  EXPECT_EQ(space.kept, (std::vector<std::string>{"free"}));
  constexpr int kCount = 128;
  const StartPoints points(space, kCount, 5);
  int low_a = 0, low_k = 0, low_rate = 0;
  for (int i = 1; i <= kCount; ++i) {
    const auto e = points.problem_of(problem, i).estimates;
    EXPECT_GE(e[0].initial, -2);
    EXPECT_LE(e[0].initial, 6);
    EXPECT_GE(e[1].initial, 1e-4);
    EXPECT_LE(e[1].initial, 1e4);
    EXPECT_EQ(e[2].initial, 7);
    EXPECT_GE(e[4].initial, 1);
    EXPECT_LE(e[4].initial, 5);
    low_rate += e[3].initial < 0.1 ? 1 : 0;
    low_a += e[0].initial < 0 ? 1 : 0;
    low_k += e[1].initial < 0.01 ? 1 : 0;
  }
  EXPECT_EQ(low_a, kCount / 4);     // a quarter of the range, exactly: the points are stratified
  EXPECT_EQ(low_k, kCount / 4);     // two of eight decades
  EXPECT_EQ(low_rate, kCount / 4);  // one of four decades
  EXPECT_EQ(points.problem_of(problem, 0).estimates[0].initial, 1);
  problem.estimates.erase(problem.estimates.begin(), problem.estimates.begin() + 2);
  problem.estimates.resize(1);
  EXPECT_THROW(make_start_space(problem), base::InputError);
}

TEST(Starts, FailuresAreStatuses) {
  // Half of the starts lie where the model does not exist; in a dynamic one solutions explode.
  Problem root;
  root.estimates = {{.parameter = "p", .initial = 0.5, .lower = -1, .upper = 1}};
  Data data = empty_data({1, 2, 3}, {"eta"});
  data.columns.back() = {0.6, 0.5, 0.7};
  root.experiments.push_back(algebraic_experiment("run", data, {{"eta", "sqrt(p)"}}, 0.1));
  const MultiStart found = started(root, 16);
  const auto failed = std::ranges::count(found.starts, "integration_failed", &StartResult::status);
  EXPECT_GE(failed, 6);
  EXPECT_EQ(failed + std::ranges::count(found.starts, "converged", &StartResult::status), 17);
  EXPECT_EQ(found.minima.size(), 1U);
  EXPECT_TRUE(std::isnan(found.starts.back().objective));

  dynamics::FormulaModel model;
  model.parameter("k", 0.1);
  model.state("x", 1, "k * x^2");
  Problem explosion;
  explosion.estimates = {{.parameter = "k", .initial = 0.1, .lower = -1, .upper = 3, .truth = 0.2}};
  explosion.experiments.push_back(
      dynamic_experiment("run", model, times(0, 2, 11), {{"eta", "x"}}, 0.05));
  const MultiStart exploded = started(synthesize(explosion, 1), 16);
  EXPECT_GT(std::ranges::count(exploded.starts, "integration_failed", &StartResult::status), 3);
  ASSERT_FALSE(exploded.minima.empty());
  EXPECT_NEAR(exploded.minima[0].low[0], 0.2, 0.02);
}

TEST(Starts, HopelessIsWhoNeitherFallsNorSettles) {
  const auto stopped_at = [](const std::function<Iteration(int)>& line, int measurements = 100) {
    HopelessWatch watch(measurements);
    for (int i = 0; i < 200; ++i) {
      if (watch.is_hopeless(line(i))) return i;
    }
    return -1;
  };
  const auto with = [](double objective, double increment, double infeasibility = 0) {
    Iteration line;
    line.objective = objective;
    line.increment = increment;
    line.infeasibility = infeasibility;
    return line;
  };
  EXPECT_EQ(stopped_at([&](int) { return with(10, 1); }), HopelessWatch::kPatience);
  EXPECT_EQ(stopped_at([&](int i) { return with(10 * std::pow(0.99, i), 1); }), -1);
  EXPECT_EQ(stopped_at([&](int i) { return with(10, std::pow(0.8, i)); }), -1);
  // Of a log-likelihood differences count, whatever its value.
  EXPECT_EQ(stopped_at([&](int i) { return with(-300 - 0.001 * i, 1); }, 0),
            HopelessWatch::kPatience);
  EXPECT_EQ(stopped_at([&](int i) { return with(300 - 0.02 * i, 1); }, 0), -1);
  EXPECT_EQ(stopped_at([&](int i) { return with(10, 1, std::pow(0.9, i)); }), -1);
}

}  // namespace
}  // namespace parfait::estimation::starts_test
