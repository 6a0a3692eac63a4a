#include "parfait/motion/anthropometry/body_segments.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"

namespace parfait::motion {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Shares of the height that de Leva's table does not have. Neck (length, and mass as a share of the
// body), clavicles, hips and heel as in HeiMan (Felis 2015), who takes widths from Dumas (2007).
constexpr double kNeckLength = 0.1110 / 1.741;
constexpr double kNeckMass = 0.0067;
constexpr double kShoulderWidth = 2 * 0.1200;
constexpr double kHipWidth = 2 * 0.0461;
constexpr double kHeel = 0.0400;
constexpr double kTissueDensity = 1000;  ///< [kg/m^3], for the thickness of the neck alone

// Dumas and Wojtusch (2018), in shares of the width of the pelvis (between the anterior superior
// iliac spines): from the lumbar joint to the middle of the hips, forward and down, and half of the
// distance between the hips.
struct PelvisShares {
  double forward, down, half_hips;
};
constexpr PelvisShares kPelvisMale{0.335 - 0.095, 0.370 - 0.032, 0.361};
constexpr PelvisShares kPelvisFemale{0.340 - 0.139, 0.336 + 0.049, 0.372};

void check(const Person& person) {
  const auto refuse = [](const std::string& what) { throw base::InputError(what); };
  if (!(person.height >= 1.2 && person.height <= 2.3)) {
    refuse(fmt::format("height = {:g} m: the tables are those of adults; 1.2 to 2.3 m.",
                       person.height));
  }
  if (!(person.mass >= 25 && person.mass <= 250)) {
    refuse(
        fmt::format("mass = {:g} kg: the tables are those of adults; 25 to 250 kg.", person.mass));
  }
  const double index = person.mass / (person.height * person.height);
  if (!(index >= 8 && index <= 80)) {
    refuse(
        fmt::format("mass = {:g} kg at a height of {:g} m is {:.1f} kg/m^2: nobody is like that; "
                    "8 to 80 kg/m^2.",
                    person.mass, person.height, index));
  }
}

struct NamedLength {
  const char* name;
  double Lengths::*member;
};
constexpr NamedLength kLengths[] = {{"head", &Lengths::head},
                                    {"neck", &Lengths::neck},
                                    {"thorax", &Lengths::thorax},
                                    {"lumbus", &Lengths::lumbus},
                                    {"pelvis", &Lengths::pelvis},
                                    {"upper_arm", &Lengths::upper_arm},
                                    {"forearm", &Lengths::forearm},
                                    {"hand", &Lengths::hand},
                                    {"thigh", &Lengths::thigh},
                                    {"shank", &Lengths::shank},
                                    {"foot", &Lengths::foot},
                                    {"ankle_height", &Lengths::ankle_height},
                                    {"heel", &Lengths::heel},
                                    {"shoulder_height", &Lengths::shoulder_height},
                                    {"shoulder_width", &Lengths::shoulder_width},
                                    {"hip_width", &Lengths::hip_width}};

/// Of the mean body, scaled.
Lengths scaled_lengths(const Person& person) {
  const double factor = person.height / de_leva_height(person.sex) / 1000;
  const auto length = [&](const char* segment) {
    return factor * de_leva(person.sex, segment).length;
  };
  Lengths l{};
  l.head = length("Head 2");
  l.neck = kNeckLength * person.height;
  l.thorax = length("Upper trunk 2");
  l.lumbus = length("Middle trunk");
  l.pelvis = length("Lower trunk");
  l.upper_arm = length("Upper arm");
  l.forearm = length("Forearm");
  l.hand = length("Hand 2");
  l.thigh = length("Thigh");
  l.shank = length("Shank 2");
  l.foot = length("Foot");
  l.ankle_height = person.height - l.stature();
  l.heel = kHeel * person.height;
  l.shoulder_height = length("Trunk 3");
  l.shoulder_width = kShoulderWidth * person.height;
  l.hip_width = kHipWidth * person.height;
  return l;
}

Matrix3d point_inertia(double mass, const Vector3d& r) {
  return mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
}

/// A segment of de Leva whose long axis is z; `top` is the height of its first endpoint above the
/// origin of its frame.
Segment upright(const std::string& id, const DeLevaRow& row, double length, double body_mass,
                double top) {
  Segment s;
  s.id = id;
  s.mass = row.mass / 100 * body_mass;
  s.center.z() = top - row.center / 100 * length;
  const Vector3d radii = length / 100 * Vector3d(row.sagittal, row.transverse, row.longitudinal);
  s.inertia = s.mass * radii.cwiseAbs2().asDiagonal();
  return s;
}

/// The neck as a cylinder, and the head as what is left of the table's head with neck: together
/// they have its mass, its centre and its tensor.
std::pair<Segment, Segment> split_head(const Segment& both, const Lengths& l, double body_mass) {
  Segment neck;
  neck.id = "neck";
  neck.mass = kNeckMass * body_mass;
  neck.center.z() = 0.5 * l.neck;
  const double r2 = neck.mass / (kTissueDensity * std::numbers::pi * l.neck);
  const double across = neck.mass * (3 * r2 + l.neck * l.neck) / 12;
  neck.inertia = Vector3d(across, across, 0.5 * neck.mass * r2).asDiagonal();
  Segment head;
  head.id = "head";
  head.mass = both.mass - neck.mass;
  const Vector3d center = (both.mass * both.center - neck.mass * neck.center) / head.mass;
  head.inertia = both.inertia - neck.inertia - point_inertia(neck.mass, neck.center - both.center) -
                 point_inertia(head.mass, center - both.center);
  head.center = center - Vector3d(0, 0, l.neck);
  return {neck, head};
}

/// The left one of a pair from the right one: y turns round.
Segment mirrored(Segment s, const std::string& id) {
  s.id = id;
  s.center.y() = -s.center.y();
  s.inertia(0, 1) = s.inertia(1, 0) = -s.inertia(0, 1);
  s.inertia(1, 2) = s.inertia(2, 1) = -s.inertia(1, 2);
  return s;
}
void add_pair(std::vector<Segment>& out, const Segment& right) {
  out.push_back(mirrored(right, right.id + "_left"));
  out.push_back(right);
  out.back().id += "_right";
}

std::vector<Segment> de_leva_segments(const Person& person, const Lengths& l, bool has_neck) {
  const double M = person.mass;
  const auto row = [&](const char* segment) -> const DeLevaRow& {
    return de_leva(person.sex, segment);
  };
  std::vector<Segment> out;
  const Segment head = upright("head", row("Head 2"), l.head, M, l.head);  // from C7
  if (has_neck) {
    auto [neck, skull] = split_head(head, l, M);
    out.push_back(skull);
    out.push_back(neck);
  } else {
    out.push_back(head);
  }
  out.push_back(upright("thorax", row("Upper trunk 2"), l.thorax, M, l.thorax));
  out.push_back(upright("lumbus", row("Middle trunk"), l.lumbus, M, l.lumbus));
  out.push_back(upright("pelvis", row("Lower trunk"), l.pelvis, M, l.pelvis));
  add_pair(out, upright("upper_arm", row("Upper arm"), l.upper_arm, M, 0));
  add_pair(out, upright("forearm", row("Forearm"), l.forearm, M, 0));
  add_pair(out, upright("hand", row("Hand 2"), l.hand, M, 0));
  add_pair(out, upright("thigh", row("Thigh"), l.thigh, M, 0));
  add_pair(out, upright("shank", row("Shank 2"), l.shank, M, 0));
  // The long axis of the foot is x, from the heel to the toes; half of the ankle's height down.
  const DeLevaRow& foot_row = row("Foot");
  Segment foot;
  foot.id = "foot";
  foot.mass = foot_row.mass / 100 * M;
  foot.center = {foot_row.center / 100 * l.foot - l.heel, 0, -0.5 * l.ankle_height};
  const Vector3d radii =
      l.foot / 100 * Vector3d(foot_row.longitudinal, foot_row.transverse, foot_row.sagittal);
  foot.inertia = foot.mass * radii.cwiseAbs2().asDiagonal();
  add_pair(out, foot);
  return out;
}

/// x forward, y up, z right of the ISB to x forward, y left, z up.
Segment from_isb(const std::string& id, const DumasRow& row, double length, double body_mass) {
  Matrix3d turn;
  turn << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  Segment s;
  s.id = id;
  s.mass = row.mass / 100 * body_mass;
  s.center = turn * (length / 100 * Vector3d(row.center[0], row.center[1], row.center[2]));
  const auto entry = [&](int i) {
    const double radius = row.radii[static_cast<std::size_t>(i)] / 100 * length;
    return s.mass * radius * std::abs(radius);
  };
  Matrix3d I;
  I << entry(0), entry(3), entry(4), entry(3), entry(1), entry(5), entry(4), entry(5), entry(2);
  s.inertia = turn * I * turn.transpose();
  return s;
}

/// Dumas' segments on de Leva's lengths: the cervical joint at C7, and a lumbar joint above the
/// hips as Dumas and Wojtusch (2018) place it on a pelvis of the width that the hips ask for.
std::vector<Segment> dumas_segments(const Person& person, const Lengths& l, double& lumbar) {
  const double M = person.mass;
  const auto row = [&](const char* segment) -> const DumasRow& {
    return dumas(person.sex, segment);
  };
  const auto& shares = person.sex == Sex::kMale ? kPelvisMale : kPelvisFemale;
  const double width = 0.5 * l.hip_width / shares.half_hips;
  lumbar = shares.down * width;
  const double pelvis_length = std::hypot(shares.forward, shares.down) * width;
  const double torso_length = l.thorax + l.lumbus + l.pelvis - lumbar;
  std::vector<Segment> out;
  out.push_back(from_isb("head", row("head+neck"), l.head, M));
  Segment torso = from_isb("torso", row("torso"), torso_length, M);
  torso.center.z() += torso_length;  // from the cervical joint to the lumbar one
  out.push_back(torso);
  Segment pelvis = from_isb("pelvis", row("pelvis"), pelvis_length, M);
  pelvis.center += Vector3d(-shares.forward * width, 0, lumbar);
  out.push_back(pelvis);
  add_pair(out, from_isb("upper_arm", row("upper arm"), l.upper_arm, M));
  add_pair(out, from_isb("forearm", row("forearm"), l.forearm, M));
  add_pair(out, from_isb("hand", row("hand"), l.hand, M));
  add_pair(out, from_isb("thigh", row("thigh"), l.thigh, M));
  add_pair(out, from_isb("shank", row("shank"), l.shank, M));
  add_pair(out, from_isb("foot", row("foot"), l.foot, M));
  return out;
}

Matrix3d second_moments(const Matrix3d& inertia) {
  return 0.5 * inertia.trace() * Matrix3d::Identity() - inertia;
}

}  // namespace

double Lengths::stature() const {
  return head + thorax + lumbus + pelvis + thigh + shank + ankle_height;
}

Lengths lengths_of(const Person& person) {
  check(person);
  Lengths lengths = scaled_lengths(person);
  for (const auto& [name, value] : person.lengths) {
    const auto* known = std::ranges::find_if(
        kLengths, [&name = name](const NamedLength& length) { return name == length.name; });
    if (known == std::end(kLengths)) {
      std::vector<std::string> names;
      for (const auto& length : kLengths) names.emplace_back(length.name);
      throw base::InputError(fmt::format("length \"{}\" is not known.{} Lengths: {}.", name,
                                         base::suggestion(name, names), base::listing(names)));
    }
    if (!(value > 0 && value < person.height)) {
      throw base::InputError(
          fmt::format("length {} = {:g} m: must be > 0 and below the height.", name, value));
    }
    lengths.*known->member = value;
  }
  if (lengths.neck >= lengths.head) {
    throw base::InputError(
        fmt::format("length neck = {:g} m: must be below that of head and neck together, {:g} m.",
                    lengths.neck, lengths.head));
  }
  return lengths;
}

const Segment& BodySegments::find(const std::string& id) const {
  return *std::ranges::find_if(segments, [&](const Segment& s) { return s.id == id; });
}

Matrix3d nearest_physical(const Matrix3d& inertia) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> P(second_moments(inertia));
  const Vector3d& values = P.eigenvalues();
  if (values.minCoeff() >= 1e-6 * values.maxCoeff()) return inertia;
  const Vector3d kept = values.cwiseMax(0.01 * values.maxCoeff());
  const Matrix3d& axes = P.eigenvectors();
  const Matrix3d moments = axes * kept.asDiagonal() * axes.transpose();
  return moments.trace() * Matrix3d::Identity() - moments;
}

BodySegments make_segments(const Person& person, Segmentation segmentation) {
  BodySegments body;
  body.lengths = lengths_of(person);
  const bool is_dumas = segmentation == Segmentation::kTorso;
  body.segments = is_dumas ? dumas_segments(person, body.lengths, body.lumbar_height)
                           : de_leva_segments(person, body.lengths,
                                              segmentation == Segmentation::kFiveTrunkParts);
  double sum = 0;
  for (const auto& segment : body.segments) sum += segment.mass;
  for (auto& segment : body.segments) {
    const double factor = person.mass / sum;
    segment.mass *= factor;
    segment.inertia *= factor;
    const Matrix3d physical = nearest_physical(segment.inertia);
    const double change = (physical - segment.inertia).norm();
    if (change == 0) continue;
    body.remarks.push_back(fmt::format(
        "{}: no body has the tensor of the table; replaced by the nearest one, which differs by "
        "{:.1f} %.",
        segment.id, 100 * change / segment.inertia.norm()));
    segment.inertia = physical;
  }
  const double stature = body.lengths.stature();
  if (std::abs(stature - person.height) > 1e-3) {
    body.remarks.push_back(fmt::format(
        "with the lengths given the body is {:.3f} m tall, not {:.3f} m.", stature, person.height));
  }
  return body;
}

}  // namespace parfait::motion
