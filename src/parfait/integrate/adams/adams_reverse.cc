#include "parfait/integrate/adams/adams_reverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/integrate/adams/adams_coefficients.h"
#include "parfait/integrate/adams/adams_history.h"

namespace parfait::integrate {
namespace adams_reverse {
namespace {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

void add_scaled(double factor, const double* x, std::vector<double>& out, std::size_t n) {
  for (std::size_t m = 0; m < n; ++m) out[m] += factor * x[m];
}

class AdamsReverse final : public ReverseStepper {
 public:
  AdamsReverse(const dynamics::System& system, const dynamics::Workspace& workspace,
               const Options& options, const Tape& tape)
      : system_(system),
        options_(options),
        tape_(tape),
        ny_(static_cast<std::size_t>(system.sizes().ny())),
        has_invariants_(system.sizes().num_pos + system.sizes().num_vel > 0) {
    for (auto* ws : {&predicted_, &ended_, &projection_}) {
      *ws = system.make_bound_copy(workspace, math::kLanes);
      system.clear_parameter_adjoint(**ws);
    }
    AdamsHistory one;
    one.resize(ny_);
    padded_ = one.size();
    for (auto* x : {&y1_, &p_, &fp_, &f1_}) x->assign(padded_, 0.0);
    for (auto* x : {&y0_bar_, &delta_bar_, &change_bar_, &f1_bar_, &fp_bar_, &p_bar_}) {
      x->assign(ny_, 0.0);
    }
    phi_bar_.assign(kMaxAdamsOrder + 3, std::vector<double>(ny_, 0.0));
    next_bar_ = phi_bar_;
    check_memory();
  }

  Status load(const TapeStep& step, const TapePiece& piece, ConstVec /*y0*/) override {
    const int index = static_cast<int>(&step - tape_.steps().data());
    piece_ = &piece;
    Status status = Status::kOk;
    if (index < first_ || index >= first_ + static_cast<int>(past_.size())) {
      status = replay(index);
      for (auto& bar : next_bar_) std::ranges::fill(bar, 0.0);
    }
    if (status != Status::kOk) return status;
    now_ = &past_[static_cast<std::size_t>(index - first_)];
    t0_ = step.t0;
    t1_ = step.t1;
    // The points of this step, each in a workspace of its own.
    std::ranges::copy(now_->p, p_.begin());
    status = evaluate(*predicted_, t1_, p_, fp_);
    if (status == Status::kOk) {
      std::copy_n(now_->corrected.begin(), ny_, y1_.begin());
      status = project();
    }
    if (status == Status::kOk) status = evaluate(*ended_, t1_, y1_, f1_);
    for (auto* x : {&y0_bar_, &delta_bar_, &change_bar_}) std::ranges::fill(*x, 0.0);
    for (auto& bar : phi_bar_) std::ranges::fill(bar, 0.0);
    return status;
  }

  Status state(double t, Vec y) override {
    now_->history.interpolate(now_->coefficients, (t - t0_) / now_->coefficients.h(),
                              now_->y0.data(), y);
    return Status::kOk;
  }

  void add(double t, ConstVec ybar) override {
    const AdamsCoefficients& c = now_->coefficients;
    const double s = (t - t0_) / c.h(), scale = s * c.h();
    AdamsArray basis, integral;
    c.basis(s, basis, integral);
    const int k = c.order();
    add_scaled(1, ybar.data(), y0_bar_, ny_);
    for (int i = 1; i <= k; ++i) {
      add_scaled(scale * integral[i] * c.beta(i), ybar.data(), phi_bar_[i], ny_);
    }
    add_scaled(scale * integral[k + 1], ybar.data(), delta_bar_, ny_);
    add_scaled(scale * s * (s - 1), ybar.data(), change_bar_, ny_);
  }

  Status pull(Vec ybar) override {
    const AdamsCoefficients& c = now_->coefficients;
    const int k = c.order();
    // phi(n+1): phi'_1 = f1, phi'_(i+1) = phi'_i - beta_i phi_i.
    const int last = std::min(k + 1, c.num_known());
    for (int i = last; i >= 1; --i) {
      add_scaled(1, next_bar_[i + 1].data(), next_bar_[i], ny_);
      add_scaled(-c.beta(i), next_bar_[i + 1].data(), phi_bar_[i], ny_);
    }
    f1_bar_ = next_bar_[1];
    // change = f1 - fp
    add_scaled(1, change_bar_.data(), f1_bar_, ny_);
    for (std::size_t m = 0; m < ny_; ++m) fp_bar_[m] = -change_bar_[m];
    pull_back(*ended_, f1_bar_, ybar);
    if (has_invariants_) {
      const Status status = system_.pull_back_projection(*projection_, ybar);
      if (status != Status::kOk) return status;
    }
    // y1 = p + h g_(k+1) delta, delta = fp - sum beta_i phi_i
    std::copy(ybar.begin(), ybar.end(), p_bar_.begin());
    add_scaled(c.h() * c.g(k + 1), ybar.data(), delta_bar_, ny_);
    add_scaled(1, delta_bar_.data(), fp_bar_, ny_);
    for (int i = 1; i <= k; ++i) add_scaled(-c.beta(i), delta_bar_.data(), phi_bar_[i], ny_);
    pull_back(*predicted_, fp_bar_, p_bar_);
    // p = y0 + h sum g_i beta_i phi_i
    add_scaled(1, p_bar_.data(), y0_bar_, ny_);
    for (int i = 1; i <= k; ++i) {
      add_scaled(c.h() * c.g(i) * c.beta(i), p_bar_.data(), phi_bar_[i], ny_);
    }
    if (now_ == past_.data()) {  // the restart: phi_1 = f(y0)
      std::copy(now_->y0.begin(), now_->y0.begin() + static_cast<std::ptrdiff_t>(ny_), p_.begin());
      const Status status = evaluate(*predicted_, t0_, p_, fp_);
      if (status != Status::kOk) return status;
      pull_back(*predicted_, phi_bar_[1], y0_bar_);
    }
    std::swap(phi_bar_, next_bar_);
    std::ranges::copy(y0_bar_, ybar.begin());
    return Status::kOk;
  }

  void collect(dynamics::Workspace& to) override {
    for (auto* ws : {predicted_.get(), ended_.get(), projection_.get()}) {
      system_.move_parameter_adjoint(*ws, to);
    }
  }

 private:
  /// A step as it was taken.
  struct Past {
    AdamsCoefficients coefficients;
    AdamsHistory history;  ///< before it advances
    std::vector<double> y0, p, corrected;
  };

  void check_memory() const {
    int longest = 0, count = 0;
    for (std::size_t i = 0; i < tape_.steps().size(); ++i) {
      const bool same = i > 0 && tape_.steps()[i].piece == tape_.steps()[i - 1].piece;
      count = same ? count + 1 : 1;
      longest = std::max(longest, count);
    }
    const double bytes = 8.0 * static_cast<double>(padded_) * (kMaxAdamsOrder + 7) * longest;
    if (tape_.stride() == 1 && bytes + tape_.bytes() <= tape_.memory()) return;
    throw base::InputError(
        fmt::format("memory = {:.3g} MB: the adjoint of abm keeps the past of {} steps between two "
                    "restarts, {:.3g} MB. Use dop853, which has checkpoints.",
                    tape_.memory() / 1e6, longest, (bytes + tape_.bytes()) / 1e6));
  }

  Status evaluate(dynamics::Workspace& ws, double t, const std::vector<double>& y,
                  std::vector<double>& f) {
    const dynamics::Point at{.t = std::min(t, piece_->latest),
                             .y = {y.data(), ny_},
                             .z = {},
                             .mode = piece_->mode,
                             .offset = {}};
    return system_.evaluate(ws, at, {f.data(), ny_}, {});
  }

  Status project() {
    if (!has_invariants_) return Status::kOk;
    return system_
        .project(*projection_, std::min(t1_, piece_->latest), {y1_.data(), ny_},
                 options_.projection, options_.projection_tolerance)
        .status;
  }

  void pull_back(dynamics::Workspace& ws, const std::vector<double>& seed, Vec ybar) {
    dynamics::Pulled to{.t = 0, .y = ybar, .z = {}};
    system_.pull_back(ws, {seed.data(), ny_}, {}, to);
  }

  /// All steps since the restart before step `index`.
  Status replay(int index) {
    const auto& steps = tape_.steps();
    first_ = index;
    while (first_ > 0 && steps[static_cast<std::size_t>(first_) - 1].piece ==
                             steps[static_cast<std::size_t>(index)].piece) {
      --first_;
    }
    past_.clear();
    past_.reserve(static_cast<std::size_t>(index - first_) + 1);
    AdamsCoefficients coefficients;
    AdamsHistory history;
    history.resize(ny_);
    coefficients.start();
    std::vector<double> y(padded_, 0.0);
    const ConstVec start = tape_.checkpoint(first_);
    std::ranges::copy(start, y.begin());
    Status status = evaluate(*predicted_, steps[static_cast<std::size_t>(first_)].t0, y, f1_);
    if (status != Status::kOk) return status;
    history.start(f1_.data());
    for (int i = first_; i <= index; ++i) {
      const TapeStep& step = steps[static_cast<std::size_t>(i)];
      t0_ = step.t0;
      t1_ = step.t1;
      coefficients.plan(t1_ - t0_, step.order);
      history.predict(coefficients, y.data(), p_.data());
      status = evaluate(*predicted_, t1_, p_, fp_);
      if (status != Status::kOk) return status;
      history.correct(coefficients, p_.data(), fp_.data(), y1_.data());
      Past past{.coefficients = coefficients, .history = {}, .y0 = y, .p = p_, .corrected = y1_};
      status = project();
      if (status == Status::kOk) status = evaluate(*ended_, t1_, y1_, f1_);
      if (status != Status::kOk) return status;
      history.finish(fp_.data(), f1_.data());
      past.history = history;
      past_.push_back(std::move(past));
      history.advance(coefficients, f1_.data());
      coefficients.accept();
      y = y1_;
    }
    return status;
  }

  const dynamics::System& system_;
  Options options_;
  const Tape& tape_;
  std::size_t ny_, padded_ = 0;
  bool has_invariants_;
  std::unique_ptr<dynamics::Workspace> predicted_, ended_, projection_;
  const TapePiece* piece_ = nullptr;
  double t0_ = 0, t1_ = 0;
  int first_ = 0;           ///< index of past_[0]
  std::vector<Past> past_;  ///< steps since the restart
  Past* now_ = nullptr;
  std::vector<double> y1_, p_, fp_, f1_;
  std::vector<double> y0_bar_, delta_bar_, change_bar_, f1_bar_, fp_bar_, p_bar_;
  std::vector<std::vector<double>> phi_bar_;   ///< of phi_i(n), i = 1 ...
  std::vector<std::vector<double>> next_bar_;  ///< of phi_i(n+1)
};

}  // namespace
}  // namespace adams_reverse

std::unique_ptr<ReverseStepper> make_adams_reverse(const dynamics::System& system,
                                                   const dynamics::Workspace& workspace,
                                                   const Options& options, const Tape& tape) {
  return std::make_unique<adams_reverse::AdamsReverse>(system, workspace, options, tape);
}

}  // namespace parfait::integrate
