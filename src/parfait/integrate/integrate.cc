#include "parfait/integrate/integrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/base/error.h"

namespace parfait::integrate {
namespace {

using dynamics::Status;

/// The state of one integration. Segments run between time breaks; steps never cross one.
class Run {
 public:
  Run(const dynamics::System& system, dynamics::Workspace& workspace, dynamics::Vec y,
      const Options& options, const OnStep& on_step, const Tableau& tableau)
      : system_(system),
        workspace_(workspace),
        y_(y),
        options_(options),
        on_step_(on_step),
        tableau_(tableau),
        controller_(tableau.error_order + 1),
        step_(tableau, static_cast<int>(y.size())),
        stage_(y.size()),
        y1_(y.size()),
        error_(y.size()) {}

  Result run(double t0, double t_end) {
    result_.t = t0;
    std::vector<double> ends;
    for (double t : system_.time_breaks()) {
      if (t > t0 && t < t_end) ends.push_back(t);
    }
    ends.push_back(t_end);
    for (std::size_t i = 0; i < ends.size() && result_.outcome == Outcome::kFinished; ++i) {
      // Up to a break the right-hand side is the one before it: at the break itself an input may
      // already have jumped.
      const bool is_break = i + 1 < ends.size();
      latest_ = is_break ? std::nextafter(ends[i], t0) : ends[i];
      run_segment(ends[i]);
    }
    return result_;
  }

 private:
  void run_segment(double end) {
    if (result_.t >= end) return;
    result_.status = evaluate(result_.t, y_, step_.k[0]);
    if (result_.status != Status::kOk) {
      result_.outcome = Outcome::kSystemFailed;
      return;
    }
    if (h_ == 0) h_ = options_.step.first_step > 0 ? options_.step.first_step : first_step(end);
    while (result_.t < end && result_.outcome == Outcome::kFinished) take_step(end);
  }

  /// Tries one step; on success moves t and y, otherwise shortens h. Gives up by setting the
  /// outcome.
  void take_step(double end) {
    const double t = result_.t;
    auto& statistics = result_.statistics;
    if (statistics.steps + statistics.rejected >= options_.step.max_steps) {
      result_.outcome = Outcome::kTooManySteps;
      return;
    }
    if (options_.step.max_step > 0) h_ = std::min(h_, options_.step.max_step);
    // The last step is stretched by up to one per cent so that no sliver remains.
    const bool last = t + 1.01 * h_ >= end;
    const double t1 = last ? end : t + h_;
    const double h = t1 - t;
    if (!last && h <= 16 * std::numeric_limits<double>::epsilon() * std::abs(t)) {
      result_.outcome =
          result_.status == Status::kOk ? Outcome::kStepTooSmall : Outcome::kSystemFailed;
      return;
    }

    double error = std::numeric_limits<double>::infinity();
    result_.status = trial(t, t1, h);
    if (result_.status == Status::kOk) error = error_norm(error_, y_, y1_, options_.step);
    if (!controller_.accepts(error)) return reject(h, error);

    step_.t0 = t;
    step_.t1 = t1;
    std::copy(y_.begin(), y_.end(), step_.y0.begin());
    bool moved = false;
    result_.status = project(t1, moved);
    if (result_.status != Status::kOk) {
      return reject(h, std::numeric_limits<double>::infinity());
    }

    ++statistics.steps;
    if (!last) {
      statistics.smallest_step =
          statistics.smallest_step == 0 ? h : std::min(statistics.smallest_step, h);
    }
    statistics.largest_step = std::max(statistics.largest_step, h);
    const bool go_on = !on_step_ || on_step_(step_);
    result_.t = t1;
    std::copy(y1_.begin(), y1_.end(), y_.begin());
    const double factor = controller_.after_accepted(error);
    // A step cut short by the end of a segment says little about how small the next must be.
    h_ = last ? std::max(h_, h * factor) : h * factor;
    if (!go_on) {
      result_.outcome = Outcome::kInterrupted;
      return;
    }
    if (t1 >= end) return;  // the next segment starts with an evaluation of its own
    if (tableau_.fsal && !moved) {
      std::swap(step_.k.front(), step_.k.back());
    } else {
      result_.status = evaluate(t1, y_, step_.k[0]);
      if (result_.status != Status::kOk) result_.outcome = Outcome::kSystemFailed;
    }
  }

  void reject(double h, double error) {
    ++result_.statistics.rejected;
    h_ = h * controller_.after_rejected(error);
    if (h_ <= 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(result_.t), 1e-300)) {
      result_.outcome =
          result_.status == Status::kOk ? Outcome::kStepTooSmall : Outcome::kSystemFailed;
    }
  }

  /// The stages k_2 ..., the new point y1_ and the error estimate.
  Status trial(double t, double t1, double h) {
    const int n = static_cast<int>(y_.size());
    for (int i = 1; i < tableau_.stages; ++i) {
      auto& y = i + 1 == tableau_.stages && tableau_.fsal ? y1_ : stage_;
      combine(tableau_.a[i], h, y);
      const double t_stage = tableau_.c[i] == 1 ? t1 : t + tableau_.c[i] * h;
      const Status status = evaluate(t_stage, y, step_.k[i]);
      if (status != Status::kOk) return status;
    }
    if (!tableau_.fsal) combine(tableau_.b, h, y1_);
    std::fill(error_.begin(), error_.end(), 0.0);
    for (int i = 0; i < tableau_.stages; ++i) {
      const double w = h * tableau_.e[i];
      if (w == 0) continue;
      for (int m = 0; m < n; ++m) error_[m] += w * step_.k[i][m];
    }
    return Status::kOk;
  }

  void combine(const std::vector<double>& weights, double h, std::vector<double>& y) const {
    std::copy(y_.begin(), y_.end(), y.begin());
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double w = h * weights[j];
      if (w == 0) continue;
      const double* k = step_.k[j].data();
      for (std::size_t m = 0; m < y.size(); ++m) y[m] += w * k[m];
    }
  }

  Status evaluate(double t, dynamics::ConstVec y, dynamics::Vec dydt) {
    ++result_.statistics.evaluations;
    return system_.evaluate(workspace_,
                            {.t = std::min(t, latest_), .y = y, .z = {}, .mode = {}, .offset = {}},
                            dydt, {});
  }

  Status project(double t, bool& moved) {
    const auto& sizes = system_.sizes();
    if (sizes.num_pos + sizes.num_vel == 0) return Status::kOk;
    const auto report = system_.project(workspace_, std::min(t, latest_), y1_, options_.projection,
                                        options_.projection_tolerance);
    ++result_.statistics.projections;
    const double distance = std::max(report.distance_q, report.distance_v);
    auto& largest = result_.statistics.largest_correction;
    largest = std::max(largest, distance);
    moved = distance > 0;
    return report.status;
  }

  /// A step whose explicit Euler step is small against y and whose second derivative is seen
  /// (Hairer, Norsett, Wanner I, II.4).
  double first_step(double end) {
    const double span = end - result_.t;
    const dynamics::ConstVec y = y_;
    const std::vector<double>& f0 = step_.k[0];
    const double d0 = error_norm(y, y, y, options_.step);
    const double d1 = error_norm(f0, y, y, options_.step);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = std::min(h0, span);
    for (std::size_t m = 0; m < stage_.size(); ++m) stage_[m] = y_[m] + h0 * f0[m];
    if (evaluate(result_.t + h0, stage_, step_.k[1]) != Status::kOk) return h0;
    for (std::size_t m = 0; m < stage_.size(); ++m) error_[m] = (step_.k[1][m] - f0[m]) / h0;
    const double d2 = error_norm(error_, y, y, options_.step);
    const double steepest = std::max(d1, d2);
    const double h1 = steepest <= 1e-15 ? std::max(1e-6, 1e-3 * h0)
                                        : std::pow(0.01 / steepest, 1.0 / tableau_.order);
    return std::min({100 * h0, h1, span});
  }

  const dynamics::System& system_;
  dynamics::Workspace& workspace_;
  dynamics::Vec y_;
  const Options& options_;
  const OnStep& on_step_;
  const Tableau& tableau_;
  StepController controller_;
  Step step_;
  std::vector<double> stage_, y1_, error_;
  double h_ = 0;
  double latest_ = std::numeric_limits<double>::infinity();
  Result result_;
};

}  // namespace

void check_options(const Options& options) {
  check_step_options(options.step);
  if (!(options.projection_tolerance > 0)) {
    throw base::InputError(
        fmt::format("projection_tolerance = {:g}: must be > 0.", options.projection_tolerance));
  }
}

const char* text(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFinished:
      return "finished";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kStepTooSmall:
      return "step_too_small";
    case Outcome::kTooManySteps:
      return "too_many_steps";
    case Outcome::kSystemFailed:
      return "system_failed";
  }
  return "unknown";
}

std::string Result::message() const {
  const auto steps = statistics.steps;
  switch (outcome) {
    case Outcome::kFinished:
      return fmt::format("finished at t = {:g} s after {} steps", t, steps);
    case Outcome::kInterrupted:
      return fmt::format("interrupted at t = {:g} s after {} steps", t, steps);
    case Outcome::kStepTooSmall:
      return fmt::format(
          "stopped at t = {:g} s: no step is small enough for the tolerance. The solution has a "
          "singularity here, or the problem is too stiff for an explicit method.",
          t);
    case Outcome::kTooManySteps:
      return fmt::format("stopped at t = {:g} s: the limit of {} steps is used up.", t,
                         steps + statistics.rejected);
    case Outcome::kSystemFailed:
      return fmt::format("stopped at t = {:g} s: {}.", t, dynamics::text(status));
  }
  return "";
}

Result integrate(const dynamics::System& system, dynamics::Workspace& workspace, double t0,
                 double t_end, dynamics::Vec y, const Options& options, const OnStep& on_step,
                 const Tableau& tableau) {
  check_options(options);
  const auto& sizes = system.sizes();
  if (!(t_end >= t0)) {
    throw base::InputError(
        fmt::format("end time = {:g} s: must not lie before the start, {:g} s.", t_end, t0));
  }
  if (sizes.nz > 0) {
    throw base::InputError(fmt::format(
        "the system has {} algebraic states: an explicit Runge-Kutta method cannot solve it.",
        sizes.nz));
  }
  if (sizes.num_switches > 0) {
    throw base::InputError(fmt::format(
        "the system has {} switching functions: this integrator does not locate events.",
        sizes.num_switches));
  }
  if (static_cast<int>(y.size()) != sizes.ny()) {
    throw base::InputError(
        fmt::format("the initial state has {} entries: must be {}.", y.size(), sizes.ny()));
  }
  return Run(system, workspace, y, options, on_step, tableau).run(t0, t_end);
}

}  // namespace parfait::integrate
