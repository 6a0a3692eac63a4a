#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parfait/result/scene.h"

/// scene.json and the arrays of motions, in a run folder.
namespace parfait::io {

/// What the files are called: motion.npy, motion_initial.npy, forces.npy, with _2, _3, … for
/// further motions.
std::vector<result::MotionFiles> motion_files(const result::Scenes& scenes);

/// Names and bytes of all of them; none if nothing moves.
std::vector<std::pair<std::string, std::string>> scene_files(const result::Scenes& scenes);

/// Scenes as JSON; motions without their frames.
std::string scene_text(const result::Scenes& scenes);

/// `read` gives the bytes of a file of the folder. InputError if one of them is damaged.
///
/// Law  read_scenes(files, …) = s for files = scene_files(s).
result::Scenes read_scenes(const std::vector<result::MotionFiles>& files, std::string_view scene,
                           const std::function<std::string(const std::string& name)>& read);

}  // namespace parfait::io
