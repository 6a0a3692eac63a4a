#include "parfait/estimate/design/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parfait/base/error.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_selection {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kCertified = 1e-8;

/// psi of C = K M^-1 K^T and its slope F = dpsi/dC.
struct SlopeInC {
  double psi = kNever;
  MatrixXd F;
};

SlopeInC slope_in_covariance(CriterionKind kind, const MatrixXd& C, double sharpness) {
  const Index k = C.rows();
  const auto trace_like = [&] {
    return SlopeInC{std::log(C.trace()), MatrixXd::Identity(k, k) / C.trace()};
  };
  if (kind == CriterionKind::kA || kind == CriterionKind::kC ||
      kind == CriterionKind::kPrediction) {
    return trace_like();
  }
  const MatrixXd M = math::inverse(C);
  const CriterionValue value = evaluate_criterion(kind, 0.5 * (M + M.transpose()), sharpness);
  const MatrixXd half = M * value.slope;
  return {value.psi, -half * M};
}

/// The problem in variables in which everything that can be seen is seen, M regular with all
/// candidates.
class Working {
 public:
  explicit Working(const SelectionProblem& problem) : problem_(problem) {
    VectorXd all(std::ssize(problem.candidates));
    for (Index i = 0; i < all.size(); ++i) {
      all[i] = problem.candidates[static_cast<std::size_t>(i)].upper;
    }
    for (const Scenario& given : problem.scenarios) {
      const MatrixXd M = given.known + information(given.rows, all);
      const RangeOf range = range_of(M, 1e-13);
      const MatrixXd C = covariance_of(M, given.K);
      std::string open;
      for (Index i = 0; i < C.rows(); ++i) {
        if (std::isfinite(C(i, i))) continue;
        const auto at = static_cast<std::size_t>(i);
        open += (open.empty() ? "" : ", ") +
                (at < problem.names.size() ? problem.names[at] : std::to_string(i + 1));
      }
      if (!open.empty() && problem.criterion != CriterionKind::kT) {
        throw base::InputError(fmt::format(
            "even if everything that could be measured were measured, {} would not be determined "
            "(the Fisher information is singular). Observe something else, excite the system "
            "differently, give a prior, or choose criterion=\"T\".",
            open));
      }
      Scenario& own = scenarios_.emplace_back();
      own.known = range.basis.transpose() * given.known * range.basis;
      own.rows = given.rows * range.basis;
      own.K = given.K * range.basis;
    }
  }

  const SelectionProblem& problem() const { return problem_; }
  int num_scenarios() const { return static_cast<int>(scenarios_.size()); }
  const Scenario& scenario(int s) const { return scenarios_[static_cast<std::size_t>(s)]; }

  /// Of the candidates alone.
  MatrixXd information(int s, const VectorXd& w) const { return information(scenario(s).rows, w); }
  MatrixXd information(const MatrixXd& rows, const VectorXd& w) const {
    VectorXd weight = VectorXd::Zero(rows.rows());
    for (Index i = 0; i < w.size(); ++i) {
      if (w[i] == 0) continue;
      for (const int row : problem_.candidates[static_cast<std::size_t>(i)].rows) {
        weight[row] += w[i];
      }
    }
    const MatrixXd weighted = weight.cwiseSqrt().asDiagonal() * rows;
    return math::gram(weighted);
  }

  /// psi with the information of the candidates as it is, and what gains are made of.
  struct At {
    double psi = kNever;
    MatrixXd inverse;  ///< M^-1
    MatrixXd C, F;
    MatrixXd Q;  ///< M^-1 K^T F K M^-1: a row r gains r Q r^T
  };
  At look(int s, const MatrixXd& of_candidates, double sharpness) const {
    const Scenario& own = scenario(s);
    At at;
    const MatrixXd M = own.known + of_candidates;
    const auto pairs = math::symmetric_eigen_pairs(M);
    if (!M.allFinite()) return at;
    if (problem_.criterion == CriterionKind::kT) {
      const MatrixXd I = information_of(M, own.K);
      if (!(I.trace() > 0)) return at;
      at.psi = -std::log(I.trace());
    }
    if (!(pairs.values[0] > 1e-13 * pairs.values[pairs.values.size() - 1])) {
      if (problem_.criterion != CriterionKind::kT) return at;
    }
    const VectorXd inverted = pairs.values.cwiseMax(1e-13 * pairs.values.maxCoeff()).cwiseInverse();
    const MatrixXd half = pairs.vectors * inverted.asDiagonal();
    at.inverse = half * pairs.vectors.transpose();
    const MatrixXd KM = own.K * at.inverse;
    at.C = KM * own.K.transpose();
    const SlopeInC slope = slope_in_covariance(problem_.criterion, at.C, sharpness);
    at.psi = slope.psi;
    at.F = slope.F;
    const MatrixXd FK = at.F * KM;
    at.Q = KM.transpose() * FK;
    return at;
  }

  VectorXd gains(const std::vector<At>& at) const {
    VectorXd gains = VectorXd::Zero(std::ssize(problem_.candidates));
    for (int s = 0; s < num_scenarios(); ++s) {
      const MatrixXd& rows = scenario(s).rows;
      const MatrixXd RQ = rows * at[static_cast<std::size_t>(s)].Q;
      const VectorXd of_rows = RQ.cwiseProduct(rows).rowwise().sum();
      for (Index i = 0; i < gains.size(); ++i) {
        for (const int row : problem_.candidates[static_cast<std::size_t>(i)].rows) {
          gains[i] += of_rows[row] / num_scenarios();
        }
      }
    }
    return gains;
  }

  double psi(const VectorXd& w) const {
    double sum = 0;
    for (int s = 0; s < num_scenarios(); ++s) sum += look(s, information(s, w), 0).psi;
    return sum / num_scenarios();
  }

 private:
  const SelectionProblem& problem_;
  std::vector<Scenario> scenarios_;
};

std::vector<int> members(const SelectionProblem& problem, int group) {
  std::vector<int> out;
  for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
    if (problem.candidates[i].group == group) out.push_back(static_cast<int>(i));
  }
  return out;
}

bool too_close(const Candidate& a, const Candidate& b, double spacing) {
  return std::abs(a.position - b.position) < spacing * (1 - 1e-9);
}

/// The best choice of at most n candidates no two of which are too close: dynamic programming over
/// candidates in the order of their positions.
void best_spaced(const SelectionProblem& problem, std::vector<int> own, double spacing, int n,
                 const VectorXd& gains, VectorXd& w) {
  std::ranges::stable_sort(
      own, {}, [&](int i) { return problem.candidates[static_cast<std::size_t>(i)].position; });
  const auto m = static_cast<Index>(own.size());
  std::vector<Index> before(own.size());  // how many lie far enough before
  for (Index i = 0, j = 0; i < m; ++i) {
    const auto& here =
        problem.candidates[static_cast<std::size_t>(own[static_cast<std::size_t>(i)])];
    while (
        j < i &&
        !too_close(problem.candidates[static_cast<std::size_t>(own[static_cast<std::size_t>(j)])],
                   here, spacing)) {
      ++j;
    }
    before[static_cast<std::size_t>(i)] = j;
  }
  MatrixXd best = MatrixXd::Zero(m + 1, n + 1);
  for (Index i = 1; i <= m; ++i) {
    const double gain = std::max(gains[own[static_cast<std::size_t>(i - 1)]], 0.0);
    for (Index k = 1; k <= n; ++k) {
      best(i, k) =
          std::max(best(i - 1, k), gain + best(before[static_cast<std::size_t>(i - 1)], k - 1));
    }
  }
  Index k = n;
  for (Index i = m; i >= 1 && k > 0;) {
    if (best(i, k) > best(i - 1, k)) {
      w[own[static_cast<std::size_t>(i - 1)]] = 1;
      i = before[static_cast<std::size_t>(i - 1)];
      --k;
    } else {
      --i;
    }
  }
}

/// The feasible weights with the largest sum of gains: the vertex of the linear program.
VectorXd best_vertex(const SelectionProblem& problem, const VectorXd& gains) {
  VectorXd w = VectorXd::Zero(gains.size());
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const CandidateGroup& group = problem.groups[g];
    std::vector<int> own = members(problem, static_cast<int>(g));
    if (group.spacing > 0) {
      best_spaced(problem, own, group.spacing, static_cast<int>(group.budget), gains, w);
      continue;
    }
    const auto per_cost = [&](int i) {
      return gains[i] / problem.candidates[static_cast<std::size_t>(i)].cost;
    };
    std::ranges::stable_sort(own, [&](int a, int b) { return per_cost(a) > per_cost(b); });
    double left = group.budget;
    for (const int i : own) {
      const Candidate& candidate = problem.candidates[static_cast<std::size_t>(i)];
      w[i] = std::min(candidate.upper, left / candidate.cost);
      left -= w[i] * candidate.cost;
      if (!(left > 0)) break;
    }
  }
  return w;
}

/// InputError where a group cannot hold what is asked of it.
void check_groups(const SelectionProblem& problem) {
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const CandidateGroup& group = problem.groups[g];
    const auto own = members(problem, static_cast<int>(g));
    if (!group.whole) continue;
    double most = 0;
    if (group.spacing > 0) {
      VectorXd w = VectorXd::Zero(std::ssize(problem.candidates));
      best_spaced(problem, own, group.spacing, static_cast<int>(own.size()),
                  VectorXd::Ones(w.size()), w);
      most = w.sum();
    } else {
      for (const int i : own) most += problem.candidates[static_cast<std::size_t>(i)].upper;
    }
    if (group.budget > most + 1e-9) {
      throw base::InputError(fmt::format(
          "{}: {:g} are to be chosen, but there are only {:g}{}.", group.name, group.budget, most,
          group.spacing > 0 ? fmt::format(" with a spacing of {:g}", group.spacing) : ""));
    }
  }
}

/// A point of the convex hull of vertices, and its information in every scenario.
struct Atom {
  VectorXd w;
  std::vector<MatrixXd> M;
};

class Decomposition {
 public:
  explicit Decomposition(const Working& working) : working_(working) {}

  void add(const VectorXd& w) {
    Atom atom{.w = w, .M = {}};
    for (int s = 0; s < working_.num_scenarios(); ++s) {
      atom.M.push_back(working_.information(s, w));
    }
    atoms_.push_back(std::move(atom));
    shares_.conservativeResize(std::ssize(atoms_));
    shares_[shares_.size() - 1] = atoms_.size() == 1 ? 1 : 0;
  }
  void share_equally() { shares_.setConstant(1.0 / static_cast<double>(atoms_.size())); }

  VectorXd weights() const {
    VectorXd w = VectorXd::Zero(atoms_.front().w.size());
    for (std::size_t k = 0; k < atoms_.size(); ++k)
      w += shares_[static_cast<Index>(k)] * atoms_[k].w;
    return w;
  }
  const std::vector<Atom>& atoms() const { return atoms_; }

  std::vector<Working::At> look(const VectorXd& shares, double sharpness) const {
    std::vector<Working::At> at;
    for (int s = 0; s < working_.num_scenarios(); ++s) {
      const auto i = static_cast<std::size_t>(s);
      MatrixXd M = shares[0] * atoms_[0].M[i];
      for (std::size_t k = 1; k < atoms_.size(); ++k) {
        M += shares[static_cast<Index>(k)] * atoms_[k].M[i];
      }
      at.push_back(working_.look(s, M, sharpness));
    }
    return at;
  }
  std::vector<Working::At> look(double sharpness) const { return look(shares_, sharpness); }
  static double mean(const std::vector<Working::At>& at) {
    double sum = 0;
    for (const auto& one : at) sum += one.psi;
    return sum / static_cast<double>(at.size());
  }

  /// Newton's method for the shares, sum 1, none below 0; atoms that reach 0 leave.
  void distribute(double sharpness) {
    for (int iteration = 0; iteration < 60; ++iteration) {
      const auto n = static_cast<Index>(atoms_.size());
      const auto at = look(sharpness);
      const double psi = mean(at);
      if (!std::isfinite(psi) || n == 1) return;
      VectorXd g = VectorXd::Zero(n);
      MatrixXd H = MatrixXd::Zero(n, n);
      curvature(at, g, H);
      // Who would have to fall below 0 does not take part.
      std::vector<Index> free;
      for (Index k = 0; k < n; ++k) free.push_back(k);
      VectorXd step = VectorXd::Zero(n);
      while (free.size() > 1) {
        step = newton_step(g, H, free);
        Index worst = -1;
        for (std::size_t j = 0; j < free.size(); ++j) {
          if (shares_[free[j]] > 0 || step[free[j]] >= 0) continue;
          if (worst < 0 || step[free[j]] < step[free[static_cast<std::size_t>(worst)]]) {
            worst = static_cast<Index>(j);
          }
        }
        if (worst < 0) break;
        free.erase(free.begin() + worst);
        step.setZero();
      }
      const double slope = g.dot(step);
      if (!(slope < -1e-17) || step.cwiseAbs().maxCoeff() < 1e-15) break;
      double longest = 1;
      Index leaving = -1;
      for (Index k = 0; k < n; ++k) {
        if (step[k] >= 0 || shares_[k] + step[k] * longest >= 0) continue;
        longest = -shares_[k] / step[k];
        leaving = k;
      }
      double t = longest;
      bool moved = false;
      for (int trial = 0; trial < 40; ++trial, t *= 0.5) {
        VectorXd shares = (shares_ + t * step).cwiseMax(0.0);
        if (trial == 0 && leaving >= 0) shares[leaving] = 0;
        shares /= shares.sum();
        const double there = mean(look(shares, sharpness));
        if (!(there <= psi + 1e-4 * t * slope) && !(there < psi)) continue;
        shares_ = shares;
        moved = true;
        break;
      }
      drop_empty();
      if (!moved || -slope < 1e-15) break;
    }
    drop_empty();
  }

 private:
  void curvature(const std::vector<Working::At>& at, VectorXd& g, MatrixXd& H) const {
    const auto n = static_cast<Index>(atoms_.size());
    const double share = 1.0 / static_cast<double>(at.size());
    const bool is_D = working_.problem().criterion == CriterionKind::kD;
    for (std::size_t s = 0; s < at.size(); ++s) {
      const auto& here = at[s];
      const MatrixXd KM = working_.scenario(static_cast<int>(s)).K * here.inverse;
      std::vector<MatrixXd> QM, MM, FdC;
      VectorXd own(n);
      for (Index k = 0; k < n; ++k) {
        const MatrixXd& M = atoms_[static_cast<std::size_t>(k)].M[s];
        QM.emplace_back(here.Q * M);
        MM.emplace_back(here.inverse * M);
        own[k] = -QM.back().trace();
        if (is_D) {
          const MatrixXd KMM = KM * M;
          const MatrixXd dC = KMM * KM.transpose();
          FdC.emplace_back(here.F * dC);
        }
      }
      g += share * own;
      const auto k_of = static_cast<double>(here.C.rows());
      for (Index k = 0; k < n; ++k) {
        for (Index l = 0; l <= k; ++l) {
          double h = 2 * QM[static_cast<std::size_t>(k)]
                             .cwiseProduct(MM[static_cast<std::size_t>(l)].transpose())
                             .sum();
          if (is_D) {
            h -= k_of * FdC[static_cast<std::size_t>(k)]
                            .cwiseProduct(FdC[static_cast<std::size_t>(l)].transpose())
                            .sum();
          } else {
            h -= own[k] * own[l];
          }
          H(k, l) += share * h;
          if (l != k) H(l, k) += share * h;
        }
      }
    }
  }

  static VectorXd newton_step(const VectorXd& g, const MatrixXd& H,
                              const std::vector<Index>& free) {
    const auto n = static_cast<Index>(free.size());
    // The sum stays: in the differences to the mean, regularized where atoms look alike.
    MatrixXd h(n, n);
    VectorXd right(n);
    for (Index a = 0; a < n; ++a) {
      right[a] = -g[free[static_cast<std::size_t>(a)]];
      for (Index b = 0; b < n; ++b) {
        h(a, b) = H(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
      }
    }
    const MatrixXd ones = MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
    const MatrixXd P = MatrixXd::Identity(n, n) - ones;
    const MatrixXd half = P * h;
    const MatrixXd projected = half * P;
    const auto pairs = math::symmetric_eigen_pairs(0.5 * (projected + projected.transpose()));
    const VectorXd r = P * right;
    const double largest = std::max(pairs.values.cwiseAbs().maxCoeff(), 1e-300);
    VectorXd step = VectorXd::Zero(n);
    for (Index i = 0; i < n; ++i) {
      const double along = pairs.vectors.col(i).dot(r);
      const double value = std::max(std::abs(pairs.values[i]), 1e-13 * largest);
      step += along / value * pairs.vectors.col(i);
    }
    step = P * step;
    const double size = step.cwiseAbs().maxCoeff();
    if (size > 2) step *= 2 / size;
    VectorXd out = VectorXd::Zero(g.size());
    for (Index a = 0; a < n; ++a) out[free[static_cast<std::size_t>(a)]] = step[a];
    return out;
  }

  void drop_empty() {
    std::vector<Atom> kept;
    std::vector<double> shares;
    for (std::size_t k = 0; k < atoms_.size(); ++k) {
      if (!(shares_[static_cast<Index>(k)] > 1e-15)) continue;
      kept.push_back(std::move(atoms_[k]));
      shares.push_back(shares_[static_cast<Index>(k)]);
    }
    atoms_ = std::move(kept);
    shares_ = Eigen::Map<const VectorXd>(shares.data(), std::ssize(shares));
    shares_ /= shares_.sum();
  }

  const Working& working_;
  std::vector<Atom> atoms_;
  VectorXd shares_;
};

/// Feasible weights with which everything is seen: equal ones, or, where there is a spacing, what
/// is best for each variable.
void start(const Working& working, Decomposition& decomposition) {
  const SelectionProblem& problem = working.problem();
  const auto n = std::ssize(problem.candidates);
  const bool spaced =
      std::ranges::any_of(problem.groups, [](const CandidateGroup& g) { return g.spacing > 0; });
  if (!spaced) {
    VectorXd w(n);
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
      const auto own = members(problem, static_cast<int>(g));
      double most = 0;
      for (const int i : own) {
        const Candidate& c = problem.candidates[static_cast<std::size_t>(i)];
        most += c.cost * c.upper;
      }
      const double share = std::min(1.0, problem.groups[g].budget / most);
      for (const int i : own) w[i] = share * problem.candidates[static_cast<std::size_t>(i)].upper;
    }
    decomposition.add(w);
    return;
  }
  decomposition.add(best_vertex(problem, VectorXd::Ones(n)));
  for (int s = 0; s < working.num_scenarios(); ++s) {
    const MatrixXd& rows = working.scenario(s).rows;
    for (Index j = 0; j < rows.cols(); ++j) {
      VectorXd gains = VectorXd::Zero(n);
      for (Index i = 0; i < n; ++i) {
        for (const int row : problem.candidates[static_cast<std::size_t>(i)].rows) {
          gains[i] += rows(row, j) * rows(row, j);
        }
      }
      decomposition.add(best_vertex(problem, gains));
    }
  }
  decomposition.share_equally();
}

/// Whether candidate i may be measured once more.
bool fits(const SelectionProblem& problem, const VectorXd& counts, int i) {
  const Candidate& candidate = problem.candidates[static_cast<std::size_t>(i)];
  if (counts[i] + 1 > candidate.upper + 1e-9) return false;
  const double spacing = problem.groups[static_cast<std::size_t>(candidate.group)].spacing;
  if (!(spacing > 0)) return true;
  for (Index j = 0; j < counts.size(); ++j) {
    const Candidate& other = problem.candidates[static_cast<std::size_t>(j)];
    if (counts[j] > 0 && other.group == candidate.group && too_close(other, candidate, spacing)) {
      return false;
    }
  }
  return true;
}

/// Whole numbers near the weights: what they hold entirely, then the largest remainders.
VectorXd round_weights(const SelectionProblem& problem, const VectorXd& w, const VectorXd& gains) {
  VectorXd counts = VectorXd::Zero(w.size());
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const CandidateGroup& group = problem.groups[g];
    std::vector<int> own = members(problem, static_cast<int>(g));
    if (!group.whole) {
      for (const int i : own) counts[i] = w[i];
      continue;
    }
    double left = std::floor(group.budget + 1e-9);
    if (!(group.spacing > 0)) {
      for (const int i : own) {
        counts[i] = std::min(std::floor(w[i] + 1e-9), left);
        left -= counts[i];
      }
    }
    std::ranges::stable_sort(own, [&](int a, int b) {
      const double ra = w[a] - counts[a], rb = w[b] - counts[b];
      return std::abs(ra - rb) > 1e-12 ? ra > rb : gains[a] > gains[b];
    });
    for (int pass = 0; pass < 1000 && left > 0.5; ++pass) {
      bool any = false;
      for (const int i : own) {
        if (!(left > 0.5) || !fits(problem, counts, i)) continue;
        counts[i] += 1;
        left -= 1;
        any = true;
      }
      if (!any) break;
    }
  }
  return counts;
}

/// Fedorov's exchange: one measurement to another place, the best such move, while it helps.
void exchange(const Working& working, VectorXd& counts, double& psi) {
  const SelectionProblem& problem = working.problem();
  constexpr int kMostTrials = 60'000;
  int trials = 0;
  for (int pass = 0; pass < 100; ++pass) {
    std::vector<Working::At> at;
    at.reserve(static_cast<std::size_t>(working.num_scenarios()));
    for (int s = 0; s < working.num_scenarios(); ++s) {
      at.push_back(working.look(s, working.information(s, counts), 0));
    }
    const bool has_gains = std::isfinite(psi);
    const VectorXd gains = has_gains ? working.gains(at) : VectorXd::Ones(counts.size());
    double best = psi;
    int from = -1, to = -1;
    for (int i = 0; i < counts.size(); ++i) {
      const int group = problem.candidates[static_cast<std::size_t>(i)].group;
      if (!problem.groups[static_cast<std::size_t>(group)].whole || counts[i] < 1) continue;
      counts[i] -= 1;
      std::vector<int> others = members(problem, group);
      std::erase_if(others, [&](int j) { return j == i || !fits(problem, counts, j); });
      std::ranges::stable_sort(others, [&](int a, int b) { return gains[a] > gains[b]; });
      constexpr std::size_t kMost = 40;
      if (others.size() > kMost && counts.sum() * static_cast<double>(others.size()) > 4000) {
        others.resize(kMost);
      }
      for (const int j : others) {
        if (++trials > kMostTrials) break;
        counts[j] += 1;
        const double there = working.psi(counts);
        counts[j] -= 1;
        if (there < best - 1e-12) {
          best = there;
          from = i;
          to = j;
        }
      }
      counts[i] += 1;
    }
    if (from < 0) return;
    counts[from] -= 1;
    counts[to] += 1;
    psi = best;
    if (trials > kMostTrials) return;
  }
}

bool is_smooth(CriterionKind kind) {
  return kind != CriterionKind::kE && kind != CriterionKind::kMaxSd;
}

}  // namespace
}  // namespace design_selection

using design_selection::Decomposition;
using design_selection::Working;

double selection_value(const SelectionProblem& problem, const VectorXd& weights) {
  double sum = 0;
  for (const Scenario& s : problem.scenarios) {
    VectorXd weight = VectorXd::Zero(s.rows.rows());
    for (Index i = 0; i < weights.size(); ++i) {
      for (const int row : problem.candidates[static_cast<std::size_t>(i)].rows) {
        weight[row] += weights[i];
      }
    }
    const MatrixXd weighted = weight.cwiseSqrt().asDiagonal() * s.rows;
    const MatrixXd M = s.known + math::gram(weighted);
    if (problem.criterion == CriterionKind::kPrediction) {
      sum += std::log(covariance_of(M, s.K).trace());
    } else {
      sum += evaluate_criterion(problem.criterion, information_of(M, s.K)).psi;
    }
  }
  sum /= static_cast<double>(problem.scenarios.size());
  return std::isnan(sum) ? design_selection::kNever : sum;
}

VectorXd even_weights(const SelectionProblem& problem) {
  VectorXd w = VectorXd::Zero(std::ssize(problem.candidates));
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const CandidateGroup& group = problem.groups[g];
    const auto own = design_selection::members(problem, static_cast<int>(g));
    const auto m = static_cast<Index>(own.size());
    if (!group.whole) {
      double most = 0;
      for (const int i : own) {
        const Candidate& c = problem.candidates[static_cast<std::size_t>(i)];
        most += c.cost * c.upper;
      }
      for (const int i : own) {
        w[i] = std::min(1.0, group.budget / most) *
               problem.candidates[static_cast<std::size_t>(i)].upper;
      }
      continue;
    }
    const auto n = static_cast<Index>(std::lround(std::floor(group.budget + 1e-9)));
    for (Index k = 0; k < n && m > 0; ++k) {
      const Index at = n == 1 ? m / 2 : (n <= m ? k * (m - 1) / (n - 1) : k % m);
      w[own[static_cast<std::size_t>(at)]] += 1;
    }
  }
  return w;
}

Selection select(const SelectionProblem& problem) {
  design_selection::check_groups(problem);
  const Working working(problem);
  Decomposition decomposition(working);
  design_selection::start(working, decomposition);
  Selection out;
  const bool smooth = design_selection::is_smooth(problem.criterion);
  std::vector<double> sharpness = {0};
  if (!smooth) sharpness = {8, 64, 512, 0};
  for (const double q : sharpness) {
    double before = design_selection::kNever;
    for (int i = 0; i < 400; ++i, ++out.iterations) {
      decomposition.distribute(q);
      const auto at = decomposition.look(q);
      const double psi = Decomposition::mean(at);
      if (!std::isfinite(psi)) {
        throw base::InputError(
            "the Fisher information of the candidates is singular to working precision, so that no "
            "weights can be compared.");
      }
      out.gains = working.gains(at);
      out.weights = decomposition.weights();
      const VectorXd vertex = design_selection::best_vertex(problem, out.gains);
      out.gap = out.gains.dot(vertex - out.weights);
      out.convex = psi;
      if (out.gap <= 1e-12) break;
      // Where nothing is won any more, rounding is all that is left.
      if (i > 20 && !(psi < before - 1e-16)) break;
      if (q != 0 && out.gap <= 1e-4) break;
      before = psi;
      decomposition.add(vertex);
    }
  }
  out.gap = std::max(out.gap, 0.0);
  out.certified = out.gap <= design_selection::kCertified;
  if (!smooth) {
    for (const auto& at : decomposition.look(0)) {
      const bool multiple =
          problem.criterion == CriterionKind::kE
              ? has_multiple_largest(at.C, 1e-3)
              : (at.C.diagonal().array() > 0.999 * at.C.diagonal().maxCoeff()).count() > 1;
      if (multiple) {
        out.certified = false;
        out.remark =
            "the largest eigenvalue or variance is (nearly) a multiple one, where the "
            "criterion has no derivative";
      }
    }
  }
  if (!out.certified && out.remark.empty()) {
    out.remark = fmt::format("the relative gap is {:.1e}, more than {:.0e}", out.gap,
                             design_selection::kCertified);
  }

  out.counts = design_selection::round_weights(problem, out.weights, out.gains);
  out.rounded = working.psi(out.counts);
  const bool any_whole =
      std::ranges::any_of(problem.groups, [](const CandidateGroup& g) { return g.whole; });
  if (any_whole) {
    for (const auto& atom : decomposition.atoms()) {
      const VectorXd counts = design_selection::round_weights(problem, atom.w, out.gains);
      const double there = working.psi(counts);
      if (there < out.rounded) {
        out.rounded = there;
        out.counts = counts;
      }
    }
    design_selection::exchange(working, out.counts, out.rounded);
  }
  out.efficiency = std::exp(out.convex - out.rounded);
  return out;
}

}  // namespace parfait::estimate
