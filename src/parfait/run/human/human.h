#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parfait/motion/anthropometry/heiman.h"
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

struct HeiManRun {
  motion::HeiMan heiman;
  std::string text;  ///< the model file
};
enum class HeiManFormat : std::uint8_t { kLuaModel, kXml };

/// HeiMan with Felis' parameters. InputError: an impossible request.
HeiManRun make_heiman(const motion::HeiManRequest& request, HeiManFormat format);

/// Writes the model file in one piece.
void save(const HeiManRun& run, const std::filesystem::path& file);
void save(const HumanRun& run, const std::filesystem::path& file);

}  // namespace parfait::run
