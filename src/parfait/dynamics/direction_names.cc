#include "parfait/dynamics/direction_names.h"

#include <Eigen/QR>

#include "parfait/math/dense_solves.h"

namespace parfait::dynamics {

std::vector<std::string> name_directions(const System& system, Eigen::MatrixXd dy) {
  std::vector<std::string> out;
  if (dy.cols() == 0) return out;
  dy.middleRows(system.sizes().nq, system.sizes().nv).setZero();
  const auto names = system.state_names();
  const math::PivotedQr qr(dy.transpose());
  for (Eigen::Index i = 0; i < qr.rank(); ++i) {
    out.push_back(names[static_cast<std::size_t>(qr.column(i))]);
  }
  return out;
}

}  // namespace parfait::dynamics
