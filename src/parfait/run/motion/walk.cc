#include "parfait/run/motion/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace parfait::run {
namespace walk {
namespace {

using motion::Side;
using motion::Vec3;

/// Letters and digits only, in small letters: "R.Toe.Tip" is "rtoetip".
std::string bare(const std::string& name) {
  std::string out;
  const auto colon = name.rfind(':');
  for (const char c : colon == std::string::npos ? name : name.substr(colon + 1)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

/// What a side is called before the rest of a name.
std::vector<std::string> with_side(Side side, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    for (const char* before :
         side == Side::kLeft ? std::array{"l", "left"} : std::array{"r", "right"}) {
      out.push_back(before + name);
      out.push_back(name + before);
    }
  }
  return out;
}

/// The first of the names that is there in at least a tenth of the frames.
int find(const io::Trial& trial, const std::vector<std::string>& names) {
  const auto& markers = trial.markers;
  for (const auto& name : names) {
    for (std::size_t i = 0; i < markers.size(); ++i) {
      if (bare(markers.points[i].name) != name) continue;
      std::size_t seen = 0;
      for (std::size_t f = 0; f < trial.num_frames; ++f) seen += markers.is_missing(f, i) ? 0 : 1;
      if (10 * seen >= trial.num_frames) return static_cast<int>(i);
    }
  }
  return -1;
}

Vec3<double> place(const io::Trial& trial, std::size_t frame, int marker) {
  const auto m = static_cast<std::size_t>(marker);
  if (trial.markers.is_missing(frame, m)) {
    const double nan = std::nan("");
    return {nan, nan, nan};
  }
  const double* p = trial.markers.at(frame, m);
  return {p[0], p[1], p[2]};
}

std::vector<Vec3<double>> path(const io::Trial& trial, int marker) {
  std::vector<Vec3<double>> out;
  out.reserve(trial.num_frames);
  for (std::size_t f = 0; f < trial.num_frames; ++f) out.push_back(place(trial, f, marker));
  return out;
}

const std::vector<std::string> kHeels{"hee", "heel", "cal", "calc", "calcaneus", "fcc"};
const std::vector<std::string> kToes{"toe", "toetip", "mt2", "2mt", "mtp2", "mt1", "toes", "fm2"};
/// Pairs and single markers of the pelvis, the first that is there.
const std::vector<std::string> kSacrum{"sacr", "sacrum", "vsacral", "sacral", "vsac"};
const std::vector<std::string> kBack{"psi", "psis", "ips", "post"};
const std::vector<std::string> kFront{"asi", "asis", "ias"};

/// Sides in names of bodies: "calcn_r", "foot.R", "LeftFoot".
int side_of(const std::string& body) {
  const std::string name = bare(body);
  if (name.ends_with('r') || name.starts_with("right")) return 1;
  if (name.ends_with('l') || name.starts_with("left")) return 0;
  return -1;
}

bool is_foot(const std::string& body) {
  const std::string name = bare(body);
  for (const char* word : {"calcn", "calcaneus", "foot", "hindfoot"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace
}  // namespace walk

std::optional<Walk> walk_of(const io::Trial& trial) {
  if (trial.up.axis < 0 || trial.num_frames < 8) return {};
  Walk out;
  motion::component(out.paths.up, 0) = motion::component(out.paths.up, 1) =
      motion::component(out.paths.up, 2) = 0;
  motion::component(out.paths.up, trial.up.axis) = trial.up.sign;
  for (std::size_t f = 0; f < trial.num_frames; ++f) out.paths.t.push_back(trial.time(f));
  std::string pelvis, heels, toes;
  const auto name = [&](int marker) {
    return trial.markers.points[static_cast<std::size_t>(marker)].name;
  };
  if (const int sacrum = walk::find(trial, walk::kSacrum); sacrum >= 0) {
    out.paths.pelvis = walk::path(trial, sacrum);
    pelvis = name(sacrum);
  } else {
    for (const auto* pair : {&walk::kBack, &walk::kFront}) {
      const int left = walk::find(trial, walk::with_side(motion::Side::kLeft, *pair)),
                right = walk::find(trial, walk::with_side(motion::Side::kRight, *pair));
      if (left < 0 || right < 0) continue;
      const auto a = walk::path(trial, left), b = walk::path(trial, right);
      for (std::size_t f = 0; f < a.size(); ++f) out.paths.pelvis.push_back(0.5 * (a[f] + b[f]));
      pelvis = name(left) + ", " + name(right);
      break;
    }
  }
  if (pelvis.empty()) return {};
  for (const motion::Side side : motion::kBothSides) {
    const int heel = walk::find(trial, walk::with_side(side, walk::kHeels)),
              toe = walk::find(trial, walk::with_side(side, walk::kToes));
    if (heel < 0 || toe < 0) return {};
    auto& foot = out.paths.feet[static_cast<std::size_t>(side)];
    foot.heel = walk::path(trial, heel);
    foot.toe = walk::path(trial, toe);
    heels += (heels.empty() ? "" : ", ") + name(heel);
    toes += (toes.empty() ? "" : ", ") + name(toe);
  }
  out.points = fmt::format("pelvis {}; heels {}; toes {}", pelvis, heels, toes);
  return out;
}

std::optional<Walk> walk_of(const motion::Skeleton& skeleton, const motion::TrialPoses& poses,
                            const std::vector<double>& t) {
  const auto& g = skeleton.tree.constants.gravity;
  if (!(dot(g, g) > 0) || poses.num_frames < 8) return {};
  // Markers of each foot and of what it carries.
  std::array<std::vector<int>, 2> markers;
  std::vector<int> foot_side(skeleton.tree.bodies.size(), -1);
  for (std::size_t b = 0; b < foot_side.size(); ++b) {
    const auto& info = skeleton.tree.bodies[b];
    if (info.parent >= 0) foot_side[b] = foot_side[static_cast<std::size_t>(info.parent)];
    if (foot_side[b] < 0 && walk::is_foot(info.name)) foot_side[b] = walk::side_of(info.name);
  }
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    const int side =
        foot_side[static_cast<std::size_t>(skeleton.markers[static_cast<std::size_t>(m)].body)];
    if (side >= 0) markers[static_cast<std::size_t>(side)].push_back(m);
  }
  if (markers[0].size() < 2 || markers[1].size() < 2) return {};
  Walk out;
  out.paths.t = t;
  out.paths.up = (-1 / std::sqrt(dot(g, g))) * g;
  const auto size = 3 * static_cast<std::size_t>(skeleton.num_markers());
  const auto model_place = [&](int frame, int marker) {
    const double* p = &poses.markers[static_cast<std::size_t>(frame) * size +
                                     3 * static_cast<std::size_t>(marker)];
    return motion::Vec3<double>{p[0], p[1], p[2]};
  };
  motion::BoundGeometry bound;
  motion::bind(skeleton, motion::Geometry(skeleton), bound);
  const motion::MarkerPlan plan(skeleton);
  motion::MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  for (int f = 0; f < poses.num_frames; ++f) {
    kinematics.place(poses.pose(f, skeleton.tree.nq));
    out.paths.pelvis.push_back(kinematics.frame(0).p);
  }
  // Along the longest axis of the foot, forwards as the person walks or, standing, as first
  // guessed.
  motion::Vec3<double> way = out.paths.pelvis.back() - out.paths.pelvis.front();
  way = way - dot(way, out.paths.up) * out.paths.up;
  if (!(dot(way, way) > 0.01)) return {};
  std::string points = "root of the model";
  for (std::size_t side = 0; side < 2; ++side) {
    int heel = -1, toe = -1;
    double least = 1e300, most = -1e300;
    for (const int m : markers[side]) {
      double ahead = 0;
      for (int f = 0; f < poses.num_frames; ++f) {
        ahead += dot(model_place(f, m) - out.paths.pelvis[static_cast<std::size_t>(f)], way);
      }
      if (ahead < least) {
        least = ahead;
        heel = m;
      }
      if (ahead > most) {
        most = ahead;
        toe = m;
      }
    }
    for (int f = 0; f < poses.num_frames; ++f) {
      out.paths.feet[side].heel.push_back(model_place(f, heel));
      out.paths.feet[side].toe.push_back(model_place(f, toe));
    }
    points +=
        fmt::format("; heel {}, toe {}", skeleton.markers[static_cast<std::size_t>(heel)].name,
                    skeleton.markers[static_cast<std::size_t>(toe)].name);
  }
  out.points = points;
  return out;
}

std::vector<motion::GaitEvent> events_of_file(const io::Trial& trial) {
  std::vector<motion::GaitEvent> out;
  for (const auto& event : trial.events) {
    const std::string label = walk::bare(event.label), context = walk::bare(event.context);
    motion::GaitEvent found;
    found.t = event.time;
    if (label.find("strike") != std::string::npos || label.ends_with("hs")) {
      found.kind = motion::GaitEventKind::kStrike;
    } else if (label.find("off") != std::string::npos || label.ends_with("to")) {
      found.kind = motion::GaitEventKind::kOff;
    } else {
      continue;
    }
    if (context == "left" || label.starts_with("left") || label == "lhs" || label == "lto") {
      found.side = motion::Side::kLeft;
    } else if (context == "right" || label.starts_with("right") || label == "rhs" ||
               label == "rto") {
      found.side = motion::Side::kRight;
    } else {
      continue;
    }
    out.push_back(found);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  return out;
}

std::vector<motion::PlateSignal> plates_of(const io::Trial& trial) {
  std::vector<motion::PlateSignal> out;
  if (trial.up.axis < 0) return out;
  for (const auto& plate : trial.plates) {
    const auto& w = plate.wrenches;
    if (w.size() == 0) continue;
    motion::PlateSignal& signal = out.emplace_back();
    for (std::size_t i = 0; i < w.size(); ++i) {
      signal.t.push_back(trial.analog_time(i));
      signal.vertical.push_back(trial.up.sign *
                                w.force[3 * i + static_cast<std::size_t>(trial.up.axis)]);
      signal.pressure.push_back({w.pressure[3 * i], w.pressure[3 * i + 1], w.pressure[3 * i + 2]});
    }
  }
  return out;
}

GaitEvents find_events(const io::Trial& trial, const motion::WalkPaths& paths) {
  GaitEvents out;
  out.of_file = events_of_file(trial);
  out.by_kinematics = motion::events_from_kinematics(paths);
  out.by_forces = motion::events_from_forces(paths, plates_of(trial));
  const bool has_strikes =
      std::any_of(out.of_file.begin(), out.of_file.end(),
                  [](const auto& event) { return event.kind == motion::GaitEventKind::kStrike; });
  out.source = has_strikes             ? "file"
               : out.by_forces.empty() ? "kinematics"
                                       : "kinematics and forces";
  if (has_strikes) {
    out.used = out.of_file;
    return out;
  }
  // Kinematics are early or late by much the same each time: forces tell by how much.
  const auto compared = motion::compare_events(out.by_kinematics, out.by_forces);
  std::array<double, 2> sum{}, count{};
  for (const auto& [event, difference] : compared) {
    if (std::isnan(difference)) continue;
    sum[static_cast<std::size_t>(event.kind)] += difference;
    count[static_cast<std::size_t>(event.kind)] += 1;
  }
  for (const auto& [event, difference] : compared) {
    const auto kind = static_cast<std::size_t>(event.kind);
    out.used.push_back(event);
    out.used.back().t -= !std::isnan(difference) ? difference
                         : count[kind] > 0       ? sum[kind] / count[kind]
                                                 : 0;
  }
  return out;
}

}  // namespace parfait::run
