#include "parfait/io/motion_files/marker_errors.h"

#include <algorithm>
#include <cmath>

#include "parfait/tree/algorithms/algorithms.h"

namespace parfait::io {
namespace {

struct MatchedMarker {
  std::size_t point = 0;  ///< of the trial
  int body = -1;          ///< of the tree; -1: the ground
  math::Vec3<double> o{};
};

std::vector<MatchedMarker> matched_markers(const mechanism::Description& description,
                                           const tree::MechanismTree& mechanism, const Trial& trial,
                                           MarkerErrors& out) {
  std::vector<MatchedMarker> matched;
  for (std::size_t p = 0; p < trial.markers.size(); ++p) {
    const std::string& name = trial.markers.points[p].name;
    const auto found =
        std::find_if(description.skin_markers.begin(), description.skin_markers.end(),
                     [&](const auto& marker) { return marker.name == name; });
    if (found == description.skin_markers.end()) {
      out.not_on_model.push_back(name);
      continue;
    }
    MatchedMarker marker{p, -1, {found->o[0], found->o[1], found->o[2]}};
    for (std::size_t b = 0; b < description.bodies.size(); ++b) {
      if (description.bodies[b].id == found->body) {
        marker.body = mechanism.tree_body(static_cast<int>(b));
      }
    }
    matched.push_back(marker);
    out.markers.push_back(name);
  }
  return matched;
}

}  // namespace

MarkerErrors marker_errors(const mechanism::Description& description,
                           const tree::MechanismTree& mechanism, const CoordinateMotion& motion,
                           const Trial& trial) {
  MarkerErrors out;
  const auto matched = matched_markers(description, mechanism, trial, out);
  const double metres = trial.metres_per_unit > 0 ? trial.metres_per_unit : 1;
  const double half = trial.rate > 0 ? 0.5 / trial.rate : 1e-6;
  tree::Workspace ws(mechanism.tree());
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t frame = 0; frame < trial.num_frames; ++frame) {
    const double t = trial.time(frame);
    const auto after = std::lower_bound(motion.time.begin(), motion.time.end(), t);
    auto nearest = after;
    if (after == motion.time.end() ||
        (after != motion.time.begin() && t - *(after - 1) < *after - t)) {
      nearest = after == motion.time.begin() ? after : after - 1;
    }
    if (nearest == motion.time.end() || std::abs(*nearest - t) > half) continue;
    ++out.num_frames;
    const auto q =
        motion.position(mechanism, static_cast<std::size_t>(nearest - motion.time.begin()));
    for (const MatchedMarker& marker : matched) {
      if (trial.markers.is_missing(frame, marker.point)) {
        ++out.num_missing;
        continue;
      }
      const double* measured = trial.markers.at(frame, marker.point);
      const auto r = marker.body < 0
                         ? marker.o
                         : tree::point_position(mechanism.tree(), q, marker.body, marker.o, ws);
      const math::Vec3<double> e{metres * measured[0] - r.x, metres * measured[1] - r.y,
                                 metres * measured[2] - r.z};
      sum += dot(e, e);
      out.largest = std::max(out.largest, std::sqrt(dot(e, e)));
      ++count;
    }
  }
  if (count > 0) out.rms = std::sqrt(sum / static_cast<double>(count));
  return out;
}

}  // namespace parfait::io
