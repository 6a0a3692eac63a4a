#include "parfait/estimate/shooting/first_nodes.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/directions_matrix.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {

using dynamics::Directions;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace first_nodes {
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
  if (times[right] <= times[left]) return values[left];
  const double part = (t - times[left]) / (times[right] - times[left]);
  return (1 - part) * values[left] + part * values[right];
}

/// Entries of y that a table (data, or nodes given by hand) says at time t. Data: columns that
/// observe a state as it is.
void take_states(const ExperimentDescription& description, const ShootingLayout& layout,
                 const Data& table, bool by_header, double t, std::vector<double>& y) {
  const int time = table.find_column(table.time);
  if (time < 0) return;
  const auto& times = table.columns[time];
  for (int i = 0; i < layout.ny(); ++i) {
    const std::string& name = layout.state_names[i];
    int column = by_header ? table.find_column(name) : -1;
    for (const Observation& o : description.observations) {
      if (!by_header && kind_of(o).quantity_of(o).text == name)
        column = table.find_column(o.column);
    }
    if (column < 0) continue;
    const double value = interpolate(times, table.columns[column], t);
    if (!std::isnan(value)) y[i] = value;
  }
}

/// The state nearest to y (in the scaled 2-norm) that the constraints allow and at which the model
/// shows what was measured at t: Gauss-Newton for
///
///   min |y - y_0|   s.t.   quantities(y) = measured,  g(y) = 0     (Kraus 2006, section 3.4)
void project_on_measurements(const ExperimentDescription& description,
                             const ShootingIntervals& intervals, const ShootingPoint& point,
                             double t, const std::vector<double>& z, std::vector<double>& y) {
  const dynamics::System& system = *intervals.layout().system;
  const VectorXd& scale = intervals.layout().scale;
  const int ny = system.sizes().ny(), nz = system.sizes().nz;
  const int time = description.data.find_column(description.data.time);
  if (time < 0) return;
  std::vector<std::string> names;
  std::vector<double> target;
  for (const Observation& o : description.observations) {
    if (!kind_of(o).is_at_row_time()) continue;
    const int column = description.data.find_column(o.column);
    const double value =
        interpolate(description.data.columns[time], description.data.columns[column], t);
    if (std::isnan(value)) continue;
    names.push_back(kind_of(o).quantity_of(o).text);
    target.push_back(value);
  }
  if (names.empty()) return;
  const auto observer = system.make_observer(names);
  const auto ws = system.make_workspace(ny);
  system.bind(*ws, point.parameters);
  system.bind_directions(*ws, Directions(system.sizes().np, ny));
  const auto num_shown = static_cast<Index>(names.size());
  const Index num_invariants = system.sizes().num_pos + system.sizes().num_vel;
  const Index n = num_shown + num_invariants;
  const VectorXd y_0 = Eigen::Map<const VectorXd>(y.data(), ny).cwiseQuotient(scale);
  VectorXd x = y_0;
  std::vector<double> values(names.size()), state(y);
  std::vector<double> g(num_invariants);
  Directions unit(ny, ny), D(observer->size(), ny), dz(nz, ny);
  Directions dg(static_cast<int>(num_invariants), ny);
  for (int i = 0; i < ny; ++i) unit(i, i) = scale[i];
  constexpr int kMostIterations = 20;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    Eigen::Map<VectorXd>(state.data(), ny) = x.cwiseProduct(scale);
    const dynamics::Point at{.t = t, .y = state, .z = z, .mode = {}, .offset = {}};
    if (system.observe(*ws, *observer, at, values) != dynamics::Status::kOk) return;
    system.observe_directions(*ws, *observer, {.dt = {}, .dy = &unit, .dz = &dz, .dphi = nullptr},
                              D);
    MatrixXd J(n, ny);
    VectorXd r(n);
    for (Index i = 0; i < num_shown; ++i) {
      r[i] = values[i] - target[i];
      // An angle is within half a turn, a measured one need not be.
      if (observer->is_angle(static_cast<int>(i))) {
        r[i] = std::remainder(r[i], 2 * std::numbers::pi);
      }
    }
    J.topRows(num_shown) = math::to_matrix(D);
    if (num_invariants > 0) {
      system.invariants(*ws, t, state, g);
      system.invariant_directions(*ws, t, state, {.dt = {}, .dy = &unit}, dg);
      r.tail(num_invariants) = Eigen::Map<const VectorXd>(g.data(), num_invariants);
      J.bottomRows(num_invariants) = math::to_matrix(dg);
    }
    // From x: the point of J (x' - x) + r = 0 nearest to y_0.
    const VectorXd next = y_0 - math::solve_least_squares(J, r + J * (y_0 - x));
    const double change = (next - x).norm();
    if (!math::all_finite(next)) return;
    x = next;
    if (change <= 1e-10 * x.norm()) break;
  }
  Eigen::Map<VectorXd>(y.data(), ny) = x.cwiseProduct(scale);
  // Measurements with noise may contradict the constraints; x is then between the two. Off the
  // constraints the motion depends on parameters through the projection alone (its norm has the
  // masses), which looks like information and is none.
  if (num_invariants == 0) return;
  state = y;
  const auto report = system.project(*ws, t, state, intervals.options().integrator.projection,
                                     intervals.options().integrator.projection_tolerance);
  if (report.status == dynamics::Status::kOk) y = state;
}

/// z of a node from its guess, by Newton's method; where that fails the guess stays: the relaxed
/// equations can start from it.
void solve_algebraic(const dynamics::System& system, const std::vector<double>& parameters,
                     double t, const std::vector<double>& y, std::vector<double>& z) {
  const int ny = system.sizes().ny(), nz = system.sizes().nz;
  if (nz == 0) return;
  const auto ws = system.make_workspace(nz);
  system.bind(*ws, parameters);
  system.bind_directions(*ws, Directions(system.sizes().np, nz));
  Directions dz(nz, nz), dh(nz, nz), drate(ny, nz);
  for (int j = 0; j < nz; ++j) dz(j, j) = 1;
  std::vector<double> rate(y.size()), h(z.size()), trial = z;
  double before = kInfinity;
  constexpr int kMostIterations = 30;
  for (int k = 0; k < kMostIterations; ++k) {
    if (system.evaluate(*ws, {.t = t, .y = y, .z = trial, .mode = {}, .offset = {}}, rate, h) !=
        dynamics::Status::kOk) {
      break;
    }
    const VectorXd residual = Eigen::Map<const VectorXd>(h.data(), nz);
    if (!(residual.norm() < before)) break;
    before = residual.norm();
    z = trial;
    system.directions(*ws, {.dt = {}, .dy = nullptr, .dz = &dz, .dphi = nullptr}, drate, &dh);
    const VectorXd step = math::solve_least_squares(math::to_matrix(dh), residual);
    for (int j = 0; j < nz; ++j) trial[j] -= step[j];
  }
}

/// The rule of one experiment's grid, node after node.
class FirstNodes {
 public:
  FirstNodes(const ExperimentDescription& description, VecIn p, ShootingIntervals& intervals,
             VectorXd& x)
      : description_(description),
        rule_(description.grid.nodes),
        p_(p),
        intervals_(intervals),
        layout_(intervals.layout()),
        x_(x) {}

  bool find() {
    x_ = VectorXd::Zero(layout_.num_variables());
    x_.tail(layout_.locals.size()) = layout_.locals.initial();
    set_point(layout_, x_, p_, point_);
    begin();
    for (int i = 0; i < layout_.num_nodes(); ++i) {
      if (i > 0) set_node(i);
      const double t = layout_.times[i];
      solve_algebraic(*layout_.system, point_.parameters, t, y_, z_);
      for (int j = 0; j < layout_.nz(); ++j) x_[layout_.first_of_algebraic(i) + j] = z_[j];
      const bool is_last = i + 1 == layout_.num_nodes();
      if (is_last || rule_ == Nodes::kMeasured || rule_ == Nodes::kGiven) continue;
      if (!integrate(i) && rule_ == Nodes::kIntegrate) {
        fail(i);
        return false;
      }
    }
    return true;
  }

 private:
  using Nodes = Grid::Nodes;
  bool projects() const { return rule_ == Nodes::kProject || rule_ == Nodes::kAverage; }

  /// The first node: as the model and the problem say, or as it was measured where it is free.
  void begin() {
    y_.resize(layout_.ny());
    z_.resize(layout_.nz());
    PlacedNode& first = intervals_.node(0);
    layout_.system->bind(*first.workspace, point_.parameters);
    layout_.system->start(*first.workspace, y_, z_);
    for (int i = 0; i < layout_.ny(); ++i) {
      if (layout_.given[i]) y_[i] = *layout_.given[i];
    }
    model_y_ = y_;
    std::vector<double> measured = y_;
    const double t = layout_.begin;
    if (rule_ == Nodes::kMeasured) {
      take_states(description_, layout_, description_.data, false, t, measured);
    }
    if (rule_ == Nodes::kGiven) {
      take_states(description_, layout_, description_.grid.values, true, t, measured);
    }
    if (projects()) project_on_measurements(description_, intervals_, point_, t, z_, measured);
    for (std::size_t f = 0; f < layout_.free.size(); ++f) {
      const int j = layout_.free[f];
      y_[j] = measured[j];
      x_[f] = y_[j] / layout_.scale[j];
    }
  }

  /// Node i > 0, from where the last interval has led.
  void set_node(int i) {
    const double t = layout_.times[i];
    if (rule_ == Nodes::kMeasured) {
      y_ = model_y_;
      take_states(description_, layout_, description_.data, false, t, y_);
    } else if (rule_ == Nodes::kGiven) {
      take_states(description_, layout_, description_.grid.values, true, t, y_);
    } else if (projects()) {
      std::vector<double> projected = y_;
      project_on_measurements(description_, intervals_, point_, t, z_, projected);
      const double w = rule_ == Nodes::kProject ? 1 : description_.grid.weight;
      for (std::size_t j = 0; j < y_.size(); ++j) y_[j] = w * projected[j] + (1 - w) * y_[j];
    }
    for (int j = 0; j < layout_.ny(); ++j) {
      x_[layout_.first_of_state(i) + j] = y_[j] / layout_.scale[j];
    }
  }

  /// To the end of interval i; where that fails the last values stay.
  bool integrate(int i) {
    set_point(layout_, x_, p_, point_);
    PlacedNode& node = intervals_.node(i);
    ShootingInterval& interval = intervals_.interval(i);
    node.why.clear();
    if (intervals_.placement().place(i, point_, nullptr, node) && interval.run(node.start)) {
      y_ = interval.y1();
      z_ = interval.z1();
      ++intervals_.work().evaluations;
      return true;
    }
    return false;
  }

  void fail(int i) {
    const std::string& why = intervals_.node(i).why;
    const bool can_measure = layout_.num_nodes() > 1;
    intervals_.fail(fmt::format(
        "experiment \"{}\": the trajectory at the first guess cannot be integrated; it failed in "
        "interval {} of {}, which begins at t = {:g}: {} Try another first guess (initial=\"...\", "
        "--set){}, or an integrator for stiff systems",
        layout_.id, i + 1, layout_.num_nodes(), layout_.times[i],
        ended(why.empty() ? intervals_.interval(i).why() : why),
        can_measure ? ", nodes that follow the data (<grid nodes=\"measured\"> or \"project\")"
                    : ""));
  }

  /// A sentence with its full stop.
  static std::string ended(std::string text) {
    if (!text.ends_with('.')) text += '.';
    return text;
  }

  const ExperimentDescription& description_;
  Nodes rule_;
  VecIn p_;
  ShootingIntervals& intervals_;
  const ShootingLayout& layout_;
  VectorXd& x_;
  ShootingPoint point_;
  std::vector<double> y_, z_, model_y_;
};

}  // namespace
}  // namespace first_nodes

bool find_first_nodes(const ExperimentDescription& description, VecIn p,
                      ShootingIntervals& intervals, VectorXd& x) {
  return first_nodes::FirstNodes(description, p, intervals, x).find();
}

}  // namespace parfait::estimate
