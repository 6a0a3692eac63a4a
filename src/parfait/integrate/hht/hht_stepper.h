#pragma once

#include <limits>
#include <vector>

#include "parfait/dynamics/second_order.h"
#include "parfait/integrate/hht/hht_matrix.h"
#include "parfait/integrate/stepping/step_control.h"
#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// What a step needs of the point where the last one ended besides y: the accelerations a and rates
/// d that the method computed, which belong to a time alpha h beside it, and F and f_e there.
template <class T>
struct HhtHistory {
  T a, F, d, f_e;
};

/// A step as it was solved, for its adjoint.
struct HhtSolution {
  double t0 = 0, t1 = 0;
  double h_last = 0;            ///< of the step before; 0: none since the start
  std::vector<double> y0, end;  ///< its start, and its end before it is projected
  HhtHistory<std::vector<double>> before, after;
  std::vector<double> true_a;  ///< M^-1 F_0, where (H4) needed it
  std::vector<double> lambda;
};

/// See hht.h.
class Hht final : public Stepper {
 public:
  Hht(Flow& flow, const dynamics::SecondOrder& mechanics, int num_directions);

  dynamics::Status start(const State& state) override;
  Outcome step(double limit) override;
  Outcome repeat(const RecordedStep& step) override;

  dynamics::ConstVec y1() const override { return y1_; }
  const dynamics::Directions& W1() const override { return W1_; }
  dynamics::Status state(double t, dynamics::Vec y) override;
  dynamics::Status rate(double t, dynamics::Vec dydt) override;
  dynamics::Status directions(double t, dynamics::Directions& W) override;

  /// The last step taken.
  HhtSolution solution() const;

 private:
  bool has_directions() const { return W0_.count() > 0; }
  void begin();
  bool trial(double t1);
  void choose_start_rates();
  bool newton();
  void place_end();
  bool refresh_matrix();
  struct Correction {  ///< norms of a correction of Newton's method: of coordinates, of everything
    double q = 0, all = 0;
  };
  Correction correction() const;
  void start_directions();
  bool differentiate();
  void differentiate_start_rates();
  void predict_directions();
  void finish_directions();
  dynamics::Status accept();
  double error();
  double first_step(double limit) const;
  Outcome failure() const;

  Flow& flow_;
  const dynamics::SecondOrder& mechanics_;
  int nq_, ng_, ne_;
  double alpha_, beta_, gamma_;
  StepController controller_;
  HhtMatrix matrix_;
  dynamics::Triplets mass_;
  dynamics::Linearization linear_;
  double matrix_h_ = 0;  ///< the step it was made for; 0: there is none

  double h_ = 0;  ///< to try next
  double h_used_ = 0;
  double h_last_ = 0;  ///< of the step before; 0: none since start()
  bool finished_ = false;
  bool newton_failed_ = false;
  std::vector<double> y0_, end_, y1_;  ///< start; end; end projected
  HhtHistory<std::vector<double>> now_, next_;
  std::vector<double> true_a_;             ///< M^-1 F_0
  std::vector<double> start_a_, start_d_;  ///< a_0, d_0 for this step size
  std::vector<double> slope_d_;            ///< (d_0 - d_-1) / h of the step before
  std::vector<double> lambda_, lambda0_;   ///< of the end; of the start, for another try
  /// Residuals of motion, constraints and rates of external states; the increment of Newton's
  /// method; the error of the step.
  std::vector<double> r_, g_, edot_, x_, error_;

  dynamics::Directions W0_, W_end_, W1_;  ///< of y0_, end_, y1_
  HhtHistory<dynamics::Directions> dnow_, dnext_;
  dynamics::Directions dstart_a_, dstart_d_, dr_, dg_, dedot_, dMa_, dx_, error_W_;
};

}  // namespace parfait::integrate
