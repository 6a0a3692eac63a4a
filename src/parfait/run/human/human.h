#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parfait/motion/anthropometry/human.h"

/// A human model from height, mass and sex.
namespace parfait::run {

struct HumanRequest {
  motion::Person person{};
  motion::Posture posture = motion::Posture::kStanding;
  std::string table = "deleva";  ///< or "dumas"
  int segments = 0;              ///< 17 or 16 (de Leva), 15 (Dumas); 0: as posture and table ask
  double recline = 0;            ///< of the trunk of a sitting person, backwards [rad]
};

struct HumanRun {
  motion::Human human;
  std::string text;  ///< the model file
};

/// Checked as any model file is. InputError: an impossible request.
HumanRun make_human(const HumanRequest& request);

/// Writes the model file in one piece.
void save(const HumanRun& run, const std::filesystem::path& file);

}  // namespace parfait::run
