#include "parfait/integrate/hht/hht_reverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/integrate/hht/hht_stepper.h"
#include "parfait/integrate/hht/parameter_pull_back.h"
#include "parfait/integrate/stepping/hermite.h"

namespace parfait::integrate {
namespace hht_reverse {
namespace {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

/// y += A^T x
void add_transposed(const dynamics::Triplets& A, const double* x, double factor, double* y) {
  for (int i = 0; i < A.size(); ++i) y[A.column[i]] += factor * A.value[i] * x[A.row[i]];
}

class HhtReverse final : public ReverseStepper {
 public:
  HhtReverse(const dynamics::System& system, const dynamics::Workspace& workspace,
             const Options& options, const Tape& tape)
      : system_(system),
        mechanics_(*system.second_order()),
        options_(options),
        tape_(tape),
        nq_(system.sizes().nq),
        ng_(system.sizes().num_pos),
        ne_(system.sizes().ne),
        alpha_(options.hht_alpha),
        beta_((1 - alpha_) * (1 - alpha_) / 4),
        gamma_(0.5 - alpha_),
        matrix_(nq_, ng_, ne_),
        parameters_(system, mechanics_) {
    for (auto* ws : {&ended_, &projection_, &replayed_}) {
      *ws = system.make_bound_copy(workspace, math::kLanes);
      system.clear_parameter_adjoint(**ws);
    }
    const auto ny = static_cast<std::size_t>(system.sizes().ny());
    for (auto* x : {&y1_, &rates_, &start_bar_, &end_bar_}) x->assign(ny, 0.0);
    for (auto* history : {&before_, &after_}) {
      history->a.assign(nq_, 0.0);
      history->F.assign(nq_, 0.0);
      history->d.assign(ne_, 0.0);
      history->f_e.assign(ne_, 0.0);
    }
    x_.assign(nq_ + ng_ + ne_, 0.0);
    r_.resize(nq_);
    g_.resize(ng_);
    edot_.resize(ne_);
    product_.resize(nq_);
    mechanics_.mass(*ended_, mass_);
    regular_ = matrix_.set_mass(mass_);
    check_memory();
  }

  Status load(const TapeStep& step, const TapePiece& piece, ConstVec /*y0*/) override {
    if (!regular_) return Status::kSingular;
    const int index = static_cast<int>(&step - tape_.steps().data());
    piece_ = &piece;
    if (index < first_ || index >= first_ + static_cast<int>(past_.size())) {
      const Status status = replay(index);
      if (status != Status::kOk) return status;
      clear(after_);
    }
    now_ = &past_[static_cast<std::size_t>(index - first_)];
    clear(before_);
    std::ranges::fill(start_bar_, 0.0);
    std::ranges::fill(end_bar_, 0.0);
    Status status =
        mechanics_.evaluate(*ended_, point(now_->t1, now_->end), now_->lambda, r_, g_, edot_);
    if (status != Status::kOk) return status;
    mechanics_.linearize(*ended_, linear_);
    const double h = now_->t1 - now_->t0;
    if (!matrix_.factor(linear_,
                        {.alpha = alpha_, .beta_h2 = beta_ * h * h, .gamma_h = gamma_ * h})) {
      return Status::kSingular;
    }
    if (step.cut || system_.sizes().num_pos == 0) return status;
    y1_ = now_->end;
    return system_
        .project(*projection_, std::min(now_->t1, piece.latest), y1_, options_.projection,
                 options_.projection_tolerance)
        .status;
  }

  Status state(double t, Vec y) override {
    const Hermite w(t - now_->t0, now_->t1 - now_->t0);
    const auto &y0 = now_->y0, &end = now_->end;
    for (int i = 0; i < nq_; ++i) {
      y[i] = w.value(y0[i], y0[nq_ + i], end[i], end[nq_ + i]);
      y[nq_ + i] = w.slope(y0[i], y0[nq_ + i], end[i], end[nq_ + i]);
    }
    for (int i = 0; i < ne_; ++i) {
      const int at = 2 * nq_ + i;
      y[at] = w.value(y0[at], now_->before.f_e[i], end[at], now_->after.f_e[i]);
    }
    return Status::kOk;
  }

  void add(double t, ConstVec ybar) override {
    const Hermite w(t - now_->t0, now_->t1 - now_->t0);
    double value[4], slope[4];
    for (int k = 0; k < 4; ++k) {
      const double one[4] = {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0,
                             k == 3 ? 1.0 : 0};
      value[k] = w.value(one[0], one[1], one[2], one[3]);
      slope[k] = w.slope(one[0], one[1], one[2], one[3]);
    }
    for (int i = 0; i < nq_; ++i) {
      const double q = ybar[i], v = ybar[nq_ + i];
      start_bar_[i] += value[0] * q + slope[0] * v;
      start_bar_[nq_ + i] += value[1] * q + slope[1] * v;
      end_bar_[i] += value[2] * q + slope[2] * v;
      end_bar_[nq_ + i] += value[3] * q + slope[3] * v;
    }
    for (int i = 0; i < ne_; ++i) {
      const double e = ybar[2 * nq_ + i];
      start_bar_[2 * nq_ + i] += value[0] * e;
      before_.f_e[i] += value[1] * e;
      end_bar_[2 * nq_ + i] += value[2] * e;
      after_.f_e[i] += value[3] * e;
    }
  }

  /// (A6); after_ has the adjoints of what the next step began with.
  Status pull(Vec ybar) override {
    const double h = now_->t1 - now_->t0, inertia = 1 / (1 + alpha_), past = alpha_ / (1 + alpha_);
    const bool comes_from_end = std::ranges::any_of(ybar, [](double x) { return x != 0; });
    if (comes_from_end) {
      if (ng_ > 0) {
        const Status status = system_.pull_back_projection(*projection_, ybar);
        if (status != Status::kOk) return status;
      }
      for (std::size_t i = 0; i < ybar.size(); ++i) end_bar_[i] += ybar[i];
    }
    // F_1 = (M a_1 + alpha F_0) / (1 + alpha), and f_e alike.
    for (int i = 0; i < nq_; ++i) {
      r_[i] = inertia * after_.F[i];
      before_.F[i] += past * after_.F[i];
    }
    matrix_.multiply_mass(r_, product_);
    parameters_.mass(*ended_, now_->after.a, r_);
    for (int i = 0; i < nq_; ++i) {
      x_[i] =
          after_.a[i] + product_[i] + beta_ * h * h * end_bar_[i] + gamma_ * h * end_bar_[nq_ + i];
    }
    std::fill_n(x_.begin() + nq_, ng_, 0.0);
    for (int i = 0; i < ne_; ++i) {
      x_[nq_ + ng_ + i] =
          after_.d[i] + inertia * after_.f_e[i] + gamma_ * h * end_bar_[2 * nq_ + i];
      before_.f_e[i] += past * after_.f_e[i];
    }
    matrix_.solve_transposed(x_);  // (w, mu, epsilon)
    const std::size_t nq = static_cast<std::size_t>(nq_), ng = static_cast<std::size_t>(ng_);
    const ConstVec w(x_.data(), nq), rates(x_.data() + nq + ng, static_cast<std::size_t>(ne_));
    for (int i = 0; i < ng_; ++i) g_[i] = -x_[nq_ + i] / (beta_ * h * h);
    double* const bar = end_bar_.data();
    add_transposed(linear_.dr_dq, w.data(), 1, bar);
    add_transposed(linear_.dr_dv, w.data(), 1, bar + nq);
    add_transposed(linear_.dr_de, w.data(), 1, bar + 2 * nq);
    add_transposed(linear_.G, g_.data(), 1, bar);
    add_transposed(linear_.dedot_dq, rates.data(), 1, bar);
    add_transposed(linear_.dedot_dv, rates.data(), 1, bar + nq);
    add_transposed(linear_.dedot_de, rates.data(), 1, bar + 2 * nq);
    parameters_.forces(*ended_, w, g_, rates);
    for (int i = 0; i < nq_; ++i) r_[i] = -inertia * w[i];
    parameters_.mass(*ended_, now_->after.a, r_);
    for (int i = 0; i < nq_; ++i) before_.F[i] -= past * w[i];
    for (int i = 0; i < ne_; ++i) before_.f_e[i] -= past * rates[i];
    // Newmark's formulas.
    for (int i = 0; i < nq_; ++i) {
      start_bar_[i] += bar[i];
      start_bar_[nq_ + i] += bar[nq_ + i] + h * bar[i];
      product_[i] = h * h * (0.5 - beta_) * bar[i] + h * (1 - gamma_) * bar[nq_ + i];
    }
    for (int i = 0; i < ne_; ++i) start_bar_[2 * nq_ + i] += bar[2 * nq_ + i];
    pull_start_rates(h);
    if (now_->h_last == 0) {
      const Status status = pull_restart();
      if (status != Status::kOk) return status;
    }
    std::swap(before_, after_);
    std::ranges::copy(start_bar_, ybar.begin());
    return Status::kOk;
  }

  void collect(dynamics::Workspace& to) override {
    for (auto* ws : {ended_.get(), projection_.get()}) system_.move_parameter_adjoint(*ws, to);
  }

 private:
  static void clear(HhtHistory<std::vector<double>>& history) {
    for (auto* x : {&history.a, &history.F, &history.d, &history.f_e}) std::ranges::fill(*x, 0.0);
  }

  dynamics::Point point(double t, const std::vector<double>& y) const {
    return {.t = std::min(t, piece_->latest), .y = y, .z = {}, .mode = piece_->mode, .offset = {}};
  }

  /// (H4), transposed: product_ has the adjoint of the accelerations the step began with.
  void pull_start_rates(double h) {
    const double ratio = now_->h_last == 0 || alpha_ == 0 ? 1 : h / now_->h_last;
    for (int i = 0; i < nq_; ++i) before_.a[i] += ratio * product_[i];
    for (int i = 0; i < ne_; ++i) {
      const double d = h * (1 - gamma_) * end_bar_[2 * nq_ + i];
      before_.d[i] += ratio * d;
      before_.f_e[i] += (1 - ratio) * d;
    }
    if (ratio == 1) return;
    for (int i = 0; i < nq_; ++i) r_[i] = (1 - ratio) * product_[i];
    matrix_.divide_by_mass(r_);
    for (int i = 0; i < nq_; ++i) {
      before_.F[i] += r_[i];
      r_[i] = -r_[i];
    }
    parameters_.mass(*ended_, now_->true_a, r_);
  }

  /// a_0 of the index-1 form, F_0 = M a_0.
  Status pull_restart() {
    matrix_.multiply_mass(before_.F, product_);
    parameters_.mass(*ended_, now_->before.a, before_.F);
    const Status status = system_.evaluate(*ended_, point(now_->t0, now_->y0), rates_, {});
    if (status != Status::kOk) return status;
    std::fill_n(rates_.begin(), nq_, 0.0);
    for (int i = 0; i < nq_; ++i) rates_[nq_ + i] = before_.a[i] + product_[i];
    for (int i = 0; i < ne_; ++i) rates_[2 * nq_ + i] = before_.d[i] + before_.f_e[i];
    dynamics::Pulled to{.t = 0, .y = start_bar_, .z = {}};
    system_.pull_back(*ended_, rates_, {}, to);
    return status;
  }

  void check_memory() const {
    int longest = 0, count = 0;
    for (std::size_t i = 0; i < tape_.steps().size(); ++i) {
      const bool same = i > 0 && tape_.steps()[i].piece == tape_.steps()[i - 1].piece;
      count = same ? count + 1 : 1;
      longest = std::max(longest, count);
    }
    const double numbers = 9.0 * nq_ + 6.0 * ne_ + ng_;
    const double bytes = 8.0 * numbers * longest;
    if (tape_.stride() == 1 && bytes + tape_.bytes() <= tape_.memory()) return;
    throw base::InputError(
        fmt::format("memory = {:.3g} MB: the adjoint of hht keeps what {} steps between two "
                    "restarts began with, {:.3g} MB. Use dop853, which has checkpoints.",
                    tape_.memory() / 1e6, longest, (bytes + tape_.bytes()) / 1e6));
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
    Flow flow(system_, *replayed_, options_);
    flow.set_piece(piece_->mode, piece_->latest);
    Hht stepper(flow, mechanics_, 0);
    State state;
    const ConstVec start = tape_.checkpoint(first_);
    state.y.assign(start.begin(), start.end());
    state.t = steps[static_cast<std::size_t>(first_)].t0;
    const Status status = stepper.start(state);
    if (status != Status::kOk) return status;
    for (int i = first_; i <= index; ++i) {
      const TapeStep& step = steps[static_cast<std::size_t>(i)];
      const auto outcome = stepper.repeat({.t1 = step.t1, .order = step.order, .t0 = step.t0});
      if (outcome != Outcome::kFinished) {
        return stepper.status() == Status::kOk ? Status::kNotFinite : stepper.status();
      }
      past_.push_back(stepper.solution());
    }
    return Status::kOk;
  }

  const dynamics::System& system_;
  const dynamics::SecondOrder& mechanics_;
  Options options_;
  const Tape& tape_;
  int nq_, ng_, ne_;
  double alpha_, beta_, gamma_;
  HhtMatrix matrix_;
  ParameterPullBack parameters_;
  dynamics::Triplets mass_;
  dynamics::Linearization linear_;
  bool regular_ = false;
  std::unique_ptr<dynamics::Workspace> ended_, projection_, replayed_;
  const TapePiece* piece_ = nullptr;
  int first_ = 0;                  ///< index of past_[0]
  std::vector<HhtSolution> past_;  ///< steps since the restart
  HhtSolution* now_ = nullptr;
  std::vector<double> y1_, rates_, x_, r_, g_, edot_, product_;
  std::vector<double> start_bar_, end_bar_;  ///< of y0, and of the end before it is projected
  HhtHistory<std::vector<double>> before_, after_;  ///< adjoints of what the step began, ended with
};

}  // namespace
}  // namespace hht_reverse

std::unique_ptr<ReverseStepper> make_hht_reverse(const dynamics::System& system,
                                                 const dynamics::Workspace& workspace,
                                                 const Options& options, const Tape& tape) {
  return std::make_unique<hht_reverse::HhtReverse>(system, workspace, options, tape);
}

}  // namespace parfait::integrate
