#include "engine.h"
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

}  // namespace

std::unique_ptr<Engine> make_parfait(const mechanism::Description& description) {
  return std::make_unique<ParfaitEngine>(description);
}

}  // namespace parfait::bench
