#include "parfait/estimate/design/switching_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace switching_times {
namespace {

/// Nodes and weights of Gauss-Legendre on (0, 1), eight points, symmetric.
constexpr std::array<double, 8> kNode = {
    0.019855071751231884, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
    0.5917173212478249,   0.7627662049581645,  0.8983332387068134, 0.9801449282487681};
constexpr std::array<double, 8> kWeight = {
    0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.18134189168918100,
    0.18134189168918100, 0.15685332293894363, 0.11119051722668724, 0.05061426814518813};
constexpr int kMaxIterations = 50;

double norm1(const MatrixXd& A) {
  return A.cwiseAbs().colwise().sum().maxCoeff();
}

/// How fast solutions change: the fourth root of |A^4|, which units do not blow up as |A|.
double speed_of(const MatrixXd& A) {
  const MatrixXd A2 = A * A;
  return std::max(std::sqrt(std::sqrt(norm1(A2 * A2))), 1e-300);
}

/// X' = A X + F over h, F constant: the Taylor series, for |A h| of 1 to 1/26!.
MatrixXd advanced(const MatrixXd& A, const MatrixXd& F, const MatrixXd& X, double h) {
  MatrixXd term = h * (A * X + F), sum = X + term;
  for (int n = 2; n <= 26; ++n) {
    term = h / n * (A * term);
    sum += term;
  }
  return sum;
}

MatrixXd symmetric(const VectorXd& a, const VectorXd& b) {
  return a * b.transpose() + b * a.transpose();
}

struct Panel {
  double t = 0, h = 0;
  int piece = 0;
  bool is_measured = false;
};

/// Everything that depends on the times t of the switches.
class Switching {
 public:
  Switching(const LinearPlan& plan, const SwitchingCriterion& criterion,
            const std::vector<double>& u)
      : plan_(plan), criterion_(criterion), u_(u), speed_(speed_of(plan.A)) {}

  /// M, its first and second derivatives by the times, the conditions at the end and theirs.
  struct Outcome {
    MatrixXd M;
    std::vector<MatrixXd> dM;
    std::vector<std::vector<MatrixXd>> ddM;  ///< ddM[i][j], j <= i
    VectorXd c;
    MatrixXd dc, ddc;  ///< a column per time; the second derivatives are diagonal
  };

  /// Columns z, z_i = dz/dt_i and z_ii of X: z is a sum of responses to each switch alone,
  ///   z_i = -(u_i - u_i-1) e^A(t - t_i) b,   z_ii = -A z_i,   z_ij = 0.
  Outcome at(const std::vector<double>& t) const {
    const Index n = plan_.A.rows(), k = criterion_.known.rows(), m = std::ssize(t);
    Outcome out;
    out.M = MatrixXd::Zero(k, k);
    out.dM.assign(t.size(), out.M);
    for (Index i = 0; i < m; ++i) out.ddM.emplace_back(static_cast<std::size_t>(i) + 1, out.M);
    MatrixXd X = MatrixXd::Zero(n, 1 + 2 * m), F = X;
    X.col(0) = plan_.z0;
    int piece = 0;
    for (const Panel& panel : panels(t)) {
      for (; piece < panel.piece; ++piece) {
        const double jump = jump_of(piece);
        X.col(1 + piece) = -jump * plan_.b;
        X.col(1 + m + piece) = jump * plan_.A * plan_.b;
        if (panel.is_measured) add_boundary(X, piece, out);
      }
      F.col(0) = u_[static_cast<std::size_t>(panel.piece)] * plan_.b;
      for (std::size_t g = 0; g < kNode.size() && panel.is_measured; ++g) {
        add(advanced(plan_.A, F, X, kNode[g] * panel.h), panel.h * kWeight[g], panel.piece, m, out);
      }
      X = advanced(plan_.A, F, X, panel.h);
    }
    const MatrixXd end = plan_.C * X;
    out.c = end.col(0);
    out.dc = end.middleCols(1, m);
    out.ddc = end.rightCols(m);
    const MatrixXd &known = criterion_.known, &scale = criterion_.inverse;
    const auto seen = [&](MatrixXd& M) { M = (scale.transpose() * M * scale).eval(); };
    out.M += known;
    seen(out.M);
    for (auto& M : out.dM) seen(M);
    for (auto& row : out.ddM) {
      for (auto& M : row) seen(M);
    }
    return out;
  }

  double jump_of(int switch_index) const {
    const auto i = static_cast<std::size_t>(switch_index);
    return u_[i + 1] - u_[i];
  }

  /// p(t).b at the ends of panels and between, backward from p(end) = C^T nu.
  struct Sample {
    double t = 0, value = 0;
    int piece = 0;
  };
  std::vector<Sample> function(const std::vector<double>& t, const VectorXd& nu,
                               std::vector<double> at = {}) const {
    const auto M = this->at(t).M;
    const MatrixXd Psi = criterion_.inverse * evaluate_criterion(criterion_.kind, M).slope *
                         criterion_.inverse.transpose();
    MatrixXd Q = MatrixXd::Zero(plan_.A.rows(), plan_.A.rows());
    for (const MatrixXd& S : plan_.S) Q += 2 * S.transpose() * Psi * S;
    const auto all = panels(t, std::move(at));
    std::vector<VectorXd> z = {plan_.z0};
    for (const Panel& panel : all) {
      z.emplace_back(advanced(plan_.A, u_[static_cast<std::size_t>(panel.piece)] * plan_.b,
                              z.back(), panel.h));
    }
    std::vector<Sample> out;
    VectorXd p = plan_.C.transpose() * nu;
    const MatrixXd At = plan_.A.transpose(), none = MatrixXd::Zero(p.size(), 1);
    out.push_back({plan_.end, p.dot(plan_.b), static_cast<int>(u_.size()) - 1});
    for (std::size_t i = all.size(); i-- > 0;) {
      const Panel& panel = all[i];
      const VectorXd force = u_[static_cast<std::size_t>(panel.piece)] * plan_.b;
      VectorXd sum = advanced(At, none, p, panel.h);
      for (std::size_t g = 0; g < kNode.size() && panel.is_measured; ++g) {
        const double s = kNode[g] * panel.h;
        const VectorXd source = Q * advanced(plan_.A, force, z[i], s);
        sum += kWeight[g] * panel.h * advanced(At, none, source, s);
      }
      p = sum;
      out.push_back({panel.t, p.dot(plan_.b), panel.piece});
    }
    std::ranges::reverse(out);
    return out;
  }

 private:
  /// Short pieces between begin, switches, where measurements begin, other times, and the end.
  std::vector<Panel> panels(const std::vector<double>& t, std::vector<double> more = {}) const {
    std::vector<double> cuts = t;
    cuts.insert(cuts.end(), more.begin(), more.end());
    cuts.insert(cuts.end(), {plan_.begin, plan_.measured, plan_.end});
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Panel> out;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const double length = cuts[i] - cuts[i - 1];
      const int count = std::max(1, static_cast<int>(std::ceil(length * speed_)));
      const auto piece = std::ranges::count_if(t, [&](double s) { return s <= cuts[i - 1]; });
      for (int j = 0; j < count; ++j) {
        out.push_back({.t = cuts[i - 1] + length * j / count,
                       .h = length / count,
                       .piece = static_cast<int>(piece),
                       .is_measured = cuts[i - 1] >= plan_.measured});
      }
    }
    return out;
  }

  void add(const MatrixXd& X, double weight, int piece, Index m, Outcome& out) const {
    for (const MatrixXd& S : plan_.S) {
      const MatrixXd s = S * X;
      out.M += weight * s.col(0) * s.col(0).transpose();
      for (int i = 0; i < piece; ++i) {
        const auto row = static_cast<std::size_t>(i);
        out.dM[row] += weight * symmetric(s.col(1 + i), s.col(0));
        out.ddM[row][row] += weight * symmetric(s.col(1 + m + i), s.col(0));
        for (int j = 0; j <= i; ++j) {
          out.ddM[row][static_cast<std::size_t>(j)] +=
              weight * symmetric(s.col(1 + i), s.col(1 + j));
        }
      }
    }
  }

  /// The integral over z_i begins at t_i.
  void add_boundary(const MatrixXd& X, int i, Outcome& out) const {
    const auto row = static_cast<std::size_t>(i);
    for (const MatrixXd& S : plan_.S) {
      out.ddM[row][row] -= symmetric(S * X.col(1 + i), S * X.col(0));
    }
  }

  const LinearPlan& plan_;
  const SwitchingCriterion& criterion_;
  const std::vector<double>& u_;
  double speed_;
};

/// The system that Newton's method solves: gradient and conditions, by times and multipliers.
struct Equations {
  double psi = 0;
  VectorXd gradient;  ///< of psi
  VectorXd right;     ///< gradient + dc^T nu, then c
  MatrixXd matrix;    ///< its derivative
};

Equations equations_of(CriterionKind kind, const Switching::Outcome& at, const VectorXd& nu) {
  const auto m = static_cast<Index>(at.dM.size()), nc = at.c.size();
  Equations out;
  const CriterionValue value = evaluate_criterion(kind, at.M);
  out.psi = value.psi;
  out.gradient.resize(m);
  out.matrix = MatrixXd::Zero(m + nc, m + nc);
  for (Index i = 0; i < m; ++i) {
    const auto a = static_cast<std::size_t>(i);
    out.gradient[i] = value.slope.cwiseProduct(at.dM[a]).sum();
    const MatrixXd curved = criterion_curvature(kind, at.M, at.dM[a]);
    for (Index j = 0; j < m; ++j) {
      const auto b = static_cast<std::size_t>(j);
      out.matrix(i, j) = value.slope.cwiseProduct(at.ddM[std::max(a, b)][std::min(a, b)]).sum() +
                         curved.cwiseProduct(at.dM[b]).sum();
    }
    out.matrix(i, i) += nu.dot(at.ddc.col(i));
  }
  out.matrix.bottomLeftCorner(nc, m) = at.dc;
  out.matrix.topRightCorner(m, nc) = at.dc.transpose();
  out.right.resize(m + nc);
  out.right << out.gradient + at.dc.transpose() * nu, at.c;
  return out;
}

/// The part of a step after which all switches still follow each other.
double longest_step(const LinearPlan& plan, const std::vector<double>& t, const VectorXd& step) {
  double longest = 1;
  for (std::size_t i = 0; i <= t.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const double gap = (i < t.size() ? t[i] : plan.end) - (i > 0 ? t[i - 1] : plan.begin);
    const double closing = (i > 0 ? step[at - 1] : 0) - (i < t.size() ? step[at] : 0);
    if (closing > 0) longest = std::min(longest, 0.5 * gap / closing);
  }
  return longest;
}

bool is_positive_on_null_space(const MatrixXd& H, const MatrixXd& C) {
  MatrixXd reduced = H;
  if (C.rows() > 0) {
    const MatrixXd Z = math::OrthogonalDecomposition(C, 1e-11).null_space();
    if (Z.cols() == 0) return true;
    reduced = Z.transpose() * H * Z;
  }
  return math::symmetric_eigen_pairs(0.5 * (reduced + reduced.transpose())).values[0] > 0;
}

VectorXd multipliers(const Switching::Outcome& at, const VectorXd& gradient) {
  if (at.c.size() == 0) return VectorXd(0);
  return -math::solve_least_squares(at.dc.transpose(), gradient).col(0);
}

void judge(const LinearPlan& plan, const Switching& switching, const std::vector<double>& u,
           const VectorXd& nu, SwitchingTimes& out) {
  const auto samples = switching.function(out.t, nu);
  double largest = 0;
  for (const auto& s : samples) largest = std::max(largest, std::abs(s.value));
  if (!(largest > 0)) return;
  out.keeps_sign = true;
  for (const auto& s : samples) {
    const auto piece = static_cast<std::size_t>(s.piece);
    const double other = u[piece > 0 ? piece - 1 : piece + 1];
    const bool is_switch = std::ranges::find(out.t, s.t) != out.t.end();
    if (is_switch) out.residual = std::max(out.residual, std::abs(s.value) / largest);
    const double wrong = s.value * (u[piece] - other) / std::abs(u[piece] - other);
    if (wrong > 1e-6 * largest && !is_switch && s.t != plan.end) out.keeps_sign = false;
  }
}

}  // namespace
}  // namespace switching_times

SwitchingTimes find_switching_times(const LinearPlan& plan, const SwitchingCriterion& criterion,
                                    const std::vector<double>& u, std::vector<double> t) {
  namespace parts = switching_times;
  const parts::Switching switching(plan, criterion, u);
  SwitchingTimes out;
  auto at = switching.at(t);
  VectorXd nu = VectorXd::Zero(at.c.size());
  nu = parts::multipliers(at, parts::equations_of(criterion.kind, at, nu).gradient);
  const double span = plan.end - plan.begin;
  for (; out.iterations < parts::kMaxIterations && !t.empty(); ++out.iterations) {
    const auto equations = parts::equations_of(criterion.kind, at, nu);
    if (!std::isfinite(equations.psi)) break;
    const VectorXd step = -math::solve_lu(equations.matrix, equations.right).col(0);
    if (!step.allFinite()) break;
    const VectorXd dt = step.head(std::ssize(t));
    const double part = parts::longest_step(plan, t, dt);
    for (std::size_t i = 0; i < t.size(); ++i) t[i] += part * dt[static_cast<Index>(i)];
    nu += part * step.tail(nu.size());
    at = switching.at(t);
    if (dt.cwiseAbs().maxCoeff() <= 1e-13 * span) {
      out.converged = true;
      break;
    }
  }
  const auto equations = parts::equations_of(criterion.kind, at, nu);
  out.t = t;
  out.psi = equations.psi;
  out.information = at.M;
  out.violation = at.c.size() > 0 ? at.c.cwiseAbs().maxCoeff() : 0;
  const auto m = std::ssize(t);
  if (out.converged) {
    out.is_minimum = parts::is_positive_on_null_space(equations.matrix.topLeftCorner(m, m), at.dc);
    parts::judge(plan, switching, u, nu, out);
  }
  return out;
}

std::vector<double> switching_function(const LinearPlan& plan, const SwitchingCriterion& criterion,
                                       const std::vector<double>& u, const std::vector<double>& t,
                                       const std::vector<double>& at) {
  const switching_times::Switching switching(plan, criterion, u);
  const auto samples = switching.function(t, VectorXd::Zero(plan.C.rows()), at);
  std::vector<double> out;
  for (const double time : at) {
    const auto found = std::ranges::find(samples, time, &switching_times::Switching::Sample::t);
    out.push_back(found == samples.end() ? std::nan("") : found->value);
  }
  return out;
}

}  // namespace parfait::estimate
