#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/integrate/driver/test_system.h"
#include "parfait/integrate/hht/hht.h"
#include "parfait/integrate/runge_kutta/runge_kutta.h"
#include "parfait/mbs/model.h"
#include "testing/model_gallery.h"

// The method on multibody systems with constraints: order, energy, stiffness, redundant loops, and
// its directions with frozen steps.
namespace parfait::integrate::hht_mechanics_test {
namespace {

using Eigen::VectorXd;
using testing_support::marker;

Options hht_options(double alpha, double rtol = 1e-6) {
  Options options;
  options.method = Method::kHht;
  options.hht_alpha = alpha;
  options.rtol = rtol;
  options.atol = rtol;
  return options;
}

/// A model, its parameters and initial state, and steppers on it.
class Motion {
 public:
  explicit Motion(const mechanism::Description& description)
      : model(mbs::build(description)), y0(to_vector(model->initial_state())) {
    for (const auto& info : model->parameters()) p.push_back(info.initial);
  }

  int num_directions() const { return 1 + static_cast<int>(p.size()); }

  /// Directions: `move` of the initial state, then the parameters.
  void start(const Options& options, bool with_directions) {
    const int k = with_directions ? num_directions() : 0, ny = model->sizes().ny();
    workspace = model->make_workspace(k);
    model->bind(*workspace, p);
    State state;
    state.y.assign(y0.data(), y0.data() + ny);
    model->project(*workspace, 0, state.y, dynamics::Norm::kMass, 1e-13);
    if (k > 0) {
      dynamics::Directions dp(static_cast<int>(p.size()), k);
      for (int j = 1; j < k; ++j) dp(j - 1, j) = 1;
      model->bind_directions(*workspace, dp);
      model->project(*workspace, 0, state.y, dynamics::Norm::kMass, 1e-13);
      state.W.resize(ny, k);
      for (int i = 0; i < ny; ++i) state.W(i, 0) = move[i];
      ASSERT_EQ(model->project_directions(*workspace, state.W), dynamics::Status::kOk);
    }
    flow = std::make_unique<Flow>(*model, *workspace, options);
    flow->set_piece({}, 1e9);
    if (options.method == Method::kHht) {
      stepper = make_hht(*flow, k);
    } else {
      stepper = std::make_unique<RungeKutta>(*flow, dormand_prince_8(), k);
    }
    ASSERT_EQ(stepper->start(state), dynamics::Status::kOk);
    steps.clear();
  }

  /// As long as the tolerance allows.
  VectorXd run(double until) {
    while (stepper->t1() < until) {
      const Outcome outcome = stepper->step(until);
      EXPECT_EQ(outcome, Outcome::kFinished) << text(outcome) << " at " << stepper->t0();
      if (outcome != Outcome::kFinished) break;
      steps.push_back(stepper->recorded());
    }
    return end();
  }
  /// In equal steps.
  VectorXd run(double until, int count) {
    for (int n = 1; n <= count; ++n) repeat({.t1 = until * n / count, .order = 0});
    return end();
  }
  VectorXd replay(const std::vector<RecordedStep>& record) {
    for (const auto& step : record) repeat(step);
    return end();
  }

  double energy() const {
    const std::string name[] = {"energy.total"};
    const auto observer = model->make_observer(name);
    double value = 0;
    dynamics::Point at;
    at.t = stepper->t1();
    at.y = stepper->y1();
    EXPECT_EQ(model->observe(*workspace, *observer, at, {&value, 1}), dynamics::Status::kOk);
    return value;
  }
  double violation() const {
    std::vector<double> g(model->sizes().num_pos + model->sizes().num_vel);
    model->invariants(*workspace, stepper->t1(), stepper->y1(), g);
    double largest = 0;
    for (double x : g) largest = std::max(largest, std::abs(x));
    return largest;
  }

  std::shared_ptr<const mbs::Model> model;
  std::vector<double> p;
  VectorXd y0, move;
  std::unique_ptr<dynamics::Workspace> workspace;
  std::unique_ptr<Flow> flow;
  std::unique_ptr<Stepper> stepper;
  std::vector<RecordedStep> steps;

 private:
  static VectorXd to_vector(const std::vector<double>& x) {
    return VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size()));
  }
  VectorXd end() const {
    const auto y = stepper->y1();
    return VectorXd::Map(y.data(), static_cast<Eigen::Index>(y.size()));
  }
  void repeat(const RecordedStep& step) {
    ASSERT_EQ(stepper->repeat(step), Outcome::kFinished) << "at " << stepper->t0();
  }
};

Options reference_options() {
  Options options;
  options.rtol = options.atol = 1e-12;
  return options;
}

VectorXd reference(const mechanism::Description& description, double until) {
  Motion motion(description);
  motion.start(reference_options(), false);
  return motion.run(until);
}

TEST(HhtMechanics, DoublePendulumConvergesWithOrderTwo) {
  const auto description = testing_support::revolute_chain(2);
  const double until = 0.8;
  const VectorXd exact = reference(description, until);
  for (const double alpha : {0.0, -0.1, -1.0 / 3}) {
    std::vector<double> error;
    for (const int steps : {40, 80, 160}) {
      Motion motion(description);
      motion.start(hht_options(alpha), false);
      error.push_back((motion.run(until, steps) - exact).cwiseAbs().maxCoeff());
      EXPECT_LT(motion.violation(), 1e-11);  // positions by the step, velocities by projection
    }
    ASSERT_GT(error[2], 1e-6);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.2) << alpha;
    EXPECT_NEAR(std::log2(error[1] / error[2]), 2, 0.1) << alpha;
  }
}

TEST(HhtMechanics, EnergyIsLostByDampingAloneAndMoreWithMoreOfIt) {
  std::vector<double> lost;
  for (const double alpha : {0.0, -0.1, -1.0 / 3}) {
    Motion motion(testing_support::revolute_chain(1));
    motion.start(hht_options(alpha), false);
    const double start = motion.energy();
    motion.run(10, 500);
    lost.push_back((start - motion.energy()) / 9.81);  // of m g c = 9.81 J at start
  }
  // Measured 7.4e-4, 1.2e-3, 1.5e-3. Without the projection of the velocities alpha = 0 blows up.
  EXPECT_LT(std::abs(lost[0]), 2e-3);
  EXPECT_GT(lost[1], 0);
  EXPECT_GT(lost[2], lost[1]);
}

/// A body on a spring so stiff that it might be a rod: 1 m from the ground, horizontal at start.
mechanism::Description spring_pendulum(double stiffness) {
  mechanism::Description d;
  mechanism::Body body;
  body.id = "bob";
  body.o = {1, 0, 0};
  body.mass = 1.0;
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 0.01;
  d.bodies.push_back(body);
  d.forces.push_back(testing_support::gravitation());
  mechanism::Force spring;
  spring.key = "Spring";
  spring.id = "spring";
  spring.begin = marker("bob", testing_support::frame({0, 0, 0}));
  spring.end = marker(mechanism::kInertial, testing_support::frame({0, 0, 0}));
  spring.constants = {{"rest_length", mechanism::Value(1.0)},
                      {"stiffness", mechanism::Value(stiffness)}};
  d.forces.push_back(spring);
  mechanism::Parameter mass;
  mass.targets = {"bob.mass"};
  d.parameters.push_back(mass);
  mechanism::Parameter rest;
  rest.targets = {"spring.rest_length"};
  d.parameters.push_back(rest);
  return d;
}

TEST(HhtMechanics, StiffSpringPendulumTakesTheStepsOfItsSlowMotion) {
  const double until = 1;
  Motion stiff(spring_pendulum(1e8));  // 1e4 rad/s; the swing has about 3
  stiff.start(hht_options(-0.3, 1e-5), false);
  const VectorXd y = stiff.run(until);
  const auto implicit_steps = stiff.steps.size();
  EXPECT_LT(implicit_steps, 300u);  // measured 137
  // theta'' = g cos(theta), the rigid pendulum, by small Runge-Kutta steps.
  double theta = 0, rate = 0;
  const int n = 4000;
  const double h = until / n;
  const auto f = [](double x) { return 9.81 * std::cos(x); };
  for (int i = 0; i < n; ++i) {
    const double k1 = f(theta), k2 = f(theta + h / 2 * rate),
                 k3 = f(theta + h / 2 * rate + h * h / 4 * k1),
                 k4 = f(theta + h * rate + h * h / 2 * k2);
    theta += h * rate + h * h / 6 * (k1 + k2 + k3);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_NEAR(y[0], std::cos(theta), 5e-3);  // measured 2.5e-4, 1.5e-3
  EXPECT_NEAR(y[2], -std::sin(theta), 5e-3);
  Motion explicit_motion(spring_pendulum(1e8));
  Options options = hht_options(0, 1e-5);
  options.method = Method::kDop853;
  explicit_motion.start(options, false);
  explicit_motion.run(0.02 * until);
  EXPECT_GT(explicit_motion.steps.size() / 0.02, 5.0 * static_cast<double>(implicit_steps));
}

TEST(HhtMechanics, RedundantLoopsMoveLikeTheIndexOneSolution) {
  for (const auto& description : {testing_support::bricard(), testing_support::four_bar()}) {
    const double until = 1;
    const VectorXd exact = reference(description, until);
    std::vector<double> error;
    for (const int steps : {100, 200, 400}) {
      Motion motion(description);
      motion.start(hht_options(-0.1), false);
      error.push_back((motion.run(until, steps) - exact).cwiseAbs().maxCoeff());
      EXPECT_LT(motion.violation(), 1e-10);
    }
    EXPECT_NEAR(std::log2(error[1] / error[2]), 2, 0.2);  // measured 2.00 and 2.18
  }
}

TEST(HhtMechanics, BricardRunsWithAdaptiveSteps) {
  Motion motion(testing_support::bricard());
  motion.start(hht_options(-0.05, 1e-6), false);
  const VectorXd y = motion.run(3);
  const VectorXd exact = reference(testing_support::bricard(), 3);
  EXPECT_LT((y - exact).cwiseAbs().maxCoeff(), 2e-3);  // measured 8.2e-4 in 213 steps
  EXPECT_LT(motion.flow->statistics.factorizations, 200);
  EXPECT_LT(motion.violation(), 1e-10);
}

/// Pendulum of two bodies with parameters in inertia, geometry, spring and law, and a first-order
/// state that drives it.
mechanism::Description with_parameters() {
  mechanism::Description d = testing_support::revolute_chain(2);
  mechanism::Parameter gain;
  gain.id = "gain";
  gain.initial = 3;
  d.parameters.push_back(gain);
  for (const char* target : {"body_1.mass", "body_2.com.x", "body_2.inertia.yy"}) {
    mechanism::Parameter parameter;
    parameter.targets = {target};
    d.parameters.push_back(parameter);
  }
  mechanism::State e;
  e.id = "drive";
  e.initial = 0.4;
  e.derivative.formula = "gain*sin(body_2.com.x) - 2*drive + 0.3*body_1.e1.vz + t";
  d.states.push_back(e);
  mechanism::Force force;
  force.id = "muscle";
  force.key = "General_Linear";
  force.begin = marker("body_1", testing_support::frame({0.2, 0.1, 0.3}));
  force.end = marker("body_2", testing_support::frame({0.7, 0.4, 0.2}));
  force.law.formula = "5*drive*length^2 + gain*rate + 20*(length - 0.5)";
  d.forces.push_back(force);
  return d;
}

/// Central differences with frozen steps against W, for the move of the start and all parameters.
void expect_frozen(const mechanism::Description& description, double until, double h,
                   double bound) {
  Motion motion(description);
  const int ny = motion.model->sizes().ny();
  motion.move = VectorXd::LinSpaced(ny, -0.7, 0.9).array().sin();
  motion.start(hht_options(-0.1, 1e-5), true);
  motion.run(until);
  const auto record = motion.steps;
  ASSERT_GT(record.size(), 5u);
  const dynamics::Directions W = motion.stepper->W1();
  const double middle = 0.3 * motion.stepper->t0() + 0.7 * motion.stepper->t1();
  dynamics::Directions W_middle(ny, W.count());
  ASSERT_EQ(motion.stepper->directions(middle, W_middle), dynamics::Status::kOk);

  const VectorXd y0 = motion.y0;
  const auto p = motion.p;
  const auto moved = [&](int j, double by, VectorXd& inside) -> VectorXd {
    motion.y0 = y0;
    motion.p = p;
    if (j == 0) {
      motion.y0 += by * motion.move;
    } else {
      motion.p[j - 1] += by;
    }
    motion.start(hht_options(-0.1, 1e-5), false);
    VectorXd y = motion.replay(record);
    inside.resize(ny);
    EXPECT_EQ(motion.stepper->state(middle, {inside.data(), static_cast<std::size_t>(ny)}),
              dynamics::Status::kOk);
    return y;
  };
  for (int j = 0; j < W.count(); ++j) {
    // Fourth-order differences: truncation and rounding (1e-13 / h) are to be below the bound.
    VectorXd in[4];
    const VectorXd out[4] = {moved(j, 2 * h, in[0]), moved(j, h, in[1]), moved(j, -h, in[2]),
                             moved(j, -2 * h, in[3])};
    const auto slope = [&](const VectorXd* y) -> VectorXd {
      return (8 * (y[1] - y[2]) - (y[0] - y[3])) / (12 * h);
    };
    VectorXd w(ny), w_middle(ny);
    for (int i = 0; i < ny; ++i) {
      w[i] = W(i, j);
      w_middle[i] = W_middle(i, j);
    }
    const double size = w.cwiseAbs().maxCoeff();
    ASSERT_GT(size, 1e-3);
    EXPECT_LT((w - slope(out)).cwiseAbs().maxCoeff(), bound * size) << "direction " << j;
    EXPECT_LT((w_middle - slope(in)).cwiseAbs().maxCoeff(), bound * size) << "direction " << j;
  }
}

TEST(HhtMechanics, DirectionsAreTheDerivativeWithFrozenSteps) {
  expect_frozen(with_parameters(), 0.5, 4e-4, 1e-8);  // measured 4e-11, inside 4e-9
}

TEST(HhtMechanics, DirectionsOfAStiffSystemAreTheDerivativeWithFrozenSteps) {
  expect_frozen(spring_pendulum(1e4), 0.5, 1e-4, 1e-8);
}

TEST(HhtMechanics, DirectionsOfARedundantLoopAreTheDerivativeWithFrozenSteps) {
  expect_frozen(testing_support::bricard(), 0.5, 4e-4, 1e-8);  // measured 2e-11
}

TEST(HhtMechanics, PerturbedStartFollowsTheDirectionsToSecondOrder) {
  Motion motion(with_parameters());
  const int ny = motion.model->sizes().ny();
  motion.move = VectorXd::LinSpaced(ny, -0.7, 0.9).array().cos();
  motion.start(hht_options(-0.05, 1e-5), true);
  const VectorXd y = motion.run(0.5);
  const auto record = motion.steps;
  VectorXd w(ny);
  for (int i = 0; i < ny; ++i) w[i] = motion.stepper->W1()(i, 0);
  const VectorXd y0 = motion.y0;
  std::vector<double> defect;
  for (const double eps : {4e-3, 2e-3, 1e-3}) {
    motion.y0 = y0 + eps * motion.move;
    motion.start(hht_options(-0.05, 1e-5), false);
    defect.push_back((motion.replay(record) - y - eps * w).norm());
  }
  EXPECT_NEAR(std::log2(defect[0] / defect[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(defect[1] / defect[2]), 2, 0.1);
}

TEST(HhtMechanics, RefusesVelocityConstraintsAndOtherSystems) {
  const auto skate = mbs::build(testing_support::skate());
  auto workspace = skate->make_workspace(0);
  Flow flow(*skate, *workspace, hht_options(0));
  EXPECT_THROW(make_hht(flow, 0), base::InputError);
  const RhsSystem ode({1.0}, [](double, ConstVec, Vec dydt) {
    dydt[0] = 0;
    return Status::kOk;
  });
  Flow ode_flow(ode, *workspace, hht_options(0));
  EXPECT_THROW(make_hht(ode_flow, 0), base::InputError);
}

}  // namespace
}  // namespace parfait::integrate::hht_mechanics_test
