#include <gtest/gtest.h>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/dense_model.h"
#include "testing/differences.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// What every force between two bodies owes to mechanics, seen in the accelerations of two bodies
// that nothing else acts on. It goes through the registry: a new force is judged without a line
// here.
namespace parfait::mbs {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using testing_support::DenseModel;
using testing_support::Random;
using testing_support::RandomModelOptions;

/// Two free, moving bodies and one force between them; `general`: in frames that are not
/// orthonormal.
Description pair(const std::string& key, unsigned seed, bool general) {
  RandomModelOptions options;
  options.bodies = 2;
  options.joints = {"Free"};
  options.free_root = true;
  options.gravity = false;
  options.general_frames = general;
  auto d = testing_support::random_model(seed, options).description;
  const ForceType& type = *registry().find_force(key);
  Force f;
  f.key = key;
  f.id = "f";
  if (type.is_element()) {
    Random random(seed + 7);
    f.begin = testing_support::marker(
        "body_1", testing_support::axes_frame(random.vector(0.5), random.rotation()));
    f.end = testing_support::marker(
        "body_2", testing_support::axes_frame(random.vector(0.5), random.rotation()));
    if (general) {  // given axes would count as they are: let the model complete them
      for (auto* m : {&*f.begin, &*f.end}) m->frame.has_x = m->frame.has_y = false;
    }
  }
  for (const auto& info : type.constants) f.constants.push_back({info.name, Value(1.3)});
  if (type.has_law) {
    const std::string s = key == "General_Rotational" ? "angle" : "length";
    f.law.formula = "2.1*" + s + "^3 + 0.4*rate*" + s + " + 0.7";
  }
  d.forces.push_back(f);
  return d;
}

/// The pair in motion: accelerations from the model, inertia from the dense witness.
struct Motion {
  explicit Motion(const Description& d)
      : model(d),
        dense(without_forces(d)),
        ws(model.make_workspace(0)),
        y(start_state(model)),
        q(y.head(24)),
        v(y.segment(24, 24)),
        a(rates(model, *ws, 0, y).segment(24, 24)) {}

  static Description without_forces(Description d) {
    d.forces.clear();
    return d;
  }
  Vector3d momentum_rate() const { return dense.momentum(a); }
  /// d/dt of sum m r x v, which is sum m r x a.
  Vector3d angular_momentum_rate() const { return dense.angular_momentum(q, a); }
  double power() const { return v.dot(dense.M() * a); }
  double size() const { return a.cwiseAbs().maxCoeff(); }

  Model model;
  DenseModel dense;
  std::unique_ptr<dynamics::Workspace> ws;
  VectorXd y, q, v, a;
};

std::vector<std::string> pair_forces() {
  std::vector<std::string> keys;
  for (const auto& type : registry().forces()) {
    if (!type.measure.empty()) keys.push_back(type.key);
  }
  return keys;
}

bool is_along_world_z(const std::string& key) {
  return key.starts_with("Z_") || key == "General_Z";
}

/// The motion of the same pair without the force, to see that the force does something.
VectorXd free_accelerations(const Description& d) {
  return Motion(Motion::without_forces(d)).a;
}

template <class Check>
void for_every_pair(const Check& check) {
  int count = 0;
  for (const auto& key : pair_forces()) {
    for (unsigned seed : {1u, 2u, 3u}) {
      for (bool general : {false, true}) {
        if (general && key.find("Rotational") != std::string::npos) continue;
        const auto d = pair(key, seed, general);
        const Motion motion(d);
        EXPECT_GT((motion.a - free_accelerations(d)).cwiseAbs().maxCoeff(), 1e-3) << key;
        check(key, motion);
        ++count;
      }
    }
  }
  EXPECT_GE(count, 20 * 3);  // four measures, five laws
}

TEST(Forces, ActionEqualsReaction) {
  for_every_pair([](const std::string& key, const Motion& motion) {
    EXPECT_LT(motion.momentum_rate().norm(), 1e-12 * std::max(1.0, motion.size())) << key;
  });
}

TEST(Forces, GiveNoMomentToThePairExceptThoseHeldByTheWorld) {
  for_every_pair([](const std::string& key, const Motion& motion) {
    const Vector3d moment = motion.angular_momentum_rate();
    const double bound = 1e-11 * std::max(1.0, motion.size());
    if (is_along_world_z(key)) {
      // Their direction is the world's z, which turns with nobody: only the moment about z is none.
      EXPECT_LT(std::abs(moment.z()), bound) << key;
      EXPECT_GT(moment.norm(), 1e-3) << key;
    } else {
      EXPECT_LT(moment.norm(), bound) << key;
    }
  });
}

TEST(Forces, HaveThePowerMinusForceTimesRate) {
  for_every_pair([](const std::string& key, const Motion& motion) {
    const double F = observed(motion.model, *motion.ws, 0, motion.y, "f.force");
    const double rate = observed(motion.model, *motion.ws, 0, motion.y, "f.rate");
    EXPECT_GT(std::abs(F * rate), 1e-4) << key;
    EXPECT_NEAR(motion.power(), -F * rate, 1e-11 * std::max(1.0, std::abs(F * rate))) << key;
  });
}

TEST(Forces, DampersOnlyTakeEnergy) {
  int dampers = 0;
  for (const auto& key : pair_forces()) {
    if (key.find("Damper") == std::string::npos || key.find("Spring") != std::string::npos)
      continue;
    ++dampers;
    for (unsigned seed = 1; seed <= 10; ++seed) {
      EXPECT_LT(Motion(pair(key, seed, false)).power(), 0) << key << " seed " << seed;
    }
  }
  EXPECT_GE(dampers, 4);
}

TEST(Forces, SpringsTakeFromThePotentialEnergyWhatTheyGive) {
  int springs = 0;
  for (const auto& type : registry().forces()) {
    const std::string& key = type.key;
    const bool spring = key == "Spring" || key.ends_with("_Spring");
    if (!spring && key != "Gravitation") continue;
    ++springs;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Motion motion(pair(key, seed, false));
      const auto potential = testing_support::differentiate([&](double h) -> VectorXd {
        VectorXd y = motion.y;
        y.head(24) += h * motion.v;
        return VectorXd::Constant(1, observed(motion.model, *motion.ws, 0, y, "energy.potential"));
      });
      EXPECT_GT(std::abs(motion.power()), 1e-3) << key;
      EXPECT_NEAR(motion.power(), -potential.value[0],
                  1e-9 * std::max(1.0, std::abs(motion.power())))
          << key;
    }
  }
  EXPECT_GE(springs, 5);  // four measures and gravity
}

TEST(Forces, SpringDampersAreTheirSpringAndTheirDamperTogether) {
  for (const char* prefix : {"", "Z_", "Direction_", "Rotational_"}) {
    auto both = pair(std::string(prefix) + "Spring_Damper", 5, false);
    auto two = both;
    two.forces = {pair(std::string(prefix) + "Spring", 5, false).forces[0],
                  pair(std::string(prefix) + "Damper", 5, false).forces[0]};
    two.forces[1].id = "g";
    EXPECT_LT((Motion(both).a - Motion(two).a).cwiseAbs().maxCoeff(), 1e-12) << prefix;
  }
}

TEST(Forces, GravityAcceleratesEveryCentreAlikeAndTurnsNothing) {
  Description d = pair("Gravitation", 4, true);
  d.forces[0] = testing_support::gravitation({1.5, -2.5, -9.81});
  const Motion with(d);
  const VectorXd without = free_accelerations(d);
  for (int b = 0; b < 2; ++b) {
    const Vector3d extra = with.dense.center(b, with.a) - with.dense.center(b, without);
    EXPECT_LT((extra - Vector3d(1.5, -2.5, -9.81)).norm(), 1e-12);
    for (int i = 0; i < 3; ++i) {
      const Vector3d r = Vector3d::Unit(i);
      EXPECT_LT((with.dense.direction(b, r, with.a) - with.dense.direction(b, r, without)).norm(),
                1e-12);
    }
  }
}

TEST(Forces, PositiveForcePullsTheMarkersTogether) {
  for (const char* key : {"Actuator", "Z_Actuator", "Direction_Actuator"}) {
    const auto d = pair(key, 6, false);
    const Motion motion(d);
    const VectorXd extra = motion.a - free_accelerations(d);
    // Along the gradient of the length the pair is pulled: its second derivative falls.
    const auto length_rate = testing_support::differentiate([&](double h) -> VectorXd {
      VectorXd y = motion.y;
      y.head(24) += h * extra;
      return VectorXd::Constant(1, observed(motion.model, *motion.ws, 0, y, "f.length"));
    });
    EXPECT_LT(length_rate.value[0], -1e-3) << key;
  }
}

}  // namespace
}  // namespace parfait::mbs
