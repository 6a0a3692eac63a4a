#include "parfait/estimate/experiment/experiment.h"

namespace parfait::estimate {

Eigen::VectorXd Experiment::leverages(MatIn covariance) const {
  Eigen::MatrixXd J(block().A.rows(), block().A.cols() + block().B.cols());
  J << block().A, block().B;
  return (J * covariance).cwiseProduct(J).rowwise().sum();
}

}  // namespace parfait::estimate
