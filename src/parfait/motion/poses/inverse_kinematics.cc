#include "parfait/motion/poses/inverse_kinematics.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parfait::motion {
namespace {

constexpr int kChunk = 64;
constexpr double kLeap = 0.35;    ///< rad from one frame to the next
constexpr double kBetter = 1e-6;  ///< of the objective
constexpr double kOther = 0.01;   ///< of the objective: another minimum, not a weak direction
constexpr int kFramesForMarkers = 128;
constexpr int kInVain = 25;  ///< frames

/// Solves frames one after the other, in order, and keeps what came out.
class FrameSolver {
 public:
  FrameSolver(const Skeleton& skeleton, const MarkerPlan& plan, const BoundGeometry& geometry,
              const MatchedMarkers& markers, std::span<const double> weights,
              const PoseOptions& options, TrialPoses& out)
      : skeleton_(skeleton),
        markers_(markers),
        weights_(weights),
        options_(options),
        solver_(skeleton, plan, options),
        out_(out) {
    solver_.bind(geometry);
  }

  void solve(int f, FramePose& pose, bool from_afar = false) {
    if (from_afar) {
      solver_.solve_from_afar(markers_.frame(f), weights_, pose);
    } else {
      solver_.solve(markers_.frame(f), weights_, pose);
    }
  }

  void keep(int f, const FramePose& pose) {
    const auto nq = static_cast<std::size_t>(skeleton_.tree.nq);
    const auto nv = static_cast<std::size_t>(skeleton_.tree.nv);
    const auto frame = static_cast<std::size_t>(f);
    std::copy(pose.q.begin(), pose.q.end(),
              out_.q.begin() + static_cast<std::ptrdiff_t>(frame * nq));
    std::copy(pose.states.begin(), pose.states.end(),
              out_.states.begin() + static_cast<std::ptrdiff_t>(frame * nv));
    out_.objective[frame] = pose.objective;
    out_.num_visible[frame] = pose.num_visible;
    out_.iterations[frame] = pose.iterations;
    out_.converged[frame] = pose.converged;
    double* x = out_.markers.data() + 3 * frame * static_cast<std::size_t>(markers_.num_markers);
    for (const auto& p : solver_.positions()) {
      *x++ = p.x;
      *x++ = p.y;
      *x++ = p.z;
    }
  }

  /// Of a frame that was kept: leverages of its markers and, with `units`, standard deviations of
  /// its coordinates (PoseSolver::spread).
  void spread(int f, std::span<const double> units, std::span<double> leverages) {
    const auto nq = static_cast<std::size_t>(skeleton_.tree.nq);
    const auto nv = static_cast<std::size_t>(skeleton_.tree.nv);
    const auto frame = static_cast<std::size_t>(f);
    FramePose pose;
    pose.q.assign(out_.q.data() + frame * nq, out_.q.data() + (frame + 1) * nq);
    pose.states.assign(out_.states.data() + frame * nv, out_.states.data() + (frame + 1) * nv);
    solver_.stand_at(markers_.frame(f), weights_, pose);
    const std::span<double> out{out_.sd.data() + frame * nv, nv};
    solver_.spread(markers_.frame(f), weights_, units, leverages, out);
    for (double& variance : out) variance = std::sqrt(variance);
  }

  /// Limbs as the model has them by default, the root as in the pose: where that fits better, a
  /// limb was on the wrong side of what markers tell.
  void try_default_limbs(int f, FramePose& pose) {
    FramePose other;
    other.q = skeleton_.initial_position();
    for (const auto& body : skeleton_.tree.bodies) {
      if (body.parent >= 0) continue;
      for (int i = body.q; i < body.q + body.nq; ++i) other.q[i] = pose.q[i];
    }
    solve(f, other);
    if (other.objective < pose.objective * (1 - kBetter)) pose = other;
  }

  /// A limb whose markers are far off may be bent the wrong way: its joints are tried turned by a
  /// quarter and by half.
  void try_turned_joints(int f, FramePose& pose) {
    constexpr double kFarOff = 0.02;  // m
    solve(f, pose);                   // so that the workspace is the pose's
    const auto measured = markers_.frame(f);
    const auto& tree = skeleton_.tree;
    std::vector<double> errors(skeleton_.markers.size(), -1), visible;
    for (std::size_t m = 0; m < errors.size(); ++m) {
      if (weights_[m] == 0 || markers_.is_missing(f, static_cast<int>(m))) continue;
      const auto d = solver_.positions()[m] -
                     Vec3<double>{measured[3 * m], measured[3 * m + 1], measured[3 * m + 2]};
      visible.push_back(errors[m] = std::sqrt(dot(d, d)));
    }
    if (visible.empty()) return;
    const auto middle = visible.begin() + static_cast<std::ptrdiff_t>(visible.size() / 2);
    std::nth_element(visible.begin(), middle, visible.end());
    std::vector<char> suspect(tree.bodies.size(), 0);
    for (std::size_t m = 0; m < errors.size(); ++m) {
      if (errors[m] < std::max(kFarOff, 3 * *middle)) continue;
      for (int b = skeleton_.markers[m].body; tree.bodies[static_cast<std::size_t>(b)].parent >= 0;
           b = tree.bodies[static_cast<std::size_t>(b)].parent) {
        suspect[static_cast<std::size_t>(b)] = 1;
      }
    }
    for (std::size_t b = 0; b < suspect.size(); ++b) {
      if (!suspect[b]) continue;
      for (const Coordinate& c : skeleton_.coordinates) {
        if (!c.is_angle || c.locked || c.q < tree.bodies[b].q ||
            c.q >= tree.bodies[b].q + tree.bodies[b].nq) {
          continue;
        }
        for (const double quarters : {1.0, -1.0, 2.0}) {
          FramePose other;
          other.q = pose.q;
          other.q[static_cast<std::size_t>(c.q)] += quarters * std::numbers::pi / 2;
          solve(f, other);
          if (other.objective < pose.objective * (1 - kOther)) pose = other;
        }
      }
    }
    solve(f, pose);  // the workspace belongs to the pose that is told
  }

  /// From a pose that is known, and along from it where it is another minimum.
  void try_known(const KnownPose& known) {
    FramePose pose;
    pose.q = known.q;
    solve(known.frame, pose);
    if (!(pose.objective < out_.objective[static_cast<std::size_t>(known.frame)] * (1 - kOther))) {
      return;
    }
    keep(known.frame, pose);
    improve_along(known.frame, 1);
    improve_along(known.frame, -1);
  }

  /// Frames after (step 1) or before (step -1) `from`, each from the pose of the one before it,
  /// kept where that fits better; until the path joins the one that was kept, or has not been
  /// better for long. A frame with few markers may like both.
  void improve_along(int from, int step) {
    const auto nq = static_cast<std::size_t>(skeleton_.tree.nq);
    FramePose pose;
    const auto* q = out_.q.data() + static_cast<std::size_t>(from) * nq;
    pose.q.assign(q, q + nq);
    int in_vain = 0;
    for (int f = from + step; f >= 0 && f < out_.num_frames && in_vain < kInVain; f += step) {
      if (options_.is_stopped()) return;
      const auto frame = static_cast<std::size_t>(f);
      pose.states.clear();
      solve(f, pose);
      double apart = 0;
      for (std::size_t i = 0; i < nq; ++i) {
        apart = std::max(apart, std::abs(pose.q[i] - out_.q[frame * nq + i]));
      }
      if (apart < 1e-5) return;
      ++in_vain;
      if (!(pose.objective < out_.objective[frame] * (1 - kBetter))) continue;
      keep(f, pose);
      in_vain = 0;
    }
  }

  /// Whether a coordinate that both frames see is farther apart in them than anybody moves between
  /// two frames.
  bool leaps(int f, int g) const {
    const auto nv = static_cast<std::size_t>(skeleton_.tree.nv);
    const auto nq = static_cast<std::size_t>(skeleton_.tree.nq);
    const auto a = static_cast<std::size_t>(f), b = static_cast<std::size_t>(g);
    for (std::size_t j = 0; j < nv; ++j) {
      const Coordinate& c = skeleton_.coordinates[j];
      if (c.q < 0 || !c.is_angle || out_.states[a * nv + j] != CoordinateState::kFree ||
          out_.states[b * nv + j] != CoordinateState::kFree) {
        continue;
      }
      const auto i = static_cast<std::size_t>(c.q);
      if (std::abs(out_.q[a * nq + i] - out_.q[b * nq + i]) > kLeap) return true;
    }
    return false;
  }

  /// Frames first ... last - 1, the first from the given pose.
  void run(int first, int last, FramePose pose) {
    const bool scalar = skeleton_.tree.quaternions.empty();
    std::vector<double> before;
    for (int f = first; f < last && !options_.is_stopped(); ++f) {
      const std::vector<double> previous = pose.q;
      if (scalar && f >= first + 2) {
        // What is not seen, or rests on a limit, stays where it is.
        for (const Coordinate& c : skeleton_.coordinates) {
          const auto i = static_cast<std::size_t>(c.q);
          const auto j = static_cast<std::size_t>(&c - skeleton_.coordinates.data());
          if (pose.states[j] == CoordinateState::kFree) pose.q[i] += pose.q[i] - before[i];
        }
      }
      solve(f, pose);
      if (!pose.converged && scalar && f >= first + 2) {
        pose.q = previous;
        solve(f, pose);
      }
      keep(f, pose);
      before = previous;
    }
  }

 private:
  const Skeleton& skeleton_;
  const MatchedMarkers& markers_;
  std::span<const double> weights_;
  const PoseOptions& options_;
  PoseSolver solver_;
  TrialPoses& out_;
};

void summarize(const Skeleton& skeleton, TrialPoses& out) {
  const auto nv = static_cast<std::size_t>(skeleton.tree.nv);
  double sum = 0;
  int degrees = 0;
  for (std::size_t f = 0; f < out.objective.size(); ++f) {
    sum += out.objective[f];
    int free = 0;
    for (std::size_t j = 0; j < nv; ++j) free += out.states[f * nv + j] == CoordinateState::kFree;
    degrees += 3 * out.num_visible[f] - free;
  }
  out.degrees_of_freedom = degrees;
  out.variance = degrees > 0 ? sum / degrees : std::nan("");
  for (std::size_t j = 0; j < nv; ++j) {
    bool seen = skeleton.coordinates[j].locked;
    for (std::size_t f = 0; f < out.objective.size() && !seen; ++f) {
      seen = out.states[f * nv + j] != CoordinateState::kUnseen;
    }
    if (!seen) out.unseen.push_back(static_cast<int>(j));
  }
}

/// Variances of the markers, per unit of weight: what is left of each, with what the poses took
/// away by following it (leverage), and a fiftieth of the samples' weight on the mean of all.
std::vector<double> marker_variances(const MatchedMarkers& markers, std::span<const double> weights,
                                     const TrialPoses& poses, const std::vector<int>& frames,
                                     const std::vector<double>& leverages) {
  const auto num_markers = static_cast<std::size_t>(markers.num_markers);
  std::vector<double> out(num_markers, poses.variance);
  for (std::size_t m = 0; m < num_markers; ++m) {
    double squares = 0, degrees = 0, samples = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const double leverage = leverages[i * num_markers + m];
      if (std::isnan(leverage)) continue;
      const double e = marker_error(markers, poses, frames[i], static_cast<int>(m));
      squares += weights[m] * e * e;
      degrees += std::max(0.0, 3 - leverage);
      samples += 3;
    }
    if (samples > 0) {
      const double shared = 0.02 * samples;
      out[m] = (squares + shared * poses.variance) / (degrees + shared);
    }
  }
  return out;
}

}  // namespace

bool MatchedMarkers::is_missing(int f, int m) const {
  const double* p = frame(f).data() + 3 * static_cast<std::size_t>(m);
  return std::isnan(p[0]) || std::isnan(p[1]) || std::isnan(p[2]);
}

MatchedMarkers match_markers(const Skeleton& skeleton, const MarkerData& data) {
  MatchedMarkers out;
  out.num_frames = data.num_frames();
  out.num_markers = skeleton.num_markers();
  for (const SkinMarker& marker : skeleton.markers) {
    const auto found = std::find(data.labels.begin(), data.labels.end(), marker.name);
    const int label = static_cast<int>(found - data.labels.begin());
    // A label without a single place is as if it were not there.
    bool seen = false;
    for (int f = 0; found != data.labels.end() && f < out.num_frames && !seen; ++f) {
      const double* y = data.at(f, label);
      seen = !std::isnan(y[0] + y[1] + y[2]);
    }
    out.label.push_back(seen ? label : -1);
    (out.label.back() < 0 ? out.only_model : out.on_both).push_back(marker.name);
  }
  for (const std::string& label : data.labels) {
    if (skeleton.find_marker(label) < 0) out.only_data.push_back(label);
  }
  out.y.assign(3 * static_cast<std::size_t>(out.num_frames) * out.label.size(), std::nan(""));
  for (int f = 0; f < out.num_frames; ++f) {
    for (std::size_t m = 0; m < out.label.size(); ++m) {
      if (out.label[m] < 0) continue;
      std::copy_n(data.at(f, out.label[m]), 3,
                  &out.y[3 * (static_cast<std::size_t>(f) * out.label.size() + m)]);
    }
  }
  return out;
}

TrialPoses solve_poses(const Skeleton& skeleton, const BoundGeometry& geometry,
                       const MatchedMarkers& markers, std::span<const double> weights,
                       const PoseOptions& options, std::span<const double> start,
                       const std::vector<KnownPose>& known) {
  const MarkerPlan plan(skeleton);
  const int n = markers.num_frames;
  const auto frames = static_cast<std::size_t>(n);
  TrialPoses out;
  out.num_frames = n;
  out.q.resize(frames * static_cast<std::size_t>(skeleton.tree.nq));
  out.sd.resize(frames * static_cast<std::size_t>(skeleton.tree.nv));
  out.states.resize(frames * static_cast<std::size_t>(skeleton.tree.nv));
  out.objective.resize(frames);
  out.num_visible.resize(frames);
  out.iterations.resize(frames);
  out.converged.resize(frames);
  out.markers.resize(3 * frames * skeleton.markers.size());
  if (n == 0) return out;

  FrameSolver serial(skeleton, plan, geometry, markers, weights, options, out);
  const int num_chunks = (n + kChunk - 1) / kChunk;
  std::vector<FramePose> starts(static_cast<std::size_t>(num_chunks));
  FramePose pose;
  pose.q =
      start.empty() ? skeleton.initial_position() : std::vector<double>(start.begin(), start.end());
  for (int c = 0; c < num_chunks && !options.is_stopped(); ++c) {
    serial.solve(kChunk * c, pose, c == 0 && start.empty());
    if (start.empty()) serial.try_default_limbs(kChunk * c, pose);
    if (start.empty() && c == 0) serial.try_turned_joints(0, pose);
    starts[c] = pose;
  }
  tbb::parallel_for(0, num_chunks, [&](int c) {
    FrameSolver solver(skeleton, plan, geometry, markers, weights, options, out);
    solver.run(kChunk * c, std::min(n, kChunk * (c + 1)), starts[c]);
  });
  // A chunk that began in another minimum than the one before it leads to.
  const auto nq = static_cast<std::size_t>(skeleton.tree.nq);
  const auto nv = static_cast<std::size_t>(skeleton.tree.nv);
  for (int c = 1; c < num_chunks && !options.is_stopped(); ++c) {
    const auto f = static_cast<std::size_t>(kChunk) * c;
    FramePose next;
    next.q.assign(out.q.begin() + static_cast<std::ptrdiff_t>((f - 1) * nq),
                  out.q.begin() + static_cast<std::ptrdiff_t>(f * nq));
    next.states.assign(out.states.begin() + static_cast<std::ptrdiff_t>((f - 1) * nv),
                       out.states.begin() + static_cast<std::ptrdiff_t>(f * nv));
    serial.solve(static_cast<int>(f), next);
    double apart = 0;
    for (std::size_t i = 0; i < nq; ++i) {
      apart = std::max(apart, std::abs(next.q[i] - out.q[f * nq + i]));
    }
    if (apart > 1e-4 && next.objective <= out.objective[f] * (1 + 1e-6)) {
      serial.run(kChunk * c, std::min(n, kChunk * (c + 1)), next);
    }
  }
  for (const KnownPose& other : known) {
    if (!options.is_stopped()) serial.try_known(other);
  }
  // Where a few markers left a choice, a limb may have gone on in another minimum than before. On
  // one side of such a leap frames fit better with the pose of the other side.
  for (int f = 0; f + 1 < n && !options.is_stopped(); ++f) {
    if (!serial.leaps(f, f + 1)) continue;
    serial.improve_along(f, 1);
    serial.improve_along(f + 1, -1);
  }
  summarize(skeleton, out);
  if (options.is_stopped()) return out;

  const auto num_markers = static_cast<std::size_t>(markers.num_markers);
  std::vector<int> some;  // enough to know the markers
  for (int f = 0; f < n; f += std::max(1, n / kFramesForMarkers)) some.push_back(f);
  std::vector<double> leverages(some.size() * num_markers);
  tbb::parallel_for(std::size_t{0}, (some.size() + 15) / 16, [&](std::size_t c) {
    FrameSolver solver(skeleton, plan, geometry, markers, weights, options, out);
    const std::size_t last = std::min(some.size(), 16 * (c + 1));
    for (std::size_t i = 16 * c; i < last && !options.is_stopped(); ++i) {
      solver.spread(some[i], {}, {leverages.data() + i * num_markers, num_markers});
    }
  });
  const auto units = marker_variances(markers, weights, out, some, leverages);
  tbb::parallel_for(0, num_chunks, [&](int c) {
    FrameSolver solver(skeleton, plan, geometry, markers, weights, options, out);
    std::vector<double> unused(num_markers);
    const int last = std::min(n, kChunk * (c + 1));
    for (int f = kChunk * c; f < last && !options.is_stopped(); ++f) {
      solver.spread(f, units, unused);
    }
  });
  return out;
}

double marker_error(const MatchedMarkers& markers, const TrialPoses& poses, int frame, int marker) {
  const double* y = markers.frame(frame).data() + 3 * static_cast<std::size_t>(marker);
  const double* x = &poses.markers[3 * (static_cast<std::size_t>(frame) * markers.num_markers +
                                        static_cast<std::size_t>(marker))];
  return std::sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                   (x[2] - y[2]) * (x[2] - y[2]));
}

MarkerErrors marker_errors(const MatchedMarkers& markers, const TrialPoses& poses,
                           std::span<const char> selected) {
  MarkerErrors out;
  double squares = 0, sum = 0, maxima = 0;
  int num_frames = 0;
  for (int f = 0; f < markers.num_frames; ++f) {
    double largest = -1;
    for (int m = 0; m < markers.num_markers; ++m) {
      if (!selected.empty() && !selected[m]) continue;
      const double e = marker_error(markers, poses, f, m);
      if (std::isnan(e)) continue;
      squares += e * e;
      sum += e;
      ++out.count;
      largest = std::max(largest, e);
      if (e > out.max || out.max_frame < 0) {
        out.max = e;
        out.max_frame = f;
        out.max_marker = m;
      }
    }
    if (largest >= 0) {
      maxima += largest;
      ++num_frames;
    }
  }
  if (out.count > 0) {
    out.rms = std::sqrt(squares / out.count);
    out.mean = sum / out.count;
    out.mean_frame_max = maxima / num_frames;
  }
  return out;
}

}  // namespace parfait::motion
