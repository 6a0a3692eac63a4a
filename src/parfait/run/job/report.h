#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parfait::run {

/// The report of a run folder, made again from its files; of several folders that hold results of
/// one kind, a page that compares them. InputError if a folder has no result that reports exist
/// for.
std::string make_report(const std::vector<std::filesystem::path>& folders);

}  // namespace parfait::run
