#include "parfait/estimate/fit/synthesize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/problem/sigma_formula.h"
#include "parfait/math/quantiles.h"

namespace parfait::estimate {

namespace {

/// Errors that are the same with every standard library: the quantile of a uniform number in (0,
/// 1).
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  double next(const estimate::Noise& rule) {
    const double u = uniform();
    switch (rule.distribution) {
      case estimate::Noise::Distribution::kNormal:
        return math::normal_quantile(u);
      case estimate::Noise::Distribution::kLaplace:
        return u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u));
      case estimate::Noise::Distribution::kStudent:
        return math::student_t_quantile(u, rule.df);
    }
    return 0;
  }

 private:
  double uniform() {
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
    return (static_cast<double>(random_() >> 11) + 0.5) * kUnit;
  }

  std::mt19937_64 random_;
};

void take_truth(std::vector<Estimate>& estimates) {
  for (Estimate& e : estimates) {
    e.initial = e.truth.value_or(e.initial);
    e.prior.reset();
  }
}

/// Every cell that will be measured holds 0, with sigma 1: then residuals are the model's values.
void clear_measurements(ExperimentDescription& e) {
  for (Observation& o : e.observations) {
    o.sigma = {.absolute = 1};
    o.noise = {};
    if (kind_of(o).is_collective()) {  // made of samples of a quantity
      o.quantity = kind_of(o).quantity_of(o);
      o.kind = kQuantityKind;
      o.settings.clear();
    }
    const int c = e.data.find_column(o.column);
    if (c < 0) continue;
    auto& column = e.data.columns[static_cast<std::size_t>(c)];
    const bool empty = std::ranges::all_of(column, [](double x) { return std::isnan(x); });
    const bool once = empty && !kind_of(o).is_at_row_time();
    for (double& cell : column) {
      if (empty || !std::isnan(cell)) cell = 0;
      if (once) break;
    }
  }
  std::erase_if(e.initial,
                [](const InitialState& s) { return s.kind != InitialState::Kind::kFixed; });
}

/// Formulas of sigma are observed, too, after all others.
void observe_sigmas(const ExperimentDescription& given, ExperimentDescription& exact) {
  for (const Observation& o : given.observations) {
    if (o.sigma.formula.empty()) continue;
    const int c = exact.data.find_column(o.column);
    if (c < 0) continue;
    std::vector<std::string> known;
    if (given.system) {
      known = given.system->state_names();
      for (const auto& info : given.system->parameters()) known.push_back(info.id);
    } else {
      known = given.data.header;
      std::erase(known, o.column);
    }
    Observation sigma;
    sigma.column = "sigma of " + o.column;
    sigma.quantity = sigma_formula(
        o, [&](const std::string& name) { return std::ranges::find(known, name) != known.end(); });
    exact.data.header.push_back(sigma.column);
    exact.data.columns.push_back(exact.data.columns[static_cast<std::size_t>(c)]);
    exact.observations.push_back(std::move(sigma));
  }
}

/// Values of those formulas by observation and row.
std::map<std::pair<int, int>, double> sigmas_of(const ExperimentDescription& given,
                                                const std::vector<Measurement>& cells,
                                                const Eigen::VectorXd& values) {
  std::vector<int> whose;
  for (std::size_t k = 0; k < given.observations.size(); ++k) {
    if (!given.observations[k].sigma.formula.empty()) whose.push_back(static_cast<int>(k));
  }
  std::map<std::pair<int, int>, double> sigmas;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto which = cells[k].observation - std::ssize(given.observations);
    if (which < 0) continue;
    sigmas[{whose[static_cast<std::size_t>(which)], cells[k].row}] =
        values[static_cast<Eigen::Index>(k)];
  }
  return sigmas;
}

}  // namespace

Data sample_table(const Samples& samples, const std::string& time,
                  const std::vector<Observation>& observations) {
  Data data;
  data.place = samples.place;
  data.time = time;
  data.header = {data.time};
  data.columns = {samples.all_times()};
  for (const Observation& o : observations) {
    if (!o.sigma.column.empty()) {
      throw base::InputError(o.place, fmt::format("observe \"{}\": standard deviations of a column "
                                                  "need data; samples have none.",
                                                  o.column));
    }
    // A name that is given twice is found by check().
    if (data.find_column(o.column) >= 0) continue;
    data.header.push_back(o.column);
    data.columns.emplace_back(data.columns.front().size(), std::nan(""));
  }
  return data;
}

bool is_measured_at_samples(const ExperimentDescription& experiment) {
  return experiment.samples &&
         std::ranges::all_of(experiment.observations,
                             [](const Observation& o) { return o.sigma.column.empty(); });
}

void measure_anew(Problem& problem) {
  for (ExperimentDescription& e : problem.experiments) {
    if (!is_measured_at_samples(e)) continue;
    const std::string file = e.data.file;
    e.data = sample_table(*e.samples, e.data.time, e.observations);
    e.data.file = file;
  }
}

Problem synthesize(const Problem& problem, std::uint64_t seed) {
  Problem exact = problem;
  take_truth(exact.estimates);
  exact.requirements.clear();
  exact.options.linear.norm = Norm::kL2;
  for (ExperimentDescription& e : exact.experiments) {
    take_truth(e.locals);
    // A value given for a free state is where the truth starts, too.
    std::vector<InitialState> given = e.initial;
    clear_measurements(e);
    observe_sigmas(problem.experiments[static_cast<std::size_t>(&e - exact.experiments.data())], e);
    for (InitialState& s : given) {
      if (s.kind == InitialState::Kind::kFixed || !s.value) continue;
      s.kind = InitialState::Kind::kFixed;
      e.initial.push_back(s);
    }
    e.requirements.clear();
    e.state_bounds.clear();
    e.grid = {};
    const Horizon horizon =
        horizon_of(problem.experiments[static_cast<std::size_t>(&e - exact.experiments.data())]);
    e.begin = horizon.begin;
    e.end = horizon.end;
  }
  Team alone;
  const auto ensemble = make_ensemble(exact, alone);
  Eigen::VectorXd x;
  if (!ensemble->initialize(x) || !ensemble->evaluate(x).exists) {
    throw base::InputError(
        problem.file.empty() ? Place{} : Place{.file = problem.file},
        "the model cannot be simulated at the true parameters: " + ensemble->why());
  }

  Problem out = problem;
  Random random(seed);
  for (std::size_t i = 0; i < out.experiments.size(); ++i) {
    ExperimentDescription& e = out.experiments[i];
    auto cells = measurements_of(exact.experiments[i]);
    const Eigen::VectorXd& values = ensemble->residuals_of(static_cast<int>(i));
    const auto sigmas = sigmas_of(e, cells, values);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (cells[k].observation >= std::ssize(e.observations)) continue;  // a sigma
      const Observation& o = e.observations[static_cast<std::size_t>(cells[k].observation)];
      const auto row = static_cast<std::size_t>(cells[k].row);
      const double value = values[static_cast<Eigen::Index>(k)];
      const int sigma_column = o.sigma.column.empty() ? -1 : e.data.find_column(o.sigma.column);
      const double sigma =
          !o.sigma.formula.empty() ? sigmas.at({cells[k].observation, cells[k].row})
          : sigma_column >= 0      ? e.data.columns[static_cast<std::size_t>(sigma_column)][row]
                                   : std::hypot(o.sigma.absolute, o.sigma.relative * value);
      const int c = e.data.find_column(o.column);
      const double error = sigma * random.next(o.noise);
      e.data.columns[static_cast<std::size_t>(c)][row] =
          o.noise.scale == ValueScale::kLinear
              ? value + error
              : value *
                    (o.noise.scale == ValueScale::kLog ? std::exp(error) : std::pow(10.0, error));
    }
  }
  return out;
}

}  // namespace parfait::estimate
