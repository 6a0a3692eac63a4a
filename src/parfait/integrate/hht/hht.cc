#include "parfait/integrate/hht/hht.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/integrate/hht/hht_stepper.h"
#include "parfait/integrate/stepping/hermite.h"

namespace parfait::integrate {

using dynamics::Status;

namespace {

/// Newton's method goes on to rounding: the directions are those of the exact solution.
constexpr double kConverged = 1e-14;
/// Corrections of positions that no longer shrink and are below this are rounding.
constexpr double kRounding = 1e-11;
constexpr double kSlow = 0.1;
constexpr int kMaxIterations = 50;
constexpr int kMaxMatrices = 8;
/// Steps this close to that of the matrix are near enough for it.
constexpr double kNear = 1.25;
constexpr double kGrowth = 2;
constexpr double kFirstGrowth = 10;
/// A step that could grow by less than this stays as it is: so does the matrix.
constexpr double kWorthwhile = 1.2;

double largest_finite(double x) {
  return std::isfinite(x) ? x : kInfinity;
}

}  // namespace

std::unique_ptr<Stepper> make_hht(Flow& flow, int num_directions) {
  const auto* mechanics = flow.system().second_order();
  if (!mechanics) {
    throw base::InputError("integrator hht: the model " + obstacle(Method::kHht, flow.system()) +
                           ".");
  }
  const auto& sizes = flow.system().sizes();
  if (sizes.num_vel != sizes.num_pos) {
    throw base::InputError(fmt::format(
        "integrator hht: {} constraints of the model are on velocities (V0_x ... VVX), which this "
        "method cannot keep. Use {}.",
        sizes.num_vel - sizes.num_pos,
        method_names([](const MethodInfo& m) { return !m.needs_second_order; }, "or")));
  }
  return std::make_unique<Hht>(flow, *mechanics, num_directions);
}

Hht::Hht(Flow& flow, const dynamics::SecondOrder& mechanics, int k)
    : flow_(flow),
      mechanics_(mechanics),
      nq_(flow.system().sizes().nq),
      ng_(flow.system().sizes().num_pos),
      ne_(flow.system().sizes().ne),
      alpha_(flow.options().hht_alpha),
      beta_((1 - alpha_) * (1 - alpha_) / 4),
      gamma_(0.5 - alpha_),
      controller_(3, 0),
      matrix_(nq_, ng_, ne_),
      y0_(flow.ny()),
      end_(flow.ny()),
      y1_(flow.ny()),
      true_a_(nq_),
      start_a_(nq_),
      start_d_(ne_),
      slope_d_(ne_),
      lambda_(ng_),
      lambda0_(ng_),
      r_(nq_),
      g_(ng_),
      edot_(ne_),
      x_(nq_ + ng_ + ne_),
      error_(nq_ + ne_),
      W0_(flow.ny(), k),
      W_end_(flow.ny(), k),
      W1_(flow.ny(), k),
      dstart_a_(nq_, k),
      dstart_d_(ne_, k),
      dr_(nq_, k),
      dg_(ng_, k),
      dedot_(ne_, k),
      dMa_(nq_, k),
      dx_(nq_ + ng_ + ne_, k),
      error_W_(nq_, flow.options().control_sensitivities ? k : 0) {
  for (auto* history : {&now_, &next_}) {
    history->a.resize(nq_);
    history->F.resize(nq_);
    history->d.resize(ne_);
    history->f_e.resize(ne_);
  }
  for (auto* history : {&dnow_, &dnext_}) {
    history->a.resize(nq_, k);
    history->F.resize(nq_, k);
    history->d.resize(ne_, k);
    history->f_e.resize(ne_, k);
  }
}

Status Hht::start(const State& state) {
  t0_ = t1_ = state.t;
  h_used_ = h_last_ = 0;
  finished_ = false;
  mechanics_.mass(flow_.workspace(), mass_);
  if (!matrix_.set_mass(mass_)) return status_ = Status::kSingular;
  matrix_h_ = 0;
  std::copy(state.y.begin(), state.y.end(), y0_.begin());
  end_ = y1_ = y0_;
  // The accelerations of the index-1 form satisfy M a = F, whatever lambda is.
  std::vector<double>& rates = y1_;
  status_ = flow_.evaluate(t0_, y0_, rates);
  if (status_ != Status::kOk) return status_;
  std::copy_n(rates.begin() + nq_, nq_, now_.a.begin());
  std::copy_n(rates.begin() + 2 * nq_, ne_, now_.d.begin());
  now_.f_e = now_.d;
  matrix_.multiply_mass(now_.a, now_.F);
  if (has_directions()) {
    W0_ = state.W;
    start_directions();
  }
  y1_ = y0_;
  return status_;
}

/// Moves the end of the last step to the start of the next.
void Hht::begin() {
  if (!finished_) return;
  finished_ = false;
  t0_ = t1_;
  h_last_ = h_used_;
  for (int i = 0; i < ne_; ++i) slope_d_[i] = (next_.d[i] - start_d_[i]) / h_last_;
  std::swap(y0_, y1_);
  std::swap(now_, next_);
  if (!has_directions()) return;
  std::swap(W0_, W1_);
  std::swap(dnow_, dnext_);
}

/// a_0 belongs to the time t_0 + alpha h of the step before. Where the step changes it is moved to
/// the new one, along the line to M^-1 F_0 at t_0. (H4)
void Hht::choose_start_rates() {
  start_a_ = now_.a;
  start_d_ = now_.d;
  if (h_last_ == 0 || alpha_ == 0) return;
  const double ratio = h_used_ / h_last_;
  true_a_ = now_.F;
  matrix_.divide_by_mass(true_a_);
  for (int i = 0; i < nq_; ++i) start_a_[i] = true_a_[i] + ratio * (now_.a[i] - true_a_[i]);
  for (int i = 0; i < ne_; ++i) start_d_[i] = now_.f_e[i] + ratio * (now_.d[i] - now_.f_e[i]);
}

/// q_1, v_1, e_1 from a_1 and d_1.
void Hht::place_end() {
  const double h = h_used_;
  for (int i = 0; i < nq_; ++i) {
    const double v0 = y0_[nq_ + i], a0 = start_a_[i], a1 = next_.a[i];
    end_[i] = y0_[i] + h * (v0 + h * ((0.5 - beta_) * a0 + beta_ * a1));
    end_[nq_ + i] = v0 + h * ((1 - gamma_) * a0 + gamma_ * a1);
  }
  for (int i = 0; i < ne_; ++i) {
    end_[2 * nq_ + i] = y0_[2 * nq_ + i] + h * ((1 - gamma_) * start_d_[i] + gamma_ * next_.d[i]);
  }
}

/// At the point of the last evaluation.
bool Hht::refresh_matrix() {
  const double h = h_used_;
  mechanics_.linearize(flow_.workspace(), linear_);
  ++flow_.statistics.factorizations;
  matrix_h_ = 0;
  if (!matrix_.factor(linear_,
                      {.alpha = alpha_, .beta_h2 = beta_ * h * h, .gamma_h = gamma_ * h})) {
    return false;
  }
  matrix_h_ = h;
  return true;
}

/// How far x_ moves positions, and everything, relative to their size.
Hht::Correction Hht::correction() const {
  const double h = h_used_;
  double sum[3] = {};
  const auto& rtol = flow_.rtol();
  const auto& atol = flow_.atol();
  const auto add = [&](int group, int i, double change) {
    const double part = change / std::max(std::abs(y0_[i]), atol[i] / rtol[i]);
    sum[group] += part * part;
  };
  for (int i = 0; i < nq_; ++i) {
    add(0, i, beta_ * h * h * x_[i]);
    add(1, nq_ + i, gamma_ * h * x_[i]);
  }
  for (int i = 0; i < ne_; ++i) add(2, 2 * nq_ + i, gamma_ * h * x_[nq_ + ng_ + i]);
  const double q = std::sqrt(sum[0] / nq_), v = std::sqrt(sum[1] / nq_);
  const double e = ne_ == 0 ? 0 : std::sqrt(sum[2] / ne_);
  return {.q = std::max(q, e), .all = std::max({q, v, e})};
}

/// The equations of the step, solved for next_.a, lambda_ and next_.d. False with status_ kOk: no
/// convergence.
bool Hht::newton() {
  const double h = h_used_, inertia = 1 / (1 + alpha_), past = alpha_ / (1 + alpha_);
  next_.a = start_a_;
  next_.d = start_d_;
  double previous = kInfinity;
  int matrices = 0;
  bool usable = matrix_h_ > 0 && h < kNear * matrix_h_ && matrix_h_ < kNear * h;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    place_end();
    ++flow_.statistics.evaluations;
    status_ =
        mechanics_.evaluate(flow_.workspace(), flow_.point(t1_, end_), lambda_, r_, g_, edot_);
    if (status_ != Status::kOk) return false;
    if (!usable) {
      if (++matrices > kMaxMatrices || !refresh_matrix()) return false;
      usable = true;
      previous = kInfinity;
    }
    matrix_.multiply_mass(next_.a, {x_.data(), static_cast<std::size_t>(nq_)});
    for (int i = 0; i < nq_; ++i) x_[i] = r_[i] - past * now_.F[i] - inertia * x_[i];
    for (int i = 0; i < ng_; ++i) x_[nq_ + i] = -g_[i] / (beta_ * h * h);
    for (int i = 0; i < ne_; ++i) {
      x_[nq_ + ng_ + i] = edot_[i] - past * now_.f_e[i] - inertia * next_.d[i];
    }
    matrix_.solve(x_);
    for (int i = 0; i < nq_; ++i) next_.a[i] += x_[i];
    for (int i = 0; i < ng_; ++i) lambda_[i] += x_[nq_ + i];
    for (int i = 0; i < ne_; ++i) next_.d[i] += x_[nq_ + ng_ + i];
    const Correction size = correction();
    if (!std::isfinite(size.all)) return false;
    const bool first = std::isinf(previous);  // with this matrix: no rate is known
    const double rate = first ? 1 : size.all / previous;
    const bool small = rate < 1 && size.all * rate <= kConverged * (1 - rate);
    const bool stalled = !first && rate > 0.5 && size.q <= kRounding;
    if (small || stalled || size.all <= kConverged) {
      place_end();
      return true;
    }
    if (!first && rate > kSlow) usable = false;
    previous = size.all;
  }
  return false;
}

/// The step to t1, not projected. False: it cannot be made; status_ says why unless it is Newton's
/// method.
bool Hht::trial(double t1) {
  t1_ = t1;
  h_used_ = t1 - t0_;
  choose_start_rates();
  lambda0_ = lambda_;
  newton_failed_ = !newton();
  if (newton_failed_) {
    lambda_ = lambda0_;
    matrix_h_ = 0;
    newton_failed_ = status_ == Status::kOk;
    return false;
  }
  matrix_.multiply_mass(next_.a, next_.F);
  for (int i = 0; i < nq_; ++i) next_.F[i] = (next_.F[i] + alpha_ * now_.F[i]) / (1 + alpha_);
  for (int i = 0; i < ne_; ++i) {
    next_.f_e[i] = (next_.d[i] + alpha_ * now_.f_e[i]) / (1 + alpha_);
  }
  return true;
}

/// Local error of q (H5) and of external states (H6), in the norm of the tolerances.
double Hht::error() {
  const double h = h_used_;
  const double position = 1.0 / 12 + alpha_ * alpha_ / 4;
  const double external = 1.0 / 12 - alpha_ / 2 - alpha_ * alpha_;
  for (int i = 0; i < nq_; ++i) error_[i] = position * h * h * (next_.a[i] - start_a_[i]);
  for (int i = 0; i < ne_; ++i) {
    const double rise = next_.d[i] - start_d_[i];
    error_[nq_ + i] = h_last_ == 0
                          ? external * h * rise
                          : external * h * (rise - h * slope_d_[i]) * 2 * h / (h + h_last_);
  }
  const std::span<const double> errors(error_), y0(y0_), y1(end_), rtol(flow_.rtol()),
      atol(flow_.atol());
  const auto norm = [&](int first, int at, int count) {
    return error_norm(errors.subspan(first, count), y0.subspan(at, count), y1.subspan(at, count),
                      rtol.subspan(at, count), atol.subspan(at, count));
  };
  double e = std::max(norm(0, 0, nq_), norm(nq_, 2 * nq_, ne_));
  if (error_W_.count() > 0) {
    for (std::size_t i = 0; i < error_W_.size(); ++i) {
      error_W_.data()[i] = position * h * h * (dnext_.a.data()[i] - dstart_a_.data()[i]);
    }
    e = std::max(e, error_norm(error_W_, W0_, W_end_, rtol, atol));
  }
  return largest_finite(e);
}

/// Projects the end of the trial.
Status Hht::accept() {
  y1_ = end_;
  Status status = flow_.project(t1_, y1_);
  if (status == Status::kOk && has_directions()) {
    W1_ = W_end_;
    status = flow_.project_directions(W1_);
  }
  finished_ = status == Status::kOk;
  return status;
}

Outcome Hht::failure() const {
  if (newton_failed_) return Outcome::kNewtonFailed;
  return status_ == Status::kOk ? Outcome::kStepTooSmall : Outcome::kSystemFailed;
}

Outcome Hht::step(double limit) {
  begin();
  const Options& options = flow_.options();
  if (h_ == 0) h_ = options.first_step > 0 ? options.first_step : first_step(limit);
  for (;;) {
    if (options.max_step > 0) h_ = std::min(h_, options.max_step);
    // The last step is stretched by up to one per cent so that no sliver remains.
    const bool last = t0_ + 1.01 * h_ >= limit;
    const double t1 = last ? limit : t0_ + h_;
    if (!last && t1 - t0_ <= 16 * kEpsilon * std::abs(t0_)) return failure();
    const bool early = error_W_.count() > 0;
    bool made = trial(t1) && (!early || differentiate());
    const double e = made ? error() : kInfinity;
    if (made && controller_.accepts(e)) {
      if (!early && has_directions()) made = differentiate();
      if (made) status_ = accept();
      if (made && status_ == Status::kOk) {
        const double most = h_last_ == 0 ? kFirstGrowth : kGrowth;
        double factor = std::min(controller_.after_accepted(e), most);
        if (factor > 1 && factor < kWorthwhile) factor = 1;
        // A step cut short by the limit says little about how small the next must be.
        h_ = last ? std::max(h_, h_used_ * factor) : h_used_ * factor;
        return Outcome::kFinished;
      }
    }
    ++flow_.statistics.rejected;
    h_ = h_used_ * controller_.after_rejected(made && status_ == Status::kOk ? e : kInfinity);
    if (h_ <= 16 * kEpsilon * std::max(std::abs(t0_), 1e-300)) return failure();
  }
}

Outcome Hht::repeat(const RecordedStep& step) {
  begin();
  if (!trial(step.t1) || (has_directions() && !differentiate())) return failure();
  status_ = accept();
  return status_ == Status::kOk ? Outcome::kFinished : Outcome::kSystemFailed;
}

HhtSolution Hht::solution() const {
  return {.t0 = t0_,
          .t1 = t1_,
          .h_last = h_last_,
          .y0 = y0_,
          .end = end_,
          .before = now_,
          .after = next_,
          .true_a = true_a_,
          .lambda = lambda_};
}

/// A step in which y changes by one per cent of its size; the error of the first step corrects it.
double Hht::first_step(double limit) const {
  const double span = limit - t0_;
  std::vector<double> rates(y0_.size());
  std::copy_n(y0_.begin() + nq_, nq_, rates.begin());
  std::copy(now_.a.begin(), now_.a.end(), rates.begin() + nq_);
  std::copy(now_.d.begin(), now_.d.end(), rates.begin() + 2 * nq_);
  const double size = error_norm(y0_, y0_, y0_, flow_.rtol(), flow_.atol());
  const double speed = error_norm(rates, y0_, y0_, flow_.rtol(), flow_.atol());
  const double h = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
  return std::min(h, span);
}

/// Cubic Hermite interpolation of positions by (q, v) at both ends, v its derivative; external
/// states likewise, by (e, f_e).
Status Hht::state(double t, dynamics::Vec y) {
  const Hermite w(t - t0_, h_used_);
  for (int i = 0; i < nq_; ++i) {
    const double q0 = y0_[i], v0 = y0_[nq_ + i], q1 = end_[i], v1 = end_[nq_ + i];
    y[i] = w.value(q0, v0, q1, v1);
    y[nq_ + i] = w.slope(q0, v0, q1, v1);
  }
  for (int i = 0; i < ne_; ++i) {
    const int at = 2 * nq_ + i;
    y[at] = w.value(y0_[at], now_.f_e[i], end_[at], next_.f_e[i]);
  }
  return Status::kOk;
}

Status Hht::rate(double t, dynamics::Vec dydt) {
  const Hermite w(t - t0_, h_used_);
  for (int i = 0; i < nq_; ++i) {
    const double q0 = y0_[i], v0 = y0_[nq_ + i], q1 = end_[i], v1 = end_[nq_ + i];
    dydt[i] = w.slope(q0, v0, q1, v1);
    dydt[nq_ + i] = w.curvature(q0, v0, q1, v1);
  }
  for (int i = 0; i < ne_; ++i) {
    const int at = 2 * nq_ + i;
    dydt[at] = w.slope(y0_[at], now_.f_e[i], end_[at], next_.f_e[i]);
  }
  return Status::kOk;
}

}  // namespace parfait::integrate
