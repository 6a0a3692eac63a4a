#include "parfait/estimate/experiment/experiment.h"

namespace parfait::estimate {

Eigen::VectorXd Experiment::leverages(MatIn covariance) const {
  Eigen::MatrixXd J(block().A.rows(), block().A.cols() + block().B.cols());
  J << block().A, block().B;
  const auto num = static_cast<Eigen::Index>(layout().residuals.size());
  return (J * covariance).cwiseProduct(J).rowwise().sum().head(num);
}

}  // namespace parfait::estimate
