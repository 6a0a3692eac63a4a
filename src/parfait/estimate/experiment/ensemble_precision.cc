#include <algorithm>
#include <cmath>

#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/estimate/linear/norm_variance.h"
#include "parfait/estimate/linear/packing.h"

// Lengths of increments, and how well unknowns are known: what decides whether an increment
// matters, whatever the units. docs/theory/gauss_newton.md, G9-G12.
namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<Ensemble::Expansion> Ensemble::expansions() {
  const Index np = shared_.size();
  std::vector<std::vector<double>> parts(experiments_.size());
  for (std::size_t e = 0; e < parts.size(); ++e) {
    if (!team_.owns(static_cast<int>(e))) continue;
    const Experiment& own = *experiments_[e];
    const Index n = blocks_[e + 1].num_local();
    MatrixXd by_xi(own.layout().num_variables(), n), by_p(own.layout().num_variables(), np);
    const VectorXd no_xi = VectorXd::Zero(n), no_p = VectorXd::Zero(np);
    for (Index j = 0; j < n; ++j) by_xi.col(j) = own.expand(VectorXd::Unit(n, j), no_p, false);
    for (Index j = 0; j < np; ++j) by_p.col(j) = own.expand(no_xi, VectorXd::Unit(np, j), false);
    Packer packer(parts[e]);
    packer.put(by_xi);
    packer.put(by_p);
    packer.put(own.first_state());
  }
  team_.exchange(parts);
  std::vector<Expansion> maps(parts.size());
  for (std::size_t e = 0; e < parts.size(); ++e) {
    Unpacker unpacker(parts[e]);
    unpacker.get(maps[e].by_xi);
    unpacker.get(maps[e].by_p);
    unpacker.get(maps[e].first_state);
  }
  return maps;
}

VectorXd Ensemble::Expansion::scales(const ColumnScales& columns, int experiment) const {
  const VectorXd& xi = columns.xi[static_cast<std::size_t>(experiment) + 1];
  VectorXd squares = VectorXd::Zero(by_xi.rows());
  for (Index j = 0; j < by_xi.cols(); ++j) squares += (by_xi.col(j) / xi[j]).cwiseAbs2();
  for (Index j = 0; j < by_p.cols(); ++j) squares += (by_p.col(j) / columns.p[j]).cwiseAbs2();
  return squares.unaryExpr([](double s) { return s > 0 ? 1 / std::sqrt(s) : 0.0; });
}

namespace {

/// The largest over the nodes of what each state has at them (x, or a scale).
VectorXd largest_of_states(const NodeStates& nodes, const VectorXd& values) {
  VectorXd largest = VectorXd::Zero(static_cast<Index>(nodes.names.size()));
  for (const int first : nodes.first) {
    if (first >= 0) {
      largest = largest.cwiseMax(values.segment(first, largest.size()).cwiseAbs());
    }
  }
  return largest;
}

}  // namespace

ColumnScales Ensemble::variable_sizes(VecIn x) const {
  ColumnScales sizes;
  sizes.p.resize(shared_.size());
  for (int i = 0; i < shared_.size(); ++i) {
    sizes.p[i] = shared_.is_log(i) ? 1 / shared_.scale(i) : std::abs(x[i]);
  }
  sizes.xi.emplace_back(0);
  for (int e = 0; e < num_experiments(); ++e) {
    const ExperimentLayout& layout = experiment(e).layout();
    const double largest =
        layout.nodes.comparable ? variables_of(e, x).lpNorm<Eigen::Infinity>() : 0;
    sizes.xi.emplace_back(
        VectorXd::Constant(blocks_[static_cast<std::size_t>(e) + 1].num_local(), largest));
  }
  return sizes;
}

/// Parameters and initial states count by the lengths of their columns, in sigma of the data, but a
/// change as large as the unknown itself never more than the data as a whole: columns at a wild
/// start may be anything. The states of all nodes together count so by their size. `scale` in a
/// problem overrides.
void Ensemble::set_weights(VecIn x) {
  const auto maps = expansions();
  const ColumnScales& columns = linear_.scales();
  weights_.setOnes(num_variables());
  const double data = data_size();
  const auto capped = [&](double column, double size) {
    return data > 0 && column * size > data ? data / size : column;
  };
  for (int i = 0; i < shared_.size(); ++i) {
    const double size = shared_.is_log(i) ? 1 / shared_.scale(i) : std::abs(x[i]);
    if (!shared_.estimate(i).scale) weights_[i] = capped(columns.p[i], size);
  }
  for (int e = 0; e < num_experiments(); ++e) {
    const ExperimentLayout& layout = experiment(e).layout();
    const VectorXd own = variables_of(e, x);
    VectorXd moved = maps[static_cast<std::size_t>(e)].scales(columns, e).unaryExpr([](double s) {
      return s > 0 ? 1 / s : 0.0;
    });
    VectorXd size = own.cwiseAbs();
    VectorXd share = VectorXd::Ones(own.size());
    std::vector<bool> is_node(static_cast<std::size_t>(own.size()), false);
    // A state counts by the node where it is moved most, and all its nodes as one.
    const NodeStates& nodes = layout.nodes;
    VectorXd most = largest_of_states(nodes, moved), largest = largest_of_states(nodes, own);
    const bool comparable = nodes.comparable && most.size() > 0;
    if (comparable) {
      most.setConstant(most.maxCoeff());
      largest.setConstant(largest.maxCoeff());
      for (const InitialUnknown& state : layout.initial_unknowns) {
        moved[state.index] = std::max(moved[state.index], most[0]);
        size[state.index] = std::max(size[state.index], largest[0]);
      }
    }
    const auto num_nodes = std::ranges::count_if(nodes.first, [](int first) { return first >= 0; });
    for (const int first : nodes.first) {
      if (first < 0) continue;
      moved.segment(first, most.size()) = most;
      size.segment(first, most.size()) = largest;
      share.segment(first, most.size()).setConstant(1 / std::sqrt(static_cast<double>(num_nodes)));
      std::fill_n(is_node.begin() + first, most.size(), true);
    }
    // What neither moves nor has a size beside the others is rounding, and does not count. What
    // nothing moves: its own size counts as much as the data do.
    const double any_move = own.size() > 0 ? moved.maxCoeff() : 0;
    const double any_size = own.size() > 0 ? size.maxCoeff() : 0;
    constexpr double kRounding = 1e-13;
    VectorXd weights = VectorXd::Zero(own.size());
    for (Index i = 0; i < own.size(); ++i) {
      const bool moves = moved[i] > kRounding * any_move;
      const bool extends = size[i] > kRounding * any_size && data > 0;
      if (!moves && !extends) continue;
      const bool by_size = extends && (is_node[static_cast<std::size_t>(i)] || !moves);
      weights[i] = share[i] * (by_size ? data / size[i] : capped(1 / moved[i], size[i]));
    }
    for (int i = 0; i < layout.locals.size(); ++i) {
      if (layout.locals.estimate(i).scale) weights[layout.first_local + i] = 1;
    }
    weights_.segment(offset_of(e), own.size()) = weights;
  }
}

double Ensemble::data_size() const {
  double sum = 0;
  const auto add = [&](const std::vector<ResidualInfo>& infos, const VectorXd& r) {
    for (Index i = 0; i < r.size(); ++i) {
      const ResidualInfo& info = infos[static_cast<std::size_t>(i)];
      const double measured = info.measured / info.sigma;
      const double largest = std::max(std::abs(measured), std::abs(measured + r[i]));
      sum += largest * largest;
    }
  };
  add(shared_block_.residual_infos(), residuals_[0]);
  for (int e = 0; e < num_experiments(); ++e) {
    if (noise_of(e).model.size() > 0) {
      sum += noise_of(e).data;
    } else {
      add(experiment(e).layout().residuals, residuals_of(e));
    }
  }
  return std::sqrt(sum);
}

const LinearFit& Ensemble::linear_on_bounds(VecIn x) {
  const ColumnScales& columns = linear_.scales();
  const VectorXd all = residuals();
  const int freedom = std::max(1, static_cast<int>(all.size()) - linear_.rank());
  const double unit = std::sqrt(all.squaredNorm() / freedom);
  std::vector<Block> blocks = blocks_;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    Block& block = blocks[e];
    const auto& working = working_set_.active[e];
    std::vector<Index> on;
    for (Index i = 0; i < block.E.rows(); ++i) {
      // A distance in sigma, against the scatter of the residuals.
      constexpr double kNear = 1e-3;
      const double length =
          std::hypot(block.E.row(i).cwiseQuotient(columns.xi[e].transpose()).norm(),
                     block.F.row(i).cwiseQuotient(columns.p.transpose()).norm());
      bool is_on = std::ranges::binary_search(working, static_cast<int>(i)) &&
                   block.right.e[i] <= kNear * unit * length;
      const auto& bounds = shared_block_.bounds();
      const Index first_bound = block.E.rows() - static_cast<Index>(bounds.size());
      if (e == 0 && i >= first_bound) {
        is_on = is_at_bound(shared_, bounds[static_cast<std::size_t>(i - first_bound)],
                            x.head(shared_.size()));
      }
      if (is_on) on.push_back(i);
    }
    const Index equations = block.C.rows(), more = std::ssize(on);
    block.C.conservativeResize(equations + more, Eigen::NoChange);
    block.D.conservativeResize(equations + more, Eigen::NoChange);
    block.right.c.conservativeResize(equations + more);
    for (Index k = 0; k < more; ++k) {
      block.C.row(equations + k) = block.E.row(on[static_cast<std::size_t>(k)]);
      block.D.row(equations + k) = block.F.row(on[static_cast<std::size_t>(k)]);
    }
    block.right.c.setZero();
    block.E.resize(0, block.E.cols());
    block.F.resize(0, block.F.cols());
    block.right.e.resize(0);
  }
  const auto status = on_bounds_.factorize(blocks, options_, {}, sizes_);
  return status == LinearFit::Status::kSolved ? on_bounds_ : linear_;
}

Ensemble::Precision Ensemble::precision(VecIn x, bool with_deviations) {
  Precision precision;
  if (!options_.scale_columns) return precision;
  // Rows of the blocks, which may be fewer than the residuals: eliminated ones do not change.
  VectorXd rows(0);
  for (const Block& block : blocks_) {
    rows.conservativeResize(rows.size() + block.right.b.size());
    rows.tail(block.right.b.size()) = block.right.b;
  }
  const VectorXd left = remainder();
  precision.decrease = objective(rows) - objective(left);
  const VectorXd all = residuals();
  const bool sigma_known = sigma_known_ || is_likelihood_;
  Index eliminated = all.size() - rows.size();
  for (const auto& own : experiments_) eliminated += own->layout().num_noise_rows;
  const int rank = linear_.rank() + static_cast<int>(eliminated);
  precision.degrees_of_freedom = std::max(0, static_cast<int>(all.size()) - rank);
  precision.beta =
      precision.degrees_of_freedom > 0 || sigma_known
          ? std::sqrt(norm_variance(options_.norm, all, rank, options_.huber_gamma, sigma_known))
          : std::nan("");
  precision.misfit = objective(all);
  precision.data = data_size();
  precision.known = true;
  precision.of_squares = options_.norm == Norm::kL2 || options_.norm == Norm::kHuber;
  precision.unit = precision.of_squares
                       ? precision.beta * precision.beta
                       : objective(all) / std::max(1, precision.degrees_of_freedom);
  if (!with_deviations) return precision;

  const ColumnScales& columns = linear_.scales();
  const MatrixXd unseen = linear_.undetermined();
  precision.deviation.resize(num_variables());
  precision.size = x.cwiseAbs();
  // Entries of undetermined directions below this are rounding.
  constexpr double kSeen = 1e-5;
  const MatrixXd shared = linear_.covariance_shared();
  for (int i = 0; i < shared_.size(); ++i) {
    precision.deviation[i] =
        unseen.row(i).norm() > kSeen ? INFINITY : std::sqrt(std::max(0.0, shared(i, i)));
    if (shared_.is_log(i)) precision.size[i] = 1 / shared_.scale(i);
  }
  const auto maps = expansions();
  Index at = shared_.size();
  for (int e = 0; e < num_experiments(); ++e) {
    const ExperimentLayout& layout = experiment(e).layout();
    const Expansion& map = maps[static_cast<std::size_t>(e)];
    const VectorXd own = variables_of(e, x);
    const MatrixXd local = linear_.covariance_local(e + 1), mixed = linear_.covariance_mixed(e + 1);
    const VectorXd scales = map.scales(columns, e);
    const VectorXd& xi = columns.xi[static_cast<std::size_t>(e) + 1];
    // Of all variables: var(A xi + B p), and the undetermined directions in units of what moves
    // them.
    const MatrixXd with_xi = map.by_xi * local, with_p = 2 * map.by_xi * mixed + map.by_p * shared;
    const VectorXd variance = with_xi.cwiseProduct(map.by_xi).rowwise().sum() +
                              with_p.cwiseProduct(map.by_p).rowwise().sum();
    const MatrixXd open =
        map.by_xi * (xi.cwiseInverse().asDiagonal() * unseen.middleRows(at, xi.size())) +
        map.by_p * (columns.p.cwiseInverse().asDiagonal() * unseen.topRows(shared_.size()));
    at += xi.size();
    VectorXd size = own.cwiseAbs();
    const NodeStates& nodes = layout.nodes;
    const VectorXd largest = largest_of_states(nodes, own);
    for (const int first : nodes.first) {
      if (first >= 0) size.segment(first, largest.size()) = largest;
    }
    for (int i = 0; i < layout.locals.size(); ++i) {
      if (layout.locals.is_log(i)) size[layout.first_local + i] = 1 / layout.locals.scale(i);
    }
    for (Index i = 0; i < own.size(); ++i) {
      precision.deviation[offset_of(e) + i] =
          open.row(i).norm() * scales[i] > kSeen ? INFINITY : std::sqrt(std::max(0.0, variance[i]));
    }
    precision.size.segment(offset_of(e), own.size()) = size;
  }
  return precision;
}

}  // namespace parfait::estimate
