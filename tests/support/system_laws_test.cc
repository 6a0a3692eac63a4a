#include "testing/system_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

// The laws accept a system whose derivatives are right and see each derivative that is wrong.
namespace parfait::testing_support {
namespace {

using namespace dynamics;  // NOLINT(google-build-using-namespace): the system below is all of it
using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum class Defect {
  kNone,
  kState,
  kAlgebraic,
  kTime,
  kInput,
  kParameter,
  kSwitch,
  kJump,
  kStart,
  kObserve,
  kInvariant,
  kProjection,
  kDrift,
  kPullBack,
  kInputPullBack
};

/// A point q in the plane with |q| = 1, an external z, an input u, one parameter p, all derivatives
/// by hand:
///   q' = (p q2 z, -q1 + t^2 + q2 u),  h = z^3 - q1 p,  s = q1 q2 - t p,  jump q -> p q,  start (p^2, 1).
class Circle final : public System {
 public:
  explicit Circle(Defect defect) : defect_(defect) {
    sizes_.nq = 2;
    sizes_.nz = 1;
    sizes_.nu = 1;
    sizes_.np = 1;
    sizes_.num_pos = 1;
    sizes_.num_switches = 1;
  }

  struct Memory final : Workspace {
    double t = 0, q1 = 0, q2 = 0, z = 0, u = 0, p = 1;
    Directions dp;
  };
  static Memory& cast(Workspace& ws) { return static_cast<Memory&>(ws); }
  static void remember(Workspace& ws, const Point& at) {
    auto& w = cast(ws);
    w.t = at.t;
    w.q1 = at.y[0];
    w.q2 = at.y[1];
    w.z = at.z[0];
    w.u = at.u[0];
  }

  const Sizes& sizes() const override { return sizes_; }
  const std::vector<ParameterInfo>& parameters() const override { return parameters_; }
  std::vector<std::string> state_names() const override { return {"q1", "q2"}; }
  std::vector<double> initial_state() const override { return {1, 1}; }
  std::unique_ptr<Workspace> make_workspace(int) const override {
    return std::make_unique<Memory>();
  }
  std::unique_ptr<Workspace> make_bound_copy(const Workspace& ws, int) const override {
    return std::make_unique<Memory>(static_cast<const Memory&>(ws));
  }
  void bind(Workspace& ws, ConstVec p) const override { cast(ws).p = p[0]; }
  void bind_directions(Workspace& ws, const Directions& dp) const override { cast(ws).dp = dp; }

  void start(Workspace& ws, Vec y, Vec z) const override {
    y[0] = cast(ws).p * cast(ws).p;
    y[1] = 1;
    z[0] = 1;
  }
  void start_directions(Workspace& ws, Directions& dy) const override {
    for (int j = 0; j < dy.count(); ++j) {
      dy(0, j) = (defect_ == Defect::kStart ? 1 : 2) * cast(ws).p * cast(ws).dp(0, j);
    }
  }

  Status evaluate(Workspace& ws, const Point& at, Vec dydt, Vec residual) const override {
    remember(ws, at);
    const auto& w = cast(ws);
    dydt[0] = w.p * w.q2 * w.z;
    dydt[1] = -w.q1 + w.t * w.t + w.q2 * w.u;
    residual[0] = std::pow(w.z, 3) - w.q1 * w.p;
    return Status::kOk;
  }
  void directions(Workspace& ws, const PointDirections& d, Directions& ddydt,
                  Directions* dresidual) const override {
    const auto& w = cast(ws);
    const double wrong_state = defect_ == Defect::kState ? 1e-6 : 0;
    const double wrong_time = defect_ == Defect::kTime ? 3 : 2;
    const double wrong_u = defect_ == Defect::kInput ? 0 : 1;
    const double wrong_z = defect_ == Defect::kAlgebraic ? 2 : 3;
    for (int j = 0; j < ddydt.count(); ++j) {
      const double dq1 = (*d.dy)(0, j), dq2 = (*d.dy)(1, j), dz = (*d.dz)(0, j);
      const double dp = defect_ == Defect::kParameter ? 0 : w.dp(0, j);
      ddydt(0, j) = dp * w.q2 * w.z + w.p * dq2 * w.z + w.p * w.q2 * dz + wrong_state * dq1;
      const double du = d.du ? wrong_u * (*d.du)(0, j) : 0;
      ddydt(1, j) =
          -dq1 + wrong_time * w.t * d.dt[static_cast<std::size_t>(j)] + dq2 * w.u + w.q2 * du;
      (*dresidual)(0, j) = wrong_z * w.z * w.z * dz - dq1 * w.p - w.q1 * w.dp(0, j);
    }
  }

  void pull_back(Workspace& ws, ConstVec dydt, ConstVec residual, Pulled& to) const override {
    System::pull_back(ws, dydt, residual, to);
    if (defect_ == Defect::kPullBack) to.y[1] -= 1e-6 * dydt[0];
    if (defect_ == Defect::kInputPullBack) to.u[0] = 0;
  }

  void invariants(Workspace&, double, ConstVec y, Vec g) const override {
    g[0] = std::hypot(y[0], y[1]) - 1;
  }
  void invariant_directions(Workspace&, double, ConstVec y, const PointDirections& d,
                            Directions& dg) const override {
    const double r = std::hypot(y[0], y[1]) * (defect_ == Defect::kInvariant ? 2 : 1);
    for (int j = 0; j < dg.count(); ++j) {
      dg(0, j) = (y[0] * (*d.dy)(0, j) + y[1] * (*d.dy)(1, j)) / r;
    }
  }
  ProjectionReport project(Workspace& ws, double, Vec y, Norm, double) const override {
    auto& w = cast(ws);
    w.q1 = y[0];
    w.q2 = y[1];
    const double r = std::hypot(y[0], y[1]) * (defect_ == Defect::kDrift ? 1 + 1e-9 : 1);
    y[0] /= r;
    y[1] /= r;
    return {};
  }
  Status project_directions(Workspace& ws, Directions& dy) const override {
    const auto& w = cast(ws);
    const double r = std::hypot(w.q1, w.q2), e1 = w.q1 / r, e2 = w.q2 / r;
    for (int j = 0; j < dy.count(); ++j) {
      const double radial = defect_ == Defect::kProjection ? 0 : e1 * dy(0, j) + e2 * dy(1, j);
      dy(0, j) = (dy(0, j) - e1 * radial) / r;
      dy(1, j) = (dy(1, j) - e2 * radial) / r;
    }
    return Status::kOk;
  }

  struct Product final : Observer {
    int size() const override { return 1; }
    bool needs_rates() const override { return false; }
  };
  std::unique_ptr<Observer> make_observer(std::span<const std::string>) const override {
    return std::make_unique<Product>();
  }
  Status observe(Workspace& ws, const Observer&, const Point& at, Vec values) const override {
    remember(ws, at);
    values[0] = at.y[0] * at.y[1];
    return Status::kOk;
  }
  void observe_directions(Workspace& ws, const Observer&, const PointDirections& d,
                          Directions& dvalues) const override {
    const auto& w = cast(ws);
    const double wrong = defect_ == Defect::kObserve ? -1 : 1;
    for (int j = 0; j < dvalues.count(); ++j) {
      dvalues(0, j) = wrong * w.q2 * (*d.dy)(0, j) + w.q1 * (*d.dy)(1, j);
    }
  }

  std::vector<SwitchInfo> switch_infos() const override {
    return {{.name = "s", .jump = SwitchInfo::Jump::kBoth}};
  }
  Status switches(Workspace& ws, const Point& at, Vec s) const override {
    remember(ws, at);
    s[0] = at.y[0] * at.y[1] - at.t * cast(ws).p;
    return Status::kOk;
  }
  void switch_directions(Workspace& ws, const PointDirections& d, Directions& ds) const override {
    const auto& w = cast(ws);
    const double wrong = defect_ == Defect::kSwitch ? 0 : 1;
    for (int j = 0; j < ds.count(); ++j) {
      ds(0, j) = w.q2 * (*d.dy)(0, j) + w.q1 * (*d.dy)(1, j) -
                 wrong * w.p * d.dt[static_cast<std::size_t>(j)] - w.t * w.dp(0, j);
    }
  }
  Status jump(Workspace& ws, int, const Point& before, Vec after) const override {
    remember(ws, before);
    for (int i = 0; i < 2; ++i) after[i] = cast(ws).p * before.y[i];
    return Status::kOk;
  }
  void jump_directions(Workspace& ws, const PointDirections& d, Directions& dafter) const override {
    const auto& w = cast(ws);
    const double q[] = {w.q1, defect_ == Defect::kJump ? 0 : w.q2};
    for (int j = 0; j < dafter.count(); ++j) {
      for (int i = 0; i < 2; ++i) dafter(i, j) = w.p * (*d.dy)(i, j) + q[i] * w.dp(0, j);
    }
  }

 private:
  Defect defect_;
  Sizes sizes_;
  std::vector<ParameterInfo> parameters_{
      {.id = "p", .initial = 1, .lower = -10, .upper = 10, .scale = 1}};
};

LawReport laws(Defect defect) {
  return check_system_laws(Circle(defect), {.t = 0.7, .y = {1.3, 0.6}, .z = {1.1}, .p = {1.7}},
                           {.quantities = {"q1*q2"}});
}

TEST(SystemLaws, AreKeptByASystemWithRightDerivatives) {
  const auto report = laws(Defect::kNone);
  EXPECT_THAT(report.violations, IsEmpty());
  EXPECT_GE(report.num_nonzero, 20);
}

TEST(SystemLaws, SeeEachWrongDerivative) {
  const struct {
    Defect defect;
    const char* finding;
  } cases[] = {
      {Defect::kState, "directions, d/dy[0]: row 0"},
      {Defect::kAlgebraic, "directions, d/dz[0]: row 2"},
      {Defect::kTime, "directions, d/dt: row 1"},
      {Defect::kInput, "directions, d/du[0]: row 1"},
      {Defect::kParameter, "directions, d/dp[0]: row 0"},
      {Defect::kSwitch, "switch_directions, d/dt: row 0"},
      {Defect::kJump, "jump_directions of \"s\", d/dp[0]: row 1"},
      {Defect::kStart, "start_directions, d/dp[0]: row 0"},
      {Defect::kObserve, "observe_directions, d/dy[0]: row 0"},
      {Defect::kInvariant, "invariant_directions, d/dy[0]: row 0"},
      {Defect::kProjection, "project_directions, d/dy[0]: row 0"},
      {Defect::kDrift, "project() leaves the invariants above its tolerance"},
      {Defect::kPullBack, "pull_back, d/dy[1]: the pull-back is"},
      {Defect::kInputPullBack, "pull_back, d/du[0]: the pull-back is"},
  };
  for (const auto& c : cases) {
    const auto violations = laws(c.defect).violations;
    ASSERT_FALSE(violations.empty()) << c.finding;
    EXPECT_THAT(violations.front(), HasSubstr(c.finding));
  }
}

}  // namespace
}  // namespace parfait::testing_support
