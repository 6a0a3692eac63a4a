#pragma once

#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// A model in the size of a subject: `parfait scale`. Lengths in m, masses in kg.
namespace parfait::result {

struct ScalingPair {
  std::string a, b;  ///< markers
  double model = 0, measured = 0;
  bool operator==(const ScalingPair&) const = default;
};

struct ScalingMeasurement {
  std::string name;
  double factor = 1;  ///< mean over the pairs of measured / model
  std::vector<ScalingPair> pairs;
  bool operator==(const ScalingMeasurement&) const = default;
};

struct ScaledBody {
  std::string body;
  std::vector<double> factors{1, 1, 1};  ///< along x, y, z of the body
  double mass_before = 0, mass = 0;
  bool operator==(const ScaledBody&) const = default;
};

struct PlacedMarker {
  std::string marker, body;
  bool fixed = false;  ///< it was not to be moved
  double error = 0;    ///< |model - measured| in the static pose before it was placed; NaN: none
  double moved = 0;    ///< from its scaled place
  double weight = 0;   ///< in the static pose
  bool operator==(const PlacedMarker&) const = default;
};

struct Scaling {
  Verdict verdict;
  std::string setup, model, trial;
  bool as_opensim = false;
  std::vector<ScalingMeasurement> measurements;
  std::vector<ScaledBody> bodies;
  double mass_before = 0, mass = 0;
  double static_rms = 0, static_max = 0;  ///< of markers with a weight; NaN: not placed
  std::vector<PlacedMarker> markers;
  bool operator==(const Scaling&) const = default;
};

}  // namespace parfait::result
