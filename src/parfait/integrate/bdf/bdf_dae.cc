#include <idas/idas.h>
#include <idas/idas_ls.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <new>

#include "parfait/integrate/bdf/bdf_callbacks.h"
#include "parfait/integrate/bdf/bdf_solver.h"

// 0 = (y' - f(t, y, z), h(t, y, z)) with IDAS; u = (y, z).
namespace parfait::integrate {
namespace {

using dynamics::Status;

// What IDAS calls.

/// (f, h) becomes (y' - f, h).
void subtract_from_rate(int ny, N_Vector rate, N_Vector values) {
  const double* dydt = N_VGetArrayPointer(rate);
  double* r = N_VGetArrayPointer(values);
  for (int i = 0; i < ny; ++i) r[i] = dydt[i] - r[i];
}

int residual(double t, N_Vector u, N_Vector dudt, N_Vector r, void* data) {
  BdfEquations& equations = equations_of(data);
  const Status status = equations.evaluate(t, N_VGetArrayPointer(u), N_VGetArrayPointer(r));
  subtract_from_rate(equations.ny(), dudt, r);
  return answer(status);
}

/// dr/du + c dr/du'.
int idas_jacobian(double t, double c, N_Vector u, N_Vector /*dudt*/, N_Vector /*r*/, SUNMatrix J,
                  void* data, N_Vector, N_Vector, N_Vector) {
  BdfEquations& equations = equations_of(data);
  const Status status = equations.jacobian(t, N_VGetArrayPointer(u), SUNDenseMatrix_Data(J));
  for (int j = 0; j < equations.size(); ++j) {
    double* column = SUNDenseMatrix_Column(J, j);
    for (int i = 0; i < equations.ny(); ++i) column[i] = (i == j ? c : 0) - column[i];
  }
  return answer(status);
}

int idas_sensitivities(int count, double t, N_Vector u, N_Vector /*dudt*/, N_Vector /*r*/,
                       N_Vector* S, N_Vector* dSdt, N_Vector* r, void* data, N_Vector, N_Vector,
                       N_Vector) {
  BdfEquations& equations = equations_of(data);
  const Status status = equations.directions(t, N_VGetArrayPointer(u), S, r);
  for (int j = 0; j < count; ++j) subtract_from_rate(equations.ny(), dSdt[j], r[j]);
  return answer(status);
}

class Idas final : public BdfSolver {
 public:
  Idas(const sundials::Context& context, BdfEquations& equations)
      : equations_(equations),
        memory_(IDACreate(context.get())),
        u_(context, equations.size()),
        dudt_(context, equations.size()),
        linear_(context, u_) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  ~Idas() override { IDAFree(&memory_); }
  Idas(const Idas&) = delete;
  Idas& operator=(const Idas&) = delete;

  void start(BdfStart& start) override {
    if (is_ready_) {
      check(IDAReInit(memory_, start.t, start.u.get(), start.du_dt.get()), "IDAReInit");
      if (start.S.count() > 0) {
        check(IDASensReInit(memory_, IDA_STAGGERED, start.S.get(), start.dS_dt.get()),
              "IDASensReInit");
      }
      check(IDASetInitStep(memory_, 0), "IDASetInitStep");
    } else {
      initialize(start);
      is_ready_ = true;
    }
  }

  Outcome advance(double limit, Step& step, sundials::Vector& u, sundials::Columns& S) override {
    double t = step.t;
    int flag = IDASetStopTime(memory_, limit);
    if (flag == IDA_SUCCESS) {
      flag = IDASolve(memory_, limit, &t, u_.get(), dudt_.get(), IDA_ONE_STEP);
    }
    if (flag < 0) return outcome_of(flag);
    step.t = t;
    check(IDAGetCurrentTime(memory_, &step.internal), "IDAGetCurrentTime");
    check(IDAGetLastStep(memory_, &step.h), "IDAGetLastStep");
    check(IDAGetLastOrder(memory_, &step.order), "IDAGetLastOrder");
    N_VScale(1, u_.get(), u.get());
    if (S.count() > 0) check(IDAGetSens(memory_, &t, S.get()), "IDAGetSens");
    return Outcome::kFinished;
  }

  void derivative(int k, sundials::Vector& u, sundials::Columns& S) override {
    double t = 0;
    check(IDAGetCurrentTime(memory_, &t), "IDAGetCurrentTime");
    check(IDAGetDky(memory_, t, k, u.get()), "IDAGetDky");
    // One by one: for all at once IDAS allows k up to the order of the next step, not of the last.
    for (int j = 0; j < S.count(); ++j) {
      check(IDAGetSensDky1(memory_, t, k, j, S[j].get()), "IDAGetSensDky1");
    }
  }

  void set_scales(std::vector<double>& scales) override {
    check(IDASetSensParams(memory_, nullptr, scales.data(), nullptr), "IDASetSensParams");
  }

  Counters counters() const override {
    long error_tests = 0, solves = 0, sensitivity_error_tests = 0, sensitivity_solves = 0;
    Counters out;
    IDAGetNumErrTestFails(memory_, &error_tests);
    IDAGetNumStepSolveFails(memory_, &solves);
    IDAGetNumLinSolvSetups(memory_, &out.factorizations);
    if (equations_.num_directions() > 0) {
      IDAGetSensNumErrTestFails(memory_, &sensitivity_error_tests);
      IDAGetNumStepSensSolveFails(memory_, &sensitivity_solves);
    }
    out.rejected = error_tests + solves + sensitivity_error_tests + sensitivity_solves;
    return out;
  }

 private:
  void check(int flag, const char* call) const { errors_.check(flag, call); }

  void initialize(BdfStart& start) {
    const Options& options = equations_.flow().options();
    check(IDASetErrHandlerFn(memory_, sundials::ErrorText::handle, &errors_), "IDASetErrHandlerFn");
    check(IDAInit(memory_, residual, start.t, start.u.get(), start.du_dt.get()), "IDAInit");
    check(IDASetUserData(memory_, &equations_), "IDASetUserData");
    check(IDAWFtolerances(memory_, error_weights), "IDAWFtolerances");
    check(IDASetLinearSolver(memory_, linear_.solver(), linear_.matrix()), "IDASetLinearSolver");
    check(IDASetJacFn(memory_, idas_jacobian), "IDASetJacFn");
    check(IDASetMaxOrd(memory_, std::min(options.max_order, info(Method::kBdf).max_order)),
          "IDASetMaxOrd");
    check(IDASetInitStep(memory_, options.first_step), "IDASetInitStep");
    if (options.max_step > 0) check(IDASetMaxStep(memory_, options.max_step), "IDASetMaxStep");
    check(IDASetMaxErrTestFails(memory_, 20), "IDASetMaxErrTestFails");
    check(IDASetMaxConvFails(memory_, 20), "IDASetMaxConvFails");
    if (start.S.count() > 0) {
      check(IDASensInit(memory_, start.S.count(), IDA_STAGGERED, idas_sensitivities, start.S.get(),
                        start.dS_dt.get()),
            "IDASensInit");
      check(IDASensEEtolerances(memory_), "IDASensEEtolerances");
      check(IDASetSensErrCon(memory_, options.control_sensitivities), "IDASetSensErrCon");
    }
  }

  Outcome outcome_of(int flag) const {
    switch (flag) {
      case IDA_RES_FAIL:
      case IDA_REP_RES_ERR:
      case IDA_FIRST_RES_FAIL:
      case IDA_SRES_FAIL:
      case IDA_REP_SRES_ERR:
        return Outcome::kSystemFailed;
      case IDA_CONV_FAIL:
      case IDA_LSETUP_FAIL:
      case IDA_LSOLVE_FAIL:
        return Outcome::kNewtonFailed;
      case IDA_ERR_FAIL:
      case IDA_TOO_MUCH_ACC:
        return Outcome::kStepTooSmall;
      default:
        check(flag, "IDASolve");
        return Outcome::kStepTooSmall;
    }
  }

  BdfEquations& equations_;
  sundials::ErrorText errors_;
  void* memory_;
  sundials::Vector u_, dudt_;
  sundials::DenseSolver linear_;
  bool is_ready_ = false;
};

}  // namespace

std::unique_ptr<BdfSolver> make_idas(const sundials::Context& context, BdfEquations& equations) {
  return std::make_unique<Idas>(context, equations);
}

}  // namespace parfait::integrate
