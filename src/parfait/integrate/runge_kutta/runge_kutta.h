#pragma once

#include <memory>
#include <vector>

#include "parfait/integrate/runge_kutta/tableau.h"
#include "parfait/integrate/stepping/combine.h"
#include "parfait/integrate/stepping/step_control.h"
#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// Explicit Runge-Kutta steps with the coefficients of a tableau.
///
///   Y_i = y0 + h sum_j a_ij k_j
///   k_i = f(t0 + c_i h, Y_i)
///   y1  = projection of  y0 + h sum_i b_i k_i
///
/// and, stage by stage at the same points, for the directions W
///
///   dY_i = W0 + h sum_j a_ij dk_j
///   dk_i = f_y dY_i + f_p dp
///   W1   = derivative of the projection, applied to  W0 + h sum_i b_i dk_i
///
/// The right-hand side at the end is that of the projected point: it serves the continuous
/// extension and starts the next step, and costs one evaluation for both. The extra stages of the
/// extension are evaluated where somebody looks inside a step (switching functions do, in every
/// step), their directions only where directions are asked for.
class RungeKutta : public Stepper {
 public:
  RungeKutta(Flow& flow, const Tableau& tableau, int num_directions);

  dynamics::Status start(const State& state) override;
  Outcome step(double limit) override;
  Outcome repeat(const RecordedStep& step) override;

  dynamics::ConstVec y1() const override { return y1_; }
  const dynamics::Directions& W1() const override { return W1_; }
  dynamics::Status state(double t, dynamics::Vec y) override;
  dynamics::Status rate(double t, dynamics::Vec dydt) override;
  dynamics::Status directions(double t, dynamics::Directions& W) override;

 private:
  bool has_directions() const { return W0_.count() > 0; }
  dynamics::Status begin();
  dynamics::Status stage(int i, double t, dynamics::ConstVec y, const dynamics::Directions& W);
  dynamics::Status combined_stage(int i, bool with_directions);
  dynamics::Status trial(double t1);
  dynamics::Status accept();
  dynamics::Status end_stage();
  dynamics::Status make_dense(bool with_directions);
  dynamics::Status weights_at(double t, bool with_directions);
  void combine_state(const double* base, const double* weights, int count, double h, double* out);
  void combine_directions(const dynamics::Directions* base, const double* weights, int count,
                          double h, dynamics::Directions& out);
  double error();
  double first_step(double limit);
  Outcome failure() const;

  Flow& flow_;
  const Tableau& tableau_;
  StepController controller_;
  double h_ = 0;  ///< to try next
  double h_used_ = 0;
  std::vector<double> y0_, y1_, stage_y_, error_;
  std::vector<std::vector<double>> k_;
  dynamics::Directions W0_, W1_, stage_W_, error_W_;
  std::vector<dynamics::Directions> dk_;
  std::vector<double> weights_;
  bool first_ready_ = false;             ///< k_[0], dk_[0] belong to y0_
  bool end_ready_ = false;               ///< k_[fsal_stage] belongs to y1_, projected
  bool dense_ready_ = false;             ///< the extra stages of the continuous extension
  bool dense_directions_ready_ = false;  ///< and their directions
  Combination sum_;
};

std::unique_ptr<Stepper> make_dop853(Flow& flow, int num_directions);
std::unique_ptr<Stepper> make_dopri5(Flow& flow, int num_directions);

}  // namespace parfait::integrate
