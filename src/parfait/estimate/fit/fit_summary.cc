#include "parfait/estimate/fit/fit_summary.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "parfait/estimate/experiment/likelihood.h"
#include "parfait/estimate/linear/packing.h"
#include "parfait/estimate/statistics/kinked_width.h"
#include "parfait/estimate/statistics/statistics.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A linear function of the increments of one experiment: rows (of x) = by_xi * xi + by_p * p.
struct RowMap {
  MatrixXd by_xi, by_p;
};

using Expansion = Ensemble::Expansion;

/// Covariances of linear functions of (xi_e, p), for data of unit variance.
class Covariances {
 public:
  Covariances(const LinearFit& linear, int num_experiments) : shared(linear.covariance_shared()) {
    for (int e = 0; e < num_experiments; ++e) {
      local.push_back(linear.covariance_local(e + 1));
      mixed.push_back(linear.covariance_mixed(e + 1));
    }
  }
  MatrixXd with_shared(int e, const RowMap& f) const {
    return f.by_xi * mixed[static_cast<std::size_t>(e)] + f.by_p * shared;
  }
  MatrixXd own(int e, const RowMap& f) const {
    const auto i = static_cast<std::size_t>(e);
    const MatrixXd with_p = f.by_xi * mixed[i], cross = with_p * f.by_p.transpose();
    return math::congruence(f.by_xi, local[i]) + cross + cross.transpose() +
           math::congruence(f.by_p, shared);
  }
  /// Of maps f of experiment e and g of experiment `other` (-1: g is of p alone).
  MatrixXd between(int e, const RowMap& f, int other, const RowMap& g) const {
    const MatrixXd with_p = with_shared(e, f);
    MatrixXd out = with_p * g.by_p.transpose();
    if (other < 0) return out;
    const auto i = static_cast<std::size_t>(other);
    if (e == other) {
      const MatrixXd own = f.by_xi * local[i] + f.by_p * mixed[i].transpose();
      return out + own * g.by_xi.transpose();
    }
    // Experiments know of each other through p alone.
    const MatrixXd through = with_p * math::pseudo_inverse(shared);
    return out + through * (g.by_xi * mixed[i]).transpose();
  }
  VectorXd variances(int e, const Expansion& f) const {
    const auto i = static_cast<std::size_t>(e);
    return row_variances({.xi = local[i], .mixed = mixed[i], .p = shared}, f.by_xi, f.by_p);
  }

  MatrixXd shared;
  std::vector<MatrixXd> local, mixed;
};

/// Of all residuals; the owner of an experiment knows what it eliminated from them.
std::vector<VectorXd> leverages_of(const Ensemble& ensemble, const Covariances& covariances,
                                   Team& team) {
  std::vector<std::vector<double>> parts(covariances.local.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!team.owns(static_cast<int>(i))) continue;
    const MatrixXd &local = covariances.local[i], &mixed = covariances.mixed[i];
    const MatrixXd& shared = covariances.shared;
    MatrixXd all(local.rows() + shared.rows(), local.rows() + shared.rows());
    all << local, mixed, mixed.transpose(), shared;
    const VectorXd h = ensemble.experiment(static_cast<int>(i)).leverages(all).cwiseMax(0.0);
    parts[i].assign(h.begin(), h.end());
  }
  team.exchange(parts);
  std::vector<VectorXd> leverages;
  leverages.reserve(parts.size());
  for (const auto& part : parts) {
    leverages.emplace_back(Eigen::Map<const VectorXd>(part.data(), std::ssize(part)));
  }
  return leverages;
}

/// The estimates that one experiment adds: local parameters and initial states, entries of its x.
struct Reported {
  std::vector<int> rows;       ///< in x of the experiment
  std::vector<double> factor;  ///< d(value)/dx
};

Reported report_experiment(const Ensemble& ensemble, int e, VecIn start, const VectorXd& x,
                           FitResult& result, std::vector<Determined>& determined) {
  const Experiment& experiment = ensemble.experiment(e);
  const VectorXd own = ensemble.variables_of(e, x), first = ensemble.variables_of(e, start);
  const Unknowns& locals = experiment.layout().locals;
  Reported reported;
  const auto bounds =
      determined_by(locals, own.segment(experiment.layout().first_local, locals.size()));
  for (int i = 0; i < locals.size(); ++i) {
    const int row = experiment.layout().first_local + i;
    const Estimate& estimate = locals.estimate(i);
    EstimateResult& out = result.estimates.emplace_back();
    out.id = estimate.parameter;
    out.experiment = experiment.id();
    out.initial = locals.value_of(i, first[row]);
    out.lower = estimate.lower;
    out.upper = estimate.upper;
    out.truth = estimate.truth;
    out.statistics.value = locals.value_of(i, own[row]);
    reported.rows.push_back(row);
    reported.factor.push_back(locals.derivative_of(i, own[row]));
    determined.push_back(bounds[static_cast<std::size_t>(i)]);
  }
  for (const InitialUnknown& state : experiment.layout().initial_unknowns) {
    EstimateResult& out = result.estimates.emplace_back();
    out.id = state.state;
    out.experiment = experiment.id();
    out.is_state = true;
    out.initial = state.scale * first[state.index];
    out.statistics.value = state.scale * own[state.index];
    reported.rows.push_back(state.index);
    reported.factor.push_back(state.scale);
    determined.push_back(Determined::kByData);
  }
  return reported;
}

MatrixXd rows_of(const MatrixXd& matrix, const std::vector<int>& rows) {
  MatrixXd out(static_cast<Index>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Index>(i)) = matrix.row(rows[i]);
  }
  return out;
}

/// What residuals with kinks say about every estimate. Blocks of experiments that eliminated
/// variables together with rows do not have them any more: these count as smooth.
class Kinks {
 public:
  Kinks(const Ensemble& ensemble, const Covariances& covariances, Index num_estimates)
      : ensemble_(ensemble), covariances_(covariances), found_(num_estimates) {}

  /// For estimates that are rows of `own`, maps of experiment f, from `first` on (f = -1: the
  /// shared parameters); `unit`: their variances for data of unit variance.
  void add(int f, const RowMap& own, Index first, const VectorXd& unit) {
    for (int e = 0; e < ensemble_.num_experiments(); ++e) {
      const RowMap rows = rows_with_kinks(e);
      if (rows.by_p.rows() == 0) continue;
      const MatrixXd with = covariances_.between(e, rows, f, own);
      for (Index j = 0; j < with.cols(); ++j) {
        KinkedRows& sums = found_[static_cast<std::size_t>(first + j)];
        for (Index i = 0; unit[j] > 0 && i < with.rows(); ++i) {
          const double w = std::abs(with(i, j)) / std::sqrt(unit[j]);
          sums.squares += w * w;
          sums.cubes += w * w * w;
        }
      }
    }
  }
  bool any() const {
    return std::ranges::any_of(found_, [](const KinkedRows& k) { return k.cubes > 0; });
  }
  FitScale widen(FitScale scale, Index i) const {
    const KinkedRows& rows = found_[static_cast<std::size_t>(i)];
    scale.individual = kinked_width(scale.individual, rows);
    scale.joint = kinked_width(scale.joint, rows);
    return scale;
  }

 private:
  RowMap rows_with_kinks(int e) const {
    const ExperimentLayout& layout = ensemble_.experiment(e).layout();
    const Block& block = ensemble_.blocks()[static_cast<std::size_t>(e) + 1];
    const auto num = std::ssize(layout.residuals);
    std::vector<int> rows;
    for (int i = 0; i < num; ++i) {
      if (layout.residuals[static_cast<std::size_t>(i)].has_kink) rows.push_back(i);
    }
    if (block.A.rows() != num + layout.num_noise_rows) rows.clear();
    return {.by_xi = rows_of(block.A, rows), .by_p = rows_of(block.B, rows)};
  }

  const Ensemble& ensemble_;
  const Covariances& covariances_;
  std::vector<KinkedRows> found_;
};

/// Value, sd and intervals of an estimate; parameters with log have intervals of their own kind.
void set_statistics(const Unknowns* unknowns, int i, double x, double variance,
                    Determined determined, const FitScale& scale, double factor,
                    EstimateResult& out) {
  if (unknowns != nullptr) {
    out.statistics = parameter_statistics(*unknowns, i, x, variance, determined, scale);
    return;
  }
  ParameterStatistics& s = out.statistics;
  s.determined = determined;
  s.sd = determined == Determined::kUndetermined
             ? kInfinity
             : scale.beta() * std::sqrt(std::max(0.0, variance)) * std::abs(factor);
  s.individual = {s.value - scale.individual * s.sd, s.value + scale.individual * s.sd};
  s.joint = {s.value - scale.joint * s.sd, s.value + scale.joint * s.sd};
}

void fill_experiment(const Ensemble& ensemble, int e, const Expansion& expansion,
                     const Covariances& covariances, const FitScale& scale, const VectorXd& x,
                     const VectorXd& leverages, ExperimentResult& out) {
  const Experiment& experiment = ensemble.experiment(e);
  const VectorXd& r = ensemble.residuals_of(e);
  const auto& infos = experiment.layout().residuals;
  const NoiseValues& noise = ensemble.noise_of(e);
  const bool has_noise = noise.model.size() == r.size() && r.size() > 0;
  out.id = experiment.id();
  out.residuals.reserve(static_cast<std::size_t>(r.size()));
  for (Index i = 0; i < r.size(); ++i) {
    ResidualInfo info = infos[static_cast<std::size_t>(i)];
    if (has_noise) info.sigma = noise.sigma[i];
    const double unit = has_noise ? std::abs(noise.unit[i]) : info.sigma;
    out.residuals.push_back(
        {.info = info,
         .model = has_noise ? noise.model[i] : info.measured + r[i] * info.sigma,
         .weighted = r[i],
         .sd_model = scale.beta() * unit * std::sqrt(leverages[i])});
  }
  out.runs = math::runs_test({r.data(), static_cast<std::size_t>(r.size())});

  const NodeStates& nodes = experiment.layout().nodes;
  out.state_names = nodes.names;
  out.node_times = nodes.times;
  const auto ny = static_cast<Index>(nodes.names.size());
  const auto num_nodes = static_cast<Index>(nodes.times.size());
  if (ny == 0) return;
  const VectorXd variance = covariances.variances(e, expansion);
  const VectorXd own = ensemble.variables_of(e, x);
  out.nodes.setConstant(ny, num_nodes, std::nan(""));
  out.nodes_sd.setConstant(ny, num_nodes, std::nan(""));
  for (Index i = 0; i < num_nodes; ++i) {
    const int first = nodes.first[static_cast<std::size_t>(i)];
    if (first < 0) {
      if (expansion.first_state.size() == ny) out.nodes.col(i) = expansion.first_state;
      continue;
    }
    out.nodes.col(i) = own.segment(first, ny).cwiseProduct(nodes.scale);
    out.nodes_sd.col(i) =
        scale.beta() *
        variance.segment(first, ny).cwiseMax(0.0).cwiseSqrt().cwiseProduct(nodes.scale);
  }
}

/// Deviations are those of a minimum: where an unfinished fit is still more than one of them away,
/// they mean nothing.
void forget_far_deviations(Ensemble& ensemble, FitResult& result) {
  const VectorXd moved = result.x + ensemble.increment();
  const auto precision = ensemble.precision(result.x, false);
  // Residuals that one step would make much smaller are no scatter of the data.
  const double scatter =
      ensemble.is_likelihood() ? ensemble.residuals().squaredNorm() : result.objective;
  const bool far = precision.known && precision.decrease > 0.1 * scatter;
  FitResult there = result;
  set_shifts(ensemble, moved, there);
  for (std::size_t i = 0; i < result.estimates.size(); ++i) {
    ParameterStatistics& s = result.estimates[i].statistics;
    const auto& shift = there.estimates[i].shift;
    if (!far && std::isfinite(s.sd) && s.sd > 0 && shift && std::abs(*shift) <= 1) continue;
    if (s.determined == Determined::kUndetermined) continue;
    s.sd = std::nan("");
    s.individual = s.joint = {std::nan(""), std::nan("")};
  }
}

/// Orthonormal columns that span the same space; fewer if they depend on each other.
MatrixXd orthonormal(const MatrixXd& columns) {
  if (columns.cols() == 0) return columns;
  const math::PivotedQr qr(columns, 1e-8);
  return qr.Q(qr.rank());
}

/// What an estimate is part of if constraints tie it to others: a coordinate or velocity of a
/// mechanism at the start ("Arm.e1.x"). External states stand for themselves.
std::string owner_of(const Problem& problem, const EstimateResult& e) {
  if (!e.is_state) return "";
  const auto found =
      std::ranges::find(problem.experiments, e.experiment, &ExperimentDescription::id);
  const dynamics::Sizes& sizes = found->system->sizes();
  if (sizes.num_pos + sizes.num_vel == 0) return "";
  const auto names = found->system->state_names();
  if (std::ranges::find(names, e.id) - names.begin() >= sizes.nq + sizes.nv) return "";
  const std::string owner = e.id.substr(0, e.id.find('.'));
  return problem.experiments.size() == 1
             ? fmt::format("the initial state of {}", owner)
             : fmt::format("the initial state of {} ({})", owner, e.experiment);
}

/// The prior of a parameter, shared or of one experiment.
std::optional<double> prior_sigma_of(const Problem& problem, const EstimateResult& e) {
  const std::vector<Estimate>* list = &problem.estimates;
  for (const auto& experiment : problem.experiments) {
    if (experiment.id == e.experiment) list = &experiment.locals;
  }
  const auto found = std::ranges::find(*list, e.id, &Estimate::parameter);
  if (e.is_state || found == list->end() || !found->prior) return {};
  return found->prior->sigma;
}

void set_classes(const Problem& problem, const IdentifiabilityInput& input, FitResult& result) {
  std::vector<ClassifiedParameter> parameters;
  parameters.reserve(result.estimates.size());
  for (std::size_t i = 0; i < result.estimates.size(); ++i) {
    const EstimateResult& e = result.estimates[i];
    parameters.push_back({.name = input.names[i],
                          .determined = e.statistics.determined,
                          .value = e.statistics.value,
                          .sd = e.statistics.sd,
                          .lower = e.lower,
                          .upper = e.upper,
                          .is_log = input.is_log[i],
                          .prior_sigma = prior_sigma_of(problem, e)});
  }
  const auto classes = classify(parameters, result.scale, result.identifiability);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    result.estimates[i].parameter_class = classes[i];
  }
}

/// What the data can and cannot determine, in words.
void explain(const Problem& problem, const Ensemble& ensemble, const std::vector<Expansion>& maps,
             const std::vector<Reported>& reported, const MatrixXd& directions,
             const VectorXd& lengths, const VectorXd& factor, FitResult& result) {
  const auto n = static_cast<Index>(result.estimates.size());
  const int np = ensemble.shared().size();
  IdentifiabilityInput input;
  input.values.resize(n);
  for (Index i = 0; i < n; ++i) {
    const EstimateResult& e = result.estimates[static_cast<std::size_t>(i)];
    const std::string name = e.is_state ? e.id + "(0)" : e.id;
    input.names.push_back(e.experiment.empty() || ensemble.num_experiments() == 1
                              ? name
                              : fmt::format("{} ({})", name, e.experiment));
    input.values[i] = e.statistics.value;
  }
  input.dp_dx = factor.cwiseQuotient(lengths);
  input.undetermined = orthonormal(directions);
  input.correlation = result.correlation;
  for (const auto& e : result.estimates) input.part_of.push_back(owner_of(problem, e));
  input.is_log.assign(static_cast<std::size_t>(n), false);
  for (int i = 0; i < np; ++i)
    input.is_log[static_cast<std::size_t>(i)] = ensemble.shared().is_log(i);
  input.column_norms = MatrixXd::Zero(ensemble.num_experiments(), n);
  Index at = np;
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    const auto i = static_cast<std::size_t>(e);
    const Block& block = ensemble.blocks()[i + 1];
    const Unknowns& locals = ensemble.experiment(e).layout().locals;
    input.experiments.push_back(ensemble.experiment(e).id());
    input.column_norms.row(e).head(np) = block.B.colwise().norm();
    // xi as a function of what is reported of it: A by those columns.
    const MatrixXd own = rows_of(maps[i].by_xi, reported[i].rows);
    if (own.rows() > 0) {
      const MatrixXd inverse = math::pseudo_inverse(own);
      input.column_norms.row(e).segment(at, own.rows()) = (block.A * inverse).colwise().norm();
    }
    for (int k = 0; k < locals.size(); ++k) {
      input.is_log[static_cast<std::size_t>(at) + static_cast<std::size_t>(k)] = locals.is_log(k);
    }
    at += own.rows();
  }
  input.column_norms.array().rowwise() /= lengths.transpose().array();
  result.identifiability = diagnose(input);
  set_classes(problem, input, result);
}

/// log L of the measurements and log of the priors, at the last point.
LikelihoodSummary likelihood_of(const Ensemble& ensemble, const FitResult& result) {
  LikelihoodSummary out{.is_objective = ensemble.is_likelihood(),
                        .num_parameters = static_cast<int>(result.estimates.size())};
  double measured = 0, squares = 0, prior = 0;  // -2 log L, the part of it that beta divides
  const auto add_priors = [&](const std::vector<ResidualInfo>& infos, const VectorXd& r) {
    for (std::size_t k = 0; k < infos.size(); ++k) {
      if (infos[k].prior) prior += normal_cost(r[static_cast<Index>(k)], infos[k].sigma);
    }
  };
  const VectorXd all = ensemble.residuals();
  const auto shared = ensemble.shared_block().residual_infos();
  add_priors(shared, all.head(static_cast<Index>(shared.size())));
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    const auto& infos = ensemble.experiment(e).layout().residuals;
    const VectorXd& r = ensemble.residuals_of(e);
    const double before = prior;
    add_priors(infos, r);
    const NoiseValues& noise = ensemble.noise_of(e);
    const bool has_noise = noise.model.size() > 0;
    if (has_noise) measured += noise.cost - (prior - before);
    for (std::size_t k = 0; k < infos.size(); ++k) {
      if (infos[k].prior) continue;
      const double x = r[static_cast<Index>(k)];
      if (!has_noise) measured += normal_cost(x, infos[k].sigma);
      squares += x * x;
      ++out.num_measurements;
    }
  }
  if (!out.is_objective && !result.scale.sigma_known) {
    // beta^2 = squares / n in sigma beta: n log beta^2 more, and n instead of the squares.
    const double n = out.num_measurements;
    measured += n * std::log(squares / n) + n - squares;
    ++out.num_parameters;
  }
  out.log_likelihood = -measured / 2;
  out.log_prior = -prior / 2;
  return out;
}

}  // namespace

void summarize(const Problem& problem, Ensemble& ensemble, Team& team, VecIn start,
               FitResult& result) {
  const VectorXd& x = result.x;
  const LinearFit& linear = ensemble.linear_on_bounds(x);
  const Unknowns& shared = ensemble.shared();
  const int num_experiments = ensemble.num_experiments();
  const VectorXd residuals = ensemble.residuals();
  result.objective = result.iteration.objective;

  // Unknowns of single rows, eliminated within their experiments, used up as many residuals.
  Index block_rows = 0;
  for (const Block& block : ensemble.blocks()) block_rows += block.A.rows();
  for (int e = 0; e < num_experiments; ++e) {
    block_rows -= ensemble.experiment(e).layout().num_noise_rows;
  }
  result.rank = linear.rank() + static_cast<int>(residuals.size() - block_rows);
  const FitOptions& options = problem.options;
  result.scale = make_fit_scale(residuals, result.rank,
                                {.norm = options.linear.norm,
                                 .huber_gamma = options.linear.huber_gamma,
                                 .sigma_known = options.sigma_known,
                                 .is_likelihood = ensemble.is_likelihood(),
                                 .confidence = options.confidence});

  const auto maps = ensemble.expansions();
  const Covariances covariances(linear, num_experiments);
  const MatrixXd unseen = linear.undetermined();

  // Who is estimated: shared parameters, then each experiment's own.
  const int np = shared.size();
  result.num_shared = np;
  std::vector<Determined> determined = determined_by(shared, x.head(np));
  for (int i = 0; i < np; ++i) {
    const Estimate& estimate = shared.estimate(i);
    EstimateResult& out = result.estimates.emplace_back();
    out.id = estimate.parameter;
    out.initial = shared.value_of(i, start[i]);
    out.lower = estimate.lower;
    out.upper = estimate.upper;
    out.truth = estimate.truth;
  }
  std::vector<Reported> reported;
  reported.reserve(static_cast<std::size_t>(num_experiments));
  for (int e = 0; e < num_experiments; ++e) {
    reported.push_back(report_experiment(ensemble, e, start, x, result, determined));
  }
  const auto n = static_cast<Index>(result.estimates.size());

  // Their covariance for data of unit variance, and the directions that are not determined, both in
  // scaled unknowns. Experiments know of each other through p alone.
  MatrixXd unit = MatrixXd::Zero(n, n), directions(n, unseen.cols());
  // Directions are in units of the data: each unknown times the length of its column.
  const ColumnScales& columns = linear.scales();
  VectorXd lengths(n);
  lengths.head(np) = columns.p;
  unit.topLeftCorner(np, np) = covariances.shared;
  directions.topRows(np) = unseen.topRows(np);
  const MatrixXd weight = np > 0 ? math::pseudo_inverse(covariances.shared) : MatrixXd(0, 0);
  std::vector<MatrixXd> to_shared;
  std::vector<Index> first_row;
  Index at = np, xi_at = np;
  for (int e = 0; e < num_experiments; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const RowMap own{.by_xi = rows_of(maps[i].by_xi, reported[i].rows),
                     .by_p = rows_of(maps[i].by_p, reported[i].rows)};
    const Index rows = own.by_xi.rows(), nxi = own.by_xi.cols();
    unit.block(at, at, rows, rows) = covariances.own(e, own);
    to_shared.push_back(covariances.with_shared(e, own));
    unit.block(at, 0, rows, np) = to_shared[i];
    unit.block(0, at, np, rows) = to_shared[i].transpose();
    for (std::size_t f = 0; f < i; ++f) {
      const MatrixXd weighted = to_shared[i] * weight;
      const MatrixXd cross = weighted * to_shared[f].transpose();
      unit.block(at, first_row[f], rows, cross.cols()) = cross;
      unit.block(first_row[f], at, cross.cols(), rows) = cross.transpose();
    }
    const VectorXd scales = maps[i].scales(columns, e);
    for (std::size_t k = 0; k < reported[i].rows.size(); ++k) {
      const double scale = scales[reported[i].rows[k]];
      lengths[at + static_cast<Index>(k)] = scale > 0 ? scale : 1;
    }
    const MatrixXd by_xi = own.by_xi * columns.xi[i + 1].cwiseInverse().asDiagonal();
    const MatrixXd by_p = own.by_p * columns.p.cwiseInverse().asDiagonal();
    directions.middleRows(at, rows) =
        by_xi * unseen.middleRows(xi_at, nxi) + by_p * unseen.topRows(np);
    directions.middleRows(at, rows).array().colwise() *= lengths.segment(at, rows).array();
    first_row.push_back(at);
    at += rows;
    xi_at += nxi;
  }
  mark_undetermined(directions, determined);

  Kinks kinks(ensemble, covariances, n);
  kinks.add(-1, {.by_xi = MatrixXd(np, 0), .by_p = MatrixXd::Identity(np, np)}, 0,
            unit.diagonal().head(np));
  for (int e = 0; e < num_experiments; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const RowMap own{.by_xi = rows_of(maps[i].by_xi, reported[i].rows),
                     .by_p = rows_of(maps[i].by_p, reported[i].rows)};
    kinks.add(e, own, first_row[i], unit.diagonal().segment(first_row[i], own.by_p.rows()));
  }
  if (kinks.any()) {
    result.scale.convention += "; of Laplace errors as far as the expected score says (L6)";
  }

  // In the units of the parameters.
  VectorXd factor(n);
  for (int i = 0; i < np; ++i) {
    factor[i] = shared.derivative_of(i, x[i]);
    set_statistics(&shared, i, x[i], unit(i, i), determined[static_cast<std::size_t>(i)],
                   kinks.widen(result.scale, i), factor[i],
                   result.estimates[static_cast<std::size_t>(i)]);
  }
  for (int e = 0; e < num_experiments; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const Unknowns& locals = ensemble.experiment(e).layout().locals;
    const VectorXd own = ensemble.variables_of(e, x);
    for (std::size_t k = 0; k < reported[i].rows.size(); ++k) {
      const Index row = first_row[i] + static_cast<Index>(k);
      factor[row] = reported[i].factor[k];
      const bool local = static_cast<int>(k) < locals.size();
      set_statistics(local ? &locals : nullptr, static_cast<int>(k), own[reported[i].rows[k]],
                     unit(row, row), determined[static_cast<std::size_t>(row)],
                     kinks.widen(result.scale, row), factor[row],
                     result.estimates[static_cast<std::size_t>(row)]);
    }
  }
  if (!result.converged()) forget_far_deviations(ensemble, result);
  result.covariance = result.scale.beta2 * factor.asDiagonal() * unit * factor.asDiagonal();
  for (Index i = 0; i < n; ++i) {
    const double sd = result.estimates[static_cast<std::size_t>(i)].statistics.sd;
    if (determined[static_cast<std::size_t>(i)] == Determined::kByData && std::isfinite(sd)) {
      continue;
    }
    result.covariance.row(i).setConstant(std::nan(""));
    result.covariance.col(i).setConstant(std::nan(""));
  }
  result.correlation = correlation_of(result.covariance);

  // Residuals and nodes.
  const auto leverages = leverages_of(ensemble, covariances, team);
  for (int e = 0; e < num_experiments; ++e) {
    const auto i = static_cast<std::size_t>(e);
    fill_experiment(ensemble, e, maps[i], covariances, result.scale, x, leverages[i],
                    result.experiments.emplace_back());
  }
  std::vector<double> all, leverage;
  for (int e = 0; e < num_experiments; ++e) {
    const VectorXd& r = ensemble.residuals_of(e);
    all.insert(all.end(), r.begin(), r.end());
    const VectorXd& h = leverages[static_cast<std::size_t>(e)];
    leverage.insert(leverage.end(), h.begin(), h.end());
  }
  if (options.linear.norm == Norm::kL2) result.likelihood = likelihood_of(ensemble, result);
  // Who stops a fit of a million residuals does not wait for their order.
  if (result.iteration.status != GaussNewtonResult::Status::kInterrupted) {
    result.normality = math::normality_test(all);
  }
  constexpr int kMostOutliers = 5;
  const bool robust = options.linear.norm == Norm::kL1 || options.linear.norm == Norm::kHuber;
  // Before the end residuals show how far it is away.
  if (result.converged()) {
    result.outliers = robust && !result.scale.sigma_known
                          ? math::largest_robust_outliers(all, result.rank, kMostOutliers)
                          : math::largest_outliers(all, leverage, result.scale.degrees_of_freedom,
                                                   result.scale.sigma_known, kMostOutliers);
  }
  if (result.converged() && !linear.full_rank()) {
    result.warnings.push_back(
        fmt::format("the data determine {} of {} free directions only: where the others lie is "
                    "arbitrary",
                    linear.rank(), linear.num_free()));
  }
  if (n > 0) explain(problem, ensemble, maps, reported, directions, lengths, factor, result);
}

void set_shifts(const Ensemble& ensemble, VecIn moved, FitResult& result) {
  std::size_t at = 0;
  const auto set = [&](double value) {
    EstimateResult& out = result.estimates[at++];
    if (out.statistics.sd > 0 && std::isfinite(out.statistics.sd)) {
      out.shift = (value - out.statistics.value) / out.statistics.sd;
    }
  };
  const Unknowns& shared = ensemble.shared();
  for (int i = 0; i < shared.size(); ++i) set(shared.value_of(i, moved[i]));
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    const Experiment& experiment = ensemble.experiment(e);
    const VectorXd own = ensemble.variables_of(e, moved);
    const Unknowns& locals = experiment.layout().locals;
    for (int i = 0; i < locals.size(); ++i) {
      set(locals.value_of(i, own[experiment.layout().first_local + i]));
    }
    for (const auto& state : experiment.layout().initial_unknowns) {
      set(state.scale * own[state.index]);
    }
  }
}

}  // namespace parfait::estimate
