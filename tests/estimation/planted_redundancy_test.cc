#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "build.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"

// Models in which it is known what cannot be determined: verdicts, advice, and the advice followed.
namespace parfait::estimation::planted_redundancy_test {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Names = std::vector<std::string>;
using NameSets = std::set<std::set<std::string>>;

/// Parameters that enter the model through `formulas` alone, and what must be said about them.
struct Group {
  Names parameters;
  Names formulas;
  ParameterClass expected = ParameterClass::kDetermined;
  NameSets fixings{};  ///< all smallest sets
};

NameSets all_but_one(const Names& names) {
  NameSets sets;
  for (const auto& left : names) {
    std::set<std::string> set(names.begin(), names.end());
    set.erase(left);
    sets.insert(set);
  }
  return sets;
}

class RandomModel {
 public:
  explicit RandomModel(unsigned seed) : random_(seed) {
    int count = 0;
    for (const int kind : shuffled()) {
      groups_.push_back(make_group(kind, count));
    }
    make_problem();
  }

  const std::vector<Group>& groups() const { return groups_; }
  const Problem& problem() const { return problem_; }

 private:
  std::vector<int> shuffled() {
    std::vector<int> kinds = {0, 1, 2, 3, 4, 5, 6, 7};
    std::shuffle(kinds.begin(), kinds.end(), random_);
    kinds.resize(3 + random_() % 4);
    return kinds;
  }

  Names new_names(int count, int& next) {
    Names names;
    for (int i = 0; i < count; ++i) names.push_back("p" + std::to_string(next++));
    std::shuffle(names.begin(), names.end(), random_);
    return names;
  }

  Group make_group(int kind, int& next) {
    const auto combination = ParameterClass::kCombination;
    Group g;
    const auto named = [&](int count) { return g.parameters = new_names(count, next); };
    const auto& n = g.parameters;
    switch (kind) {
      case 0:  // a product
        named(2);
        g.formulas = {n[0] + "*" + n[1]};
        g.fixings = all_but_one(n);
        break;
      case 1:  // a product of powers of three
        named(3);
        g.formulas = {n[0] + "*" + n[1] + "^2/" + n[2]};
        g.fixings = all_but_one(n);
        break;
      case 2:  // a weighted sum
        named(3);
        g.formulas = {n[0] + " + 2*" + n[1] + " - 0.7*" + n[2]};
        g.fixings = all_but_one(n);
        break;
      case 3:  // two combinations of three: one of them is enough, whichever
        named(3);
        g.formulas = {n[0] + "*" + n[1], n[1] + "*" + n[2]};
        g.fixings = {{n[0]}, {n[1]}, {n[2]}};
        break;
      case 4:  // tied by a tiny coupling: to fix the first two would leave the third in name only
        named(3);
        g.formulas = {n[0] + "*" + n[1] + "*" + n[2] + "^3e-5"};
        g.fixings = {{n[0], n[2]}, {n[1], n[2]}};
        // The shortest step in units of the data moves the weak one by orders of magnitude, and
        // line searches lose their way there; damped steps do not.
        problem_.options.iteration.globalization = Globalization::kLm;
        break;
      case 5:  // idle
        named(1);
        g.formulas = {"0*" + n[0]};
        g.expected = ParameterClass::kNoInfluence;
        g.fixings = {{n[0]}};
        return g;
      case 6:  // so weak that the bounds say more
        named(1);
        g.formulas = {"1e-4*" + n[0]};
        g.expected = ParameterClass::kPractically;
        weak_.insert(n[0]);
        return g;
      default:  // as it should be
        named(2);
        g.formulas = {n[0], "exp(0.3*" + n[1] + ") + " + n[0]};
        return g;
    }
    g.expected = combination;
    return g;
  }

  void make_problem() {
    std::uniform_real_distribution<double> value(0.5, 3), any(-2, 2);
    std::normal_distribution<double> noise(0, 0.01);
    constexpr int kRows = 60;
    Names columns;
    std::string model;
    for (const auto& g : groups_) {
      for (const auto& formula : g.formulas) {
        columns.push_back("c" + std::to_string(columns.size()));
        model += (model.empty() ? "(" : " + (") + formula + ")*" + columns.back();
      }
      for (const auto& name : g.parameters) {
        Estimate e{.parameter = name, .initial = value(random_)};
        e.truth = e.initial;
        if (weak_.contains(name)) e.lower = -5, e.upper = 5;
        problem_.estimates.push_back(e);
      }
    }
    std::shuffle(problem_.estimates.begin(), problem_.estimates.end(), random_);
    std::vector<double> rows(kRows);
    for (int i = 0; i < kRows; ++i) rows[static_cast<std::size_t>(i)] = i;
    columns.emplace_back("eta");
    Data data = empty_data(rows, columns);
    for (auto& column : data.columns) {
      if (&column == &data.columns.front()) continue;
      for (double& x : column) x = any(random_);
    }
    problem_.experiments.push_back(algebraic_experiment("run", data, {{"eta", model}}, 0.01));
    // Measurements at the truth: the residuals of a problem that measured nothing but zeros.
    auto& eta = column(problem_.experiments[0], "eta");
    std::ranges::fill(eta, 0.0);
    Problem exact = problem_;
    exact.options.iteration.max_iterations = 0;
    const FitResult at_truth = fit(exact);
    for (std::size_t i = 0; i < eta.size(); ++i) {
      eta[i] = at_truth.experiments[0].residuals[i].model + noise(random_);
    }
    // The fit begins elsewhere.
    for (auto& e : problem_.estimates) e.initial *= 1 + 0.1 * any(random_) / 2;
  }

  std::mt19937 random_;
  std::vector<Group> groups_;
  std::set<std::string> weak_;
  Problem problem_;
};

/// The problem with parameters held at their estimates.
Problem holding(Problem problem, const FitResult& result, const std::set<std::string>& names) {
  for (const auto& name : names) {
    problem.experiments[0].sets.push_back({.parameter = name, .value = value(result, name)});
    std::erase_if(problem.estimates, [&](const Estimate& e) { return e.parameter == name; });
  }
  for (auto& e : problem.estimates) e.initial = value(result, e.parameter);
  return problem;
}

/// Names of parameters that stay open.
std::set<std::string> open_of(const FitResult& result) {
  std::set<std::string> names;
  for (const auto& e : result.estimates) {
    if (e.statistics.determined == Determined::kUndetermined) names.insert(e.id);
  }
  return names;
}

const Finding* finding_about(const FitResult& result, const std::string& name) {
  for (const auto& f : result.identifiability.findings) {
    if (f.kind >= Finding::Kind::kPractically) continue;
    if (std::ranges::find(f.parameters, name) != f.parameters.end()) return &f;
  }
  return nullptr;
}

TEST(PlantedRedundancy, EveryVerdictIsRightAndTheAdviceHelps) {
  int refits = 0, combinations = 0, practically = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const RandomModel model(seed);
    const FitResult result = fit(model.problem());
    ASSERT_TRUE(result.converged()) << result.iteration.message;
    std::size_t smallest = 0;
    for (const auto& g : model.groups()) {
      for (const auto& name : g.parameters) {
        const auto e = std::ranges::find(result.estimates, name, &EstimateResult::id);
        // Noise may drive what is weak to its bound.
        const bool driven =
            g.expected == ParameterClass::kPractically && std::abs(e->statistics.value) == e->upper;
        EXPECT_STREQ(text(e->parameter_class), text(driven ? ParameterClass::kAtBound : g.expected))
            << name;
        practically += e->parameter_class == ParameterClass::kPractically ? 1 : 0;
      }
      const Finding* f = finding_about(result, g.parameters[0]);
      if (g.fixings.empty()) {
        EXPECT_EQ(f, nullptr);
        continue;
      }
      ASSERT_NE(f, nullptr) << g.parameters[0];
      combinations += f->kind == Finding::Kind::kCombination ? 1 : 0;
      EXPECT_EQ(std::set(f->parameters.begin(), f->parameters.end()),
                std::set(g.parameters.begin(), g.parameters.end()));
      NameSets suggested;
      for (const auto& set : f->fixings) suggested.insert({set.begin(), set.end()});
      EXPECT_EQ(suggested, g.fixings);
      smallest += g.fixings.begin()->size();

      // Followed, the advice determines this group and nothing of what the others leave open; with
      // one parameter less it does not.
      const std::set<std::string> own(g.parameters.begin(), g.parameters.end());
      for (const auto& set : suggested) {
        const FitResult held = fit(holding(model.problem(), result, set));
        ++refits;
        ASSERT_TRUE(held.converged()) << held.iteration.message;
        EXPECT_NEAR(held.objective, result.objective, 1e-6 * result.objective);
        for (const auto& name : open_of(held)) EXPECT_FALSE(own.contains(name)) << name;
        for (const auto& dropped : set) {
          std::set<std::string> fewer = set;
          fewer.erase(dropped);
          const FitResult open = fit(holding(model.problem(), result, fewer));
          ++refits;
          const auto left = open_of(open);
          EXPECT_TRUE(
              std::ranges::any_of(left, [&](const auto& name) { return own.contains(name); }))
              << "without " << dropped;
        }
      }
    }
    // All advice at once.
    const auto fixing = result.identifiability.smallest_fixing();
    EXPECT_EQ(fixing.size(), smallest);
    EXPECT_EQ(result.identifiability.all_determined(), smallest == 0);
    if (fixing.empty()) continue;
    const FitResult held =
        fit(holding(model.problem(), result, std::set(fixing.begin(), fixing.end())));
    EXPECT_TRUE(held.identifiability.all_determined());
    EXPECT_TRUE(open_of(held).empty());
  }
  EXPECT_GT(combinations, 100);
  EXPECT_GT(practically, 5);
  EXPECT_GT(refits, 500);
}

TEST(PlantedRedundancy, InReactionsTheScaleAndTheProductAreFound) {
  // A -> B -> with the rate k1 k2, seen through an unknown gain; C is never seen.
  dynamics::FormulaModel model;
  for (const char* name : {"k1", "k2", "k3", "k4", "gain", "A0"}) model.parameter(name, 1);
  model.state("A", "A0", "-k1 * k2 * A");
  model.state("B", 0, "k1 * k2 * A - k3 * B");
  model.state("C", 0, "k3 * B - k4 * C");
  std::mt19937 random(8);
  std::uniform_real_distribution<double> value(0.3, 2);
  for (int trial = 0; trial < 12; ++trial) {
    SCOPED_TRACE(trial);
    Problem problem;
    for (const char* name : {"k1", "k2", "k3", "k4", "gain", "A0"}) {
      const double truth = value(random);
      const bool is_log = random() % 2 == 0;
      problem.estimates.push_back(
          {.parameter = name,
           .initial = truth * (1 + 0.1 * (value(random) - 1)),
           .transform = is_log ? Estimate::Transform::kLog : Estimate::Transform::kNone,
           .truth = truth});
    }
    problem.experiments.push_back(dynamic_experiment(
        "run", model, times(0.1, 4, 30), {{"a", "gain * A"}, {"b", "gain * B"}}, 0.005));
    problem = synthesize(problem, static_cast<unsigned>(trial));
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << result.iteration.message;
    const std::vector<ParameterClass> expected = {
        ParameterClass::kCombination, ParameterClass::kCombination, ParameterClass::kDetermined,
        ParameterClass::kNoInfluence, ParameterClass::kCombination, ParameterClass::kCombination};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_STREQ(text(result.estimates[i].parameter_class), text(expected[i]))
          << result.estimates[i].id;
    }
    for (const auto& [name, other] : {std::pair{"k1", "k2"}, {"gain", "A0"}}) {
      const Finding* f = finding_about(result, name);
      ASSERT_NE(f, nullptr);
      NameSets suggested;
      for (const auto& set : f->fixings) suggested.insert({set.begin(), set.end()});
      EXPECT_EQ(suggested, (NameSets{{name}, {other}}));
    }
    for (const std::set<std::string>& fixing :
         {std::set<std::string>{"k1", "gain", "k4"}, {"k2", "A0", "k4"}}) {
      const FitResult held = fit(holding(problem, result, fixing));
      ASSERT_TRUE(held.converged()) << held.iteration.message;
      EXPECT_TRUE(open_of(held).empty());
      EXPECT_NEAR(held.objective, result.objective, 1e-5 * result.objective);
    }
    EXPECT_EQ(result.identifiability.smallest_fixing().size(), 3U);
  }
}

TEST(PlantedRedundancy, SaysWhatADirectionDoes) {
  Problem problem;
  problem.estimates = {{.parameter = "k", .initial = 2}, {.parameter = "m", .initial = 5}};
  Data data = empty_data({1, 2, 3}, {"eta"});
  data.columns.back() = {11, 19, 31};
  problem.experiments.push_back(algebraic_experiment("run", data, {{"eta", "k*m*t"}}, 1));
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged());
  ASSERT_EQ(result.identifiability.findings.size(), 1U);
  const Finding& f = result.identifiability.findings[0];
  EXPECT_EQ(f.effects, (Names{"k +1 %, m -1 %"}));
  EXPECT_EQ(f.advice, "Fix or measure one of k and m.");
}

TEST(PlantedRedundancy, AParameterKnownFromItsPriorAloneIsPracticallyUndetermined) {
  Problem problem;
  problem.estimates = {{.parameter = "k", .initial = 2},
                       {.parameter = "m", .initial = 5, .prior = Prior{.value = 5, .sigma = 0.5}}};
  Data data = empty_data({1, 2, 3}, {"eta"});
  data.columns.back() = {2.1, 3.9, 6};
  problem.experiments.push_back(algebraic_experiment("run", data, {{"eta", "k*t + 1e-3*m"}}, 0.1));
  problem.options.sigma_known = true;
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.estimates[0].parameter_class, ParameterClass::kDetermined);
  EXPECT_EQ(result.estimates[1].parameter_class, ParameterClass::kPractically);
}

}  // namespace
}  // namespace parfait::estimation::planted_redundancy_test
