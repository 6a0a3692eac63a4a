#include "parfait/motion/poses/pose_solver.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parfait::motion {

using tree::Motion;
using tree::Sym3;

namespace {

/// Coordinates that take part in a direction that is not seen, beside the largest.
constexpr double kTied = 0.1;

/// Steps shorter than this (rad or m) are near enough for Newton's.
constexpr double kNear = 0.3;

bool is_bound(CoordinateState state) {
  return state == CoordinateState::kAtLower || state == CoordinateState::kAtUpper;
}

}  // namespace

int FramePose::num_free() const {
  return static_cast<int>(std::count(states.begin(), states.end(), CoordinateState::kFree));
}

PoseSolver::PoseSolver(const Skeleton& skeleton, const MarkerPlan& plan, const PoseOptions& options)
    : skeleton_(skeleton),
      plan_(plan),
      options_(options),
      kinematics_(skeleton, plan),
      n_(skeleton.num_coordinates()) {
  const auto n = static_cast<std::size_t>(n_);
  const std::size_t num_bodies = plan.bodies.size();
  for (std::size_t b = 0; b < num_bodies; ++b) {
    first_motion_.push_back(static_cast<int>(motions_.size()));
    const int parent = skeleton.tree.bodies[b].parent;
    std::vector<int> carriers;
    if (parent >= 0) {
      carriers = ancestors_[parent];
      for (int k = first_motion_[parent]; k < first_motion_[parent + 1]; ++k) {
        carriers.push_back(k);
      }
    }
    ancestors_.push_back(carriers);
    for (const auto& motion : plan.bodies[b].motions) {
      motions_.push_back({motion.node, motion.w, plan.bodies[b].columns[motion.column], motion.axis,
                          motion.turns});
    }
    if (b + 1 == num_bodies) first_motion_.push_back(static_cast<int>(motions_.size()));
  }
  limited_.assign(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    const Coordinate& c = skeleton.coordinates[j];
    const bool finite = std::isfinite(c.lower) || std::isfinite(c.upper);
    limited_[j] =
        options.limits && options.method == PoseMethod::kGaussNewton && c.q >= 0 && finite;
  }
  for (std::size_t b = 0; b < num_bodies; ++b) {
    if (skeleton.tree.bodies[b].parent >= 0) continue;
    for (int k = first_motion_[b]; k < first_motion_[b + 1]; ++k) {
      const auto j = static_cast<std::size_t>(motions_[k].v);
      const Coordinate& c = skeleton.coordinates[j];
      if (c.is_angle && c.upper - c.lower >= 2 * std::numbers::pi - 1e-3) limited_[j] = 0;
    }
  }
  moments_.resize(num_bodies);
  twists_.resize(motions_.size());
  H_.resize(n * n);
  K_.resize(n * n);
  U_.resize(n * n);
  for (auto* v : {&g_, &d_, &target_, &low_, &high_}) v->resize(n);
  movable_.resize(n);
  tied_.resize(n);
  free_.reserve(n);
  trial_.resize(static_cast<std::size_t>(skeleton.tree.nq));
  if (!options_.goals.empty()) from_goal_.resize(n);
}

void PoseSolver::into_limits(std::vector<double>& q) const {
  for (std::size_t j = 0; j < limited_.size(); ++j) {
    const Coordinate& c = skeleton_.coordinates[j];
    if (limited_[j] && !c.locked) q[c.q] = std::clamp(q[c.q], c.lower, c.upper);
  }
}

double PoseSolver::place(std::span<const double> measured, std::span<const double> weights,
                         const std::vector<double>& q) {
  kinematics_.place(q);
  const auto& x = kinematics_.positions();
  double objective = 0;
  for (std::size_t b = 0; b < moments_.size(); ++b) {
    Moments& sum = moments_[b];
    sum = {};
    for (const int m : plan_.bodies[b].markers) {
      const double w = weights[m];
      const Vec3<double> y{measured[3 * m], measured[3 * m + 1], measured[3 * m + 2]};
      if (!(w > 0) || std::isnan(y.x) || std::isnan(y.y) || std::isnan(y.z)) continue;
      const Vec3<double> r = x[m] - y, a = x[m] - origin_, wa = w * a, wr = w * r;
      objective += dot(r, wr);
      sum.w += w;
      sum.h += wa;
      sum.X = sum.X +
              Sym3<double>{wa.x * a.x, wa.y * a.y, wa.z * a.z, wa.x * a.y, wa.x * a.z, wa.y * a.z};
      sum.F += wr;
      sum.T[0] += a.x * wr;
      sum.T[1] += a.y * wr;
      sum.T[2] += a.z * wr;
    }
  }
  for (std::size_t j = 0; j < from_goal_.size(); ++j) {
    const auto& goal = options_.goals[j];
    const int at = skeleton_.coordinates[j].q;
    if (!(goal.weight > 0) || at < 0) continue;
    from_goal_[j] = q[static_cast<std::size_t>(at)] - goal.value;
    objective += goal.weight * from_goal_[j] * from_goal_[j];
  }
  return objective;
}

void PoseSolver::assemble(bool with_curvature) {
  const auto& ws = kinematics_.workspace();
  const bool plain = skeleton_.tree.plain;
  for (std::size_t k = 0; k < motions_.size(); ++k) {
    const OwnMotion& motion = motions_[k];
    const auto& at = ws.nodes[motion.node];
    const double rate = plain ? 1 : ws.driven.jets[motion.w].d1;
    const Vec3<double> s = rate * column(at.R, motion.axis);
    if (motion.turns) {
      twists_[k] = {s, cross(at.p - origin_, s)};
    } else {
      twists_[k] = {{}, s};
    }
  }
  std::fill(H_.begin(), H_.end(), 0.0);
  std::fill(g_.begin(), g_.end(), 0.0);
  if (with_curvature) std::fill(K_.begin(), K_.end(), 0.0);
  for (int b = static_cast<int>(moments_.size()) - 1; b >= 0; --b) {
    const Moments& G = moments_[b];
    if (G.w == 0) continue;
    const int parent = skeleton_.tree.bodies[b].parent;
    if (parent >= 0) {
      Moments& carrier = moments_[parent];
      carrier.w += G.w;
      carrier.h += G.h;
      carrier.X = carrier.X + G.X;
      carrier.F += G.F;
      for (int k = 0; k < 3; ++k) carrier.T[k] += G.T[k];
    }
    const Vec3<double> moment = G.moment();
    const double trace = G.X.xx + G.X.yy + G.X.zz;
    for (int j = first_motion_[b]; j < first_motion_[b + 1]; ++j) {
      const Motion<double>& s = twists_[j];
      const int vj = motions_[j].v;
      // sum w (u + omega x x), and its moment.
      const Vec3<double> F = G.w * s.v + cross(s.omega, G.h);
      const Vec3<double> N = cross(G.h, s.v) + (trace * s.omega - G.X * s.omega);
      const auto add = [&](int i, double factor) {
        const int vi = motions_[i].v;
        const double entry = dot(twists_[i].omega, N) + dot(twists_[i].v, F);
        const auto at = static_cast<std::size_t>(std::min(vi, vj)) * n_ + std::max(vi, vj);
        H_[at] += vi == vj ? factor * entry : entry;
      };
      for (const int i : ancestors_[b]) add(i, 2);
      for (int i = first_motion_[b]; i < j; ++i) add(i, 2);
      add(j, 1);
      const double power = dot(s.omega, moment) + dot(s.v, G.F);
      g_[vj] += power;
      if (!with_curvature) continue;
      // sum w c x r
      const auto turned = [&](const Motion<double>& t) {
        return cross(t.v, G.F) +
               Vec3<double>{dot(G.T[0], t.omega), dot(G.T[1], t.omega), dot(G.T[2], t.omega)} -
               G.trace() * t.omega;
      };
      const Vec3<double> Q = turned(s);
      const auto curve = [&](int i, double factor) {
        if (!motions_[i].turns) return;
        const int vi = motions_[i].v;
        double entry = dot(twists_[i].omega, Q);
        if (i != j && motions_[i].node == motions_[j].node) {
          entry = 0.5 * (entry + dot(s.omega, turned(twists_[i])));
        }
        const auto at = static_cast<std::size_t>(std::min(vi, vj)) * n_ + std::max(vi, vj);
        K_[at] += vi == vj ? factor * entry : entry;
      };
      for (const int i : ancestors_[b]) curve(i, 2);
      for (int i = first_motion_[b]; i < j; ++i) curve(i, 2);
      curve(j, 1);
      if (plain) continue;
      const auto& jet = ws.driven.jets[motions_[j].w];
      if (jet.d1 != 0) {
        K_[static_cast<std::size_t>(vj) * n_ + vj] += jet.d2 / jet.d1 * power;
      }
    }
  }
  for (std::size_t j = 0; j < from_goal_.size(); ++j) {
    const double w = options_.goals[j].weight;
    if (!(w > 0) || skeleton_.coordinates[j].q < 0) continue;
    H_[j * static_cast<std::size_t>(n_) + j] += w;
    g_[j] += w * from_goal_[j];
  }
}

int PoseSolver::eliminate(double lambda) {
  const auto m = static_cast<int>(free_.size());
  for (int a = 0; a < m; ++a) {
    const int i = free_[a];
    double* out = &U_[static_cast<std::size_t>(a) * m];
    for (int b = a; b < m; ++b) {
      const int j = free_[b];
      out[b] = H_[static_cast<std::size_t>(std::min(i, j)) * n_ + std::max(i, j)];
    }
    out[a] += options_.method == PoseMethod::kDamped ? lambda : lambda * out[a];
  }
  for (int a = 0; a < m; ++a) {
    double* row = &U_[static_cast<std::size_t>(a) * m];
    const double diagonal = H_[static_cast<std::size_t>(free_[a]) * n_ + free_[a]];
    if (!(row[a] > options_.unseen * diagonal)) return a;
    const double scale = 1 / std::sqrt(row[a]);
    for (int b = a; b < m; ++b) row[b] *= scale;
    for (int i = a + 1; i < m; ++i) {
      const double f = row[i];
      if (f == 0) continue;
      double* other = &U_[static_cast<std::size_t>(i) * m];
      for (int b = i; b < m; ++b) other[b] -= f * row[b];
    }
  }
  return -1;
}

void PoseSolver::find_tied(int a) {
  // The direction: coordinate a by 1, those before it by -U^-1 u, u the part of column a above.
  const auto m = static_cast<int>(free_.size());
  double largest = 1;
  for (int b = a - 1; b >= 0; --b) {
    const double* row = &U_[static_cast<std::size_t>(b) * m];
    double value = -row[a];
    for (int c = b + 1; c < a; ++c) value -= row[c] * target_[c];
    target_[b] = value / row[b];
    largest = std::max(largest, std::abs(target_[b]));
  }
  for (int b = 0; b < a; ++b) {
    if (std::abs(target_[b]) > kTied * largest) tied_[free_[b]] = 1;
  }
}

void PoseSolver::factorize(double lambda, FramePose& pose) {
  std::fill(tied_.begin(), tied_.end(), 0);
  // From the tips to the root, where elimination fills nothing in.
  free_.clear();
  for (int j = n_ - 1; j >= 0; --j) {
    if (!movable_[j] || is_bound(pose.states[j])) continue;
    pose.states[j] = CoordinateState::kFree;
    // What no visible marker moves with is no question of rank.
    if (H_[static_cast<std::size_t>(j) * n_ + j] > 0) {
      free_.push_back(j);
    } else {
      pose.states[j] = CoordinateState::kUnseen;
    }
  }
  if (eliminate(lambda) < 0) return;
  // Coordinates that the others make up for leave the set: from the root to the tips, so that it
  // is the later ones that keep their value.
  std::reverse(free_.begin(), free_.end());
  for (int a = eliminate(lambda); a >= 0; a = eliminate(lambda)) {
    find_tied(a);
    pose.states[free_[a]] = CoordinateState::kUnseen;
    free_.erase(free_.begin() + a);
  }
}

/// The coordinates that are free, none of which may lack a pivot.
bool PoseSolver::factorize_convex(FramePose& pose) {
  free_.clear();
  for (int j = n_ - 1; j >= 0; --j) {
    if (pose.states[j] == CoordinateState::kFree) free_.push_back(j);
  }
  return eliminate(0) < 0;
}

bool PoseSolver::find_newton_step(FramePose& pose) {
  states_ = pose.states;
  // In the place of H for as long as it takes.
  for (std::size_t i = 0; i < H_.size(); ++i) K_[i] += H_[i];
  std::swap(H_, K_);
  const bool found = minimize_in_box(0, pose, true);
  std::swap(H_, K_);
  if (!found) pose.states = states_;
  return found;
}

bool PoseSolver::minimize_in_box(double lambda, FramePose& pose, bool with_curvature) {
  std::fill(d_.begin(), d_.end(), 0.0);
  const auto entry = [&](int i, int j) {
    return H_[static_cast<std::size_t>(std::min(i, j)) * n_ + std::max(i, j)];
  };
  for (int round = 0; round < 4 * n_ + 20; ++round) {
    if (with_curvature) {
      if (!factorize_convex(pose)) return false;
    } else {
      factorize(lambda, pose);
    }
    const auto m = static_cast<int>(free_.size());
    // H_ff d_f = -g_f - H_fa d_a.
    for (int a = 0; a < m; ++a) {
      double right = -g_[free_[a]];
      for (int j = 0; j < n_; ++j) {
        if (d_[j] != 0 && is_bound(pose.states[j])) right -= entry(free_[a], j) * d_[j];
      }
      target_[a] = right;
    }
    for (int a = 0; a < m; ++a) {
      const double* row = &U_[static_cast<std::size_t>(a) * m];
      target_[a] /= row[a];
      for (int b = a + 1; b < m; ++b) target_[b] -= row[b] * target_[a];
    }
    for (int a = m - 1; a >= 0; --a) {
      const double* row = &U_[static_cast<std::size_t>(a) * m];
      double value = target_[a];
      for (int b = a + 1; b < m; ++b) value -= row[b] * target_[b];
      target_[a] = value / row[a];
    }
    // As far as the first limit in the way.
    double step = 1;
    int blocking = -1;
    for (int a = 0; a < m; ++a) {
      const int j = free_[a];
      if (!limited_[j]) continue;
      const double way = target_[a] - d_[j];
      const double room = way > 0 ? high_[j] - d_[j] : low_[j] - d_[j];
      if (way != 0 && step * std::abs(way) > std::abs(room)) {
        step = std::abs(room) / std::abs(way);
        blocking = j;
      }
    }
    for (int a = 0; a < m; ++a) d_[free_[a]] += step * (target_[a] - d_[free_[a]]);
    if (blocking >= 0) {
      const bool up =
          std::abs(high_[blocking] - d_[blocking]) < std::abs(low_[blocking] - d_[blocking]);
      d_[blocking] = up ? high_[blocking] : low_[blocking];
      pose.states[blocking] = up ? CoordinateState::kAtUpper : CoordinateState::kAtLower;
      continue;
    }
    // The limit that holds the pose back most, if one does.
    int worst = -1;
    double most = 0;
    for (int j = 0; j < n_; ++j) {
      if (!is_bound(pose.states[j])) continue;
      double gradient = g_[j], size = std::abs(g_[j]);
      for (int i = 0; i < n_; ++i) {
        gradient += entry(i, j) * d_[i];
        size += std::abs(entry(i, j) * d_[i]);
      }
      const double pull = pose.states[j] == CoordinateState::kAtLower ? -gradient : gradient;
      const double relative = pull / std::sqrt(std::max(entry(j, j), 1e-300));
      if (pull > 1e-12 * size && relative > most) {
        most = relative;
        worst = j;
      }
    }
    if (worst < 0) return true;
    pose.states[worst] = CoordinateState::kFree;
  }
  return false;
}

void PoseSolver::solve(std::span<const double> measured, std::span<const double> weights,
                       FramePose& pose, std::span<const char> movable) {
  const auto n = static_cast<std::size_t>(n_);
  const auto& coordinates = skeleton_.coordinates;
  pose.states.resize(n, CoordinateState::kFree);
  pose.iterations = 0;
  pose.converged = false;
  into_limits(pose.q);
  for (std::size_t j = 0; j < n; ++j) {
    movable_[j] = !coordinates[j].locked && (movable.empty() || movable[j]);
    if (!movable_[j]) {
      pose.states[j] = CoordinateState::kLocked;
    } else if (is_bound(pose.states[j])) {
      // A limit of the pose before counts where this one begins at it.
      const Coordinate& c = coordinates[j];
      const double at = pose.states[j] == CoordinateState::kAtLower ? c.lower : c.upper;
      if (!limited_[j] || pose.q[c.q] != at) pose.states[j] = CoordinateState::kFree;
    }
  }
  num_visible_ = 0;
  origin_ = {};
  for (int m = 0; m < skeleton_.num_markers(); ++m) {
    const Vec3<double> y{measured[3 * m], measured[3 * m + 1], measured[3 * m + 2]};
    if (!(weights[m] > 0) || std::isnan(y.x + y.y + y.z)) continue;
    ++num_visible_;
    origin_ += y;
  }
  pose.num_visible = num_visible_;
  if (num_visible_ > 0) origin_ = (1.0 / num_visible_) * origin_;

  const bool damped = options_.method == PoseMethod::kDamped;
  double lambda = 0, last_step = INFINITY;
  pose.objective = place(measured, weights, pose.q);
  for (; pose.iterations < options_.max_iterations; ++pose.iterations) {
    bool is_near = !damped && last_step < kNear;
    assemble(is_near);
    for (std::size_t j = 0; j < n; ++j) {
      if (!limited_[j]) continue;
      low_[j] = coordinates[j].lower - pose.q[coordinates[j].q];
      high_[j] = coordinates[j].upper - pose.q[coordinates[j].q];
    }
    bool moved = false;
    for (int attempt = 0; attempt < 25 && !moved; ++attempt) {
      const bool by_newton = is_near && find_newton_step(pose);
      is_near = false;
      if (!by_newton &&
          !minimize_in_box(damped ? 0.5 * pose.objective + options_.damping : lambda, pose)) {
        break;
      }
      double largest = 0;
      for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(d_[j]));
      tree::displace(skeleton_.tree, pose.q, d_, trial_);
      for (std::size_t j = 0; j < n; ++j) {
        if (pose.states[j] == CoordinateState::kAtLower)
          trial_[coordinates[j].q] = coordinates[j].lower;
        if (pose.states[j] == CoordinateState::kAtUpper)
          trial_[coordinates[j].q] = coordinates[j].upper;
      }
      if (largest <= options_.tolerance && (by_newton || lambda == 0 || attempt > 0)) {
        pose.q = trial_;
        pose.converged = true;
        break;
      }
      const double objective = place(measured, weights, trial_);
      if (damped || objective <= pose.objective * (1 + 1e-13) || largest <= options_.tolerance) {
        pose.q = trial_;
        pose.objective = objective;
        moved = true;
        last_step = largest;
        lambda = lambda < 1e-6 ? 0 : 0.1 * lambda;
      } else if (!by_newton) {
        lambda = std::max(10 * lambda, 1e-3);
      }
    }
    if (!moved) break;
  }
  tree::normalize(skeleton_.tree, pose.q);
  pose.objective = place(measured, weights, pose.q);
  assemble();
  factorize(0, pose);
}

void PoseSolver::factorize_at(std::span<const double> measured, std::span<const double> weights,
                              FramePose& pose) {
  for (std::size_t j = 0; j < movable_.size(); ++j) {
    movable_[j] = pose.states[j] == CoordinateState::kFree;
  }
  pose.objective = place(measured, weights, pose.q);
  assemble();
  factorize(0, pose);
}

void PoseSolver::solve_from_afar(std::span<const double> measured, std::span<const double> weights,
                                 FramePose& pose) {
  const auto n = static_cast<std::size_t>(n_);
  std::vector<char> root(n, 0);
  std::vector<int> angles;
  for (std::size_t b = 0; b < plan_.bodies.size(); ++b) {
    if (skeleton_.tree.bodies[b].parent >= 0) continue;
    for (int k = first_motion_[b]; k < first_motion_[b + 1]; ++k) {
      const int v = motions_[k].v;
      if (!root[v] && motions_[k].turns) angles.push_back(v);
      root[v] = 1;
    }
  }
  if (angles.size() > 3) angles.resize(3);
  const std::vector<double> start = pose.q;
  const int max_iterations = options_.max_iterations;
  struct Candidate {
    double objective;
    std::vector<double> q;
  };
  std::vector<Candidate> candidates;
  int total = 1;
  for (std::size_t k = 0; k < angles.size(); ++k) total *= 4;
  options_.max_iterations = 30;
  std::vector<double> turn(n);
  for (int which = 0; which < total; ++which) {
    std::fill(turn.begin(), turn.end(), 0.0);
    int digits = which;
    for (const int v : angles) {
      const int quarter = digits % 4;
      turn[v] = (quarter == 3 ? -1 : quarter) * std::numbers::pi / 2;
      digits /= 4;
    }
    FramePose trial;
    trial.q.resize(start.size());
    tree::displace(skeleton_.tree, start, turn, trial.q);
    solve(measured, weights, trial, root);
    candidates.push_back({trial.objective, trial.q});
    if (options_.is_stopped()) break;  // all of them take a tenth of a second
  }
  options_.max_iterations = max_iterations;
  // Angles in sequence reach one orientation in two ways, and from several turns: of equally good
  // candidates the one nearest to where it began is tried, and only that.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.objective < b.objective; });
  const auto distance = [&](const Candidate& candidate) {
    double sum = 0;
    for (std::size_t i = 0; i < start.size(); ++i) sum += std::abs(candidate.q[i] - start[i]);
    return sum;
  };
  FramePose best;
  int tried = 0;
  for (auto group = candidates.begin(); group != candidates.end() && tried < 4; ++tried) {
    const double same = group->objective * (1 + 1e-6) + 1e-14;
    const auto end = std::find_if(group, candidates.end(), [&](const Candidate& candidate) {
      return !(candidate.objective <= same);
    });
    const auto nearest = std::min_element(
        group, end, [&](const auto& a, const auto& b) { return distance(a) < distance(b) - 1e-6; });
    FramePose trial;
    trial.q = nearest->q;
    solve(measured, weights, trial);
    if (best.q.empty() || trial.objective < best.objective * (1 - 1e-6) - 1e-14) best = trial;
    group = end == group ? candidates.end() : end;
  }
  // The workspace belongs to the pose that is told.
  pose.q = best.q;
  pose.states = best.states;
  solve(measured, weights, pose);
  pose.iterations = best.iterations;
}

void PoseSolver::inverse_diagonal(std::span<double> out) const {
  std::fill(out.begin(), out.end(), std::nan(""));
  const auto m = static_cast<int>(free_.size());
  // Column c of U^-T by forward substitution; (U^T U)^-1 = U^-1 U^-T has diagonal |rows of U^-1|^2.
  std::vector<double> x(static_cast<std::size_t>(m));
  for (int c = 0; c < m; ++c) out[free_[c]] = 0;
  for (int c = 0; c < m; ++c) {
    // U y = e_c; y has entries 0 ... c.
    std::fill(x.begin(), x.end(), 0.0);
    x[c] = 1;
    for (int a = c; a >= 0; --a) {
      const double* row = &U_[static_cast<std::size_t>(a) * m];
      double value = x[a];
      for (int b = a + 1; b <= c; ++b) value -= row[b] * x[b];
      x[a] = value / row[a];
      out[free_[a]] += x[a] * x[a];
    }
  }
  for (int c = 0; c < m; ++c) {
    if (tied_[free_[c]]) out[free_[c]] = std::nan("");
  }
}

void PoseSolver::stand_at(std::span<const double> measured, std::span<const double> weights,
                          FramePose& pose) {
  for (std::size_t j = 0; j < movable_.size(); ++j) {
    movable_[j] = pose.states[j] != CoordinateState::kLocked;
  }
  origin_ = {};
  num_visible_ = 0;
  for (int m = 0; m < skeleton_.num_markers(); ++m) {
    const Vec3<double> y{measured[3 * m], measured[3 * m + 1], measured[3 * m + 2]};
    if (!(weights[m] > 0) || std::isnan(y.x + y.y + y.z)) continue;
    ++num_visible_;
    origin_ += y;
  }
  if (num_visible_ > 0) origin_ = (1.0 / num_visible_) * origin_;
  pose.objective = place(measured, weights, pose.q);
  assemble();
  factorize(0, pose);
}

void PoseSolver::spread(std::span<const double> measured, std::span<const double> weights,
                        std::span<const double> units, std::span<double> leverages,
                        std::span<double> variances) {
  const auto m = static_cast<int>(free_.size());
  const auto size = static_cast<std::size_t>(m);
  inverse_.assign(size * size, 0.0);
  row_.resize(size);
  slot_.assign(static_cast<std::size_t>(n_), -1);
  for (int a = 0; a < m; ++a) slot_[free_[a]] = a;
  // Column c of U^-1 after the other; H^-1 = U^-1 U^-T is the sum of their squares.
  for (int c = 0; c < m; ++c) {
    double* x = row_.data();
    std::fill(x, x + c, 0.0);
    x[c] = 1;
    for (int a = c; a >= 0; --a) {
      const double* row = &U_[static_cast<std::size_t>(a) * size];
      double value = x[a];
      for (int b = a + 1; b <= c; ++b) value -= row[b] * x[b];
      x[a] = value / row[a];
    }
    for (int a = 0; a <= c; ++a) {
      double* out = &inverse_[static_cast<std::size_t>(a) * size];
      for (int b = 0; b <= c; ++b) out[b] += x[a] * x[b];
    }
  }
  kinematics_.differentiate();
  std::fill(variances.begin(), variances.end(), std::nan(""));
  if (!units.empty()) {
    for (int a = 0; a < m; ++a) variances[free_[a]] = 0;
  }
  for (int k = 0; k < skeleton_.num_markers(); ++k) {
    leverages[k] = std::nan("");
    const double w = weights[k];
    if (!(w > 0) || std::isnan(measured[3 * k] + measured[3 * k + 1] + measured[3 * k + 2])) {
      continue;
    }
    const auto& columns = kinematics_.columns(k);
    const auto num_columns = columns.size();
    const double* J = kinematics_.jacobian(k);
    double trace = 0;
    for (int axis = 0; axis < 3; ++axis, J += num_columns) {
      std::fill(row_.begin(), row_.end(), 0.0);
      for (std::size_t c = 0; c < num_columns; ++c) {
        const int a = slot_[columns[c]];
        if (a < 0) continue;
        const double* column = &inverse_[static_cast<std::size_t>(a) * size];
        for (std::size_t b = 0; b < size; ++b) row_[b] += J[c] * column[b];
      }
      for (std::size_t c = 0; c < num_columns; ++c) {
        const int a = slot_[columns[c]];
        if (a >= 0) trace += J[c] * row_[static_cast<std::size_t>(a)];
      }
      if (units.empty()) continue;
      const double factor = w * units[k];
      for (int a = 0; a < m; ++a) variances[free_[a]] += factor * row_[a] * row_[a];
    }
    leverages[k] = w * trace;
  }
  for (int a = 0; a < m && !units.empty(); ++a) {
    if (tied_[free_[a]]) variances[free_[a]] = std::nan("");
  }
}

}  // namespace parfait::motion
