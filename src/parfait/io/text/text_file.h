#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/base/error.h"

namespace parfait::io {

/// The bytes of a file. InputError, at `asked_at`, if it cannot be read.
std::string read_bytes(const std::filesystem::path& file, const base::Place& asked_at = {});

/// The bytes of a file without a UTF-8 byte order mark. InputError, at `asked_at`, if it cannot be
/// read.
std::string read_text_file(const std::filesystem::path& file, const base::Place& asked_at = {});

/// InputError if the file cannot be written completely.
void write_text_file(const std::filesystem::path& file, std::string_view text);

/// The same in one step: until everything is written the old file stays what it was.
void replace_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace parfait::io
