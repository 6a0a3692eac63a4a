#include "parfait/estimate/design/criterion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_criterion {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::array kKinds{CriterionKind::kA,         CriterionKind::kD,     CriterionKind::kE,
                            CriterionKind::kT,         CriterionKind::kMaxSd, CriterionKind::kC,
                            CriterionKind::kPrediction};

/// Scaled with its diagonal, so that units do not decide what is small.
VectorXd diagonal_scale(const MatrixXd& M) {
  VectorXd scale = M.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (double& s : scale) {
    if (!(s > 0)) s = 1;
  }
  return scale;
}

}  // namespace
}  // namespace design_criterion

const char* text(CriterionKind kind) {
  switch (kind) {
    case CriterionKind::kA:
      return "A";
    case CriterionKind::kD:
      return "D";
    case CriterionKind::kE:
      return "E";
    case CriterionKind::kT:
      return "T";
    case CriterionKind::kMaxSd:
      return "max_sd";
    case CriterionKind::kC:
      return "c";
    case CriterionKind::kPrediction:
      return "prediction";
  }
  return "";
}

std::optional<CriterionKind> criterion_kind(const std::string& name) {
  for (const CriterionKind kind : design_criterion::kKinds) {
    if (name == text(kind)) return kind;
  }
  return {};
}

RangeOf range_of(const MatrixXd& M, double tolerance) {
  const VectorXd scale = design_criterion::diagonal_scale(M);
  const VectorXd inverse = scale.cwiseInverse();
  const MatrixXd scaled = inverse.asDiagonal() * M * inverse.asDiagonal();
  const auto pairs = math::symmetric_eigen_pairs(scaled);
  const Index n = M.rows();
  const double smallest = tolerance * std::max(pairs.values.size() > 0 ? pairs.values[n - 1] : 0.0,
                                               std::numeric_limits<double>::min());
  Index num_null = 0;
  while (num_null < n && !(pairs.values[num_null] > smallest)) ++num_null;
  RangeOf range;
  range.null = inverse.asDiagonal() * pairs.vectors.leftCols(num_null);
  range.basis = inverse.asDiagonal() * pairs.vectors.rightCols(n - num_null);
  for (Index i = 0; i < n - num_null; ++i) {
    range.basis.col(i) /= std::sqrt(pairs.values[num_null + i]);
  }
  return range;
}

MatrixXd covariance_of(const MatrixXd& M, const MatrixXd& K) {
  const VectorXd scale = design_criterion::diagonal_scale(M);
  const RangeOf range = range_of(M);
  const MatrixXd seen = K * range.basis;
  MatrixXd C = seen * seen.transpose();
  // Components along null directions, beside the length of the row, both in scaled variables.
  const MatrixXd along = K * range.null;
  for (Index i = 0; i < K.rows(); ++i) {
    const double length = K.row(i).transpose().cwiseQuotient(scale).norm();
    if (!(along.row(i).norm() > 1e-6 * length)) continue;
    C.row(i).setConstant(std::nan(""));
    C.col(i).setConstant(std::nan(""));
    C(i, i) = design_criterion::kNever;
  }
  return C;
}

MatrixXd information_of(const MatrixXd& all, const MatrixXd& K) {
  const Index k = K.rows(), n = K.cols();
  // K = (R^T 0) Q^T: the first k coordinates of Q^T z are what K sees.
  const auto qr = math::qr_factors(K.transpose());
  const MatrixXd M = qr.Q.transpose() * all * qr.Q;
  MatrixXd S = M.topLeftCorner(k, k);
  if (n > k) {
    const MatrixXd rest = M.bottomRightCorner(n - k, n - k);
    const RangeOf range = range_of(rest);
    const MatrixXd seen = M.topRightCorner(k, n - k) * range.basis;
    S -= seen * seen.transpose();
  }
  const MatrixXd R = qr.R.topLeftCorner(k, k);
  const MatrixXd half = math::solve_upper(R, S);
  const MatrixXd information = math::solve_upper(R, half.transpose());
  return 0.5 * (information + information.transpose());
}

CriterionValue evaluate_criterion(CriterionKind kind, const MatrixXd& information,
                                  double sharpness) {
  const Index k = information.rows();
  CriterionValue out;
  out.slope = MatrixXd::Zero(k, k);
  if (kind == CriterionKind::kT) {
    const double trace = information.trace();
    out.psi = trace > 0 ? -std::log(trace) : design_criterion::kNever;
    if (trace > 0) out.slope = -MatrixXd::Identity(k, k) / trace;
    return out;
  }
  // Decomposed in units of its diagonal: M = S V L V^T S.
  const VectorXd scale = design_criterion::diagonal_scale(information);
  const VectorXd inverse = scale.cwiseInverse();
  const MatrixXd scaled = inverse.asDiagonal() * information * inverse.asDiagonal();
  const auto pairs = math::symmetric_eigen_pairs(scaled);
  if (!(pairs.values[0] > 1e-14) || !information.allFinite()) {
    out.psi = design_criterion::kNever;
    return out;
  }
  MatrixXd root = inverse.asDiagonal() * pairs.vectors;  // C = root root^T
  for (Index i = 0; i < k; ++i) root.col(i) /= std::sqrt(pairs.values[i]);
  const MatrixXd C = root * root.transpose();
  switch (kind) {
    case CriterionKind::kD: {
      double log_det = 0;
      for (Index i = 0; i < k; ++i) log_det += std::log(pairs.values[i]) + 2 * std::log(scale[i]);
      out.psi = -log_det / static_cast<double>(k);
      out.slope = -C / static_cast<double>(k);
      return out;
    }
    case CriterionKind::kE: {
      const auto axes = math::symmetric_eigen_pairs(C);
      const double largest = axes.values[k - 1];
      if (sharpness <= 0) {
        out.psi = std::log(largest);
        const VectorXd Cv = axes.vectors.col(k - 1);
        out.slope = -largest * Cv * Cv.transpose();
        return out;
      }
      double sum = 0;
      VectorXd power(k);
      for (Index i = 0; i < k; ++i) {
        power[i] = std::pow(std::max(axes.values[i], 0.0) / largest, sharpness);
        sum += power[i];
      }
      out.psi = std::log(largest) + std::log(sum) / sharpness;
      // F = C^(q-1) / tr C^q, Psi = -C F C
      const VectorXd weight = power.cwiseProduct(axes.values) / sum;
      out.slope = -axes.vectors * weight.asDiagonal() * axes.vectors.transpose();
      return out;
    }
    case CriterionKind::kMaxSd: {
      const VectorXd variance = C.diagonal();
      Index worst = 0;
      const double largest = variance.maxCoeff(&worst);
      VectorXd weight = VectorXd::Zero(k);
      if (sharpness <= 0) {
        out.psi = std::log(largest);
        weight[worst] = 1 / largest;
      } else {
        const VectorXd power = (variance / largest).array().pow(sharpness);
        out.psi = std::log(largest) + std::log(power.sum()) / sharpness;
        weight = power.cwiseQuotient(variance) / power.sum();
      }
      out.slope = -C * weight.asDiagonal() * C;
      return out;
    }
    default: {
      const double trace = C.trace();
      out.psi = std::log(trace);
      out.slope = -C * C / trace;
      return out;
    }
  }
}

MatrixXd criterion_curvature(CriterionKind kind, const MatrixXd& information, const MatrixXd& dM) {
  const Index k = information.rows();
  if (kind == CriterionKind::kT) {
    const double trace = information.trace();
    return MatrixXd::Identity(k, k) * (dM.trace() / (trace * trace));
  }
  const MatrixXd C = covariance_of(information, MatrixXd::Identity(k, k));
  if (kind == CriterionKind::kD) return C * dM * C / static_cast<double>(k);
  if (kind != CriterionKind::kE) {  // tr C
    const MatrixXd dC = -C * dM * C;
    const double trace = C.trace();
    return -(dC * C + C * dC) / trace + C * C * (dC.trace() / (trace * trace));
  }
  // psi = -ln mu, mu the smallest eigenvalue of M, v its vector: Psi = -v v^T / mu.
  const auto axes = math::symmetric_eigen_pairs(information);
  const double mu = axes.values[0];
  const VectorXd v = axes.vectors.col(0), push = dM * v;
  VectorXd dv = VectorXd::Zero(k);
  for (Index i = 1; i < k; ++i) {
    dv += axes.vectors.col(i) * (axes.vectors.col(i).dot(push) / (mu - axes.values[i]));
  }
  return -(dv * v.transpose() + v * dv.transpose()) / mu +
         v * v.transpose() * (v.dot(push) / (mu * mu));
}

bool has_multiple_largest(const MatrixXd& covariance, double tolerance) {
  const Index k = covariance.rows();
  if (k < 2) return false;
  const auto axes = math::symmetric_eigen_pairs(covariance);
  return axes.values[k - 2] > (1 - tolerance) * axes.values[k - 1];
}

}  // namespace parfait::estimate
