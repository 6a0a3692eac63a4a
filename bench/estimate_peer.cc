#include "estimate_peer.h"

#include <ceres/ceres.h>
#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace parfait::bench {
namespace {

using Clock = std::chrono::steady_clock;

void must(int status) {
  if (status < 0) throw std::runtime_error(fmt::format("CVODES: status {}", status));
}

constexpr Variant kVariants[] = {{"adams fixed-point sim.", CV_ADAMS, false, CV_SIMULTANEOUS},
                                 {"adams fixed-point stg.", CV_ADAMS, false, CV_STAGGERED},
                                 {"bdf newton sim.", CV_BDF, true, CV_SIMULTANEOUS},
                                 {"bdf newton stg.", CV_BDF, true, CV_STAGGERED}};

extern "C" {

static int right_hand_side(double /*t*/, N_Vector y, N_Vector dydt, void* user) {
  const double* p = static_cast<const double*>(user);
  const double* x = N_VGetArrayPointer(y);
  double* f = N_VGetArrayPointer(dydt);
  f[0] = -p[0] * x[0] + p[1] * x[0] * x[1];
  f[1] = p[2] * x[1] - p[3] * x[0] * x[1];
  return 0;
}

static int jacobian(double /*t*/, N_Vector y, N_Vector /*f*/, SUNMatrix J, void* user, N_Vector,
                    N_Vector, N_Vector) {
  const double* p = static_cast<const double*>(user);
  const double* x = N_VGetArrayPointer(y);
  SM_ELEMENT_D(J, 0, 0) = -p[0] + p[1] * x[1];
  SM_ELEMENT_D(J, 0, 1) = p[1] * x[0];
  SM_ELEMENT_D(J, 1, 0) = -p[3] * x[1];
  SM_ELEMENT_D(J, 1, 1) = p[2] - p[3] * x[0];
  return 0;
}

static int sensitivities(int count, double /*t*/, N_Vector y, N_Vector /*f*/, N_Vector* yS,
                         N_Vector* fS, void* user, N_Vector, N_Vector) {
  const double* p = static_cast<const double*>(user);
  const double* x = N_VGetArrayPointer(y);
  const double a = -p[0] + p[1] * x[1], b = p[1] * x[0], c = -p[3] * x[1], d = p[2] - p[3] * x[0];
  for (int k = 0; k < count; ++k) {
    const double* s = N_VGetArrayPointer(yS[k]);
    double* out = N_VGetArrayPointer(fS[k]);
    out[0] = a * s[0] + b * s[1];
    out[1] = c * s[0] + d * s[1];
  }
  N_VGetArrayPointer(fS[0])[0] -= x[0];
  N_VGetArrayPointer(fS[1])[0] += x[0] * x[1];
  N_VGetArrayPointer(fS[2])[1] += x[1];
  N_VGetArrayPointer(fS[3])[1] -= x[0] * x[1];
  return 0;
}

}  // extern "C"

/// All residuals as one block; CVODES is set up once and restarted for each evaluation.
class Shooting final : public ceres::SizedCostFunction<2 * kTimes, 4> {
 public:
  Shooting(const std::vector<std::vector<double>>& columns, const Variant& variant, double rtol)
      : columns_(columns), variant_(variant) {
    must(SUNContext_Create(nullptr, &context_));
    y_ = N_VNew_Serial(2, context_);
    yS_ = N_VCloneVectorArray(4, y_);
    reset();
    cvodes_ = CVodeCreate(variant.multistep, context_);
    must(CVodeInit(cvodes_, right_hand_side, 0, y_));
    must(CVodeSStolerances(cvodes_, rtol, 0.01 * rtol));
    must(CVodeSetUserData(cvodes_, p_.data()));
    must(CVodeSetMaxNumSteps(cvodes_, 100'000));
    if (variant.newton) {
      matrix_ = SUNDenseMatrix(2, 2, context_);
      linear_ = SUNLinSol_Dense(y_, matrix_, context_);
      must(CVodeSetLinearSolver(cvodes_, linear_, matrix_));
      must(CVodeSetJacFn(cvodes_, jacobian));
    } else {
      fixed_point_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      must(CVodeSetNonlinearSolver(cvodes_, fixed_point_));
    }
    must(CVodeSensInit(cvodes_, 4, variant.sensitivity, sensitivities, yS_));
    must(CVodeSensEEtolerances(cvodes_));
    Parameters scale;
    scale.fill(1);
    must(CVodeSetSensParams(cvodes_, nullptr, scale.data(), nullptr));
    must(CVodeSetSensErrCon(cvodes_, SUNFALSE));  // as in Parfait: the states choose the steps
    if (!variant.newton) {
      const bool together = variant.sensitivity == CV_SIMULTANEOUS;
      sens_fixed_point_ = SUNNonlinSol_FixedPointSens(together ? 5 : 4, y_, 0, context_);
      must(together ? CVodeSetNonlinearSolverSensSim(cvodes_, sens_fixed_point_)
                    : CVodeSetNonlinearSolverSensStg(cvodes_, sens_fixed_point_));
    }
  }
  Shooting(const Shooting&) = delete;
  Shooting& operator=(const Shooting&) = delete;
  ~Shooting() override {
    CVodeFree(&cvodes_);
    if (fixed_point_) SUNNonlinSolFree(fixed_point_);
    if (sens_fixed_point_) SUNNonlinSolFree(sens_fixed_point_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    N_VDestroyVectorArray(yS_, 4);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  bool Evaluate(double const* const* x, double* residuals, double** jacobians) const override {
    const bool with_directions = jacobians != nullptr && jacobians[0] != nullptr;
    std::copy_n(x[0], 4, p_.begin());
    reset();
    if (CVodeReInit(cvodes_, 0, y_) < 0) return false;
    if (with_directions) {
      if (CVodeSensReInit(cvodes_, variant_.sensitivity, yS_) < 0) return false;
    } else {
      CVodeSensToggleOff(cvodes_);
    }
    for (int i = 0; i < kTimes; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double t = 0;
      if (CVode(cvodes_, columns_[0][at], y_, &t, CV_NORMAL) < 0) return false;
      if (with_directions && CVodeGetSens(cvodes_, &t, yS_) < 0) return false;
      for (int c = 0; c < 2; ++c) {
        const int row = 2 * i + c;
        residuals[row] =
            (N_VGetArrayPointer(y_)[c] - columns_[static_cast<std::size_t>(c) + 1][at]) / kSigma;
        for (int k = 0; with_directions && k < 4; ++k) {
          jacobians[0][4 * row + k] = N_VGetArrayPointer(yS_[k])[c] / kSigma;
        }
      }
    }
    return true;
  }

 private:
  void reset() const {
    std::copy(kStart.begin(), kStart.end(), N_VGetArrayPointer(y_));
    for (int k = 0; k < 4; ++k) N_VConst(0, yS_[k]);
  }

  const std::vector<std::vector<double>>& columns_;
  Variant variant_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  N_Vector* yS_ = nullptr;
  void* cvodes_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr, sens_fixed_point_ = nullptr;
  mutable Parameters p_{};
};

}  // namespace

std::vector<Variant> peer_variants() {
  return {std::begin(kVariants), std::end(kVariants)};
}

Outcome fit_peer(const std::vector<std::vector<double>>& columns, const Variant& variant,
                 Settings settings, double* share) {
  const auto begin = Clock::now();
  Outcome outcome;
  outcome.p = kGuess;
  Shooting shooting(columns, variant, settings.rtol);
  ceres::Problem::Options ownership;
  ownership.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem peer(ownership);
  peer.AddResidualBlock(&shooting, nullptr, outcome.p.data());
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.function_tolerance = settings.tolerance;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &peer, &summary);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (summary.termination_type != ceres::CONVERGENCE) throw std::runtime_error(summary.message);
  outcome.iterations = static_cast<int>(summary.iterations.size()) - 1;
  if (share) {
    *share = (summary.residual_evaluation_time_in_seconds +
              summary.jacobian_evaluation_time_in_seconds) /
             outcome.seconds;
  }
  return outcome;
}

}  // namespace parfait::bench
