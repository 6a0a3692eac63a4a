#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace parfait::io {

/// Something odd in a file that could still be read: where it is, what was found and what was made
/// of it. Binary files have byte offsets, text files lines.
struct FileWarning {
  std::string message;
  std::int64_t byte = -1;  ///< from the beginning of the file; -1: not known
  int line = 0;            ///< from 1; 0: not known

  std::string place() const;  ///< "byte 1281", "line 4" or ""
  std::string text() const;   ///< "byte 1281: ..."
};

/// Collects warnings while a file is read: each kind once, and never so many that nobody reads
/// them.
class WarningLog {
 public:
  static constexpr std::size_t kMost = 100;

  void at_byte(std::int64_t byte, const std::string& message) { add({message, byte, 0}); }
  void at_line(int line, const std::string& message) { add({message, -1, line}); }
  /// Only the first time that `key` is given.
  void once_at_byte(const std::string& key, std::int64_t byte, const std::string& message);
  void once_at_line(const std::string& key, int line, const std::string& message);

  /// The warnings; a last one says how many were left out.
  std::vector<FileWarning> take();

 private:
  void add(FileWarning warning);

  std::vector<FileWarning> warnings_;
  std::set<std::string> seen_;
  std::size_t left_out_ = 0;
};

}  // namespace parfait::io
