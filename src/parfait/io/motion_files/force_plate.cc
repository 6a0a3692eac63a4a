#include "parfait/io/motion_files/force_plate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/base/stop.h"

namespace parfait::io {
namespace {

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec3 plus_scaled(const Vec3& a, double s, const Vec3& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

/// False if too short to have a direction.
bool normalize(Vec3& a) {
  const double length = std::sqrt(dot(a, a));
  if (!(length > 1e-12) || !std::isfinite(length)) return false;
  for (double& x : a) x /= length;
  return true;
}

/// The plate's axes in the lab and the centre of its surface.
struct PlateFrame {
  Vec3 centre{}, x{}, y{}, z{};

  Vec3 in_lab(const Vec3& a) const {
    Vec3 out{};
    for (std::size_t k = 0; k < 3; ++k) out[k] = a[0] * x[k] + a[1] * y[k] + a[2] * z[k];
    return out;
  }
};

bool find_frame(const ForcePlate& plate, PlateFrame& frame) {
  const auto& c = plate.corners;
  for (std::size_t k = 0; k < 3; ++k) frame.centre[k] = (c[0][k] + c[1][k] + c[2][k] + c[3][k]) / 4;
  frame.x = plus_scaled(c[0], -1, c[1]);
  frame.y = plus_scaled(c[0], -1, c[3]);
  if (!normalize(frame.x) || !normalize(frame.y)) return false;
  frame.y = plus_scaled(frame.y, -dot(frame.x, frame.y), frame.x);
  if (!(dot(frame.y, frame.y) > 0.01) || !normalize(frame.y)) return false;
  frame.z = cross(frame.x, frame.y);
  return true;
}

/// Length unit of a moment's unit (Nmm, ntmm, N-M, N.m, ...) in metres; 0 if it is none.
double moment_arm_in(const std::string& unit) {
  std::string word;
  for (const char c : unit) {
    if (c >= 'A' && c <= 'Z') word += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') word += c;
  }
  for (const char* newton : {"newtons", "newton", "nt", "n"}) {
    if (word.starts_with(newton))
      return metres_in(std::string_view(word).substr(std::string_view(newton).size()));
  }
  return 0;
}

/// Forces and moments about the centre of the surface, in plate axes.
class PlateChannels {
 public:
  PlateChannels(const Trial& trial, const ForcePlate& plate) : trial_(trial), plate_(plate) {
    origin_ = plate.origin;
    if (origin_[2] > 0 && plate.type != 1) {
      origin_[2] = -origin_[2];
      flipped_ = true;
    }
    unit_ = trial.metres_per_unit > 0 ? trial.metres_per_unit : 1;
  }

  bool flipped_origin() const { return flipped_; }
  std::size_t num_channels() const { return plate_.type == 3 ? 8 : 6; }
  const AnalogChannel& channel(std::size_t i) const {
    return trial_.analog[static_cast<std::size_t>(plate_.channels[i])];
  }

  /// Brings moments and centres of pressure to the length unit of the trial; returns what to tell.
  std::string find_units();

  void at(std::size_t sample, Vec3& F, Vec3& M) const {
    const auto value = [&](std::size_t i) { return channel(i).values[sample]; };
    if (plate_.type == 3) {
      const double x12 = value(0), x34 = value(1), y14 = value(2), y23 = value(3);
      const double z1 = value(4), z2 = value(5), z3 = value(6), z4 = value(7);
      const double a = origin_[0], b = origin_[1];
      F = {x12 + x34, y14 + y23, z1 + z2 + z3 + z4};
      M = {b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (-x12 + x34) + a * (y14 - y23)};
      M = plus_scaled(M, -1, cross({0, 0, origin_[2]}, F));
      return;
    }
    double c[6];
    for (std::size_t i = 0; i < 6; ++i) c[i] = value(i);
    if (plate_.type == 4 && !plate_.calibration.empty()) {
      double out[6] = {};
      for (std::size_t j = 0; j < 6; ++j) {
        for (std::size_t i = 0; i < 6; ++i) out[i] += plate_.calibration[6 * j + i] * c[j];
      }
      std::copy(out, out + 6, c);
    }
    F = {c[0], c[1], c[2]};
    if (plate_.type == 1) {
      const Vec3 p{c[3] * arm_, c[4] * arm_, 0};
      M = cross(p, F);
      M[2] += c[5] * moment_;
      return;
    }
    M = plus_scaled({c[3] * moment_, c[4] * moment_, c[5] * moment_}, -1, cross(origin_, F));
  }

 private:
  const Trial& trial_;
  const ForcePlate& plate_;
  Vec3 origin_{};
  bool flipped_ = false;
  double unit_ = 1;
  double moment_ = 1;  ///< stored moments times this are in force times length unit of the trial
  double arm_ = 1;     ///< stored places likewise
};

std::string PlateChannels::find_units() {
  const std::string& unit = channel(plate_.type == 3 ? 0 : 5).unit;
  if (plate_.type == 3) return "";  // forces only; lengths are those of ORIGIN
  const double arm = moment_arm_in(unit);
  if (arm > 0) moment_ = arm / unit_;
  if (plate_.type == 1) {
    const double place = metres_in(channel(3).unit);
    if (place > 0) {
      arm_ = place / unit_;
    } else {
      // Places are within the plate: if they are all tiny in the trial's unit, they are metres.
      const double width = std::sqrt(dot(plus_scaled(plate_.corners[0], -1, plate_.corners[2]),
                                         plus_scaled(plate_.corners[0], -1, plate_.corners[2])));
      double largest = 0;
      for (std::size_t s = 0; s < channel(3).values.size(); ++s) {
        if (std::abs(channel(2).values[s]) > kLoadedPlate) {
          largest =
              std::max({largest, std::abs(channel(3).values[s]), std::abs(channel(4).values[s])});
        }
      }
      if (largest > 0 && largest * 20 < width && largest / unit_ < 2 * width) arm_ = 1 / unit_;
      if (arm == 0) moment_ = arm_;
    }
  }
  const bool known = arm > 0 || (plate_.type == 4 && !plate_.calibration.empty());
  if (known) return "";
  return fmt::format("its moments are in \"{}\"; taken as N times {}", unit,
                     plate_.type == 1 && arm_ != 1 ? "m"
                     : trial_.length_unit.empty()  ? "the unit of the markers"
                                                   : trial_.length_unit);
}

/// The sign that makes the plate's z point away from the subject's side: +1 if z points down.
double down_sign(const Trial& trial, const PlateFrame& frame) {
  if (trial.up.axis < 0) return 1;
  const double along = trial.up.sign * frame.z[static_cast<std::size_t>(trial.up.axis)];
  return along > 0.5 ? -1 : 1;
}

/// What the normal force of a plate was like.
struct Load {
  double cubes =
      0;  ///< sum of cubes of the force towards the subject: its sign is that of the largest loads
  double largest = 0;
  double sum = 0;  ///< over samples with a centre of pressure
  std::size_t loaded = 0,
              outside =
                  0;  ///< such samples; those with the centre of pressure outside of the plate
};

Load fill(const Trial& trial, const PlateChannels& channels, const PlateFrame& frame, double down,
          double threshold, ForcePlate& plate) {
  WrenchSeries& out = plate.wrenches;
  // Half the sides, and a tenth for feet at the rim and bent plates.
  const double half_x =
      0.6 * std::abs(dot(plus_scaled(plate.corners[0], -1, plate.corners[1]), frame.x));
  const double half_y =
      0.6 * std::abs(dot(plus_scaled(plate.corners[0], -1, plate.corners[3]), frame.y));
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::size_t samples = trial.num_samples();
  out.force.resize(3 * samples);
  out.moment.resize(3 * samples);
  out.pressure.assign(3 * samples, nothing);
  out.free_moment.assign(samples, nothing);
  Load load;
  for (std::size_t s = 0; s < samples; ++s) {
    base::leave_if_stopped();
    Vec3 F, M;
    channels.at(s, F, M);
    const double normal = -down * F[2];
    load.cubes += normal * normal * normal;
    load.largest = std::max(load.largest, std::abs(normal));
    const Vec3 F_lab = frame.in_lab(F);
    const Vec3 M_lab = plus_scaled(frame.in_lab(M), 1, cross(frame.centre, F_lab));
    std::copy(F_lab.begin(), F_lab.end(), &out.force[3 * s]);
    std::copy(M_lab.begin(), M_lab.end(), &out.moment[3 * s]);
    if (!(std::abs(normal) > threshold)) continue;
    const Vec3 p{-M[1] / F[2], M[0] / F[2], 0};
    const Vec3 p_lab = plus_scaled(frame.in_lab(p), 1, frame.centre);
    std::copy(p_lab.begin(), p_lab.end(), &out.pressure[3 * s]);
    out.free_moment[s] = -down * (M[2] - (p[0] * F[1] - p[1] * F[0]));
    if (std::abs(normal) < 5 * threshold) continue;
    load.sum += std::abs(normal);
    ++load.loaded;
    if (!(std::abs(p[0]) < half_x && std::abs(p[1]) < half_y)) ++load.outside;
  }
  return load;
}

void turn_round(ForcePlate& plate) {
  plate.reversed = true;
  for (auto* values :
       {&plate.wrenches.force, &plate.wrenches.moment, &plate.wrenches.free_moment}) {
    for (double& x : *values) x = -x;
  }
}

}  // namespace

void compute_wrenches(Trial& trial, double threshold, WarningLog& log) {
  std::vector<Load> loads(trial.plates.size());
  std::vector<int> owner(trial.analog.size(), -1);
  double cubes_of_all = 0;
  for (std::size_t i = 0; i < trial.plates.size(); ++i) {
    ForcePlate& plate = trial.plates[i];
    plate.wrenches = {};
    plate.reversed = false;
    const auto told = [&](const std::string& what) {
      log.at_byte(plate.byte, fmt::format("force plate {}: {}", i + 1, what));
    };
    if (plate.type < 1 || plate.type > 4) {
      told(fmt::format("type {} is not computed, only read", plate.type));
      continue;
    }
    PlateChannels channels(trial, plate);
    const std::size_t needed = channels.num_channels();
    if (plate.channels.size() < needed ||
        std::any_of(plate.channels.begin(),
                    plate.channels.begin() + static_cast<std::ptrdiff_t>(needed),
                    [](int c) { return c < 0; })) {
      told("no wrench, because channels are missing");
      continue;
    }
    bool shared = false;
    for (std::size_t k = 0; k < needed; ++k) {
      int& of = owner[static_cast<std::size_t>(plate.channels[k])];
      shared |= of >= 0 && of != static_cast<int>(i);
      if (of < 0) of = static_cast<int>(i);
    }
    if (shared) {
      told("no wrench, because one of its channels belongs to another plate");
      continue;
    }
    PlateFrame frame;
    if (!find_frame(plate, frame)) {
      told("no wrench, because its corners do not span a plate");
      continue;
    }
    if (channels.flipped_origin())
      told("ORIGIN has a positive z, which must lead up; taken as negative");
    if (const std::string units = channels.find_units(); !units.empty()) told(units);
    const double down = down_sign(trial, frame);
    if (down < 0) told("by its corners its z axis points up instead of down");
    loads[i] = fill(trial, channels, frame, down, threshold, plate);
    cubes_of_all += loads[i].cubes;
    const Load& load = loads[i];
    if (load.loaded > 0 && load.sum > 3000 * static_cast<double>(load.loaded)) {
      told(fmt::format(
          "it carries {:.0f} N on average; are its channels calibrated twice, or not at all?",
          load.sum / static_cast<double>(load.loaded)));
    }
    if (5 * load.outside > load.loaded) {
      told(
          fmt::format("the centre of pressure lies outside of the plate in {} of {} loaded "
                      "samples; are origin, units and offsets right?",
                      load.outside, load.loaded));
    }
  }
  int turned = 0, kept = 0;
  for (std::size_t i = 0; i < trial.plates.size(); ++i) {
    ForcePlate& plate = trial.plates[i];
    if (plate.wrenches.size() == 0) continue;
    // An unloaded plate does not show its sign; it follows the others.
    const double decides = loads[i].largest > 5 * threshold ? loads[i].cubes : cubes_of_all;
    const bool shows = loads[i].largest > 5 * threshold;
    if (!(decides < 0)) {
      kept += shows;
      continue;
    }
    turned += shows;
    turn_round(plate);
    log.at_byte(plate.byte, fmt::format("force plate {}: its channels tell the force on the plate; "
                                        "turned round to that on the subject",
                                        i + 1));
  }
  if (turned > 0 && kept > 0) {
    log.at_byte(trial.plates.front().byte,
                "some force plates tell the force on the plate, others that on the subject: was "
                "one of them not set to zero?");
  }
}

}  // namespace parfait::io
