#include "parfait/estimate/objective/minimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "parfait/base/error.h"

namespace parfait::estimate {
namespace minimizing {
namespace {

using Eigen::VectorXd;
using Outcome = MinimizeResult::Outcome;

constexpr double kArmijo = 1e-4;
constexpr double kCurvature = 0.9;
constexpr int kMaxTrials = 40;
// A search tries at first to change no unknown by more than this, in sizes of the unknowns: a
// factor of 100 where they are logarithms. Farther away lie parameters with which a run takes for
// ever.
constexpr double kBoldest = 4.6;

template <class T>
struct Choice {
  T value;
  const char* name;
};
constexpr std::array<Choice<Descent>, 4> kDescents = {{{Descent::kLbfgs, "lbfgs"},
                                                       {Descent::kBfgs, "bfgs"},
                                                       {Descent::kSteepest, "descent"},
                                                       {Descent::kLsmr, "lsmr"}}};
constexpr std::array<Choice<StepSearch>, 5> kSearches = {{{StepSearch::kWolfe, "wolfe"},
                                                          {StepSearch::kGolden, "golden"},
                                                          {StepSearch::kQuadratic, "quadratic"},
                                                          {StepSearch::kCubic, "cubic"},
                                                          {StepSearch::kParallel, "parallel"}}};

template <class T, std::size_t N>
const char* name_of(const std::array<Choice<T>, N>& choices, T value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return "";
}

template <class T, std::size_t N>
T value_of(const std::array<Choice<T>, N>& choices, const std::string& name,
           const std::string& what) {
  std::vector<std::string> names;
  for (const auto& choice : choices) {
    if (name == choice.name) return choice.value;
    names.emplace_back(choice.name);
  }
  throw base::InputError(fmt::format("{} {}: must be {}.{}", what, name, base::joined(names, "or"),
                                     base::suggestion(name, names)));
}

/// f along x + alpha d.
struct Point {
  double alpha = 0, f = 0, slope = 0;
  VectorXd x{}, g{};
  bool exists = false;
};

class Minimizer {
 public:
  Minimizer(const ScalarFunction& f, const VectorXd& lower, const VectorXd& upper,
            const MinimizeOptions& options)
      : f_(f), lower_(lower), upper_(upper), options_(options) {}

  MinimizeResult run(const VectorXd& start,
                     const std::function<bool(const MinimizeStep&)>& on_step) {
    MinimizeResult out;
    Point now;
    now.x = start.cwiseMax(lower_).cwiseMin(upper_);
    evaluate(now, true);
    const auto finish = [&](Outcome outcome) {
      out.outcome = outcome;
      out.x = now.x;
      out.f = now.f;
      out.gradient = now.g;
      out.evaluations = evaluations_;
      return out;
    };
    if (!now.exists) return finish(Outcome::kFailed);
    const auto note = [&](double length) {
      const MinimizeStep step{.iteration = out.iterations,
                              .f = now.f,
                              .gradient = projected(now).lpNorm<Eigen::Infinity>(),
                              .length = length,
                              .evaluations = evaluations_,
                              .x = now.x};
      out.path.push_back(step);
      return !on_step || on_step(step);
    };
    if (!note(0)) return finish(Outcome::kInterrupted);
    const double first = projected(now).lpNorm<Eigen::Infinity>();
    const auto is_small = [&](const VectorXd& g, double factor) {
      return g.lpNorm<Eigen::Infinity>() <=
             factor * options_.tolerance * std::max(first, std::abs(now.f));
    };
    while (true) {
      const VectorXd free_gradient = projected(now);
      if (is_small(free_gradient, 1)) return finish(Outcome::kConverged);
      if (out.iterations >= options_.max_iterations) return finish(Outcome::kMaxIterations);
      VectorXd d = direction(free_gradient);
      if (!(d.dot(free_gradient) < 0)) {
        forget();
        d = direction(free_gradient);
      }
      Point next = search(now, d, first_length(d, free_gradient, out.iterations));
      if (!next.exists && !is_fresh()) {  // once more along the gradient
        forget();
        d = direction(free_gradient);
        next = search(now, d, first_length(d, free_gradient, 0));
      }
      if (!next.exists) {
        return finish(is_small(free_gradient, 100) ? Outcome::kConverged : Outcome::kStalled);
      }
      learn(next.x - now.x, next.g - now.g, free_gradient);
      const double change = now.f - next.f;
      const double length = next.alpha;
      now = std::move(next);
      ++out.iterations;
      if (!note(length)) return finish(Outcome::kInterrupted);
      if (change <= 4e-16 * std::abs(now.f)) {
        return finish(is_small(projected(now), 100) ? Outcome::kConverged : Outcome::kStalled);
      }
    }
  }

 private:
  void evaluate(Point& at, bool with_gradient) {
    ++evaluations_;
    at.exists = f_(at.x, at.f, with_gradient ? &at.g : nullptr) && std::isfinite(at.f) &&
                (!with_gradient || at.g.allFinite());
  }

  /// The gradient without what pushes an unknown out of its bounds.
  VectorXd projected(const Point& at) const {
    VectorXd g = at.g;
    for (Eigen::Index i = 0; i < g.size(); ++i) {
      if ((at.x[i] <= lower_[i] && g[i] > 0) || (at.x[i] >= upper_[i] && g[i] < 0)) g[i] = 0;
    }
    return g;
  }

  VectorXd direction(const VectorXd& g) {
    VectorXd d = -g;
    if (options_.method == Descent::kBfgs && inverse_.size() > 0) {
      d = -(inverse_ * g);
    } else if (options_.method == Descent::kLbfgs && !pairs_.empty()) {
      std::vector<double> a(pairs_.size());
      for (std::size_t i = pairs_.size(); i-- > 0;) {
        a[i] = pairs_[i].s.dot(d) / pairs_[i].sy;
        d -= a[i] * pairs_[i].y;
      }
      const auto& last = pairs_.back();
      d *= last.sy / last.y.squaredNorm();
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        d += (a[i] - pairs_[i].y.dot(d) / pairs_[i].sy) * pairs_[i].s;
      }
    }
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      if (g[i] == 0) d[i] = 0;
    }
    return d;
  }

  void learn(const VectorXd& s, const VectorXd& y, const VectorXd& g) {
    const double sy = s.dot(y);
    if (!(sy > 1e-12 * s.norm() * y.norm())) return;
    if (options_.method == Descent::kLbfgs) {
      pairs_.push_back({s, y, sy});
      if (pairs_.size() > 10) pairs_.pop_front();
    } else if (options_.method == Descent::kBfgs) {
      const Eigen::Index n = g.size();
      if (inverse_.size() == 0) {
        inverse_ = (sy / y.squaredNorm()) * Eigen::MatrixXd::Identity(n, n);
      }
      const VectorXd Hy = inverse_ * y;
      const double factor = (1 + y.dot(Hy) / sy) / sy;
      inverse_.noalias() += factor * (s * s.transpose());
      inverse_.noalias() -= (Hy * s.transpose()) / sy;
      inverse_.noalias() -= (s * Hy.transpose()) / sy;
    }
  }
  void forget() {
    pairs_.clear();
    inverse_.resize(0, 0);
    length_ = 0;
  }
  bool is_fresh() const { return pairs_.empty() && inverse_.size() == 0; }

  double first_length(const VectorXd& d, const VectorXd& g, int iteration) {
    if (!is_fresh()) return 1;
    // Nothing is known of the curvature: a tenth of the size of x, or what worked before.
    if (iteration > 0 && length_ > 0) return length_ / d.norm();
    (void)g;
    return 0.1 / std::max(d.lpNorm<Eigen::Infinity>(), 1e-300);
  }

  double longest(const Point& now, const VectorXd& d) const {
    double alpha = kInfinity;
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      if (d[i] > 0) alpha = std::min(alpha, (upper_[i] - now.x[i]) / d[i]);
      if (d[i] < 0) alpha = std::min(alpha, (lower_[i] - now.x[i]) / d[i]);
    }
    return alpha;
  }

  Point at(const Point& now, const VectorXd& d, double alpha, bool with_gradient) {
    Point p;
    p.alpha = alpha;
    p.x = (now.x + alpha * d).cwiseMax(lower_).cwiseMin(upper_);
    evaluate(p, with_gradient);
    if (p.exists && with_gradient) p.slope = p.g.dot(d);
    return p;
  }

  Point search(const Point& from, const VectorXd& d, double alpha) {
    Point now = from;
    now.alpha = 0;
    now.slope = now.g.dot(d);
    const double most = longest(now, d);
    alpha = std::min({alpha, most, kBoldest / d.lpNorm<Eigen::Infinity>()});
    if (!(alpha > 0)) return {};
    Point found;
    switch (options_.line_search) {
      case StepSearch::kWolfe:
        found = wolfe(now, d, alpha, most);
        break;
      case StepSearch::kGolden:
        found = golden(now, d, alpha, most);
        break;
      case StepSearch::kParallel:
        found = parallel(now, d, alpha, most);
        break;
      default:
        found = interpolating(now, d, alpha);
    }
    if (found.exists) length_ = found.alpha * d.norm();
    return found;
  }

  bool descends(const Point& now, const Point& p) const {
    return p.exists && p.f <= now.f + kArmijo * p.alpha * now.slope;
  }

  /// The minimum of the cubic through values and slopes of two points, kept well between them.
  static double cubic(const Point& a, const Point& b) {
    const double d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.alpha - b.alpha);
    const double square = d1 * d1 - a.slope * b.slope;
    const double low = std::min(a.alpha, b.alpha), high = std::max(a.alpha, b.alpha);
    double alpha = 0.5 * (low + high);
    if (square >= 0) {
      const double d2 = std::copysign(std::sqrt(square), b.alpha - a.alpha);
      alpha = b.alpha - (b.alpha - a.alpha) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
    }
    const double margin = 0.1 * (high - low);
    return std::isfinite(alpha) ? std::clamp(alpha, low + margin, high - margin)
                                : 0.5 * (low + high);
  }

  /// Nocedal, Wright (2006), algorithms 3.5 and 3.6.
  Point wolfe(const Point& now, const VectorXd& d, double alpha, double most) {
    Point before = now;
    for (int i = 0; i < kMaxTrials; ++i) {
      Point p = at(now, d, alpha, true);
      if (!p.exists) {
        alpha = before.alpha + 0.3 * (alpha - before.alpha);
        continue;
      }
      if (!descends(now, p) || (i > 0 && p.f >= before.f)) return zoom(now, d, before, p);
      if (std::abs(p.slope) <= -kCurvature * now.slope || p.alpha >= most) return p;
      if (p.slope >= 0) return zoom(now, d, p, before);
      before = std::move(p);
      alpha = std::min(2.5 * alpha, most);
    }
    return before.alpha > 0 ? before : Point{};
  }

  Point zoom(const Point& now, const VectorXd& d, Point low, Point high) {
    for (int i = 0; i < kMaxTrials; ++i) {
      Point p = at(now, d, cubic(low, high), true);
      if (!p.exists || !descends(now, p) || p.f >= low.f) {
        high = std::move(p);
        if (!high.exists) {
          high.f = kInfinity;
          return low.alpha > 0 ? low : Point{};
        }
      } else {
        if (std::abs(p.slope) <= -kCurvature * now.slope) return p;
        if (p.slope * (high.alpha - low.alpha) >= 0) high = low;
        low = std::move(p);
      }
      if (std::abs(high.alpha - low.alpha) <= 1e-14 * std::max(high.alpha, low.alpha)) break;
    }
    return low.alpha > 0 && low.exists ? low : Point{};
  }

  /// Golden section: a bracket by doubling, then 0.618 of it again and again.
  Point golden(const Point& now, const VectorXd& d, double alpha, double most) {
    constexpr double kRatio = 0.6180339887498949;
    Point p = at(now, d, alpha, false);
    int trials = 0;
    while ((!p.exists || p.f >= now.f) && trials++ < kMaxTrials)
      p = at(now, d, alpha *= 0.2, false);
    if (!p.exists || p.f >= now.f) return {};
    double low = 0, high = alpha;
    while (high < most && trials++ < kMaxTrials) {
      Point q = at(now, d, std::min(high / kRatio, most), false);
      const bool goes_on = q.exists && q.f < p.f;
      low = goes_on ? p.alpha : low;
      high = q.alpha;
      if (!goes_on) break;
      p = std::move(q);
    }
    Point left = at(now, d, high - kRatio * (high - low), false);
    Point right = at(now, d, low + kRatio * (high - low), false);
    const auto value = [](const Point& x) { return x.exists ? x.f : kInfinity; };
    while (high - low > 1e-3 * high) {
      if (value(left) <= value(right)) {
        high = right.alpha;
        right = std::move(left);
        left = at(now, d, high - kRatio * (high - low), false);
      } else {
        low = left.alpha;
        left = std::move(right);
        right = at(now, d, low + kRatio * (high - low), false);
      }
    }
    Point better = value(left) <= value(right) ? left : right;
    if (high == most) {  // downhill as far as the bounds allow
      Point end = at(now, d, most, false);
      if (value(end) <= value(better)) better = std::move(end);
    }
    return value(better) < now.f ? at(now, d, better.alpha, true) : Point{};
  }

  /// Backwards along parabolas (value and slope here, value there) or cubics (slope there, too).
  Point interpolating(const Point& now, const VectorXd& d, double alpha) {
    for (int i = 0; i < kMaxTrials; ++i) {
      Point p = at(now, d, alpha, true);
      if (descends(now, p)) {
        // Where the fit says that the minimum lies farther, one step towards it.
        if (p.slope < kCurvature * now.slope) {
          Point q = at(now, d, std::min(2 * alpha, longest(now, d)), true);
          if (descends(now, q) && q.f < p.f) return q;
        }
        return p;
      }
      if (!p.exists) {
        alpha *= 0.2;
      } else if (options_.line_search == StepSearch::kCubic) {
        alpha = cubic(now, p);
      } else {
        // alpha* = -slope alpha^2 / (2 (f - f0 - slope alpha)); signs as corrected.
        const double a = p.f - now.f - now.slope * alpha;
        alpha = std::clamp(-0.5 * now.slope * alpha * alpha / a, 0.1 * alpha, 0.5 * alpha);
      }
    }
    return {};
  }

  /// f at these steps; infinite where it does not exist.
  std::vector<double> values_at(const Point& now, const VectorXd& d,
                                const std::vector<double>& alphas) {
    std::vector<VectorXd> points;
    points.reserve(alphas.size());
    for (const double alpha : alphas) {
      points.emplace_back((now.x + alpha * d).cwiseMax(lower_).cwiseMin(upper_));
    }
    evaluations_ += static_cast<int>(points.size());
    std::vector<double> out;
    if (options_.values) {
      out = options_.values(points);
    } else {
      for (const VectorXd& x : points) {
        double f = 0;
        out.push_back(f_(x, f, nullptr) ? f : kInfinity);
      }
    }
    for (double& f : out) {
      if (!std::isfinite(f)) f = kInfinity;
    }
    return out;
  }

  /// Eight steps in powers of four around the first length, then eight between the neighbours of
  /// the best. Their number is fixed, so that what is found does not depend on threads.
  Point parallel(const Point& now, const VectorXd& d, double alpha, double most) {
    constexpr int kSteps = 8;
    std::vector<double> alphas;
    alphas.reserve(kSteps);
    for (int i = 0; i < kSteps; ++i) {
      const double next = std::min(alpha * std::pow(4.0, i - 5), most);
      if (alphas.empty() || next > alphas.back()) alphas.push_back(next);
    }
    double best = 0, best_f = now.f, low = 0, high = 0;
    for (int round = 0; round < 2; ++round) {
      const auto f = values_at(now, d, alphas);
      for (std::size_t i = 0; i < alphas.size(); ++i) {
        if (!(f[i] < best_f)) continue;
        best_f = f[i];
        best = alphas[i];
        low = i > 0 ? alphas[i - 1] : low;
        high = i + 1 < alphas.size() ? alphas[i + 1] : std::min(4 * best, most);
      }
      if (best == 0) {  // shorter ones, once
        for (double& one : alphas) one *= std::pow(4.0, -kSteps);
        continue;
      }
      alphas.clear();
      for (int i = 1; i <= kSteps; ++i) {
        const double next = low + (high - low) * i / (kSteps + 1);
        if (next != best) alphas.push_back(next);
      }
    }
    if (best == 0) return {};
    Point found = at(now, d, best, true);
    return found.exists && found.f < now.f ? found : Point{};
  }

  struct Pair {
    VectorXd s, y;
    double sy;
  };

  const ScalarFunction& f_;
  const VectorXd& lower_;
  const VectorXd& upper_;
  MinimizeOptions options_;
  int evaluations_ = 0;
  double length_ = 0;  ///< of the last step
  std::deque<Pair> pairs_;
  Eigen::MatrixXd inverse_;
};

}  // namespace
}  // namespace minimizing

const char* text(Descent method) {
  return minimizing::name_of(minimizing::kDescents, method);
}
const char* text(StepSearch search) {
  return minimizing::name_of(minimizing::kSearches, search);
}
Descent descent_of(const std::string& name, const std::string& what) {
  return minimizing::value_of(minimizing::kDescents, name, what);
}
StepSearch line_search_of(const std::string& name, const std::string& what) {
  return minimizing::value_of(minimizing::kSearches, name, what);
}

const char* text(MinimizeResult::Outcome outcome) {
  using Outcome = MinimizeResult::Outcome;
  switch (outcome) {
    case Outcome::kConverged:
      return "converged";
    case Outcome::kStalled:
      return "stalled";
    case Outcome::kMaxIterations:
      return "max_iterations";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kInterrupted:
      return "interrupted";
  }
  return "";
}

MinimizeResult minimize(const ScalarFunction& f, const Eigen::VectorXd& start,
                        const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                        const MinimizeOptions& options,
                        const std::function<bool(const MinimizeStep&)>& on_step) {
  return minimizing::Minimizer(f, lower, upper, options).run(start, on_step);
}

}  // namespace parfait::estimate
