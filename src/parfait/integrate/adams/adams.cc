#include "parfait/integrate/adams/adams.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "parfait/integrate/adams/adams_coefficients.h"
#include "parfait/integrate/adams/adams_control.h"
#include "parfait/integrate/adams/adams_history.h"
#include "parfait/integrate/stepping/step_control.h"

namespace parfait::integrate {
namespace {

using dynamics::ConstVec;
using dynamics::Directions;
using dynamics::Status;
using dynamics::Vec;

double smallest_step(double t) {
  return std::max(16 * kEpsilon * std::abs(t), std::numeric_limits<double>::min());
}

class Adams final : public Stepper {
 public:
  Adams(Flow& flow, int num_directions);

  Status start(const State& state) override;
  Outcome step(double limit) override;
  Outcome repeat(const RecordedStep& step) override;

  int order() const override { return coefficients_.order(); }
  ConstVec y1() const override { return state_part(y1_); }
  const Directions& W1() const override { return W1_; }
  Status state(double t, Vec y) override;
  Status rate(double t, Vec dydt) override;
  Status directions(double t, Directions& W) override;

 private:
  enum class Trial : std::uint8_t { kGood, kInaccurate, kFailed };

  bool has_directions() const { return W0_.count() > 0; }
  bool controls_directions() const { return E_.count() > 0; }
  // Arrays of the state are padded to whole lanes for AdamsHistory.
  ConstVec state_part(const std::vector<double>& x) const { return {x.data(), ny_}; }
  Vec state_part(std::vector<double>& x) const { return {x.data(), ny_}; }

  void begin();
  Status predict(double t1, int order);
  void predict_directions();
  Status finish();
  Trial trial(double t1, int order);
  bool accurate();
  bool accurate_directions();
  void estimate_higher();
  double norm(ConstVec error) const;
  double norm_of_directions() const;
  double first_step(double limit);
  double end_of_step(double limit) const;
  void count_step();
  Outcome give_up(Outcome outcome);

  Flow& flow_;
  std::size_t ny_;
  AdamsCoefficients coefficients_;
  AdamsControl control_;
  AdamsErrors errors_;
  double h_ = 0;             ///< to try next; 0: not yet chosen
  bool restarted_ = false;   ///< the first step of the options has been taken
  bool step_taken_ = false;  ///< [t0, t1] is a step, the history still that of t0

  std::vector<double> y0_, y1_, p_, fp_, f1_, e_;
  AdamsHistory history_;
  Directions W0_, W1_, P_, dfp_, df1_, E_;
  AdamsHistory directions_history_;
};

Adams::Adams(Flow& flow, int num_directions)
    : flow_(flow), ny_(flow.ny()), control_(flow.options().max_order) {
  history_.resize(ny_);
  for (auto* x : {&y0_, &y1_, &p_, &fp_, &f1_, &e_}) x->assign(history_.size(), 0.0);
  for (auto* X : {&W0_, &W1_, &P_, &dfp_, &df1_}) X->resize(flow.ny(), num_directions);
  if (flow.options().control_sensitivities) E_.resize(flow.ny(), num_directions);
  directions_history_.resize(W0_.size());
}

Status Adams::start(const State& state) {
  t0_ = t1_ = state.t;
  std::copy(state.y.begin(), state.y.end(), y0_.begin());
  y1_ = y0_;
  if (has_directions()) W1_ = W0_ = state.W;
  step_taken_ = false;
  h_ = 0;
  coefficients_.start();
  control_.start();
  status_ = flow_.evaluate(t0_, state_part(y0_), state_part(f1_));
  if (status_ != Status::kOk) return status_;
  history_.start(f1_.data());
  if (has_directions()) {
    flow_.directions(W0_, df1_);
    directions_history_.start(df1_.data());
  }
  return status_;
}

/// The end of the last step becomes the start of the next.
void Adams::begin() {
  if (!step_taken_) return;
  t0_ = t1_;
  std::swap(y0_, y1_);
  history_.advance(coefficients_, f1_.data());
  if (has_directions()) {
    std::swap(W0_, W1_);
    directions_history_.advance(coefficients_, df1_.data());
  }
  coefficients_.accept();
  step_taken_ = false;
}

Status Adams::predict(double t1, int order) {
  t1_ = t1;
  coefficients_.plan(t1 - t0_, order);
  history_.predict(coefficients_, y0_.data(), p_.data());
  const Status status = flow_.evaluate(t1, state_part(p_), state_part(fp_));
  if (status == Status::kOk) {
    history_.correct(coefficients_, p_.data(), fp_.data(), y1_.data());
  }
  return status;
}

/// Directions of what predict did, right after it.
void Adams::predict_directions() {
  if (!has_directions()) return;
  directions_history_.predict(coefficients_, W0_.data(), P_.data());
  flow_.directions(P_, dfp_);
  directions_history_.correct(coefficients_, P_.data(), dfp_.data(), W1_.data());
}

/// From the corrected state to the right-hand side at the projected one.
Status Adams::finish() {
  Status status = flow_.project(t1_, state_part(y1_));
  // Even where the point stayed, its directions need not lie in the tangent space.
  if (status == Status::kOk && has_directions()) status = flow_.project_directions(W1_);
  if (status == Status::kOk) status = flow_.evaluate(t1_, state_part(y1_), state_part(f1_));
  if (status != Status::kOk) return status;
  history_.finish(fp_.data(), f1_.data());
  if (has_directions()) {
    flow_.directions(W1_, df1_);
    directions_history_.finish(dfp_.data(), df1_.data());
  }
  step_taken_ = true;
  return status;
}

Adams::Trial Adams::trial(double t1, int order) {
  status_ = predict(t1, order);
  if (status_ != Status::kOk) return Trial::kFailed;
  if (!accurate()) return Trial::kInaccurate;
  predict_directions();
  if (!accurate_directions()) return Trial::kInaccurate;
  status_ = finish();
  return status_ == Status::kOk ? Trial::kGood : Trial::kFailed;
}

double Adams::norm(ConstVec error) const {
  return error_norm(error, state_part(y0_), state_part(y1_), flow_.rtol(), flow_.atol());
}

double Adams::norm_of_directions() const {
  return error_norm(E_, W0_, W1_, flow_.rtol(), flow_.atol());
}

bool Adams::accurate() {
  const int k = coefficients_.order();
  const auto difference = [&](int below) {
    history_.predicted_difference(coefficients_, below, e_.data());
    return norm(state_part(e_));
  };
  const double delta = difference(0);
  errors_ = {.noise_same = coefficients_.noise(k), .noise_higher = coefficients_.noise(k + 1)};
  errors_.step = coefficients_.h() * (coefficients_.g(k) - coefficients_.g(k + 1)) * delta;
  errors_.same = coefficients_.error_factor(k) * delta;
  if (k >= 2) errors_.lower = coefficients_.error_factor(k - 1) * difference(1);
  if (k >= 3) errors_.lowest = coefficients_.error_factor(k - 2) * difference(2);
  return errors_.step <= 1;  // a NaN is not
}

bool Adams::accurate_directions() {
  if (!controls_directions()) return true;
  const int k = coefficients_.order();
  const auto difference = [&](int below) {
    directions_history_.predicted_difference(coefficients_, below, E_.data());
    return norm_of_directions();
  };
  const auto enlarge = [](double& error, double other) {
    error = other <= error ? error : other;  // a NaN stays
  };
  const double delta = difference(0);
  enlarge(errors_.step, coefficients_.h() * (coefficients_.g(k) - coefficients_.g(k + 1)) * delta);
  enlarge(errors_.same, coefficients_.error_factor(k) * delta);
  if (k >= 2) enlarge(errors_.lower, coefficients_.error_factor(k - 1) * difference(1));
  if (k >= 3) enlarge(errors_.lowest, coefficients_.error_factor(k - 2) * difference(2));
  return errors_.step <= 1;
}

void Adams::estimate_higher() {
  const int k = coefficients_.order();
  errors_.has_higher = k < flow_.options().max_order && coefficients_.num_known() > k;
  if (!errors_.has_higher) return;
  history_.higher_difference(coefficients_, e_.data());
  errors_.higher = coefficients_.error_factor(k + 1) * norm(state_part(e_));
  if (!controls_directions()) return;
  directions_history_.higher_difference(coefficients_, E_.data());
  errors_.higher =
      std::max(errors_.higher, coefficients_.error_factor(k + 1) * norm_of_directions());
}

/// A step of order 1 that is small against y and whose error, seen from the change of f along an
/// explicit Euler step, is well below the tolerance (Hairer, Norsett, Wanner 1993, II.4).
double Adams::first_step(double limit) {
  const double span = limit - t0_;
  const double d0 =
      error_norm(state_part(y0_), state_part(y0_), state_part(y0_), flow_.rtol(), flow_.atol());
  const double d1 =
      error_norm(state_part(f1_), state_part(y0_), state_part(y0_), flow_.rtol(), flow_.atol());
  const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, span);
  for (std::size_t i = 0; i < ny_; ++i) p_[i] = y0_[i] + h0 * f1_[i];
  if (flow_.evaluate(t0_ + h0, state_part(p_), state_part(fp_)) != Status::kOk) return h0;
  for (std::size_t i = 0; i < ny_; ++i) e_[i] = (fp_[i] - f1_[i]) / h0;
  const double d2 =
      error_norm(state_part(e_), state_part(y0_), state_part(y0_), flow_.rtol(), flow_.atol());
  const double steepest = std::max(d1, d2);
  const double h1 = steepest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::sqrt(0.01 / steepest);
  return std::min({100 * h0, h1, span});
}

/// Where a step of about h_ ends. Near the limit the way left is divided into equal steps, because
/// one last short step would cost more than slightly shorter ones: formulas of high order like
/// steps of one size.
double Adams::end_of_step(double limit) const {
  constexpr double kNear = 6;
  const double left = (limit - t0_) / h_;
  if (left <= 1.01) return limit;
  if (left > kNear) return t0_ + h_;
  return t0_ + (limit - t0_) / std::ceil(left - 0.01);
}

void Adams::count_step() {
  auto& counts = flow_.statistics.steps_of_order;
  if (counts.empty()) counts.resize(kMaxAdamsOrder + 1, 0);
  ++counts[coefficients_.order()];
}

/// The state stays where the last good step ended.
Outcome Adams::give_up(Outcome outcome) {
  t1_ = t0_;
  y1_ = y0_;
  W1_ = W0_;
  return outcome;
}

Outcome Adams::step(double limit) {
  begin();
  const Options& options = flow_.options();
  if (h_ == 0) {
    h_ = !restarted_ && options.first_step > 0 ? options.first_step : first_step(limit);
    restarted_ = true;
  }
  const double last_h = coefficients_.h();
  for (;;) {
    if (options.max_step > 0) h_ = std::min(h_, options.max_step);
    const double t1 = end_of_step(limit);
    if (t1 - t0_ <= smallest_step(t0_) && t1 < limit) return give_up(Outcome::kStepTooSmall);
    const Trial result = trial(t1, control_.order());
    const double h = coefficients_.h();
    if (result == Trial::kGood) {
      estimate_higher();
      count_step();
      h_ = h * control_.after_accepted(errors_, std::abs(h - last_h) < 1e-6 * h);
      return Outcome::kFinished;
    }
    ++flow_.statistics.rejected;
    const bool failed = result == Trial::kFailed;
    h_ = h * (failed ? control_.after_failed() : control_.after_rejected(errors_));
    if (h_ <= smallest_step(t0_)) {
      return give_up(failed ? Outcome::kSystemFailed : Outcome::kStepTooSmall);
    }
  }
}

Outcome Adams::repeat(const RecordedStep& step) {
  begin();
  const int most = std::min(coefficients_.num_known(), kMaxAdamsOrder);
  status_ = predict(step.t1, std::clamp(step.order, 1, most));
  if (status_ == Status::kOk) {
    predict_directions();
    status_ = finish();
  }
  if (status_ != Status::kOk) return give_up(Outcome::kSystemFailed);
  count_step();
  return Outcome::kFinished;
}

Status Adams::state(double t, Vec y) {
  if (t1_ == t0_) {
    std::copy(y0_.begin(), y0_.begin() + ny_, y.begin());
  } else {
    history_.interpolate(coefficients_, (t - t0_) / coefficients_.h(), y0_.data(), y);
  }
  return Status::kOk;
}

Status Adams::rate(double t, Vec dydt) {
  if (t1_ == t0_) {
    std::copy(f1_.begin(), f1_.begin() + ny_, dydt.begin());
  } else {
    history_.interpolate_rate(coefficients_, (t - t0_) / coefficients_.h(), dydt);
  }
  return Status::kOk;
}

Status Adams::directions(double t, Directions& W) {
  if (t1_ == t0_) {
    W = W0_;
  } else {
    directions_history_.interpolate(coefficients_, (t - t0_) / coefficients_.h(), W0_.data(),
                                    {W.data(), W.size()});
  }
  return Status::kOk;
}

}  // namespace

std::unique_ptr<Stepper> make_adams(Flow& flow, int num_directions) {
  return std::make_unique<Adams>(flow, num_directions);
}

}  // namespace parfait::integrate
