#include "parfait/motion/scaling/static_trial.h"

#include <cmath>

namespace parfait::motion {
namespace {

double length(const Vec3<double>& a) {
  return std::sqrt(dot(a, a));
}

Vec3<double> vector_at(const double* p) {
  return {p[0], p[1], p[2]};
}

}  // namespace

FrameRange frames_between(const std::vector<double>& t, double start, double end) {
  // Times of files are rounded.
  constexpr double kRounding = 1e-9;
  FrameRange out{0, static_cast<int>(t.size()) - 1};
  for (int f = 0; f < static_cast<int>(t.size()); ++f) {
    if (t[static_cast<std::size_t>(f)] <= start + kRounding) out.first = f;
  }
  for (int f = out.first; f < static_cast<int>(t.size()); ++f) {
    if (t[static_cast<std::size_t>(f)] >= end - kRounding) {
      out.last = f;
      break;
    }
  }
  return out;
}

double mean_distance(const MarkerData& data, int a, int b, const FrameRange& frames) {
  double sum = 0;
  int count = 0;
  for (int f = frames.first; f <= frames.last; ++f) {
    const double each = length(vector_at(data.at(f, a)) - vector_at(data.at(f, b)));
    if (std::isnan(each)) continue;
    sum += each;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / count;
}

double model_distance(const Skeleton& skeleton, int a, int b) {
  BoundGeometry bound;
  bind(skeleton, Geometry(skeleton), bound);
  const MarkerPlan plan(skeleton);
  MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  kinematics.place(skeleton.initial_position());
  const auto& x = kinematics.positions();
  return length(x[static_cast<std::size_t>(a)] - x[static_cast<std::size_t>(b)]);
}

MatchedMarkers mean_frame(const MatchedMarkers& markers, const FrameRange& frames) {
  MatchedMarkers out = markers;
  out.num_frames = 1;
  out.y.assign(3 * static_cast<std::size_t>(markers.num_markers), std::nan(""));
  for (int m = 0; m < markers.num_markers; ++m) {
    Vec3<double> sum{};
    int count = 0;
    for (int f = frames.first; f <= frames.last; ++f) {
      if (markers.is_missing(f, m)) continue;
      sum += vector_at(&markers.frame(f)[3 * static_cast<std::size_t>(m)]);
      ++count;
    }
    if (count == 0) continue;
    for (int k = 0; k < 3; ++k) {
      out.y[3 * static_cast<std::size_t>(m) + static_cast<std::size_t>(k)] =
          component(sum, k) / count;
    }
  }
  return out;
}

std::vector<Vec3<double>> places_in_pose(const Skeleton& skeleton, const std::vector<double>& q,
                                         const MatchedMarkers& measured) {
  BoundGeometry bound;
  bind(skeleton, Geometry(skeleton), bound);
  const MarkerPlan plan(skeleton);
  MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  kinematics.place(q);
  std::vector<Vec3<double>> out = bound.places;
  for (int m = 0; m < measured.num_markers; ++m) {
    if (measured.is_missing(0, m)) continue;
    const auto i = static_cast<std::size_t>(m);
    const auto X = kinematics.frame(skeleton.markers[i].body);
    out[i] = transposed_times(X.R, vector_at(&measured.y[3 * i]) - X.p);
  }
  return out;
}

}  // namespace parfait::motion
