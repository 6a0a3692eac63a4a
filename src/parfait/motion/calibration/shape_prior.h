#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/motion/calibration/marker_trial.h"

/// What is known of a body's shape before the data: where joint centres are between landmarks, and
/// lengths. Pseudo-measurements of the geometry, whatever the poses.
namespace parfait::motion {

struct ShapePrior {
  enum class Kind : std::uint8_t {
    /// A hip centre in the axes of the pelvis: x forward, y up, z right, origin between the ASIS.
    /// points: right ASIS, left ASIS, right PSIS, left PSIS, hip.
    kHip,
    /// A joint centre half way between two markers, in axes of the body. points: joint, two
    /// markers.
    kMiddle,
    /// A distance. points: two.
    kLength,
  };
  struct Point {
    GeometryKind kind = GeometryKind::kMarker;  ///< or kParentPlace, kChildPlace
    int index = 0;
  };
  std::string name;
  Kind kind = Kind::kLength;
  int body = 0;  ///< that carries all points
  std::vector<Point> points;
  std::vector<double> value;  ///< three numbers, of a length one; m
  double sd = 0;
  Eigen::MatrixXd covariance{};  ///< of the rows; empty: sd^2 on each

  double sd_of(Eigen::Index row) const;
  /// Rows divided by what is known of them: W with W^T W the inverse of the covariance.
  Eigen::MatrixXd weighted(const Eigen::MatrixXd& rows) const;
  int num_rows() const { return kind == Kind::kLength ? 1 : 3; }
};

/// Values of the prior's rows at a geometry and, if wanted, their derivatives by the parameters
/// (rows x np), exact.
Eigen::VectorXd shape_of(const ShapePrior& prior, const Geometry& geometry,
                         const std::vector<GeometryParameter>* parameters = nullptr,
                         Eigen::MatrixXd* jacobian = nullptr);

/// Where hips are, from the breadth and the depth of the pelvis (between the ASIS; from their
/// middle to that of the PSIS), in the axes of ShapePrior::kHip for the right side (Harrington et
/// al. 2007, J. Biomech. 40, 595-602; without the length of the leg).
std::vector<double> harrington_hip(double breadth, double depth);

/// The hips of a skeleton as Harrington's regression places them for the pelvis that trials show;
/// empty if the skeleton has no such landmarks or no two joints there.
std::vector<ShapePrior> harrington_priors(const Skeleton& skeleton,
                                          const std::vector<const MatchedMarkers*>& trials,
                                          double sd);

/// All of them as an experiment without unknowns of its own.
class ShapeExperiment : public estimate::Experiment {
 public:
  ShapeExperiment(std::shared_ptr<const CalibrationModel> model, std::vector<ShapePrior> priors);

  const estimate::ExperimentLayout& layout() const override { return layout_; }
  bool initialize(estimate::VecIn p, Eigen::VectorXd& x) override;
  bool evaluate(estimate::VecIn x, estimate::VecIn p) override;
  bool linearize(estimate::VecIn x, estimate::VecIn p) override;
  std::string why() const override { return {}; }
  const Eigen::VectorXd& residuals() const override { return residuals_; }
  double infeasibility() const override { return 0; }
  const estimate::Block& block() const override { return block_; }
  estimate::RightSide right_side() const override;
  Eigen::VectorXd expand(estimate::VecIn, estimate::VecIn, bool) const override { return {}; }

 private:
  std::shared_ptr<const CalibrationModel> model_;
  std::vector<ShapePrior> priors_;
  estimate::ExperimentLayout layout_;
  Eigen::VectorXd residuals_;
  estimate::Block block_;
};

}  // namespace parfait::motion
