#pragma once

#include "parfait/integrate/bdf/bdf_equations.h"

namespace parfait::integrate {

/// Where a bdf integration begins: t, u = (y, z), its rate, and both along the directions.
struct BdfStart {
  BdfStart(const sundials::Context& context, const BdfEquations& equations);

  double t = 0;
  sundials::Vector u, du_dt;
  sundials::Columns S, dS_dt;
};

/// Completes a start from t, y and the rows of y in S; z is a guess.
///
///   0 = h(t, y, z)                      for z, by damped Newton iterations
///   h_z z' = -(h_t + h_y f)             for its rate
///   h_z dz = -(h_y dy + h_p dp)         for its directions
///
/// The rates of dz are left zero: they would need second derivatives, and only the first predictor
/// uses them. kSingular: dh/dz is singular, so the index is not 1; kProjectionFailed: no z found.
dynamics::Status complete(BdfEquations& equations, BdfStart& start);

}  // namespace parfait::integrate
