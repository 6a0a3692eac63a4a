#include "parfait/dynamics/equilibrium_path.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "parfait/dynamics/null_space.h"
#include "parfait/math/dense_solves.h"

namespace parfait::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kZeroPivot = 1e-10;  // pivots of the Jacobian, relative
constexpr double kNoise = 1e-11;      // rounding of the drift, relative to the Jacobian
constexpr double kLeastDrift = 1e-9;  // m/s^2; mechanics slower than this is at rest
constexpr double kLongestStep = 0.5;  // relative to unit + |x|
constexpr double kContraction = 0.5;  // what may be left of a step that is taken
constexpr double kLeastDrag = 1e-12;  // relative to the Jacobian
constexpr double kMostDrag = 1e9;     // likewise: a step too short to be worth trying
constexpr double kShortest = 1e-7;    // Newton steps
constexpr double kUnstable = 1e-9;    // eigenvalues, relative to the Jacobian
constexpr double kPush = 0.01;        // relative to unit + |x|
constexpr double kNothing = 1e-3;     // of a state's unit: below this its own size does not count

}  // namespace

EquilibriumPath::EquilibriumPath(const System& system, const Workspace& ws, double t,
                                 double projection_tolerance)
    : point_(system, ws, t, projection_tolerance), trial_(system, ws, t, projection_tolerance) {}

/// How large external states are: by where they begin and by where they alone would settle,
/// |r_i / J_ii|; what begins at zero and feels only others, by what these make of it. To a power of
/// two, which costs no digits.
void EquilibriumPath::set_units() {
  const auto nq = point_.n_q(), ne = point_.n_e();
  if (units_.size() != nq + ne) {
    units_ = VectorXd::Ones(nq + ne);
    has_unit_.assign(static_cast<std::size_t>(ne), false);
  }
  if (std::ranges::find(has_unit_, false) == has_unit_.end()) return;
  const MatrixXd J = point_.drift_jacobian().bottomRightCorner(ne, ne);
  const VectorXd r = point_.drift().tail(ne);
  VectorXd size(ne);
  for (int i = 0; i < ne; ++i) {
    if (has_unit_[static_cast<std::size_t>(i)]) {
      size[i] = units_[nq + i];
      continue;
    }
    size[i] = std::abs(point_.y()[point_.moving()[static_cast<std::size_t>(i)]]);
    if (J(i, i) < 0) size[i] = std::max(size[i], std::abs(r[i] / J(i, i)));
  }
  const double fastest = J.size() > 0 ? math::eigen_pairs(J).values.cwiseAbs().maxCoeff() : 0;
  for (bool grows = fastest > 0; grows;) {
    grows = false;
    const VectorXd before = size;
    for (int i = 0; i < ne; ++i) {
      if (before[i] > 0) continue;
      const double rate = J(i, i) != 0 ? std::abs(J(i, i)) : fastest;
      size[i] = std::max(std::abs(r[i]), J.row(i).cwiseAbs().dot(before)) / rate;
      grows = grows || size[i] > 0;
    }
  }
  for (int i = 0; i < ne; ++i) {
    // What is zero and has nothing that moves it has no unit, until something does.
    if (has_unit_[static_cast<std::size_t>(i)] || !(size[i] > 0) || !std::isfinite(size[i]))
      continue;
    units_[nq + i] = std::exp2(std::round(std::log2(size[i])));
    has_unit_[static_cast<std::size_t>(i)] = true;
  }
}

double EquilibriumPath::measure(const VectorXd& x, double unit_of_states) const {
  if (x.size() == 0) return 0;
  VectorXd unit = VectorXd::Ones(point_.y().size());
  unit(point_.moving()) = unit_of_states * units_.tail(point_.n_e());
  const VectorXd d = point_.displaced(units_.cwiseProduct(x)) - point_.y();
  const VectorXd relative = d.cwiseAbs().cwiseQuotient(unit + point_.y().cwiseAbs());
  // States without a unit count where nothing else moves.
  VectorXd known = relative;
  for (std::size_t i = 0; i < has_unit_.size(); ++i) {
    if (!has_unit_[i]) known[point_.moving()[i]] = 0;
  }
  return known.maxCoeff() > 0 ? known.maxCoeff() : relative.maxCoeff();
}

double EquilibriumPath::size() const {
  VectorXd y = point_.y();
  for (int i = 0; i < point_.n_e(); ++i) {
    y[point_.moving()[static_cast<std::size_t>(i)]] /= units_[point_.n_q() + i];
  }
  return y.size() > 0 ? y.cwiseAbs().maxCoeff() : 0;
}

Status EquilibriumPath::begin(const VectorXd& y, const VectorXd& z) {
  const auto status = point_.place(y, z);
  return status == Status::kOk ? linearize() : status;
}

/// A drift along neutral directions that rounding explains: 1 / drag would make much of it.
bool EquilibriumPath::is_noise(const VectorXd& neutral_part) const {
  const double noise = (point_.n_q() > 0 ? kLeastDrift : 0.0) + kNoise * scale_;
  return neutral_part.cwiseAbs().maxCoeff() <= noise;
}

VectorXd EquilibriumPath::without_noise(const VectorXd& r) const {
  if (N_.cols() == 0) return r;
  const VectorXd part = Q_ * r;
  return is_noise(part) ? VectorXd(r - part) : r;
}

Status EquilibriumPath::linearize() {
  const auto status = point_.linearize();
  if (status != Status::kOk) return status;
  set_units();
  J_ = units_.cwiseInverse().asDiagonal() * point_.drift_jacobian() * units_.asDiagonal();
  r_ = point_.drift().cwiseQuotient(units_);
  const auto n = J_.rows();
  correction_ = left_ = growth_ = 0;
  growing_.resize(0);
  N_.resize(n, 0);
  falling_ = newton_ = VectorXd::Zero(n);
  if (n == 0) return status;

  scale_ = J_.cwiseAbs().rowwise().sum().maxCoeff();
  strength_ = std::max(scale_, r_.cwiseAbs().maxCoeff() / (1 + size()));
  if (scale_ == 0) scale_ = std::max(strength_, 1e-100);
  // What J can change and what it cannot are separated by the spectral projector onto its null
  // space, so that quantities which the flow keeps are kept (E4). It does not exist where the
  // null space is defective; the step is then the least.
  const auto null = compute_null_spaces(J_, make_row_scale(J_, {point_.n_q()}), kZeroPivot);
  N_ = null.N;
  fill_.setZero(n, n);
  if (N_.cols() > 0) {
    const math::PivotedQr qr(null.U.transpose() * N_);
    const MatrixXd gram = null.U.transpose() * null.U;
    if (qr.is_regular()) {
      Q_ = fill_ = N_ * qr.solve(null.U.transpose());
    } else {
      Q_ = null.U * math::solve_lu(gram, null.U.transpose());
      fill_ = null.U * math::solve_lu(gram, N_.transpose());
    }
    const VectorXd part = Q_ * r_;
    if (is_noise(part)) {
      r_ -= part;
    } else {
      falling_ = part;
    }
  }

  const math::EigenPairs eigen = math::eigen_pairs(J_);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto lambda = eigen.values[i];
    if (lambda.real() <= std::max(growth_, kUnstable * scale_)) continue;
    if (std::abs(lambda.imag()) >= lambda.real()) continue;  // swings rather than falls over
    growth_ = lambda.real();
    growing_ = eigen.vectors.col(i).real();
  }
  newton_ = math::solve_lu(newton_matrix(), r_ - falling_);
  correction_ = measure(newton_);
  left_ = measure(newton_, kNothing);
  return std::isfinite(correction_) ? status : Status::kNotFinite;
}

bool EquilibriumPath::try_step(const VectorXd& x) {
  return trial_.place(point_.displaced(units_.cwiseProduct(x)), point_.z(), &point_.basis()) ==
         Status::kOk;
}

/// -J, made regular on its null space.
MatrixXd EquilibriumPath::newton_matrix() const {
  return scale_ * fill_ - J_;
}

MatrixXd EquilibriumPath::response(const MatrixXd& dr) const {
  MatrixXd right = units_.cwiseInverse().asDiagonal() * dr;
  if (N_.cols() > 0) right -= (Q_ * right).eval();
  return units_.asDiagonal() * math::solve_lu(newton_matrix(), right);
}

MatrixXd EquilibriumPath::kept(const MatrixXd& dx) const {
  if (N_.cols() == 0) return MatrixXd::Zero(dx.rows(), dx.cols());
  const MatrixXd in_units = units_.cwiseInverse().asDiagonal() * dx;
  return units_.asDiagonal() * (Q_ * in_units);
}

bool EquilibriumPath::relax() {
  const auto n = J_.rows();
  // Twice the growth rate follows the linear flow outwards; with less, the step may turn round.
  double drag = 2 * growth_;
  if (falls()) drag = std::max(drag, kLeastDrag * strength_);
  while (drag <= kMostDrag * strength_) {
    const MatrixXd B = falls() ? MatrixXd(-J_) : newton_matrix();
    const math::Lu lu(drag * MatrixXd::Identity(n, n) + B);
    const VectorXd dx = lu.solve(r_);
    const double size = measure(dx);
    if (!(size <= kLongestStep)) {
      drag = std::max(drag * std::clamp(size / kLongestStep, 2.0, 1e4), kLeastDrag * strength_);
      continue;
    }
    if (try_step(dx)) {  // predicted is r + J dx = drag dx
      const double error =
          measure(lu.solve(without_noise(trial_.drift().cwiseQuotient(units_)) - drag * dx));
      if (error <= kContraction * size) {
        std::swap(point_, trial_);
        return true;
      }
    }
    drag = std::max(4 * drag, 1e-3 * strength_);
  }
  return false;
}

bool EquilibriumPath::step_newton() {
  const math::Lu lu(newton_matrix());
  const auto succeeds = [&](double length) {
    if (!try_step(length * newton_)) return false;
    const VectorXd r = without_noise(trial_.drift().cwiseQuotient(units_));
    const double left = measure(lu.solve(falls() ? VectorXd(r - Q_ * r) : r));
    return left <= (1 - length / 2) * correction_;
  };
  double length = std::min(1.0, kLongestStep / correction_);
  while (length > kShortest && !succeeds(length)) length /= 2;
  if (!(length > kShortest)) return false;
  std::swap(point_, trial_);
  return true;
}

bool EquilibriumPath::push() {
  if (growing_.size() == 0 || !try_step(kPush / measure(growing_) * growing_)) return false;
  std::swap(point_, trial_);
  return true;
}

}  // namespace parfait::dynamics
