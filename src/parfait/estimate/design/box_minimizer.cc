#include "parfait/estimate/design/box_minimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_minimizer {
namespace {

double violation_of(const BoxPoint& point) {
  double largest = 0;
  for (const double c : point.c) largest = std::max(largest, std::abs(c));
  for (const double g : point.g) largest = std::max(largest, -g);
  return largest;
}

/// f + mu.c + rho/2 |c|^2 + 1/(2 rho) sum (max(0, nu - rho g)^2 - nu^2)
struct Lagrangian {
  VectorXd mu, nu;
  double rho = 10;

  double value(const BoxPoint& p) const {
    if (!std::isfinite(p.f)) return std::numeric_limits<double>::infinity();
    double sum = p.f;
    for (Index i = 0; i < p.c.size(); ++i) sum += mu[i] * p.c[i] + rho / 2 * p.c[i] * p.c[i];
    for (Index i = 0; i < p.g.size(); ++i) {
      const double active = std::max(0.0, nu[i] - rho * p.g[i]);
      sum += (active * active - nu[i] * nu[i]) / (2 * rho);
    }
    return sum;
  }
  VectorXd slope(const BoxPoint& p, const BoxSlope& d) const {
    VectorXd out = d.f;
    for (Index i = 0; i < p.c.size(); ++i) {
      out += (mu[i] + rho * p.c[i]) * d.c.row(i).transpose();
    }
    for (Index i = 0; i < p.g.size(); ++i) {
      const double active = std::max(0.0, nu[i] - rho * p.g[i]);
      if (active > 0) out -= active * d.g.row(i).transpose();
    }
    return out;
  }
  void renew(const BoxPoint& p) {
    for (Index i = 0; i < p.c.size(); ++i) mu[i] += rho * p.c[i];
    for (Index i = 0; i < p.g.size(); ++i) nu[i] = std::max(0.0, nu[i] - rho * p.g[i]);
  }
};

struct Box {
  VectorXd lower, upper;

  VectorXd into(const VectorXd& u) const { return u.cwiseMax(lower).cwiseMin(upper); }
  bool is_near_lower(const VectorXd& u, Index i, double near) const {
    return u[i] <= lower[i] + near;
  }
  bool is_near_upper(const VectorXd& u, Index i, double near) const {
    return u[i] >= upper[i] - near;
  }
};

Box box_of(const BoxProblem& problem, Index n) {
  const bool given = problem.lower.size() > 0;
  return {.lower = given ? problem.lower : VectorXd(VectorXd::Zero(n)),
          .upper = given ? problem.upper : VectorXd(VectorXd::Ones(n))};
}

double projected_slope(const Box& box, const VectorXd& u, const VectorXd& g) {
  return (box.into(u - g) - u).cwiseAbs().maxCoeff();
}

/// The quasi-Newton direction of the variables that may move.
VectorXd direction(const Box& box, const VectorXd& u, const VectorXd& g, const MatrixXd& B) {
  const double near = std::min(1e-8, projected_slope(box, u, g));
  std::vector<Index> free;
  for (Index i = 0; i < u.size(); ++i) {
    const bool rests =
        (box.is_near_lower(u, i, near) && g[i] > 0) || (box.is_near_upper(u, i, near) && g[i] < 0);
    if (!rests) free.push_back(i);
  }
  const auto n = static_cast<Index>(free.size());
  VectorXd d = VectorXd::Zero(u.size());
  if (n == 0) return d;
  MatrixXd own(n, n), right(n, 1);
  for (Index a = 0; a < n; ++a) {
    right(a, 0) = -g[free[static_cast<std::size_t>(a)]];
    for (Index b = 0; b < n; ++b) {
      own(a, b) = B(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
    }
  }
  const MatrixXd step = math::solve_lu(own, right);
  for (Index a = 0; a < n; ++a) d[free[static_cast<std::size_t>(a)]] = step(a, 0);
  return d;
}

void update(MatrixXd& B, const VectorXd& s, const VectorXd& change) {
  const VectorXd Bs = B * s;
  const double sBs = s.dot(Bs);
  if (!(sBs > 0)) return;
  VectorXd y = change;
  const double sy = s.dot(y);
  if (sy < 0.2 * sBs) {
    const double theta = 0.8 * sBs / (sBs - sy);
    y = theta * y + (1 - theta) * Bs;
  }
  const double dot = s.dot(y);
  if (!(dot > 1e-300)) return;
  B += y * y.transpose() / dot - Bs * Bs.transpose() / sBs;
}

/// A short way to where all conditions hold: Newton's method for what is violated, in the variables
/// that bounds leave free, the shortest step each time.
void restore(const BoxProblem& problem, const Box& box, double feasibility, VectorXd& u,
             BoxPoint& point) {
  for (int i = 0; i < 8; ++i) {
    const double before = violation_of(point);
    if (before <= 0.1 * feasibility || !std::isfinite(point.f)) return;
    const BoxSlope slope = problem.slope(u);
    const Index n = u.size();
    std::vector<Index> rows;  // equations, then inequalities that are violated or nearly so
    for (Index j = 0; j < point.c.size(); ++j) rows.push_back(j);
    for (Index j = 0; j < point.g.size(); ++j) {
      if (point.g[j] < 0.5 * feasibility) rows.push_back(point.c.size() + j);
    }
    MatrixXd J(std::ssize(rows), n), right(std::ssize(rows), 1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool is_equation = rows[k] < point.c.size();
      const Index j = is_equation ? rows[k] : rows[k] - point.c.size();
      J.row(static_cast<Index>(k)) = is_equation ? slope.c.row(j) : slope.g.row(j);
      right(static_cast<Index>(k), 0) = is_equation ? -point.c[j] : 0.05 * feasibility - point.g[j];
    }
    // Variables that would leave the box stay where they are.
    VectorXd step = VectorXd::Zero(n);
    std::vector<bool> rests(static_cast<std::size_t>(n), false);
    for (int pass = 0; pass < 5; ++pass) {
      MatrixXd free = J;
      for (Index v = 0; v < n; ++v) {
        if (rests[static_cast<std::size_t>(v)]) free.col(v).setZero();
      }
      step = math::solve_least_squares(free, right).col(0);
      bool again = false;
      for (Index v = 0; v < n; ++v) {
        const double to = u[v] + step[v];
        const bool at_bound = box.is_near_lower(u, v, 1e-12) || box.is_near_upper(u, v, 1e-12);
        const bool stays = to >= box.lower[v] && to <= box.upper[v];
        if (rests[static_cast<std::size_t>(v)] || !at_bound || stays) continue;
        rests[static_cast<std::size_t>(v)] = again = true;
      }
      if (!again) break;
    }
    const VectorXd next = box.into(u + step);
    const BoxPoint there = problem.value(next);
    if (!std::isfinite(there.f) || violation_of(there) > 0.9 * before) return;
    u = next;
    point = there;
  }
}

}  // namespace
}  // namespace design_minimizer

BoxResult minimize_in_box(const BoxProblem& problem, const VectorXd& start,
                          const BoxOptions& options) {
  namespace parts = design_minimizer;
  BoxResult out;
  const parts::Box box = parts::box_of(problem, start.size());
  out.u = box.into(start);
  out.point = problem.value(out.u);
  out.violation = parts::violation_of(out.point);
  if (!std::isfinite(out.point.f) || out.u.size() == 0) {
    out.feasible = out.violation <= options.feasibility;
    out.converged = out.u.size() == 0;
    return out;
  }
  const bool has_conditions = out.point.c.size() + out.point.g.size() > 0;
  parts::Lagrangian L;
  L.mu = VectorXd::Zero(out.point.c.size());
  L.nu = VectorXd::Zero(out.point.g.size());
  VectorXd u = out.u;
  BoxPoint point = out.point;
  BoxResult best = out;
  const auto n = u.size();
  const auto is_better = [&](const BoxPoint& p, double violation) {
    const bool ok = violation <= options.feasibility;
    const bool best_ok = best.violation <= options.feasibility;
    if (ok != best_ok) return ok;
    return ok ? p.f < best.point.f : violation < best.violation;
  };
  const auto note = [&] {
    const double violation = parts::violation_of(point);
    if (!is_better(point, violation)) return;
    best.u = u;
    best.point = point;
    best.violation = violation;
    if (problem.on_best) problem.on_best(u);
  };
  note();
  const bool is_gradient = options.method == BoxMethod::kGradient;
  const MatrixXd metric = problem.metric.size() > 0 ? MatrixXd(problem.metric.asDiagonal())
                                                    : MatrixXd(MatrixXd::Identity(n, n));
  const int rounds = has_conditions ? 30 : 1;
  double last_violation = std::numeric_limits<double>::infinity();
  bool stopped = false;
  for (int round = 0; round < rounds && !stopped; ++round) {
    BoxSlope slope = problem.slope(u);
    VectorXd g = L.slope(point, slope);
    const auto curvature = [&](double c) { return MatrixXd(std::max(1e-8, c) * metric); };
    MatrixXd B = curvature(g.cwiseAbs().maxCoeff() / 0.1);
    bool fresh = true, settled = false;
    int quiet = 0;
    const double tolerance = has_conditions
                                 ? std::max(options.tolerance, 1e-3 * std::pow(0.2, round))
                                 : options.tolerance;
    while (out.iterations < options.max_iterations) {
      if (problem.interrupted && problem.interrupted()) {
        stopped = true;
        break;
      }
      if (parts::projected_slope(box, u, g) <= tolerance) {
        settled = true;
        break;
      }
      ++out.iterations;
      VectorXd d = parts::direction(box, u, g, B);
      const double longest = d.cwiseAbs().maxCoeff();
      if (longest > 0.5) d *= 0.5 / longest;
      const double f = L.value(point);
      VectorXd next;
      BoxPoint there;
      double t = 1, value = f;
      bool found = false;
      for (int trial = 0; trial < 30; ++trial) {
        next = box.into(u + t * d);
        const double predicted = g.dot(next - u);
        if ((next - u).cwiseAbs().maxCoeff() < 1e-14) break;
        there = problem.value(next);
        value = L.value(there);
        if (std::isfinite(value) && value <= f + 1e-4 * std::min(predicted, 0.0)) {
          found = true;
          break;
        }
        const double fit = std::isfinite(value) && predicted < 0
                               ? -predicted * t / (2 * (value - f - predicted))
                               : 0.2 * t;
        t = std::clamp(fit, 0.1 * t, 0.5 * t);
      }
      if (!found) {
        if (fresh) break;  // not even along the slope
        B = curvature(g.cwiseAbs().maxCoeff() / 0.01);
        fresh = true;
        continue;
      }
      const BoxSlope next_slope = problem.slope(next);
      const VectorXd next_g = L.slope(there, next_slope);
      const VectorXd s = next - u;
      const double sy = s.dot(next_g - g), ss = s.dot(metric * s);
      if (is_gradient) {  // the next one is tried twice as long
        B /= 2 * t;
      } else {
        if (fresh && sy > 0) B = curvature(sy / ss);  // the first step tells its size
        parts::update(B, s, next_g - g);
      }
      fresh = false;
      quiet = f - value < 1e-13 * (1 + std::abs(f)) ? quiet + 1 : 0;
      u = next;
      point = there;
      slope = next_slope;
      g = next_g;
      note();
      if (quiet >= 3) {
        settled = true;
        break;
      }
    }
    if (!has_conditions) {
      out.converged = settled;
      break;
    }
    const double violation = parts::violation_of(point);
    if (violation > 0.1 * options.feasibility && violation < 0.1) {
      // What the multipliers do not reach yet: a feasible point nearby, to be remembered.
      const VectorXd kept_u = u;
      const BoxPoint kept = point;
      parts::restore(problem, box, options.feasibility, u, point);
      note();
      u = kept_u;
      point = kept;
    }
    if (violation <= options.feasibility && settled && tolerance <= options.tolerance * 1.01) {
      out.converged = true;
      break;
    }
    if (out.iterations >= options.max_iterations) break;
    L.renew(point);
    if (violation > 0.3 * last_violation && violation > options.feasibility) {
      L.rho = std::min(1e8, 5 * L.rho);
    }
    last_violation = violation;
  }
  out.u = best.u;
  out.point = best.point;
  out.violation = best.violation;
  out.feasible = out.violation <= options.feasibility;
  return out;
}

}  // namespace parfait::estimate
