// The same well-behaved fit by Parfait and by what one would build from good parts: Ceres around
// CVODES with its forward sensitivities. Wall time at the accuracy reached in the parameters, which
// is measured against a much tighter solution.

#include <ceres/ceres.h>
#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit.h"
#include "parfait/estimate/synthesize.h"

namespace parfait::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Parameters = std::array<double, 4>;

constexpr int kRounds = 7;
constexpr int kTimes = 50;
constexpr double kUntil = 10;
constexpr double kSigma = 0.05;
constexpr Parameters kGuess = {0.8, 1.2, 0.8, 1.2};
constexpr std::array<double, 2> kStart = {0.4, 1};

/// x1' = -p1 x1 + p2 x1 x2,  x2' = p3 x2 - p4 x1 x2, both measured; one shooting interval.
estimate::Problem predators() {
  dynamics::FormulaModel model;
  model.state("x1", kStart[0], "-p1 * x1 + p2 * x1 * x2");
  model.state("x2", kStart[1], "p3 * x2 - p4 * x1 * x2");
  estimate::Problem problem;
  for (std::size_t i = 0; i < kGuess.size(); ++i) {
    const std::string id = fmt::format("p{}", i + 1);
    model.parameter(id, 1);
    problem.estimates.push_back({.parameter = id, .initial = kGuess[i], .truth = 1});
  }
  auto& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "a", "b"};
  e.data.columns.resize(3);
  for (int i = 1; i <= kTimes; ++i) {
    e.data.columns[0].push_back(kUntil * i / kTimes);
    e.data.columns[1].push_back(1);
    e.data.columns[2].push_back(1);
  }
  e.begin = 0;
  e.observations = {{.column = "a", .quantity = "x1", .sigma = {.absolute = kSigma}},
                    {.column = "b", .quantity = "x2", .sigma = {.absolute = kSigma}}};
  return synthesize(problem, 7);
}

struct Outcome {
  Parameters p{};
  double seconds = 0;
  int iterations = 0;
};

struct Settings {
  double rtol = 1e-6;       ///< of the integrator; atol is a hundredth
  double tolerance = 1e-6;  ///< of the iteration
};

Outcome fit_parfait(const estimate::Problem& data, integrate::Method method, Settings settings) {
  estimate::Problem problem = data;
  problem.options.integrator.method = method;
  problem.options.integrator.rtol = settings.rtol;
  problem.options.integrator.atol = 0.01 * settings.rtol;
  problem.options.iteration.tolerance = settings.tolerance;
  const auto begin = Clock::now();
  const estimate::FitResult result = fit(problem);
  Outcome outcome;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!result.converged()) throw std::runtime_error(result.iteration.message);
  outcome.iterations = result.iteration.iterations;
  for (std::size_t i = 0; i < 4; ++i) outcome.p[i] = result.estimates[i].statistics.value;
  return outcome;
}

void must(int status) {
  if (status < 0) throw std::runtime_error(fmt::format("CVODES: status {}", status));
}

/// What CVODES can be asked to do; the comparison takes the fastest.
struct Variant {
  const char* name;
  int multistep;    ///< CV_ADAMS or CV_BDF
  bool newton;      ///< dense, analytic Jacobian; otherwise fixed point
  int sensitivity;  ///< CV_SIMULTANEOUS or CV_STAGGERED
};
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
  Shooting(const estimate::Data& data, const Variant& variant, double rtol)
      : data_(data), variant_(variant) {
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
      if (CVode(cvodes_, data_.columns[0][at], y_, &t, CV_NORMAL) < 0) return false;
      if (with_directions && CVodeGetSens(cvodes_, &t, yS_) < 0) return false;
      for (int c = 0; c < 2; ++c) {
        const int row = 2 * i + c;
        residuals[row] =
            (N_VGetArrayPointer(y_)[c] - data_.columns[static_cast<std::size_t>(c) + 1][at]) /
            kSigma;
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

  const estimate::Data& data_;
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

/// `share`, if given: how much of the time was spent in residuals and derivatives.
Outcome fit_peer(const estimate::Problem& problem, const Variant& variant, Settings settings,
                 double* share = nullptr) {
  const auto begin = Clock::now();
  Outcome outcome;
  outcome.p = kGuess;
  Shooting shooting(problem.experiments[0].data, variant, settings.rtol);
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

double distance(const Parameters& a, const Parameters& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::abs(a[i] / b[i] - 1));
  return largest;
}

struct Row {
  bool ours;
  std::string name;
  std::function<Outcome()> run;
  Outcome outcome;
};

const Row* fastest(const std::vector<Row>& rows, bool ours, double error, const Parameters& p) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.ours != ours || distance(row.outcome.p, p) > error) continue;
    if (!best || row.outcome.seconds < best->outcome.seconds) best = &row;
  }
  return best;
}

void compare() {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const estimate::Problem problem = predators();
  const Parameters reference = fit_parfait(problem, integrate::Method::kDop853, {1e-13, 1e-10}).p;
  const double agreement = distance(fit_peer(problem, kVariants[0], {1e-12, 1e-16}).p, reference);
  if (!(agreement < 1e-8)) {
    throw std::runtime_error(fmt::format("the two differ by {:g} at tight tolerances", agreement));
  }

  std::vector<Row> rows;
  const auto tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  for (double rtol : tolerances) {
    for (auto method :
         {integrate::Method::kDop853, integrate::Method::kDopri5, integrate::Method::kAbm}) {
      for (double tolerance : {1e-2, 1e-3, 1e-4, 1e-6}) {
        rows.push_back({true,
                        fmt::format("{} {:g}, {:g}", text(method), rtol, tolerance),
                        [&problem, method, rtol, tolerance] {
                          return fit_parfait(problem, method, {rtol, tolerance});
                        },
                        {}});
      }
    }
    for (const Variant& variant : kVariants) {
      for (double tolerance : {1e-4, 1e-6, 1e-9, 1e-12}) {
        rows.push_back({false,
                        fmt::format("{} {:g}, {:g}", variant.name, rtol, tolerance),
                        [&problem, &variant, rtol, tolerance] {
                          return fit_peer(problem, variant, {rtol, tolerance});
                        },
                        {}});
      }
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Row& row : rows) {
      const Outcome outcome = row.run();
      if (round == 0 || outcome.seconds < row.outcome.seconds) row.outcome = outcome;
    }
  }

  fmt::print(
      "Lotka-Volterra, 4 parameters, {} measurements, single shooting, one thread; at tight "
      "tolerances the two agree to {:.0e}\n",
      2 * kTimes, agreement);
  fmt::print("{:>9} {:<28} {:>5} {:>9} {:<38} {:>5} {:>9} {:>6}\n", "accuracy",
             "Parfait: method rtol, tol.", "iter.", "time [us]",
             "Ceres + CVODES: method rtol, tol.", "iter.", "time [us]", "ratio");
  for (double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    const Row* ours = fastest(rows, true, error, reference);
    const Row* theirs = fastest(rows, false, error, reference);
    if (!ours || !theirs) continue;
    fmt::print("{:>9.0e} {:<28} {:>5} {:>9.0f} {:<38} {:>5} {:>9.0f} {:>6.2f}\n", error, ours->name,
               ours->outcome.iterations, 1e6 * ours->outcome.seconds, theirs->name,
               theirs->outcome.iterations, 1e6 * theirs->outcome.seconds,
               theirs->outcome.seconds / ours->outcome.seconds);
  }
  double share = 0;
  fit_peer(problem, kVariants[0], {1e-6, 1e-9}, &share);
  fmt::print("CVODES has {:.0f} % of the time of Ceres + CVODES ({}, 1e-6)\n", 100 * share,
             kVariants[0].name);
}

}  // namespace
}  // namespace parfait::bench

int main() {
  try {
    parfait::bench::compare();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
