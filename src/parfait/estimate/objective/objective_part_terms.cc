#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/estimate/objective/objective_part.h"
#include "parfait/estimate/problem/observation_kind.h"

// What an experiment contributes to an objective: numbers of its trajectory, and what they cost.
namespace parfait::estimate {

void Objective::Part::refuse(const Place& place, const std::string& what) const {
  throw base::InputError(
      place.line > 0 ? place : experiment_.place,
      fmt::format("experiment \"{}\": {}, which only the method gauss_newton can treat.",
                  experiment_.id, what));
}

void Objective::Part::refuse_the_rest(const Problem& problem) const {
  if (!experiment_.requirements.empty())
    refuse(experiment_.requirements.front().place, "has a <require>");
  if (!experiment_.state_bounds.empty())
    refuse(experiment_.state_bounds.front().place, "has <bounds> of a state");
  if (experiment_.grid.intervals > 1 || !experiment_.grid.times.empty() ||
      experiment_.grid.end_node) {
    refuse(experiment_.grid.place, "has several shooting intervals");
  }
  if (experiment_.equilibrium) refuse(experiment_.equilibrium->place, "begins at an <equilibrium>");
  if (!experiment_.locals.empty()) {
    refuse(experiment_.locals.front().place,
           fmt::format("estimates \"{}\" for itself alone", experiment_.locals.front().parameter));
  }
  for (const auto& initial : experiment_.initial) {
    if (initial.kind != InitialState::Kind::kFixed) {
      refuse(initial.place, "has free initial states");
    }
  }
  for (const auto& observation : experiment_.observations) {
    if (!observation.sigma.formula.empty())
      refuse(observation.place, "has a sigma that is a formula");
    if (observation.noise != Noise{}) refuse(observation.place, "has errors that are not normal");
  }
  if (problem.options.linear.norm != Norm::kL2) {
    refuse(problem.options.place, "is to be fitted in another norm than l2");
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
  add_cost_terms(cost_names);
  add_data_terms(cost_names);
  std::ranges::stable_sort(terms_, {}, &Term::t);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.group >= 0) {
      groups_[static_cast<std::size_t>(term.group)].terms[static_cast<std::size_t>(term.member)] =
          i;
    }
    if (term.t >= t0_ && term.t <= t1_) continue;
    throw base::InputError(experiment_.place,
                           fmt::format("experiment \"{}\": a sample at {:g} lies outside [{:g}, "
                                       "{:g}], where it is integrated.",
                                       experiment_.id, term.t, t0_, t1_));
  }
}

void Objective::Part::add_cost_terms(std::vector<std::string>& cost_names) {
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
}

void Objective::Part::add_data_terms(std::vector<std::string>& cost_names) {
  // Samples are for data that do not exist yet: the table then has no numbers.
  const std::vector<Measurement> all = measurements_of(experiment_);
  for (const Measurement& m : all) {
    const auto& observation = experiment_.observations[static_cast<std::size_t>(m.observation)];
    if (observation.kind != kQuantityKind) continue;
    terms_.push_back({.t = m.t,
                      .quantity = quantity(observation.quantity.text),
                      .cost = cost("data", cost_names),
                      .is_datum = true,
                      .eta = m.value,
                      .sigma = m.sigma,
                      .residual = num_residuals_++});
  }
  for (std::size_t o = 0; o < experiment_.observations.size(); ++o) {
    if (experiment_.observations[o].kind == kQuantityKind) continue;
    std::vector<Measurement> own;
    for (const Measurement& m : all) {
      if (m.observation == static_cast<int>(o)) own.push_back(m);
    }
    if (!own.empty()) add_group(static_cast<int>(o), own, cost("data", cost_names));
  }
}

void Objective::Part::add_group(int index, const std::vector<Measurement>& measurements,
                                int cost_index) {
  const auto& observation = experiment_.observations[static_cast<std::size_t>(index)];
  const ObservationKind& kind = kind_of(observation);
  auto rows = kind.sample_rows(observation, measurements);
  if (!rows) refuse(observation.place, fmt::format("observes by \"{}\"", observation.kind));
  const int q = quantity(kind.quantity_of(observation).text);
  for (std::size_t i = 0; i < rows->samples().size(); ++i) {
    const Measurement& m = measurements[static_cast<std::size_t>(rows->samples()[i])];
    terms_.push_back({.t = m.t,
                      .quantity = q,
                      .cost = cost_index,
                      .is_datum = true,
                      .eta = m.value,
                      .sigma = m.sigma,
                      .group = static_cast<int>(groups_.size()),
                      .member = static_cast<int>(i)});
  }
  const int size = rows->size();
  const std::size_t num_samples = rows->samples().size();
  groups_.push_back({.rows = std::move(rows),
                     .first_residual = num_residuals_,
                     .terms = std::vector<std::size_t>(num_samples)});
  num_residuals_ += size;
}

Eigen::VectorXd Objective::Part::of_group(const Group& group, const Eigen::VectorXd& values) const {
  Eigen::VectorXd out(std::ssize(group.terms));
  for (std::size_t i = 0; i < group.terms.size(); ++i) {
    out[static_cast<Eigen::Index>(i)] = values[static_cast<Eigen::Index>(group.terms[i])];
  }
  return out;
}

std::string Objective::Part::find_residuals(Eigen::VectorXd& r) const {
  r.setZero(num_residuals_);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.residual < 0) continue;
    r[term.residual] = (y_[static_cast<Eigen::Index>(i)] - term.eta) / term.sigma;
  }
  for (const Group& group : groups_) {
    const Eigen::VectorXd y = of_group(group, y_);
    if (const auto why = group.rows->missing(y); !why.empty()) {
      return fmt::format("experiment \"{}\": {}", experiment_.id, why);
    }
    r.segment(group.first_residual, group.rows->size()) = group.rows->residuals(y);
  }
  return "";
}

void Objective::Part::pull_residuals(const Eigen::VectorXd& r_bar) {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.residual < 0) continue;
    slopes_[static_cast<Eigen::Index>(i)] = r_bar[term.residual] / term.sigma;
  }
  for (const Group& group : groups_) {
    const Eigen::VectorXd bar = group.rows->pull_back(
        of_group(group, y_), r_bar.segment(group.first_residual, group.rows->size()));
    for (std::size_t i = 0; i < group.terms.size(); ++i) {
      slopes_[static_cast<Eigen::Index>(group.terms[i])] = bar[static_cast<Eigen::Index>(i)];
    }
  }
}

std::string Objective::Part::assess(ObjectiveValue& value) {
  slopes_.setZero(std::ssize(terms_));
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.is_datum) continue;
    value.costs[static_cast<std::size_t>(term.cost)] += y_[static_cast<Eigen::Index>(i)];
    slopes_[static_cast<Eigen::Index>(i)] = 1;
  }
  if (num_residuals_ == 0) return "";
  Eigen::VectorXd r;
  if (auto why = find_residuals(r); !why.empty()) return why;
  const auto datum = std::ranges::find_if(terms_, &Term::is_datum);
  value.costs[static_cast<std::size_t>(datum->cost)] += 0.5 * r.squaredNorm();
  pull_residuals(r);
  return "";
}

}  // namespace parfait::estimate
