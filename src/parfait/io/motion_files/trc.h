#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/io/motion_files/trial.h"

/// TRC files (Motion Analysis, OpenSim): markers as text. Five lines of header, of which the second
/// and third are names and values of settings and the fourth has the labels, then one line per
/// frame:
///
///   Frame#  Time  X1 Y1 Z1  X2 Y2 Z2 ...      separated by tabs; an empty cell or NaN is missing,
///   and so is 0 0 0
///
/// Everything else that occurs (blanks instead of tabs, seven or eight settings, labels that are
/// not over their columns, a sixth line or none, wrong counts, a rate that contradicts the times)
/// is read and told with its line. InputError if there is no frame.
namespace parfait::io {

Trial read_trc(const std::filesystem::path& file);
Trial read_trc_text(std::string_view text, const std::string& file_name);

/// Law: reading gives the same markers at the same times.
std::string trc_text(const Trial& trial);
void write_trc(const Trial& trial, const std::filesystem::path& file);

}  // namespace parfait::io
