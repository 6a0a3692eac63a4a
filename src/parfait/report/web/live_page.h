#pragma once

#include <string>

#include "parfait/report/html/html.h"
#include "parfait/result/scene.h"

namespace parfait::report {

enum class Liveness {
  kStatic,  ///< tables and pictures: readable without JavaScript
  kLive,  ///< the same with a script that makes plots answer and bodies move; static if this build
          ///< has none
};

/// A page as it is written: the numbers that pictures carry are taken out and, where it is to be
/// live, packed at its end together with the motion and the script. Complete without the script.
std::string finished(std::string page, const result::Scenes& scenes, Liveness liveness);

/// What the motions of a page are: experiments of a fit, or runs, which are laid over each other.
enum class MotionKind { kExperiments, kRuns };

/// The place of the moving picture, with what is to be said where it cannot move. Empty if nothing
/// moves.
Html motion_block(const result::Scenes& scenes, Liveness liveness,
                  MotionKind kind = MotionKind::kExperiments);

}  // namespace parfait::report
