#include "parfait/integrate/runge_kutta/runge_kutta_reverse.h"

#include <algorithm>

#include "parfait/integrate/runge_kutta/tableau.h"
#include "parfait/integrate/stepping/combine.h"

namespace parfait::integrate {
namespace {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

class RungeKuttaReverse final : public ReverseStepper {
 public:
  RungeKuttaReverse(const dynamics::System& system, const dynamics::Workspace& workspace,
                    const Options& options, const Tableau& tableau)
      : system_(system),
        options_(options),
        tableau_(tableau),
        ny_(static_cast<std::size_t>(system.sizes().ny())),
        has_invariants_(system.sizes().num_pos + system.sizes().num_vel > 0),
        y0_(ny_),
        y1_(ny_),
        stage_y_(ny_),
        y0_bar_(ny_),
        k_(static_cast<std::size_t>(tableau.total_stages), std::vector<double>(ny_)),
        k_bar_(k_),
        weights_(static_cast<std::size_t>(tableau.total_stages)) {
    for (int i = 0; i < tableau.total_stages; ++i) {
      stages_.push_back(system.make_bound_copy(workspace, math::kLanes));
      system.clear_parameter_adjoint(*stages_.back());
    }
    projection_ = system.make_bound_copy(workspace, math::kLanes);
    system.clear_parameter_adjoint(*projection_);
  }

  Status load(const TapeStep& step, const TapePiece& piece, ConstVec y0) override {
    t0_ = step.t0;
    t1_ = step.t1;
    h_ = t1_ - t0_;
    piece_ = &piece;
    dense_ready_ = false;
    std::copy(y0.begin(), y0.end(), y0_.begin());
    std::ranges::fill(y0_bar_, 0.0);
    for (auto& bar : k_bar_) std::ranges::fill(bar, 0.0);
    Status status = stage(0, t0_, y0_);
    for (int i = 1; i < tableau_.stages && status == Status::kOk; ++i) status = combined_stage(i);
    if (status != Status::kOk) return status;
    combine(y0_.data(), tableau_.b.data(), tableau_.stages, y1_.data());
    if (!has_invariants_) return status;
    return system_
        .project(*projection_, std::min(t1_, piece.latest), y1_, options_.projection,
                 options_.projection_tolerance)
        .status;
  }

  Status state(double t, Vec y) override {
    const Status status = weights_at(t);
    if (status == Status::kOk) {
      combine(y0_.data(), weights_.data(), tableau_.total_stages, y.data());
    }
    return status;
  }

  void add(double t, ConstVec ybar) override {
    if (weights_at(t) != Status::kOk) return;
    for (std::size_t m = 0; m < ny_; ++m) y0_bar_[m] += ybar[m];
    for (int i = 0; i < tableau_.total_stages; ++i) add_scaled(h_ * weights_[i], ybar, k_bar_[i]);
  }

  Status pull(Vec ybar) override {
    // (A1) Stages of the continuous extension, the last first; the one at y1 adds to its adjoint.
    if (dense_ready_) {
      for (int i = tableau_.total_stages - 1; i >= tableau_.stages; --i) {
        if (i == tableau_.fsal_stage) {
          pull_stage(i, ybar);
        } else {
          pull_combined_stage(i);
        }
      }
    }
    if (has_invariants_) {
      const Status status = system_.pull_back_projection(*projection_, ybar);
      if (status != Status::kOk) return status;
    }
    for (std::size_t m = 0; m < ny_; ++m) y0_bar_[m] += ybar[m];
    for (int i = 0; i < tableau_.stages; ++i) add_scaled(h_ * tableau_.b[i], ybar, k_bar_[i]);
    for (int i = tableau_.stages - 1; i > 0; --i) pull_combined_stage(i);
    pull_stage(0, y0_bar_);
    std::copy(y0_bar_.begin(), y0_bar_.end(), ybar.begin());
    return Status::kOk;
  }

  void collect(dynamics::Workspace& to) override {
    for (auto& ws : stages_) system_.move_parameter_adjoint(*ws, to);
    system_.move_parameter_adjoint(*projection_, to);
  }

 private:
  static void add_scaled(double factor, ConstVec x, std::vector<double>& out) {
    if (factor == 0) return;
    for (std::size_t m = 0; m < out.size(); ++m) out[m] += factor * x[m];
  }

  void combine(const double* base, const double* weights, int count, double* out) {
    sum_.clear();
    for (int j = 0; j < count; ++j) sum_.add(h_ * weights[j], k_[j].data());
    sum_.evaluate(base, out, ny_);
  }

  Status stage(int i, double t, ConstVec y) {
    const dynamics::Point at{
        .t = std::min(t, piece_->latest), .y = y, .z = {}, .mode = piece_->mode, .offset = {}};
    return system_.evaluate(*stages_[i], at, k_[i], {});
  }

  Status combined_stage(int i) {
    combine(y0_.data(), tableau_.a[i].data(), i, stage_y_.data());
    return stage(i, tableau_.c[i] == 1 ? t1_ : t0_ + tableau_.c[i] * h_, stage_y_);
  }

  /// ybar += f_y^T k_bar_i.
  void pull_stage(int i, Vec ybar) {
    if (std::ranges::all_of(k_bar_[i], [](double x) { return x == 0; })) return;
    dynamics::Pulled to{.t = 0, .y = ybar, .z = {}};
    system_.pull_back(*stages_[i], k_bar_[i], {}, to);
  }

  void pull_combined_stage(int i) {
    std::ranges::fill(stage_y_, 0.0);
    pull_stage(i, stage_y_);
    for (std::size_t m = 0; m < ny_; ++m) y0_bar_[m] += stage_y_[m];
    for (int j = 0; j < i; ++j) add_scaled(h_ * tableau_.a[i][j], stage_y_, k_bar_[j]);
  }

  Status make_dense() {
    if (dense_ready_) return Status::kOk;
    Status status = Status::kOk;
    // As RungeKutta does: a pair with its last stage at y1 takes that one, unprojected.
    if (tableau_.fsal_stage >= tableau_.stages) status = stage(tableau_.fsal_stage, t1_, y1_);
    for (int i = std::max(tableau_.stages, tableau_.fsal_stage + 1);
         i < tableau_.total_stages && status == Status::kOk; ++i) {
      status = combined_stage(i);
    }
    dense_ready_ = status == Status::kOk;
    return status;
  }

  Status weights_at(double t) {
    if (t == t1_) {
      std::ranges::fill(weights_, 0.0);
      std::ranges::copy(tableau_.b, weights_.begin());
      return Status::kOk;
    }
    tableau_.dense_weights((t - t0_) / h_, weights_);
    return t == t0_ ? Status::kOk : make_dense();
  }

  const dynamics::System& system_;
  Options options_;
  const Tableau& tableau_;
  std::size_t ny_;
  bool has_invariants_;
  double t0_ = 0, t1_ = 0, h_ = 0;
  const TapePiece* piece_ = nullptr;
  bool dense_ready_ = false;
  std::vector<double> y0_, y1_, stage_y_, y0_bar_;
  std::vector<std::vector<double>> k_, k_bar_;
  std::vector<double> weights_;
  std::vector<std::unique_ptr<dynamics::Workspace>> stages_;
  std::unique_ptr<dynamics::Workspace> projection_;
  Combination sum_;
};

}  // namespace

std::unique_ptr<ReverseStepper> make_dop853_reverse(const dynamics::System& system,
                                                    const dynamics::Workspace& workspace,
                                                    const Options& options) {
  return std::make_unique<RungeKuttaReverse>(system, workspace, options, dormand_prince_8());
}

std::unique_ptr<ReverseStepper> make_dopri5_reverse(const dynamics::System& system,
                                                    const dynamics::Workspace& workspace,
                                                    const Options& options) {
  return std::make_unique<RungeKuttaReverse>(system, workspace, options, dormand_prince_5());
}

}  // namespace parfait::integrate
