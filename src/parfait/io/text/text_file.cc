#include "parfait/io/text/text_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "parfait/base/stop.h"

namespace parfait::io {

std::string read_bytes(const std::filesystem::path& file, const base::Place& asked_at) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw base::InputError(asked_at, fmt::format("\"{}\" is a folder, not a file.", file.string()));
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::vector<char> piece(1 << 16);
  while (in.good()) {
    base::leave_if_stopped();
    in.read(piece.data(), std::ssize(piece));
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) {
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

void replace_text_file(const std::filesystem::path& file, std::string_view text) {
  std::error_code ignored;
  // What is no regular file (a device, a pipe) cannot be replaced, only written to.
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored)) {
    return write_text_file(file, text);
  }
  const auto target =
      std::filesystem::is_symlink(file, ignored) ? std::filesystem::canonical(file) : file;
  auto partial = target;
  partial.replace_filename("." + target.filename().string() + ".partial-" +
                           std::to_string(getpid()));
  try {
    write_text_file(partial, text);
    std::filesystem::rename(partial, target);
  } catch (...) {
    std::filesystem::remove(partial, ignored);
    throw;
  }
}

}  // namespace parfait::io
