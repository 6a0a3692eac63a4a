#pragma once

#include <string>
#include <vector>

namespace parfait::result {

/// A file that was read.
struct InputFile {
  std::string kind;    ///< "problem", "model", "data", "result"
  std::string path;    ///< as it was given
  std::string sha256;  ///< 64 hexadecimal digits
  bool operator==(const InputFile&) const = default;
};

/// How a result was made: enough to make it again, nothing that differs on the next day.
struct Origin {
  /// Of the command line, the command first; without those that change nothing in the result (where
  /// it is written, how many threads).
  std::vector<std::string> arguments;
  std::vector<InputFile> files;
  bool operator==(const Origin&) const = default;
};

}  // namespace parfait::result
