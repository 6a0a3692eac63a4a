#include "parfait/base/error.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "parfait/base/processor.h"

namespace parfait::base {

std::string Place::text() const {
  std::string out = file;
  if (line > 0) out += (out.empty() ? "line " : ":") + std::to_string(line);
  if (line > 0 && column > 0) out += ":" + std::to_string(column);
  return out;
}

InputError::InputError(const Place& place, const std::string& message)
    : std::runtime_error(
          !kProcessorIsChecked || place.text().empty() ? message : place.text() + ": " + message),
      place_(place) {}

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Letters changed, added, left out or exchanged with their neighbour; compared without case.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = above;
    above = row;
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int changed = above[j] + (same_letter(a[i], b[j]) ? 0 : 1);
      row[j + 1] = std::min({changed, row[j] + 1, above[j + 1] + 1});
      const bool exchanged =
          i > 0 && j > 0 && same_letter(a[i], b[j - 1]) && same_letter(a[i - 1], b[j]);
      if (exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

const std::string* nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const int length = static_cast<int>(word.size());
  int best = std::min(length, std::max(1, length / 3) + 1);  // never a wholly different word
  const std::string* found = nullptr;
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = &candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string* found = nearest(word, candidates);
  return found ? " Did you mean \"" + *found + "\"?" : "";
}

bool is_identifier(std::string_view id) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  return !id.empty() && is_letter(id.front()) && std::all_of(id.begin(), id.end(), [&](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c));
  });
}

std::string listing(const std::vector<std::string>& words, int most) {
  std::string out;
  const int shown = std::min<int>(most, static_cast<int>(words.size()));
  for (int i = 0; i < shown; ++i) out += (i ? ", " : "") + words[i];
  if (shown < static_cast<int>(words.size())) {
    out += ", … (" + std::to_string(words.size()) + " in all)";
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view conjunction) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 < words.size() ? ", " : " " + std::string(conjunction) + " ";
    out += words[i];
  }
  return out;
}

}  // namespace parfait::base
