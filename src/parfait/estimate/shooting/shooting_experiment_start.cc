#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/finite.h"

// First values of the nodes (K 3.2).
namespace parfait::estimate {

using dynamics::Directions;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Linear interpolation in a column of a table; NaN outside of what was measured.
double interpolate(const std::vector<double>& times, const std::vector<double>& values, double t) {
  int left = -1, right = -1;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (times[i] <= t) left = static_cast<int>(i);
    if (times[i] >= t && right < 0) right = static_cast<int>(i);
  }
  if (left < 0 || right < 0) return std::nan("");
  const auto l = static_cast<std::size_t>(left), r = static_cast<std::size_t>(right);
  if (times[r] <= times[l]) return values[l];
  const double part = (t - times[l]) / (times[r] - times[l]);
  return (1 - part) * values[l] + part * values[r];
}

}  // namespace

/// Entries of y that a table (data, or nodes given by hand) says at time t. Data: columns that
/// observe a state as it is.
void ShootingExperiment::take_states(const Data& table, bool by_header, double t,
                                     std::vector<double>& y) const {
  const int time = table.find_column(table.time);
  if (time < 0) return;
  const auto& times = table.columns[static_cast<std::size_t>(time)];
  for (int i = 0; i < ny(); ++i) {
    const std::string& name = state_names_[static_cast<std::size_t>(i)];
    int column = by_header ? table.find_column(name) : -1;
    for (const Observation& o : description_.observations) {
      if (!by_header && o.quantity.text == name) column = table.find_column(o.column);
    }
    if (column < 0) continue;
    const double value = interpolate(times, table.columns[static_cast<std::size_t>(column)], t);
    if (!std::isnan(value)) y[static_cast<std::size_t>(i)] = value;
  }
}

/// The state nearest to y (in the scaled 2-norm) that the constraints allow and at which the model
/// shows what was measured at t: Gauss-Newton for
///
///   min |y - y_0|   s.t.   quantities(y) = measured,  g(y) = 0            (K 3.4)
void ShootingExperiment::project_on_measurements(double t, std::vector<double>& y,
                                                 const std::vector<double>& z) {
  const int time = description_.data.find_column(description_.data.time);
  if (time < 0) return;
  std::vector<std::string> names;
  std::vector<double> target;
  for (const Observation& o : description_.observations) {
    const int column = description_.data.find_column(o.column);
    const double value =
        interpolate(description_.data.columns[static_cast<std::size_t>(time)],
                    description_.data.columns[static_cast<std::size_t>(column)], t);
    if (std::isnan(value)) continue;
    names.push_back(o.quantity.text);
    target.push_back(value);
  }
  if (names.empty()) return;
  const auto observer = system_->make_observer(names);
  const auto ws = system_->make_workspace(ny());
  system_->bind(*ws, parameters_);
  system_->bind_directions(*ws, Directions(system_->sizes().np, ny()));
  const auto num_shown = static_cast<Index>(names.size());
  const Index num_invariants = system_->sizes().num_pos + system_->sizes().num_vel;
  const Index n = num_shown + num_invariants;
  const VectorXd y_0 = Eigen::Map<const VectorXd>(y.data(), ny()).cwiseQuotient(scale_);
  VectorXd x = y_0;
  std::vector<double> values(names.size()), state(y);
  std::vector<double> g(static_cast<std::size_t>(num_invariants));
  Directions unit(ny(), ny()), D(observer->size(), ny()), dz(nz(), ny());
  Directions dg(static_cast<int>(num_invariants), ny());
  for (int i = 0; i < ny(); ++i) unit(i, i) = scale_[i];
  constexpr int kMost = 20;
  for (int iteration = 0; iteration < kMost; ++iteration) {
    Eigen::Map<VectorXd>(state.data(), ny()) = x.cwiseProduct(scale_);
    const dynamics::Point at{.t = t, .y = state, .z = z, .mode = {}, .offset = {}};
    if (system_->observe(*ws, *observer, at, values) != dynamics::Status::kOk) return;
    system_->observe_directions(*ws, *observer, {.dt = {}, .dy = &unit, .dz = &dz, .dphi = nullptr},
                                D);
    MatrixXd J(n, ny());
    VectorXd r(n);
    for (Index i = 0; i < num_shown; ++i) {
      r[i] = values[static_cast<std::size_t>(i)] - target[static_cast<std::size_t>(i)];
      for (int j = 0; j < ny(); ++j) J(i, j) = D(static_cast<int>(i), j);
    }
    if (num_invariants > 0) {
      system_->invariants(*ws, t, state, g);
      system_->invariant_directions(*ws, t, state, {.dt = {}, .dy = &unit}, dg);
      for (Index i = 0; i < num_invariants; ++i) {
        r[num_shown + i] = g[static_cast<std::size_t>(i)];
        for (int j = 0; j < ny(); ++j) J(num_shown + i, j) = dg(static_cast<int>(i), j);
      }
    }
    // From x: the point of J (x' - x) + r = 0 nearest to y_0.
    const VectorXd next = y_0 - math::solve_least_squares(J, r + J * (y_0 - x));
    const double change = (next - x).norm();
    if (!math::all_finite(next)) return;
    x = next;
    if (change <= 1e-10 * (1 + x.norm())) break;
  }
  Eigen::Map<VectorXd>(y.data(), ny()) = x.cwiseProduct(scale_);
  // Measurements with noise may contradict the constraints; x is then between the two. Off the
  // constraints the motion depends on parameters through the projection alone (its norm has the
  // masses), which looks like information and is none.
  if (num_invariants == 0) return;
  state = y;
  const auto report = system_->project(*ws, t, state, options_.integrator.projection,
                                       options_.integrator.projection_tolerance);
  if (report.status == dynamics::Status::kOk) y = state;
}

bool ShootingExperiment::initialize(VecIn p, VectorXd& x) {
  using Nodes = Grid::Nodes;
  const Nodes rule = description_.grid.nodes;
  x = VectorXd::Zero(num_variables());
  x.tail(locals_.size()) = locals_.initial();
  set_point(x, p);

  // The first node: as the model and the problem say, or as it was measured where it is free.
  std::vector<double> y(static_cast<std::size_t>(ny())), z(static_cast<std::size_t>(nz()));
  Node& first = nodes_.front();
  system_->bind(*first.workspace, parameters_);
  system_->start(*first.workspace, y, z);
  for (int i = 0; i < ny(); ++i) {
    if (given_[static_cast<std::size_t>(i)]) {
      y[static_cast<std::size_t>(i)] = *given_[static_cast<std::size_t>(i)];
    }
  }
  const std::vector<double> model_y = y;
  std::vector<double> first_y = y;
  if (rule == Nodes::kMeasured) take_states(description_.data, false, begin_, first_y);
  if (rule == Nodes::kGiven) take_states(description_.grid.values, true, begin_, first_y);
  if (rule == Nodes::kProject || rule == Nodes::kAverage) {
    project_on_measurements(begin_, first_y, z);
  }
  for (std::size_t f = 0; f < free_.size(); ++f) {
    const auto j = static_cast<std::size_t>(free_[f]);
    y[j] = first_y[j];
    x[static_cast<Index>(f)] = y[j] / scale_[free_[f]];
  }

  // The others one after another: where an interval cannot be integrated the last values stay.
  for (int i = 0; i < num_nodes(); ++i) {
    const double t = times_[static_cast<std::size_t>(i)];
    if (i > 0) {
      if (rule == Nodes::kMeasured) {
        y = model_y;
        take_states(description_.data, false, t, y);
      } else if (rule == Nodes::kGiven) {
        take_states(description_.grid.values, true, t, y);
      } else if (rule == Nodes::kProject || rule == Nodes::kAverage) {
        std::vector<double> projected = y;
        project_on_measurements(t, projected, z);
        const double w = rule == Nodes::kProject ? 1 : description_.grid.weight;
        for (std::size_t j = 0; j < y.size(); ++j) y[j] = w * projected[j] + (1 - w) * y[j];
      }
      for (int j = 0; j < ny(); ++j) {
        x[offset_of(i) + j] = y[static_cast<std::size_t>(j)] / scale_[j];
      }
    }
    solve_algebraic(t, y, z);
    for (int j = 0; j < nz(); ++j) {
      x[offset_of(num_nodes()) + i * nz() + j] = z[static_cast<std::size_t>(j)];
    }
    const bool last = i + 1 == num_nodes();
    if (last || rule == Nodes::kMeasured || rule == Nodes::kGiven) continue;
    set_point(x, p);
    Node& node = nodes_[static_cast<std::size_t>(i)];
    if (prepare(i, nullptr) && node.interval->run(node.start)) {
      y = node.interval->y1();
      z = node.interval->z1();
      ++work_.evaluations;
    } else if (rule == Nodes::kIntegrate) {
      why_ = fmt::format(
          "experiment \"{}\": the nodes cannot be found by integration, which failed "
          "in interval {}: {}",
          description_.id, i + 1, node.why.empty() ? node.interval->why() : node.why);
      return false;
    }
  }
  return true;
}

/// z of a node from its guess, by Newton's method; where that fails the guess stays: the relaxed
/// equations can start from it.
void ShootingExperiment::solve_algebraic(double t, const std::vector<double>& y,
                                         std::vector<double>& z) const {
  if (nz() == 0) return;
  const auto ws = system_->make_workspace(nz());
  system_->bind(*ws, parameters_);
  system_->bind_directions(*ws, Directions(system_->sizes().np, nz()));
  Directions dz(nz(), nz()), dh(nz(), nz()), drate(ny(), nz());
  for (int j = 0; j < nz(); ++j) dz(j, j) = 1;
  std::vector<double> rate(y.size()), h(z.size()), trial = z;
  double before = kInfinity;
  constexpr int kMost = 30;
  for (int k = 0; k < kMost; ++k) {
    if (system_->evaluate(*ws, {.t = t, .y = y, .z = trial, .mode = {}, .offset = {}}, rate, h) !=
        dynamics::Status::kOk) {
      break;
    }
    const VectorXd residual = Eigen::Map<const VectorXd>(h.data(), nz());
    if (!(residual.norm() < before)) break;
    before = residual.norm();
    z = trial;
    system_->directions(*ws, {.dt = {}, .dy = nullptr, .dz = &dz, .dphi = nullptr}, drate, &dh);
    MatrixXd J(nz(), nz());
    for (int a = 0; a < nz(); ++a) {
      for (int b = 0; b < nz(); ++b) J(a, b) = dh(a, b);
    }
    const VectorXd step = math::solve_least_squares(J, residual);
    for (int j = 0; j < nz(); ++j) trial[static_cast<std::size_t>(j)] -= step[j];
  }
}

}  // namespace parfait::estimate
