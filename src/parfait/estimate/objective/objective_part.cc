#include "parfait/estimate/objective/objective_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/integrate/stepping/method.h"

namespace parfait::estimate {

using dynamics::Directions;

namespace objective_part {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool has_invariants(const dynamics::System& system) {
  return system.sizes().num_pos + system.sizes().num_vel > 0;
}

}  // namespace
}  // namespace objective_part

Objective::Part::Part(const Problem& problem, const ExperimentDescription& experiment,
                      const Unknowns& unknowns, double memory, std::vector<std::string>& cost_names)
    : experiment_(experiment),
      system_(*experiment.system),
      options_(problem.options.integrator),
      memory_(memory) {
  refuse_the_rest(problem);
  if (!problem.options.integrator_given) options_.method = integrate::default_method(system_);
  for (const auto& info : system_.parameters()) {
    p_.push_back(info.initial);
    source_.push_back(unknowns.find(info.id));
  }
  for (const auto& set : experiment.sets) {
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (system_.parameters()[i].id != set.parameter) continue;
      p_[i] = set.value;
      source_[i] = set.estimate.empty() ? -1 : unknowns.find(set.estimate);
    }
  }
  const auto names = system_.state_names();
  given_.resize(names.size());
  for (const auto& initial : experiment.initial) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (initial.state.empty() || initial.state == names[i]) {
        if (initial.value) given_[i] = initial.value;
      }
    }
  }
  const Horizon horizon = horizon_of(experiment);
  t0_ = horizon.begin;
  t1_ = horizon.end;
  if (!(t1_ > t0_)) {
    throw base::InputError(
        experiment.place,
        fmt::format("experiment \"{}\": ends at {:g}, where it begins.", experiment.id, t1_));
  }
  add_terms(cost_names);
  observer_ = system_.make_observer(quantities_);
  values_.resize(quantities_.size());
}

void Objective::Part::bind(VecIn p) {
  for (std::size_t i = 0; i < p_.size(); ++i) {
    if (source_[i] >= 0) p_[i] = p[source_[i]];
  }
}

/// The start: what the model says, numbers that were given, brought onto the constraints.
std::string Objective::Part::begin(integrate::State& state, dynamics::Workspace& ws) const {
  state.t = t0_;
  state.y.resize(static_cast<std::size_t>(system_.sizes().ny()));
  state.z.resize(static_cast<std::size_t>(system_.sizes().nz));
  system_.start(ws, state.y, state.z);
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (given_[i]) state.y[i] = *given_[i];
  }
  if (!objective_part::has_invariants(system_)) return "";
  const auto report =
      system_.project(ws, t0_, state.y, options_.projection, options_.projection_tolerance);
  return report.status == dynamics::Status::kOk ? ""
                                                : fmt::format(
                                                      "the start cannot be brought onto the "
                                                      "constraints: {}",
                                                      dynamics::text(report.status));
}

/// visit(first, last) for runs of terms at one time in (t0, end]; those at the very beginning
/// belong to the first step.
template <class Visit>
void Objective::Part::for_terms(double t0, double end, const Visit& visit) const {
  std::size_t first = 0;
  while (first < terms_.size()) {
    std::size_t last = first;
    const double t = terms_[first].t;
    while (last < terms_.size() && terms_[last].t == t) ++last;
    if ((t > t0 || (t == t0 && t0 == t0_)) && t <= end) visit(first, last, t);
    first = last;
  }
}

std::string Objective::Part::outcome(const integrate::Result& result) const {
  if (result.outcome == integrate::Outcome::kFinished) return "";
  return fmt::format("experiment \"{}\": {}", experiment_.id, result.message());
}

std::string Objective::Part::look(const integrate::Sample& sample, std::size_t first,
                                  std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const int q = terms_[i].quantity;
    double y = values_[static_cast<std::size_t>(q)];
    if (!std::isfinite(y)) {
      return fmt::format("experiment \"{}\": \"{}\" is not finite at t = {:g} s", experiment_.id,
                         quantities_[static_cast<std::size_t>(q)], sample.t);
    }
    // A joint angle is known up to whole turns: the datum tells which.
    if (terms_[i].is_datum && observer_->is_angle(q)) {
      constexpr double kTurn = 2 * std::numbers::pi;
      y -= kTurn * std::round((y - terms_[i].eta) / kTurn);
    }
    y_[row] = y;
    for (Eigen::Index j = 0; j < dy_.cols(); ++j) dy_(row, j) = dvalues_(q, static_cast<int>(j));
  }
  return "";
}

/// Of the unknowns' directions, that `running_` is bound to.
std::string Objective::Part::begin_directions(integrate::State& state) const {
  const int k = static_cast<int>(dy_.cols());
  state.W.resize(system_.sizes().ny(), k);
  system_.start_directions(*running_, state.W);
  for (std::size_t i = 0; i < given_.size(); ++i) {
    for (int j = 0; given_[i] && j < k; ++j) state.W(static_cast<int>(i), j) = 0;
  }
  if (!objective_part::has_invariants(system_)) return "";
  const dynamics::Status status = system_.project_directions(*running_, state.W);
  return status == dynamics::Status::kOk ? "" : dynamics::text(status);
}

std::string Objective::Part::run(ObjectiveValue& value, const Eigen::MatrixXd* V,
                                 integrate::Tape* tape) {
  const int ny = system_.sizes().ny(), np = system_.sizes().np;
  const int k = V ? static_cast<int>(V->cols()) : 0;
  y_.setZero(std::ssize(terms_));
  dy_.setZero(std::ssize(terms_), k);
  running_ = system_.make_workspace(tape ? math::kLanes : k);
  auto sample_ws = system_.make_workspace(k);
  for (auto* ws : {running_.get(), sample_ws.get()}) system_.bind(*ws, p_);
  if (k > 0) {
    Directions dp(np, k);
    for (int i = 0; i < np; ++i) {
      const int from = source_[static_cast<std::size_t>(i)];
      for (int j = 0; from >= 0 && j < k; ++j) dp(i, j) = (*V)(from, j);
    }
    for (auto* ws : {running_.get(), sample_ws.get()}) system_.bind_directions(*ws, dp);
  }
  integrate::State state;
  std::string why = begin(state, *running_);
  if (why.empty() && k > 0) why = begin_directions(state);
  if (!why.empty()) return why;
  integrate::Sample sample;
  sample.y.resize(static_cast<std::size_t>(ny));
  sample.z.resize(state.z.size());
  if (k > 0) {
    sample.W.resize(ny, k);
    sample.dz.resize(system_.sizes().nz, k);
  }
  dvalues_.resize(observer_->size(), k);
  const auto on_step = [&](const integrate::AcceptedStep& step) {
    for_terms(step.t0, step.t1, [&](std::size_t first, std::size_t last, double t) {
      if (!why.empty()) return;
      dynamics::Status status = take_sample(system_, *sample_ws, options_, step, t, sample);
      if (status == dynamics::Status::kOk) {
        status = observe_sample(system_, *sample_ws, *observer_, sample, values_, dvalues_);
      }
      why = status == dynamics::Status::kOk
                ? look(sample, first, last)
                : fmt::format("experiment \"{}\", t = {:g} s: {}", experiment_.id, t,
                              dynamics::text(status));
    });
    if (why.empty()) why = watch_motion(step, *sample_ws, sample);
    return why.empty();
  };
  const auto result =
      integrate::Integrator(system_, *running_, options_).run(state, t1_, on_step, nullptr, tape);
  value.work.steps += result.statistics.steps;
  value.work.events += static_cast<std::int64_t>(result.events.size());
  if (tape) {
    value.work.tape_bytes = std::max(value.work.tape_bytes, tape->bytes());
    value.work.tape_stride = std::max(value.work.tape_stride, tape->stride());
  }
  return why.empty() ? outcome(result) : why;
}

/// Adds the adjoints of the terms inside a step to it.
std::string Objective::Part::pull_terms(const integrate::ReverseStep& step,
                                        dynamics::Workspace& ws) {
  std::string why;
  std::vector<double> y(static_cast<std::size_t>(system_.sizes().ny())), bar(y.size()),
      z(static_cast<std::size_t>(system_.sizes().nz)), z_bar(z.size()), seeds(quantities_.size());
  for_terms(step.t0, step.end, [&](std::size_t first, std::size_t last, double t) {
    if (!why.empty()) return;
    dynamics::Status status = step.curve.state(t, y);
    if (status == dynamics::Status::kOk && !z.empty()) status = step.curve.algebraic(t, z);
    const bool projects = objective_part::has_invariants(system_);
    if (status == dynamics::Status::kOk && projects) {
      status = system_.project(ws, t, y, options_.projection, options_.projection_tolerance).status;
    }
    std::ranges::fill(bar, 0.0);
    std::ranges::fill(z_bar, 0.0);
    std::ranges::fill(seeds, 0.0);
    for (std::size_t i = first; i < last; ++i) {
      seeds[static_cast<std::size_t>(terms_[i].quantity)] += slopes_[static_cast<Eigen::Index>(i)];
    }
    if (status == dynamics::Status::kOk) {
      // Observing forgets the projection: what it pulls back comes from another workspace.
      status =
          system_.observe(*observing_, *observer_,
                          {.t = t, .y = y, .z = z, .mode = step.piece.mode, .offset = {}}, values_);
    }
    if (status == dynamics::Status::kOk) {
      dynamics::Pulled to{.t = 0, .y = bar, .z = z_bar};
      system_.pull_back_observation(*observing_, *observer_, seeds, to);
      if (projects) status = system_.pull_back_projection(ws, bar);
    }
    if (status == dynamics::Status::kOk) {
      step.curve.add(t, bar);
      if (!z.empty()) status = step.curve.add_algebraic(t, z_bar);
    }
    if (status != dynamics::Status::kOk) {
      why = fmt::format("experiment \"{}\", adjoint at t = {:g} s: {}", experiment_.id, t,
                        dynamics::text(status));
    }
  });
  return why;
}

std::string Objective::Part::pull_start(dynamics::Workspace& ws, std::vector<double>& bar) {
  integrate::State first;
  std::string why = begin(first, ws);
  if (!why.empty()) return why;
  if (objective_part::has_invariants(system_)) {
    const dynamics::Status status = system_.pull_back_projection(ws, bar);
    if (status != dynamics::Status::kOk) {
      return fmt::format("experiment \"{}\", adjoint of the start: {}", experiment_.id,
                         dynamics::text(status));
    }
  }
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (given_[i]) bar[i] = 0;
  }
  system_.pull_back_start(ws, bar);
  return "";
}

template <class Adjoint>
std::string Objective::Part::collect(Adjoint& adjoint, std::vector<double>& bar,
                                     Eigen::VectorXd& dJ_dp) {
  std::string why = pull_start(adjoint.workspace(), bar);
  if (!why.empty()) return why;
  system_.move_parameter_adjoint(*observing_, adjoint.workspace());
  std::vector<double> gradient(p_.size(), 0.0);
  adjoint.add_parameter_gradient(gradient);
  for (std::size_t i = 0; i < p_.size(); ++i) {
    if (source_[i] >= 0) dJ_dp[source_[i]] += gradient[i];
  }
  return "";
}

std::string Objective::Part::run_back(const integrate::Tape& tape, Eigen::VectorXd& dJ_dp,
                                      AdjointPath* path) {
  integrate::Adjoint adjoint(system_, *running_, options_, tape);
  observing_ = system_.make_bound_copy(*running_, math::kLanes);
  system_.clear_parameter_adjoint(*observing_);
  std::string why;
  std::vector<double> bar(static_cast<std::size_t>(system_.sizes().ny()), 0.0);
  const dynamics::Status status = adjoint.run(bar, [&](const integrate::ReverseStep& step) {
    if (path) {
      path->t.push_back(step.end);
      path->ybar.emplace_back(step.end_bar.begin(), step.end_bar.end());
    }
    if (why.empty()) why = pull_terms(step, adjoint.workspace());
  });
  if (status != dynamics::Status::kOk) {
    return fmt::format("experiment \"{}\", adjoint: {}", experiment_.id, dynamics::text(status));
  }
  if (path) {
    path->t.push_back(t0_);
    path->ybar.push_back(bar);
    std::ranges::reverse(path->t);
    std::ranges::reverse(path->ybar);
  }
  return why.empty() ? collect(adjoint, bar, dJ_dp) : why;
}

/// The states of motion_ inside a step.
std::string Objective::Part::watch_motion(const integrate::AcceptedStep& step,
                                          dynamics::Workspace& ws, integrate::Sample& sample) {
  while (motion_.y.size() < motion_.t.size()) {
    const double t = motion_.t[motion_.y.size()];
    if (t > step.t1) return "";
    const dynamics::Status status = take_sample(system_, ws, options_, step, t, sample);
    if (status != dynamics::Status::kOk) {
      return fmt::format("experiment \"{}\", t = {:g} s: {}", experiment_.id, t,
                         dynamics::text(status));
    }
    motion_.mode = sample.mode;
    motion_.y.push_back(sample.y);
  }
  return "";
}

std::string Objective::Part::run_continuous(Eigen::VectorXd& dJ_dp, AdjointPath* path) {
  integrate::ContinuousAdjoint adjoint(system_, *running_);
  observing_ = system_.make_bound_copy(*running_, math::kLanes);
  system_.clear_parameter_adjoint(*observing_);
  std::vector<double> bar(static_cast<std::size_t>(system_.sizes().ny()), 0.0),
      seeds(quantities_.size(), 0.0);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    seeds[static_cast<std::size_t>(terms_[i].quantity)] += slopes_[static_cast<Eigen::Index>(i)];
  }
  dynamics::Status status = system_.observe(
      *observing_, *observer_,
      {.t = t1_, .y = motion_.y.back(), .z = {}, .mode = motion_.mode, .offset = {}}, values_);
  if (status == dynamics::Status::kOk) {
    dynamics::Pulled to{.t = 0, .y = bar, .z = {}};
    system_.pull_back_observation(*observing_, *observer_, seeds, to);
    status = adjoint.run(motion_, bar);
  }
  if (status != dynamics::Status::kOk) {
    return fmt::format("experiment \"{}\", continuous adjoint: {}", experiment_.id,
                       dynamics::text(status));
  }
  if (path) {
    path->t = motion_.t;
    path->ybar = adjoint.sensitivities();
  }
  return collect(adjoint, bar, dJ_dp);
}

void Objective::Part::evaluate(VecIn p, const GradientBy* by, int continuous_steps,
                               ObjectiveValue& value, Eigen::VectorXd* dJ_dp, AdjointPath* path) {
  const auto start_time = objective_part::Clock::now();
  bind(p);
  const bool by_adjoint = by && *by == GradientBy::kAdjoint;
  const bool by_directions = by && *by == GradientBy::kForward;
  const bool is_continuous = by && *by == GradientBy::kContinuous;
  motion_ = {};
  if (is_continuous) {
    const auto inside = [&](const Term& term) { return term.t < t1_; };
    if (std::ranges::any_of(terms_, inside)) {
      throw base::InputError(
          experiment_.place,
          fmt::format("experiment \"{}\": has samples, which the continuous adjoint cannot treat; "
                      "it knows <integral> and <final>.",
                      experiment_.id));
    }
    for (int i = 0; i <= continuous_steps; ++i) {
      motion_.t.push_back(t0_ + (t1_ - t0_) * i / continuous_steps);
    }
  }
  std::optional<integrate::Tape> tape;
  if (by_adjoint) tape.emplace(memory_);
  Eigen::MatrixXd V;
  if (by_directions) V.setIdentity(dJ_dp->size(), dJ_dp->size());
  const auto events = value.work.events;
  std::string why = run(value, by_directions ? &V : nullptr, tape ? &*tape : nullptr);
  if (!by_directions) value.work.seconds_forward += objective_part::seconds_since(start_time);
  if (why.empty() && is_continuous && value.work.events > events) {
    why = fmt::format(
        "experiment \"{}\" has events, across which the continuous adjoint does not "
        "go; the discrete one does",
        experiment_.id);
  }
  if (path && why.empty()) {
    path->experiment = experiment_.id;
    path->states = system_.state_names();
  }
  if (why.empty()) why = assess(value);
  if (why.empty() && by_adjoint) why = run_back(*tape, *dJ_dp, path);
  if (why.empty() && is_continuous) why = run_continuous(*dJ_dp, path);
  if (why.empty() && by_directions) dJ_dp->noalias() += dy_.transpose() * slopes_;
  if (by) value.work.seconds_gradient += objective_part::seconds_since(start_time);
  if (value.why.empty()) value.why = why;
}

std::string Objective::Part::linearize(VecIn p, ObjectiveValue& value, Eigen::VectorXd& r) {
  bind(p);
  tape_ = std::make_unique<integrate::Tape>(memory_);
  std::string why = run(value, nullptr, tape_.get());
  return why.empty() ? find_residuals(r) : why;
}

std::string Objective::Part::times(VecIn v, ObjectiveValue& value, Eigen::VectorXd& dr) {
  // The way back needs the workspace of the run that was taped.
  auto taped = std::move(running_);
  const Eigen::MatrixXd V = v;
  std::string why = run(value, &V, nullptr);
  running_ = std::move(taped);
  if (!why.empty()) return why;
  dr.setZero(num_residuals_);
  const Eigen::VectorXd dy = dy_.col(0);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.residual >= 0) dr[term.residual] = dy[static_cast<Eigen::Index>(i)] / term.sigma;
  }
  for (const Group& group : groups_) {
    dr.segment(group.first_residual, group.rows->size()) =
        group.rows->push_forward(of_group(group, y_), of_group(group, dy));
  }
  return "";
}

std::string Objective::Part::transposed_times(VecIn u, Eigen::VectorXd& Jt_u) {
  slopes_.setZero(std::ssize(terms_));
  pull_residuals(u);
  return run_back(*tape_, Jt_u);
}

}  // namespace parfait::estimate
