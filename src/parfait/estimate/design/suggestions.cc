#include "parfait/estimate/design/suggestions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/design/information.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_suggestions {
namespace {

/// Everything that the fit knows, in z = (p, xi_1, xi_2, ...), equations eliminated.
struct Whole {
  MatrixXd M;  ///< in z
  MatrixXd N;  ///< z = N eta
  MatrixXd K;  ///< parameters, relative, in z
  std::vector<std::string> names;
  std::vector<Index> first;  ///< of xi of each experiment in z

  /// The worst deviation when `more` is added to M.
  void judge(const MatrixXd& more, Suggestion& out, double& worst) const {
    const MatrixXd all = M + more;
    const MatrixXd half = N.transpose() * all;
    const MatrixXd C = covariance_of(half * N, K * N);
    worst = 0;
    out.open = 0;
    for (Index i = 0; i < C.rows(); ++i) {
      const double sd = std::sqrt(std::max(C(i, i), 0.0));
      if (!std::isfinite(sd)) ++out.open;
      if (sd > worst || out.worst.empty()) out.worst = names[static_cast<std::size_t>(i)];
      worst = std::max(worst, sd);
    }
  }
};

Whole whole_of(const PreparedProblem& prepared, const VectorXd& x) {
  const Ensemble& ensemble = prepared.ensemble();
  const Unknowns& shared = ensemble.shared();
  const auto& blocks = ensemble.blocks();
  const Index np = shared.size();
  Whole out;
  Index n = np;
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    out.first.push_back(n);
    n += blocks[static_cast<std::size_t>(e) + 1].num_local();
  }
  out.M = MatrixXd::Zero(n, n);
  std::vector<Eigen::RowVectorXd> equations;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    const Index at = b == 0 ? np : out.first[b - 1], nx = block.num_local();
    MatrixXd rows = MatrixXd::Zero(block.A.rows(), n);
    rows.leftCols(np) = block.B;
    rows.middleCols(at, nx) = block.A;
    out.M += math::gram(rows);
    const auto add = [&](const auto& by_xi, const auto& by_p) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n);
      row.head(np) = by_p;
      row.segment(at, nx) = by_xi;
      equations.push_back(row);
    };
    for (Index i = 0; i < block.C.rows(); ++i) add(block.C.row(i), block.D.row(i));
    for (Index i = 0; i < block.E.rows(); ++i) {
      if (std::abs(block.right.e[i]) <= 1e-9) add(block.E.row(i), block.F.row(i));
    }
  }
  out.N = MatrixXd::Identity(n, n);
  if (!equations.empty()) {
    MatrixXd all(std::ssize(equations), n);
    for (std::size_t i = 0; i < equations.size(); ++i)
      all.row(static_cast<Index>(i)) = equations[i];
    out.N = math::OrthogonalDecomposition(all, 1e-11).null_space();
  }
  std::vector<Eigen::RowVectorXd> K;
  const auto add_parameter = [&](const Unknowns& unknowns, int i, double at, Index column,
                                 const std::string& whose) {
    const double value = unknowns.value_of(i, at);
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n);
    row[column] = unknowns.derivative_of(i, at) / (value != 0 ? std::abs(value) : 1);
    K.push_back(row);
    out.names.push_back(unknowns.estimate(i).parameter + whose);
  };
  for (int i = 0; i < np; ++i) add_parameter(shared, i, x[i], i, "");
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    const auto& layout = ensemble.experiment(e).layout();
    const VectorXd own = ensemble.variables_of(e, x);
    const Index nx = blocks[static_cast<std::size_t>(e) + 1].num_local();
    const Index first = out.first[static_cast<std::size_t>(e)] + nx - layout.locals.size();
    if (nx < layout.locals.size()) continue;  // eliminated row by row
    for (int i = 0; i < layout.locals.size(); ++i) {
      add_parameter(layout.locals, i, own[layout.first_local + i], first + i,
                    fmt::format(" ({})", layout.id));
    }
  }
  out.K.resize(std::ssize(K), n);
  for (std::size_t i = 0; i < K.size(); ++i) out.K.row(static_cast<Index>(i)) = K[i];
  return out;
}

std::vector<double> times_of(const ExperimentDescription& e) {
  std::vector<double> times;
  for (const Measurement& m : measurements_of(e)) {
    if (kind_of(e.observations[static_cast<std::size_t>(m.observation)]).is_at_row_time()) {
      times.push_back(m.t);
    }
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// The experiment with one quantity measured instead of all, in the same variables.
ExperimentDescription with_quantity(const ExperimentDescription& e,
                                    const ExperimentCandidates::Quantity& candidate,
                                    const std::vector<double>& times) {
  ExperimentDescription out = e;
  out.requirements.clear();
  out.state_bounds.clear();
  const Horizon horizon = horizon_of(e);
  out.begin = horizon.begin;
  out.end = horizon.end;
  for (Estimate& local : out.locals) local.prior.reset();
  for (InitialState& s : out.initial) {
    if (s.kind == InitialState::Kind::kPrior) s.kind = InitialState::Kind::kFree;
  }
  out.data = {};
  out.data.header = {"t", "candidate"};
  out.data.columns = {times, std::vector<double>(times.size(), 0.0)};
  Observation o;
  o.column = "candidate";
  o.quantity = candidate.quantity;
  o.sigma.absolute = candidate.sigma;
  out.observations = {o};
  return out;
}

/// Information about p of one more experiment, made from its own start; none: it cannot be had.
bool add_repeated(const ExperimentDescription& e, const PreparedProblem& prepared,
                  const VectorXd& p, MatrixXd& more) {
  ExperimentDescription repeated = e;
  const Horizon horizon = horizon_of(e);
  repeated.begin = horizon.begin;
  repeated.end = horizon.end;
  repeated.grid = {};
  ShootingExperiment experiment(repeated, prepared.ensemble().shared(), prepared.problem().options);
  experiment.set_expected_information(true);
  VectorXd x;
  if (!experiment.initialize(p, x) || !experiment.linearize(x, p)) return false;
  Block block = experiment.block();
  if (!block.A.allFinite() || !block.B.allFinite()) return false;
  block.E.resize(0, block.E.cols());
  block.F.resize(0, block.F.cols());
  block.right.e.resize(0);
  KnownInformation known;
  add_information(block, known);
  more.topLeftCorner(p.size(), p.size()) += known.M;
  return true;
}

/// States whose initial value can be changed by itself: not the coordinates of a mechanism, which
/// its joints tie together.
std::vector<std::pair<std::string, double>> movable_states(const ExperimentDescription& e) {
  std::vector<std::pair<std::string, double>> out;
  const auto& sizes = e.system->sizes();
  const auto names = e.system->state_names();
  const bool is_tied = sizes.num_pos + sizes.num_vel > 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_tied && static_cast<int>(i) < static_cast<int>(sizes.nq + sizes.nv)) continue;
    const InitialState* rule = nullptr;
    for (const InitialState& s : e.initial) {
      if (s.state == names[i] || (s.state.empty() && rule == nullptr)) rule = &s;
    }
    if (rule != nullptr && rule->kind != InitialState::Kind::kFixed) continue;
    out.emplace_back(names[i], rule != nullptr ? rule->scale : 1);
  }
  return out;
}

}  // namespace
}  // namespace design_suggestions

std::vector<Suggestion> suggest(PreparedProblem& prepared, VecIn x,
                                const std::vector<ExperimentCandidates>& candidates) {
  std::vector<Suggestion> out;
  if (x.size() != prepared.ensemble().num_variables() || !prepared.linearize_at(x)) return out;
  const Ensemble& ensemble = prepared.ensemble();
  const VectorXd point = x;
  const design_suggestions::Whole whole = design_suggestions::whole_of(prepared, point);
  if (whole.K.rows() == 0) return out;
  const Index n = whole.M.rows(), np = ensemble.shared().size();
  const VectorXd p = point.head(np);
  Suggestion now;
  double before = 0;
  whole.judge(MatrixXd::Zero(n, n), now, before);
  const auto add = [&](const std::string& experiment, const std::string& what,
                       const MatrixXd& more) {
    Suggestion& one = out.emplace_back();
    one.experiment = experiment;
    one.what = what;
    one.before = before;
    whole.judge(more, one, one.after);
  };
  const auto& experiments = prepared.problem().experiments;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    const ExperimentDescription& described = experiments[e];
    if (!described.system) continue;
    const auto times = design_suggestions::times_of(described);
    const VectorXd own = ensemble.variables_of(static_cast<int>(e), point);
    const Index at = whole.first[e], nx = ensemble.blocks()[e + 1].num_local();
    for (const auto& candidate : candidates[e].quantities) {
      if (times.empty()) break;
      ShootingExperiment experiment(design_suggestions::with_quantity(described, candidate, times),
                                    ensemble.shared(), prepared.problem().options);
      if (!experiment.linearize(own, p)) continue;
      const Block& block = experiment.block();
      if (block.num_local() != nx || !block.A.allFinite() || !block.B.allFinite()) continue;
      MatrixXd rows = MatrixXd::Zero(block.A.rows(), n);
      rows.leftCols(np) = block.B;
      rows.middleCols(at, nx) = block.A;
      add(described.id,
          fmt::format("measure {} at the same times (sigma {:.3g})", candidate.quantity,
                      candidate.sigma),
          math::gram(rows));
    }
    const auto repeat = [&](const ExperimentDescription& changed, const std::string& what) {
      MatrixXd more = MatrixXd::Zero(n, n);
      if (design_suggestions::add_repeated(changed, prepared, p, more)) {
        add(described.id, what, more);
      }
    };
    const auto first = ensemble.experiment(static_cast<int>(e)).first_state();
    const auto names = described.system->state_names();
    for (const auto& [state, scale] : design_suggestions::movable_states(described)) {
      const auto i = std::ranges::find(names, state) - names.begin();
      if (first.size() <= i) break;
      for (const double sign : {1.0, -1.0}) {
        ExperimentDescription changed = described;
        const double value = first[i] + sign * scale;
        std::erase_if(changed.initial,
                      [&state = state](const InitialState& s) { return s.state == state; });
        changed.initial.push_back({.state = state, .value = value, .scale = scale});
        repeat(changed, fmt::format("once more with {}(0) = {:.4g}", state, value));
      }
    }
    for (const auto& input : candidates[e].inputs) {
      ExperimentDescription changed = described;
      changed.system = input.system;
      repeat(changed, fmt::format("once more with {}", input.what));
    }
  }
  std::ranges::stable_sort(out, [](const Suggestion& a, const Suggestion& b) {
    if (a.open != b.open) return a.open < b.open;
    return a.after < b.after;
  });
  return out;
}

}  // namespace parfait::estimate
