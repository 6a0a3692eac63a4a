#include "parfait/integrate/hht/continuous_adjoint.h"

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/integrate/hht/hht_matrix.h"
#include "parfait/integrate/hht/parameter_pull_back.h"

namespace parfait::integrate {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

namespace continuous_adjoint {

using Numbers = std::vector<double>;

/// The adjoint variables at one time.
struct Covector {
  Numbers p, w, e_bar, mu;
};

namespace {

/// y += factor A^T x
void add_transposed(const dynamics::Triplets& A, const Numbers& x, double factor, Numbers& y) {
  for (int i = 0; i < A.size(); ++i) y[A.column[i]] += factor * A.value[i] * x[A.row[i]];
}
/// A x
Numbers times(const dynamics::Triplets& A, const Numbers& x, int rows) {
  Numbers out(static_cast<std::size_t>(rows), 0.0);
  for (int i = 0; i < A.size(); ++i) out[A.row[i]] += A.value[i] * x[A.column[i]];
  return out;
}

const dynamics::SecondOrder& mechanics_of(const dynamics::System& system) {
  if (const auto* mechanics = system.second_order()) return *mechanics;
  throw base::InputError(
      "the continuous adjoint is that of mechanisms in natural coordinates; this model has no "
      "equations of second order.");
}

}  // namespace
}  // namespace continuous_adjoint

using continuous_adjoint::Covector;
using continuous_adjoint::Numbers;

class ContinuousAdjoint::Impl {
 public:
  Impl(const dynamics::System& system, const dynamics::Workspace& workspace)
      : system_(system),
        mechanics_(continuous_adjoint::mechanics_of(system)),
        nq_(system.sizes().nq),
        ng_(system.sizes().num_pos),
        ne_(system.sizes().ne),
        num_unknowns_(static_cast<std::size_t>(nq_) + static_cast<std::size_t>(ng_) +
                      static_cast<std::size_t>(ne_)),
        matrix_(nq_, ng_, ne_),
        parameters_(system, mechanics_) {
    for (auto* ws : {&own_, &rating_}) {
      *ws = system.make_bound_copy(workspace, math::kLanes);
      system.clear_parameter_adjoint(**ws);
    }
    mechanics_.mass(*own_, mass_);
    regular_ = matrix_.set_mass(mass_);
  }

  Status run(const Motion& motion, Vec ybar) {
    if (!regular_) return Status::kSingular;
    const std::size_t n = motion.t.size();
    seen_.assign(n, {});
    Covector now, before;
    Status status = look(motion, n - 1);
    if (status == Status::kOk) status = end(motion, ybar, now);
    if (status != Status::kOk) return status;
    const double h = (motion.t.back() - motion.t.front()) / static_cast<double>(n - 1);
    note(n - 1, now);
    for (std::size_t i = n - 1; i-- > 0;) {
      const bool first = i + 2 == n;
      Covector next;
      // BDF of order 1, then 2: x_next = c x' + history.
      const double c = first ? h : 2 * h / 3;
      const double recent = first ? 1 : 4.0 / 3, older = first ? 0 : -1.0 / 3;
      const auto history = [&](Numbers Covector::*x) {
        Numbers out = now.*x;
        for (std::size_t k = 0; k < out.size(); ++k) {
          out[k] = recent * out[k] + (first ? 0 : older * (before.*x)[k]);
        }
        return out;
      };
      status = look(motion, i);
      if (status != Status::kOk) return status;
      status =
          step(c, history(&Covector::p), history(&Covector::w), history(&Covector::e_bar), next);
      if (status != Status::kOk) return status;
      if (first) {  // the multiplier of the end is that of the step next to it
        now.mu = next.mu;
        status = look(motion, n - 1);
        if (status != Status::kOk) return status;
        add_parameters(0.5 * h, now);
        status = look(motion, i);
        if (status != Status::kOk) return status;
      }
      add_parameters(i == 0 ? 0.5 * h : h, next);
      note(i, next);
      before = std::move(now);
      now = std::move(next);
    }
    std::ranges::copy(seen_.front(), ybar.begin());
    return Status::kOk;
  }

  const std::vector<Numbers>& seen() const { return seen_; }
  dynamics::Workspace& workspace() { return *own_; }
  void add_parameter_gradient(Vec gradient) {
    system_.move_parameter_adjoint(*rating_, *own_);
    system_.add_parameter_gradient(*own_, gradient);
  }

 private:
  /// a, lambda and the derivatives of r, g and e' at a point of the motion.
  Status look(const Motion& motion, std::size_t i) {
    Numbers rates(static_cast<std::size_t>(system_.sizes().ny()));
    const dynamics::Point at{
        .t = motion.t[i], .y = motion.y[i], .z = {}, .mode = motion.mode, .offset = {}};
    Status status = system_.evaluate(*rating_, at, rates, {});
    if (status != Status::kOk) return status;
    a_.assign(rates.begin() + nq_, rates.begin() + 2 * nq_);
    lambda_.assign(static_cast<std::size_t>(ng_), 0.0);
    status = evaluate(at);  // r = f, without lambda
    if (status != Status::kOk) return status;
    if (!matrix_.factor(linear_, {})) return Status::kSingular;
    Numbers x = r_;
    const Numbers Ga = continuous_adjoint::times(linear_.G, a_, ng_);
    x.insert(x.end(), Ga.begin(), Ga.end());
    x.resize(num_unknowns_, 0.0);
    matrix_.solve_transposed(x);  // symmetric
    lambda_.assign(x.begin() + nq_, x.begin() + nq_ + ng_);
    return evaluate(at);
  }

  Status evaluate(const dynamics::Point& at) {
    r_.resize(static_cast<std::size_t>(nq_));
    g_.resize(static_cast<std::size_t>(ng_));
    edot_.resize(static_cast<std::size_t>(ne_));
    const Status status = mechanics_.evaluate(*own_, at, lambda_, r_, g_, edot_);
    if (status == Status::kOk) mechanics_.linearize(*own_, linear_);
    return status;
  }

  /// [M G^T; G 0] (x, y) = (x, y)
  bool solve_augmented(Numbers& x, Numbers& y) {
    if (!matrix_.factor(linear_, {})) return false;
    Numbers both = x;
    both.insert(both.end(), y.begin(), y.end());
    both.resize(num_unknowns_, 0.0);
    matrix_.solve_transposed(both);  // symmetric
    x.assign(both.begin(), both.begin() + nq_);
    y.assign(both.begin() + nq_, both.begin() + nq_ + ng_);
    return true;
  }

  /// The end conditions (errata of the source: p gets G^T eta, so that G w = 0 goes on to hold).
  Status end(const Motion& motion, ConstVec ybar, Covector& out) {
    const auto nq = static_cast<std::size_t>(nq_);
    const Numbers &y = motion.y.back(), v(y.begin() + nq_, y.begin() + 2 * nq_);
    out.e_bar.assign(ybar.begin() + 2 * nq_, ybar.end());
    out.w.resize(nq);
    for (std::size_t i = 0; i < nq; ++i) out.w[i] = -ybar[nq + i];
    Numbers zeta(static_cast<std::size_t>(ng_), 0.0);
    if (!solve_augmented(out.w, zeta)) return Status::kSingular;
    // p = -(G v)_q^T zeta - phi_q;   r_q(lambda + zeta) - r_q(lambda) = -(G^T zeta)_q
    out.p.assign(nq, 0.0);
    const dynamics::Linearization here = linear_;
    for (std::size_t i = 0; i < nq; ++i) out.p[i] = -ybar[i];
    Numbers seed(nq), none_g(static_cast<std::size_t>(ng_), 0.0),
        none_e(static_cast<std::size_t>(ne_), 0.0);
    const dynamics::Point at{
        .t = motion.t.back(), .y = y, .z = {}, .mode = motion.mode, .offset = {}};
    // (G v)_p^T zeta, likewise: the difference of two pull-backs of r along v.
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < nq; ++i) seed[i] = sign * v[i];
      parameters_.forces(*own_, seed, none_g, none_e);
      if (sign < 0) break;
      for (int i = 0; i < ng_; ++i) lambda_[i] += zeta[i];
      const Status status = evaluate(at);
      if (status != Status::kOk) return status;
    }
    continuous_adjoint::add_transposed(linear_.dr_dq, v, 1, out.p);
    continuous_adjoint::add_transposed(here.dr_dq, v, -1, out.p);
    for (int i = 0; i < ng_; ++i) lambda_[i] -= zeta[i];
    // G' w: G is linear in q.
    Numbers turned = rate_of_rows(motion, v, out.w, here);
    Status status = evaluate(at);
    if (status != Status::kOk) return status;
    Numbers rate(nq);
    for (std::size_t i = 0; i < nq; ++i) rate[i] = -out.p[i];
    continuous_adjoint::add_transposed(linear_.dedot_dv, out.e_bar, 1, rate);
    continuous_adjoint::add_transposed(linear_.dr_dv, out.w, -1, rate);
    for (double& x : turned) x = -x;
    if (!solve_augmented(rate, turned)) return Status::kSingular;  // (w', eta)
    continuous_adjoint::add_transposed(linear_.G, turned, 1, out.p);
    for (double& x : turned) x = -x;
    std::ranges::fill(seed, 0.0);
    parameters_.forces(*own_, seed, turned, none_e);  // - g_p^T eta
    return Status::kOk;
  }

  /// d/dt G w at the end, exact where g is quadratic: differences to both sides must agree.
  Numbers rate_of_rows(const Motion& motion, const Numbers& v, const Numbers& w,
                       const dynamics::Linearization& here) {
    Numbers out[2];
    const Numbers Gw = continuous_adjoint::times(here.G, w, ng_);
    double size = 1e-300, difference = 0;
    for (const int side : {0, 1}) {
      Numbers moved = motion.y.back();
      for (int i = 0; i < nq_; ++i) moved[i] += (side == 0 ? 1 : -1) * v[i];
      const dynamics::Point at{
          .t = motion.t.back(), .y = moved, .z = {}, .mode = motion.mode, .offset = {}};
      (void)evaluate(at);  // G alone is of interest
      out[side] = continuous_adjoint::times(linear_.G, w, ng_);
      for (int i = 0; i < ng_; ++i) out[side][i] = (side == 0 ? 1 : -1) * (out[side][i] - Gw[i]);
    }
    for (int i = 0; i < ng_; ++i) {
      size = std::max({size, std::abs(out[0][i]), std::abs(out[1][i])});
      difference = std::max(difference, std::abs(out[0][i] - out[1][i]));
    }
    if (difference > 1e-8 * size) {
      throw base::InputError(
          "the continuous adjoint needs constraints that are quadratic in the coordinates; this "
          "model has others.");
    }
    return out[0];
  }

  /// [M - c r_v^T - c^2 r_q^T] w + c^2 G^T mu + (c f_e,v + c^2 f_e,q)^T e_bar = c P + M W, ...: the
  /// transpose of the matrix of hht, with beta h^2 = c^2 and gamma h = c.
  Status step(double c, const Numbers& P, const Numbers& W, const Numbers& E, Covector& next) {
    if (!matrix_.factor(linear_, {.alpha = 0, .beta_h2 = c * c, .gamma_h = c})) {
      return Status::kSingular;
    }
    Numbers x(num_unknowns_, 0.0), MW(W.size());
    matrix_.multiply_mass(W, MW);
    for (int i = 0; i < nq_; ++i) x[i] = c * P[i] + MW[i];
    for (int i = 0; i < ne_; ++i) x[nq_ + ng_ + i] = -E[i];
    matrix_.solve_transposed(x);
    next.w.assign(x.begin(), x.begin() + nq_);
    next.mu.assign(x.begin() + nq_, x.begin() + nq_ + ng_);
    for (double& mu : next.mu) mu /= c * c;
    next.e_bar.assign(x.begin() + nq_ + ng_, x.end());
    for (double& e : next.e_bar) e = -e;
    // p = P - c (f_e,q^T e_bar - r_q^T w + G^T mu)
    next.p = P;
    continuous_adjoint::add_transposed(linear_.dedot_dq, next.e_bar, -c, next.p);
    continuous_adjoint::add_transposed(linear_.dr_dq, next.w, c, next.p);
    continuous_adjoint::add_transposed(linear_.G, next.mu, -c, next.p);
    return Status::kOk;
  }

  /// weight * ((M a)_p^T w - r_p^T w + g_p^T mu + f_e,p^T e_bar)
  void add_parameters(double weight, const Covector& at) {
    Numbers w = at.w, mu = at.mu, e = at.e_bar;
    for (auto* x : {&w, &mu, &e}) {
      for (double& one : *x) one *= weight;
    }
    parameters_.mass(*own_, a_, w);
    for (double& one : w) one = -one;
    parameters_.forces(*own_, w, mu, e);
  }

  /// (-p, -M w, e_bar)
  void note(std::size_t i, const Covector& at) {
    Numbers& out = seen_[i];
    out.resize(static_cast<std::size_t>(system_.sizes().ny()));
    Numbers Mw(at.w.size());
    matrix_.multiply_mass(at.w, Mw);
    for (int k = 0; k < nq_; ++k) {
      out[k] = -at.p[k];
      out[nq_ + k] = -Mw[k];
    }
    std::ranges::copy(at.e_bar, out.begin() + 2 * nq_);
  }

  const dynamics::System& system_;
  const dynamics::SecondOrder& mechanics_;
  int nq_, ng_, ne_;
  std::size_t num_unknowns_;  ///< of a linear system: (w, mu, e_bar)
  HhtMatrix matrix_;
  ParameterPullBack parameters_;
  dynamics::Triplets mass_;
  dynamics::Linearization linear_;
  bool regular_ = false;
  std::unique_ptr<dynamics::Workspace> own_, rating_;
  Numbers a_, lambda_, r_, g_, edot_;
  std::vector<Numbers> seen_;
};

ContinuousAdjoint::ContinuousAdjoint(const dynamics::System& system,
                                     const dynamics::Workspace& workspace)
    : impl_(std::make_unique<Impl>(system, workspace)) {}
ContinuousAdjoint::~ContinuousAdjoint() = default;

dynamics::Status ContinuousAdjoint::run(const Motion& motion, dynamics::Vec ybar) {
  return impl_->run(motion, ybar);
}
const std::vector<std::vector<double>>& ContinuousAdjoint::sensitivities() const {
  return impl_->seen();
}
dynamics::Workspace& ContinuousAdjoint::workspace() {
  return impl_->workspace();
}
void ContinuousAdjoint::add_parameter_gradient(dynamics::Vec gradient) {
  impl_->add_parameter_gradient(gradient);
}

}  // namespace parfait::integrate
