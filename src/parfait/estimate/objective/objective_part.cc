#include "parfait/estimate/objective/objective_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
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
  slopes_.resize(terms_.size());
}

void Objective::Part::refuse_the_rest(const Problem& problem) const {
  const auto fail = [&](const Place& place, const std::string& what) {
    throw base::InputError(
        place.line > 0 ? place : experiment_.place,
        fmt::format("experiment \"{}\": {}, which only the method gauss_newton can treat.",
                    experiment_.id, what));
  };
  if (!experiment_.requirements.empty())
    fail(experiment_.requirements.front().place, "has a <require>");
  if (!experiment_.state_bounds.empty())
    fail(experiment_.state_bounds.front().place, "has <bounds> of a state");
  if (experiment_.grid.intervals > 1 || !experiment_.grid.times.empty() ||
      experiment_.grid.end_node) {
    fail(experiment_.grid.place, "has several shooting intervals");
  }
  if (experiment_.equilibrium) fail(experiment_.equilibrium->place, "begins at an <equilibrium>");
  if (!experiment_.locals.empty()) {
    fail(experiment_.locals.front().place,
         fmt::format("estimates \"{}\" for itself alone", experiment_.locals.front().parameter));
  }
  for (const auto& initial : experiment_.initial) {
    if (initial.kind != InitialState::Kind::kFixed) {
      fail(initial.place, "has free initial states");
    }
  }
  for (const auto& observation : experiment_.observations) {
    if (observation.kind != kQuantityKind) {
      fail(observation.place, fmt::format("observes by \"{}\"", observation.kind));
    }
    if (!observation.sigma.formula.empty())
      fail(observation.place, "has a sigma that is a formula");
    if (observation.noise != Noise{}) fail(observation.place, "has errors that are not normal");
  }
  if (problem.options.linear.norm != Norm::kL2) {
    fail(problem.options.place, "is to be fitted in another norm than l2");
  }
}

int Objective::Part::quantity(const std::string& formula) {
  const auto found = std::ranges::find(quantities_, formula);
  if (found != quantities_.end()) return static_cast<int>(found - quantities_.begin());
  quantities_.push_back(formula);
  return static_cast<int>(quantities_.size()) - 1;
}

int Objective::Part::cost(const std::string& name, std::vector<std::string>& cost_names) const {
  const auto found = std::ranges::find(cost_names, name);
  if (found != cost_names.end()) return static_cast<int>(found - cost_names.begin());
  cost_names.push_back(name);
  return static_cast<int>(cost_names.size()) - 1;
}

void Objective::Part::add_terms(std::vector<std::string>& cost_names) {
  std::vector<double> times;
  const int column = experiment_.data.find_column(experiment_.data.time);
  if (experiment_.samples) {
    times = experiment_.samples->all_times();
  } else if (column >= 0) {
    times = experiment_.data.columns[static_cast<std::size_t>(column)];
  }
  for (const Cost& all : experiment_.costs) {
    const int index = cost(all.id, cost_names);
    for (const CostTerm& term : all.terms) {
      if (term.kind == CostTerm::Kind::kSum) {
        if (times.empty()) {
          throw base::InputError(term.formula.place,
                                 fmt::format("experiment \"{}\", cost \"{}\": a <sum> needs "
                                             "<samples> or data, which say when.",
                                             experiment_.id, all.id));
        }
        const int q = quantity(term.formula.text);
        for (const double t : times) terms_.push_back({.t = t, .quantity = q, .cost = index});
      } else {
        const bool is_final = term.kind == CostTerm::Kind::kFinal;
        terms_.push_back({.t = t1_,
                          .quantity = quantity(is_final ? term.formula.text : term.state),
                          .cost = index});
      }
    }
  }
  // Samples are for data that do not exist yet: the table then has no numbers.
  for (const Measurement& m : measurements_of(experiment_)) {
    const auto& observation = experiment_.observations[static_cast<std::size_t>(m.observation)];
    terms_.push_back({.t = m.t,
                      .quantity = quantity(observation.quantity.text),
                      .cost = cost("data", cost_names),
                      .is_datum = true,
                      .eta = m.value,
                      .sigma = m.sigma});
  }
  std::ranges::stable_sort(terms_, {}, &Term::t);
  for (const Term& term : terms_) {
    if (term.t >= t0_ && term.t <= t1_) continue;
    throw base::InputError(experiment_.place,
                           fmt::format("experiment \"{}\": a sample at {:g} lies outside [{:g}, "
                                       "{:g}], where it is integrated.",
                                       experiment_.id, term.t, t0_, t1_));
  }
}

double Objective::Part::cost_of(const Term& term, double y, double& slope) const {
  if (!term.is_datum) {
    slope = 1;
    return y;
  }
  double difference = y - term.eta;
  // A joint angle is known up to whole turns: the datum tells which.
  if (observer_->is_angle(term.quantity)) {
    constexpr double kTurn = 2 * std::numbers::pi;
    difference -= kTurn * std::round(difference / kTurn);
  }
  const double r = difference / term.sigma;
  slope = r / term.sigma;
  return 0.5 * r * r;
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
                                  std::size_t last, ObjectiveValue& value) {
  for (std::size_t i = first; i < last; ++i) {
    const double y = values_[static_cast<std::size_t>(terms_[i].quantity)];
    value.costs[static_cast<std::size_t>(terms_[i].cost)] += cost_of(terms_[i], y, slopes_[i]);
    if (!std::isfinite(y)) {
      return fmt::format("experiment \"{}\": \"{}\" is not finite at t = {:g} s", experiment_.id,
                         quantities_[static_cast<std::size_t>(terms_[i].quantity)], sample.t);
    }
  }
  return "";
}

/// The value; with dJ_dp also the gradient by directions, one for each unknown.
std::string Objective::Part::run_forward(ObjectiveValue& value, Eigen::VectorXd* dJ_dp) {
  const auto start_time = objective_part::Clock::now();
  const int ny = system_.sizes().ny(), np = system_.sizes().np;
  const int k = dJ_dp ? static_cast<int>(dJ_dp->size()) : 0;
  auto ws = system_.make_workspace(k), sample_ws = system_.make_workspace(k);
  Directions dp(np, k);
  for (int i = 0; i < np && k > 0; ++i) {
    if (source_[static_cast<std::size_t>(i)] >= 0) dp(i, source_[static_cast<std::size_t>(i)]) = 1;
  }
  for (auto* w : {ws.get(), sample_ws.get()}) {
    system_.bind(*w, p_);
    if (k > 0) system_.bind_directions(*w, dp);
  }
  integrate::State state;
  std::string why = begin(state, *ws);
  if (!why.empty()) return why;
  integrate::Sample sample;
  sample.y.resize(static_cast<std::size_t>(ny));
  sample.z.resize(state.z.size());
  if (k > 0) {
    state.W.resize(ny, k);
    system_.start_directions(*ws, state.W);
    for (std::size_t i = 0; i < given_.size(); ++i) {
      for (int j = 0; given_[i] && j < k; ++j) state.W(static_cast<int>(i), j) = 0;
    }
    if (objective_part::has_invariants(system_)) {
      const dynamics::Status status = system_.project_directions(*ws, state.W);
      if (status != dynamics::Status::kOk) return dynamics::text(status);
    }
    sample.W.resize(ny, k);
    sample.dz.resize(system_.sizes().nz, k);
    dvalues_.resize(observer_->size(), k);
  }
  const auto on_step = [&](const integrate::AcceptedStep& step) {
    for_terms(step.t0, step.t1, [&](std::size_t first, std::size_t last, double t) {
      if (!why.empty()) return;
      dynamics::Status status = take_sample(system_, *sample_ws, options_, step, t, sample);
      if (status == dynamics::Status::kOk) {
        status = observe_sample(system_, *sample_ws, *observer_, sample, values_, dvalues_);
      }
      why = status == dynamics::Status::kOk
                ? look(sample, first, last, value)
                : fmt::format("experiment \"{}\", t = {:g} s: {}", experiment_.id, t,
                              dynamics::text(status));
      for (std::size_t i = first; i < last && why.empty(); ++i) {
        for (int j = 0; j < k; ++j) (*dJ_dp)[j] += slopes_[i] * dvalues_(terms_[i].quantity, j);
      }
    });
    return why.empty();
  };
  const auto result = integrate::Integrator(system_, *ws, options_).run(state, t1_, on_step);
  value.work.steps += result.statistics.steps;
  value.work.events += static_cast<std::int64_t>(result.events.size());
  (k > 0 ? value.work.seconds_gradient : value.work.seconds_forward) +=
      objective_part::seconds_since(start_time);
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
      seeds[static_cast<std::size_t>(terms_[i].quantity)] += slopes_[i];
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

std::string Objective::Part::run_adjoint(ObjectiveValue& value, Eigen::VectorXd& dJ_dp) {
  const auto start_time = objective_part::Clock::now();
  const int ny = system_.sizes().ny();
  auto ws = system_.make_workspace(math::kLanes), sample_ws = system_.make_workspace(0);
  system_.bind(*ws, p_);
  system_.bind(*sample_ws, p_);
  integrate::State state;
  std::string why = begin(state, *ws);
  if (!why.empty()) return why;
  integrate::Sample sample;
  sample.y.resize(static_cast<std::size_t>(ny));
  sample.z.resize(state.z.size());
  const auto on_step = [&](const integrate::AcceptedStep& step) {
    for_terms(step.t0, step.t1, [&](std::size_t first, std::size_t last, double t) {
      if (!why.empty()) return;
      dynamics::Status status = take_sample(system_, *sample_ws, options_, step, t, sample);
      if (status == dynamics::Status::kOk) {
        status = observe_sample(system_, *sample_ws, *observer_, sample, values_, dvalues_);
      }
      why = status == dynamics::Status::kOk
                ? look(sample, first, last, value)
                : fmt::format("experiment \"{}\", t = {:g} s: {}", experiment_.id, t,
                              dynamics::text(status));
    });
    return why.empty();
  };
  integrate::Tape tape(memory_);
  const auto result =
      integrate::Integrator(system_, *ws, options_).run(state, t1_, on_step, nullptr, &tape);
  value.work.steps += result.statistics.steps;
  value.work.events += static_cast<std::int64_t>(result.events.size());
  value.work.seconds_forward += objective_part::seconds_since(start_time);
  value.work.tape_bytes = std::max(value.work.tape_bytes, tape.bytes());
  value.work.tape_stride = std::max(value.work.tape_stride, tape.stride());
  if (why.empty()) why = outcome(result);
  if (!why.empty()) return why;

  integrate::Adjoint adjoint(system_, *ws, options_, tape);
  observing_ = system_.make_bound_copy(*ws, math::kLanes);
  system_.clear_parameter_adjoint(*observing_);
  std::vector<double> bar(static_cast<std::size_t>(ny), 0.0);
  dynamics::Status status = adjoint.run(bar, [&](const integrate::ReverseStep& step) {
    if (why.empty()) why = pull_terms(step, adjoint.workspace());
  });
  // The start, transposed.
  if (status == dynamics::Status::kOk && why.empty()) {
    integrate::State first;
    why = begin(first, adjoint.workspace());
    if (why.empty() && objective_part::has_invariants(system_)) {
      status = system_.pull_back_projection(adjoint.workspace(), bar);
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i]) bar[i] = 0;
    }
    system_.pull_back_start(adjoint.workspace(), bar);
  }
  if (status != dynamics::Status::kOk) {
    return fmt::format("experiment \"{}\", adjoint: {}", experiment_.id, dynamics::text(status));
  }
  if (!why.empty()) return why;
  system_.move_parameter_adjoint(*observing_, adjoint.workspace());
  std::vector<double> gradient(p_.size(), 0.0);
  adjoint.add_parameter_gradient(gradient);
  for (std::size_t i = 0; i < p_.size(); ++i) {
    if (source_[i] >= 0) dJ_dp[source_[i]] += gradient[i];
  }
  value.work.seconds_gradient += objective_part::seconds_since(start_time);
  return "";
}

void Objective::Part::evaluate(VecIn p, const GradientBy* by, ObjectiveValue& value,
                               Eigen::VectorXd* dJ_dp) {
  bind(p);
  const bool by_adjoint = by && *by == GradientBy::kAdjoint;
  const std::string why = by_adjoint ? run_adjoint(value, *dJ_dp) : run_forward(value, dJ_dp);
  if (value.why.empty()) value.why = why;
}

}  // namespace parfait::estimate
