#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parfait/result/modes.h"

/// The tables beside the result.json of modes.
namespace parfait::io {

/// Names and texts: modes.csv (repeats result.json), shapes.csv (a row per quantity, two columns
/// per mode: re, im) and equilibrium.csv (one row).
std::vector<std::pair<std::string, std::string>> mode_table_files(const result::Modes& modes,
                                                                  const result::ModeShapes& shapes);

/// Law  the tables of mode_table_files(m, s) give back s.
result::ModeShapes read_mode_shapes(std::string_view shapes, std::string_view equilibrium);

}  // namespace parfait::io
