#include "parfait/integrate/runge_kutta/runge_kutta.h"

#include <algorithm>
#include <cmath>

namespace parfait::integrate {

using dynamics::Directions;
using dynamics::Status;

namespace {

/// Hairer's choice: a memory of the last error for the pair of order 5, none for the one of
/// order 8.
double integral_weight(const Tableau& tableau) {
  return tableau.order < 8 ? 0.04 : 0;
}

/// dop853 divides its error of order 5 by one of order 3, which makes it one of order 8.
double joined(double first, double second) {
  if (first == 0) return 0;
  return first * first / std::sqrt(first * first + 0.01 * second * second);
}

}  // namespace

RungeKutta::RungeKutta(Flow& flow, const Tableau& tableau, int num_directions)
    : flow_(flow),
      tableau_(tableau),
      controller_(tableau.error_order + 1, integral_weight(tableau)),
      y0_(flow.ny()),
      y1_(flow.ny()),
      stage_y_(flow.ny()),
      error_(flow.ny()),
      k_(tableau.total_stages, std::vector<double>(flow.ny())),
      W0_(flow.ny(), num_directions),
      W1_(flow.ny(), num_directions),
      stage_W_(flow.ny(), num_directions),
      error_W_(flow.ny(), flow.options().control_sensitivities ? num_directions : 0),
      dk_(tableau.total_stages, Directions(flow.ny(), num_directions)),
      weights_(tableau.total_stages) {}

Status RungeKutta::start(const State& state) {
  t0_ = t1_ = state.t;
  std::copy(state.y.begin(), state.y.end(), y1_.begin());
  if (has_directions()) W1_ = state.W;
  end_ready_ = dense_ready_ = dense_directions_ready_ = first_ready_ = false;
  return status_ = begin();
}

/// Moves the end of the last step to the start of the next, and makes its first stage.
Status RungeKutta::begin() {
  if (first_ready_) return Status::kOk;
  t0_ = t1_;
  std::swap(y0_, y1_);
  std::swap(W0_, W1_);
  const bool reuse = end_ready_;
  if (reuse) {
    std::swap(k_.front(), k_[tableau_.fsal_stage]);
    std::swap(dk_.front(), dk_[tableau_.fsal_stage]);
  }
  end_ready_ = dense_ready_ = dense_directions_ready_ = false;
  const Status status = reuse ? Status::kOk : stage(0, t0_, y0_, W0_);
  first_ready_ = status == Status::kOk;
  return status;
}

Status RungeKutta::stage(int i, double t, dynamics::ConstVec y, const Directions& W) {
  const Status status = flow_.evaluate(t, y, k_[i]);
  if (status == Status::kOk && has_directions()) flow_.directions(W, dk_[i]);
  return status;
}

Status RungeKutta::combined_stage(int i, bool with_directions) {
  const double t = tableau_.c[i] == 1 ? t1_ : t0_ + tableau_.c[i] * h_used_;
  combine_state(y0_.data(), tableau_.a[i].data(), i, h_used_, stage_y_.data());
  if (!with_directions) return flow_.evaluate(t, stage_y_, k_[i]);
  combine_directions(&W0_, tableau_.a[i].data(), i, h_used_, stage_W_);
  return stage(i, t, stage_y_, stage_W_);
}

/// All stages from t0 to t1, and y1 before its projection.
Status RungeKutta::trial(double t1) {
  t1_ = t1;
  h_used_ = t1 - t0_;
  for (int i = 1; i < tableau_.stages; ++i) {
    const Status status = combined_stage(i, has_directions());
    if (status != Status::kOk) return status;
  }
  combine_state(y0_.data(), tableau_.b.data(), tableau_.stages, h_used_, y1_.data());
  if (has_directions()) {
    combine_directions(&W0_, tableau_.b.data(), tableau_.stages, h_used_, W1_);
  }
  return Status::kOk;
}

double RungeKutta::error() {
  const auto norm_of = [&](const std::vector<double>& e) {
    combine_state(nullptr, e.data(), tableau_.stages, h_used_, error_.data());
    return error_norm(error_, y0_, y1_, flow_.rtol(), flow_.atol());
  };
  const auto norm_of_directions = [&](const std::vector<double>& e) {
    combine_directions(nullptr, e.data(), tableau_.stages, h_used_, error_W_);
    return error_norm(error_W_, W0_, W1_, flow_.rtol(), flow_.atol());
  };
  const bool two = !tableau_.e2.empty();
  const double first = norm_of(tableau_.e);
  double error = two ? joined(first, norm_of(tableau_.e2)) : first;
  if (error_W_.count() > 0) {
    const double first_W = norm_of_directions(tableau_.e);
    error = std::max(error, two ? joined(first_W, norm_of_directions(tableau_.e2)) : first_W);
  }
  return std::isfinite(error) ? error : kInfinity;
}

/// Projects the end of the trial.
Status RungeKutta::accept() {
  Status status = flow_.project(t1_, y1_);
  // Even where the point stayed, its directions need not lie in the tangent space.
  if (status == Status::kOk && has_directions()) status = flow_.project_directions(W1_);
  if (status != Status::kOk) return status;
  first_ready_ = dense_ready_ = dense_directions_ready_ = false;
  // A last stage at y1 itself serves as the first of the next step.
  end_ready_ = tableau_.fsal_stage < tableau_.stages && !flow_.has_invariants();
  return status;
}

Outcome RungeKutta::failure() const {
  return status_ == Status::kOk ? Outcome::kStepTooSmall : Outcome::kSystemFailed;
}

Outcome RungeKutta::step(double limit) {
  status_ = begin();
  if (status_ != Status::kOk) return Outcome::kSystemFailed;
  const Options& options = flow_.options();
  if (h_ == 0) h_ = options.first_step > 0 ? options.first_step : first_step(limit);
  for (;;) {
    if (options.max_step > 0) h_ = std::min(h_, options.max_step);
    // The last step is stretched by up to one per cent so that no sliver remains.
    const bool last = t0_ + 1.01 * h_ >= limit;
    const double t1 = last ? limit : t0_ + h_;
    if (!last && t1 - t0_ <= 16 * kEpsilon * std::abs(t0_)) return failure();
    status_ = trial(t1);
    const double e = status_ == Status::kOk ? error() : kInfinity;
    if (controller_.accepts(e)) {
      status_ = accept();
      if (status_ == Status::kOk) {
        const double next = h_used_ * controller_.after_accepted(e);
        // A step cut short by the limit says little about how small the next must be.
        h_ = last ? std::max(h_, next) : next;
        return Outcome::kFinished;
      }
    }
    ++flow_.statistics.rejected;
    h_ = h_used_ * controller_.after_rejected(status_ == Status::kOk ? e : kInfinity);
    if (h_ <= 16 * kEpsilon * std::max(std::abs(t0_), 1e-300)) return failure();
  }
}

Outcome RungeKutta::repeat(const RecordedStep& step) {
  status_ = begin();
  if (status_ == Status::kOk) status_ = trial(step.t1);
  if (status_ == Status::kOk) status_ = accept();
  return status_ == Status::kOk ? Outcome::kFinished : Outcome::kSystemFailed;
}

/// The right-hand side at the projected end, if it is not there already.
Status RungeKutta::end_stage() {
  if (end_ready_) return Status::kOk;
  // A pair with its last stage at y1 needs that one, unprojected, for its own dense output.
  if (tableau_.fsal_stage < tableau_.stages) return Status::kOk;
  const Status status = stage(tableau_.fsal_stage, t1_, y1_, W1_);
  end_ready_ = status == Status::kOk;
  return status;
}

Status RungeKutta::make_dense(bool with_directions) {
  if (with_directions ? dense_directions_ready_ : dense_ready_) return Status::kOk;
  Status status = end_stage();
  for (int i = std::max(tableau_.stages, tableau_.fsal_stage + 1);
       i < tableau_.total_stages && status == Status::kOk; ++i) {
    status = combined_stage(i, with_directions);
  }
  dense_ready_ = status == Status::kOk;
  dense_directions_ready_ = dense_ready_ && with_directions;
  return status;
}

/// b_i(theta); at the end b_i itself, for which the extra stages are not needed.
Status RungeKutta::weights_at(double t, bool with_directions) {
  if (t == t1_) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    std::copy(tableau_.b.begin(), tableau_.b.end(), weights_.begin());
    return Status::kOk;
  }
  tableau_.dense_weights((t - t0_) / h_used_, weights_);
  return t == t0_ ? Status::kOk : make_dense(with_directions);
}

Status RungeKutta::state(double t, dynamics::Vec y) {
  const Status status = weights_at(t, false);
  if (status == Status::kOk) {
    combine_state(y0_.data(), weights_.data(), tableau_.total_stages, h_used_, y.data());
  }
  return status;
}

Status RungeKutta::directions(double t, Directions& W) {
  const Status status = weights_at(t, true);
  if (status == Status::kOk) {
    combine_directions(&W0_, weights_.data(), tableau_.total_stages, h_used_, W);
  }
  return status;
}

Status RungeKutta::rate(double t, dynamics::Vec dydt) {
  const bool inside = t != t0_ && t != t1_;
  const Status status = t == t0_ ? Status::kOk : inside ? make_dense(false) : end_stage();
  if (status != Status::kOk) return status;
  if (!inside) {
    const auto& k = k_[t == t0_ ? 0 : tableau_.fsal_stage];
    std::copy(k.begin(), k.end(), dydt.begin());
    return status;
  }
  tableau_.dense_rate_weights((t - t0_) / h_used_, weights_);
  combine_state(nullptr, weights_.data(), tableau_.total_stages, 1, dydt.data());
  return status;
}

void RungeKutta::combine_state(const double* base, const double* weights, int count, double h,
                               double* out) {
  sum_.clear();
  for (int j = 0; j < count; ++j) sum_.add(h * weights[j], k_[j].data());
  sum_.evaluate(base, out, y0_.size());
}

void RungeKutta::combine_directions(const Directions* base, const double* weights, int count,
                                    double h, Directions& out) {
  sum_.clear();
  for (int j = 0; j < count; ++j) sum_.add(h * weights[j], dk_[j].data());
  sum_.evaluate(base ? base->data() : nullptr, out.data(), out.size());
}

/// A step whose explicit Euler step is small against y and whose second derivative is seen
/// (Hairer, Norsett, Wanner 1993, II.4).
double RungeKutta::first_step(double limit) {
  const double span = limit - t0_;
  const auto norm = [&](const std::vector<double>& x) {
    return error_norm(x, y0_, y0_, flow_.rtol(), flow_.atol());
  };
  const std::vector<double>& f0 = k_[0];
  const double d0 = norm(y0_);
  const double d1 = norm(f0);
  const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, span);
  for (std::size_t m = 0; m < stage_y_.size(); ++m) stage_y_[m] = y0_[m] + h0 * f0[m];
  if (flow_.evaluate(t0_ + h0, stage_y_, k_[1]) != Status::kOk) return h0;
  for (std::size_t m = 0; m < stage_y_.size(); ++m) error_[m] = (k_[1][m] - f0[m]) / h0;
  const double steepest = std::max(d1, norm(error_));
  const double h1 = steepest <= 1e-15 ? std::max(1e-6, 1e-3 * h0)
                                      : std::pow(0.01 / steepest, 1.0 / tableau_.order);
  return std::min({100 * h0, h1, span});
}

std::unique_ptr<Stepper> make_dop853(Flow& flow, int num_directions) {
  return std::make_unique<RungeKutta>(flow, dormand_prince_8(), num_directions);
}

std::unique_ptr<Stepper> make_dopri5(Flow& flow, int num_directions) {
  return std::make_unique<RungeKutta>(flow, dormand_prince_5(), num_directions);
}

}  // namespace parfait::integrate
