#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/shooting/relaxed_dae.h"
#include "parfait/estimate/shooting/relaxed_mechanics.h"
#include "parfait/estimate/shooting/shooting_experiment.h"

// What a shooting experiment consists of: unknowns, grid, samples, rows.
namespace parfait::estimate {

using base::InputError;

ShootingExperiment::ShootingExperiment(const ExperimentDescription& description,
                                       const Unknowns& shared, const FitOptions& options)
    : description_(description),
      options_(options),
      system_(description.system),
      state_names_(system_->state_names()),
      shared_(shared),
      locals_(description.locals) {
  if (nz() > 0 && !options.integrator_given) {
    options_.integrator.method = integrate::default_method(*system_);
  }
  // Trial points may lead where the model is stiff or wild; there it is better to turn back soon.
  constexpr int kMostSteps = 50'000;
  options_.integrator.max_steps = std::min(options_.integrator.max_steps, kMostSteps);
  make_columns(shared);
  make_first_node();
  make_grid();
  make_rows();
  make_nodes();
  choose_reduction();
}

bool ShootingExperiment::has_invariants() const {
  const auto& sizes = system_->sizes();
  return sizes.num_pos + sizes.num_vel > 0;
}

void ShootingExperiment::choose_reduction() {
  tangent_first_ = has_invariants() && static_cast<int>(free_.size()) == ny();
  reduction_ = options_.reduction;
  const bool can_replay = nz() == 0 && integrate::info(options_.integrator.method).can_replay;
  if (reduction_ == Reduction::kFixfit && !can_replay) {
    throw InputError(
        options_.place,
        fmt::format("reduction fixfit: repeats recorded steps, which {} and models with algebraic "
                    "states cannot. Use none.",
                    integrate::method_names([](const auto& m) { return !m.can_replay; }, "and")));
  }
  if ((reduction_ == Reduction::kInvariants1 || reduction_ == Reduction::kInvariants2) &&
      !has_invariants()) {
    reduction_ = Reduction::kNone;
  }
  const bool relaxed = has_invariants() && options_.relaxation != Relaxation::kLimit;
  if (relaxed && (reduction_ == Reduction::kInvariants1 || reduction_ == Reduction::kInvariants2)) {
    throw InputError(options_.place,
                     "reduction invariants1, invariants2: need nodes that are projected onto the "
                     "constraints, relaxation limit. Use fixfit or none.");
  }
  if (reduction_ != Reduction::kAutomatic) return;
  if (relaxed) {
    // What the constraints leave free in the first node is less than all of any other.
    reduction_ = can_replay && num_nodes() > 1 ? Reduction::kFixfit : Reduction::kNone;
    return;
  }
  const int all = ny() + num_theta();
  const int few = static_cast<int>(free_.size()) + num_theta() + 1;
  if (can_replay && num_nodes() > 1 && 2 * few <= all) {
    reduction_ = Reduction::kFixfit;
  } else {
    reduction_ = has_invariants() ? Reduction::kInvariants1 : Reduction::kNone;
  }
}

/// Which parameters of the model are unknown, and the values of the others.
void ShootingExperiment::make_columns(const Unknowns& shared) {
  const auto& infos = system_->parameters();
  std::map<std::string, int> index;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    index[infos[i].id] = static_cast<int>(i);
    parameters_.push_back(infos[i].initial);
  }
  std::vector<bool> taken(infos.size(), false);
  for (const SetParameter& set : description_.sets) {
    const auto at = index.find(set.parameter);
    if (at == index.end()) continue;  // check() has complained
    parameters_[static_cast<std::size_t>(at->second)] = set.value;
    taken[static_cast<std::size_t>(at->second)] = true;
  }
  const auto add = [&](const Unknowns& unknowns, bool local) {
    for (int i = 0; i < unknowns.size(); ++i) {
      const auto at = index.find(unknowns.estimate(i).parameter);
      if (at == index.end() || taken[static_cast<std::size_t>(at->second)]) continue;
      taken[static_cast<std::size_t>(at->second)] = true;
      columns_.push_back({.local = local, .unknown = i, .parameter = at->second});
    }
  };
  // Local parameters come first: theta = (local | shared). Each has a column, used or not.
  add(locals_, true);
  add(shared, false);
  dparameter_.resize(columns_.size());
}

/// Which components of the first state are unknown.
void ShootingExperiment::make_first_node() {
  using Kind = InitialState::Kind;
  scale_ = Eigen::VectorXd::Ones(ny());
  given_.resize(static_cast<std::size_t>(ny()));
  std::vector<const InitialState*> of(static_cast<std::size_t>(ny()), nullptr);
  // Named states win over the rule for all others.
  for (bool named : {false, true}) {
    for (const InitialState& initial : description_.initial) {
      if (initial.state.empty() == named) continue;
      for (int i = 0; i < ny(); ++i) {
        if (!named || state_names_[static_cast<std::size_t>(i)] == initial.state) {
          of[static_cast<std::size_t>(i)] = &initial;
        }
      }
    }
  }
  for (int i = 0; i < ny(); ++i) {
    const InitialState* initial = of[static_cast<std::size_t>(i)];
    if (initial == nullptr) continue;
    given_[static_cast<std::size_t>(i)] = initial->value;
    scale_[i] = initial->scale;
    if (initial->kind != Kind::kFixed) free_.push_back(i);
  }
}

void ShootingExperiment::make_grid() {
  const Horizon horizon = horizon_of(description_);
  begin_ = horizon.begin;
  end_ = horizon.end;
  const Grid& grid = description_.grid;
  std::vector<double> all = grid.times;
  if (all.empty()) {
    for (int i = 0; i <= grid.intervals; ++i) {
      all.push_back(begin_ + (end_ - begin_) * i / grid.intervals);
    }
    all.back() = end_;
  } else {
    if (all.front() > begin_) all.insert(all.begin(), begin_);
    if (all.back() < end_) all.push_back(end_);
  }
  if (!grid.end_node) all.pop_back();
  times_ = std::move(all);
  sample_times_.resize(times_.size());
}

/// The interval that a time belongs to: the node itself counts, the end of an interval does not.
int ShootingExperiment::node_of(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return std::max(0, static_cast<int>(after - times_.begin()) - 1);
}

int ShootingExperiment::quantity(const std::string& text, const base::Place& place) {
  const auto at = std::find(quantities_.begin(), quantities_.end(), text);
  if (at != quantities_.end()) return static_cast<int>(at - quantities_.begin());
  try {
    system_->make_observer(std::vector<std::string>{text});
  } catch (const InputError& error) {
    throw error.place().text().empty() ? InputError(place, error.what()) : error;
  }
  quantities_.push_back(text);
  return static_cast<int>(quantities_.size()) - 1;
}

ShootingExperiment::Term ShootingExperiment::sample_term(double t, int quantity, double weight,
                                                         const base::Place& place) {
  if (t < begin_ || t > end_) {
    throw InputError(place, fmt::format("experiment \"{}\": t = {:g} lies outside the horizon "
                                        "[{:g}, {:g}].",
                                        description_.id, t, begin_, end_));
  }
  const int node = node_of(t);
  auto& times = sample_times_[static_cast<std::size_t>(node)];
  const auto at = std::lower_bound(times.begin(), times.end(), t);
  const int sample = static_cast<int>(at - times.begin());  // exact once all times are known
  return {
      .of = Term::Of::kSample, .node = node, .sample = sample, .index = quantity, .weight = weight};
}

void ShootingExperiment::add_requirement(const Requirement& requirement) {
  Row row;
  for (const auto& term : requirement.terms) {
    const int q = quantity(term.formula.text, term.formula.place);
    row.terms.push_back(sample_term(term.at.value_or(begin_), q, 1, requirement.place));
  }
  (requirement.inequality ? inequalities_ : equations_).push_back(std::move(row));
}

void ShootingExperiment::make_rows() {
  const std::vector<Measurement> measurements = measurements_of(description_);
  // All sample times first, so that a term knows its place among them.
  const auto add_time = [&](double t) {
    auto& times = sample_times_[static_cast<std::size_t>(node_of(t))];
    const auto at = std::lower_bound(times.begin(), times.end(), t);
    if (at == times.end() || *at != t) times.insert(at, t);
  };
  for (const Measurement& m : measurements) add_time(m.t);
  for (const Requirement& r : description_.requirements) {
    for (const auto& term : r.terms) add_time(term.at.value_or(begin_));
  }

  for (const Measurement& m : measurements) {
    const Observation& o = description_.observations[static_cast<std::size_t>(m.observation)];
    const int q = quantity(o.quantity.text, o.quantity.place);
    data_.push_back(
        {.terms = {sample_term(m.t, q, 1 / m.sigma, o.place)}, .constant = -m.value / m.sigma});
    infos_.push_back({.column = o.column, .t = m.t, .measured = m.value, .sigma = m.sigma});
  }
  // Priors are measurements, too.
  for (const InitialState& initial : description_.initial) {
    if (initial.kind != InitialState::Kind::kPrior) continue;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const int i = free_[j];
      const std::string& name = state_names_[static_cast<std::size_t>(i)];
      if (!initial.state.empty() && initial.state != name) continue;
      const double value =
          initial.value.value_or(system_->initial_state()[static_cast<std::size_t>(i)]);
      data_.push_back({.terms = {{.of = Term::Of::kNode,
                                  .node = 0,
                                  .index = static_cast<int>(j),
                                  .weight = scale_[i] / initial.sigma}},
                       .constant = -value / initial.sigma});
      infos_.push_back(
          {.column = name, .t = begin_, .measured = value, .sigma = initial.sigma, .prior = true});
    }
  }
  for (int i = 0; i < locals_.size(); ++i) {
    const auto& prior = locals_.estimate(i).prior;
    if (!prior) continue;
    data_.push_back({.terms = {{.of = Term::Of::kLocal, .index = i, .weight = 1 / prior->sigma}},
                     .constant = -prior->value / prior->sigma});
    infos_.push_back({.column = locals_.estimate(i).parameter,
                      .t = begin_,
                      .measured = prior->value,
                      .sigma = prior->sigma,
                      .prior = true});
  }

  for (const Requirement& r : description_.requirements) add_requirement(r);

  // Bounds: of unknown states at every node, of local parameters.
  const auto bound = [&](Term term, double lower, double upper) {
    if (std::isfinite(lower)) inequalities_.push_back({.terms = {term}, .constant = -lower});
    term.weight = -term.weight;
    if (std::isfinite(upper)) inequalities_.push_back({.terms = {term}, .constant = upper});
  };
  for (const StateBounds& b : description_.state_bounds) {
    const auto at = std::find(state_names_.begin(), state_names_.end(), b.state);
    const int i = static_cast<int>(at - state_names_.begin());
    for (int node = 0; node < static_cast<int>(times_.size()); ++node) {
      int index = i;
      if (node == 0) {
        const auto free = std::find(free_.begin(), free_.end(), i);
        if (free == free_.end()) continue;
        index = static_cast<int>(free - free_.begin());
      }
      bound({.of = Term::Of::kNode, .node = node, .index = index, .weight = scale_[i]}, b.lower,
            b.upper);
    }
  }
  for (const BoundRow& row : bound_rows(locals_)) {
    // In the unknown itself, which ascends with the parameter.
    const double sign = bound_sign(row);
    const double limit = row.upper ? locals_.upper()[row.unknown] : locals_.lower()[row.unknown];
    inequalities_.push_back(
        {.terms = {{.of = Term::Of::kUnknown, .index = row.unknown, .weight = sign}},
         .constant = -sign * limit});
  }
  observer_ = system_->make_observer(quantities_);
}

void ShootingExperiment::make_nodes() {
  nodes_.resize(times_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double t0 = times_[i];
    const double t1 = i + 1 < times_.size() ? times_[i + 1] : end_;
    const dynamics::System* system = system_.get();
    if (nz() > 0) {
      nodes_[i].relaxed = std::make_unique<RelaxedDae>(*system_, t0, t1);
    } else if (is_relaxed(static_cast<int>(i))) {
      nodes_[i].relaxed = std::make_unique<RelaxedMechanics>(*system_, t0, relaxation_rate(t0, t1));
    }
    if (nodes_[i].relaxed) system = nodes_[i].relaxed.get();
    nodes_[i].interval = std::make_unique<ShootingInterval>(
        *system, *observer_, options_.integrator, t0, t1, sample_times_[i]);
    nodes_[i].workspace = system_->make_workspace(ny() + nz() + num_theta() + 1);  // +1: fixfit
  }
}

/// alpha of K (8.5), a rate; the factor is that of (8.2) at the end of the interval.
double ShootingExperiment::relaxation_rate(double t0, double t1) const {
  if (options_.relaxation != Relaxation::kBaumgarte) return 0;
  if (options_.relaxation_rate > 0) return options_.relaxation_rate;
  return t1 > t0 ? -std::log(options_.relaxation_factor) / (t1 - t0) : 0;
}

int ShootingExperiment::offset_of(int node) const {
  return node == 0 ? 0 : size_of(0) + (node - 1) * ny();
}

int ShootingExperiment::num_variables() const {
  return offset_of(num_nodes()) + num_nodes() * nz() + locals_.size();
}

std::vector<std::string> ShootingExperiment::variable_names() const {
  std::vector<std::string> names;
  const auto at = [](const std::string& name, double t) {
    return fmt::format("{}({:g})", name, t);
  };
  for (int i : free_) names.push_back(at(state_names_[static_cast<std::size_t>(i)], begin_));
  for (std::size_t i = 1; i < times_.size(); ++i) {
    for (const auto& name : state_names_) names.push_back(at(name, times_[i]));
  }
  for (double t : times_) {
    for (int j = 0; j < nz(); ++j) names.push_back(at(fmt::format("z{}", j + 1), t));
  }
  for (const auto& name : locals_.names()) names.push_back(name);
  return names;
}

std::vector<ResidualInfo> ShootingExperiment::residual_infos() const {
  return infos_;
}

std::vector<InitialUnknown> ShootingExperiment::initial_unknowns() const {
  std::vector<InitialUnknown> out;
  for (std::size_t j = 0; j < free_.size(); ++j) {
    const int i = free_[j];
    out.push_back({.state = state_names_[static_cast<std::size_t>(i)],
                   .index = static_cast<int>(j),
                   .scale = scale_[i]});
  }
  return out;
}

NodeStates ShootingExperiment::node_states() const {
  NodeStates out;
  out.names = state_names_;
  out.times = times_;
  out.scale = scale_;
  for (int i = 0; i < num_nodes(); ++i) {
    out.first.push_back(size_of(i) == ny() ? offset_of(i) : -1);
  }
  const auto& y = nodes_.front().start.y;
  if (!y.empty()) out.first_state = Eigen::Map<const Eigen::VectorXd>(y.data(), ny());
  return out;
}

}  // namespace parfait::estimate
