#include "parfait/motion/calibration/functional_centre.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/motion/skeleton/marker_names.h"

namespace parfait::motion {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

namespace functional_centre {
namespace {

constexpr double kKnown = 0.03;      ///< m, longest half axis of the 95 % ellipsoid
constexpr double kHingeRatio = 0.1;  ///< of the last two singular values

int label_of(const MarkerData& data, const std::string& name) {
  const auto found = std::find(data.labels.begin(), data.labels.end(), name);
  return found == data.labels.end() ? -1 : static_cast<int>(found - data.labels.begin());
}

/// Markers of the model on a body that the trial has: indices of markers and of labels.
struct Measured {
  std::vector<int> markers, labels;
};
Measured markers_on(const Skeleton& skeleton, const MarkerData& data, int body) {
  Measured out;
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    const auto& marker = skeleton.markers[static_cast<std::size_t>(m)];
    if (marker.body != body) continue;
    const int label = label_of(data, marker.name);
    bool seen = false;
    for (int f = 0; label >= 0 && f < data.num_frames() && !seen; ++f) {
      const double* y = data.at(f, label);
      seen = !std::isnan(y[0] + y[1] + y[2]);
    }
    if (!seen) continue;
    out.markers.push_back(m);
    out.labels.push_back(label);
  }
  return out;
}

/// The landmarks of a pelvis among markers, as places in their list; false: not all are there.
bool find_pelvis(const Skeleton& skeleton, const std::vector<int>& markers,
                 std::array<int, 4>& out) {
  const std::array<const char*, 4> wanted{"rasi", "lasi", "rpsi", "lpsi"};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto found = std::find_if(markers.begin(), markers.end(), [&](int m) {
      const auto name = landmark_of(skeleton.markers[static_cast<std::size_t>(m)].name);
      return name == wanted[i] || (i >= 2 && name == "sacr");
    });
    if (found == markers.end()) return false;
    out[i] = static_cast<int>(found - markers.begin());
  }
  return true;
}

FunctionalCentre find_centre(const Skeleton& skeleton, const FunctionalTrial& trial, int body,
                             const Measured& proximal_markers, const std::vector<int>& distal) {
  FunctionalCentre out;
  out.trial = trial.name;
  out.body = body;
  out.markers = proximal_markers.markers;
  auto proximal = make_cluster(trial.data, proximal_markers.labels);
  std::array<int, 4> landmarks{};
  out.on_pelvis = find_pelvis(skeleton, out.markers, landmarks);
  if (out.on_pelvis) {
    to_pelvis_axes(trial.data, proximal, landmarks);
    for (std::size_t i = 0; i < 4; ++i) {
      out.landmarks[i] = out.markers[static_cast<std::size_t>(landmarks[i])];
    }
  }
  out.shape = proximal.shape;
  const auto other = make_cluster(trial.data, distal);
  out.joint = score_joint(proximal, other, trial.data.t, false);
  out.is_hinge = out.joint.axis_ratio < kHingeRatio;
  if (out.is_hinge) out.joint = score_joint(proximal, other, trial.data.t, true);
  return out;
}

Vector3d vector_of(const Vec3<double>& v) {
  return {v.x, v.y, v.z};
}

}  // namespace
}  // namespace functional_centre

std::vector<FunctionalCentre> find_functional_centres(
    const Skeleton& skeleton, const std::vector<FunctionalTrial>& trials,
    const std::vector<FunctionalSegment>& segments, std::vector<std::string>& told) {
  namespace fc = functional_centre;
  std::vector<std::string> names;
  for (const auto& body : skeleton.tree.bodies) names.push_back(body.name);
  for (const auto& segment : segments) {
    if (skeleton.find_body(segment.body) < 0) {
      throw base::InputError("segment " + segment.body + ": the model has no such body." +
                             base::suggestion(segment.body, names));
    }
    for (const auto& label : segment.labels) {
      if (std::any_of(trials.begin(), trials.end(), [&](const FunctionalTrial& trial) {
            return fc::label_of(trial.data, label) >= 0;
          })) {
        continue;
      }
      throw base::InputError("segment " + segment.body + ": no functional trial has a marker \"" +
                             label + "\"." +
                             base::suggestion(label, trials.empty() ? std::vector<std::string>{}
                                                                    : trials[0].data.labels));
    }
  }
  std::vector<FunctionalCentre> out;
  for (int b = 0; b < skeleton.tree.num_bodies(); ++b) {
    const auto& body = skeleton.tree.bodies[static_cast<std::size_t>(b)];
    if (body.parent < 0) continue;
    const auto segment = std::find_if(segments.begin(), segments.end(),
                                      [&](const auto& s) { return s.body == body.name; });
    std::string why;
    FunctionalCentre best;
    double known = 0;
    for (const auto& trial : trials) {
      const auto proximal = fc::markers_on(skeleton, trial.data, body.parent);
      auto distal = fc::markers_on(skeleton, trial.data, b).labels;
      if (segment != segments.end()) {
        for (const auto& name : segment->labels) {
          const int label = fc::label_of(trial.data, name);
          if (label >= 0 && std::find(distal.begin(), distal.end(), label) == distal.end()) {
            distal.push_back(label);
          }
        }
      }
      if (proximal.labels.size() < 3 || distal.size() < 3) {
        why = (proximal.labels.size() < 3 ? names[static_cast<std::size_t>(body.parent)]
                                          : body.name) +
              " has fewer than three markers in " + trial.name;
        continue;
      }
      try {
        auto centre = fc::find_centre(skeleton, trial, b, proximal, distal);
        const double half = centre.joint.half_axes()[0];
        if (!(half < fc::kKnown)) {
          why = trial.name + " moves it too little to tell its centre";
          continue;
        }
        if (best.trial.empty() || half < known) {
          best = std::move(centre);
          known = half;
        }
      } catch (const base::InputError& error) {
        why = trial.name + ": " + error.what();
      }
    }
    if (!best.trial.empty()) {
      out.push_back(std::move(best));
    } else if (segment != segments.end()) {
      told.push_back("functional joint of " + body.name + ": not found, " + why + ".");
    }
  }
  return out;
}

Vector3d apart_from(const FunctionalCentre& centre, const Skeleton& skeleton,
                    const Geometry& geometry) {
  namespace fc = functional_centre;
  const auto b = static_cast<std::size_t>(centre.body);
  const auto parent = static_cast<std::size_t>(skeleton.tree.bodies[b].parent);
  const auto& scale = geometry.scale[parent];
  const auto place = [&](int m) {
    return fc::vector_of(times(scale, geometry.place[static_cast<std::size_t>(m)]));
  };
  const Vector3d joint = fc::vector_of(times(scale, geometry.parent_place[b]));
  Vector3d axis = centre.joint.axis, out;
  if (centre.on_pelvis) {
    const auto axes = pelvis_axes({place(centre.landmarks[0]), place(centre.landmarks[1]),
                                   place(centre.landmarks[2]), place(centre.landmarks[3])});
    out = axes.R.transpose() * (joint - axes.p) - centre.joint.center;
  } else {
    Matrix3Xd model(3, static_cast<Index>(centre.markers.size()));
    for (std::size_t i = 0; i < centre.markers.size(); ++i) {
      model.col(static_cast<Index>(i)) = place(centre.markers[i]);
    }
    const auto at = lay(centre.shape, model);
    out = joint - (at.R * centre.joint.center + at.p);
    axis = at.R * axis;
  }
  if (centre.is_hinge) out -= axis.dot(out) * axis;
  return out;
}

std::vector<ShapePrior> functional_priors(const std::vector<FunctionalCentre>& centres,
                                          const Skeleton& skeleton, double sd) {
  // From x forward, y left, z up to x forward, y up, z right.
  Matrix3d T;
  T << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  std::vector<ShapePrior> out;
  for (const auto& centre : centres) {
    if (!centre.on_pelvis || centre.is_hinge) continue;
    ShapePrior& prior = out.emplace_back();
    const auto b = static_cast<std::size_t>(centre.body);
    prior.name = "hip of " + skeleton.tree.bodies[b].name + " (functional)";
    prior.kind = ShapePrior::Kind::kHip;
    prior.body = skeleton.tree.bodies[b].parent;
    for (const int m : centre.landmarks) prior.points.push_back({GeometryKind::kMarker, m});
    prior.points.push_back({GeometryKind::kParentPlace, centre.body});
    const Vector3d value = T * centre.joint.center;
    prior.value = {value.x(), value.y(), value.z()};
    prior.sd = sd;
    prior.covariance = T * centre.joint.covariance * T.transpose() + sd * sd * Matrix3d::Identity();
  }
  return out;
}

}  // namespace parfait::motion
