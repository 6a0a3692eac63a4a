#include "parfait/estimate/design/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "parfait/base/error.h"
#include "parfait/estimate/design/design_descent.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_search {
namespace {

DesignMeasures measures_of(const MatrixXd& information, double psi) {
  DesignMeasures out;
  out.psi = psi;
  const auto pairs = math::symmetric_eigen_pairs(information);
  const Index k = information.rows();
  out.trace_M = information.trace();
  out.lambda_min = pairs.values[0];
  out.condition = pairs.values[0] > 0 ? pairs.values[k - 1] / pairs.values[0] : kNever;
  const CriterionValue D = evaluate_criterion(CriterionKind::kD, information);
  const CriterionValue A = evaluate_criterion(CriterionKind::kA, information);
  const CriterionValue m = evaluate_criterion(CriterionKind::kMaxSd, information);
  out.log_det_M = -D.psi * static_cast<double>(k);
  out.trace_C = std::exp(A.psi);
  out.max_sd = std::exp(0.5 * m.psi);
  return out;
}

/// Standard deviations of all shared parameters in their own units.
VectorXd deviations(const Scenario& scenario, const VectorXd& weights,
                    const Candidates& candidates) {
  const MatrixXd C = covariance_of(information_with(scenario, weights, candidates), scenario.K);
  return C.diagonal().cwiseMax(0.0).cwiseSqrt();
}

SelectionProblem selection_of(const Search& search, const Linearized& blocks,
                              const Candidates& candidates) {
  SelectionProblem selection;
  selection.criterion = search.problem().criterion;
  selection.candidates = candidates.list;
  selection.groups = candidates.groups;
  selection.names = search.interest().names;
  for (int s = 0; s < search.num_points(); ++s) {
    selection.scenarios.push_back(search.scenario(blocks[static_cast<std::size_t>(s)], s));
  }
  return selection;
}

bool candidates_chosen_in(const DesignProblem& problem) {
  return problem.choose_copies > 0 ||
         std::ranges::any_of(problem.planned, [](const PlannedExperiment& e) {
           return e.choice.of != Choice::Of::kEverything || (e.continuous && e.continuous->budget);
         });
}

/// The experiment as it is to be measured: its samples at what was chosen.
void set_samples(const PlannedExperiment& planned, int e, const Candidates& candidates,
                 const VectorXd& counts, ExperimentDescription& out) {
  out.requirements.clear();
  if (planned.continuous) {
    const auto times = out.samples->all_times();
    const double cell = (times.back() - times.front()) / static_cast<double>(times.size());
    for (Observation& o : out.observations) {
      o.sigma = {.absolute = std::sqrt(planned.continuous->density / cell)};
    }
  }
  const auto chosen = [&](std::size_t i) {
    return candidates.experiment[i] == e && counts[static_cast<Index>(i)] > 0.5;
  };
  if (planned.choice.of == Choice::Of::kSamples) {
    std::vector<double> times;
    for (std::size_t i = 0; i < candidates.list.size(); ++i) {
      if (!chosen(i)) continue;
      const int n = static_cast<int>(std::lround(counts[static_cast<Index>(i)]));
      for (int k = 0; k < n; ++k) times.push_back(candidates.list[i].position);
    }
    std::ranges::sort(times);
    out.samples->times = times;
    out.samples->count = 0;
  } else if (planned.choice.of == Choice::Of::kMarkers) {
    std::vector<std::string> dropped;
    for (std::size_t i = 0; i < candidates.list.size(); ++i) {
      if (candidates.experiment[i] != e || chosen(i)) continue;
      for (const auto& marker : planned.choice.markers) {
        if (marker.id != candidates.label[i]) continue;
        dropped.insert(dropped.end(), marker.columns.begin(), marker.columns.end());
      }
    }
    std::erase_if(out.observations, [&](const Observation& o) {
      return std::ranges::find(dropped, o.column) != dropped.end();
    });
  } else if (planned.choice.of == Choice::Of::kCells) {
    std::vector<double> times;
    for (std::size_t i = 0; i < candidates.list.size(); ++i) {
      if (chosen(i)) times.push_back(candidates.list[i].position);
    }
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    out.samples->times = times;
    out.samples->count = 0;
  }
  // The horizon stays what it was planned to be.
  const std::string file = out.data.file, time = out.data.time;
  out.data = {};
  out.data.time = time;
  out.data.file = file;
}

bool asks_for_newton(const DesignProblem& problem) {
  return std::ranges::any_of(problem.planned, [](const PlannedExperiment& e) {
    return std::ranges::any_of(e.inputs, &PlannedInput::newton);
  });
}

/// Newton's method on the switching conditions, from switching times that were found; they become
/// the pieces of the input where they are a minimum. Nothing, if it is stopped on the way.
std::optional<SwitchingTimes> newton_on_switches(const Search& search, DesignSpace& space,
                                                 Found& best) {
  const auto table = space.inputs(0, best.d).front();
  const LinearPlan plan = search.linear_plan(space, best.d);
  const std::vector<double> times(table.t.begin() + 1, table.t.end());
  SwitchingTimes out = find_switching_times(plan, search.switching_criterion(), table.value, times);
  if (!out.converged || !out.is_minimum) return out;
  std::vector<double> lengths;
  double last = plan.begin;
  for (std::size_t i = 0; i <= out.t.size(); ++i) {
    const double next = i < out.t.size() ? out.t[i] : plan.end;
    lengths.push_back((next - last) / (plan.end - plan.begin));
    last = next;
  }
  const DesignSpace at_switches = space.with_lengths(0, lengths);
  try {
    best.blocks = search.linearize(at_switches, at_switches.initial());
  } catch (const base::InputError&) {
    if (search.stopped()) return {};
    throw;
  }
  space = at_switches;
  best.d = space.initial();
  best.violation = out.violation;
  return out;
}

/// What can be chosen, which does not depend on d.
Candidates candidates_in(const DesignProblem& problem, const std::vector<PlannedBlock>& blocks) {
  std::vector<std::vector<PlannedRow>> rows;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    if (problem.choose_copies > 0 && blocks[e].prior_A.rows() > 0) {
      throw base::InputError(
          problem.planned[e].base.place,
          fmt::format("experiment \"{}\": priors of its own parameters or states "
                      "cannot be weighed with copies that are chosen.",
                      problem.planned[e].base.id));
    }
    rows.push_back(blocks[e].rows);
  }
  return candidates_of(problem.planned, rows, problem.choose_copies);
}

/// Looks for the design, and says what it is worth.
class Designer {
 public:
  Designer(const DesignProblem& problem, const DesignCallbacks& callbacks)
      : problem_(problem),
        callbacks_(callbacks),
        search_(problem, callbacks),
        space_(problem.planned),
        given_(search_.linearize(space_, space_.initial())),
        candidates_(candidates_in(problem, given_.front())),
        at_start_(selection_of(search_, given_, candidates_)),
        start_weights_(even_weights(at_start_)),
        weights_(start_weights_) {}

  DesignResult run() {
    take_what_is_given();
    if (space_.size() > 0) {
      search_in_turns();
      count_best();
      free_switching_times();
    }
    check_conditions();
    state_worth();
    state_deviations();
    write_down();
    return std::move(result_);
  }

 private:
  bool is_choosing() const { return candidates_chosen_in(problem_); }
  bool predicts() const { return problem_.criterion == CriterionKind::kPrediction; }
  VectorXd choose(const Found& at) {
    result_.selection = select(selection_of(search_, at.blocks, candidates_));
    return result_.selection->counts;
  }

  void take_what_is_given() {
    best_.d = space_.initial();
    best_.exists = true;
    best_.psi = selection_value(at_start_, weights_);
    best_.blocks = given_;
    if (!is_choosing()) return;
    weights_ = choose(best_);
    best_.psi = result_.selection->rounded;
  }

  /// Numbers and choice in turns: first the choice, for the start as it was given.
  void search_in_turns() {
    const Found as_given = best_;
    const int rounds = is_choosing() ? 3 : 1;
    for (int round = 0; round < rounds && !search_.stopped(); ++round) {
      std::vector<std::vector<double>> starts = {best_.d};
      if (round == 0) {
        starts = design_starts(space_, problem_.starts, problem_.seed);
        best_ = {};
        best_.violation = kNever;
      }
      const std::string why = descend_from(starts, round == 0);
      if (!best_.exists && search_.stopped()) {
        best_ = as_given;
        result_.remarks.emplace_back("stopped before anything was tried: this is what was given");
        return;
      }
      if (!best_.exists) throw base::InputError("no start could be simulated: " + why);
      if (!is_choosing() || !choose_again()) return;
    }
  }

  /// The best of all minima into best_; why the first of them failed, if it did.
  std::string descend_from(const std::vector<std::vector<double>>& starts, bool tell) {
    const DesignObjective objective(search_, space_, weights_, candidates_);
    std::string why;
    for (std::size_t i = 0; i < starts.size() && !search_.stopped(); ++i) {
      const Found one = minimize_from(search_, objective, starts[i], problem_.max_iterations);
      if (i == 0) why = one.why;
      if (tell) {
        result_.starts.push_back({.psi = one.psi,
                                  .violation = one.violation,
                                  .iterations = one.iterations,
                                  .converged = one.converged});
      }
      if (one.exists && is_better(one, best_)) best_ = one;
      if (callbacks_.on_start) {
        callbacks_.on_start(static_cast<int>(i) + 1, static_cast<int>(starts.size()), best_.psi);
      }
    }
    return why;
  }

  /// Whether another round may help.
  bool choose_again() {
    const double before = best_.psi;
    const VectorXd old_weights = weights_;
    const auto old_selection = result_.selection;
    weights_ = choose(best_);
    if (result_.selection->rounded < before) best_.psi = result_.selection->rounded;
    if (result_.selection->rounded > before + 1e-12) {
      weights_ = old_weights;
      result_.selection = old_selection;
      return false;
    }
    return best_.psi <= before - 1e-6;
  }

  void count_best() {
    for (const auto& one : result_.starts) {
      if (one.violation <= kFeasible && one.psi <= best_.psi + 1e-4) ++result_.best_reached;
    }
  }

  void free_switching_times() {
    if (!space_.has_free_breaks() || !best_.exists || search_.stopped()) return;
    std::vector<double> at = best_.d;
    const DesignSpace refined = space_.with_switching_times(at);
    const DesignObjective objective(search_, refined, weights_, candidates_);
    const Found there = minimize_from(search_, objective, at, problem_.max_iterations);
    if (!there.exists || !is_better(there, best_)) {
      result_.remarks.emplace_back(
          "inputs that switch between their bounds at free times are no better than equal "
          "pieces");
      return;
    }
    space_ = refined;
    best_ = there;
    if (asks_for_newton(problem_)) result_.switching = newton_on_switches(search_, space_, best_);
  }

  void check_conditions() {
    if (best_.violation <= kFeasible) return;
    if (search_.stopped()) {
      result_.remarks.push_back(fmt::format(
          "stopped before a design was found that keeps all requirements: the least violation is "
          "{:.3g}",
          best_.violation));
      return;
    }
    throw base::InputError(
        problem_.place,
        fmt::format(
            "no design was found that keeps all requirements: the least violation is {:.3g}. "
            "Widen bounds or rates, or give more time, pieces or starts.",
            best_.violation));
  }

  std::optional<DesignMeasures> measures_at(const SelectionProblem& of, const VectorXd& w,
                                            bool with) const {
    const Scenario& scenario = of.scenarios.front();
    const MatrixXd M = with ? information_with(scenario, w, candidates_) : scenario.known;
    if (predicts()) {
      DesignMeasures m;
      m.trace_C = covariance_of(M, scenario.K).trace();
      if (!std::isfinite(m.trace_C)) return {};
      m.psi = std::log(m.trace_C);
      m.log_det_M = m.lambda_min = m.trace_M = m.max_sd = m.condition = std::nan("");
      return m;
    }
    const MatrixXd I = information_of(M, scenario.K);
    const double value =
        with ? selection_value(of, w) : evaluate_criterion(problem_.criterion, I).psi;
    if (!std::isfinite(value)) return {};
    return measures_of(I, value);
  }

  void state_worth() {
    const SelectionProblem now = selection_of(search_, best_.blocks, candidates_);
    if (!std::isfinite(selection_value(now, weights_))) {
      throw base::InputError(
          problem_.place,
          fmt::format(
              "there is no information at all about some of {}: the Fisher information stays "
              "singular for every design that was tried. Observe something else, or vary more.",
              base::listing(search_.interest().names)));
    }
    result_.violation = best_.violation;
    result_.interrupted = search_.stopped();
    result_.interest = search_.interest().names;
    result_.known = measures_at(now, weights_, false);
    result_.start = measures_at(at_start_, start_weights_, true);
    result_.design = *measures_at(now, weights_, true);
    if (predicts()) return;
    const Scenario& scenario = now.scenarios.front();
    result_.information =
        information_of(information_with(scenario, weights_, candidates_), scenario.K);
  }

  /// Of all parameters, in their units.
  void state_deviations() {
    const VectorXd slope = search_.shared().derivatives(search_.point());
    const VectorXd value = search_.shared().values(search_.point());
    Interest all;
    all.by_p = slope.asDiagonal();
    std::vector<int> copies;
    for (const auto& planned : problem_.planned) {
      copies.push_back(problem_.choose_copies > 0 ? 1 : planned.copies);
    }
    const auto sds = [&](const Linearized& blocks, const VectorXd& w) {
      return deviations(make_scenario(search_.known(), blocks.front(), copies, all), w,
                        candidates_);
    };
    const VectorXd nothing = VectorXd::Zero(weights_.size());
    const VectorXd known = sds(best_.blocks, nothing), start = sds(given_, start_weights_),
                   after = sds(best_.blocks, weights_);
    for (Index i = 0; i < search_.point().size(); ++i) {
      const std::string& name = search_.shared().estimate(static_cast<int>(i)).parameter;
      result_.sds.push_back(
          {.parameter = name,
           .value = value[i],
           .of_interest = std::ranges::find(result_.interest, name) != result_.interest.end(),
           .known = known[i],
           .start = start[i],
           .design = after[i]});
    }
  }

  /// Variables, what was chosen, and the experiments as they are to be made.
  void write_down() {
    for (std::size_t i = 0; i < best_.d.size(); ++i) {
      const auto& v = space_.variables()[i];
      result_.variables.push_back({.name = v.name,
                                   .lower = v.lower,
                                   .upper = v.upper,
                                   .start = v.initial,
                                   .value = best_.d[i]});
    }
    for (std::size_t i = 0; i < candidates_.list.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const bool is_fixed = !result_.selection.has_value();
      result_.chosen.push_back({.experiment = candidates_.experiment[i],
                                .label = candidates_.label[i],
                                .t = candidates_.list[i].position,
                                .weight = is_fixed ? weights_[at] : result_.selection->weights[at],
                                .count = weights_[at],
                                .gain = is_fixed ? std::nan("") : result_.selection->gains[at]});
    }
    for (std::size_t e = 0; e < problem_.planned.size(); ++e) {
      const int experiment = static_cast<int>(e);
      auto description = space_.experiment(experiment, best_.d);
      set_samples(problem_.planned[e], experiment, candidates_, weights_, description);
      result_.experiments.push_back(std::move(description));
      result_.inputs.push_back(space_.inputs(experiment, best_.d));
      result_.copies.push_back(copies_of(experiment));
    }
    result_.linearizations = search_.linearizations();
  }

  int copies_of(int experiment) const {
    if (problem_.choose_copies == 0) {
      return problem_.planned[static_cast<std::size_t>(experiment)].copies;
    }
    int copies = 0;
    for (std::size_t i = 0; i < candidates_.list.size(); ++i) {
      if (candidates_.experiment[i] == experiment) {
        copies = static_cast<int>(std::lround(weights_[static_cast<Index>(i)]));
      }
    }
    return copies;
  }

  const DesignProblem& problem_;
  const DesignCallbacks& callbacks_;
  const Search search_;
  DesignSpace space_;
  const Linearized given_;  ///< as it was given
  const Candidates candidates_;
  const SelectionProblem at_start_;
  const VectorXd start_weights_;
  VectorXd weights_;  ///< how often each candidate is measured
  Found best_;
  DesignResult result_;
};

}  // namespace
}  // namespace design_search

DesignResult design(const DesignProblem& problem, const DesignCallbacks& callbacks) {
  return design_search::Designer(problem, callbacks).run();
}

}  // namespace parfait::estimate
