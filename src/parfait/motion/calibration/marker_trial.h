#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/motion/calibration/geometry_parameters.h"
#include "parfait/motion/poses/inverse_kinematics.h"

namespace parfait::motion {

/// What all trials of a calibration share.
struct CalibrationModel {
  CalibrationModel(Skeleton skeleton_in, std::vector<GeometryParameter> parameters_in);

  Skeleton skeleton;
  std::vector<GeometryParameter> parameters;
  MarkerPlan marker_plan;
  GeometryPlan geometry_plan;
  estimate::Unknowns unknowns;
};

/// Frames of a trial as an experiment in the shared geometry p alone: every frame has the pose that
/// fits best (PoseSolver), so that
///
///   r(p) = (x(q(p), p) - y) sqrt(w) / sigma,    q(p) = argmin |r|  within the limits.
///
/// With A = dr/dq of the free coordinates and B = dr/dp, U^T U = A^T A, Z = U^-T A^T B, a frame
/// adds to the information and to half the gradient of |r|^2
///
///   S += B^T B - Z^T Z,      g += B^T r - Z^T U^-T A^T r,
///
/// which is A eliminated as in Kaufman's variable projection. The block is a square root of S, one
/// row per direction that the trial tells, and one row without derivatives for the rest of |r|.
///
/// Threads  Frames in fixed chunks, sums in fixed order.
/// Cost     per frame about 6 pose iterations and n_p^2 x (coordinates) / 2 multiplications.
class MarkerTrial : public estimate::Experiment {
 public:
  struct Options {
    double sigma = 0.01;  ///< m, of a marker coordinate with weight 1
    PoseOptions poses{};
  };
  /// `frames`: those that count; `start`: their poses, one after the other.
  MarkerTrial(std::string id, std::shared_ptr<const CalibrationModel> model,
              const MatchedMarkers& markers, const std::vector<int>& frames,
              std::vector<double> weights, const std::vector<std::vector<double>>& start,
              const Options& options);
  ~MarkerTrial() override;

  const estimate::ExperimentLayout& layout() const override { return layout_; }
  bool initialize(estimate::VecIn p, Eigen::VectorXd& x) override;
  bool evaluate(estimate::VecIn x, estimate::VecIn p) override;
  bool linearize(estimate::VecIn x, estimate::VecIn p) override;
  std::string why() const override { return why_; }
  const Eigen::VectorXd& residuals() const override { return residuals_; }
  double infeasibility() const override { return 0; }
  const estimate::Block& block() const override { return block_; }
  estimate::RightSide right_side() const override;
  Eigen::VectorXd expand(estimate::VecIn, estimate::VecIn, bool) const override { return {}; }

  int num_frames() const { return static_cast<int>(frames_.size()); }
  const std::vector<int>& frames() const { return frames_; }
  const std::vector<FramePose>& poses() const { return poses_; }
  /// Of the last linearize(), in units of p (not scaled): S, and of every frame its part of g.
  const Eigen::MatrixXd& information() const { return information_; }
  const Eigen::MatrixXd& frame_gradients() const { return frame_gradients_; }  ///< n_p x frames
  /// Of residual i: frame (among those that count), marker and axis.
  struct Row {
    int frame, marker, axis;
  };
  const std::vector<Row>& rows() const { return rows_; }
  int num_free_coordinates() const;  ///< over all frames, of the last point
  double sigma() const { return options_.sigma; }

 private:
  struct Chunk;

  bool solve(estimate::VecIn p);
  Eigen::VectorXd reduced(const Eigen::VectorXd& g) const;

  std::shared_ptr<const CalibrationModel> model_;
  std::vector<int> frames_;
  std::vector<double> weights_;
  Options options_;
  std::vector<double> measured_;  ///< 3 per marker, of the frames that count
  estimate::ExperimentLayout layout_;
  std::vector<Row> rows_;
  std::vector<int> first_row_;
  std::vector<std::unique_ptr<Chunk>> chunks_;

  std::string why_;
  Eigen::VectorXd p_;                        ///< scaled, of the last point
  std::vector<FramePose> poses_, accepted_;  ///< of the last point; of the last linearize()
  Eigen::VectorXd residuals_;
  Eigen::VectorXd accepted_p_;  ///< values; empty: never linearized
  std::unique_ptr<Geometry> accepted_geometry_;
  std::unique_ptr<BoundGeometry> accepted_bound_, bound_;
  std::unique_ptr<Geometry> geometry_;
  Eigen::MatrixXd information_, frame_gradients_;
  Eigen::MatrixXd lower_;            ///< L of S = D P^T L L^T P D
  std::vector<Eigen::Index> order_;  ///< P: row i is that of parameter order_[i]
  Eigen::VectorXd lengths_;          ///< D
  Eigen::VectorXd scale_;            ///< dp/dx
  estimate::Block block_;
};

}  // namespace parfait::motion
