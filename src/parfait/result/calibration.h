#pragma once

#include <string>
#include <vector>

#include "parfait/result/inverse_kinematics.h"

/// A subject's model from markers: `parfait calibrate`. Lengths in m.
namespace parfait::result {

struct CalibratedValue {
  std::string name;
  double value = 0;
  double sd = 0, naive_sd = 0;  ///< infinite: not determined
  double low = 0, high = 0;     ///< 95 %
  bool operator==(const CalibratedValue&) const = default;
};

struct CalibratedParameterFacts {
  std::string name;
  double value = 0, initial = 0;
  double sd = 0, naive_sd = 0;
  double low = 0, high = 0;
  double prior_mean = 0, prior_sd = 0;  ///< prior_sd NaN: no prior
  double moved = 0;         ///< from the prior, in its standard deviations; NaN: no prior
  double told_by_data = 0;  ///< share, 0 ... 1
  bool operator==(const CalibratedParameterFacts&) const = default;
};

struct CalibrationTrialFacts {
  std::string trial, file;
  int markers = 0;                                 ///< on the model and in the file
  std::vector<std::string> only_model, only_data;  ///< names of the others
  int frames = 0, all_frames = 0;                  ///< that count; of the file
  double rms = 0;                                  ///< over the frames that count
  double rms_all = 0;                              ///< of poses solved for all frames
  double start_rms = 0;                            ///< the same with the model as it was
  double lag_one = 0, inflation = 1, effective_frames = 0, seconds = 0;
  bool by_blocks = false;
  bool operator==(const CalibrationTrialFacts&) const = default;
};

/// What is left of a marker: skin that moves, and noise.
struct MarkerArtefactFacts {
  std::string trial, marker;
  double rms = 0, noise = 0;  ///< m
  double seconds = 0;         ///< that an error lasts
  bool operator==(const MarkerArtefactFacts&) const = default;
};

/// A joint as a trial shows it in which it moves, beside the calibrated one.
struct FunctionalJointFacts {
  std::string trial, joint;   ///< joint: the body that it carries
  std::string what;           ///< "centre" or "axis"
  std::string axes;           ///< of `apart`
  std::vector<double> apart;  ///< calibrated from functional, m; of an axis square to it
  double distance = 0;
  double half_axis = 0;  ///< longest of the 95 % ellipsoid of the functional centre, m
  double gap = 0;        ///< rms over frames of what keeps both segments' centres apart, m
  int frames = 0;
  bool is_prior = false;
  bool operator==(const FunctionalJointFacts&) const = default;
};

/// The length that a trial tells most about.
struct TrialAdds {
  std::string trial, length;
  double sd = 0, sd_without = 0;
  bool operator==(const TrialAdds&) const = default;
};

/// A trial that would tell a length better: coordinates that go from low to high, rad.
struct FurtherTrial {
  std::vector<std::string> coordinates;
  double low = 0, high = 0;
  std::string length;
  double sd = 0, promised_sd = 0;
  bool operator==(const FurtherTrial&) const = default;
};

struct Calibration {
  Verdict verdict;
  std::string model;
  double sigma = 0;      ///< assumed, of a marker coordinate
  double marker_sd = 0;  ///< found
  double rms = 0;        ///< over all frames that count
  int iterations = 0;
  int num_undetermined = 0, num_by_prior = 0;
  std::vector<std::string> undetermined;
  std::vector<CalibrationTrialFacts> trials;
  std::vector<CalibratedParameterFacts> parameters;
  std::vector<CalibratedValue> lengths;
  std::vector<CalibratedParameterFacts> shapes;  ///< priors of hips, joint centres and lengths
  std::vector<FunctionalJointFacts> functional;
  std::vector<TrialAdds> adds;
  std::vector<FurtherTrial> further;
  std::vector<MarkerArtefactFacts> artefacts;
  bool operator==(const Calibration&) const = default;
};

}  // namespace parfait::result
