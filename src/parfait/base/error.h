#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace parfait::base {

/// Where something was said: a file, a line and a column, each unknown if empty or 0.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  /// "arm.xml:14:22", "arm.xml:14", "arm.xml" or "".
  std::string text() const;
};

/// What a person gave us is wrong. The message says where, what was found, what is required and, if
/// it can be guessed, the fix. Command line: printed as it is, exit code 2, nothing written.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(const Place& place, const std::string& message);

  const Place& place() const { return place_; }

 private:
  Place place_;
};

/// The candidate that a misspelt word may have meant (edit distance at most a third of the word),
/// or null.
const std::string* nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `Did you mean "forearm"?` with a leading space for the nearest candidate, otherwise "".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// Letters, digits and _, not beginning with a digit: what an id may be.
bool is_identifier(std::string_view id);

/// "a, b, c", at most `most` of them, then ", … (12 in all)".
std::string listing(const std::vector<std::string>& words, int most = 12);

/// "a", "a or b", "a, b or c": all words, the last two joined by `conjunction`.
std::string joined(const std::vector<std::string>& words, std::string_view conjunction);

}  // namespace parfait::base
