#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parfait/result/scaling.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/motion/motion_inputs.h"

/// A model in the size of a subject, as OpenSim's scale tool does it.
namespace parfait::run {

struct ScaleRequest {
  std::string setup;        ///< setup file of OpenSim's scale tool
  std::string model{};      ///< instead of the one that the setup names
  std::string trial{};      ///< instead of both trials that the setup names
  double mass = 0;          ///< kg, instead of the setup's
  bool as_opensim = false;  ///< motion::ScalingRule::kOpenSim
  TrialReading reading{};
  std::filesystem::path out{};
};

struct ScaleRun {
  result::Scaling result;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Timing timing;
};

/// 1. Factors of bodies: measured over modelled distances between pairs of markers, the model in
/// its
///    default pose; then those given by hand, in the order of the setup.
/// 2. Geometry, masses and inertias with these factors; the whole has the mass of the subject.
/// 3. The pose of the scaled model that fits the mean of the static frames,
///      min  sum_m w_m |x_m - y_m|^2 + W sum_c w_c (q_c - value_c)^2,   W = sum of the w_m seen,
///    (W because OpenSim divides the part of the markers by it), and every marker that is not fixed
///    to the place where it is measured in this pose.
///
/// InputError for what cannot be read or does not fit together. Where `stop` of the callbacks ends
/// it, the result has the steps that were done, and no model.
ScaleRun scale(const ScaleRequest& request, const Callbacks& callbacks = {});
std::filesystem::path save(ScaleRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
