#include "parfait/estimate/shooting/rows.h"

#include <cmath>

#include "parfait/estimate/shooting/shooting_layout.h"
#include "parfait/estimate/shooting/trajectory.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double ShootingRow::value(const Trajectory& at) const {
  double sum = constant;
  for (const Term& term : terms) sum += term.weight * term.what->value(at);
  return period > 0 ? std::remainder(sum, period) : sum;
}

void ShootingRow::derivative(const Trajectory& at, const Condensed& condensed,
                             RowDerivative& out) const {
  out.by_w.setZero();
  out.by_theta.setZero();
  out.by_local.setZero();
  out.by_shared.setZero();
  for (const Term& term : terms) term.what->add_derivative(at, condensed, term.weight, out);
}

std::string missing_in(const std::vector<ShootingRow>& rows, const Trajectory& at) {
  for (const ShootingRow& row : rows) {
    for (const ShootingRow::Term& term : row.terms) {
      if (std::string why = term.what->missing(at); !why.empty()) return why;
    }
  }
  return "";
}

VectorXd values_of(const std::vector<ShootingRow>& rows, const Trajectory& at) {
  VectorXd values(static_cast<Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) values[r] = rows[r].value(at);
  return values;
}

void fill_derivatives(const ShootingLayout& layout, const std::vector<ShootingRow>& rows,
                      const Trajectory& at, const Condensed& condensed, MatrixXd& by_xi,
                      MatrixXd& by_shared) {
  const Index nw = condensed.num_w, nl = layout.locals.size();
  RowDerivative d{.by_w = Eigen::RowVectorXd(nw),
                  .by_theta = Eigen::RowVectorXd(layout.num_theta()),
                  .by_local = Eigen::RowVectorXd(nl),
                  .by_shared = Eigen::RowVectorXd(layout.shared.size())};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].derivative(at, condensed, d);
    by_xi.row(r).head(nw) = d.by_w;
    by_xi.row(r).tail(nl) = d.by_local;
    by_shared.row(r) = d.by_shared;
    for (int j = 0; j < layout.num_theta(); ++j) {
      const ThetaEntry& entry = layout.theta[j];
      (entry.local ? by_xi(r, nw + entry.unknown) : by_shared(r, entry.unknown)) += d.by_theta[j];
    }
  }
}

VectorXd shifts_of(const std::vector<ShootingRow>& rows, const Trajectory& at,
                   const Condensed& condensed) {
  VectorXd shifts = VectorXd::Zero(static_cast<Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const ShootingRow::Term& term : rows[r].terms) {
      shifts[r] += term.weight * term.what->shift(at, condensed);
    }
  }
  return shifts;
}

}  // namespace parfait::estimate
