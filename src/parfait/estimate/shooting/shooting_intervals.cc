#include "parfait/estimate/shooting/shooting_intervals.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/math/directions_matrix.h"

namespace parfait::estimate {

using dynamics::Directions;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ShootingIntervals::ShootingIntervals(const ShootingLayout& layout, const FitOptions& options)
    : layout_(layout), options_(options), placement_(layout, options) {
  intervals_.resize(layout.num_nodes());
  for (int i = 0; i < size(); ++i) {
    Interval& interval = intervals_[i];
    interval.relaxed = placement_.make_relaxed(i);
    const dynamics::System& system = interval.relaxed ? *interval.relaxed : *layout.system;
    integrate::Options own = options.integrator;
    own.events_at_start = i == 0;  // the interval before has had them
    interval.integration = std::make_unique<ShootingInterval>(
        system, *layout.observer, own, layout.times[i], layout.end_of(i), layout.sample_times[i],
        layout.watches_events);
    if (layout.angle_observer) {
      std::vector<int> quantities;
      quantities.reserve(layout.angles.size());
      for (const auto& angle : layout.angles) quantities.push_back(angle.quantity);
      interval.integration->follow_angles(*layout.angle_observer, std::move(quantities));
    }
    interval.node = placement_.make_node();
  }
}

bool ShootingIntervals::is_stiff() const {
  return std::ranges::any_of(intervals_,
                             [](const Interval& i) { return i.integration->is_stiff(); });
}

void ShootingIntervals::set_method(integrate::Method method) {
  for (Interval& interval : intervals_) interval.integration->set_method(method);
}

void ShootingIntervals::repeat_steps(const std::vector<integrate::Record>& steps) {
  steps_ = Steps::kRepeated;
  for (int i = 0; i < size(); ++i) interval(i).set_record(steps[static_cast<std::size_t>(i)]);
}

std::vector<integrate::Record> ShootingIntervals::kept_steps() const {
  std::vector<integrate::Record> out;
  for (const Interval& interval : intervals_) out.push_back(interval.integration->record());
  return out;
}

bool ShootingIntervals::integrate(Interval& interval) const {
  ShootingInterval& one = *interval.integration;
  const auto& start = interval.node.start;
  return steps_ == Steps::kRepeated ? one.replay(start) : one.run(start, steps_ == Steps::kKept);
}

// Each thread writes only to its own interval.
bool ShootingIntervals::run(const ShootingPoint& at) {
  tbb::parallel_for(0, size(), [&](int i) {
    Interval& interval = intervals_[i];
    interval.node.why.clear();
    if (!placement_.place(i, at, nullptr, interval.node)) return;
    interval.why = integrate(interval) ? lost_start(i) : interval.integration->why();
  });
  ++work_.evaluations;
  return account_all();
}

bool ShootingIntervals::run_seeded(const ShootingPoint& at,
                                   const std::function<void(int, PlacedNode&)>& restrict) {
  tbb::parallel_for(0, size(), [&](int i) {
    Interval& interval = intervals_[i];
    interval.node.why.clear();
    // Many directions of many states are long to write down: a search that tries step after step
    // would not be heard.
    if (placement_.interrupted(interval.node)) return;
    const Seeds seeds = all_directions(layout_, i);
    if (!placement_.place(i, at, &seeds, interval.node)) return;
    restrict(i, interval.node);
    interval.why = integrate(interval) ? lost_start(i) : interval.integration->why();
  });
  ++work_.linearizations;
  return account_all();
}

bool ShootingIntervals::place_one(int i, const ShootingPoint& at, const Seeds& seeds) {
  Interval& interval = intervals_[i];
  interval.node.why.clear();
  if (placement_.place(i, at, &seeds, interval.node)) return true;
  account(i);
  return false;
}

bool ShootingIntervals::run_one(int i, const ShootingPoint& at, const Seeds& seeds,
                                const std::function<void(PlacedNode&)>& restrict) {
  if (!place_one(i, at, seeds)) return false;
  Interval& interval = intervals_[i];
  restrict(interval.node);
  interval.why = interval.integration->run(interval.node.start, true) ? lost_start(i)
                                                                      : interval.integration->why();
  account(i);
  return why_.empty();
}

bool ShootingIntervals::replay_one(int i, const ShootingPoint& at, const Seeds& seeds) {
  if (!place_one(i, at, seeds)) return false;
  Interval& interval = intervals_[i];
  interval.why =
      interval.integration->replay(interval.node.start) ? "" : interval.integration->why();
  account(i);
  return why_.empty();
}

bool ShootingIntervals::account_all() {
  why_.clear();
  for (int i = 0; i < size(); ++i) account(i);
  return why_.empty();
}

/// The work of an interval, and the first failure.
void ShootingIntervals::account(int i) {
  const Interval& interval = intervals_[i];
  const std::string& why = interval.node.why.empty() ? interval.why : interval.node.why;
  if (!why.empty() && why_.empty()) {
    why_ = fmt::format("experiment \"{}\", interval {} from t = {:g}: {}", layout_.id, i + 1,
                       layout_.times[i], why);
  }
  const auto& statistics = interval.integration->statistics();
  work_.steps += statistics.steps;
  work_.rhs += statistics.evaluations;
  work_.directions += interval.node.start.W.count();
}

double ShootingIntervals::growth(int i) const {
  const ShootingInterval::Start& start = intervals_[i].node.start;
  const Directions& W0 = start.W;
  const Directions& W1 = intervals_[i].integration->W1();
  const double rtol = options_.integrator.rtol;
  const std::vector<double>& y1 = intervals_[i].integration->y1();
  double growth = 0;
  for (int c = 0; c < std::min(W1.count(), layout_.size_of_state(i)); ++c) {
    double before = 0, after = 0;
    double relative_before = 0, relative_after = 0;  // to the size of the states
    for (int j = 0; j < layout_.ny(); ++j) {
      before = std::max(before, std::abs(W0(j, c)));
      after = std::max(after, std::abs(W1(j, c)));
      const double size = std::max(std::abs(start.y[j]), std::abs(y1[j]));
      if (size == 0) continue;
      relative_before = std::max(relative_before, std::abs(W0(j, c)) / size);
      relative_after = std::max(relative_after, std::abs(W1(j, c)) / size);
    }
    // What a parameter does on the way is no growth; where it has not moved the start by more than
    // the integrator sees, there is nothing else.
    bool is_of_parameter = false;
    for (int j = 0; j < layout_.system->sizes().np; ++j) is_of_parameter |= start.dp(j, c) != 0;
    if (!(before > (is_of_parameter ? rtol : 0))) continue;
    // One state may grow out of another in other units: only growth in both measures is some.
    const double relative = relative_before > 0 ? relative_after / relative_before : after / before;
    growth = std::max(growth, std::min(after / before, relative));
  }
  return growth;
}

/// Where directions grow by more than the integrator has digits, the end of the interval does not
/// depend on its start any more, whatever the derivatives say.
std::string ShootingIntervals::lost_start(int i) const {
  const double rtol = options_.integrator.rtol, growth = this->growth(i);
  if (growth * rtol < 1) return "";
  constexpr double kFine = 1e4;  // per interval
  return fmt::format(
      "solutions grow by {:.0e} within the interval, more than rtol = {:.0e} can resolve. Use {} "
      "times as many intervals",
      growth, rtol, static_cast<int>(std::ceil(std::log(growth) / std::log(kFine))));
}

void ShootingIntervals::take_values(int i, Trajectory& trajectory) const {
  trajectory.intervals.resize(size());
  trajectory.intervals[i].quantities = interval(i).values();
  trajectory.intervals[i].events = interval(i).events();
  if (layout_.angle_observer) continue_angles(i, trajectory);
}

/// The whole turns of the angles in interval i: those of the interval before, or what its data say.
void ShootingIntervals::continue_angles(int i, Trajectory& trajectory) const {
  Trajectory::Interval& out = trajectory.intervals[i];
  const auto whole_turns = [](double x) {
    constexpr double kTurn = 2 * std::numbers::pi;
    return kTurn * std::round(x / kTurn);
  };
  out.angles = interval(i).last_angles();
  for (std::size_t a = 0; a < layout_.angles.size(); ++a) {
    const auto& [quantity, turn] = layout_.angles[a];
    const auto& times = layout_.sample_times[static_cast<std::size_t>(i)];
    double shift = 0;
    if (i > 0) {
      shift = whole_turns(trajectory.intervals[i - 1].angles[a] - interval(i).first_angles()[a]);
    } else if (turn && layout_.interval_of(turn->t) == 0) {
      const auto at = std::lower_bound(times.begin(), times.end(), turn->t);
      if (at != times.end()) {
        shift = whole_turns(turn->value - out.quantities(quantity, at - times.begin()));
      }
    }
    out.quantities.row(quantity).array() += shift;
    out.angles[a] += shift;
  }
}

void ShootingIntervals::take_defects(Trajectory& trajectory) const {
  trajectory.defects.resize(size() - 1);
  for (int i = 0; i + 1 < size(); ++i) {
    const auto& y1 = interval(i).y1();
    trajectory.defects[i] =
        Eigen::Map<const VectorXd>(y1.data(), layout_.ny()).cwiseQuotient(layout_.scale) -
        trajectory.at.s[i + 1];
  }
}

void ShootingIntervals::take_all(Trajectory& trajectory) const {
  for (int i = 0; i < size(); ++i) take_values(i, trajectory);
  take_defects(trajectory);
}

MatrixXd ShootingIntervals::end_directions(int i) const {
  MatrixXd D = math::to_matrix(interval(i).W1()).topRows(layout_.ny());
  for (int j = 0; j < layout_.ny(); ++j) D.row(j) /= layout_.scale[j];
  return D;
}

}  // namespace parfait::estimate
