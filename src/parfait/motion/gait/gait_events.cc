#include "parfait/motion/gait/gait_events.h"

#include <algorithm>
#include <cmath>

#include "parfait/motion/signals/butterworth.h"

namespace parfait::motion {
namespace gait_events {
namespace {

constexpr double kCutoff = 6;              // Hz
constexpr double kLongestGap = 0.2;        // s
constexpr double kProminence = 0.3;        // of the range of the path
constexpr double kTreadmill = 0.2;         // m/s
constexpr double kShortestContact = 0.05;  // s
constexpr double kReach = 0.35;            // m
constexpr double kSameEvent = 0.2;         // s

bool is_missing(const Vec3<double>& a) {
  return std::isnan(a.x + a.y + a.z);
}

std::size_t index(Side side) {
  return static_cast<std::size_t>(side);
}

Vec3<double> horizontal(const Vec3<double>& a, const Vec3<double>& up) {
  return a - dot(a, up) * up;
}

/// The longest run without gaps that cannot be bridged, gaps bridged by lines, filtered.
struct Run {
  std::size_t first = 0;
  std::vector<double> values;
};

Run longest_run(const std::vector<double>& t, const std::vector<double>& values) {
  Run best, run;
  const auto close = [&] {
    if (run.values.size() > best.values.size()) best = run;
    run.values.clear();
  };
  std::size_t before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (!run.values.empty() && t[i] - t[before] > kLongestGap) close();
    if (run.values.empty()) run.first = i;
    for (std::size_t k = run.values.empty() ? i : before + 1; k < i; ++k) {
      const double s = (t[k] - t[before]) / (t[i] - t[before]);
      run.values.push_back((1 - s) * values[before] + s * values[i]);
    }
    run.values.push_back(values[i]);
    before = i;
  }
  close();
  return best;
}

Run smoothed(const std::vector<double>& t, const std::vector<double>& values) {
  Run run = longest_run(t, values);
  if (run.values.size() < 8) return {};
  const double rate = static_cast<double>(t.size() - 1) / (t.back() - t.front());
  if (!(rate > 2 * kCutoff)) return run;
  const std::size_t padding = run.values.size() / 2;
  const auto filtered = filter_without_delay(run.values, Butterworth3(kCutoff, rate), padding);
  run.values.assign(filtered.begin() + static_cast<std::ptrdiff_t>(padding),
                    filtered.end() - static_cast<std::ptrdiff_t>(padding));
  return run;
}

/// Times of the maxima of sign * run that stand out.
std::vector<double> extrema(const std::vector<double>& t, const Run& run, double sign) {
  std::vector<double> out;
  const auto& v = run.values;
  if (v.size() < 3) return out;
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  const double rise = kProminence * (*high - *low);
  if (!(rise > 0.02)) return out;  // somebody who stands
  for (std::size_t i = 1; i + 1 < v.size(); ++i) {
    const double here = sign * v[i];
    if (!(here >= sign * v[i - 1] && here > sign * v[i + 1])) continue;
    // The path must fall by `rise` on both sides before it is higher than here again.
    const auto falls = [&](int step) {
      for (auto k = static_cast<std::ptrdiff_t>(i) + step;
           k >= 0 && k < static_cast<std::ptrdiff_t>(v.size()); k += step) {
        const double there = sign * v[static_cast<std::size_t>(k)];
        if (there > here) return false;
        if (there < here - rise) return true;
      }
      return false;
    };
    if (!falls(-1) || !falls(1)) continue;
    const double a = v[i - 1], b = v[i], c = v[i + 1], bend = a - 2 * b + c;
    const double offset = bend == 0 ? 0 : std::clamp(0.5 * (a - c) / bend, -0.5, 0.5);
    const std::size_t at = run.first + i;
    out.push_back(t[at] + offset * (t[at + 1] - t[at]));
  }
  return out;
}

void sort_events(std::vector<GaitEvent>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const GaitEvent& a, const GaitEvent& b) { return a.t < b.t; });
}

/// The foot that is nearest on the average to where a plate is pressed; none: nobody is.
int foot_at(const WalkPaths& paths, const PlateSignal& plate, std::size_t begin, std::size_t end) {
  std::array<double, 2> sum{};
  std::array<int, 2> count{};
  for (std::size_t i = begin; i < end; ++i) {
    if (is_missing(plate.pressure[i])) continue;
    const auto after = std::lower_bound(paths.t.begin(), paths.t.end(), plate.t[i]);
    if (after == paths.t.end()) continue;
    const auto f = static_cast<std::size_t>(after - paths.t.begin());
    for (const Side side : kBothSides) {
      const auto& foot = paths.feet[index(side)];
      const Vec3<double> middle = 0.5 * (foot.heel[f] + foot.toe[f]);
      if (is_missing(middle)) continue;
      const Vec3<double> away = horizontal(middle - plate.pressure[i], paths.up);
      sum[index(side)] += std::sqrt(dot(away, away));
      ++count[index(side)];
    }
  }
  int best = -1;
  double least = kReach;
  for (std::size_t k = 0; k < 2; ++k) {
    if (count[k] > 0 && sum[k] / count[k] < least) {
      least = sum[k] / count[k];
      best = static_cast<int>(k);
    }
  }
  return best;
}

}  // namespace
}  // namespace gait_events

Progression find_progression(const WalkPaths& paths) {
  Progression out;
  std::size_t first = paths.t.size(), last = 0;
  for (std::size_t i = 0; i < paths.t.size(); ++i) {
    if (gait_events::is_missing(paths.pelvis[i])) continue;
    first = std::min(first, i);
    last = i;
  }
  if (first >= last) return out;
  const Vec3<double> way =
      gait_events::horizontal(paths.pelvis[last] - paths.pelvis[first], paths.up);
  const double length = std::sqrt(dot(way, way));
  out.pelvis_speed = length / (paths.t[last] - paths.t[first]);
  out.treadmill = out.pelvis_speed < gait_events::kTreadmill;
  Vec3<double> forward = way;
  if (out.treadmill) {
    forward = {};
    for (const auto& foot : paths.feet) {
      for (std::size_t i = 0; i < paths.t.size(); ++i) {
        const Vec3<double> along = gait_events::horizontal(foot.toe[i] - foot.heel[i], paths.up);
        if (!gait_events::is_missing(along)) forward += along;
      }
    }
  }
  const double size = std::sqrt(dot(forward, forward));
  if (size > 0) out.forward = (1 / size) * forward;
  return out;
}

std::vector<GaitEvent> events_from_kinematics(const WalkPaths& paths) {
  std::vector<GaitEvent> out;
  if (paths.t.size() < 8) return out;
  const Vec3<double> forward = find_progression(paths).forward;
  for (const Side side : kBothSides) {
    const auto& foot = paths.feet[gait_events::index(side)];
    const auto ahead = [&](const std::vector<Vec3<double>>& points) {
      std::vector<double> values(paths.t.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = dot(points[i] - paths.pelvis[i], forward);
      }
      return gait_events::smoothed(paths.t, values);
    };
    for (const double t : gait_events::extrema(paths.t, ahead(foot.heel), 1)) {
      out.push_back({t, side, GaitEventKind::kStrike});
    }
    for (const double t : gait_events::extrema(paths.t, ahead(foot.toe), -1)) {
      out.push_back({t, side, GaitEventKind::kOff});
    }
  }
  gait_events::sort_events(out);
  return out;
}

std::vector<GaitEvent> events_from_forces(const WalkPaths& paths,
                                          const std::vector<PlateSignal>& plates,
                                          double threshold) {
  struct Contact {
    int foot;
    double start, end;
    bool has_start, has_end;
  };
  std::vector<Contact> contacts;
  for (const auto& plate : plates) {
    const std::size_t n = plate.t.size();
    const auto crossing = [&](std::size_t i) {  // between i - 1 and i
      const double a = plate.vertical[i - 1], b = plate.vertical[i];
      return plate.t[i - 1] + (threshold - a) / (b - a) * (plate.t[i] - plate.t[i - 1]);
    };
    for (std::size_t i = 0; i < n;) {
      if (!(plate.vertical[i] > threshold)) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < n && plate.vertical[end] > threshold) ++end;
      Contact contact{-1, i > 0 ? crossing(i) : plate.t[i],
                      end < n ? crossing(end) : plate.t[n - 1], i > 0, end < n};
      if (contact.end - contact.start > gait_events::kShortestContact) {
        contact.foot = gait_events::foot_at(paths, plate, i, end);
        if (contact.foot >= 0) contacts.push_back(contact);
      }
      i = end;
    }
  }
  // A foot on two plates: it strikes with the first and leaves with the last.
  std::vector<GaitEvent> out;
  for (const Contact& contact : contacts) {
    bool begins = contact.has_start, ends = contact.has_end;
    for (const Contact& other : contacts) {
      if (&other == &contact || other.foot != contact.foot) continue;
      if (other.start < contact.start && other.end >= contact.start) begins = false;
      if (other.end > contact.end && other.start <= contact.end) ends = false;
    }
    const Side side = kBothSides[static_cast<std::size_t>(contact.foot)];
    if (begins) out.push_back({contact.start, side, GaitEventKind::kStrike});
    if (ends) out.push_back({contact.end, side, GaitEventKind::kOff});
  }
  gait_events::sort_events(out);
  return out;
}

std::vector<EventComparison> compare_events(const std::vector<GaitEvent>& events,
                                            const std::vector<GaitEvent>& others) {
  std::vector<EventComparison> out;
  out.reserve(events.size());
  for (const GaitEvent& event : events) {
    EventComparison comparison{event, std::nan("")};
    for (const GaitEvent& other : others) {
      if (other.side != event.side || other.kind != event.kind) continue;
      const double difference = event.t - other.t;
      if (std::abs(difference) > gait_events::kSameEvent) continue;
      if (std::isnan(comparison.difference) ||
          std::abs(difference) < std::abs(comparison.difference)) {
        comparison.difference = difference;
      }
    }
    out.push_back(comparison);
  }
  return out;
}

}  // namespace parfait::motion
