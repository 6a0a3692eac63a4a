#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/motion_files/c3d_points.h"

namespace parfait::io {
namespace {

/// Rows of a parameter that is stored per plate.
struct PerPlate {
  std::vector<double> values;
  std::size_t rows = 0;

  bool has(std::size_t plate) const { return rows > 0 && (plate + 1) * rows <= values.size(); }
  double at(std::size_t plate, std::size_t row) const { return values[plate * rows + row]; }
};

constexpr std::size_t kMostPlates = 255;

}  // namespace

std::vector<TrialEvent> c3d_events(const C3dParameters& parameters, WarningLog& log) {
  std::vector<TrialEvent> events;
  const C3dParameter* used = parameters.find("EVENT", "USED");
  const C3dParameter* times = parameters.find("EVENT", "TIMES");
  if (!times) {
    if (used && used->count() > 0)
      log.at_byte(used->byte,
                  fmt::format("EVENT:USED is {}, but EVENT:TIMES is missing", used->count()));
    return events;
  }
  const auto numbers = parameters.numbers("EVENT", "TIMES");  // pairs: minutes, seconds
  const auto labels = parameters.texts("EVENT", "LABELS"),
             contexts = parameters.texts("EVENT", "CONTEXTS");
  const auto subjects = parameters.texts("EVENT", "SUBJECTS"),
             descriptions = parameters.texts("EVENT", "DESCRIPTIONS");
  std::size_t count = numbers.size() / 2;
  if (used && used->count() != static_cast<double>(count)) {
    log.at_byte(used->byte,
                fmt::format("EVENT:USED is {}, but EVENT:TIMES has {}; {} are read", used->count(),
                            count, std::min(used->count(), static_cast<double>(count))));
    // Written so that what is not a number counts as none.
    const double wanted = std::max(0.0, used->count());
    if (wanted < static_cast<double>(count)) count = static_cast<std::size_t>(wanted);
  }
  if (count > 0 && contexts.empty())
    log.at_byte(times->byte, "EVENT:CONTEXTS is missing, so that the side of events is not known");
  const auto item = [](const std::vector<std::string>& list, std::size_t i) {
    return i < list.size() ? list[i] : std::string();
  };
  for (std::size_t i = 0; i < count; ++i) {
    TrialEvent event{60 * numbers[2 * i] + numbers[2 * i + 1], item(labels, i), item(contexts, i),
                     item(subjects, i), item(descriptions, i)};
    if (!std::isfinite(event.time)) {
      log.at_byte(times->byte,
                  fmt::format("the time of event {} is not a number; left out", i + 1));
      continue;
    }
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<ForcePlate> c3d_plates(const C3dParameters& parameters, std::size_t num_channels,
                                   WarningLog& log) {
  std::string group = "FORCE_PLATFORM";
  if (!parameters.has_group(group)) {
    if (!parameters.has_group("FORCE_PLATEFORM")) return {};
    group = "FORCE_PLATEFORM";
    log.at_byte(parameters.byte_of(group, ""),
                "the group FORCE_PLATFORM is spelt FORCE_PLATEFORM; read nevertheless");
  }
  const C3dParameter* used = parameters.find(group, "USED");
  const auto types = parameters.numbers(group, "TYPE");
  // Written so that what is not a number counts as none.
  auto count = used ? static_cast<std::size_t>(std::min(std::max(0.0, used->count()), 65535.0))
                    : types.size();
  if (count > 0 && types.size() < count) {
    log.at_byte(parameters.byte_of(group, "TYPE"),
                fmt::format("{}:USED is {}, but TYPE has {} entries; the other plates are left out",
                            group, count, types.size()));
    count = types.size();
  }
  count = std::min(count, kMostPlates);
  const PerPlate corners{parameters.numbers(group, "CORNERS"), 12},
      origins{parameters.numbers(group, "ORIGIN"), 3};
  const PerPlate matrices{parameters.numbers(group, "CAL_MATRIX"), 36};
  PerPlate channels{parameters.numbers(group, "CHANNEL", true), 0};
  const C3dParameter* channel = parameters.find(group, "CHANNEL");
  if (channel && count > 0) {
    const bool table = channel->dimensions.size() > 1;
    channels.rows = table ? static_cast<std::size_t>(channel->dimensions.front())
                          : channels.values.size() / count;
  }

  std::vector<ForcePlate> plates(count);
  for (std::size_t i = 0; i < count; ++i) {
    ForcePlate& plate = plates[i];
    plate.type =
        std::isfinite(types[i]) ? static_cast<int>(std::clamp(types[i], -1.0, 65535.0)) : 0;
    plate.byte = parameters.byte_of(group, "TYPE");
    const auto told = [&](const char* name, const std::string& what) {
      log.at_byte(parameters.byte_of(group, name), fmt::format("force plate {}: {}", i + 1, what));
    };
    if (corners.has(i)) {
      for (std::size_t k = 0; k < 12; ++k) plate.corners[k / 3][k % 3] = corners.at(i, k);
    } else {
      told("CORNERS", "its corners are missing");
    }
    if (origins.has(i)) {
      for (std::size_t k = 0; k < 3; ++k) plate.origin[k] = origins.at(i, k);
    } else {
      told("ORIGIN", "its origin is missing; the centre of its surface is assumed");
    }
    if (matrices.has(i)) {
      plate.calibration.assign(matrices.values.begin() + static_cast<std::ptrdiff_t>(36 * i),
                               matrices.values.begin() + static_cast<std::ptrdiff_t>(36 * (i + 1)));
      const bool nothing = std::all_of(plate.calibration.begin(), plate.calibration.end(),
                                       [](double x) { return x == 0; });
      if (nothing) plate.calibration.clear();
    }
    if (plate.type == 4 && plate.calibration.empty())
      told("CAL_MATRIX", "its calibration matrix is empty; the identity is used");
    if (channels.has(i)) {
      for (std::size_t k = 0; k < channels.rows; ++k) {
        const double number = channels.at(i, k);
        const bool exists = number >= 1 && number <= static_cast<double>(num_channels);
        if (!exists && number != 0) {
          log.once_at_byte(
              fmt::format("channel {}", i), parameters.byte_of(group, "CHANNEL"),
              fmt::format("force plate {}: analog channel {} is not in the file, which has {}",
                          i + 1, number, num_channels));
        }
        plate.channels.push_back(exists ? static_cast<int>(number) - 1 : -1);
      }
    } else {
      told("CHANNEL", "its channels are missing");
    }
  }
  return plates;
}

}  // namespace parfait::io
