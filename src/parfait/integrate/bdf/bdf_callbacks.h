#pragma once

#include <nvector/nvector_serial.h>

#include "parfait/integrate/bdf/bdf_equations.h"

/// What CVODES and IDAS call in the same way; the user data is the BdfEquations.
namespace parfait::integrate {

inline BdfEquations& equations_of(void* data) {
  return *static_cast<BdfEquations*>(data);
}

/// A failed evaluation is answered with a smaller step.
inline int answer(dynamics::Status status) {
  return status == dynamics::Status::kOk ? 0 : 1;
}

inline int error_weights(N_Vector u, N_Vector w, void* data) {
  equations_of(data).weights(N_VGetArrayPointer(u), N_VGetArrayPointer(w));
  return 0;
}

}  // namespace parfait::integrate
