#include "parfait/estimate/design/linear_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/shooting/node_placement.h"
#include "parfait/math/directions_matrix.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace linear_plan {
namespace {

[[noreturn]] void refuse(const PlannedExperiment& planned, const std::string& why) {
  throw base::InputError(planned.inputs.front().place,
                         fmt::format("experiment \"{}\", input \"{}\": breaks=\"newton\" {}",
                                     planned.base.id, planned.inputs.front().id, why));
}

void check_form(const PlannedExperiment& planned) {
  const auto& sizes = planned.base.system->sizes();
  if (!planned.continuous || planned.continuous->budget) {
    refuse(planned, "needs <continuous> measurements without a budget.");
  }
  if (sizes.nz > 0 || sizes.num_pos + sizes.num_vel > 0 || sizes.num_switches > 0) {
    refuse(planned, "is for systems without algebraic states, constraints and events.");
  }
  if (planned.inputs.size() != 1 || !planned.variables.empty()) {
    refuse(planned, "is for one input and nothing else that is designed.");
  }
}

/// Rates and outputs of a system with a constant input, with all that is linear in them.
class ConstantInput {
 public:
  ConstantInput(const PlannedExperiment& planned, const PlacedNode& node,
                const std::vector<std::string>& outputs, double u)
      : k_(node.start.dp.count()) {
    dynamics::Input table;
    table.id = planned.inputs.front().id;
    table.t = {0};
    table.value = {u};
    table.interpolation = expr::Interpolation::kPrevious;
    system_ = planned.with_inputs({table});
    observer_ = system_->make_observer(outputs);
    ny_ = system_->sizes().ny();
    const int all = ny_ + k_;
    ws_ = system_->make_workspace(all);
    system_->bind(*ws_, node.start.p);
    dynamics::Directions dp(system_->sizes().np, all);
    for (int i = 0; i < system_->sizes().np; ++i) {
      for (int j = 0; j < k_; ++j) dp(i, ny_ + j) = node.start.dp(i, j);
    }
    system_->bind_directions(*ws_, dp);
    dy_.resize(ny_, all);
    for (int i = 0; i < ny_; ++i) dy_(i, i) = 1;
    rates_.resize(ny_, all);
    outputs_.resize(observer_->size(), all);
  }

  /// f and h at a point, their derivatives by y, then by the parameters: one below the other.
  struct Values {
    VectorXd f;     ///< (f, h)
    MatrixXd by_y;  ///< columns
    MatrixXd by_p;
  };
  Values at(double t, const VectorXd& y) {
    const std::vector<double> state(y.data(), y.data() + y.size());
    const dynamics::Point point{.t = t, .y = state, .z = {}, .mode = {}, .offset = {}};
    const Index nh = observer_->size();
    Values out;
    out.f = VectorXd::Zero(ny_ + nh);
    std::vector<double> f(static_cast<std::size_t>(ny_)), h(static_cast<std::size_t>(nh));
    MatrixXd D(ny_ + nh, ny_ + k_);
    is_finite_ = system_->evaluate(*ws_, point, f, {}) == dynamics::Status::kOk;
    system_->directions(*ws_, {.dt = {}, .dy = &dy_}, rates_, nullptr);
    D.topRows(ny_) = math::to_matrix(rates_).leftCols(ny_ + k_);
    is_finite_ &= system_->observe(*ws_, *observer_, point, h) == dynamics::Status::kOk;
    system_->observe_directions(*ws_, *observer_, {.dt = {}, .dy = &dy_}, outputs_);
    D.bottomRows(nh) = math::to_matrix(outputs_).leftCols(ny_ + k_);
    for (Index i = 0; i < ny_; ++i) out.f[i] = f[static_cast<std::size_t>(i)];
    for (Index i = 0; i < nh; ++i) out.f[ny_ + i] = h[static_cast<std::size_t>(i)];
    out.by_y = D.leftCols(ny_);
    out.by_p = D.rightCols(k_);
    is_finite_ &= out.f.allFinite() && D.allFinite();
    return out;
  }
  bool is_finite() const { return is_finite_; }
  int ny() const { return ny_; }

 private:
  std::shared_ptr<const dynamics::System> system_;
  std::unique_ptr<dynamics::System::Observer> observer_;
  std::unique_ptr<dynamics::Workspace> ws_;
  dynamics::Directions dy_, rates_, outputs_;
  int ny_ = 0, k_ = 0;
  bool is_finite_ = true;
};

/// (f, h) and their derivatives by parameters as A_j y + b_j u + a_j; j = 0 is the value itself.
struct Affine {
  std::vector<MatrixXd> A;
  std::vector<VectorXd> b, a;

  VectorXd at(int j, const VectorXd& y, double u) const {
    const auto i = static_cast<std::size_t>(j);
    return A[i] * y + b[i] * u + a[i];
  }
};

/// From the values at 0, at the unit vectors and with u = 1, which say everything about a function
/// that is linear.
Affine affine_parts(ConstantInput& off, ConstantInput& on, double t, int k) {
  const int ny = off.ny();
  const VectorXd zero = VectorXd::Zero(ny);
  const auto at_zero = off.at(t, zero), pushed = on.at(t, zero);
  Affine out;
  out.A = {at_zero.by_y};
  out.a = {at_zero.f};
  out.b = {pushed.f - at_zero.f};
  for (int j = 0; j < k; ++j) {
    out.A.emplace_back(at_zero.f.size(), ny);
    out.a.emplace_back(at_zero.by_p.col(j));
    out.b.emplace_back(pushed.by_p.col(j) - at_zero.by_p.col(j));
  }
  for (int i = 0; i < ny; ++i) {
    const auto there = off.at(t, VectorXd::Unit(ny, i));
    for (int j = 0; j < k; ++j) {
      out.A[static_cast<std::size_t>(j) + 1].col(i) = there.by_p.col(j) - at_zero.by_p.col(j);
    }
  }
  return out;
}

/// Whether the parts give the values elsewhere, at another time and with another input.
bool holds_elsewhere(const Affine& parts, ConstantInput& on, double t, int k) {
  const int ny = on.ny();
  VectorXd y(ny);
  for (Index i = 0; i < ny; ++i) y[i] = 1.7 * std::sin(2.3 * static_cast<double>(i) + 0.4);
  const auto there = on.at(t, y);
  if (!on.is_finite()) return false;
  const auto same = [](const VectorXd& a, const VectorXd& b) {
    return (a - b).cwiseAbs().maxCoeff() <= 1e-9 * (1 + a.cwiseAbs().maxCoeff());
  };
  if (!same(there.f, parts.at(0, y, 1))) return false;
  for (int j = 0; j < k; ++j) {
    if (!same(there.by_p.col(j), parts.at(j + 1, y, 1))) return false;
  }
  return (there.by_y - parts.A[0]).cwiseAbs().maxCoeff() <=
         1e-9 * (1 + parts.A[0].cwiseAbs().maxCoeff());
}

/// Conditions of the design: equations at the end.
std::vector<std::string> end_conditions(const PlannedExperiment& planned,
                                        const ExperimentDescription& e, double end) {
  std::vector<std::string> out;
  for (const auto& requirement : e.requirements) {
    const bool fits = !requirement.inequality && requirement.terms.size() == 1 &&
                      requirement.terms[0].at &&
                      std::abs(*requirement.terms[0].at - end) <= 1e-9 * std::abs(end);
    if (!fits) refuse(planned, "keeps equations at the end only.");
    out.push_back(requirement.terms[0].formula.text);
  }
  return out;
}

}  // namespace
}  // namespace linear_plan

LinearPlan linear_plan_of(const PlannedExperiment& planned, ExperimentDescription e,
                          const Unknowns& shared, VecIn p, const FitOptions& options) {
  using linear_plan::refuse;
  linear_plan::check_form(planned);
  const Horizon horizon = horizon_of(e);
  const PlannedInput& input = planned.inputs.front();
  const auto times = e.samples->all_times();
  const double near = 1e-9 * (horizon.end - horizon.begin);
  if (std::abs(input.from - horizon.begin) > near || std::abs(input.to - horizon.end) > near ||
      std::abs(times.back() - horizon.end) > near) {
    refuse(planned,
           "is for inputs and measurements that last to the end of the experiment, inputs from its "
           "begin.");
  }
  std::vector<std::string> outputs;
  for (const Observation& o : e.observations) outputs.push_back(o.quantity.text);
  const auto conditions = linear_plan::end_conditions(planned, e, horizon.end);
  outputs.insert(outputs.end(), conditions.begin(), conditions.end());
  LinearPlan out;
  out.begin = horizon.begin;
  out.end = horizon.end;
  out.measured = times.front();

  e.requirements.clear();
  e.grid = {};
  const ShootingLayout layout = make_shooting_layout(e, shared);
  if (!layout.free.empty() || layout.locals.size() > 0) {
    refuse(planned, "is for experiments without unknowns of their own.");
  }
  const NodePlacement placement(layout, options);
  PlacedNode node = placement.make_node();
  ShootingPoint point;
  set_point(layout, VectorXd(0), p, point);
  const Seeds seeds = all_directions(layout, 0);
  if (!placement.place(0, point, &seeds, node)) refuse(planned, "cannot begin: " + node.why);

  const int k = node.start.dp.count(), ny = layout.ny();
  linear_plan::ConstantInput off(planned, node, outputs, 0), on(planned, node, outputs, 1);
  const auto parts = linear_plan::affine_parts(off, on, out.begin, k);
  const double later = out.begin + 0.618 * (out.end - out.begin);
  if (!off.is_finite() || !linear_plan::holds_elsewhere(parts, on, later, k)) {
    refuse(planned,
           "is for models whose rates and observed quantities are linear in states and input, and "
           "do not depend on time.");
  }
  // z = (y, y_1 ... y_k, 1)
  const int n = ny * (k + 1) + 1;
  out.A = MatrixXd::Zero(n, n);
  out.b = VectorXd::Zero(n);
  out.z0 = VectorXd::Unit(n, n - 1);
  for (int j = 0; j <= k; ++j) {
    const auto i = static_cast<std::size_t>(j);
    out.A.block(ny * j, 0, ny, ny) = parts.A[i].topRows(ny);
    if (j > 0) out.A.block(ny * j, ny * j, ny, ny) = parts.A[0].topRows(ny);
    out.A.block(ny * j, n - 1, ny, 1) = parts.a[i].head(ny);
    out.b.segment(ny * j, ny) = parts.b[i].head(ny);
    for (int s = 0; s < ny; ++s) {
      out.z0[ny * j + s] =
          j == 0 ? node.start.y[static_cast<std::size_t>(s)] : node.start.W(s, j - 1);
    }
  }
  const double weight = std::sqrt(planned.copies / planned.continuous->density);
  const auto num_observed = std::ssize(e.observations);
  for (Index q = 0; q < num_observed; ++q) {
    MatrixXd& S = out.S.emplace_back(MatrixXd::Zero(k, n));
    for (int j = 1; j <= k; ++j) {
      const auto i = static_cast<std::size_t>(j);
      if (std::abs(parts.b[i][ny + q]) > 0) refuse(planned, "needs quantities without the input.");
      S.row(j - 1).head(ny) = weight * parts.A[i].row(ny + q);
      S.row(j - 1).segment(ny * j, ny) = weight * parts.A[0].row(ny + q);
      S(j - 1, n - 1) = weight * parts.a[i][ny + q];
    }
  }
  out.C = MatrixXd::Zero(std::ssize(conditions), n);
  for (Index c = 0; c < out.C.rows(); ++c) {
    out.C.row(c).head(ny) = parts.A[0].row(ny + num_observed + c);
    out.C(c, n - 1) = parts.a[0][ny + num_observed + c];
  }
  return out;
}

}  // namespace parfait::estimate
