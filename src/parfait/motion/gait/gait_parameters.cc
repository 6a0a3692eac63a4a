#include "parfait/motion/gait/gait_parameters.h"

#include <algorithm>
#include <cmath>

namespace parfait::motion {
namespace gait_parameters {
namespace {

/// A path at a time, between its samples by a line.
Vec3<double> at(const std::vector<double>& times, const std::vector<Vec3<double>>& path, double t) {
  const auto after = std::lower_bound(times.begin(), times.end(), t);
  if (after == times.begin() || after == times.end()) {
    const double nan = std::nan("");
    return after == times.begin() && t == times.front() ? path.front()
                                                        : Vec3<double>{nan, nan, nan};
  }
  const auto i = static_cast<std::size_t>(after - times.begin());
  const double s = (t - times[i - 1]) / (times[i] - times[i - 1]);
  return (1 - s) * path[i - 1] + s * path[i];
}

/// The first event of that kind after `begin` and before `end`; NaN: none.
double event_between(const std::vector<GaitEvent>& events, Side side, GaitEventKind kind,
                     double begin, double end) {
  for (const GaitEvent& event : events) {
    if (event.side == side && event.kind == kind && event.t > begin && event.t < end) {
      return event.t;
    }
  }
  return std::nan("");
}

}  // namespace
}  // namespace gait_parameters

std::vector<Stride> find_strides(const WalkPaths& paths, const std::vector<GaitEvent>& events) {
  std::vector<Stride> out;
  const Progression progression = find_progression(paths);
  if (dot(progression.forward, progression.forward) == 0) return out;  // nobody knows where to
  const Vec3<double> across = cross(paths.up, progression.forward);
  for (const Side side : kBothSides) {
    const Side other = side == Side::kLeft ? Side::kRight : Side::kLeft;
    const auto& foot = paths.feet[static_cast<std::size_t>(side)];
    const auto& opposite = paths.feet[static_cast<std::size_t>(other)];
    const GaitEvent* before = nullptr;
    for (const GaitEvent& event : events) {
      if (event.side != side || event.kind != GaitEventKind::kStrike) continue;
      const GaitEvent* start = before;
      before = &event;
      // A strike between them was not seen where a stride takes longer than three seconds.
      if (!start || event.t - start->t > 3) continue;
      Stride stride;
      stride.side = side;
      stride.start = start->t;
      stride.end = event.t;
      const Vec3<double> from = gait_parameters::at(paths.t, foot.heel, stride.start),
                         to = gait_parameters::at(paths.t, foot.heel, stride.end);
      stride.length = dot(to - from, progression.forward);
      const double off = gait_parameters::event_between(events, side, GaitEventKind::kOff,
                                                        stride.start, stride.end);
      if (progression.treadmill) {
        // The belt carries the standing foot back: its speed in the middle half of stance.
        const double stance =
            (std::isnan(off) ? 0.6 * stride.duration() + stride.start : off) - stride.start;
        const double t0 = stride.start + 0.25 * stance, t1 = stride.start + 0.75 * stance;
        const double belt = dot(gait_parameters::at(paths.t, foot.heel, t0) -
                                    gait_parameters::at(paths.t, foot.heel, t1),
                                progression.forward) /
                            (t1 - t0);
        stride.length += belt * stride.duration();
      }
      stride.speed = stride.length / stride.duration();
      const Vec3<double> between = to - gait_parameters::at(paths.t, opposite.heel, stride.end);
      stride.step_length = dot(between, progression.forward);
      stride.step_width = std::abs(dot(between, across));
      const double strike = gait_parameters::event_between(events, other, GaitEventKind::kStrike,
                                                           stride.start, stride.end);
      stride.step_duration = stride.end - strike;
      stride.stance = (off - stride.start) / stride.duration();
      const double other_off = gait_parameters::event_between(events, other, GaitEventKind::kOff,
                                                              stride.start, stride.end);
      stride.double_support = ((other_off - stride.start) + (off - strike)) / stride.duration();
      out.push_back(stride);
    }
  }
  return out;
}

std::vector<double> over_cycle(const std::vector<double>& t, const std::vector<double>& values,
                               double start, double end) {
  std::vector<double> out(101, std::nan(""));
  for (std::size_t k = 0; k <= 100; ++k) {
    const double time = start + (end - start) * static_cast<double>(k) / 100;
    const auto after = std::lower_bound(t.begin(), t.end(), time);
    if (after == t.end()) continue;
    const auto i = static_cast<std::size_t>(after - t.begin());
    if (i == 0) {
      if (t[0] == time) out[k] = values[0];
      continue;
    }
    const double s = (time - t[i - 1]) / (t[i] - t[i - 1]);
    out[k] = (1 - s) * values[i - 1] + s * values[i];
  }
  return out;
}

CycleBand band_of(const std::vector<std::vector<double>>& curves) {
  CycleBand out;
  out.count = static_cast<int>(curves.size());
  out.mean.assign(101, std::nan(""));
  out.sd.assign(101, std::nan(""));
  for (std::size_t k = 0; k <= 100; ++k) {
    double sum = 0;
    int count = 0;
    for (const auto& curve : curves) {
      if (std::isnan(curve[k])) continue;
      sum += curve[k];
      ++count;
    }
    if (count == 0) continue;
    out.mean[k] = sum / count;
    if (count < 2) continue;
    double squares = 0;
    for (const auto& curve : curves) {
      if (!std::isnan(curve[k])) squares += (curve[k] - out.mean[k]) * (curve[k] - out.mean[k]);
    }
    out.sd[k] = std::sqrt(squares / (count - 1));
  }
  return out;
}

}  // namespace parfait::motion
