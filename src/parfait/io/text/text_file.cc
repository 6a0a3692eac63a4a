#include "parfait/io/text/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace parfait::io {

std::string read_bytes(const std::filesystem::path& file, const base::Place& asked_at) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw base::InputError(asked_at, fmt::format("\"{}\" is a folder, not a file.", file.string()));
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) {
    throw base::InputError(asked_at, fmt::format("cannot read \"{}\": {}.", file.string(),
                                                 std::generic_category().message(errno)));
  }
  return text;
}

std::string read_text_file(const std::filesystem::path& file, const base::Place& asked_at) {
  std::string text = read_bytes(file, asked_at);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

void write_text_file(const std::filesystem::path& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw base::InputError(fmt::format("cannot write \"{}\": {}.", file.string(),
                                       std::generic_category().message(errno)));
  }
}

}  // namespace parfait::io
