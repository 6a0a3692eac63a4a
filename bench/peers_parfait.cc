#include "engine.h"
#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "parfait/tree/model.h"
#include "parfait_run.h"

namespace parfait::bench {
namespace {

class ParfaitEngine final : public Engine {
 public:
  explicit ParfaitEngine(const mechanism::Description& description) : run_(description) {}

  std::string name() const override { return "Parfait"; }
  std::string version() const override { return PARFAIT_VERSION; }
  std::string method() const override { return "System::evaluate, natural coordinates"; }

  void add_state(const mechanism::Description& description) override {
    y_.push_back(mbs::build(description)->initial_state());
  }

  void compute_accelerations(int state) override {
    run_.evaluate(y_[state]);
    last_ = state;
  }

  Accelerations accelerations() override {
    return bench::accelerations(run_.description, y_[last_], run_.dydt);
  }

 private:
  Run run_;
  std::vector<std::vector<double>> y_;
  int last_ = 0;
};

class ParfaitJoints final : public Engine {
 public:
  explicit ParfaitJoints(const mechanism::Description& description)
      : description_(description), model_(description), joints_(description) {}

  std::string name() const override { return "Parfait"; }
  std::string version() const override { return PARFAIT_VERSION; }
  std::string method() const override { return "System::evaluate, joint coordinates"; }

  void add_state(const mechanism::Description& description) override {
    y_.push_back(tree::Model(description).initial_state());
  }

  void compute_accelerations(int state) override {
    dynamics::Point point;
    point.y = y_[state];
    model_.evaluate(*room_, point, dydt_, {});
    last_ = state;
  }

  Accelerations accelerations() override {
    const auto& tree = joints_.tree();
    const std::size_t nq = tree.nq, nv = tree.nv;
    tree::Workspace ws(tree);
    Accelerations found;
    for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
      const auto& c = description_.bodies[b].center_of_mass;
      const auto a = tree::point_acceleration(
          tree, {y_[last_].data(), nq}, {y_[last_].data() + nq, nv}, {dydt_.data() + nq, nv},
          joints_.tree_body(static_cast<int>(b)), {c[0].number, c[1].number, c[2].number}, ws);
      found.center.push_back({a.v.x, a.v.y, a.v.z});
      found.angular.push_back({a.omega.x, a.omega.y, a.omega.z});
    }
    return found;
  }

 private:
  mechanism::Description description_;
  tree::Model model_;
  tree::MechanismTree joints_;
  std::unique_ptr<dynamics::Workspace> room_ = model_.make_workspace(0);
  std::vector<double> dydt_ = std::vector<double>(model_.sizes().ny());
  std::vector<std::vector<double>> y_;
  int last_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_parfait_joints(const mechanism::Description& description) {
  return std::make_unique<ParfaitJoints>(description);
}

std::unique_ptr<Engine> make_parfait(const mechanism::Description& description) {
  return std::make_unique<ParfaitEngine>(description);
}

}  // namespace parfait::bench
