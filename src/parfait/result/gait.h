#pragma once

#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// Walking in trials: `parfait gait`. Lengths in m, times in s.
namespace parfait::result {

struct GaitEventFacts {
  double t = 0;
  std::string side;      ///< "left" or "right"
  std::string kind;      ///< "strike" or "off"
  std::string source;    ///< "file", "forces" or "kinematics"
  bool used = false;     ///< cycles begin and end with these
  double from_file = 0;  ///< its time less that of the file's event; NaN: there is none
  bool operator==(const GaitEventFacts&) const = default;
};

struct StrideFacts {
  std::string side;
  double start = 0, end = 0;
  double length = 0, speed = 0, step_length = 0, step_duration = 0, step_width = 0;
  double stance = 0, double_support = 0;  ///< shares of the duration
  bool operator==(const StrideFacts&) const = default;
};

struct GaitTrial {
  std::string trial, file;
  std::string points;  ///< which markers were taken for pelvis, heels and toes
  std::string source;  ///< of the events that are used
  bool treadmill = false;
  double speed = 0;  ///< mean of the strides; NaN: none
  std::vector<GaitEventFacts> events;
  std::vector<StrideFacts> strides;
  std::vector<std::string> emg;  ///< channels with an envelope
  bool operator==(const GaitTrial&) const = default;
};

/// Over all strides of a side.
struct GaitParameter {
  std::string name, side, unit;
  int count = 0;
  double mean = 0, sd = 0;  ///< NaN: none, or a single one
  bool operator==(const GaitParameter&) const = default;
};

struct Gait {
  Verdict verdict;
  std::vector<GaitTrial> trials;
  std::vector<GaitParameter> parameters;
  bool operator==(const Gait&) const = default;
};

/// A curve over the cycle, 0 to 100 %, mean and standard deviation over cycles of all trials.
struct GaitCurve {
  std::string name, side, unit;
  int count = 0;
  std::vector<double> mean, sd;
};

}  // namespace parfait::result
