#include "parfait/tree/structure/joint.h"

#include <algorithm>

#include "parfait/base/error.h"

namespace parfait::tree {

using math::Vec3;

int Joint::num_scalar_coordinates() const {
  int count = 0;
  for (const Step& step : steps) {
    if (step.kind == StepKind::kRotation || step.kind == StepKind::kTranslation) {
      count = std::max(count, step.coordinate + 1);
    }
  }
  return count;
}

Joint Joint::revolute(const Vec3<double>& axis) {
  return {{{StepKind::kRotation, axis, 0, -1}}, {}};
}

Joint Joint::prismatic(const Vec3<double>& axis) {
  return {{{StepKind::kTranslation, axis, 0, -1}}, {}};
}

Joint Joint::helical(const Vec3<double>& axis, double pitch) {
  return {{{StepKind::kRotation, axis, 0, -1}, {StepKind::kTranslation, axis, 0, 0}},
          {Function::linear(pitch, 0)}};
}

Joint Joint::cylindrical(const Vec3<double>& axis) {
  return {{{StepKind::kRotation, axis, 0, -1}, {StepKind::kTranslation, axis, 1, -1}}, {}};
}

Joint Joint::planar() {
  return sequence("xyZ");
}

Joint Joint::universal(const Vec3<double>& first, const Vec3<double>& second) {
  return {{{StepKind::kRotation, first, 0, -1}, {StepKind::kRotation, second, 1, -1}}, {}};
}

Joint Joint::spherical() {
  return {{{StepKind::kBall, {}, 0, -1}}, {}};
}

Joint Joint::floating() {
  return {{{StepKind::kDisplacement, {}, 0, -1}, {StepKind::kBall, {}, 0, -1}}, {}};
}

Joint Joint::sequence(std::string_view letters) {
  Joint joint;
  for (const char letter : letters) {
    const std::string_view all = "XYZxyz";
    const std::size_t which = all.find(letter);
    if (which == std::string_view::npos) {
      throw base::InputError("joint sequence \"" + std::string(letters) + "\": '" + letter +
                             "' is not one of X, Y, Z (rotations), x, y, z (translations).");
    }
    const std::size_t k = which % 3;
    joint.steps.push_back({which < 3 ? StepKind::kRotation : StepKind::kTranslation,
                           {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0},
                           static_cast<int>(joint.steps.size()),
                           -1});
  }
  return joint;
}

Joint Joint::of_functions(const std::array<Axis, 3>& rotations,
                          const std::array<Axis, 3>& translations) {
  Joint joint;
  const auto add = [&](StepKind kind, const Axis& axis) {
    joint.steps.push_back(
        {kind, axis.axis, axis.coordinate, static_cast<int>(joint.functions.size())});
    joint.functions.push_back(axis.function);
  };
  for (const Axis& axis : translations) add(StepKind::kTranslation, axis);
  for (const Axis& axis : rotations) add(StepKind::kRotation, axis);
  return joint;
}

}  // namespace parfait::tree
