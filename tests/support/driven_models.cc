#include "testing/driven_models.h"

#include <array>
#include <cmath>
#include <utility>

#include "testing/dense_model.h"
#include "testing/random_models.h"

namespace parfait::testing_support {
namespace {

constexpr double kAmplitude = 0.1, kFrequency = 2, kPhase = 0.4;

/// What the offset must be for the only row of the constraints to hold at the start.
double holding_offset(const TestModel& model) {
  const DenseModel dense(model.description, model.functions);
  const State y = dense.initial_state();
  const bool of_velocity = dense.num_velocity_rows() > 0;
  const Eigen::VectorXd rows = of_velocity ? dense.g_velocity(0, y.q, y.v) : dense.g(0, y.q);
  const double value = rows[rows.size() - 1];
  const std::string& key = model.description.constraints[0].key;
  return key == "BBX" || key == "VVX" ? std::sqrt(2 * value) : value;  // (x.x - r^2) / 2
}

void drive(TestModel& model, double level) {
  auto& constraint = model.description.constraints[0];
  constraint.offset.formula = std::to_string(level) + " + amplitude*sin(frequency*t + 0.4)";
  level = std::stod(constraint.offset.formula);  // with the digits that were written
  for (const auto& [id, initial] :
       {std::pair{"amplitude", kAmplitude}, {"frequency", kFrequency}}) {
    mechanism::Parameter p;
    p.id = id;
    p.initial = initial;
    model.description.parameters.push_back(p);
  }
  model.functions.offsets[constraint.id] = [level](double t) {
    const double s = std::sin(kFrequency * t + kPhase), c = std::cos(kFrequency * t + kPhase);
    return std::array{level + kAmplitude * s, kAmplitude * kFrequency * c,
                      -kAmplitude * kFrequency * kFrequency * s};
  };
}

}  // namespace

std::vector<TestModel> driven_models(const std::string& key) {
  const std::pair<const char*, const char*> ends[] = {
      {"body_1", "body_2"}, {"body_2", mechanism::kInertial}, {mechanism::kInertial, "body_2"}};
  std::vector<TestModel> models;
  unsigned seed = 0;
  for (const char* joint : {"Free", "Spherical"}) {
    for (const auto& [begin, end] : ends) {
      ++seed;
      models.push_back(random_model(seed, {.bodies = 2,
                                           .joints = {joint},
                                           .general_frames = true,
                                           .mixed_coordinates = true,
                                           .forces = 2}));
      TestModel& model = models.back();
      Random random(310 + seed);  // with these no drive leaves what its geometry allows
      mechanism::Constraint constraint;
      constraint.key = key;
      constraint.id = "drive";
      constraint.begin = marker(begin, axes_frame(random.vector(0.4), random.rotation()));
      constraint.end = marker(end, axes_frame(random.vector(0.4), random.rotation()));
      constraint.begin_axis = "xyz"[seed % 3];
      constraint.end_axis = "xyz"[(seed + 1) % 3];
      model.description.id = key + " from " + begin + " to " + end + ", " + joint;
      model.description.constraints = {constraint};
      drive(model, holding_offset(model) - kAmplitude * std::sin(kPhase));
    }
  }
  return models;
}

}  // namespace parfait::testing_support
