#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/allocations.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

namespace parfait::mbs {
namespace {

using dynamics::Norm;
using Eigen::VectorXd;
using math::Directions;
using testing_support::Random;
using testing_support::RandomModelOptions;

constexpr int kDirections = 11;

/// A chain with branches in formulas, one-sided forces and events.
Description switched() {
  RandomModelOptions chain;
  chain.bodies = 4;
  chain.joints = {"Spherical", "Universal"};
  auto d = testing_support::random_model(8, chain).description;
  Force stop;
  stop.key = "Spring_Damper";
  stop.id = "Stop";
  stop.begin = testing_support::marker("body_1", {});
  stop.end = testing_support::marker("body_3", {});
  stop.side = Side::kPush;
  stop.constants = {{"rest_length", 3.0}, {"stiffness", 10.0}, {"damping", 1.0}};
  d.forces.push_back(stop);
  State x;
  x.id = "x";
  x.derivative.formula = "abs(body_2.com.vx) - min(x, body_1.com.z)";
  d.states.push_back(x);
  for (const double z : {1.0, -1.0}) {  // one of them is hit
    Event hit;
    hit.key = "Impact";
    hit.id = z > 0 ? "Up" : "Down";
    hit.begin =
        testing_support::marker(kInertial, testing_support::axis_frame({0, 0, 0}, {0.3, 0.2, z}));
    hit.end = testing_support::marker("body_4", {});
    hit.constants = {{"restitution", 0.5}};
    hit.set("x", "x + body_2.com.x");
    d.events.push_back(hit);
  }
  return d;
}

/// Trees with every element, a loop, released bodies, a driven constraint, events.
std::vector<Description> models() {
  std::vector<Description> out;
  RandomModelOptions tree;
  tree.bodies = 6;
  tree.tree = tree.general_laws = tree.mixed_coordinates = true;
  tree.forces = 6;
  out.push_back(testing_support::random_model(5, tree).description);
  RandomModelOptions released;
  released.bodies = 4;
  released.release_constraints = released.general_frames = true;
  out.push_back(testing_support::random_model(6, released).description);
  out.push_back(testing_support::loop(1));
  out.push_back(testing_support::driven_pendulum().description);
  out.push_back(testing_support::skate());
  out.push_back(switched());
  for (auto& d : out) {
    Parameter p;
    p.id = "theta";
    p.targets = {d.bodies[0].id + ".mass"};
    d.parameters.push_back(p);
  }
  return out;
}

/// All that is computed in a step, in storage made before.
class Work {
 public:
  explicit Work(const Model& model)
      : model_(model),
        ws_(model.make_workspace(kDirections)),
        y_(start_state(model) + Random(9).vector(model.sizes().ny(), 0.01)),
        p_(start_parameters(model)),
        dp_(model.sizes().np, kDirections),
        dy_(model.sizes().ny(), kDirections),
        projected_dy_(model.sizes().ny(), kDirections),
        drates_(model.sizes().ny(), kDirections),
        dswitches_(model.sizes().num_switches, kDirections),
        dafter_(model.sizes().ny(), kDirections),
        rates_(y_.size()),
        switches_(model.sizes().num_switches),
        after_(VectorXd::Zero(y_.size())),
        mode_(model.sizes().num_switches, 1),
        g_(model.sizes().num_pos + model.sizes().num_vel) {
    auto names = model.quantity_names();
    names.push_back("2*energy.total + t");
    observer_ = model.make_observer(names);
    values_.resize(observer_->size());
    dvalues_.resize(observer_->size(), kDirections);
    Random random(10);
    for (int k = 0; k < kDirections; ++k) {
      for (int i = 0; i < dp_.rows(); ++i) dp_(i, k) = random.uniform(-1, 1);
      for (int i = 0; i < dy_.rows(); ++i) dy_(i, k) = random.uniform(-1, 1);
    }
  }

  void bind() {
    model_.bind(*ws_, view(p_));
    model_.bind_directions(*ws_, dp_);
  }
  void evaluate() {
    at_.t = 0.2;
    at_.y = view(std::as_const(y_));
    status_ = model_.evaluate(*ws_, at_, view(rates_), {});
  }
  void directions() {
    along_.dy = &dy_;
    model_.directions(*ws_, along_, drates_, nullptr);
  }
  void project() {
    projected_ = y_;
    model_.invariants(*ws_, 0.2, view(std::as_const(y_)), view(g_));
    status_ = model_.project(*ws_, 0.2, view(projected_), Norm::kMass, 1e-10).status;
  }
  void project_directions() {
    std::copy(dy_.data(), dy_.data() + dy_.size(), projected_dy_.data());
    model_.project_directions(*ws_, projected_dy_);
  }
  void observe() {
    at_.t = 0.2;
    at_.y = view(std::as_const(y_));
    model_.observe(*ws_, *observer_, at_, view(values_));
  }
  void observe_directions() { model_.observe_directions(*ws_, *observer_, along_, dvalues_); }
  void switches() {
    at_.t = 0.2;
    at_.y = view(std::as_const(y_));
    at_.mode = mode_;
    model_.switches(*ws_, at_, view(switches_));
    model_.switch_directions(*ws_, along_, dswitches_);
    at_.mode = {};
  }
  void jump() {
    for (int i = 0; i < model_.sizes().num_switches; ++i) {
      model_.jump(*ws_, i, at_, view(after_));
      model_.jump_directions(*ws_, along_, dafter_);
    }
  }
  void all() {
    bind();
    evaluate();
    directions();
    project();
    project_directions();
    observe();
    observe_directions();
    switches();
    jump();
  }

  /// Every number computed.
  std::vector<double> results() const {
    std::vector<double> out;
    const auto add = [&](const double* x, std::size_t n) { out.insert(out.end(), x, x + n); };
    add(rates_.data(), rates_.size());
    add(drates_.data(), drates_.size());
    add(projected_.data(), projected_.size());
    add(projected_dy_.data(), projected_dy_.size());
    add(values_.data(), values_.size());
    add(dvalues_.data(), dvalues_.size());
    add(switches_.data(), switches_.size());
    add(dswitches_.data(), dswitches_.size());
    add(after_.data(), after_.size());
    add(dafter_.data(), dafter_.size());
    return out;
  }
  dynamics::Status status() const { return status_; }
  void disturb() { y_ *= 1.1; }
  void restore(const Work& other) { y_ = other.y_; }

 private:
  const Model& model_;
  std::unique_ptr<dynamics::Workspace> ws_;
  VectorXd y_, p_;
  Directions dp_, dy_, projected_dy_, drates_, dswitches_, dafter_, dvalues_;
  VectorXd rates_, switches_, after_;
  std::vector<std::int8_t> mode_;
  VectorXd g_, projected_, values_;
  std::unique_ptr<dynamics::System::Observer> observer_;
  dynamics::Point at_;
  dynamics::PointDirections along_;
  dynamics::Status status_ = dynamics::Status::kOk;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(Workspace, AllocatesNothingOnceItIsWarm) {
  for (const auto& d : models()) {
    const Model model(d);
    Work work(model);
    work.all();
    ASSERT_EQ(work.status(), dynamics::Status::kOk);
    const auto during = [](auto&& action) {
      const long before = testing_support::num_allocations();
      action();
      return testing_support::num_allocations() - before;
    };
    const std::string& id = d.bodies[0].id;
    EXPECT_EQ(during([&] { work.bind(); }), 0) << id;
    EXPECT_EQ(during([&] { work.evaluate(); }), 0) << "evaluate";
    EXPECT_EQ(during([&] { work.directions(); }), 0) << "directions";
    EXPECT_EQ(during([&] { work.project(); }), 0) << "project";
    EXPECT_EQ(during([&] { work.project_directions(); }), 0) << "project_directions";
    EXPECT_EQ(during([&] { work.observe(); }), 0) << "observe";
    EXPECT_EQ(during([&] { work.observe_directions(); }), 0) << "observe_directions";
    EXPECT_EQ(during([&] { work.switches(); }), 0) << "switches";
    EXPECT_EQ(during([&] { work.jump(); }), 0) << "jump";
    EXPECT_GT(during([&] { Work another(model); }), 10);  // the counter counts
  }
}

TEST(Workspace, GivesTheSameBitsForTheSameInputWhateverCameBefore) {
  for (const auto& d : models()) {
    const Model model(d);
    Work fresh(model), used(model);
    fresh.all();
    used.disturb();
    used.all();
    EXPECT_FALSE(same_bits(fresh.results(), used.results()));
    used.restore(fresh);
    used.all();
    EXPECT_TRUE(same_bits(fresh.results(), used.results()));
  }
}

TEST(Workspace, OfEachThreadGivesTheSameBitsAsOneThreadAlone) {
  for (const auto& d : models()) {
    const Model model(d);
    Work alone(model);
    alone.all();
    const auto expected = alone.results();
    constexpr int kThreads = 4;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    std::vector<int> wrong(kThreads, 0);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Work work(model);
        for (int round = 0; round < 20; ++round) {
          work.all();
          wrong[i] += !same_bits(work.results(), expected);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (int count : wrong) EXPECT_EQ(count, 0);
  }
}

TEST(Workspace, WithoutRoomForDirectionsEvaluatesToTheSameBits) {
  const Model model(models()[0]);
  const VectorXd y = start_state(model);
  auto none = model.make_workspace(0), many = model.make_workspace(20);
  EXPECT_EQ(rates(model, *none, 0.1, y), rates(model, *many, 0.1, y));
}

}  // namespace
}  // namespace parfait::mbs
