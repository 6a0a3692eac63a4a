#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "build.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/prediction.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/shooting/row_builder.h"
#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/math/dense_solves.h"
#include "parfait/mbs/model.h"
#include "problems.h"

// Times of events as data.
namespace parfait::estimation {
namespace event_times_test {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::VectorXd;

constexpr double kGravity = 9.81, kRestitution = 0.8, kHeight = 1;

/// The n-th impact of a ball dropped from kHeight.
double impact(int n, double g, double e) {
  double sum = 1;
  for (int i = 1; i < n; ++i) sum += 2 * std::pow(e, i);
  return std::sqrt(2 * kHeight / g) * sum;
}

Observation time_of(const std::string& event, int occurrence) {
  return {.column = event + std::to_string(occurrence),
          .sigma = {.absolute = 0.002},
          .kind = "event",
          .settings = {{.name = "event", .text = event},
                       {.name = "occurrence", .text = std::to_string(occurrence)}}};
}

dynamics::FormulaModel ball_model() {
  dynamics::FormulaModel model;
  model.state("h", kHeight, "v");
  model.state("v", 0, "-g");
  model.parameter("g", kGravity);
  model.parameter("e", kRestitution);
  model.event("bounce", "h").set("v", "-e * v");
  return model;
}

/// Five impacts, one row of data whose time means nothing.
ExperimentDescription ball(int intervals) {
  ExperimentDescription e;
  e.id = "drop";
  e.system = dynamics::make_formula_system(ball_model());
  e.end = 2.8;
  e.data.header = {"t"};
  e.data.columns = {{77}};
  for (int n = 1; n <= 5; ++n) {
    e.observations.push_back(time_of("bounce", n));
    e.data.header.push_back(e.observations.back().column);
    e.data.columns.push_back({impact(n, kGravity, kRestitution)});
  }
  e.grid.intervals = intervals;
  return e;
}

Problem ball_problem(int intervals) {
  Problem problem;
  problem.experiments = {ball(intervals)};
  problem.estimates = {{.parameter = "g", .initial = 9.5, .truth = kGravity},
                       {.parameter = "e", .initial = 0.77, .truth = kRestitution}};
  problem.options.iteration.tolerance = 1e-9;
  return problem;
}

TEST(EventTimes, GravityAndRestitutionFollowFromTheTimesOfImpactsAlone) {
  for (int intervals : {1, 4}) {
    for (auto reduction : {ReductionMethod::kNone, ReductionMethod::kFixedFit}) {
      Problem problem = ball_problem(intervals);
      problem.options.reduction = reduction;
      const FitResult result = fit(problem);
      ASSERT_TRUE(result.converged()) << result.iteration.message;
      EXPECT_LE(result.iteration.iterations, 8);
      EXPECT_NEAR(value(result, "g"), kGravity, 1e-7) << intervals << text(reduction);
      EXPECT_NEAR(value(result, "e"), kRestitution, 1e-8) << intervals << text(reduction);
    }
  }
}

// The times are linear in no parameter, but their derivatives have a closed form.
TEST(EventTimes, DeviationsAreThoseOfTheClosedForm) {
  Problem problem = ball_problem(1);
  problem.options.sigma_known = true;
  const FitResult result = fit(problem);
  Eigen::MatrixXd J(5, 2);
  constexpr double kStep = 1e-6;
  for (int n = 1; n <= 5; ++n) {
    J(n - 1, 0) =
        (impact(n, kGravity + kStep, kRestitution) - impact(n, kGravity - kStep, kRestitution)) /
        (2 * kStep * 0.002);
    J(n - 1, 1) =
        (impact(n, kGravity, kRestitution + kStep) - impact(n, kGravity, kRestitution - kStep)) /
        (2 * kStep * 0.002);
  }
  const Eigen::MatrixXd covariance = math::inverse(J.transpose() * J);
  EXPECT_NEAR(find(result, "g").statistics.sd, std::sqrt(covariance(0, 0)), 1e-6);
  EXPECT_NEAR(find(result, "e").statistics.sd, std::sqrt(covariance(1, 1)), 1e-7);
}

struct Case {
  std::string name;
  ExperimentDescription description;
  std::vector<Estimate> shared;
  double step, tolerance;
  double perturbation;  ///< of the nodes, so that nothing matches
};

/// A ball with everything free, a mechanism that hits a wall, and a DAE whose event is about z.
std::vector<Case> cases() {
  std::vector<Case> out;
  Case free{"ball", ball(3), {}, 1e-5, 1e-6, 0.01};
  free.description.initial = {{.kind = InitialState::Kind::kFree, .scale = 2}};
  free.description.observations.push_back({.column = "height", .quantity = "h"});
  free.description.data.header.push_back("height");
  free.description.data.columns[0] = {1.5};
  free.description.data.columns.push_back({0.3});
  free.shared = {{.parameter = "g", .initial = 9.7}, {.parameter = "e", .initial = 0.79}};
  out.push_back(free);

  Case pendulum{"pendulum", {}, {}, 1e-5, 2e-6, 1e-4};
  const auto model = io::read_any_model(std::string(PARFAIT_SOURCE_DIR) +
                                        "/tests/cases/models/hitting_pendulum.xml");
  pendulum.description.id = "swing";
  pendulum.description.system = mbs::build(std::get<mechanism::Description>(model));
  pendulum.description.end = 2;
  pendulum.description.data.header = {"t", "Wall1", "Wall2"};
  pendulum.description.data.columns = {{0}, {0.575}, {1.704}};
  pendulum.description.observations = {time_of("Wall", 1), time_of("Wall", 2)};
  pendulum.description.initial = {{.kind = InitialState::Kind::kFree}};
  pendulum.description.grid.intervals = 3;
  pendulum.shared = {{.parameter = "restitution", .initial = 0.7},
                     {.parameter = "stiffness", .initial = 200}};
  out.push_back(pendulum);

  // z = x^2 and x = 1 / (1 + k t), set back to 1 where z = 1/4: at k t = 1, 2, ...
  dynamics::FormulaModel decay;
  decay.state("x", 1, "-k * z");
  decay.algebraic("z", 1);
  decay.equation("0 = z - x^2");
  decay.parameter("k", 1);
  decay.event("low", "z - 0.25").set("x", "x + 0.5");
  Case dae{"dae", {}, {}, 1e-4, 2e-5, 0.01};
  dae.description.id = "decay";
  dae.description.system = dynamics::make_formula_system(decay);
  dae.description.end = 2.5;
  dae.description.data.header = {"t", "low1", "low2"};
  dae.description.data.columns = {{0}, {1}, {2}};
  dae.description.observations = {time_of("low", 1), time_of("low", 2)};
  dae.description.grid.intervals = 3;
  dae.shared = {{.parameter = "k", .initial = 1}};
  out.push_back(dae);
  return out;
}

VectorXd random_vector(Eigen::Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  VectorXd x(n);
  for (double& value : x) value = normal(random);
  return x;
}

std::vector<ReductionMethod> reductions_for(const Case& c) {
  if (c.description.system->sizes().nz > 0) return {ReductionMethod::kNone};
  std::vector<ReductionMethod> all = {ReductionMethod::kNone, ReductionMethod::kFixedFit};
  if (c.description.system->sizes().num_pos > 0) {
    all.push_back(ReductionMethod::kTangentDirections);
    all.push_back(ReductionMethod::kTangentNodes);
  }
  return all;
}

FitOptions tight(ReductionMethod reduction) {
  FitOptions options;
  options.integrator.rtol = 1e-11;
  options.integrator.atol = 1e-13;
  options.reduction = reduction;
  return options;
}

// Along what expand() says, at a point where nothing matches. With an adaptive integrator
// differences are as good as its tolerance divided by the step.
TEST(EventTimes, TheBlockIsTheDerivativeWithAllReductions) {
  for (const Case& c : cases()) {
    const Unknowns shared(c.shared);
    for (ReductionMethod reduction : reductions_for(c)) {
      SCOPED_TRACE(c.name + " " + text(reduction));
      const FitOptions options = tight(reduction);
      ShootingExperiment experiment(c.description, shared, options);
      VectorXd x;
      ASSERT_TRUE(experiment.initialize(shared.initial(), x)) << experiment.why();
      VectorXd away = c.perturbation * random_vector(x.size(), 5);
      // On a manifold w is what moves the projected first node: that stays where it is.
      if (c.description.system->sizes().num_pos > 0) {
        away.head(c.description.system->sizes().ny()).setZero();
      }
      x += away;
      const VectorXd& p = shared.initial();
      ASSERT_TRUE(experiment.linearize(x, p)) << experiment.why();
      const Block block = experiment.block();
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const VectorXd xi = random_vector(block.num_local(), seed);
        const VectorXd dp = 0.1 * random_vector(shared.size(), 10 + seed);
        const VectorXd dx = experiment.expand(xi, dp, false);
        ShootingExperiment other(c.description, shared, options);
        ASSERT_TRUE(other.evaluate(x + c.step * dx, p + c.step * dp)) << other.why();
        const VectorXd plus = other.residuals();
        ASSERT_TRUE(other.evaluate(x - c.step * dx, p - c.step * dp)) << other.why();
        const VectorXd difference = (plus - other.residuals()) / (2 * c.step);
        const VectorXd derivative = block.A * xi + block.B * dp;
        ASSERT_GT(derivative.norm(), 1e-2);
        EXPECT_LT((difference - derivative).norm(), c.tolerance * (1 + derivative.norm()))
            << difference.transpose() << "\n"
            << derivative.transpose();
      }
    }
  }
}

// The right-hand side at another point: what the correction of its defects leaves, along the
// directions of the linearization (fixfit replays its steps for it).
TEST(EventTimes, TheRightSideIsWhatTheCorrectionOfMatchingLeaves) {
  for (const Case& c : cases()) {
    const Unknowns shared(c.shared);
    for (ReductionMethod reduction : reductions_for(c)) {
      SCOPED_TRACE(c.name + " " + text(reduction));
      const FitOptions options = tight(reduction);
      ShootingExperiment experiment(c.description, shared, options);
      VectorXd x;
      ASSERT_TRUE(experiment.initialize(shared.initial(), x));
      const VectorXd& p = shared.initial();
      ASSERT_TRUE(experiment.linearize(x, p)) << experiment.why();
      ASSERT_TRUE(experiment.evaluate(x + c.perturbation * random_vector(x.size(), 9), p));
      const VectorXd correction = experiment.right_side().b - experiment.residuals();
      const VectorXd u = experiment.expand(VectorXd::Zero(experiment.block().num_local()),
                                           VectorXd::Zero(shared.size()), true);
      ASSERT_GT(u.norm(), 1e-5);
      constexpr double kStep = 1e-3;
      ShootingExperiment other(c.description, shared, options);
      ASSERT_TRUE(other.evaluate(x + kStep * u, p));
      const VectorXd plus = other.residuals();
      ASSERT_TRUE(other.evaluate(x - kStep * u, p));
      const VectorXd slope = (plus - other.residuals()) / (2 * kStep);
      ASSERT_GT(slope.norm(), 1e-6);
      EXPECT_LT((correction - slope).norm(), 10 * c.tolerance * (1 + slope.norm()));
    }
  }
}

TEST(EventTimes, ContactsOfAMechanismFollowFromTheTimesOfItsImpacts) {
  for (ReductionMethod reduction : reductions_for(cases()[1])) {
    Problem problem;
    auto& e = problem.experiments.emplace_back(cases()[1].description);
    e.initial.clear();
    e.end = 3;
    e.observations.push_back(time_of("Wall", 3));
    e.data.header.push_back("Wall3");
    e.data.columns.push_back({2.9});
    for (auto& o : e.observations) o.sigma.absolute = 1e-300;
    problem.estimates = {{.parameter = "restitution", .initial = 0.7, .truth = 0.7},
                         {.parameter = "stiffness", .initial = 200, .truth = 200}};
    problem.options = tight(reduction);
    problem.options.iteration.tolerance = 1e-9;
    problem = synthesize(problem, 1);  // exact
    for (auto& o : problem.experiments[0].observations) o.sigma.absolute = 0.002;
    problem.estimates[0].initial = 0.68;
    problem.estimates[1].initial = 195;
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << text(reduction) << ": " << result.iteration.message;
    EXPECT_NEAR(value(result, "restitution"), 0.7, 1e-7) << text(reduction);
    EXPECT_NEAR(value(result, "stiffness"), 200, 1e-4) << text(reduction);
  }
}

TEST(EventTimes, TooFewEventsAreNoPointAndSaySo) {
  const Unknowns shared({{.parameter = "g", .initial = 9.81}, {.parameter = "e", .initial = 0.95}});
  ShootingExperiment experiment(ball(2), shared, {});
  VectorXd x;
  ASSERT_TRUE(experiment.initialize(shared.initial(), x));
  const std::string message =
      "experiment \"drop\": event \"bounce\" happens 3 times, but occurrence 4 was measured";
  EXPECT_FALSE(experiment.evaluate(x, shared.initial()));
  EXPECT_EQ(experiment.why(), message);
  EXPECT_FALSE(experiment.linearize(x, shared.initial()));
  EXPECT_EQ(experiment.why(), message);

  Problem problem = ball_problem(1);
  problem.estimates[1].initial = 0.95;
  const FitResult result = fit(problem);
  EXPECT_FALSE(result.converged());
  EXPECT_THAT(result.iteration.message, testing::HasSubstr("happens 3 times"));
}

// Passages against the direction of the event change the mode and are recorded, but are no events.
TEST(EventTimes, OnlyPassagesInTheDirectionOfTheEventCount) {
  dynamics::FormulaModel model;
  model.state("x", 0, "y");
  model.state("y", 1, "-w^2 * x");
  model.parameter("w", 2);
  model.event("up", "x - 0.1").on(dynamics::SwitchInfo::Jump::kRising).set("y", "y");
  ExperimentDescription e;
  e.id = "oscillation";
  e.system = dynamics::make_formula_system(model);
  e.end = 4;
  e.observations = {time_of("up", 1), time_of("up", 2)};
  e.data.header = {"t", "up1", "up2"};
  e.data.columns = {{0}, {0}, {0}};
  e.grid.intervals = 3;
  const Unknowns shared({{.parameter = "w", .initial = 2}});
  ShootingExperiment experiment(e, shared, tight(ReductionMethod::kNone));
  VectorXd x;
  ASSERT_TRUE(experiment.initialize(shared.initial(), x));
  ASSERT_TRUE(experiment.evaluate(x, shared.initial())) << experiment.why();
  const double first = std::asin(0.2) / 2;  // x = sin(w t) / w
  EXPECT_NEAR(0.002 * experiment.residuals()[0], first, 1e-9);
  EXPECT_NEAR(0.002 * experiment.residuals()[1], first + std::acos(-1), 1e-9);
}

TEST(EventTimes, SynthesizedTimesAreMeasuredOnceAndScatterByTheirSigma) {
  Problem problem = ball_problem(1);
  auto& e = problem.experiments[0];
  e.samples = Samples{.times = {0, 1, 2}};
  e.observations.push_back({.column = "height", .quantity = "h", .sigma = {.absolute = 0.01}});
  e.data = sample_table(*e.samples, "t", e.observations);
  const Problem made = synthesize(problem, 3);
  const auto& data = made.experiments[0].data;
  double squares = 0;
  for (int n = 1; n <= 5; ++n) {
    const auto& column = data.columns[n];
    EXPECT_TRUE(std::isnan(column[1]) && std::isnan(column[2]));
    squares += std::pow((column[0] - impact(n, kGravity, kRestitution)) / 0.002, 2);
  }
  EXPECT_GT(squares, 0.5);  // chi-squared with five degrees of freedom: 0.5 to 17 in 99 of 100
  EXPECT_LT(squares, 17);
  EXPECT_FALSE(std::isnan(data.columns[6][2]));
  EXPECT_TRUE(check(made).empty());
}

TEST(EventTimes, ResidualsStandAtTheMeasuredTimeAndPredictionsShowTheStates) {
  const Problem problem = ball_problem(1);
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged());
  const auto& residuals = result.experiments[0].residuals;
  ASSERT_EQ(residuals.size(), 5U);
  EXPECT_EQ(residuals[1].info.column, "bounce2");
  EXPECT_EQ(residuals[1].info.t, residuals[1].info.measured);
  EXPECT_NEAR(residuals[1].model, impact(2, kGravity, kRestitution), 1e-8);
  const auto predictions = predict(problem, result, 29);
  ASSERT_EQ(predictions.size(), 1U);
  EXPECT_EQ(predictions[0].quantities, (std::vector<std::string>{"h", "v"}));
  EXPECT_EQ(predictions[0].t.back(), 2.8);
  EXPECT_NEAR(predictions[0].values(0, 3), kHeight - 0.5 * kGravity * 0.3 * 0.3, 1e-8);
}

/// From outside: <observe column mean="x"/>, the mean of a quantity at five times up to the row's.
class MeanObservation final : public ObservationKind {
 public:
  std::string key() const override { return "mean"; }
  void check(const Observation&, const ExperimentDescription&, const std::vector<std::string>&,
             const Subject&) const override {}
  void request(const Observation&, const Measurement& m, RowBuilder& builder) const override {
    for (int i = 1; i <= 5; ++i) builder.request_sample(m.t * i / 5);
  }
  std::shared_ptr<const Observable> make(const Observation& o, const Measurement& m,
                                         RowBuilder& builder) const override {
    auto mean = std::make_shared<Mean>();
    for (int i = 1; i <= 5; ++i) {
      mean->parts.push_back(builder.quantity_at(m.t * i / 5, o.find("mean")->text, o.place));
    }
    return mean;
  }

 private:
  struct Mean final : Observable {
    double value(const Trajectory& at) const override {
      double sum = 0;
      for (const auto& part : parts) sum += part->value(at) / 5;
      return sum;
    }
    void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                        RowDerivative& row) const override {
      for (const auto& part : parts) part->add_derivative(at, condensed, weight / 5, row);
    }
    double shift(const Trajectory& at, const Condensed& condensed) const override {
      double sum = 0;
      for (const auto& part : parts) sum += part->shift(at, condensed) / 5;
      return sum;
    }
    std::vector<std::shared_ptr<const Observable>> parts;
  };
};

TEST(ObservationKinds, ANewKindIsOneClassAndOneRegistration) {
  add_observation_kind(std::make_unique<MeanObservation>());
  EXPECT_THROW(add_observation_kind(std::make_unique<MeanObservation>()), base::InputError);
  dynamics::FormulaModel model;
  model.state("x", 1, "-k * x");
  model.parameter("k", 0.5);
  Problem problem;
  auto& e = problem.experiments.emplace_back();
  e.id = "decay";
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "average"};
  e.data.columns = {{1, 2, 3}, {}};
  for (double t : e.data.columns[0]) {
    double mean = 0;
    for (int i = 1; i <= 5; ++i) mean += std::exp(-0.5 * t * i / 5) / 5;
    e.data.columns[1].push_back(mean);
  }
  e.observations = {{.column = "average",
                     .sigma = {.absolute = 0.1},
                     .kind = "mean",
                     .settings = {{.name = "mean", .text = "x"}}}};
  e.grid.intervals = 2;
  problem.estimates = {{.parameter = "k", .initial = 0.8}};
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_NEAR(value(result, "k"), 0.5, 1e-7);
}

}  // namespace
}  // namespace event_times_test
}  // namespace parfait::estimation
