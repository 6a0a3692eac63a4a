#include "parfait/report/drawing/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>

namespace parfait::report {
namespace {

/// Far outside of a picture one place is as good as another, and shorter.
constexpr double kFarthest = 5000;

long to_tenths(double x) {
  return std::lround(10 * std::clamp(x, -kFarthest, kFarthest));
}

/// 12 as "1.2", -3 as "-.3".
std::string tenths_text(long n) {
  const long size = std::abs(n);
  std::string text = n < 0 ? "-" : "";
  if (size >= 10) text += std::to_string(size / 10);
  if (size % 10 != 0) {
    text += '.';
    text += static_cast<char>('0' + size % 10);
  }
  return size == 0 ? "0" : text;
}

double distance_to_chord(Place p, Place a, Place b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length = std::hypot(dx, dy);
  if (length < 1e-9) return std::hypot(p.x - a.x, p.y - a.y);
  return std::abs((p.x - a.x) * dy - (p.y - a.y) * dx) / length;
}

bool goes_right(std::span<const Place> curve) {
  return std::is_sorted(curve.begin(), curve.end(),
                        [](const Place& a, const Place& b) { return a.x < b.x; });
}

/// Enters, lowest, highest, leaves, in the order of the curve.
std::vector<Place> four_per_column(std::span<const Place> curve) {
  constexpr double kColumn = 0.5;
  std::vector<Place> kept;
  for (std::size_t begin = 0; begin < curve.size();) {
    const double column = std::floor(curve[begin].x / kColumn);
    std::size_t end = begin, low = begin, high = begin;
    for (; end < curve.size() && std::floor(curve[end].x / kColumn) == column; ++end) {
      if (curve[end].y < curve[low].y) low = end;
      if (curve[end].y > curve[high].y) high = end;
    }
    std::size_t which[] = {begin, std::min(low, high), std::max(low, high), end - 1};
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == 0 || which[i] != which[i - 1]) kept.push_back(curve[which[i]]);
    }
    begin = end;
  }
  return kept;
}

}  // namespace

void PathData::numbers(long x, long y) {
  const auto first = tenths_text(x), second = tenths_text(y);
  const char before = data_.empty() ? ' ' : data_.back();
  const bool follows_number = before == '.' || (before >= '0' && before <= '9');
  if (follows_number && first[0] != '-') data_ += ' ';
  data_ += first;
  if (second[0] != '-') data_ += ' ';
  data_ += second;
}

void PathData::command(char letter, Place to) {
  const long x = to_tenths(to.x), y = to_tenths(to.y);
  if (letter != last_) data_ += letter;
  numbers(x - x_, y - y_);
  last_ = letter;
  x_ = x, y_ = y;
}

void PathData::move(Place to) {
  if (!data_.empty()) {
    command('m', to);
  } else {
    x_ = to_tenths(to.x), y_ = to_tenths(to.y);
    data_ += 'M';
    numbers(x_, y_);
  }
  start_x_ = x_, start_y_ = y_;
  last_ = 'M';  // what follows without a letter would be a line
}

void PathData::line(Place to) {
  if (to_tenths(to.x) == x_ && to_tenths(to.y) == y_) return;
  command('l', to);
}

void PathData::close() {
  data_ += 'z';
  x_ = start_x_, y_ = start_y_;
  last_ = 'z';
}

void PathData::dot(Place at) {
  move(at);
  data_ += "h0";
}

std::vector<Place> simplified(std::span<const Place> curve, double tolerance) {
  constexpr std::size_t kMany = 2000;
  std::vector<Place> places(curve.begin(), curve.end());
  if (places.size() > kMany && goes_right(places)) places = four_per_column(places);
  if (places.size() < 3) return places;

  std::vector<char> kept(places.size(), 0);
  kept.front() = kept.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, places.size() - 1}};
  while (!parts.empty()) {
    const auto [a, b] = parts.back();
    parts.pop_back();
    std::size_t farthest = a;
    double distance = tolerance;
    for (std::size_t i = a + 1; i < b; ++i) {
      const double d = distance_to_chord(places[i], places[a], places[b]);
      if (d > distance) farthest = i, distance = d;
    }
    if (farthest == a) continue;
    kept[farthest] = 1;
    parts.emplace_back(a, farthest);
    parts.emplace_back(farthest, b);
  }
  std::vector<Place> result;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (kept[i]) result.push_back(places[i]);
  }
  return result;
}

std::vector<Place> thinned(std::span<const Place> places, double size) {
  std::vector<Place> kept;
  std::unordered_set<std::int64_t> taken;
  for (const auto& p : places) {
    const auto column =
        static_cast<std::int64_t>(std::floor(std::clamp(p.x, -kFarthest, kFarthest) / size));
    const auto row =
        static_cast<std::int64_t>(std::floor(std::clamp(p.y, -kFarthest, kFarthest) / size));
    if (taken.insert(column * 1000003 + row).second) kept.push_back(p);
  }
  return kept;
}

}  // namespace parfait::report
