#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "parfait/mechanism/elements/force.h"
#include "parfait/mechanism/elements/muscle_fiber.h"
#include "parfait/mechanism/elements/registry.h"

// Curves of a muscle against the relations they are made from.
namespace parfait::mechanism {
namespace {

/// A straight muscle between two points on the x axis.
class MuscleBench {
 public:
  explicit MuscleBench(const char* key = "Muscle")
      : type_(*registry().find_force(key)), element_(type_.make({})) {
    for (const auto& info : type_.constants) constants_.push_back(info.fallback.value_or(0.0));
    constant("max_force") = 1000;
    constant("optimal_length") = 0.1;
    constant("slack_length") = 0.2;
  }
  double& constant(const std::string& name) {
    for (std::size_t i = 0; i < type_.constants.size(); ++i) {
      if (type_.constants[i].name == name) return constants_[i];
    }
    throw std::runtime_error(name);
  }
  /// Length of the path, and states.
  void set(double length, double activation, double fiber) {
    ends_[1].point.x = length;
    states_ = {activation, fiber};
  }
  double quantity(const std::string& name) {
    for (std::size_t i = 0; i < type_.quantities.size(); ++i) {
      if (type_.quantities[i].name == name) return element_->quantity(at(), static_cast<int>(i));
    }
    throw std::runtime_error(name);
  }
  std::vector<double> rates() {
    std::vector<double> out(2);
    element_->act(at(), {forces_, out});
    return out;
  }
  double start(double activation) {
    std::vector<double> states{activation, 0.0};
    element_->start(at(), states);
    return states[1];
  }
  const EndForce<double>& force(int end) const { return forces_[end]; }

 private:
  ElementPoint<double> at() { return {ends_, constants_, states_, 0.0}; }

  const ForceType& type_;
  std::unique_ptr<ForceElement> element_;
  std::vector<double> constants_, states_{0.5, 0.1};
  EndFrame<double> ends_[2] = {};
  EndForce<double> forces_[2] = {};
};

/// The path at which the tendon pulls with a share of the maximal force.
double path_for(double share, double fiber) {
  return fiber + 0.2 * (1 + 0.04 * std::sqrt(share));
}

TEST(Muscle, IsometricForceIsThatOfActivationAndLength) {
  MuscleBench muscle;
  for (const double q : {0.1, 0.5, 1.0}) {
    for (const double x : {0.7, 0.9, 1.0, 1.2}) {  // below the slack of the parallel element
      const double expected = q * (1 - std::pow((x - 1) / 0.56, 2));
      muscle.set(path_for(expected, 0.1 * x), q, 0.1 * x);
      EXPECT_NEAR(muscle.quantity("force"), 1000 * expected, 1e-9);
      EXPECT_NEAR(muscle.rates()[1], 0, 1e-12) << q << " " << x;
    }
  }
}

TEST(Muscle, ShortensAsHillSaysUnderALighterLoad) {
  MuscleBench muscle;
  const double a = 0.41, b = 5.2, q = 0.8;
  for (const double load : {0.1, 0.3, 0.6}) {
    muscle.set(path_for(load, 0.1), q, 0.1);
    EXPECT_NEAR(muscle.rates()[1], -0.1 * b * ((1 + a) / (load / q + a) - 1), 1e-12) << load;
  }
  // (f + a)(v + b) = const: no load, fastest: b/a lengths a second.
  muscle.set(path_for(0, 0.1), 1, 0.1);
  EXPECT_NEAR(muscle.rates()[1], -0.1 * b / a, 1e-12);
}

TEST(Muscle, LengthensOnAHyperbolaUpToAHalfMore) {
  MuscleBench muscle;
  const double a = 0.41, b = 5.2;
  const auto rate = [&](double load) {
    muscle.set(path_for(load, 0.1), 1, 0.1);
    return muscle.rates()[1] / 0.1;
  };
  const double h = 1e-6;
  const double concentric = -rate(1 - h) / h, eccentric = rate(1 + h) / h;  // dv/dF
  EXPECT_NEAR(concentric, b / (1 + a), 1e-4);
  EXPECT_NEAR(eccentric / concentric, 0.5, 1e-5);  // dF/dv twice as steep
  // (v - c3)(f - 1.5) = c1
  const double c1 = -b / (8 * (1 + a)), c3 = 2 * c1;
  for (const double load : {1.1, 1.3, 1.44}) {
    EXPECT_NEAR((rate(load) - c3) * (load - 1.5), c1, 1e-10) << load;
  }
  EXPECT_GT(rate(1.6), rate(1.44));  // and beyond it goes on
}

TEST(Muscle, HasATendonThatPullsBeyondItsSlackLengthOnly) {
  MuscleBench muscle;
  muscle.set(0.1 + 0.2 * 1.04, 1, 0.1);
  EXPECT_NEAR(muscle.quantity("force"), 1000, 1e-9);
  muscle.rates();
  EXPECT_NEAR(muscle.force(0).force.x, 1000, 1e-9);  // pulls its ends together
  muscle.set(0.1 + 0.2 * 0.99, 1, 0.1);
  EXPECT_EQ(muscle.quantity("force"), 0);
}

TEST(Muscle, StartsWithFibresAtRest) {
  MuscleBench muscle;
  muscle.constant("pennation") = 0.3;
  for (const double q : {0.01, 0.3, 1.0}) {
    for (const double length : {0.27, 0.3, 0.36}) {
      muscle.set(length, q, 0.1);
      const double fiber = muscle.start(q);
      muscle.set(length, q, fiber);
      EXPECT_NEAR(muscle.rates()[1], 0, 1e-9) << q << " " << length;
    }
  }
}

TEST(Muscle, FollowsItsExcitationWithTwoTimeConstants) {
  MuscleBench muscle;
  muscle.constant("excitation") = 1;
  muscle.set(0.3, 0.4, 0.1);
  EXPECT_NEAR(muscle.rates()[0], 0.6 / 0.011, 1e-10);
  muscle.constant("excitation") = 0;
  EXPECT_NEAR(muscle.rates()[0], -0.4 / 0.068, 1e-12);
}

TEST(Muscle, PassiveIsItsTendonAndItsParallelElementInSeries) {
  MuscleBench muscle("Passive_Muscle");
  const double length = 0.36;
  muscle.set(length, 0, 0);
  const double F = muscle.quantity("force"), fiber = muscle.quantity("fiber_length");
  EXPECT_GT(F, 1);
  const double tendon = length - fiber;
  EXPECT_NEAR(F, 1000 * std::pow((tendon - 0.2) / (0.04 * 0.2), 2), 1e-8);
  EXPECT_NEAR(F, 500 * std::pow((fiber - 0.14) / (0.1 * 0.16), 2), 1e-8);
  muscle.set(0.33, 0, 0);
  EXPECT_EQ(muscle.quantity("force"), 0);
}

}  // namespace
}  // namespace parfait::mechanism
