#include "parfait/run/scene/motion_recorder.h"

#include <utility>

namespace parfait::run {

MotionRecorder::MotionRecorder(const mechanism::MechanicalSystem& model, dynamics::ConstVec p)
    : model_(model),
      workspace_(model.make_workspace(0)),
      scene_(make_scene(model.description(), p)),
      quantities_(motion_quantities(model.description(), scene_)),
      observer_(model.make_observer(quantities_.names)),
      values_(quantities_.names.size()) {
  model.bind(*workspace_, p);
}

void MotionRecorder::add(const dynamics::Point& point) {
  if (offered_++ % stride_ != 0) return;
  if (model_.observe(*workspace_, *observer_, point, values_) != dynamics::Status::kOk) return;
  motion_.t.push_back(point.t);
  append_frame(quantities_, values_, motion_);
  if (motion_.t.size() > kMostFrames) thin();
}

void MotionRecorder::thin() {
  const std::size_t row = 12 * quantities_.num_bodies, forces = scene_.forces.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < motion_.t.size(); i += 2, ++kept) {
    motion_.t[kept] = motion_.t[i];
    std::copy_n(motion_.frames.begin() + static_cast<std::ptrdiff_t>(i * row), row,
                motion_.frames.begin() + static_cast<std::ptrdiff_t>(kept * row));
    std::copy_n(motion_.forces.begin() + static_cast<std::ptrdiff_t>(i * forces), forces,
                motion_.forces.begin() + static_cast<std::ptrdiff_t>(kept * forces));
  }
  motion_.t.resize(kept);
  motion_.frames.resize(kept * row);
  motion_.forces.resize(kept * forces);
  stride_ *= 2;
}

result::Scenes MotionRecorder::take_scenes() {
  result::Scenes out;
  if (motion_.t.empty()) return out;
  out.scenes.push_back(std::move(scene_));
  out.motions.push_back(std::move(motion_));
  return out;
}

result::Scenes standing(const mechanism::MechanicalSystem& model, dynamics::ConstVec p) {
  MotionRecorder recorder(model, p);
  const auto workspace = model.make_workspace(0);
  model.bind(*workspace, p);
  auto y = model.initial_state();
  std::vector<double> z(static_cast<std::size_t>(model.sizes().nz));
  model.start(*workspace, y, z);
  if (model.sizes().num_pos + model.sizes().num_vel > 0) {
    model.project(*workspace, 0, y, dynamics::Norm::kMass, 1e-10);
  }
  recorder.add({.t = 0, .y = y, .z = z, .mode = {}, .offset = {}});
  return recorder.take_scenes();
}

}  // namespace parfait::run
