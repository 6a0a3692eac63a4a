#include "parfait/estimate/iteration/gauss_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "parfait/base/error.h"
#include "parfait/estimate/iteration/arrival.h"
#include "parfait/estimate/iteration/globalization.h"

namespace parfait::estimate {

using Eigen::VectorXd;
using Ending = GaussNewtonResult::Status;

const char* text(Globalization globalization) {
  switch (globalization) {
    case Globalization::kAuto:
      return "auto";
    case Globalization::kFull:
      return "full";
    case Globalization::kNatural:
      return "natural";
    case Globalization::kRmt:
      return "rmt";
    case Globalization::kLm:
      return "lm";
  }
  return "";
}

const char* text(Convergence convergence) {
  return convergence == Convergence::kIncrement ? "increment" : "statistical";
}

const char* text(Ending status) {
  switch (status) {
    case Ending::kConverged:
      return "converged";
    case Ending::kMaxIterations:
      return "max_iterations";
    case Ending::kStepTooSmall:
      return "step_too_small";
    case Ending::kEvaluationFailed:
      return "integration_failed";
    case Ending::kLinearFailed:
      return "linear_problem_failed";
    case Ending::kInterrupted:
      return "interrupted";
  }
  return "";
}

void check_options(const GaussNewtonOptions& o) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw base::InputError(message);
  };
  require(o.tolerance > 0, fmt::format("options.tol = {}: must be > 0.", o.tolerance));
  require(!o.max_iterations || *o.max_iterations >= 0,
          fmt::format("options.max_iterations = {}: must be >= 0.", o.max_iterations.value_or(0)));
  require(o.min_step > 0 && o.min_step < 1,
          fmt::format("options.min_step = {}: must lie between 0 and 1.", o.min_step));
  require(0 < o.eta_min && o.eta_min < o.eta && o.eta < o.eta_max && o.eta_max < 2,
          fmt::format("options.eta_min, eta, eta_max = {}, {}, {}: must be ascending in (0, 2).",
                      o.eta_min, o.eta, o.eta_max));
}

namespace {

/// Increments below this are rounding errors of the linear algebra.
double rounding_level(const LeastSquaresProblem& problem, const VectorXd& x) {
  return 4 * std::numeric_limits<double>::epsilon() * problem.condition() * (1 + x.norm());
}

/// The best point whose equations hold, so far.
struct Best {
  VectorXd x;
  double objective = std::numeric_limits<double>::infinity();

  bool exists() const { return x.size() > 0; }
  bool holds = false;  ///< exactly: there are no equations, or they are all met
  /// By more than rounding (or the errors of integration), and than what equations that hold to a
  /// tolerance are worth.
  bool better_than(double other, bool is_integrated) const {
    const double slack = !holds ? 1e-3 : is_integrated ? 1e-6 : 1e-9;
    return exists() && objective < other - slack * std::abs(other);
  }
};

/// Equations hold well enough for an objective to mean something.
bool feasible(const LeastSquaresProblem::Values& values) {
  constexpr double kFeasible = 1e-6;
  return values.relative_infeasibility <= kFeasible;
}

/// Whether an iteration gets anywhere: the objective or the increment is the least so far, by a
/// margin.
class Progress {
 public:
  /// `ended` iterations without any.
  int idle(double objective, double infeasibility, double increment) {
    // An objective that may be negative (a likelihood) has a unit of its own.
    const double margin = objective_ > 0 ? kMargin * objective_ : kMargin;
    const bool less = objective < objective_ - (std::isfinite(margin) ? margin : 0) ||
                      infeasibility < (1 - kMargin) * infeasibility_ ||
                      increment < (1 - kMargin) * increment_;
    objective_ = std::min(objective_, objective);
    infeasibility_ = std::min(infeasibility_, infeasibility);
    increment_ = std::min(increment_, increment);
    return idle_ = less ? 0 : idle_ + 1;
  }

 private:
  static constexpr double kMargin = 1e-3;
  double objective_ = std::numeric_limits<double>::infinity();
  double infeasibility_ = std::numeric_limits<double>::infinity();
  double increment_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

/// Iterations without progress after which `auto` changes its method, and an iteration without a
/// limit ends.
constexpr int kPatience = 8;
constexpr int kLastPatience = 100;
/// By this factor, each time.
constexpr double kGrowth = 2;
/// An objective that a step makes this many times larger has left the problem.
constexpr double kExplodes = 10;

/// The rate of Gauss-Newton at a minimum x, where the problem is linearized: the largest factor by
/// which a change of x comes back,
///
///   v -> J(x + v)+ R,    R = r + J dx what the data leave over, J(x)+ R = 0,
///
/// by a few power iterations along v, one linearization each. The problem is linearized at x again
/// afterwards; NaN if points there do not exist.
double rate_at(LeastSquaresProblem& problem, const VectorXd& x, VectorXd v) {
  constexpr int kIterations = 4;
  constexpr double kStep = 1e-5;
  const VectorXd remainder = problem.remainder();
  const double h = kStep * (problem.norm(x) > 0 ? problem.norm(x) : 1);
  double kappa = std::nan("");
  for (int i = 0; i < kIterations && problem.norm(v) > 0; ++i) {
    const VectorXd there = problem.into_bounds(x + (h / problem.norm(v)) * v);
    const double length = problem.norm(there - x);
    if (!(length > 0) || !problem.linearize(there).exists) break;
    v = problem.increment_of(remainder);
    kappa = problem.norm(v) / length;
  }
  return problem.linearize(x).exists ? kappa : std::nan("");
}

/// The ways an iteration may go, in the order in which `auto` tries them. A method that a person
/// chose is a list of one.
enum class Stage : std::uint8_t {
  kPath,  ///< increments as the options ask for (auto: the restrictive test), from the start
  kPathUnbounded,  ///< the same without inequalities, until it arrives: bounds that lie in the way
                   ///< of a far start, before any equation holds
  kDescent,        ///< descent of the objective with the curvature of the residuals, from the best
                   ///< point
  kDamping,  ///< Levenberg-Marquardt from the start, whose damping does not follow the columns
};

struct StageInfo {
  Stage stage;
  bool unbounded, curved, from_start;
};
constexpr StageInfo kStages[] = {
    {Stage::kPath, false, false, true},
    {Stage::kPathUnbounded, true, false, true},
    {Stage::kDescent, false, true, false},
    {Stage::kDamping, false, false, true},
};
constexpr const StageInfo& info(Stage stage) {
  return kStages[static_cast<std::size_t>(stage)];
}

/// One run from start to end; what its iterations share.
class Run {
 public:
  Run(LeastSquaresProblem& problem, const GaussNewtonOptions& options,
      const OnIteration& on_iteration, const Interrupted& interrupted)
      : problem_(problem),
        options_(options),
        on_iteration_(on_iteration),
        interrupted_(interrupted),
        is_auto_(options.globalization == Globalization::kAuto) {}

  GaussNewtonResult from(VecIn start);

 private:
  /// What a part of an iteration says about the rest of it.
  enum class Next : std::uint8_t {
    kOn,     ///< to the next part
    kAgain,  ///< from another point, or in another way
    kEnd,    ///< result_ is complete
  };
  // The parts of an iteration, in this order.
  Next linearize();
  Next look_for_the_end();
  Next look_for_progress();
  Next take_step();

  // The stages.
  bool applies(Stage stage) const;
  void enter(Stage stage, const VectorXd& x, bool last_was_full);
  void enter_descent(const VectorXd& x, const char* why);
  /// To the next stage that applies, up to `last`. False: there is none.
  bool advance(Stage last, const char* why);
  /// Off a path that leads nowhere.
  bool leave_path(const char* why) {
    return stage_ <= Stage::kPathUnbounded && advance(Stage::kDescent, why);
  }
  /// The last that `auto` has to offer.
  bool try_damping() { return stage_ == Stage::kDescent && advance(Stage::kDamping, ""); }
  /// Where one of the two is stuck the other may go on: from the best point, while that pays.
  bool take_turns();
  bool has_tried(Stage stage) const { return tried_[static_cast<std::size_t>(stage)]; }

  // Ends.
  Next end(Ending status, std::string message);
  Next end_converged();
  Next end_stuck(const std::string& why);
  /// An end where the data determine less than on the way.
  Next look_for_lost_rank();
  /// From an end where something has lost its influence: back to where it had some, if that lowers
  /// the objective, and on from there.
  bool revive();
  bool judged();
  bool curved_increment_is_short();
  bool is_within_integration_errors(double deviations);
  Next end_within_integration_errors();
  bool within_noise(double noise, double length);
  bool report() {
    result_.history.push_back(here_.line);
    return !on_iteration_ || on_iteration_(here_.line, x_);
  }
  bool stopped() const { return interrupted_ && interrupted_(); }
  /// The data determine less here than elsewhere on the way; not only because other bounds hold.
  bool has_lost_rank() const { return here_.open > least_open_ && here_.line.rank < most_rank_; }
  bool best_is_better() const {
    return best_.better_than(here_.values.objective, problem_.noise() > 0);
  }

  LeastSquaresProblem& problem_;
  const GaussNewtonOptions& options_;
  const OnIteration& on_iteration_;
  const Interrupted& interrupted_;
  const bool is_auto_;

  Stage stage_ = Stage::kPath;
  std::array<bool, std::size(kStages)> tried_{};
  std::unique_ptr<StepChooser> chooser_;
  bool has_equations_ = false;

  VectorXd start_;
  GaussNewtonResult result_;
  VectorXd x_, x_plain_, x_before_, remainder_;
  bool last_was_full_ = true;

  /// The point of the iteration, as linearized.
  struct Here {
    LeastSquaresProblem::Values values;
    VectorXd dx;
    Iteration line;
    LeastSquaresProblem::Precision precision;
    ArrivalOptions arrival;
    int open = 0;  ///< directions that the data leave
  };
  Here here_;
  double objective_ = 0;  ///< at x_

  Best best_;
  /// Where the data left the fewest directions open, the last such point.
  VectorXd x_most_seen_;
  std::vector<VectorXd> descent_starts_;
  int least_open_ = std::numeric_limits<int>::max(), most_rank_ = 0;
  int growing_ = 0;  ///< increments in a row that were much longer than the one before
  static constexpr int kMostRevivals = 3;
  int revivals_ = 0;
  double last_turn_ = std::numeric_limits<double>::infinity();  ///< the objective at the last turn
  double collapsed_ = std::nan("");  ///< the objective at a first end with less rank than before
  Progress progress_;
};

Run::Next Run::end(Ending status, std::string message) {
  result_.status = status;
  result_.message = std::move(message);
  result_.x = x_;
  result_.objective = objective_;
  // What did not arrive is left at the best point it saw.
  if (status != Ending::kConverged && is_auto_ &&
      best_.better_than(objective_, problem_.noise() > 0)) {
    result_.x = best_.x;
    result_.objective = best_.objective;
  }
  return Next::kEnd;
}

bool Run::applies(Stage stage) const {
  if (!is_auto_ || has_tried(stage)) return false;
  switch (stage) {
    case Stage::kPath:
      return false;
    case Stage::kPathUnbounded:
      return !best_.exists() && problem_.has_inequalities();
    case Stage::kDescent:
      return true;
    case Stage::kDamping:
      return options_.last_resort && !has_equations_;
  }
  return false;
}

void Run::enter(Stage stage, const VectorXd& x, bool last_was_full) {
  stage_ = stage;
  tried_[static_cast<std::size_t>(stage)] = true;
  chooser_ = stage == Stage::kDescent   ? make_monotone_descent()
             : stage == Stage::kDamping ? make_levenberg_marquardt(options_)
                                        : make_step_chooser(options_);
  problem_.set_unbounded(info(stage).unbounded);
  problem_.set_curved(info(stage).curved);
  x_ = x_plain_ = x_before_ = x;
  remainder_.resize(0);
  last_was_full_ = last_was_full;
  progress_ = {};
}

void Run::enter_descent(const VectorXd& x, const char* why) {
  enter(Stage::kDescent, x, false);
  descent_starts_.push_back(x_);
  result_.descent_from = result_.iterations;
  result_.descent_reason = why;
}

bool Run::advance(Stage last, const char* why) {
  for (const StageInfo& next : kStages) {
    if (next.stage <= stage_ || next.stage > last || !applies(next.stage)) continue;
    if (next.stage == Stage::kDescent) {
      enter_descent(best_.exists() ? best_.x : x_, why);
    } else {
      enter(next.stage, next.from_start ? start_ : best_.x, next.unbounded);
    }
    return true;
  }
  return false;
}

bool Run::take_turns() {
  constexpr double kPays = 1e-3;  // of the objective
  if (!is_auto_ || !has_tried(Stage::kDamping) || !best_.exists()) return false;
  if (!(best_.objective < last_turn_ - kPays * std::abs(best_.objective))) return false;
  last_turn_ = best_.objective;
  if (stage_ == Stage::kDamping) {
    enter_descent(best_.x, "a better point found by damping");
  } else {
    enter(Stage::kDamping, best_.x, false);
  }
  return true;
}

/// Descent takes no full steps. Its own increment has the same zeros as that of Gauss-Newton, and
/// knows what large residuals make of the way that is left.
bool Run::curved_increment_is_short() {
  if (stage_ != Stage::kDescent || !problem_.damp(0)) return false;
  const double length = problem_.norm(problem_.increment());
  problem_.damp_no_more();
  return length <= options_.tolerance;
}

bool Run::judged() {
  const auto& [values, dx, line, precision, arrival, open] = here_;
  if (!precision.known) {
    if (line.increment <= rounding_level(problem_, x_)) return true;
    return line.increment <= options_.tolerance && (last_was_full_ || curved_increment_is_short());
  }
  if (judge(problem_, precision, x_, dx, arrival).arrived) return true;
  // With large residuals the increment of Gauss-Newton is too long; that of the curved model has
  // the same zeros.
  if (stage_ != Stage::kDescent || !problem_.damp(0)) return false;
  const VectorXd curved = problem_.increment();
  ArrivalOptions without_rate = arrival;
  without_rate.rate = 0;
  const bool arrived = judge(problem_, precision, x_, curved, without_rate).arrived;
  problem_.damp_no_more();
  return arrived;
}

/// Parts of the way back, the whole first: by halves, or where a parameter has changed by powers of
/// ten, decade by decade (`decade`: the part of the way that one is).
std::vector<double> ways_back(double decade) {
  constexpr double kMostTrials = 40, kShortest = 0.05;
  std::vector<double> parts = {1};
  for (;;) {
    const double s = parts.back();
    const double next = std::max(s / 2, s - std::max(decade, 1 / kMostTrials));
    if (!(next > kShortest)) return parts;
    parts.push_back(next);
  }
}

bool Run::revive() {
  if (!is_auto_) return false;
  constexpr double kLower = 1e-9;
  const double objective = here_.values.objective;
  for (Eigen::Index i = 0; i < x_.size(); ++i) {
    if (x_[i] == start_[i]) continue;
    VectorXd back = VectorXd::Zero(x_.size());
    back[i] = start_[i] - x_[i];
    for (const double s : ways_back(problem_.longest_step(back) / 2)) {
      const VectorXd there = x_ + s * back;
      const auto values = problem_.evaluate(there);
      ++result_.evaluations;
      if (!values.exists || !feasible(values) ||
          values.objective > objective - kLower * std::abs(objective)) {
        continue;
      }
      ++revivals_;
      enter_descent(there, "a parameter without influence that had some elsewhere");
      return true;
    }
  }
  (void)problem_.linearize(x_);  // trials were elsewhere
  return false;
}

/// A stuck iteration may be at the end of what the numbers can tell.
bool Run::within_noise(double noise, double length) {
  if (!here_.precision.known) return problem_.norm(here_.dx) <= length;
  if (!problem_.linearize(x_).exists) return false;  // trials were elsewhere
  ArrivalOptions arrival = here_.arrival;
  arrival.noise = noise;
  return judge(problem_, here_.precision, x_, here_.dx, arrival).arrived;
}

/// Increments that matter to nobody and get no shorter, or lead to nothing lower.
bool Run::is_within_integration_errors(double deviations) {
  return problem_.noise() > 0 && here_.precision.known && stage_ != Stage::kPathUnbounded &&
         !best_is_better() && !has_lost_rank() && feasible(here_.values) &&
         problem_.linearize(x_).exists &&  // trials may have been elsewhere
         is_insignificant(problem_, x_, here_.dx, options_.tolerance, deviations);
}

Run::Next Run::end_within_integration_errors() {
  const double left = deviations_left(problem_, x_, here_.dx, 0);
  return end(
      Ending::kConverged,
      fmt::format("increment {:.1e}{} cannot be told from integration errors; a smaller "
                  "rtol would go further",
                  here_.line.increment,
                  std::isfinite(left) ? fmt::format(" ({:.1g} standard deviations)", left) : ""));
}

/// r(x_k), J(x_k) and the increment dx_k = -J_k+ r_k.
Run::Next Run::linearize() {
  here_ = {};
  auto& [values, dx, line, precision, arrival, open] = here_;
  values = problem_.linearize(x_);
  ++result_.evaluations;
  if (!values.exists && x_plain_ != x_) {  // back projection went where nothing exists
    x_ = x_plain_;
    values = problem_.linearize(x_);
    ++result_.evaluations;
  }
  if (!values.exists) {
    if (stopped()) return end(Ending::kInterrupted, "interrupted");
    const std::string why = problem_.why();
    if (best_.exists() && leave_path("a point that cannot be linearized")) return Next::kAgain;
    objective_ = values.defined ? values.objective : std::nan("");
    return end(values.defined ? Ending::kLinearFailed : Ending::kEvaluationFailed, why);
  }
  const bool holds = feasible(values);
  has_equations_ |= values.infeasibility > 0;
  if (holds && best_.exists() && best_.objective >= 0 &&
      values.objective > kExplodes * best_.objective &&
      leave_path("a step that made the objective explode")) {
    return Next::kAgain;
  }
  objective_ = values.objective;
  if (holds && values.objective < best_.objective) {
    best_ = {.x = x_, .objective = values.objective, .holds = values.infeasibility == 0};
  }

  dx = problem_.increment();
  result_.increment = dx;
  line = {.number = result_.iterations,
          .objective = values.objective,
          .infeasibility = values.infeasibility,
          .increment = problem_.norm(dx),
          .rank = problem_.rank(),
          .num_free = problem_.num_free(),
          .condition = problem_.condition()};
  // kappa_{k-1} = |J_k+ (r + J dx)_{k-1}| / |x_k - x_{k-1}|: how much of what the data left over
  // comes back as a new increment.
  if (remainder_.size() > 0 && x_ != x_before_) {
    line.kappa = problem_.norm(problem_.increment_of(remainder_)) / problem_.norm(x_ - x_before_);
  }
  open = line.num_free - line.rank;
  if (open <= least_open_) {
    least_open_ = open;
    x_most_seen_ = x_;
  }
  most_rank_ = std::max(most_rank_, line.rank);
  if (!std::isfinite(line.increment)) {
    if (best_.exists() && best_.x != x_ && leave_path("an increment that is not finite")) {
      return Next::kAgain;
    }
    report();
    return end(Ending::kLinearFailed, "the increment is not finite");
  }
  return Next::kOn;
}

Run::Next Run::look_for_the_end() {
  auto& [values, dx, line, precision, arrival, open] = here_;
  // What is left to go, from what the last full step left of the increment before.
  arrival = {.tolerance = options_.tolerance};
  if (last_was_full_ && !result_.history.empty() && result_.history.back().increment > 0) {
    arrival.rate = line.increment / result_.history.back().increment;
  }
  if (options_.convergence == Convergence::kStatistical) precision = problem_.precision(x_, false);
  if (!judged()) return Next::kOn;
  if (stage_ == Stage::kPathUnbounded) {  // here the inequalities have their say again
    stage_ = Stage::kPath;
    problem_.set_unbounded(false);
    last_was_full_ = false;
    progress_ = {};
    return Next::kAgain;
  }
  if (best_is_better()) {
    if (leave_path("an end above the best point")) return Next::kAgain;
    if (has_tried(Stage::kDamping)) {
      report();
      return end(Ending::kStepTooSmall, "no acceptable step from the best point");
    }
  }
  if (open > least_open_) {
    const Next next = look_for_lost_rank();
    if (next != Next::kOn) return next;
  }
  return end_converged();
}

Run::Next Run::look_for_lost_rank() {
  const auto& [values, dx, line, precision, arrival, open] = here_;
  // A parameter that a step threw far away has no slope left where it is, or hides what the others
  // do: that is no minimum.
  if (revivals_ < kMostRevivals && revive()) return Next::kAgain;
  if (!has_lost_rank()) return Next::kOn;
  if (is_auto_ && !std::isfinite(collapsed_)) {
    collapsed_ = values.objective;
    if (std::ranges::find(descent_starts_, x_most_seen_) == descent_starts_.end()) {
      enter_descent(x_most_seen_, "an end where the data determine less than on the way");
      return Next::kAgain;
    }
    // The same way would lead to the same end.
    if (try_damping()) return Next::kAgain;
    collapsed_ = std::nan("");
  }
  // Unless another way leads there, too.
  const bool again = std::isfinite(collapsed_) &&
                     std::abs(values.objective - collapsed_) <= 1e-9 * std::abs(collapsed_) &&
                     (!precision.known || judge(problem_, precision, x_, dx, arrival).arrived);
  if (again) return Next::kOn;
  if (try_damping()) return Next::kAgain;
  report();
  return end(Ending::kStepTooSmall,
             "the data determine less here than on the way: a parameter has become so small or so "
             "large that others have no influence");
}

Run::Next Run::end_converged() {
  const auto& [values, dx, line, precision, arrival, open] = here_;
  report();
  // Where the last steps were none of Gauss-Newton, its rate has to be looked for. It is a number
  // of least squares.
  if (problem_.has_natural_level()) {
    if (stage_ == Stage::kDescent && precision.known) {
      const double kappa = rate_at(problem_, x_, x_ != x_before_ ? VectorXd(x_ - x_before_) : dx);
      if (std::isfinite(kappa)) result_.kappa = kappa;
    } else if (line.kappa > 0) {
      result_.kappa = line.kappa;
    }
  }
  return end(Ending::kConverged,
             fmt::format("increment {:.1e} after {} iteration{}", line.increment,
                         result_.iterations, result_.iterations == 1 ? "" : "s"));
}

Run::Next Run::look_for_progress() {
  const auto& [values, dx, line, precision, arrival, open] = here_;
  const int idle = progress_.idle(values.objective, values.relative_infeasibility, line.increment);
  if (idle >= kPatience && is_within_integration_errors(kFewDeviations)) {
    report();
    return end_within_integration_errors();
  }
  if (idle >= kPatience && leave_path("iterations without progress")) return Next::kAgain;
  const double before = result_.history.empty() ? 0 : result_.history.back().increment;
  growing_ = before > 0 && line.increment > kGrowth * before ? growing_ + 1 : 0;
  if (growing_ >= kPatience / 2 && leave_path("increments that grow and grow")) {
    return Next::kAgain;
  }
  const bool limited = options_.max_iterations.has_value();
  const bool is_over =
      limited ? result_.iterations >= *options_.max_iterations : idle >= kLastPatience;
  if (!is_over) return Next::kOn;
  if (!limited && try_damping()) return Next::kAgain;
  report();
  const double left = deviations_left(problem_, x_, dx, arrival.rate);
  const std::string way =
      std::isfinite(left)
          ? fmt::format(
                "; about {:.2g} standard deviations are left to go{}", left,
                arrival.rate > 0.5 && arrival.rate < 1.5
                    ? fmt::format(", each iteration leaves {:.2g} of the way (kappa)", arrival.rate)
                    : "")
          : "";
  return end(Ending::kMaxIterations,
             fmt::format("increment {:.1e} after {} iterations{}{}", line.increment,
                         result_.iterations, limited ? "" : " without progress", way));
}

/// x_{k+1} = x_k + t_k dx_k (+ delta)
Run::Next Run::take_step() {
  auto& [values, dx, line, precision, arrival, open] = here_;
  remainder_ = problem_.remainder();
  const Step step = chooser_->choose(problem_, x_, dx, values);
  result_.evaluations += step.trials;
  line.step = step.t;
  line.omega = step.omega;
  line.test = step.test;
  line.trials = step.trials;
  line.descent = stage_ == Stage::kDescent;
  const bool go_on = report();
  if (!step.found) {
    return stopped() ? end(Ending::kInterrupted, "interrupted") : end_stuck(problem_.why());
  }
  x_before_ = x_;
  x_ = problem_.adopt(step.x);
  x_plain_ = step.x_plain;
  last_was_full_ = stage_ != Stage::kDescent && (step.t >= 1 || has_tried(Stage::kDamping) ||
                                                 options_.globalization == Globalization::kLm);
  ++result_.iterations;
  return go_on ? Next::kOn : end(Ending::kInterrupted, "interrupted");
}

Run::Next Run::end_stuck(const std::string& why) {
  const double increment = here_.line.increment;
  constexpr double kFewDigits = 4e3 * std::numeric_limits<double>::epsilon();
  if (within_noise(kFewDigits, 1e3 * rounding_level(problem_, x_))) {
    return end(Ending::kConverged,
               fmt::format("increment {:.1e} cannot be told from rounding errors", increment));
  }
  const double noise = 10 * problem_.noise();
  if (noise > 0 && (within_noise(noise, noise * problem_.condition() * (1 + x_.norm())) ||
                    is_within_integration_errors(kMinorDeviations))) {
    return end_within_integration_errors();
  }
  if (leave_path("no acceptable step") || try_damping() || take_turns()) return Next::kAgain;
  if (options_.globalization == Globalization::kFull) {
    return end(Ending::kEvaluationFailed,
               "the full step leads to a point that cannot be evaluated: " + why);
  }
  return end(Ending::kStepTooSmall, fmt::format("no acceptable step along an increment of {:.1e}{}",
                                                increment, why.empty() ? "" : " (" + why + ")"));
}

GaussNewtonResult Run::from(VecIn start) {
  start_ = problem_.into_bounds(start);
  const bool descends = is_auto_ && !problem_.has_natural_level();
  enter(descends ? Stage::kDescent : Stage::kPath, start_, !descends);
  while (true) {
    Next next = linearize();
    if (next == Next::kOn) next = look_for_the_end();
    if (next == Next::kOn) next = look_for_progress();
    if (next == Next::kOn) next = take_step();
    if (next == Next::kEnd) return result_;
  }
}

}  // namespace

GaussNewtonResult gauss_newton(LeastSquaresProblem& problem, VecIn start,
                               const GaussNewtonOptions& options, const OnIteration& on_iteration,
                               const Interrupted& interrupted) {
  check_options(options);
  problem.set_curved(false);
  problem.set_unbounded(false);
  return Run(problem, options, on_iteration, interrupted).from(start);
}

}  // namespace parfait::estimate
