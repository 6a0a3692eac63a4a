#include <cvodes/cvodes.h>
#include <cvodes/cvodes_ls.h>
#include <cvodes/cvodes_proj.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <new>

#include "parfait/integrate/bdf/bdf_callbacks.h"
#include "parfait/integrate/bdf/bdf_solver.h"

// y' = f(t, y) with CVODES.
namespace parfait::integrate {
namespace {

using dynamics::Status;

// What CVODES calls.

int right_hand_side(double t, N_Vector y, N_Vector dydt, void* data) {
  return answer(equations_of(data).evaluate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dydt)));
}

int cvodes_jacobian(double t, N_Vector y, N_Vector /*f*/, SUNMatrix J, void* data, N_Vector,
                    N_Vector, N_Vector) {
  return answer(equations_of(data).jacobian(t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(J)));
}

int cvodes_sensitivities(int /*count*/, double t, N_Vector y, N_Vector /*f*/, N_Vector* S,
                         N_Vector* dSdt, void* data, N_Vector, N_Vector) {
  return answer(equations_of(data).directions(t, N_VGetArrayPointer(y), S, dSdt));
}

int projection(double t, N_Vector y, N_Vector correction, double /*tolerance*/, N_Vector /*error*/,
               void* data) {
  N_VScale(1, y, correction);
  const Status status = equations_of(data).project(t, N_VGetArrayPointer(correction));
  N_VLinearSum(1, correction, -1, y, correction);
  return answer(status);
}

class Cvodes final : public BdfSolver {
 public:
  Cvodes(const sundials::Context& context, BdfEquations& equations)
      : equations_(equations),
        memory_(CVodeCreate(CV_BDF, context.get())),
        y_(context, equations.size()),
        linear_(context, y_) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  ~Cvodes() override { CVodeFree(&memory_); }
  Cvodes(const Cvodes&) = delete;
  Cvodes& operator=(const Cvodes&) = delete;

  void start(BdfStart& start) override {
    if (is_ready_) {
      check(CVodeReInit(memory_, start.t, start.u.get()), "CVodeReInit");
      if (start.S.count() > 0) {
        check(CVodeSensReInit(memory_, CV_STAGGERED, start.S.get()), "CVodeSensReInit");
      }
      check(CVodeSetInitStep(memory_, 0), "CVodeSetInitStep");
    } else {
      initialize(start);
      is_ready_ = true;
    }
  }

  Outcome advance(double limit, Step& step, sundials::Vector& u, sundials::Columns& S) override {
    double t = step.t;
    int flag = CVodeSetStopTime(memory_, limit);
    if (flag == CV_SUCCESS) flag = CVode(memory_, limit, y_.get(), &t, CV_ONE_STEP);
    if (flag < 0) return outcome_of(flag);
    step.t = t;
    check(CVodeGetCurrentTime(memory_, &step.internal), "CVodeGetCurrentTime");
    check(CVodeGetLastStep(memory_, &step.h), "CVodeGetLastStep");
    check(CVodeGetLastOrder(memory_, &step.order), "CVodeGetLastOrder");
    N_VScale(1, y_.get(), u.get());
    if (S.count() > 0) check(CVodeGetSens(memory_, &t, S.get()), "CVodeGetSens");
    return Outcome::kFinished;
  }

  void derivative(int k, sundials::Vector& u, sundials::Columns& S) override {
    double t = 0;
    check(CVodeGetCurrentTime(memory_, &t), "CVodeGetCurrentTime");
    check(CVodeGetDky(memory_, t, k, u.get()), "CVodeGetDky");
    if (S.count() > 0) check(CVodeGetSensDky(memory_, t, k, S.get()), "CVodeGetSensDky");
  }

  void set_scales(std::vector<double>& scales) override {
    check(CVodeSetSensParams(memory_, nullptr, scales.data(), nullptr), "CVodeSetSensParams");
  }

  void replace(sundials::Columns& S) override {
    // Loads the zeroth column of the Nordsieck array, as the first does after CVodeReInit; the
    // higher ones stay. CVODES has no other door for it.
    check(CVodeSensReInit(memory_, CV_STAGGERED, S.get()), "CVodeSensReInit");
  }

  Counters counters() const override {
    long error_tests = 0, solves = 0, sensitivity_error_tests = 0, sensitivity_solves = 0;
    Counters out;
    CVodeGetNumErrTestFails(memory_, &error_tests);
    CVodeGetNumStepSolveFails(memory_, &solves);
    CVodeGetNumLinSolvSetups(memory_, &out.factorizations);
    if (equations_.num_directions() > 0) {
      CVodeGetSensNumErrTestFails(memory_, &sensitivity_error_tests);
      CVodeGetNumStepSensSolveFails(memory_, &sensitivity_solves);
    }
    out.rejected = error_tests + solves + sensitivity_error_tests + sensitivity_solves;
    return out;
  }

 private:
  void check(int flag, const char* call) const { errors_.check(flag, call); }

  void initialize(BdfStart& start) {
    const Options& options = equations_.flow().options();
    check(CVodeSetErrHandlerFn(memory_, sundials::ErrorText::handle, &errors_),
          "CVodeSetErrHandlerFn");
    check(CVodeInit(memory_, right_hand_side, start.t, start.u.get()), "CVodeInit");
    check(CVodeSetUserData(memory_, &equations_), "CVodeSetUserData");
    check(CVodeWFtolerances(memory_, error_weights), "CVodeWFtolerances");
    check(CVodeSetLinearSolver(memory_, linear_.solver(), linear_.matrix()),
          "CVodeSetLinearSolver");
    check(CVodeSetJacFn(memory_, cvodes_jacobian), "CVodeSetJacFn");
    check(CVodeSetMaxOrd(memory_, std::min(options.max_order, info(Method::kBdf).max_order)),
          "CVodeSetMaxOrd");
    check(CVodeSetInitStep(memory_, options.first_step), "CVodeSetInitStep");
    check(CVodeSetMaxStep(memory_, options.max_step), "CVodeSetMaxStep");
    check(CVodeSetMaxErrTestFails(memory_, 20), "CVodeSetMaxErrTestFails");
    check(CVodeSetMaxConvFails(memory_, 20), "CVodeSetMaxConvFails");
    if (equations_.flow().has_invariants()) {
      check(CVodeSetProjFn(memory_, projection), "CVodeSetProjFn");
      // The error of the step itself is tested, not what the projection leaves of it.
      check(CVodeSetProjErrEst(memory_, SUNFALSE), "CVodeSetProjErrEst");
    }
    if (start.S.count() > 0) {
      check(CVodeSensInit(memory_, start.S.count(), CV_STAGGERED, cvodes_sensitivities,
                          start.S.get()),
            "CVodeSensInit");
      check(CVodeSensEEtolerances(memory_), "CVodeSensEEtolerances");
      check(CVodeSetSensErrCon(memory_, options.control_sensitivities), "CVodeSetSensErrCon");
    }
  }

  Outcome outcome_of(int flag) const {
    switch (flag) {
      case CV_RHSFUNC_FAIL:
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_UNREC_RHSFUNC_ERR:
      case CV_SRHSFUNC_FAIL:
      case CV_FIRST_SRHSFUNC_ERR:
      case CV_REPTD_SRHSFUNC_ERR:
      case CV_UNREC_SRHSFUNC_ERR:
      case CV_PROJFUNC_FAIL:
      case CV_REPTD_PROJFUNC_ERR:
        return Outcome::kSystemFailed;
      case CV_CONV_FAILURE:
      case CV_LSETUP_FAIL:
      case CV_LSOLVE_FAIL:
        return Outcome::kNewtonFailed;
      case CV_ERR_FAILURE:
      case CV_TOO_MUCH_ACC:
      case CV_TOO_CLOSE:
        return Outcome::kStepTooSmall;
      default:
        check(flag, "CVode");
        return Outcome::kStepTooSmall;
    }
  }

  BdfEquations& equations_;
  sundials::ErrorText errors_;
  void* memory_;
  sundials::Vector y_;
  sundials::DenseSolver linear_;
  bool is_ready_ = false;
};

}  // namespace

std::unique_ptr<BdfSolver> make_cvodes(const sundials::Context& context, BdfEquations& equations) {
  return std::make_unique<Cvodes>(context, equations);
}

}  // namespace parfait::integrate
