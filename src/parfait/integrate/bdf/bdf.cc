#include "parfait/integrate/bdf/bdf.h"

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/integrate/bdf/bdf_solver.h"
#include "parfait/integrate/stepping/taylor_pieces.h"

namespace parfait::integrate {
namespace {

using dynamics::Directions;
using dynamics::Status;

class Bdf final : public Stepper {
 public:
  Bdf(Flow& flow, int num_directions)
      : flow_(flow),
        equations_(flow, num_directions),
        start_(context_, equations_),
        solver_(equations_.nz() > 0 ? make_idas(context_, equations_)
                                    : make_cvodes(context_, equations_)),
        u_(context_, equations_.size()),
        derivative_(context_, equations_.size()),
        S_(context_, equations_.size(), num_directions),
        derivative_S_(context_, equations_.size(), num_directions),
        pieces_(equations_.size(), 1 + num_directions),
        y1_(equations_.ny()),
        z1_(equations_.nz()),
        column_(equations_.size()),
        W1_(equations_.ny(), num_directions),
        sizes_(num_directions),
        scales_(num_directions) {}

  Status start(const State& state) override {
    start_.t = t0_ = t1_ = step_.t = state.t;
    std::ranges::copy(state.y, start_.u.data());
    std::ranges::copy(state.z, start_.u.data() + equations_.ny());
    for (int j = 0; j < S_.count(); ++j) {
      for (int i = 0; i < equations_.ny(); ++i) start_.S[j][i] = state.W(i, j);
    }
    equations_.forget();
    status_ = complete(equations_, start_);
    if (status_ != Status::kOk) return status_;
    solver_->start(start_);
    std::ranges::fill(sizes_, 0.0);
    // Until the first step the solution is known as its tangent.
    pieces_.clear();
    pieces_.append(t1_, t1_, 1, 1);
    store(0, start_.u, start_.S, 1);
    store(1, start_.du_dt, start_.dS_dt, 1);
    N_VScale(1, start_.u.get(), u_.get());
    for (int j = 0; j < S_.count(); ++j) N_VScale(1, start_.S[j].get(), S_[j].get());
    take_values();
    if (S_.count() > 0) update_sizes();
    return status_;
  }

  Outcome step(double limit) override {
    bool is_first = true;
    return internal_step(limit, is_first);
  }

  Outcome repeat(const RecordedStep& step) override {
    bool is_first = true;
    for (;;) {
      const Outcome outcome = internal_step(step.t1, is_first);
      if (outcome != Outcome::kFinished || t1_ >= step.t1) return outcome;
    }
  }

  int order() const override { return step_.order; }
  dynamics::ConstVec y1() const override { return y1_; }
  dynamics::ConstVec z1() const override { return z1_; }
  const Directions& W1() const override { return W1_; }

  Status state(double t, dynamics::Vec y) override {
    pieces_.value(t, 0, 0, y);
    return Status::kOk;
  }
  Status rate(double t, dynamics::Vec dydt) override {
    pieces_.rate(t, 0, 0, dydt);
    return Status::kOk;
  }
  Status directions(double t, Directions& W) override { return columns(t, 0, W); }
  Status algebraic(double t, dynamics::Vec z) override {
    pieces_.value(t, 0, equations_.ny(), z);
    return Status::kOk;
  }
  Status algebraic_rate(double t, dynamics::Vec dzdt) override {
    pieces_.rate(t, 0, equations_.ny(), dzdt);
    return Status::kOk;
  }
  Status algebraic_directions(double t, Directions& dz) override {
    return columns(t, equations_.ny(), dz);
  }

 private:
  Status columns(double t, int first_row, Directions& out) {
    for (int j = 0; j < S_.count(); ++j) {
      const std::span<double> column(column_.data(), out.rows());
      pieces_.value(t, 1 + j, first_row, column);
      for (int i = 0; i < out.rows(); ++i) out(i, j) = column[i];
    }
    return Status::kOk;
  }

  /// One step of the solver; the first of a step of ours begins a new continuous extension.
  Outcome internal_step(double limit, bool& is_first) {
    const BdfSolver::Counters before = solver_->counters();
    status_ = Status::kOk;
    equations_.clear_failure();
    BdfSolver::Step next = step_;
    Outcome outcome = solver_->advance(limit, next, u_, S_);
    const BdfSolver::Counters after = solver_->counters();
    flow_.statistics.rejected += after.rejected - before.rejected;
    flow_.statistics.factorizations += after.factorizations - before.factorizations;
    // Where t + h = t SUNDIALS only warns.
    if (outcome == Outcome::kFinished && next.t <= t1_) outcome = Outcome::kStepTooSmall;
    if (outcome != Outcome::kFinished) {
      // Steps shrink and Newton iterations fail where the system cannot be evaluated.
      status_ = equations_.failure();
      return status_ == Status::kOk ? outcome : Outcome::kSystemFailed;
    }
    step_ = next;
    if (is_first) {
      pieces_.clear();
      t0_ = t1_;
      is_first = false;
    }
    t1_ = step_.t;
    store_piece();
    count_order();
    take_values();
    if (S_.count() == 0) return outcome;
    status_ = project_columns();
    update_sizes();
    return status_ == Status::kOk ? Outcome::kFinished : Outcome::kSystemFailed;
  }

  void count_order() {
    auto& orders = flow_.statistics.steps_of_order;
    if (static_cast<int>(orders.size()) <= step_.order) orders.resize(6);
    ++orders[step_.order];
  }

  void store_piece() {
    pieces_.append(t1_, step_.internal, step_.h, step_.order);
    double factor = 1;  // h^k / k!
    for (int k = 0; k <= step_.order; ++k) {
      solver_->derivative(k, derivative_, derivative_S_);
      store(k, derivative_, derivative_S_, factor);
      factor *= step_.h / (k + 1);
    }
  }

  void store(int power, const sundials::Vector& u, const sundials::Columns& S, double factor) {
    const auto scale = [&](double x) { return factor * x; };
    std::transform(u.data(), u.data() + equations_.size(), pieces_.coefficient(0, power), scale);
    for (int j = 0; j < S.count(); ++j) {
      std::transform(S[j].data(), S[j].data() + equations_.size(),
                     pieces_.coefficient(1 + j, power), scale);
    }
  }

  void take_values() {
    std::copy_n(u_.data(), equations_.ny(), y1_.begin());
    std::copy_n(u_.data() + equations_.ny(), equations_.nz(), z1_.begin());
    for (int j = 0; j < S_.count(); ++j) {
      for (int i = 0; i < equations_.ny(); ++i) W1_(i, j) = S_[j][i];
    }
  }

  /// Brings the directions into the tangent space. CVODES has projected the state.
  Status project_columns() {
    if (!flow_.has_invariants()) return Status::kOk;
    Status status = equations_.project(t1_, y1_.data());
    if (status == Status::kOk) status = flow_.project_directions(W1_);
    if (status != Status::kOk) return status;
    for (int j = 0; j < S_.count(); ++j) {
      for (int i = 0; i < equations_.ny(); ++i) S_[j][i] = W1_(i, j);
    }
    solver_->replace(S_);
    return status;
  }

  /// Sizes of the directions, relative to u: the largest so far, and what they gain while u changes
  /// by its own size. Without the gain a direction that grows from zero would have to be accurate
  /// to rtol from its first tiny values on.
  void update_sizes() {
    const double* u = u_.data();
    const double change = equations_.relative_size(pieces_.coefficient(0, 1), u);
    for (int j = 0; j < S_.count(); ++j) {
      sizes_[j] = std::max(sizes_[j], equations_.relative_size(S_[j].data(), u));
      const double change_S = equations_.relative_size(pieces_.coefficient(1 + j, 1), u);
      const double gain = change > 0 ? change_S / change : 0;
      const double size = std::max({sizes_[j], gain, flow_.options().smallest_direction});
      scales_[j] = size > 0 ? std::clamp(1 / size, 1e-100, 1e100) : 1;
    }
    solver_->set_scales(scales_);
  }

  Flow& flow_;
  sundials::Context context_;
  BdfEquations equations_;
  BdfStart start_;
  std::unique_ptr<BdfSolver> solver_;
  BdfSolver::Step step_;
  sundials::Vector u_, derivative_;
  sundials::Columns S_, derivative_S_;
  TaylorPieces pieces_;
  std::vector<double> y1_, z1_, column_;
  Directions W1_;
  std::vector<double> sizes_;   ///< largest relative size of each direction so far
  std::vector<double> scales_;  ///< their inverses
};

}  // namespace

std::unique_ptr<Stepper> make_bdf(Flow& flow, int num_directions) {
  const auto& sizes = flow.system().sizes();
  if (sizes.nz > 0 && flow.has_invariants()) {
    throw base::InputError(
        "integrator bdf: a model with algebraic states cannot have constraints as well.");
  }
  return std::make_unique<Bdf>(flow, num_directions);
}

}  // namespace parfait::integrate
