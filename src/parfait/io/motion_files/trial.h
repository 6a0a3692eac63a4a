#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/motion_files/file_warnings.h"

/// What a motion capture file contains, as plain structs, in the units and axes of the file.
/// `axes_units.h` finds out what those are and brings a trial to metres and other axes.
///
///   frame f (counted from 0) is at time  t = start_time + f / rate,  or times[f] where frames are
///   not evenly spaced analog sample s         is at time  t = start_time + s / analog_rate
///
/// C3D files number frames from 1, and their time 0 is frame 1, not the first frame they hold: a
/// trial cut out of a recording begins late, and its events are given on the same clock.
namespace parfait::io {

using Vec3 = std::array<double, 3>;

enum class PointKind { kMarker, kAngle, kForce, kMoment, kPower, kScalar, kModeled };
std::string_view text(PointKind kind);  ///< "marker", "angle", ...

/// One point of a file: a marker, or something a program computed and stored as if it were one.
struct PointLabel {
  std::string name;       ///< unique in the trial; how the CSV files call it
  std::string file_name;  ///< as the file spells it
  std::string description;
  std::string unit;
  PointKind kind = PointKind::kMarker;
  int column = 0;  ///< place among the points of the file, from 0
};

/// Points over time. Missing positions are NaN in all three components.
struct PointSet {
  std::vector<PointLabel> points;
  std::vector<double> xyz;            ///< 3 (frame * points.size() + point) + axis
  std::vector<float> residuals;       ///< frame * points.size() + point; -1: missing
  std::vector<std::uint8_t> cameras;  ///< likewise; bit i: camera i + 1 saw it

  std::size_t size() const { return points.size(); }
  std::size_t index(std::size_t frame, std::size_t point) const { return frame * size() + point; }
  const double* at(std::size_t frame, std::size_t point) const {
    return &xyz[3 * index(frame, point)];
  }
  bool is_missing(std::size_t frame, std::size_t point) const;
  std::size_t num_missing() const;
  int find(std::string_view name) const;  ///< -1: there is none
  void resize(std::size_t num_frames);    ///< everything missing
};

struct AnalogChannel {
  std::string name;       ///< unique
  std::string file_name;  ///< as the file spells it
  std::string description;
  std::string unit;
  std::vector<double> values;
};

struct TrialEvent {
  double time = 0;      ///< on the clock of the trial
  std::string label;    ///< "Foot Strike"
  std::string context;  ///< "Left", "Right", "General" or empty
  std::string subject;
  std::string description;
};

/// What a plate exerts on the subject, in lab axes; one entry per analog sample.
struct WrenchSeries {
  std::vector<double> force;        ///< 3 per sample, N
  std::vector<double> moment;       ///< 3 per sample, about the lab's origin, N times length unit
  std::vector<double> pressure;     ///< 3 per sample: centre of pressure; NaN below the threshold
  std::vector<double> free_moment;  ///< about the plate's normal towards the subject; NaN likewise

  std::size_t size() const { return free_moment.size(); }
};

struct ForcePlate {
  int type = 0;                     ///< 1 ... 4 of the C3D manual; others are kept, not computed
  std::array<Vec3, 4> corners{};    ///< lab
  Vec3 origin{};                    ///< as stored; what it means depends on the type
  std::vector<int> channels;        ///< indices into Trial::analog, from 0; -1: not in the file
  std::vector<double> calibration;  ///< type 4: 6 x 6, by column; empty: identity
  WrenchSeries wrenches;            ///< empty if they cannot be computed
  bool reversed = false;   ///< the channels told the force on the plate and were turned round
  std::int64_t byte = -1;  ///< where the file speaks of it
};

/// Which of the six directions of the lab points up, and how that is known.
struct UpAxis {
  int axis = -1;  ///< 0, 1, 2; -1: unknown
  int sign = 1;
  std::string reason;

  std::string name() const;  ///< "+z", "-y", "unknown"
};

/// What a file says of who was measured; 0: nothing.
struct Subject {
  double height = 0;  ///< m
  double mass = 0;    ///< kg
};

struct Trial {
  std::string file;
  std::string format;  ///< "C3D, Intel, float" and the like
  double rate = 0;     ///< frames per second
  double start_time = 0;
  std::vector<double> times;  ///< of every frame; empty if they are evenly spaced
  std::int64_t first_frame = 1;
  std::size_t num_frames = 0;
  std::string length_unit;     ///< "mm", "m", "cm", ...
  double metres_per_unit = 1;  ///< 0: unknown unit
  std::string unit_reason;     ///< where the unit comes from
  UpAxis up;
  PointSet markers;
  PointSet outputs;  ///< angles, forces, ... that a model computed: not markers
  double analog_rate = 0;
  std::vector<AnalogChannel> analog;
  std::vector<TrialEvent> events;
  std::vector<ForcePlate> plates;
  Subject subject;
  std::vector<FileWarning> warnings;

  double time(std::size_t frame) const {
    if (frame < times.size()) return times[frame];
    return start_time + (rate > 0 ? static_cast<double>(frame) / rate : 0.0);
  }
  double analog_time(std::size_t sample) const {
    return start_time + (analog_rate > 0 ? static_cast<double>(sample) / analog_rate : 0.0);
  }
  std::size_t num_samples() const { return analog.empty() ? 0 : analog.front().values.size(); }
};

/// Metres in a unit of length however it is written (mm, MM, millimeters, m, cm, in, ...); 0 if it
/// is none.
double metres_in(std::string_view unit);

/// Makes every name in `names` different by appending _2, _3, ... to repetitions, and gives names
/// "<stem>0001" to empty ones. Returns how many were changed.
int make_unique(std::vector<std::string>& names, const std::string& stem);

}  // namespace parfait::io
