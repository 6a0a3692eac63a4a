#pragma once

#include <memory>
#include <vector>

#include "parfait/integrate/bdf/bdf_start.h"
#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// What CVODES and IDAS do for the bdf stepper.
class BdfSolver {
 public:
  virtual ~BdfSolver() = default;

  /// Begins anew, with order 1.
  virtual void start(BdfStart& start) = 0;

  struct Step {
    double t = 0;         ///< reached
    double internal = 0;  ///< the same, but for rounding, as the solver counts time
    double h = 0;
    int order = 0;
  };
  /// One internal step, not beyond `limit`: t, u and S are where it ended. A step that fails leaves
  /// them alone.
  virtual Outcome advance(double limit, Step& step, sundials::Vector& u, sundials::Columns& S) = 0;

  /// d^k u / dt^k and the same of S, of the last step's polynomial at Step::internal.
  virtual void derivative(int k, sundials::Vector& u, sundials::Columns& S) = 0;

  /// Sensitivities times their scale are as large as u.
  virtual void set_scales(std::vector<double>& scales) = 0;
  /// Goes on with these columns; the rest of the history stays. Asked of CVODES only.
  virtual void replace(sundials::Columns&) {}

  /// Since the start.
  struct Counters {
    long rejected = 0;
    long factorizations = 0;
  };
  virtual Counters counters() const = 0;
};

std::unique_ptr<BdfSolver> make_cvodes(const sundials::Context& context, BdfEquations& equations);
std::unique_ptr<BdfSolver> make_idas(const sundials::Context& context, BdfEquations& equations);

}  // namespace parfait::integrate
