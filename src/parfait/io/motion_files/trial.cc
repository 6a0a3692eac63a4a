#include "parfait/io/motion_files/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace parfait::io {

std::string_view text(PointKind kind) {
  switch (kind) {
    case PointKind::kMarker:
      return "marker";
    case PointKind::kAngle:
      return "angle";
    case PointKind::kForce:
      return "force";
    case PointKind::kMoment:
      return "moment";
    case PointKind::kPower:
      return "power";
    case PointKind::kScalar:
      return "scalar";
    case PointKind::kModeled:
      return "modeled";
  }
  return "";
}

bool PointSet::is_missing(std::size_t frame, std::size_t point) const {
  return std::isnan(*at(frame, point));
}

std::size_t PointSet::num_missing() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < xyz.size(); i += 3) count += std::isnan(xyz[i]) ? 1 : 0;
  return count;
}

int PointSet::find(std::string_view name) const {
  const auto it = std::find_if(points.begin(), points.end(),
                               [&](const PointLabel& point) { return point.name == name; });
  return it == points.end() ? -1 : static_cast<int>(it - points.begin());
}

void PointSet::resize(std::size_t num_frames) {
  xyz.assign(3 * num_frames * size(), std::numeric_limits<double>::quiet_NaN());
  residuals.assign(num_frames * size(), -1.0F);
  cameras.assign(num_frames * size(), 0);
}

std::string UpAxis::name() const {
  if (axis < 0) return "unknown";
  return std::string(sign < 0 ? "-" : "+") + "xyz"[axis];
}

double metres_in(std::string_view unit) {
  std::string word;
  for (const char c : unit) {
    if (c > ' ' && c != '.') word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  static const std::unordered_map<std::string, double> kUnits = {
      {"mm", 1e-3},          {"millimeter", 1e-3},  {"millimeters", 1e-3}, {"millimetre", 1e-3},
      {"millimetres", 1e-3}, {"cm", 1e-2},          {"centimeter", 1e-2},  {"centimeters", 1e-2},
      {"centimetre", 1e-2},  {"centimetres", 1e-2}, {"dm", 1e-1},          {"m", 1.0},
      {"meter", 1.0},        {"meters", 1.0},       {"metre", 1.0},        {"metres", 1.0},
      {"in", 0.0254},        {"inch", 0.0254},      {"inches", 0.0254},    {"ft", 0.3048},
      {"feet", 0.3048},      {"um", 1e-6}};
  const auto it = kUnits.find(word);
  return it == kUnits.end() ? 0.0 : it->second;
}

int make_unique(std::vector<std::string>& names, const std::string& stem) {
  int changed = 0;
  std::unordered_set<std::string> taken(names.begin(), names.end()), used;
  std::unordered_map<std::string, int> last;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    if (name.empty()) {
      name = fmt::format("{}{:04}", stem, i + 1);
      ++changed;
    }
    if (used.insert(name).second) continue;
    int& number = last.try_emplace(name, 1).first->second;
    std::string candidate;
    do {
      candidate = fmt::format("{}_{}", name, ++number);
    } while (taken.count(candidate) > 0 || used.count(candidate) > 0);
    name = candidate;
    used.insert(name);
    ++changed;
  }
  return changed;
}

}  // namespace parfait::io
