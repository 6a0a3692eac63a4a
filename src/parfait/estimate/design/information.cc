#include "parfait/estimate/design/information.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_information {
namespace {

MatrixXd below(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows() + b.rows(), std::max(a.cols(), b.cols()));
  out << a, b;
  return out;
}

/// Rows of inequalities that hold as equations.
std::vector<Index> active_rows(const Block& block) {
  std::vector<Index> rows;
  for (Index i = 0; i < block.right.e.size(); ++i) {
    if (std::abs(block.right.e[i]) <= 1e-9) rows.push_back(i);
  }
  return rows;
}

/// Nodes and weights of Gauss-Legendre on (0, 1), four points.
constexpr std::array<double, 4> kGaussNode = {0.06943184420297371, 0.33000947820757187,
                                              0.6699905217924281, 0.9305681557970263};
constexpr std::array<double, 4> kGaussWeight = {0.17392742256872692, 0.32607257743127307,
                                                0.32607257743127307, 0.17392742256872692};

struct Cells {
  std::vector<double> t, length;
};
Cells cells_of(const Continuous& continuous, const Samples& samples) {
  Cells cells;
  const auto times = samples.all_times();
  const double begin = times.front(), end = times.back();
  const auto n = static_cast<int>(times.size());
  if (!continuous.gauss) {
    for (int i = 0; i < n; ++i) {
      cells.t.push_back(begin + (end - begin) * (i + 0.5) / n);
      cells.length.push_back((end - begin) / n);
    }
    return cells;
  }
  const int panels = std::max(1, n / 4);
  for (int i = 0; i < panels; ++i) {
    for (std::size_t k = 0; k < kGaussNode.size(); ++k) {
      cells.t.push_back(begin + (end - begin) * (i + kGaussNode[k]) / panels);
      cells.length.push_back((end - begin) * kGaussWeight[k] / panels);
    }
  }
  return cells;
}

/// Standard deviations that depend on what will be measured need the model's values first.
bool needs_values(const ExperimentDescription& e) {
  return std::ranges::any_of(e.observations, [](const Observation& o) {
    return o.sigma.relative != 0 || o.noise.scale != ValueScale::kLinear;
  });
}

/// What is measured (0 everywhere) and, after it, what is predicted.
struct Table {
  Data data;
  std::vector<Observation> observations;
};

Table table_of(const PlannedExperiment& planned, const ExperimentDescription& e,
               const std::vector<double>& times) {
  Table out;
  out.observations = e.observations;
  std::vector<double> all = times;
  for (const auto& prediction : planned.predictions) {
    all.insert(all.end(), prediction.at.begin(), prediction.at.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  out.data.time = e.data.time;
  out.data.header = {e.data.time};
  out.data.columns = {all};
  const auto add = [&](const std::string& column, const std::vector<double>& at) {
    out.data.header.push_back(column);
    std::vector<double> cells(all.size(), std::nan(""));
    for (const double t : at) {
      cells[static_cast<std::size_t>(std::ranges::lower_bound(all, t) - all.begin())] = 0;
    }
    out.data.columns.push_back(std::move(cells));
  };
  for (const Observation& o : e.observations) add(o.column, times);
  for (std::size_t i = 0; i < planned.predictions.size(); ++i) {
    Observation o;
    o.column = fmt::format("prediction {}", i + 1);
    o.quantity = planned.predictions[i].quantity;
    o.place = planned.predictions[i].place;
    add(o.column, planned.predictions[i].at);
    out.observations.push_back(std::move(o));
  }
  return out;
}

}  // namespace
}  // namespace design_information

void add_information(const Block& block, KnownInformation& known) {
  const Index np = block.num_shared();
  if (known.M.rows() == 0) {
    known.M = MatrixXd::Zero(np, np);
    known.equations.resize(0, np);
  }
  MatrixXd C = block.C, D = block.D;
  for (const Index i : design_information::active_rows(block)) {
    C = design_information::below(C, block.E.row(i));
    D = design_information::below(D, block.F.row(i));
  }
  MatrixXd A = block.A, B = block.B;
  if (C.rows() > 0) {
    if (C.cols() > 0) {
      // C xi + D p = 0: xi = -C^+ D p + Z eta, and what is left of the equations is about p.
      const math::OrthogonalDecomposition qr(C, 1e-11);
      const MatrixXd inverse = qr.pseudo_inverse();
      const MatrixXd by_p = inverse * D;
      B -= A * by_p;
      A = A * qr.null_space();
      const MatrixXd rest = qr.left_null_space().transpose() * D;
      if (rest.rows() > 0 && rest.norm() > 1e-12 * (1 + D.norm())) {
        known.equations = design_information::below(known.equations, rest);
      }
    } else {
      known.equations = design_information::below(known.equations, D);
    }
  }
  MatrixXd M = math::gram(B);
  if (A.cols() > 0) {
    const RangeOf range = range_of(math::gram(A));
    const MatrixXd Q = A * range.basis;  // orthonormal columns
    const MatrixXd seen = Q.transpose() * B;
    M -= math::gram(seen);
  }
  known.M += 0.5 * (M + M.transpose());
}

KnownInformation information_of(const Ensemble& ensemble) {
  KnownInformation known;
  for (const Block& block : ensemble.blocks()) add_information(block, known);
  return known;
}

PlannedBlock linearize_planned(const PlannedExperiment& planned, ExperimentDescription e,
                               const Unknowns& shared, VecIn p, const FitOptions& given,
                               const std::vector<integrate::Record>* repeat) {
  PlannedBlock out;
  FitOptions options = given;
  if (options.reduction == ReductionMethod::kFixedFit) {
    options.reduction = ReductionMethod::kAutomatic;  // there is one interval
  }
  std::vector<double> times = e.samples->all_times();
  std::map<double, double> lengths;
  if (planned.continuous) {
    const auto cells = design_information::cells_of(*planned.continuous, *e.samples);
    times = cells.t;
    for (std::size_t i = 0; i < times.size(); ++i) lengths[times[i]] = cells.length[i];
    for (Observation& o : e.observations)
      o.sigma = {.absolute = std::sqrt(planned.continuous->density)};
  }
  for (const Observation& o : e.observations) {
    if (kind_of(o).is_collective() || !kind_of(o).is_at_row_time()) {
      throw base::InputError(
          o.place,
          fmt::format("experiment \"{}\", observe \"{}\": of a planned experiment quantities "
                      "at times are observed; \"{}\" cannot be planned.",
                      e.id, o.column, kind_of(o).key()));
    }
    if (o.sigma.formula.empty()) continue;
    throw base::InputError(o.place,
                           fmt::format("experiment \"{}\", observe \"{}\": of a planned experiment "
                                       "sigma is a number, or relative.",
                                       e.id, o.column));
  }
  const auto num_observed = std::ssize(e.observations);
  design_information::Table table = design_information::table_of(planned, e, times);
  e.data = std::move(table.data);
  const bool with_values = design_information::needs_values(e);
  e.observations = std::move(table.observations);
  e.grid = {};
  e.samples.reset();
  e.state_bounds.clear();
  const auto fill = [&](ExperimentDescription& to) -> bool {
    // Every cell 0 +- 1: residuals are the values.
    ExperimentDescription exact = to;
    for (Observation& o : exact.observations) {
      o.sigma = {.absolute = 1};
      o.noise = {};
    }
    exact.requirements.clear();
    const Horizon horizon = horizon_of(to);
    exact.begin = horizon.begin;
    exact.end = horizon.end;
    ShootingExperiment experiment(exact, shared, options);
    if (repeat != nullptr) experiment.repeat_steps(*repeat);
    VectorXd x;
    if (!experiment.initialize(p, x) || !experiment.evaluate(x, p)) {
      out.why = experiment.why();
      return false;
    }
    const auto cells = measurements_of(exact);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Observation& o = to.observations[static_cast<std::size_t>(cells[i].observation)];
      const int c = to.data.find_column(o.column);
      to.data.columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(cells[i].row)] =
          experiment.residuals()[static_cast<Index>(i)];
    }
    return true;
  };
  if (with_values && !fill(e)) return out;
  const auto cells = measurements_of(e);
  ShootingExperiment experiment(e, shared, options);
  experiment.set_expected_information(true);
  repeat != nullptr ? experiment.repeat_steps(*repeat) : experiment.keep_steps();
  VectorXd x;
  if (!experiment.initialize(p, x) || !experiment.linearize(x, p)) {
    out.why = experiment.why();
    return out;
  }
  if (repeat == nullptr) out.steps = experiment.kept_steps();
  const Block& block = experiment.block();
  if (!block.A.allFinite() || !block.B.allFinite()) {
    out.why = fmt::format("experiment \"{}\": derivatives are not finite", e.id);
    return out;
  }
  const Index na = block.A.cols(), nb = block.B.cols();
  std::vector<Index> measured, predicted, prior;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].observation < num_observed) {
      const double t = cells[i].t;
      const auto length = lengths.find(t);
      out.rows.push_back({.t = t,
                          .column = cells[i].observation,
                          .weight = length == lengths.end() ? 1 : length->second});
      measured.push_back(static_cast<Index>(i));
    } else {
      predicted.push_back(static_cast<Index>(i));
    }
  }
  for (Index i = std::ssize(cells); i < block.A.rows(); ++i) prior.push_back(i);
  const auto take = [&](const std::vector<Index>& rows, MatrixXd& A, MatrixXd& B) {
    A.resize(std::ssize(rows), na);
    B.resize(std::ssize(rows), nb);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      A.row(static_cast<Index>(i)) = block.A.row(rows[i]);
      B.row(static_cast<Index>(i)) = block.B.row(rows[i]);
    }
  };
  take(measured, out.A, out.B);
  take(predicted, out.predict_A, out.predict_B);
  take(prior, out.prior_A, out.prior_B);
  Index num_equations = 0;
  for (const auto& r : e.requirements) num_equations += r.inequality ? 0 : 1;
  out.equations = block.right.c.head(num_equations);
  out.inequalities = block.right.e.head(std::ssize(e.requirements) - num_equations);
  return out;
}

namespace design_information {
namespace {

/// The group of all that cannot be chosen: it is measured.
int everything(Candidates& out, const std::string& name, double budget) {
  out.groups.push_back({.name = name, .budget = budget});
  return static_cast<int>(out.groups.size()) - 1;
}

void add_chosen(const PlannedExperiment& planned, int e, const std::vector<PlannedRow>& rows,
                int first, Candidates& out) {
  const Choice& choice = planned.choice;
  const std::string name = fmt::format("experiment \"{}\"", planned.base.id);
  const auto put = [&](Candidate candidate, const std::string& label) {
    out.list.push_back(std::move(candidate));
    out.experiment.push_back(e);
    out.label.push_back(label);
  };
  if (planned.continuous && planned.continuous->budget) {
    std::map<int, int> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [at, is_new] = groups.try_emplace(rows[i].column, 0);
      const std::string& column =
          planned.base.observations[static_cast<std::size_t>(rows[i].column)].column;
      if (is_new) {
        at->second = static_cast<int>(out.groups.size());
        out.groups.push_back({.name = fmt::format("{}, column \"{}\"", name, column),
                              .budget = *planned.continuous->budget,
                              .whole = false});
      }
      put({.rows = {first + static_cast<int>(i)},
           .cost = rows[i].weight,
           .upper = planned.continuous->weight_max,
           .group = at->second,
           .position = rows[i].t},
          column);
    }
    return;
  }
  switch (choice.of) {
    case Choice::Of::kEverything: {
      Candidate all{.group = everything(out, name, 1)};
      for (std::size_t i = 0; i < rows.size(); ++i) all.rows.push_back(first + static_cast<int>(i));
      put(std::move(all), planned.base.id);
      return;
    }
    case Choice::Of::kSamples:
    case Choice::Of::kCells: {
      const bool single = choice.of == Choice::Of::kCells;
      out.groups.push_back({.name = name + ", samples",
                            .budget = static_cast<double>(choice.count),
                            .spacing = single ? 0 : choice.spacing});
      const int group = static_cast<int>(out.groups.size()) - 1;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string& column =
            planned.base.observations[static_cast<std::size_t>(rows[i].column)].column;
        const bool joins = !single && i > 0 && rows[i].t == rows[i - 1].t;
        if (joins) {
          out.list.back().rows.push_back(first + static_cast<int>(i));
          out.label.back() += " " + column;
          continue;
        }
        put({.rows = {first + static_cast<int>(i)},
             .upper = static_cast<double>(choice.repeat),
             .group = group,
             .position = rows[i].t},
            column);
      }
      return;
    }
    case Choice::Of::kMarkers: {
      out.groups.push_back(
          {.name = name + ", markers", .budget = static_cast<double>(choice.count)});
      const int group = static_cast<int>(out.groups.size()) - 1;
      Candidate others{.group = -1};
      std::vector<bool> is_marker(planned.base.observations.size(), false);
      for (const auto& marker : choice.markers) {
        Candidate candidate{.group = group};
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto c = static_cast<std::size_t>(rows[i].column);
          if (std::ranges::find(marker.columns, planned.base.observations[c].column) ==
              marker.columns.end()) {
            continue;
          }
          is_marker[c] = true;
          candidate.rows.push_back(first + static_cast<int>(i));
        }
        put(std::move(candidate), marker.id);
      }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!is_marker[static_cast<std::size_t>(rows[i].column)]) {
          others.rows.push_back(first + static_cast<int>(i));
        }
      }
      if (others.rows.empty()) return;
      others.group = everything(out, name, 1);
      put(std::move(others), planned.base.id);
      return;
    }
  }
}

}  // namespace
}  // namespace design_information

Candidates candidates_of(const std::vector<PlannedExperiment>& planned,
                         const std::vector<std::vector<PlannedRow>>& rows, int choose_copies) {
  Candidates out;
  int first = 0;
  if (choose_copies > 0) {
    out.groups.push_back(
        {.name = "copies of experiments", .budget = static_cast<double>(choose_copies)});
  }
  for (std::size_t e = 0; e < planned.size(); ++e) {
    if (choose_copies > 0) {
      Candidate all{.upper = static_cast<double>(choose_copies), .group = 0};
      for (std::size_t i = 0; i < rows[e].size(); ++i)
        all.rows.push_back(first + static_cast<int>(i));
      out.list.push_back(std::move(all));
      out.experiment.push_back(static_cast<int>(e));
      out.label.push_back(planned[e].base.id);
    } else {
      design_information::add_chosen(planned[e], static_cast<int>(e), rows[e], first, out);
    }
    first += static_cast<int>(rows[e].size());
  }
  return out;
}

Scenario make_scenario(const KnownInformation& known, const std::vector<PlannedBlock>& blocks,
                       const std::vector<int>& copies, const Interest& interest) {
  const Index np = known.M.rows();
  Index n = np, num_rows = 0, num_predicted = 0;
  for (const auto& block : blocks) {
    n += block.A.cols();
    num_rows += block.A.rows();
    num_predicted += block.predict_A.rows();
  }
  Scenario out;
  out.known = MatrixXd::Zero(n, n);
  out.known.topLeftCorner(np, np) = known.M;
  out.rows = MatrixXd::Zero(num_rows, n);
  const bool predicts = interest.by_p.rows() == 0;
  out.K = MatrixXd::Zero(predicts ? num_predicted : interest.by_p.rows(), n);
  if (!predicts) out.K.leftCols(np) = interest.by_p;
  Index row = 0, column = np, predicted = 0;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    const PlannedBlock& block = blocks[e];
    // n copies of an experiment, each with variables of its own, tell n times as much about p.
    const double factor = std::sqrt(static_cast<double>(copies[e]));
    const Index m = block.A.rows(), na = block.A.cols();
    for (Index i = 0; i < m; ++i) {
      const double weight = factor * std::sqrt(block.rows[static_cast<std::size_t>(i)].weight);
      out.rows.row(row + i).head(np) = weight * block.B.row(i);
      out.rows.row(row + i).segment(column, na) = weight * block.A.row(i);
    }
    MatrixXd prior = MatrixXd::Zero(block.prior_A.rows(), n);
    prior.leftCols(np) = factor * block.prior_B;
    prior.middleCols(column, na) = factor * block.prior_A;
    out.known += math::gram(prior);
    if (predicts) {
      const Index k = block.predict_A.rows();
      const double share = 1 / std::sqrt(static_cast<double>(std::max<Index>(num_predicted, 1)));
      out.K.middleRows(predicted, k).leftCols(np) = share * block.predict_B;
      out.K.middleRows(predicted, k).middleCols(column, na) = share * block.predict_A;
      predicted += k;
    }
    row += m;
    column += na;
  }
  if (known.equations.rows() > 0) {
    MatrixXd equations = MatrixXd::Zero(known.equations.rows(), n);
    equations.leftCols(np) = known.equations;
    const MatrixXd N = math::OrthogonalDecomposition(equations, 1e-11).null_space();
    const MatrixXd half = N.transpose() * out.known;
    out.known = half * N;
    out.rows = out.rows * N;
    out.K = out.K * N;
  }
  return out;
}

}  // namespace parfait::estimate
