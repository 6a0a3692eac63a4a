#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parfait/result/fit.h"
#include "parfait/result/scene.h"
#include "parfait/result/simulation.h"

/// What a run folder holds, read again. InputError if a file is missing that must be there, or is
/// damaged.
namespace parfait::run {

std::string stored_result(const std::filesystem::path& folder);  ///< the text of result.json
result::Simulation read_simulation(const std::filesystem::path& folder);
result::Fit read_fit(const std::filesystem::path& folder);
/// Empty if there is no such file.
result::Table read_table(const std::filesystem::path& folder, const std::string& name);
result::FitTables read_tables(const std::filesystem::path& folder, const result::Fit& fit);
/// The motions that result.json lists; nothing if there are none.
result::Scenes read_motions(const std::filesystem::path& folder,
                            const std::vector<result::MotionFiles>& files);

}  // namespace parfait::run
