#pragma once

#include <memory>

#include "parfait/dynamics/system.h"
#include "parfait/mechanism/stage/mechanical_system.h"
#include "parfait/result/scene.h"
#include "parfait/run/scene/scene.h"

namespace parfait::run {

/// Watches the bodies of a mechanism. Keeps at most `kMostFrames` frames: where there are more,
/// every second one goes, and so on.
class MotionRecorder {
 public:
  static constexpr std::size_t kMostFrames = 4000;

  MotionRecorder(const mechanism::MechanicalSystem& model, dynamics::ConstVec p);

  /// A frame at this point; none where the quantities cannot be observed.
  void add(const dynamics::Point& point);
  /// What was seen, once: frames of many bodies are large.
  result::Scenes take_scenes();

 private:
  void thin();

  const mechanism::MechanicalSystem& model_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  result::Scene scene_;
  MotionQuantities quantities_;
  std::unique_ptr<dynamics::System::Observer> observer_;
  std::vector<double> values_;
  result::Motion motion_;
  std::size_t stride_ = 1, offered_ = 0;
};

/// The model as it stands at the start: one frame.
result::Scenes standing(const mechanism::MechanicalSystem& model, dynamics::ConstVec p);

}  // namespace parfait::run
