#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/shooting/shooting_experiment.h"

// Values of a shooting experiment at a point.
namespace parfait::estimate {

using dynamics::Directions;
using Eigen::Index;
using Eigen::VectorXd;

/// All intervals, in parallel: each writes only to its own node.
bool ShootingExperiment::run(bool with_directions) {
  why_.clear();
  tbb::parallel_for(0, num_nodes(), [&](int i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.why.clear();
    const Seeds seeds = with_directions ? all_directions(i) : Seeds();
    if (!prepare(i, with_directions ? &seeds : nullptr)) return;
    if (with_directions && restricts(i)) restrict_to_manifold(node);
    node.why = node.interval->run(node.start) ? lost_start(i) : node.interval->why();
  });
  for (int i = 0; i < num_nodes(); ++i) account(i);
  ++(with_directions ? work_.linearizations : work_.evaluations);
  return why_.empty();
}

/// The work of an interval, and the first failure.
void ShootingExperiment::account(int i) {
  const Node& node = nodes_[static_cast<std::size_t>(i)];
  if (!node.why.empty() && why_.empty()) {
    why_ = fmt::format("experiment \"{}\", interval {} from t = {:g}: {}", description_.id, i + 1,
                       times_[static_cast<std::size_t>(i)], node.why);
  }
  const auto& statistics = node.interval->statistics();
  work_.steps += statistics.steps;
  work_.rhs += statistics.evaluations;
  work_.directions += node.start.W.count();
}

/// Where directions grow by more than the integrator has digits, the end of the interval does not
/// depend on its start any more, whatever the derivatives say.
std::string ShootingExperiment::lost_start(int i) const {
  const Node& node = nodes_[static_cast<std::size_t>(i)];
  const Directions& W0 = node.start.W;
  const Directions& W1 = node.interval->W1();
  const double rtol = options_.integrator.rtol;
  double growth = 0;
  for (int c = 0; c < std::min(W1.count(), size_of(i)); ++c) {
    double before = 0, after = 0;
    for (int j = 0; j < ny(); ++j) {
      before = std::max(before, std::abs(W0(j, c)));
      after = std::max(after, std::abs(W1(j, c)));
    }
    // What a parameter does on the way is no growth; where it has not moved the start by more than
    // the integrator sees, there is nothing else.
    bool is_of_parameter = false;
    for (int j = 0; j < system_->sizes().np; ++j) is_of_parameter |= node.start.dp(j, c) != 0;
    if (before > (is_of_parameter ? rtol : 0)) growth = std::max(growth, after / before);
  }
  if (growth * rtol < 1) return "";
  constexpr double kFine = 1e4;  // per interval
  return fmt::format(
      "solutions grow by {:.0e} within the interval, more than rtol = {:.0e} can resolve. Use {} "
      "times as many intervals",
      growth, rtol, static_cast<int>(std::ceil(std::log(growth) / std::log(kFine))));
}

double ShootingExperiment::value(const Row& row) const {
  double sum = row.constant;
  for (const Term& term : row.terms) {
    const Node& node = nodes_[static_cast<std::size_t>(term.node)];
    switch (term.of) {
      case Term::Of::kSample:
        sum += term.weight * node.interval->values()(term.index, term.sample);
        break;
      case Term::Of::kNode:
        sum += term.weight * node.s[term.index];
        break;
      case Term::Of::kLocal:
        sum += term.weight * locals_.value_of(term.index, local_x_[term.index]);
        break;
      case Term::Of::kUnknown:
        sum += term.weight * local_x_[term.index];
        break;
    }
  }
  return sum;
}

void ShootingExperiment::collect_values() {
  const auto fill = [this](const std::vector<Row>& rows, VectorXd& values) {
    values.resize(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) values[static_cast<Index>(i)] = value(rows[i]);
  };
  fill(data_, data_values_);
  fill(equations_, equation_values_);
  fill(inequalities_, inequality_values_);
  defects_.resize(nodes_.size() - 1);
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
    const auto& y1 = nodes_[i].interval->y1();
    defects_[i] =
        Eigen::Map<const VectorXd>(y1.data(), ny()).cwiseQuotient(scale_) - nodes_[i + 1].s;
  }
}

double ShootingExperiment::infeasibility() const {
  double largest = 0;
  const auto include = [&](const VectorXd& values) {
    if (values.size() > 0) largest = std::max(largest, values.cwiseAbs().maxCoeff());
  };
  include(equation_values_);
  for (const auto& h : defects_) include(h);
  for (const Node& node : nodes_) include(node.consistency);
  for (double g : inequality_values_) largest = std::max(largest, -g);
  return largest;
}

bool ShootingExperiment::evaluate(VecIn x, VecIn p) {
  set_point(x, p);
  if (!run(false)) return false;
  collect_values();
  if (!linearized_) return true;
  if (reduction_ == Reduction::kFixfit) return replay_defects();
  correct_values();
  return true;
}

bool ShootingExperiment::linearize(VecIn x, VecIn p) {
  set_point(x, p);
  linearized_ = false;
  if (reduction_ == Reduction::kFixfit) {
    if (!linearize_fixfit()) return false;
  } else {
    if (!run(true)) return false;
    collect_values();
    for (int i = 0; i < num_nodes(); ++i) {
      if (eliminate_algebraic(nodes_[static_cast<std::size_t>(i)])) continue;
      why_ = fmt::format(
          "experiment \"{}\", t = {:g}: the algebraic equations do not determine the "
          "algebraic states",
          description_.id, times_[static_cast<std::size_t>(i)]);
      return false;
    }
    condense_nodes();
    correct_values();
  }
  linearized_ = true;
  fill_block();
  watch_switches();
  return true;
}

VectorXd ShootingExperiment::into_bounds(VecIn x) const {
  VectorXd out = x;
  for (int i = 0; i < locals_.size(); ++i) {
    double& value = out[first_local() + i];
    value = std::clamp(value, locals_.lower()[i], locals_.upper()[i]);
  }
  return out;
}

/// The theory assumes that switching functions pass zero in the same order from one point to the
/// next (K 3.3.2): say so where they did not.
void ShootingExperiment::watch_switches() {
  ++linearizations_;
  std::vector<std::vector<std::pair<int, int>>> sequence;
  for (const Node& node : nodes_) {
    auto& events = sequence.emplace_back();
    for (const auto& event : node.interval->events()) events.emplace_back(event.which, event.mode);
  }
  if (linearizations_ > 1 && sequence != switching_) switching_changed_ = linearizations_;
  switching_ = std::move(sequence);
}

std::vector<std::string> ShootingExperiment::remarks() const {
  std::vector<std::string> out;
  if (switching_changed_ > 1) {
    const bool last = switching_changed_ == linearizations_;
    out.push_back(fmt::format(
        "experiment \"{}\": the sequence of events changed {} iteration {}{}", description_.id,
        last ? "in the last" : "before", last ? "" : fmt::format("{}", switching_changed_ - 1),
        last ? ": the estimate may not be a minimum" : "; it did not change afterwards"));
  }
  if (condenser_.method() == Condensing::kOrthogonal && num_nodes() > 1 &&
      options_.condensing == Condensing::kAutomatic) {
    out.push_back(
        fmt::format("experiment \"{}\": directions grow by {:.0e} over the horizon: "
                    "orthogonal condensing",
                    description_.id, condenser_.growth()));
  }
  return out;
}

}  // namespace parfait::estimate
