#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "problems.h"

// What a fit says about parameters that the data cannot determine.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

const Finding* finding(const FitResult& result, Finding::Kind kind, const std::string& parameter) {
  for (const Finding& f : result.identifiability.findings) {
    if (f.kind == kind && std::ranges::find(f.parameters, parameter) != f.parameters.end())
      return &f;
  }
  return nullptr;
}

/// x' = -k1 k2 x; `ghost` is in the model, but multiplied by zero.
Problem product(bool two_experiments) {
  dynamics::FormulaModel model;
  model.state("x", 2, "-k1 * k2 * x + 0 * ghost");
  Problem problem;
  for (const auto& [id, truth] : {std::pair{"k1", 0.5}, {"k2", 1.5}, {"ghost", 3.0}}) {
    model.parameter(id, truth);
    problem.estimates.push_back({.parameter = id, .initial = truth, .truth = truth});
  }
  problem.experiments.push_back(
      dynamic_experiment("batch", model, times(0, 4, 15), {{"x", "x"}}, 0.01));
  if (two_experiments) {
    // The feed is a parameter of the second experiment's model only.
    dynamics::FormulaModel fed = model;
    fed.states[0].derivative = "-k1 * k2 * x + feed";
    fed.parameter("feed", 0.2);
    problem.estimates.push_back({.parameter = "feed", .initial = 0.2, .truth = 0.2});
    problem.experiments.push_back(
        dynamic_experiment("fed", fed, times(0, 4, 15), {{"x", "x"}}, 0.01));
  }
  problem = synthesize(problem, 19);
  problem.estimates[0].initial = 0.7;
  return problem;
}

TEST(Undetermined, ProductsAndInertParametersAreNamed) {
  const FitResult result = fit(product(false));
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_FALSE(result.identifiability.all_determined());
  EXPECT_EQ(result.rank, 1);

  const Finding* both = finding(result, Finding::Kind::kCombination, "k1");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->parameters.size(), 2U);
  EXPECT_NE(std::ranges::find(both->parameters, "k2"), both->parameters.end());
  EXPECT_NE(std::ranges::find(both->determined, "k1*k2"), both->determined.end()) << both->text;
  EXPECT_NE(both->text.find("k1*k2"), std::string::npos) << both->text;
  const Finding* inert = finding(result, Finding::Kind::kNoInfluence, "ghost");
  ASSERT_NE(inert, nullptr);
  EXPECT_EQ(inert->parameters.size(), 1U);
  EXPECT_EQ(result.identifiability.findings.size(), 2U);

  for (const char* id : {"k1", "k2", "ghost"}) {
    EXPECT_EQ(find(result, id).statistics.determined, Determined::kUndetermined) << id;
    EXPECT_TRUE(std::isinf(find(result, id).statistics.sd)) << id;
  }
  EXPECT_EQ(value(result, "ghost"), 3);  // the shortest step leaves it alone
  EXPECT_NEAR(value(result, "k1") * value(result, "k2"), 0.75, 0.02);
}

TEST(Undetermined, AParameterSeenInOneExperimentOnlyIsDeterminedAndItsSourceIsNamed) {
  const FitResult result = fit(product(true));
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const auto& feed = find(result, "feed").statistics;
  EXPECT_EQ(feed.determined, Determined::kByData);
  EXPECT_NEAR(feed.value, 0.2, 4 * feed.sd);
  bool found = false;
  for (const InformationSource& source : result.identifiability.sources) {
    if (source.parameter != "feed") continue;
    found = true;
    ASSERT_GE(source.shares.size(), 1U);
    EXPECT_EQ(source.shares[0].experiment, "fed");
    EXPECT_NEAR(source.shares[0].share, 1, 1e-12);
  }
  EXPECT_TRUE(found);
  const Finding* both = finding(result, Finding::Kind::kCombination, "k1");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->experiments.size(), 2U);
}

TEST(Undetermined, LocalParametersAreNamedWithTheirExperiment) {
  // Offset and gain of the second run cannot be told apart: only gain * 2 + offset shows.
  dynamics::FormulaModel model;
  model.state("x", 1, "-k * x");
  for (const char* id : {"k", "gain", "offset"}) model.parameter(id, 1);
  Problem problem;
  problem.estimates = {{.parameter = "k", .initial = 0.6, .truth = 0.6}};
  for (const char* id : {"first", "second"}) {
    auto& e = problem.experiments.emplace_back(
        dynamic_experiment(id, model, times(0, 3, 12), {{"eta", "(2 * gain + offset) * x"}}, 0.01));
    e.locals = {{.parameter = "gain", .initial = 1}};
  }
  problem.experiments[1].locals.push_back({.parameter = "offset", .initial = 0.5});
  problem.experiments[0].sets.push_back({.parameter = "offset", .value = 0.5});
  const FitResult result = fit(synthesize(problem, 23));
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const Finding* both = finding(result, Finding::Kind::kCombination, "gain (second)");
  ASSERT_NE(both, nullptr);
  EXPECT_NE(std::ranges::find(both->parameters, "offset (second)"), both->parameters.end());
  EXPECT_EQ(find_in(result, "first", "gain").statistics.determined, Determined::kByData);
  EXPECT_EQ(find_in(result, "second", "gain").statistics.determined, Determined::kUndetermined);
  EXPECT_EQ(find(result, "k").statistics.determined, Determined::kByData);
}

TEST(Undetermined, WellPosedProblemsAreNotAccused) {
  const FitResult result = fit(lotka_volterra_heidelberg());
  ASSERT_TRUE(result.converged());
  EXPECT_TRUE(result.identifiability.all_determined());
  EXPECT_TRUE(result.identifiability.findings.empty());
}

}  // namespace
}  // namespace parfait::estimation
