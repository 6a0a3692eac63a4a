#include "parfait/estimate/shooting/shooting_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/problem/sigma_formula.h"
#include "parfait/estimate/shooting/observables.h"
#include "parfait/estimate/shooting/row_builder.h"

namespace parfait::estimate {

namespace shooting_layout {
namespace {

/// Which parameters of the model are unknown, and the values of the others.
void add_parameters(const ExperimentDescription& description, ShootingLayout& layout) {
  const auto& infos = layout.system->parameters();
  std::map<std::string, int> index;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    index[infos[i].id] = static_cast<int>(i);
    layout.parameters.push_back(infos[i].initial);
  }
  std::vector<bool> taken(infos.size(), false);
  for (const SetParameter& set : description.sets) {
    const auto at = index.find(set.parameter);
    const int shared = set.estimate.empty() ? -1 : layout.shared.find(set.estimate);
    if (at == index.end()) {
      if (set.estimate.empty()) {
        layout.constants[set.parameter] = set.value;
      } else {
        layout.aliases[set.parameter] = set.estimate;
      }
      continue;
    }
    taken[at->second] = true;
    if (shared >= 0) {
      layout.theta.push_back({.local = false, .unknown = shared, .parameter = at->second});
    } else {
      layout.parameters[at->second] = set.value;
    }
  }
  const auto add = [&](const Unknowns& unknowns, bool local) {
    for (int i = 0; i < unknowns.size(); ++i) {
      const auto at = index.find(unknowns.estimate(i).parameter);
      if (at == index.end() || taken[at->second]) continue;
      taken[at->second] = true;
      layout.theta.push_back({.local = local, .unknown = i, .parameter = at->second});
    }
  };
  if (description.equilibrium) {
    auto& before = layout.equilibrium.emplace();
    for (const SetParameter& set : description.equilibrium->sets) {
      const auto at = index.find(set.parameter);
      if (at == index.end()) continue;  // check() has complained
      before.others.push_back(at->second);
      if (set.estimate.empty()) {
        before.values.emplace_back(at->second, set.value);
      } else {
        layout.theta.push_back({.local = false,
                                .unknown = layout.shared.find(set.estimate),
                                .parameter = at->second,
                                .before = true});
      }
    }
  }
  add(layout.locals, true);
  add(layout.shared, false);
}

/// Names that formulas of observations know otherwise than by the observation itself.
std::vector<std::string> estimate_names(const ShootingLayout& layout) {
  std::vector<std::string> names = layout.state_names;
  for (const auto& info : layout.system->parameters()) names.push_back(info.id);
  for (const auto& name : layout.locals.names()) names.push_back(name);
  for (const auto& name : layout.shared.names()) names.push_back(name);
  for (const auto& [name, value] : layout.constants) names.push_back(name);
  for (const auto& [name, estimate] : layout.aliases) names.push_back(name);
  return names;
}

/// Which components of the first state are unknown.
void add_first_node(const ExperimentDescription& description, ShootingLayout& layout) {
  const int ny = layout.ny();
  layout.scale = Eigen::VectorXd::Ones(ny);
  layout.given.resize(ny);
  std::vector<const InitialState*> of(ny, nullptr);
  // Named states win over the rule for all others.
  for (bool named : {false, true}) {
    for (const InitialState& initial : description.initial) {
      if (initial.state.empty() == named) continue;
      for (int i = 0; i < ny; ++i) {
        if (!named || layout.state_names[i] == initial.state) of[i] = &initial;
      }
    }
  }
  for (int i = 0; i < ny; ++i) {
    if (of[i] == nullptr) continue;
    layout.given[i] = of[i]->value;
    layout.scale[i] = of[i]->scale;
    if (of[i]->kind != InitialState::Kind::kFixed) layout.free.push_back(i);
  }
}

void add_grid(const ExperimentDescription& description, ShootingLayout& layout) {
  const Horizon horizon = horizon_of(description);
  layout.begin = horizon.begin;
  layout.end = horizon.end;
  if (layout.equilibrium) layout.equilibrium->t = layout.begin - 1;
  const Grid& grid = description.grid;
  std::vector<double> all = grid.times;
  if (all.empty()) {
    for (int i = 0; i <= grid.intervals; ++i) {
      all.push_back(layout.begin + (layout.end - layout.begin) * i / grid.intervals);
    }
    all.back() = layout.end;
  } else {
    if (all.front() > layout.begin) all.insert(all.begin(), layout.begin);
    if (all.back() < layout.end) all.push_back(layout.end);
  }
  if (!grid.end_node) all.pop_back();
  layout.times = std::move(all);
  layout.sample_times.resize(layout.times.size());
}

/// What all rows need to see, before any of them is made.
void add_requests(const ExperimentDescription& description,
                  const std::vector<Measurement>& measurements, RowBuilder& builder) {
  for (const Measurement& m : measurements) {
    const Observation& o = description.observations[m.observation];
    kind_of(o).request(o, m, builder);
  }
  for (const Requirement& r : description.requirements) {
    for (const auto& term : r.terms) {
      builder.request_sample(term.at.value_or(builder.layout().begin));
    }
  }
}

/// (observable - measured) / sigma.
void add_residual(std::shared_ptr<const Observable> what, double weight, const ResidualInfo& info,
                  ShootingLayout& layout, double period = 0) {
  layout.data.push_back({.terms = {{.what = std::move(what), .weight = weight}},
                         .constant = -info.measured / info.sigma,
                         .period = period / info.sigma});
  layout.experiment.residuals.push_back(info);
}

/// Anything but normal errors with a constant sigma, compared as they are.
bool needs_likelihood(const ExperimentDescription& description) {
  return std::ranges::any_of(description.observations, [](const Observation& o) {
    return is_likelihood(o) || o.noise.scale != ValueScale::kLinear;
  });
}

/// y of each measurement and, where it varies, sigma: LikelihoodRows makes residuals of them.
void add_likelihood(const ExperimentDescription& description,
                    const std::vector<Measurement>& measurements, RowBuilder& builder,
                    ShootingLayout& layout) {
  const auto is_known = [&](const std::string& name) {
    const auto names = estimate_names(layout);
    return std::ranges::find(names, name) != names.end();
  };
  for (const Measurement& m : measurements) {
    const Observation& o = description.observations[m.observation];
    const ObservationKind& kind = kind_of(o);
    if (kind.is_collective()) {
      throw base::InputError(
          o.place, fmt::format("observe \"{}\": observations by \"{}\" cannot stand beside "
                               "others whose errors are not normal with a known sigma.",
                               o.column, kind.key()));
    }
    layout.data.push_back({.terms = {{.what = kind.make(o, m, builder)}}, .constant = 0});
    LikelihoodRows::Row row{.noise = o.noise, .measured = m.value, .group = m.observation};
    if (!o.sigma.formula.empty()) {
      const FormulaText sigma = sigma_formula(o, is_known);
      row.sigma_varies = true;
      row.sigma_is_log = builder.is_of_log_parameters(sigma);
      layout.sigmas.push_back({.terms = {{.what = builder.quantity_at(m.t, sigma, o.place)}}});
    }
    layout.likelihood.add(row);
    layout.experiment.residuals.push_back(
        {.column = o.column,
         .t = kind.time_of(m),
         .measured = m.value,
         .sigma = m.sigma,
         .has_kink = o.noise.distribution == Noise::Distribution::kLaplace});
    layout.experiment.is_likelihood |= is_likelihood(o);
  }
  layout.experiment.num_noise_rows = layout.likelihood.num_noise_rows();
}

void add_measurements(const ExperimentDescription& description,
                      const std::vector<Measurement>& measurements, RowBuilder& builder,
                      ShootingLayout& layout) {
  if (needs_likelihood(description)) {
    add_likelihood(description, measurements, builder, layout);
    return;
  }
  for (const Measurement& m : measurements) {
    const Observation& o = description.observations[m.observation];
    const ObservationKind& kind = kind_of(o);
    if (kind.is_collective()) continue;
    add_residual(kind.make(o, m, builder), 1 / m.sigma,
                 {.column = o.column, .t = kind.time_of(m), .measured = m.value, .sigma = m.sigma},
                 layout, kind.period(o));
  }
}

/// Rows that the measurements of a column make together, after those of single ones.
void add_collective(const ExperimentDescription& description,
                    const std::vector<Measurement>& measurements, RowBuilder& builder,
                    ShootingLayout& layout) {
  for (std::size_t i = 0; i < description.observations.size(); ++i) {
    const Observation& o = description.observations[i];
    if (!kind_of(o).is_collective()) continue;
    std::vector<Measurement> own;
    for (const Measurement& m : measurements) {
      if (m.observation == static_cast<int>(i)) own.push_back(m);
    }
    if (own.empty()) continue;
    for (CollectiveRow& made : kind_of(o).make_rows(o, own, builder)) {
      layout.data.push_back(std::move(made.row));
      layout.experiment.residuals.push_back(std::move(made.info));
    }
  }
}

/// Priors are measurements, too.
void add_priors(const ExperimentDescription& description, ShootingLayout& layout) {
  for (const InitialState& initial : description.initial) {
    if (initial.kind != InitialState::Kind::kPrior) continue;
    for (std::size_t j = 0; j < layout.free.size(); ++j) {
      const int i = layout.free[j];
      const std::string& name = layout.state_names[i];
      if (!initial.state.empty() && initial.state != name) continue;
      add_residual(std::make_shared<NodeState>(0, static_cast<int>(j)),
                   layout.scale[i] / initial.sigma,
                   {.column = name,
                    .t = layout.begin,
                    .measured = initial.value.value_or(layout.system->initial_state()[i]),
                    .sigma = initial.sigma,
                    .prior = true},
                   layout);
    }
  }
  for (int i = 0; i < layout.locals.size(); ++i) {
    const Estimate& local = layout.locals.estimate(i);
    if (!local.prior) continue;
    add_residual(std::make_shared<UnknownParameter>(layout.locals, i, false, local.prior->scale),
                 1 / local.prior->sigma,
                 {.column = local.parameter,
                  .t = layout.begin,
                  .measured = local.prior->value,
                  .sigma = local.prior->sigma,
                  .prior = true},
                 layout);
  }
}

void add_requirements(const ExperimentDescription& description, RowBuilder& builder,
                      ShootingLayout& layout) {
  for (const Requirement& requirement : description.requirements) {
    ShootingRow row;
    for (const auto& term : requirement.terms) {
      row.terms.push_back({.what = builder.quantity_at(term.at.value_or(layout.begin), term.formula,
                                                       requirement.place)});
    }
    (requirement.inequality ? layout.inequalities : layout.equations).push_back(std::move(row));
  }
}

/// weight * observable - lower >= 0 and upper - weight * observable >= 0, where they are finite.
void add_bounds(const std::shared_ptr<const Observable>& what, double weight, double lower,
                double upper, ShootingLayout& layout) {
  auto& rows = layout.inequalities;
  if (std::isfinite(lower)) {
    rows.push_back({.terms = {{.what = what, .weight = weight}}, .constant = -lower});
  }
  if (std::isfinite(upper)) {
    rows.push_back({.terms = {{.what = what, .weight = -weight}}, .constant = upper});
  }
}

/// Of unknown states at every node, and of local parameters.
void add_all_bounds(const ExperimentDescription& description, ShootingLayout& layout) {
  for (const StateBounds& b : description.state_bounds) {
    const auto at = std::find(layout.state_names.begin(), layout.state_names.end(), b.state);
    const int i = static_cast<int>(at - layout.state_names.begin());
    for (int node = 0; node < layout.num_nodes(); ++node) {
      int entry = i;
      if (node == 0) {
        const auto free = std::find(layout.free.begin(), layout.free.end(), i);
        if (free == layout.free.end()) continue;
        entry = static_cast<int>(free - layout.free.begin());
      }
      add_bounds(std::make_shared<NodeState>(node, entry), layout.scale[i], b.lower, b.upper,
                 layout);
    }
  }
  for (int i = 0; i < layout.locals.size(); ++i) {
    // In the unknown itself, which ascends with the parameter.
    add_bounds(std::make_shared<LocalUnknown>(i), 1, layout.locals.lower()[i],
               layout.locals.upper()[i], layout);
  }
}

std::vector<std::string> variable_names(const ShootingLayout& layout) {
  std::vector<std::string> names;
  const auto at = [](const std::string& name, double t) {
    return fmt::format("{}({:g})", name, t);
  };
  for (int i : layout.free) names.push_back(at(layout.state_names[i], layout.begin));
  for (int i = 1; i < layout.num_nodes(); ++i) {
    for (const auto& name : layout.state_names) names.push_back(at(name, layout.times[i]));
  }
  for (double t : layout.times) {
    for (int j = 0; j < layout.nz(); ++j) names.push_back(at(fmt::format("z{}", j + 1), t));
  }
  for (const auto& name : layout.locals.names()) names.push_back(name);
  return names;
}

/// Joint angles among the quantities, which are continued beyond half a turn, and a value that
/// tells the whole turns at the beginning of each.
void add_angles(const ExperimentDescription& description,
                const std::vector<Measurement>& measurements, ShootingLayout& layout) {
  std::vector<std::string> names;
  for (int i = 0; i < layout.observer->size(); ++i) {
    if (!layout.observer->is_angle(i)) continue;
    names.push_back(layout.quantities[static_cast<std::size_t>(i)]);
    layout.angles.push_back({.quantity = i, .turn = {}});
  }
  if (names.empty()) return;
  layout.angle_observer = layout.system->make_observer(names);
  for (auto& angle : layout.angles) {
    const std::string& name = layout.quantities[static_cast<std::size_t>(angle.quantity)];
    const auto is_of = [&](const Observation& o) {
      return kind_of(o).quantity_of(o).text == name && kind_of(o).is_at_row_time();
    };
    for (const Observation& o : description.observations) {
      if (is_of(o) && o.turn && !angle.turn) angle.turn = o.turn;
    }
    for (const Measurement& m : measurements) {
      if (angle.turn) break;
      if (is_of(description.observations[m.observation])) angle.turn = {{m.t, m.value}};
    }
  }
}

/// What others see of the layout, residuals apart.
void add_outside(ShootingLayout& layout) {
  ExperimentLayout& out = layout.experiment;
  out.id = layout.id;
  out.variables = variable_names(layout);
  out.locals = layout.locals;
  out.first_local = layout.first_local();
  for (std::size_t j = 0; j < layout.free.size(); ++j) {
    const int i = layout.free[j];
    out.initial_unknowns.push_back(
        {.state = layout.state_names[i], .index = static_cast<int>(j), .scale = layout.scale[i]});
  }
  out.nodes = {
      .names = layout.state_names, .times = layout.times, .first = {}, .scale = layout.scale};
  const dynamics::Sizes& sizes = layout.system->sizes();
  out.nodes.comparable = sizes.num_pos + sizes.num_vel > 0;
  for (int i = 0; i < layout.num_nodes(); ++i) {
    const bool is_whole = layout.size_of_state(i) == layout.ny();
    out.nodes.first.push_back(is_whole ? layout.first_of_state(i) : -1);
  }
}

}  // namespace
}  // namespace shooting_layout

ShootingLayout make_shooting_layout(const ExperimentDescription& description,
                                    const Unknowns& shared) {
  ShootingLayout layout;
  layout.id = description.id;
  layout.system = description.system;
  layout.state_names = description.system->state_names();
  layout.shared = shared;
  layout.locals = Unknowns(description.locals);
  shooting_layout::add_parameters(description, layout);
  shooting_layout::add_first_node(description, layout);
  shooting_layout::add_grid(description, layout);
  const std::vector<Measurement> measurements = measurements_of(description);
  RowBuilder builder(layout);
  shooting_layout::add_requests(description, measurements, builder);
  shooting_layout::add_measurements(description, measurements, builder, layout);
  shooting_layout::add_collective(description, measurements, builder, layout);
  shooting_layout::add_priors(description, layout);
  shooting_layout::add_requirements(description, builder, layout);
  shooting_layout::add_all_bounds(description, layout);
  layout.observer = layout.system->make_observer(layout.quantities);
  shooting_layout::add_angles(description, measurements, layout);
  shooting_layout::add_outside(layout);
  return layout;
}

int ShootingLayout::interval_of(double t) const {
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  return std::max(0, static_cast<int>(after - times.begin()) - 1);
}

int ShootingLayout::first_of_state(int node) const {
  return node == 0 ? 0 : size_of_state(0) + (node - 1) * ny();
}

bool ShootingLayout::has_invariants() const {
  const auto& sizes = system->sizes();
  return sizes.num_pos + sizes.num_vel > 0;
}

}  // namespace parfait::estimate
