#include "parfait/estimate/fit/conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "parfait/estimate/problem/requirement_text.h"
#include "parfait/math/nonnegative_least_squares.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// What the rows of a block stand for, in their order.
struct RowNames {
  std::vector<std::string> equations, inequalities;
};

void name_requirements(const std::vector<Requirement>& requirements, RowNames& names) {
  for (const Requirement& r : requirements) {
    (r.inequality ? names.inequalities : names.equations).push_back(requirement_text(r));
  }
}

void name_bounds(const Unknowns& unknowns, RowNames& names) {
  for (const BoundRow& row : bound_rows(unknowns)) {
    const Estimate& e = unknowns.estimate(row.unknown);
    names.inequalities.push_back(
        placed(e.place, fmt::format("\"{} {} {:g}\"", e.parameter,
                                    row.upper ? "<=" : ">=", row.upper ? e.upper : e.lower)));
  }
}

/// Bounds of states are rows at every node; at the first one only if the state is free there.
void name_state_bounds(const ExperimentDescription& description, const Experiment& experiment,
                       RowNames& names) {
  const auto& nodes = experiment.layout().nodes.times;
  const auto& free = experiment.layout().initial_unknowns;
  for (const StateBounds& b : description.state_bounds) {
    const bool free_at_first = std::ranges::any_of(
        free, [&](const InitialUnknown& state) { return state.state == b.state; });
    for (std::size_t i = free_at_first ? 0 : 1; i < nodes.size(); ++i) {
      const auto add = [&](const char* sign, double limit) {
        if (!std::isfinite(limit)) return;
        names.inequalities.push_back(placed(
            b.place, fmt::format("\"{} {} {:g}\" at t = {:g}", b.state, sign, limit, nodes[i])));
      };
      add(">=", b.lower);
      add("<=", b.upper);
    }
  }
}

std::vector<RowNames> name_rows(const Problem& problem, const Ensemble& ensemble) {
  std::vector<RowNames> names(problem.experiments.size() + 1);
  name_requirements(problem.requirements, names[0]);
  name_bounds(ensemble.shared(), names[0]);
  for (std::size_t i = 0; i < problem.experiments.size(); ++i) {
    const Experiment& experiment = ensemble.experiment(static_cast<int>(i));
    name_requirements(problem.experiments[i].requirements, names[i + 1]);
    name_state_bounds(problem.experiments[i], experiment, names[i + 1]);
    name_bounds(experiment.layout().locals, names[i + 1]);
  }
  return names;
}

/// Rows of all blocks over all variables, of unit length where they depend on anything.
struct Rows {
  MatrixXd J;
  VectorXd r;
  std::vector<std::string> names;
  std::vector<bool> inequality;
};

Rows collect(const std::vector<Block>& blocks, const std::vector<RowNames>& names) {
  Index rows = 0, columns = blocks[0].num_shared();
  for (const Block& block : blocks) {
    rows += block.C.rows() + block.E.rows();
    columns += block.num_local();
  }
  Rows all{.J = MatrixXd::Zero(rows, columns), .r = VectorXd(rows), .names = {}, .inequality = {}};
  Index row = 0, column = blocks[0].num_shared();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    const auto add = [&](const MatrixXd& local, const MatrixXd& shared, const VectorXd& right,
                         const std::vector<std::string>& own, bool inequality) {
      for (Index i = 0; i < local.rows(); ++i, ++row) {
        all.J.row(row).head(block.num_shared()) = shared.row(i);
        all.J.row(row).segment(column, block.num_local()) = local.row(i);
        all.r[row] = right[i];
        const double length = all.J.row(row).norm();
        if (length > 0) {
          all.J.row(row) /= length;
          all.r[row] /= length;
        }
        const auto k = static_cast<std::size_t>(i);
        all.names.push_back(k < own.size() ? own[k] : "");
        all.inequality.push_back(inequality);
      }
    };
    add(block.C, block.D, block.right.c, names[b].equations, false);
    add(block.E, block.F, block.right.e, names[b].inequalities, true);
    column += block.num_local();
  }
  return all;
}

/// Numbers of the rows that contradict each other, or none.
std::vector<Index> find_conflict(const Rows& rows) {
  const Index m = rows.J.rows(), n = rows.J.cols();
  std::vector<Index> row_of;  // of each column; equations have one for either sign
  for (Index i = 0; i < m; ++i) {
    row_of.push_back(i);
    if (!rows.inequality[static_cast<std::size_t>(i)]) row_of.push_back(i);
  }
  const double size = m > 0 ? rows.r.cwiseAbs().maxCoeff() : 0;
  if (!(size > 0) || !std::isfinite(size)) return {};
  MatrixXd A(n + 1, static_cast<Index>(row_of.size()));
  for (Index k = 0; k < A.cols(); ++k) {
    const Index i = row_of[static_cast<std::size_t>(k)];
    const bool again = k > 0 && row_of[static_cast<std::size_t>(k) - 1] == i;
    const double sign = again ? -1 : 1;
    A.col(k).head(n) = sign * rows.J.row(i).transpose();
    A(n, k) = sign * rows.r[i] / size;
  }
  VectorXd b = VectorXd::Zero(n + 1);
  b[n] = -1;
  const VectorXd y = math::nonnegative_least_squares(A, b);
  constexpr double kRounding = 1e-6;
  if ((A * y - b).norm() > kRounding) return {};
  std::vector<Index> conflict;
  for (Index k = 0; k < y.size(); ++k) {
    if (y[k] > kRounding * y.maxCoeff()) conflict.push_back(row_of[static_cast<std::size_t>(k)]);
  }
  return conflict;
}

}  // namespace

std::string conflict_text(const Problem& problem, const Ensemble& ensemble) {
  const Rows rows = collect(ensemble.blocks(), name_rows(problem, ensemble));
  std::vector<std::string> names;
  for (const Index i : find_conflict(rows)) {
    names.push_back(rows.names[static_cast<std::size_t>(i)]);
  }
  if (names.empty()) return "";
  if (names.size() == 1) return fmt::format("{} cannot hold", names[0]);
  constexpr int kMost = 12;
  return fmt::format("these contradict each other: {}", base::listing(names, kMost));
}

}  // namespace parfait::estimate
