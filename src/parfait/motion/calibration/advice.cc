#include "parfait/motion/calibration/advice.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/math/dense_solves.h"
#include "parfait/motion/calibration/side_names.h"

namespace parfait::motion {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace advice {
namespace {

constexpr int kFrames = 12;      ///< of a further trial, far enough apart to be independent
constexpr double kRange = 0.6;   ///< rad to both sides
constexpr double kWorth = 0.85;  ///< of the standard deviation: less is not worth a trial
constexpr std::size_t kMost = 3;

/// Standard deviations of the lengths with these sums of information and of its variance.
std::vector<double> deviations(const MatrixXd& information, const MatrixXd& middle,
                               const MatrixXd& gradients) {
  const MatrixXd W = math::solve_lu(information, gradients);
  std::vector<double> out;
  for (Index i = 0; i < gradients.cols(); ++i) {
    const VectorXd w = W.col(i);
    out.push_back(std::sqrt(std::max(0.0, w.dot(middle * w))));
  }
  return out;
}

}  // namespace
}  // namespace advice

CalibrationAdvice advise(const CalibrationResult& result,
                         const std::vector<CalibrationTrial>& trials,
                         const std::vector<double>& weights, const CalibrationOptions& options) {
  CalibrationAdvice out;
  const auto& parts = result.parts;
  if (parts.information.empty() || !options.priors || result.lengths.empty()) return out;
  const auto& model = *result.model;
  const auto np = static_cast<Index>(model.parameters.size());
  for (Index i = 0; i < np; ++i) {
    if (!(parts.prior(i, i) > 0)) return out;  // what no prior holds may have no information at all
  }
  // Lengths of both sides that are the same are one.
  const auto all = geometry_lengths(model, result.geometry);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::none_of(chosen.begin(), chosen.end(), [&](std::size_t j) {
          return (all[j].gradient - all[i].gradient).norm() < 1e-9;
        })) {
      chosen.push_back(i);
    }
  }
  MatrixXd gradients(np, static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    gradients.col(static_cast<Index>(i)) = parts.unit.cwiseProduct(all[chosen[i]].gradient);
  }
  MatrixXd M = parts.prior, V = parts.prior;
  for (std::size_t t = 0; t < parts.information.size(); ++t) {
    M += parts.information[t];
    V += parts.variance[t];
  }
  const auto now = advice::deviations(M, V, gradients);

  for (std::size_t t = 0; t < parts.information.size() && parts.information.size() > 1; ++t) {
    const auto without =
        advice::deviations(M - parts.information[t], V - parts.variance[t], gradients);
    std::size_t best = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (without[i] / now[i] > without[best] / now[best]) best = i;
    }
    out.adds.push_back({trials[t].name, all[chosen[best]].name, now[best], without[best]});
  }

  // Motions of one joint angle, of both sides together.
  const Skeleton& skeleton = model.skeleton;
  std::map<std::string, std::vector<int>> groups;
  for (int j = 0; j < skeleton.num_coordinates(); ++j) {
    const Coordinate& c = skeleton.coordinates[static_cast<std::size_t>(j)];
    if (c.q < 0 || c.locked || !c.is_angle) continue;
    const bool of_root = std::any_of(
        skeleton.tree.bodies.begin(), skeleton.tree.bodies.end(), [&](const auto& body) {
          return body.parent < 0 && c.q >= body.q && c.q < body.q + body.nq;
        });
    if (!of_root) groups[without_side(c.name)].push_back(j);
  }
  std::vector<char> seen(skeleton.markers.size(), 0);
  for (const auto& trial : trials) {
    for (std::size_t m = 0; m < seen.size(); ++m) seen[m] |= trial.markers.label[m] >= 0;
  }
  BoundGeometry bound;
  bind(skeleton, result.geometry, bound);
  MarkerKinematics kinematics(skeleton, model.marker_plan);
  kinematics.bind(bound);
  const VectorXd& x = result.iteration.x;
  std::vector<CalibrationAdvice::Further> candidates;
  for (const auto& [name, coordinates] : groups) {
    CalibrationAdvice::Further further;
    const std::vector<double> start = skeleton.initial_position();
    MatchedMarkers markers;
    markers.label.assign(seen.size(), 0);
    markers.num_markers = static_cast<int>(seen.size());
    markers.num_frames = advice::kFrames;
    std::vector<int> frames;
    for (int f = 0; f < advice::kFrames; ++f) {
      auto q = start;
      for (const int j : coordinates) {
        const Coordinate& c = skeleton.coordinates[static_cast<std::size_t>(j)];
        const double low = std::max(c.lower, c.initial - advice::kRange);
        const double high = std::min(c.upper, c.initial + advice::kRange);
        // Not at the limits themselves, where a coordinate would be held.
        q[static_cast<std::size_t>(c.q)] = low + (high - low) * (f + 0.5) / advice::kFrames;
        further.low = low;
        further.high = high;
      }
      kinematics.place(q);
      for (std::size_t m = 0; m < seen.size(); ++m) {
        const auto& at = kinematics.positions()[m];
        for (const double value : {at.x, at.y, at.z}) {
          markers.y.push_back(seen[m] ? value : std::nan(""));
        }
      }
      frames.push_back(f);
      further.poses.push_back(q);
    }
    for (const int j : coordinates) {
      further.coordinates.push_back(skeleton.coordinates[static_cast<std::size_t>(j)].name);
    }
    PoseOptions poses = options.poses;
    poses.unseen = 1e-10;
    MarkerTrial trial(name, result.model, markers, frames, weights, further.poses,
                      {.sigma = options.sigma, .poses = poses});
    if (!trial.linearize(VectorXd(0), x)) continue;
    const MatrixXd S = parts.unit.asDiagonal() * trial.information() * parts.unit.asDiagonal();
    const auto then = advice::deviations(M + S, V + result.variance * S, gradients);
    std::size_t best = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (then[i] / now[i] < then[best] / now[best]) best = i;
    }
    if (!(then[best] < advice::kWorth * now[best])) continue;
    further.length = all[chosen[best]].name;
    further.sd = now[best];
    further.promised_sd = then[best];
    candidates.push_back(further);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.promised_sd / a.sd < b.promised_sd / b.sd;
  });
  // For each length the best motion.
  for (auto& candidate : candidates) {
    const bool told = std::any_of(out.further.begin(), out.further.end(), [&](const auto& other) {
      return other.length == candidate.length;
    });
    if (!told && out.further.size() < advice::kMost) out.further.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace parfait::motion
