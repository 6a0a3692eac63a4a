#include "parfait/integrate/bdf/bdf_reverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/integrate/bdf/backward_system.h"
#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {
namespace bdf_reverse {
namespace {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

constexpr int kMaxOrder = 5;
/// The adjoint is known to this share of rtol of its largest component, each in the size of its
/// state.
constexpr double kAbsolute = 0.1;

/// Gauss' rule of order 6 on [-1, 1]: the polynomials of bdf have degree 5 at most.
constexpr double kNodes[] = {-0.7745966692414834, 0.0, 0.7745966692414834};
constexpr double kWeights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};

bool is_zero(ConstVec x) {
  return std::ranges::all_of(x, [](double value) { return value == 0; });
}

Options backward_options(const Options& forward) {
  Options options;
  options.method = Method::kBdf;
  options.rtol = forward.rtol;
  options.atol = kAbsolute * forward.rtol;
  options.max_order = forward.max_order;
  options.stop = forward.stop;
  return options;
}

Status status_of(const Stepper& stepper) {
  return stepper.status() == Status::kOk ? Status::kNotFinite : stepper.status();
}

/// lambda(t) between two restarts of a run, the latest times first, and what it adds to the
/// parameters on the way.
class Backward {
 public:
  Backward(const dynamics::System& system, const dynamics::Workspace& workspace,
           const Options& options, Stepper& curve, const Flow& forward)
      : forward_(forward),
        counting_(system, workspace, curve),
        equations_(system, workspace, curve),
        own_(equations_.make_workspace(0)),
        flow_(equations_, *own_, backward_options(options)),
        stepper_(make_stepper(flow_, 0)),
        lambda_(system.sizes().ny()),
        size_(lambda_.size(), 1.0),
        unused_(lambda_.size()) {}

  void set_piece(const TapePiece& piece, double begin) {
    piece_ = &piece;
    begin_ = begin;
    equations_.set_piece(piece);
  }

  ConstVec lambda() const { return lambda_; }
  TransposedFlow& counting() { return counting_; }

  /// lambda at t, from where the next advance() starts.
  void set(double t, ConstVec lambda) {
    std::ranges::copy(lambda, lambda_.begin());
    at_ = t;
    running_ = false;
  }
  void add(ConstVec bar) {
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] += bar[i];
  }

  /// Back to t. What lies between is added to the parameters when the integration is cut: finish().
  Status advance(double t) {
    if (t >= at_) return Status::kOk;
    if (!running_ && is_zero(lambda_)) {
      at_ = t;
      return Status::kOk;
    }
    Status status = running_ ? Status::kOk : start();
    while (status == Status::kOk && -stepper_->t1() > t) {
      status = count_until(-stepper_->t1());
      if (status != Status::kOk) break;
      if (stepper_->step(-begin_) != Outcome::kFinished) status = status_of(*stepper_);
    }
    if (status != Status::kOk) return status;
    at_ = t;
    return value(t, lambda_);
  }

  /// The integration ends here: what it leaves to the parameters, and no more of it.
  Status finish() {
    const Status status = running_ ? count_until(at_) : Status::kOk;
    running_ = false;
    return status;
  }

 private:
  Status start() {
    Status status = counting_.move_to(at_, *piece_);
    if (status != Status::kOk) return status;
    const auto &rtol = forward_.rtol(), &atol = forward_.atol();
    scale_ = 0;
    for (std::size_t i = 0; i < lambda_.size(); ++i) {
      size_[i] = std::abs(counting_.y()[i]) + atol[i] / rtol[i];
      scale_ = std::max(scale_, std::abs(lambda_[i]) * size_[i]);
    }
    equations_.set_sizes(size_);
    State state;
    state.t = -at_;
    for (std::size_t i = 0; i < lambda_.size(); ++i) {
      state.y.push_back(lambda_[i] * size_[i] / scale_);
    }
    counted_ = at_;
    running_ = true;
    return stepper_->start(state);
  }

  Status value(double t, std::vector<double>& lambda) {
    const Status status = stepper_->state(-t, lambda);
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] *= scale_ / size_[i];
    return status;
  }

  /// pbar += integral of f_p^T lambda over [t, counted], which lies in one step.
  Status count_until(double t) {
    const double half = (counted_ - t) / 2, middle = (counted_ + t) / 2;
    counted_ = t;
    if (half <= 0) return Status::kOk;
    std::vector<double> lambda(lambda_.size());
    for (int i = 0; i < 3; ++i) {
      const double at = middle + half * kNodes[i];
      Status status = value(at, lambda);
      if (status == Status::kOk) status = counting_.move_to(at, *piece_);
      if (status != Status::kOk) return status;
      for (double& x : lambda) x *= half * kWeights[i];
      status = counting_.pull(lambda, {}, unused_);
      if (status != Status::kOk) return status;
    }
    return Status::kOk;
  }

  const Flow& forward_;
  TransposedFlow counting_;
  BackwardSystem equations_;
  std::unique_ptr<dynamics::Workspace> own_;
  Flow flow_;
  std::unique_ptr<Stepper> stepper_;
  const TapePiece* piece_ = nullptr;
  double begin_ = 0;    ///< of the piece
  double at_ = 0;       ///< where lambda_ is
  double counted_ = 0;  ///< until where parameters have been added up
  double scale_ = 1;
  bool running_ = false;
  std::vector<double> lambda_, size_, unused_;
};

class BdfReverse final : public ReverseStepper {
 public:
  BdfReverse(const dynamics::System& system, const dynamics::Workspace& workspace,
             const Options& options, const Tape& tape)
      : system_(system),
        tape_(tape),
        replayed_(system.make_bound_copy(workspace, 0)),
        flow_(make_flow(system, *replayed_, options, tape)),
        curve_(make_stepper(flow_, 0)),
        backward_(system, workspace, options, *curve_, flow_),
        returned_(system.sizes().ny()),
        bar_(returned_.size()) {
    check_memory();
  }

  Status load(const TapeStep& step, const TapePiece& piece, ConstVec /*y0*/) override {
    const int index = static_cast<int>(&step - tape_.steps().data());
    is_new_ = loaded_ != step.piece;
    if (is_new_) {
      const Status status = replay(index, piece);
      if (status != Status::kOk) return status;
      loaded_ = step.piece;
    }
    t0_ = step.t0;
    end_ = step.end;
    is_first_ = index == first_;
    added_.clear();
    return Status::kOk;
  }

  Status state(double t, Vec y) override { return curve_->state(t, y); }
  Status algebraic(double t, Vec z) override { return curve_->algebraic(t, z); }
  void add(double t, ConstVec ybar) override {
    added_.push_back({t, std::vector<double>(ybar.begin(), ybar.end())});
  }
  Status add_algebraic(double t, ConstVec zbar) override {
    std::ranges::fill(bar_, 0.0);
    const std::vector<double> no_lambda(bar_.size(), 0.0);
    Status status = backward_.counting().move_to(t, *piece_);
    if (status == Status::kOk) status = backward_.counting().pull(no_lambda, zbar, bar_);
    add(t, bar_);
    return status;
  }

  Status pull(Vec ybar) override {
    if (is_new_ || !std::ranges::equal(ybar, returned_)) {
      const Status status = backward_.finish();
      if (status != Status::kOk) return status;
      backward_.set(end_, ybar);
    }
    std::ranges::stable_sort(added_, std::greater<>{}, &Added::t);
    for (const Added& sample : added_) {
      Status status = backward_.advance(sample.t);
      if (status == Status::kOk) status = backward_.finish();
      if (status != Status::kOk) return status;
      backward_.add(sample.bar);
    }
    Status status = backward_.advance(t0_);
    if (status == Status::kOk && is_first_) status = backward_.finish();
    std::ranges::copy(backward_.lambda(), returned_.begin());
    std::ranges::copy(returned_, ybar.begin());
    return status;
  }

  void collect(dynamics::Workspace& to) override {
    system_.move_parameter_adjoint(backward_.counting().workspace(), to);
  }

 private:
  struct Added {
    double t;
    std::vector<double> bar;
  };

  /// With the tolerances of the run.
  static Flow make_flow(const dynamics::System& system, dynamics::Workspace& workspace,
                        const Options& options, const Tape& tape) {
    Flow flow(system, workspace, options);
    if (!tape.steps().empty()) {
      flow.follow_sizes(tape.t0(), tape.checkpoint(0), tape.pieces().front().z,
                        tape.steps().back().end - tape.t0());
    }
    return flow;
  }

  void check_memory() const {
    int longest = 0, count = 0;
    for (std::size_t i = 0; i < tape_.steps().size(); ++i) {
      const bool same = i > 0 && tape_.steps()[i].piece == tape_.steps()[i - 1].piece;
      count = same ? count + 1 : 1;
      longest = std::max(longest, count);
    }
    const int size = system_.sizes().ny() + system_.sizes().nz;
    const double bytes = 8.0 * size * (kMaxOrder + 1) * longest;
    if (tape_.stride() == 1 && bytes + tape_.bytes() <= tape_.memory()) return;
    throw base::InputError(
        fmt::format("memory = {:.3g} MB: the adjoint of bdf keeps the polynomials of {} steps "
                    "between two restarts, {:.3g} MB.",
                    tape_.memory() / 1e6, longest, (bytes + tape_.bytes()) / 1e6));
  }

  /// The solution between two restarts, up to step `index`.
  Status replay(int index, const TapePiece& piece) {
    const auto& steps = tape_.steps();
    first_ = index;
    while (first_ > 0 && steps[first_ - 1].piece == steps[index].piece) --first_;
    piece_ = &piece;
    flow_.set_piece(piece.mode, piece.latest);
    State state;
    state.t = steps[first_].t0;
    const ConstVec y0 = tape_.checkpoint(first_);
    state.y.assign(y0.begin(), y0.end());
    state.z = piece.z;
    backward_.set_piece(piece, state.t);
    const Status status = curve_->start(state);
    if (status != Status::kOk) return status;
    const auto outcome = curve_->repeat({.t1 = steps[index].t1, .order = 0, .t0 = state.t});
    return outcome == Outcome::kFinished ? Status::kOk : status_of(*curve_);
  }

  const dynamics::System& system_;
  const Tape& tape_;
  std::unique_ptr<dynamics::Workspace> replayed_;
  Flow flow_;
  std::unique_ptr<Stepper> curve_;  ///< the solution since the last restart
  Backward backward_;
  const TapePiece* piece_ = nullptr;
  int loaded_ = -1, first_ = 0;  ///< piece, and its first step
  double t0_ = 0, end_ = 0;
  bool is_new_ = false, is_first_ = false;
  std::vector<Added> added_;
  std::vector<double> returned_, bar_;
};

}  // namespace
}  // namespace bdf_reverse

std::unique_ptr<ReverseStepper> make_bdf_reverse(const dynamics::System& system,
                                                 const dynamics::Workspace& workspace,
                                                 const Options& options, const Tape& tape) {
  return std::make_unique<bdf_reverse::BdfReverse>(system, workspace, options, tape);
}

}  // namespace parfait::integrate
