#pragma once

#include <string>
#include <vector>

#include "parfait/result/scene.h"

namespace parfait::report {

/// Plots (JSON texts of plot_data) and moving bodies in one block of bytes for web/src/data.ts:
///
///   "PF1\n", length of the JSON (uint32), JSON, arrays.
///
/// Frames are 16-bit numbers q with value = middle + step q, where step is the range of what is
/// shown over 65534: for each channel the first and then the differences, modulo 2^16, low bytes of
/// all before high bytes. A motion of 1 m is kept to 8 micrometres.
std::string web_data(const std::vector<std::string>& plots, const result::Scenes& scenes);

}  // namespace parfait::report
