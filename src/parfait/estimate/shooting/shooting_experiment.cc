#include "parfait/estimate/shooting/shooting_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/shooting/first_nodes.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::VectorXd;

namespace shooting_experiment {
namespace {

FitOptions options_for(const dynamics::System& system, const FitOptions& given) {
  FitOptions options = given;
  if (system.sizes().nz > 0 && !options.integrator_given) {
    options.integrator.method = integrate::default_method(system);
  }
  // Unknowns are scaled: directions of the size of the state are the natural ones.
  options.integrator.smallest_direction = 0.1;
  // Trial points may lead where the model is stiff or wild; there it is better to turn back soon.
  constexpr int kMostSteps = 50'000;
  if (!options.max_steps_given) {
    options.integrator.max_steps = std::min(options.integrator.max_steps, kMostSteps);
  }
  return options;
}

}  // namespace
}  // namespace shooting_experiment

ShootingExperiment::ShootingExperiment(const ExperimentDescription& description,
                                       const Unknowns& shared, const FitOptions& options)
    : description_(description),
      options_(shooting_experiment::options_for(*description.system, options)),
      layout_(make_shooting_layout(description, shared)),
      intervals_(layout_, options_),
      reduction_method_(choose_reduction(layout_, options_)),
      reduction_(make_reduction(reduction_method_)) {}

bool ShootingExperiment::initialize(VecIn p, VectorXd& x) {
  if (find_first_nodes(description_, p, intervals_, x)) return true;
  return change_if_stiff() && find_first_nodes(description_, p, intervals_, x);
}

/// Where nobody chose an integrator, a model that turns out to be stiff gets one that is made for
/// that; never in the middle of an iteration, whose points are compared with each other.
bool ShootingExperiment::change_if_stiff() {
  constexpr integrate::Method kStiff = integrate::Method::kBdf;
  was_stiff_ = was_stiff_ || intervals_.is_stiff();
  const auto& sizes = layout_.system->sizes();
  if (!was_stiff_ || is_changed_ || options_.integrator_given ||
      sizes.num_pos + sizes.num_vel > 0 || integrate::info(options_.integrator.method).for_stiff ||
      !obstacle(kStiff, *layout_.system).empty()) {
    return false;
  }
  is_changed_ = true;
  options_.integrator.method = kStiff;
  intervals_.set_method(kStiff);
  return true;
}

/// Values of all rows. False: one does not exist on this trajectory.
bool ShootingExperiment::collect_values() {
  for (const auto* rows : {&layout_.data, &layout_.equations, &layout_.inequalities}) {
    const std::string why = missing_in(*rows, trajectory_);
    if (why.empty()) continue;
    intervals_.fail(fmt::format("experiment \"{}\": {}", layout_.id, why));
    return false;
  }
  values_.b = values_of(layout_.data, trajectory_);
  residuals_ = values_.b;
  if (!layout_.likelihood.empty() && !collect_likelihood()) return false;
  values_.c = values_of(layout_.equations, trajectory_);
  values_.e = values_of(layout_.inequalities, trajectory_);
  return true;
}

/// The first rows of the data are model values: their residuals, and what they cost.
bool ShootingExperiment::collect_likelihood() {
  LikelihoodRows& rows = layout_.likelihood;
  const Index n = rows.size();
  const auto& infos = layout_.experiment.residuals;
  if (const std::string why = missing_in(layout_.sigmas, trajectory_); !why.empty()) {
    intervals_.fail(fmt::format("experiment \"{}\": {}", layout_.id, why));
    return false;
  }
  const VectorXd varying = values_of(layout_.sigmas, trajectory_);
  noise_.sigma.resize(std::ssize(infos));
  for (Index i = 0, k = 0; i < std::ssize(infos); ++i) {
    const bool varies = i < n && rows.row(static_cast<int>(i)).sigma_varies;
    noise_.sigma[i] = varies ? varying[k++] : infos[static_cast<std::size_t>(i)].sigma;
  }
  const auto failure = rows.evaluate(values_.b.head(n), noise_.sigma.head(n));
  if (failure.row >= 0) {
    const ResidualInfo& info = infos[static_cast<std::size_t>(failure.row)];
    intervals_.fail(fmt::format("experiment \"{}\", column \"{}\" at t = {:g}: {}", layout_.id,
                                info.column, info.t, failure.why));
    return false;
  }
  noise_.model = values_.b;
  residuals_.head(n) = rows.residuals();
  noise_.cost = rows.cost();
  noise_.data = rows.data();
  for (Index i = n; i < std::ssize(infos); ++i) {
    const ResidualInfo& info = infos[static_cast<std::size_t>(i)];
    noise_.model[i] = info.measured + info.sigma * residuals_[i];
    noise_.cost += normal_cost(residuals_[i], info.sigma);
    noise_.data += std::pow(info.measured / info.sigma, 2);
  }
  return true;
}

bool ShootingExperiment::evaluate(VecIn x, VecIn p) {
  set_point(layout_, x, p, trajectory_.at);
  if (!intervals_.run(trajectory_.at)) {
    was_stiff_ = was_stiff_ || intervals_.is_stiff();
    return false;
  }
  intervals_.take_all(trajectory_);
  if (!collect_values()) return false;
  return !linearized_ || reduction_->correct(intervals_, trajectory_, condensed_);
}

bool ShootingExperiment::linearize(VecIn x, VecIn p) {
  set_point(layout_, x, p, trajectory_.at);
  linearized_ = false;
  (void)change_if_stiff();
  if (!reduction_->linearize(intervals_, trajectory_, condensed_) &&
      !(change_if_stiff() && reduction_->linearize(intervals_, trajectory_, condensed_))) {
    return false;
  }
  if (!collect_values()) return false;
  linearized_ = true;
  node_sizes_ = node_sizes();
  fill_block();
  watch_switches();
  return true;
}

/// The rows as functions of xi = (w | local) and the shared parameters.
void ShootingExperiment::fill_block() {
  const auto num_data = static_cast<Index>(layout_.data.size());
  const auto num_sigmas = static_cast<Index>(layout_.sigmas.size());
  block_ = Block::zero(condensed_.num_w + layout_.locals.size(), layout_.shared.size(),
                       num_data + num_sigmas, static_cast<Index>(layout_.equations.size()),
                       static_cast<Index>(layout_.inequalities.size()));
  fill_derivatives(layout_, layout_.data, trajectory_, condensed_, block_.A, block_.B);
  fill_derivatives(layout_, layout_.equations, trajectory_, condensed_, block_.C, block_.D);
  fill_derivatives(layout_, layout_.inequalities, trajectory_, condensed_, block_.E, block_.F);
  if (!layout_.likelihood.empty()) weigh_rows();
  block_.right = right_side();
}

/// Rows of y become those of the likelihood; rows of sigma follow them.
void ShootingExperiment::weigh_rows() {
  LikelihoodRows& rows = layout_.likelihood;
  rows.freeze(expected_information_);
  const auto num_data = static_cast<Index>(layout_.data.size());
  const auto num_sigmas = static_cast<Index>(layout_.sigmas.size());
  noise_.unit.setConstant(num_data, std::nan(""));
  for (int i = 0; i < static_cast<int>(num_data); ++i) {
    if (i >= rows.size()) {
      noise_.unit[i] = noise_.sigma[i];
      continue;
    }
    const double factor = rows.by_model(i);
    noise_.unit[i] = 1 / factor;
    block_.A.row(i) *= factor;
    block_.B.row(i) *= factor;
  }
  if (num_sigmas == 0) return;
  Eigen::MatrixXd by_xi = Eigen::MatrixXd::Zero(num_sigmas, block_.A.cols());
  Eigen::MatrixXd by_shared = Eigen::MatrixXd::Zero(num_sigmas, block_.B.cols());
  fill_derivatives(layout_, layout_.sigmas, trajectory_, condensed_, by_xi, by_shared);
  for (Index i = 0, k = 0; i < rows.size(); ++i) {
    if (!rows.row(static_cast<int>(i)).sigma_varies) continue;
    const double factor = rows.by_sigma(static_cast<int>(i));
    block_.A.row(num_data + k) = factor * by_xi.row(k);
    block_.B.row(num_data + k) = factor * by_shared.row(k);
    ++k;
  }
}

RightSide ShootingExperiment::right_side() const {
  RightSide right = values_;
  VectorXd shifts = shifts_of(layout_.data, trajectory_, condensed_);
  const LikelihoodRows& rows = layout_.likelihood;
  if (!rows.empty()) {
    for (int i = 0; i < rows.size(); ++i) {
      right.b[i] = rows.b1(i);
      shifts[i] *= rows.by_model(i);
    }
  }
  right.b += shifts;
  if (!layout_.sigmas.empty()) {
    const auto num_data = static_cast<Index>(layout_.data.size());
    const VectorXd of_sigma = shifts_of(layout_.sigmas, trajectory_, condensed_);
    right.b.conservativeResize(num_data + of_sigma.size());
    for (Index i = 0, k = 0; i < rows.size(); ++i) {
      const int row = static_cast<int>(i);
      if (!rows.row(row).sigma_varies) continue;
      right.b[num_data + k] = rows.b2(row) + rows.by_sigma(row) * of_sigma[k];
      ++k;
    }
  }
  right.c += shifts_of(layout_.equations, trajectory_, condensed_);
  right.e += shifts_of(layout_.inequalities, trajectory_, condensed_);
  return right;
}

double ShootingExperiment::growth() const {
  double largest = 0;
  for (int i = 0; i < intervals_.size(); ++i) largest = std::max(largest, intervals_.growth(i));
  return largest;
}

double ShootingExperiment::infeasibility() const {
  double largest = 0;
  const auto include = [&](const VectorXd& values) {
    if (values.size() > 0) largest = std::max(largest, values.cwiseAbs().maxCoeff());
  };
  include(values_.c);
  for (const VectorXd& h : trajectory_.defects) include(h);
  for (int i = 0; i < intervals_.size(); ++i) include(intervals_.node(i).consistency);
  for (double g : values_.e) largest = std::max(largest, -g);
  return largest;
}

/// The largest value of each state over the nodes.
VectorXd ShootingExperiment::node_sizes() const {
  VectorXd size = VectorXd::Zero(layout_.ny());
  for (const VectorXd& s : trajectory_.at.s) {
    if (s.size() == size.size()) size = size.cwiseMax(s.cwiseAbs());
  }
  return size;
}

double ShootingExperiment::relative_infeasibility() const {
  double largest = 0;
  const auto include = [&](const VectorXd& values) {
    if (values.size() > 0) largest = std::max(largest, values.cwiseAbs().maxCoeff());
  };
  include(values_.c);
  for (int i = 0; i < intervals_.size(); ++i) include(intervals_.node(i).consistency);
  for (double g : values_.e) largest = std::max(largest, -g);
  const VectorXd size = linearized_ ? node_sizes_ : node_sizes();
  for (const VectorXd& h : trajectory_.defects) {
    if (h.size() != size.size()) continue;
    // Coordinates of one mechanism compare with each other.
    const double any = size.size() > 0 ? size.maxCoeff() : 0;
    for (Index j = 0; j < h.size(); ++j) {
      const double unit = layout().nodes.comparable || size[j] == 0 ? any : size[j];
      if (h[j] != 0) largest = std::max(largest, unit > 0 ? std::abs(h[j]) / unit : 1.0);
    }
  }
  return largest;
}

VectorXd ShootingExperiment::expand(VecIn xi, VecIn p, bool with_values) const {
  const Index nw = condensed_.num_w, nl = layout_.locals.size(), nz = layout_.nz();
  VectorXd theta(layout_.num_theta());
  for (int j = 0; j < layout_.num_theta(); ++j) {
    const ThetaEntry& entry = layout_.theta[j];
    theta[j] = entry.local ? xi[nw + entry.unknown] : p[entry.unknown];
  }
  VectorXd x(layout_.num_variables());
  for (int i = 0; i < layout_.num_nodes(); ++i) {
    const CondensedNode& node = condensed_.nodes[i];
    VectorXd s = node.state_by_w * xi.head(nw) + node.state_by_theta * theta;
    if (with_values) s += node.state_shift;
    x.segment(layout_.first_of_state(i), layout_.size_of_state(i)) = s;
    if (nz == 0) continue;
    VectorXd z = node.z_by_s * s + node.z_by_theta * theta;
    if (with_values) z += node.z_shift;
    x.segment(layout_.first_of_algebraic(i), nz) = z;
  }
  x.tail(nl) = xi.tail(nl);
  return x;
}

VectorXd ShootingExperiment::into_bounds(VecIn x) const {
  VectorXd out = x;
  const Unknowns& locals = layout_.locals;
  for (int i = 0; i < locals.size(); ++i) {
    double& value = out[layout_.first_local() + i];
    value = std::clamp(value, locals.lower()[i], locals.upper()[i]);
  }
  return out;
}

VectorXd ShootingExperiment::onto_manifold(VecIn x, VecIn p) {
  if (!layout_.has_invariants()) return x;
  VectorXd out = x;
  ShootingPoint point;
  set_point(layout_, x, p, point);
  for (int i = layout_.moves_on_manifold() ? 0 : 1; i < layout_.num_nodes(); ++i) {
    PlacedNode& node = intervals_.node(i);
    intervals_.placement().start(i, point, nullptr, node);
    if (intervals_.placement().project(i, false, node)) {
      out.segment(layout_.first_of_state(i), layout_.ny()) += node.to_manifold;
    }
  }
  return out;
}

VectorXd ShootingExperiment::first_state() const {
  const auto& y = intervals_.node(0).start.y;
  if (y.empty()) return {};
  return Eigen::Map<const VectorXd>(y.data(), layout_.ny());
}

/// The theory assumes that switching functions pass zero in the same order from one point to the
/// next (Kraus 2006, section 3.3.2): say so where they did not.
void ShootingExperiment::watch_switches() {
  ++switching_.linearizations;
  std::vector<std::vector<std::pair<int, int>>> sequence;
  for (const Trajectory::Interval& interval : trajectory_.intervals) {
    auto& events = sequence.emplace_back();
    for (const auto& event : interval.events) events.emplace_back(event.which, event.mode);
  }
  if (switching_.linearizations > 1 && sequence != switching_.sequence) {
    switching_.changed = switching_.linearizations;
  }
  switching_.sequence = std::move(sequence);
}

std::vector<std::string> ShootingExperiment::remarks() const {
  std::vector<std::string> out;
  if (switching_.changed > 1) {
    const bool last = switching_.changed == switching_.linearizations;
    out.push_back(fmt::format(
        "experiment \"{}\": the sequence of events changed {} iteration {}{}", layout_.id,
        last ? "in the last" : "before", last ? "" : fmt::format("{}", switching_.changed - 1),
        last ? ": the estimate may not be a minimum" : "; it did not change afterwards"));
  }
  if (is_changed_) {
    out.push_back(
        fmt::format("experiment \"{}\": the model is stiff; integrated with {} from there on "
                    "(integrator=\"{}\" "
                    "does so from the start)",
                    layout_.id, integrate::text(options_.integrator.method),
                    integrate::text(options_.integrator.method)));
  }
  if (const std::string remark = reduction_->remark(); !remark.empty()) out.push_back(remark);
  return out;
}

}  // namespace parfait::estimate
