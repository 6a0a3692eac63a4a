#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/iteration/gauss_newton.h"
#include "parfait/motion/calibration/functional_centre.h"
#include "parfait/motion/calibration/marker_trial.h"
#include "parfait/motion/calibration/shape_prior.h"

/// A subject's model from marker data: scale factors, places of markers and, if wanted, frames of
/// joints, together with the poses of all frames (Felis 2015, eq. 4.3), with the poses eliminated.
namespace parfait::motion {

/// What is known of a number before the data: a pseudo-measurement.
struct GeometryPrior {
  std::string what;  ///< one of prior_kinds()
  /// scale, marker, joint, turn: a body, marker or joint (its body), with ".x" for one axis (not of
  /// scales), or several bodies that share factors, separated by blanks; "anatomical" and
  /// "tracking" for markers; "*": all others. hip: "harrington" or "functional"
  /// (sd: beside the covariance of the centres). middle: a body and two markers,
  /// half way between which its joint is. length: a body, its joint's distance from that of its
  /// parent.
  std::string name;
  double sd = 0;    ///< 0: fixed; infinite: free, without a prior
  double mean = 0;  ///< of scales (0: as `scale_mean`) and lengths; others have theirs themselves
};
const std::vector<std::string>& prior_kinds();

struct CalibrationOptions {
  bool free_scales = true, free_markers = true, free_joints = false;
  bool symmetric = true;  ///< left and right bodies share scale factors, and joints that mirror
  double sigma = 0.01;    ///< m, of a marker coordinate, artefact included
  double scale_mean = 1;  ///< height of the subject / height of the model
  double scale_sd = 0.1;
  double anatomical_sd = 0.01, tracking_sd = 0.3;  ///< m
  double joint_sd = 0.01, turn_sd = 0.1;           ///< m, rad
  /// false: none. Only data say what is found; of all geometries that fit alike the nearest to the
  /// start is taken, and what data do not tell is infinite.
  bool priors = true;
  std::vector<GeometryPrior> own_priors;     ///< instead of those, the first that fits
  std::vector<FunctionalCentre> functional;  ///< priors of hips
  double max_rate = 10;                      ///< frames per second
  int max_frames = 300;
  PoseOptions poses{};
  double tolerance = 1e-4;  ///< of the last increment, in prior standard deviations
  int max_iterations = 100;
};

struct CalibrationTrial {
  std::string name;
  MatchedMarkers markers;
  std::vector<double> t;
  int every = 0;  ///< takes each of so many frames; 0: by max_rate and max_frames
};

/// The parameters of a calibration, in the order scales, joints, markers. A body has factors if
/// markers move with them. InputError for a prior that names nothing.
std::vector<GeometryParameter> make_parameters(const Skeleton& skeleton,
                                               const CalibrationOptions& options);

/// Own priors of hips, middles and lengths; hips by Harrington also where joints are free, and
/// those of functional trials, where nothing else is said. InputError for names that the model does
/// not have.
std::vector<ShapePrior> make_shape_priors(const Skeleton& skeleton,
                                          const std::vector<CalibrationTrial>& trials,
                                          const CalibrationOptions& options);

struct CalibratedNumber {
  std::string name;
  double value = 0;
  double naive_sd = 0;       ///< frames counted as independent
  double sd = 0;             ///< errors correlated in time
  double low = 0, high = 0;  ///< 95 % interval with sd
};
struct CalibratedParameter : CalibratedNumber {
  double initial = 0, prior_mean = 0, prior_sd = 0;  ///< prior_sd 0: none
  /// (value - prior mean) / prior sd: how far the data moved it; NaN without a prior.
  double moved = 0;
  /// Share of what is known that data say: 1 - posterior variance / prior variance.
  double told_by_data = 0;
};

/// Correlation in time of what is left over in a trial.
struct ResidualCorrelation {
  std::string trial;
  int num_frames = 0;
  double rms = 0;        ///< m, of |model - measured| of the frames that count
  double lag_one = 0;    ///< autocorrelation from one frame that counts to the next
  double inflation = 1;  ///< 1 + 2 sum of autocorrelations: frames that are worth one
  double effective_frames = 0;
  double seconds = 0;      ///< what one independent frame takes; 0: no time is known
  int num_blocks = 0;      ///< of three such times
  bool by_blocks = false;  ///< its part of the covariance is that of block sums
};

/// What the covariance is made of, in units of `unit` (parameter = unit x number): M is the sum of
/// prior and information, the middle that of prior and variance.
struct InformationParts {
  Eigen::VectorXd unit;
  Eigen::MatrixXd prior;
  std::vector<Eigen::MatrixXd> information, variance;  ///< S and V of each trial
};

struct CalibrationResult {
  estimate::GaussNewtonResult iteration;
  std::shared_ptr<const CalibrationModel> model;
  Eigen::VectorXd p;
  Geometry geometry;
  double rms = 0;       ///< m, over all frames that count
  double variance = 0;  ///< of a weighted residual, in units of sigma^2
  std::vector<CalibratedParameter> parameters;
  std::vector<CalibratedNumber> lengths;
  std::vector<CalibratedParameter> shapes;  ///< priors of the shape: what became of them
  std::vector<ResidualCorrelation> trials;
  std::vector<std::vector<int>> frames;
  std::vector<std::vector<KnownPose>> poses;  ///< of the frames that count, trial by trial
  Eigen::MatrixXd covariance, naive_covariance;
  InformationParts parts;
  int num_undetermined = 0;  ///< directions of the parameters that the markers do not tell
  int num_by_prior = 0;      ///< directions in which priors say more
  std::vector<std::string> undetermined;  ///< in words
};

/// Lengths between joint centres on one body, and between left and right ones, with their
/// gradients.
struct GeometryLength {
  std::string name;
  double value = 0;
  Eigen::VectorXd gradient;
};
std::vector<GeometryLength> geometry_lengths(const CalibrationModel& model,
                                             const Geometry& geometry);

/// Start  The poses that fit the anatomical markers of the model at the mean of the priors best;
///        tracking markers at their mean place on their bodies in these poses. Markers that no
///        trial measures stay where the model has them.
///
/// Covariance  With M = S + P, P of the priors (those of the shape linearized), and s^2 the
/// variance of the residuals,
///
///   naive   M^-1 (s^2 S + P) M^-1
///   sd      M^-1 (sum over trials of V_t + P) M^-1,
///           V_t = s^2 f_t S_t,  f_t = 1 + 2 sum rho_k  (rho pooled over the markers), or for a trial
///           of at least 20 blocks of three correlation times the sum of g_b g_b^T over its blocks.
///
/// InputError if a trial has no marker of the model. `on_iteration`: false stops. Where
/// options.poses.stop ends it, the result has the parameters reached and no statistics.
CalibrationResult calibrate(const Skeleton& skeleton, const std::vector<CalibrationTrial>& trials,
                            const std::vector<double>& weights, const CalibrationOptions& options,
                            const estimate::OnIteration& on_iteration = {});

}  // namespace parfait::motion
