#include "parfait/mechanism/elements/force.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "parfait/mechanism/elements/force_jacobian.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/differences.h"
#include "testing/example_elements.h"
#include "testing/random_models.h"

// The laws that every force element keeps, seen at the element itself: ends in frames that are
// neither orthonormal nor rigid. They go through the registry, so a new force is judged without a
// line here.
namespace parfait::mechanism {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing_support::Random;

/// Every type of the registry that is an element, and two that a plug-in could bring.
std::vector<ForceType> element_types() {
  std::vector<ForceType> types;
  for (const auto& type : registry().forces()) {
    if (type.is_element()) types.push_back(type);
  }
  types.push_back(example_elements::bushing_type());
  types.push_back(example_elements::cord_type());
  return types;
}

/// An element of a type at a generic point, whose columns are those of its Jacobian.
class Trial {
 public:
  Trial(const ForceType& type, unsigned seed, Side side = Side::kBoth) : type_(type) {
    Force force;
    force.side = side;
    const int num_ends = type.min_ends;
    force.via.resize(static_cast<std::size_t>(std::max(num_ends, 2)) - 2);
    element_ = type.make(force);
    Random random(seed);
    for (int e = 0; e < num_ends; ++e) {
      const Eigen::Matrix3d R = random.rotation();
      const auto add = [&](const Eigen::Vector3d& a) {
        for (int k = 0; k < 3; ++k) x_.push_back(a[k]);
      };
      add(random.vector(1.0));
      add(random.vector(1.0));
      for (int i = 0; i < 3; ++i) add(R.col(i) + random.vector(0.1));
      for (int i = 0; i < 3; ++i) add(random.vector(0.7));
    }
    num_ends_ = static_cast<std::size_t>(num_ends);
    const auto constants = type.constants_of(side);
    num_constants_ = constants.size();
    for (std::size_t i = 0; i < num_constants_; ++i) x_.push_back(random.uniform(0.5, 1.5));
    for (std::size_t i = 0; i < type.states.size(); ++i) x_.push_back(random.uniform(0.5, 1.5));
    x_.push_back(0.7);  // t
    x_.push_back(0.0);  // added to the value of the law
    if (type.has_law) {
      expr::Names names({type.measure, "rate"});
      formula_ =
          expr::Formula("2.1*" + type.measure + "^3 + 0.4*rate*" + type.measure + " + 0.7", names);
      scratch_.resize(formula_.scratch_size());
      gradient_.resize(static_cast<std::size_t>(formula_.num_used()));
      law_ = {&formula_, slots_, scratch_.data(), nullptr, gradient_.data(), &law_value_};
    }
    unpack(x_);
  }

  const ForceElement& element() const { return *element_; }
  std::size_t num_ends() const { return num_ends_; }
  unsigned use(std::size_t end) const { return element_->use(static_cast<int>(end)); }
  const std::vector<double>& x() const { return x_; }
  std::vector<EndFrame<double>>& frames() { return frames_; }
  std::vector<EndForce<double>>& forces() { return forces_; }
  const std::vector<double>& rates() const { return rates_; }

  ElementPoint<double> at() {
    return {frames_,
            constants_,
            states_,
            t_,
            mode_.empty() ? nullptr : mode_.data(),
            type_.has_law ? &law_ : nullptr};
  }
  /// Signs of its switching functions.
  std::vector<std::int8_t> signs() {
    std::vector<double> values(element_->switch_infos().size());
    element_->switches(at(), values);
    std::vector<std::int8_t> out;
    out.reserve(values.size());
    for (double value : values) out.push_back(value >= 0 ? 1 : -1);
    return out;
  }
  /// From now on the branches are those of this point, wherever it is looked at.
  void hold_branches() { hold_branches(signs()); }
  void hold_branches(std::vector<std::int8_t> mode) { mode_ = std::move(mode); }
  /// Whether it pushes or pulls here at all.
  bool acts() { return is_finite() && rows(x_).cwiseAbs().maxCoeff() > 1e-3; }
  /// Whether there is such a point at all: a path cannot begin inside of what it goes round.
  bool is_finite() { return rows(x_).allFinite(); }
  /// Puts x where the element looks for it.
  void unpack(const std::vector<double>& x) {
    frames_.resize(num_ends_);
    auto next = x.begin();
    const auto vector = [&] {
      Vec3<double> a{next[0], next[1], next[2]};
      next += 3;
      return a;
    };
    for (auto& frame : frames_) {
      frame.point = vector();
      frame.velocity = vector();
      for (auto& axis : frame.axis) axis = vector();
      for (auto& rate : frame.axis_rate) rate = vector();
    }
    const auto count = static_cast<std::ptrdiff_t>(num_constants_);
    constants_.assign(next, next + count);
    next += count;
    states_.assign(next, next + static_cast<std::ptrdiff_t>(type_.states.size()));
    next += static_cast<std::ptrdiff_t>(type_.states.size());
    t_ = *next;
  }
  void act() {
    forces_.assign(num_ends_, {});
    rates_.assign(type_.states.size(), 0.0);
    element_->act(at(), {forces_, rates_});
  }
  /// Rows of the Jacobian as functions of its columns.
  VectorXd rows(const std::vector<double>& moved) {
    unpack(moved);
    act();
    VectorXd out = VectorXd::Zero(static_cast<Eigen::Index>(12 * num_ends_ + rates_.size()));
    Eigen::Index row = 0;
    const auto put = [&](const Vec3<double>& a, bool given) {
      if (given) out.segment<3>(row) << a.x, a.y, a.z;
      row += 3;
    };
    for (std::size_t e = 0; e < num_ends_; ++e) {
      put(forces_[e].force, (use(e) & kForce) != 0);
      for (int i = 0; i < 3; ++i) put(forces_[e].axis[i], gives_axis_force(use(e), i));
    }
    for (double rate : rates_) out[row++] = rate;
    unpack(x_);
    return out;
  }
  double power() {
    act();
    double sum = 0;
    for (std::size_t e = 0; e < num_ends_; ++e) {
      if (use(e) & kForce) sum += dot(forces_[e].force, frames_[e].velocity);
      for (int i = 0; i < 3; ++i) {
        if (gives_axis_force(use(e), i)) {
          sum += dot(forces_[e].axis[i], frames_[e].axis_rate[i]);
        }
      }
    }
    return sum;
  }

 private:
  const ForceType& type_;
  std::unique_ptr<ForceElement> element_;
  std::size_t num_ends_ = 0, num_constants_ = 0;
  std::vector<double> x_;
  std::vector<EndFrame<double>> frames_;
  std::vector<double> constants_, states_, rates_;
  double t_ = 0;
  std::vector<std::int8_t> mode_;
  std::vector<EndForce<double>> forces_;
  expr::Formula formula_;
  double slots_[2] = {};
  std::vector<double> scratch_, gradient_;
  double law_value_ = 0;
  Law<double> law_{};
};

MatrixXd matrix(const ForceJacobian& J) {
  MatrixXd out(J.rows(), J.columns());
  for (int i = 0; i < J.rows(); ++i) {
    for (int j = 0; j < J.columns(); ++j) out(i, j) = J(i, j);
  }
  return out;
}

/// The first of many random points that is as asked for; elements such as contacts act at some
/// only.
std::unique_ptr<Trial> find_trial(const ForceType& type, unsigned seed,
                                  const std::function<bool(Trial&)>& is_wanted) {
  for (unsigned i = 0; i < 2000; ++i) {
    auto trial = std::make_unique<Trial>(type, seed + 3 * i);
    if (is_wanted(*trial)) return trial;
  }
  return nullptr;
}

template <class Check>
void for_every_element(const Check& check) {
  int count = 0;
  for (const auto& type : element_types()) {
    for (unsigned seed : {1u, 2u, 3u}) {
      const auto trial = find_trial(type, seed, [](Trial& t) { return t.acts(); });
      ASSERT_TRUE(trial) << type.key << " never acts";
      check(type, *trial);
      ++count;
    }
  }
  EXPECT_GE(count, 29 * 3);
}

Vec3<double> sum_of_torques(Trial& trial) {
  Vec3<double> sum{};
  for (std::size_t e = 0; e < trial.num_ends(); ++e) {
    const auto& frame = trial.frames()[e];
    const auto& force = trial.forces()[e];
    if (trial.use(e) & kForce) sum += cross(frame.point, force.force);
    for (int i = 0; i < 3; ++i) {
      if (gives_axis_force(trial.use(e), i)) sum += cross(frame.axis[i], force.axis[i]);
    }
  }
  return sum;
}

double norm(const Vec3<double>& a) {
  return std::sqrt(dot(a, a));
}

TEST(ForceElements, HaveEqualActionAndReaction) {
  for_every_element([](const ForceType& type, Trial& trial) {
    trial.act();
    Vec3<double> sum{};
    double size = 0;
    for (std::size_t e = 0; e < trial.num_ends(); ++e) {
      if (!(trial.use(e) & kForce)) continue;
      sum += trial.forces()[e].force;
      size += norm(trial.forces()[e].force);
    }
    EXPECT_LE(norm(sum), 1e-15 * size) << type.key;
  });
}

TEST(ForceElements, LeaveToEventsTheStatesThatOnlyEventsChange) {
  int held = 0;
  for_every_element([&](const ForceType& type, Trial& trial) {
    trial.act();
    for (std::size_t i = 0; i < type.states.size(); ++i) {
      EXPECT_EQ(trial.rates()[i] == 0, type.states[i].is_held) << type.key;
      held += type.states[i].is_held ? 1 : 0;
    }
  });
  EXPECT_GE(held, 3);
}

TEST(ForceElements, GiveNoMomentUnlessTheWorldHoldsThem) {
  for_every_element([](const ForceType& type, Trial& trial) {
    trial.act();
    const bool held = type.key.starts_with("Z_") || type.key == "General_Z";
    const double moment = norm(sum_of_torques(trial));
    if (held) {
      EXPECT_GT(moment, 1e-3) << type.key;
    } else {
      EXPECT_LT(moment, 1e-13) << type.key;
    }
  });
}

TEST(ForceElements, LoseInPotentialAndDissipationWhatTheyGive) {
  int balanced = 0;
  for_every_element([&](const ForceType& type, Trial& trial) {
    if (!type.accounts_for_power) return;
    ++balanced;
    const double power = trial.power();
    // V along the motion: points with velocities, axes with their rates, states with theirs.
    const auto V = testing_support::differentiate([&](double h) -> VectorXd {
      std::vector<double> moved = trial.x();
      for (std::size_t e = 0; e < trial.num_ends(); ++e) {
        const auto first = moved.begin() + static_cast<std::ptrdiff_t>(24 * e);
        for (int k = 0; k < 3; ++k) first[k] += h * first[3 + k];
        for (int k = 0; k < 9; ++k) first[6 + k] += h * first[15 + k];
      }
      const std::size_t first_state = moved.size() - 2 - type.states.size();
      for (std::size_t i = 0; i < type.states.size(); ++i) {
        moved[first_state + i] += h * trial.rates()[i];
      }
      trial.unpack(moved);
      const double energy = trial.element().potential(trial.at());
      trial.unpack(trial.x());
      return VectorXd::Constant(1, energy);
    });
    const double lost = trial.element().dissipation(trial.at());
    EXPECT_GT(std::abs(power), 1e-4) << type.key;
    EXPECT_NEAR(power, -V.value[0] - lost, 1e-9 * std::max(1.0, std::abs(power))) << type.key;
  });
  EXPECT_GE(balanced, (3 * 4 + 2 + 8) * 3);  // springs, dampers, both; bodily ones; examples
}

/// Its Jacobian is that of its forces as they continue on the branches of this point.
void expect_derivative(const ForceType& type, Trial& trial) {
  ForceJacobian own, by_directions;
  trial.element().jacobian(trial.at(), own);
  jacobian_by_directions(trial.element(), trial.at(), by_directions);
  const MatrixXd J = matrix(own);
  const double size = J.cwiseAbs().maxCoeff();
  EXPECT_LT((J - matrix(by_directions)).cwiseAbs().maxCoeff(), 1e-13 * size + 1e-300) << type.key;
  trial.hold_branches();
  for (int column = 0; column < own.law_column(); ++column) {
    const auto along = [&](double h) {
      auto moved = trial.x();
      moved[static_cast<std::size_t>(column)] += h;
      return trial.rows(moved);
    };
    // Steep laws (a tendon, Hill's hyperbolas) want a shorter step than flat ones.
    auto expected = testing_support::differentiate(along, 0.02);
    const auto closer = testing_support::differentiate(along, 0.002);
    if (closer.error < expected.error) expected = closer;
    EXPECT_LT((J.col(column) - expected.value).cwiseAbs().maxCoeff(), 1e-9 * std::max(size, 1e-3))
        << type.key << " column " << column;
  }
}

TEST(ForceElements, HaveJacobiansThatAreTheirDerivatives) {
  for_every_element([](const ForceType& type, Trial& trial) {
    ForceJacobian J;
    trial.element().jacobian(trial.at(), J);
    EXPECT_GT(matrix(J).cwiseAbs().maxCoeff(), 0.1) << type.key;
    expect_derivative(type, trial);
  });
}

TEST(ForceElements, HaveTheirDerivativesOnBothSidesOfEverySwitch) {
  int sides = 0;
  for (const auto& type : element_types()) {
    const auto infos = Trial(type, 1).element().switch_infos();
    for (std::size_t i = 0; i < infos.size(); ++i) {
      for (const std::int8_t sign : {1, -1}) {
        const auto trial =
            find_trial(type, 7, [&](Trial& t) { return t.is_finite() && t.signs()[i] == sign; });
        ASSERT_TRUE(trial) << type.key << ": " << infos[i].name << " has one side only";
        expect_derivative(type, *trial);
        ++sides;
      }
    }
  }
  EXPECT_GE(sides, 2 * (3 + 3 + 5 + 3 + 4));  // bushing, three contacts, joint limit
}

TEST(ForceElements, HaveAJacobianOfTheirLaw) {
  int laws = 0;
  for_every_element([&](const ForceType& type, Trial& trial) {
    if (!type.has_law) return;
    ++laws;
    ForceJacobian J;
    trial.element().jacobian(trial.at(), J);
    trial.act();
    // The forces are proportional to the value of the law.
    const double F = trial.element().quantity(trial.at(), 2);
    ASSERT_GT(std::abs(F), 1e-3);
    const VectorXd rows = trial.rows(trial.x());
    EXPECT_LT((matrix(J).col(J.law_column()) * F - rows).cwiseAbs().maxCoeff(), 1e-13) << type.key;
  });
  EXPECT_GE(laws, 12);
}

TEST(ForceElements, OnOneSideHaveTheJacobianOfTheirSide) {
  int acting = 0, idle = 0;
  for (const auto& type : element_types()) {
    if (!type.may_be_one_sided() || type.has_law) continue;
    for (const Side side : {Side::kPush, Side::kPull}) {
      Trial trial(type, 4, side);
      ForceJacobian own, by_directions;
      trial.element().jacobian(trial.at(), own);
      jacobian_by_directions(trial.element(), trial.at(), by_directions);
      EXPECT_LT((matrix(own) - matrix(by_directions)).cwiseAbs().maxCoeff(), 1e-13) << type.key;
      (matrix(own).cwiseAbs().maxCoeff() > 0 ? acting : idle) += 1;
    }
  }
  EXPECT_GE(acting, 5);
  EXPECT_GE(idle, 5);
}

TEST(ForceElements, DoNothingWhereTheySayThatTheyRest) {
  int types = 0;
  for (const auto& type : element_types()) {
    Trial trial(type, 5);
    if (!trial.element().may_rest()) continue;
    ++types;
    const std::size_t n = trial.element().switch_infos().size();
    int resting = 0, acting = 0;
    for (unsigned bits = 0; bits < 1u << n; ++bits) {
      std::vector<std::int8_t> mode;
      for (std::size_t i = 0; i < n; ++i) mode.push_back((bits >> i & 1u) != 0 ? 1 : -1);
      trial.hold_branches(mode);
      const bool rests = trial.element().rests(mode.data());
      EXPECT_EQ(rests, trial.rows(trial.x()).isZero(0)) << type.key << " in mode " << bits;
      ForceJacobian J;
      trial.element().jacobian(trial.at(), J);
      EXPECT_EQ(rests, matrix(J).isZero(0)) << type.key << " in mode " << bits;
      (rests ? resting : acting) += 1;
    }
    EXPECT_GT(resting, 0) << type.key;
    EXPECT_GT(acting, 0) << type.key;
  }
  EXPECT_GE(types, 4);
}

/// A frame that turns with omega about its own, general axes.
EndFrame<double> turning(Random& random, const Vec3<double>& omega) {
  EndFrame<double> end{};
  const Eigen::Matrix3d R = random.rotation();
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector3d a = R.col(i) + random.vector(0.2);
    end.axis[i] = {a[0], a[1], a[2]};
    end.axis_rate[i] = cross(omega, end.axis[i]);
  }
  return end;
}

TEST(Torque, HasItsMomentAndItsPowerInGeneralFrames) {
  Random random(5);
  const Vec3<double> omega{0.3, -1.1, 0.7}, tau{2.0, 0.4, -1.5};
  const EndFrame<double> end = turning(random, omega);
  EndForce<double> force{};
  add_torque(tau, end.axis, force);
  EXPECT_LT(norm(torque_of(end, force) - tau), 1e-14);
  EXPECT_LT(norm(angular_velocity(end) - omega), 1e-14);
  double power = 0;
  for (int i = 0; i < 3; ++i) power += dot(force.axis[i], end.axis_rate[i]);
  EXPECT_NEAR(power, dot(tau, omega), 1e-14);
}

TEST(Torque, HasThePowerOfTheAngularVelocityOfAxesThatAreNotRigid) {
  Random random(6);
  EndFrame<double> end = turning(random, {0.3, -1.1, 0.7});
  for (auto& rate : end.axis_rate) {
    const auto a = random.vector(0.5);
    rate += Vec3<double>{a[0], a[1], a[2]};
  }
  const Vec3<double> tau{2.0, 0.4, -1.5};
  EndForce<double> force{};
  add_torque(tau, end.axis, force);
  double power = 0;
  for (int i = 0; i < 3; ++i) power += dot(force.axis[i], end.axis_rate[i]);
  EXPECT_NEAR(power, dot(tau, angular_velocity(end)), 1e-14);
}

TEST(Registry, RefusesElementsThatCannotBeMade) {
  ForceType type;
  type.key = "Nothing";
  EXPECT_THROW(registry().add(type), base::InputError);
  type = example_elements::cord_type();
  type.states[0].constant = 3;
  EXPECT_THROW(registry().add(type), base::InputError);
}

}  // namespace
}  // namespace parfait::mechanism
