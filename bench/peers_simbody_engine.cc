#include <map>

#include "engine.h"
#include "plain_model.h"

namespace parfait::bench {
namespace {

Triple numbers(const mechanism::Number3& x) {
  return {x[0], x[1], x[2]};
}

Triple numbers(const mechanism::Value3& x) {
  return {x[0].number, x[1].number, x[2].number};
}

PlainFrame plain(const mechanism::Frame& frame) {
  return {numbers(frame.o), numbers(frame.x), numbers(frame.y), numbers(frame.z)};
}

PlainModel plain(const mechanism::Description& description) {
  PlainModel out;
  for (const auto& force : description.forces) {
    out.gravity.push_back(force.constants.at(0).value.number);
  }
  std::map<std::string, const mechanism::Joint*> carrier;
  for (const auto& joint : description.joints) carrier[joint.end.body] = &joint;
  std::map<std::string, int> index;
  for (const auto& body : description.bodies) {
    PlainBody plain_body;
    plain_body.id = body.id;
    plain_body.mass = body.mass.number;
    plain_body.center = numbers(body.center_of_mass);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) plain_body.inertia[i][j] = body.inertia[i][j].number;
    }
    plain_body.place = {numbers(body.o), numbers(body.x), numbers(body.y), numbers(body.z)};
    plain_body.omega = numbers(body.omega.value());
    plain_body.v = numbers(body.v.value());
    if (const mechanism::Joint* joint = carrier[body.id]) {
      if (joint->begin.body != mechanism::kInertial)
        plain_body.parent = index.at(joint->begin.body);
      plain_body.joint_id = joint->id;
      plain_body.joint_key = joint->key;
      plain_body.begin = plain(joint->begin.frame);
      plain_body.end = plain(joint->end.frame);
    }
    index[body.id] = static_cast<int>(out.bodies.size());
    out.bodies.push_back(plain_body);
  }
  return out;
}

class SimbodyEngine final : public Engine {
 public:
  explicit SimbodyEngine(const mechanism::Description& description)
      : model_(make_simbody_model(plain(description))) {}

  std::string name() const override { return "Simbody"; }
  std::string version() const override { return model_->version(); }
  std::string method() const override { return "realize(Stage::Acceleration) after new Q, U"; }
  void add_state(const mechanism::Description& description) override {
    model_->add_state(plain(description));
  }
  void compute_accelerations(int state) override { model_->compute_accelerations(state); }
  Accelerations accelerations() override {
    std::vector<Triple> center, angular;
    model_->accelerations(center, angular);
    Accelerations out;
    for (const Triple& a : center) out.center.push_back({a[0], a[1], a[2]});
    for (const Triple& a : angular) out.angular.push_back({a[0], a[1], a[2]});
    return out;
  }

 private:
  std::unique_ptr<SimbodyModel> model_;
};

}  // namespace

std::unique_ptr<Engine> make_simbody(const mechanism::Description& description) {
  return std::make_unique<SimbodyEngine>(description);
}

Motion simulate_simbody(const mechanism::Description& description, double until, double accuracy) {
  const PlainModel model = plain(description);
  const auto simbody = make_simbody_model(model);
  simbody->add_state(model);
  return simbody->simulate(until, accuracy);
}

}  // namespace parfait::bench
