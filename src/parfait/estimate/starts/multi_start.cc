#include "parfait/estimate/starts/multi_start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "parfait/base/error.h"
#include "parfait/estimate/experiment/team_tasks.h"
#include "parfait/estimate/linear/packing.h"
#include "parfait/estimate/problem/problem_counts.h"

namespace parfait::estimate {
namespace multi_start {
namespace {

using Eigen::VectorXd;

/// Equations hold to this: the objective means something.
constexpr double kFeasible = 1e-6;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

VectorXd vector_of(const std::vector<double>& list) {
  return Eigen::Map<const VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

void pack(const StartResult& start, std::vector<double>& numbers) {
  Packer packer(numbers);
  packer.put(start.status);
  packer.put(start.message);
  packer.put(start.objective);
  packer.put(start.first_objective);
  packer.put(start.infeasibility);
  packer.put(static_cast<double>(start.iterations));
  packer.put(static_cast<double>(start.linearizations));
  packer.put(vector_of(start.initial));
  packer.put(vector_of(start.values));
}

StartResult unpack(const std::vector<double>& numbers, int number) {
  StartResult start;
  start.number = number;
  Unpacker unpacker(numbers);
  double iterations = 0, linearizations = 0;
  VectorXd initial, values;
  unpacker.get(start.status);
  unpacker.get(start.message);
  unpacker.get(start.objective);
  unpacker.get(start.first_objective);
  unpacker.get(start.infeasibility);
  unpacker.get(iterations);
  unpacker.get(linearizations);
  unpacker.get(initial);
  unpacker.get(values);
  start.iterations = static_cast<int>(iterations);
  start.linearizations = static_cast<std::int64_t>(linearizations);
  start.initial.assign(initial.begin(), initial.end());
  start.values.assign(values.begin(), values.end());
  return start;
}

int measurements_of(const Problem& problem) {
  int sum = 0;
  for (const auto& experiment : problem.experiments) sum += count(experiment).measurements;
  return sum;
}

StartResult fit_one(const Problem& problem, int number) {
  StartResult out;
  out.number = number;
  out.objective = out.first_objective = out.infeasibility = kNaN;
  const auto& ask = problem.options.interrupted;
  if (ask && ask()) return out;
  try {
    PreparedProblem prepared(problem);
    // Where sigma is known, or estimated, differences of the objective have a meaning of their own.
    const bool is_absolute = problem.options.sigma_known || prepared.ensemble().is_likelihood();
    HopelessWatch watch(is_absolute ? 0 : measurements_of(problem));
    bool hopeless = false;
    FitSettings settings;
    settings.statistics = false;
    settings.one_of_many = true;
    settings.on_iteration = [&](const Iteration& line, const std::vector<double>&, VecIn) {
      hopeless = watch.is_hopeless(line);
      return !hopeless && !(ask && ask());
    };
    const FitResult fitted = fit(prepared, settings);
    out.status = hopeless ? "hopeless" : text(fitted.iteration.status);
    out.message = hopeless ? "stopped early: neither objective nor increment become smaller"
                           : fitted.iteration.message;
    out.iterations = fitted.iteration.iterations;
    out.linearizations = fitted.work.linearizations;
    if (!fitted.iteration.history.empty()) {
      out.objective = fitted.objective;
      out.first_objective = fitted.iteration.history.front().objective;
      out.infeasibility = fitted.iteration.history.back().infeasibility;
    }
    for (const auto& e : fitted.estimates) {
      out.initial.push_back(e.initial);
      out.values.push_back(e.statistics.value);
    }
  } catch (const base::InputError& error) {
    out.status = "refused";
    out.message = error.what();
  }
  return out;
}

bool counts(const StartResult& start) {
  return std::isfinite(start.objective) && (start.converged() || start.infeasibility <= kFeasible);
}

/// Objectives this near to each other are the same: what fits do not resolve, and what statistics
/// would not notice, a thousandth of the variance of a measurement.
double resolution(const Problem& problem, const MultiStart& result) {
  const StartResult* best = result.best();
  if (best == nullptr) return 0;
  const int freedom = std::max(1, measurements_of(problem) - static_cast<int>(best->values.size()));
  const double beta2 = problem.options.sigma_known ? 1 : std::abs(best->objective) / freedom;
  double highest = 0;
  for (const auto& start : result.starts) {
    if (std::isfinite(start.first_objective)) highest = std::max(highest, start.first_objective);
  }
  constexpr double kResolved = 1e-6, kNoticed = 1e-3, kRounding = 1e-14;
  return kResolved * std::abs(best->objective) + kNoticed * beta2 + kRounding * highest;
}

}  // namespace
}  // namespace multi_start

bool HopelessWatch::is_hopeless(const Iteration& line) {
  lines_.push_back(line);
  if (std::ssize(lines_) <= kPatience) return false;
  const Iteration& then = lines_[lines_.size() - 1 - kPatience];
  constexpr double kOfUnit = 0.1, kOfAll = 1e-4;
  const double size = std::abs(then.objective), unit = measurements_ > 0 ? size / measurements_ : 1;
  const bool lower = then.objective - line.objective > std::max(kOfUnit * unit, kOfAll * size);
  const bool shorter = line.increment < 0.5 * then.increment;
  const bool more_feasible = line.infeasibility < 0.5 * then.infeasibility;
  return !lower && !shorter && !more_feasible;
}

const StartResult* MultiStart::best() const {
  const StartResult* found = nullptr;
  for (const auto& start : starts) {
    if (!multi_start::counts(start)) continue;
    if (found == nullptr || start.objective < found->objective) found = &start;
  }
  return found;
}

void sort_starts(MultiStart& result, double tolerance) {
  auto& starts = result.starts;
  std::ranges::stable_sort(starts, [](const StartResult& a, const StartResult& b) {
    const bool has_a = multi_start::counts(a), has_b = multi_start::counts(b);
    if (has_a != has_b) return has_a;
    if (has_a && a.objective != b.objective) return a.objective < b.objective;
    return a.number < b.number;
  });
  result.minima.clear();
  for (auto& start : starts) {
    start.minimum = 0;
    if (!start.converged() || !multi_start::counts(start)) continue;
    if (result.minima.empty() || start.objective > result.minima.back().objective + tolerance) {
      result.minima.push_back({.objective = start.objective,
                               .best = start.number,
                               .low = start.values,
                               .high = start.values});
    }
    Minimum& minimum = result.minima.back();
    ++minimum.count;
    start.minimum = static_cast<int>(result.minima.size());
    for (std::size_t i = 0; i < start.values.size(); ++i) {
      minimum.low[i] = std::min(minimum.low[i], start.values[i]);
      minimum.high[i] = std::max(minimum.high[i], start.values[i]);
    }
  }
}

MultiStart fit_from_many_starts(const Problem& problem, const StartPoints& points, Team& team,
                                const MultiStartSettings& settings) {
  const int all = points.count() + 1;
  std::vector<const StartResult*> earlier(static_cast<std::size_t>(all), nullptr);
  for (const auto& start : settings.earlier) {
    if (start.number < all && start.finished()) {
      earlier[static_cast<std::size_t>(start.number)] = &start;
    }
  }
  std::mutex telling;
  int done = 0;
  const auto parts = do_tasks(team, all, [&](int i, std::vector<double>& numbers) {
    const StartResult* known = earlier[static_cast<std::size_t>(i)];
    const StartResult start =
        known != nullptr ? *known : multi_start::fit_one(points.problem_of(problem, i), i);
    multi_start::pack(start, numbers);
    if (!start.finished()) return;
    const std::lock_guard lock(telling);
    ++done;
    if (settings.on_start) settings.on_start(done, all, start);
  });
  MultiStart result;
  for (int i = 0; i < all; ++i) {
    result.starts.push_back(multi_start::unpack(parts[static_cast<std::size_t>(i)], i));
    result.interrupted = result.interrupted || !result.starts.back().finished();
  }
  sort_starts(result, multi_start::resolution(problem, result));
  return result;
}

}  // namespace parfait::estimate
