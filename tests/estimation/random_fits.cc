#include "random_fits.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"

namespace parfait::estimation {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A model y(t; p) in closed form and as a formula; `typical` are parameters of order 1.
struct CurveKind {
  const char* name;
  const char* formula;  ///< of t and p0, p1, ...
  double (*at)(double t, const double* p);
  std::vector<double> typical;
  /// Exponents with which units of time and data enter each parameter.
  std::vector<int> of_time, of_data;
};

const std::vector<CurveKind>& curve_kinds() {
  static const std::vector<CurveKind> all = {
      {"line",
       "p0 + p1*t",
       [](double t, const double* p) { return p[0] + p[1] * t; },
       {1, 2},
       {0, -1},
       {1, 1}},
      {"cubic",
       "p0 + p1*t + p2*t^2 + p3*t^3",
       [](double t, const double* p) { return p[0] + t * (p[1] + t * (p[2] + t * p[3])); },
       {1, -2, 0.5, 0.3},
       {0, -1, -2, -3},
       {1, 1, 1, 1}},
      {"decay",
       "p0*exp(-p1*t)",
       [](double t, const double* p) { return p[0] * std::exp(-p[1] * t); },
       {2, 0.7},
       {0, -1},
       {1, 0}},
      {"two decays",
       "p0*exp(-p1*t) + p2*exp(-p3*t)",
       [](double t, const double* p) {
         return p[0] * std::exp(-p[1] * t) + p[2] * std::exp(-p[3] * t);
       },
       {2, 0.3, 1, 2.5},
       {0, -1, 0, -1},
       {1, 0, 1, 0}},
      {"logistic",
       "p0/(1 + exp(p1 - p2*t))",
       [](double t, const double* p) { return p[0] / (1 + std::exp(p[1] - p[2] * t)); },
       {3, 2, 1.5},
       {0, 0, -1},
       {1, 0, 0}},
      {"saturation",
       "p0*t/(p1 + t)",
       [](double t, const double* p) { return p[0] * t / (p[1] + t); },
       {2, 1},
       {0, 1},
       {1, 0}},
      {"power",
       "p0*t^p1",
       [](double t, const double* p) { return p[0] * std::pow(t, p[1]); },
       {1.5, 0.6},
       {0, 0},
       {1, 0}},
      {"sine",
       "p0*sin(p1*t) + p2",
       [](double t, const double* p) { return p[0] * std::sin(p[1] * t) + p[2]; },
       {1.2, 1.3, 0.4},
       {0, -1, 0},
       {1, 0, 1}},
      {"peak",
       "p0*exp(-((t - p1)/p2)^2)",
       [](double t, const double* p) {
         const double z = (t - p[1]) / p[2];
         return p[0] * std::exp(-z * z);
       },
       {2, 2, 1},
       {0, 1, 1},
       {1, 0, 0}},
      {"product",
       "p0*p1*exp(-p2*t)",  // only the product shows
       [](double t, const double* p) { return p[0] * p[1] * std::exp(-p[2] * t); },
       {1, 2, 0.5},
       {0, 0, -1},
       {1, 0, 0}},
  };
  return all;
}

class RandomDraw {
 public:
  explicit RandomDraw(std::uint64_t number) : random_(number * 0x9E3779B97F4A7C15ULL + 12345) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  int below(int n) { return static_cast<int>(uniform(0, n)); }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform(0, 1))) *
           std::cos(6.283185307179586 * uniform(0, 1));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

RandomFit random_fit(std::uint64_t number) {
  RandomDraw draw(number);
  const CurveKind& kind = curve_kinds()[number % curve_kinds().size()];
  const auto n = static_cast<int>(kind.typical.size());
  const bool units = draw.chance(0.7);
  const double time = units ? std::pow(10, draw.uniform(-12, 12)) : 1;
  const double data = units ? std::pow(10, draw.uniform(-12, 12)) : 1;
  std::vector<double> truth(kind.typical), unit;
  for (int j = 0; j < n; ++j) {
    unit.push_back(std::pow(time, kind.of_time[j]) * std::pow(data, kind.of_data[j]));
    truth[j] *= draw.uniform(0.5, 1.5);
  }
  const int rows = draw.chance(0.1) ? 1 + draw.below(n) : n + 1 + draw.below(20);
  const double noise = draw.chance(0.15) ? 0 : std::pow(10, draw.uniform(-4, 0));
  const bool outliers = draw.chance(0.2), sigma_given = draw.chance(0.5);
  const double sigma = sigma_given ? data * std::max(noise, 1e-3) : 1;
  std::vector<double> t(rows), y(rows);
  for (int i = 0; i < rows; ++i) {
    t[i] = 0.1 + 4.0 * i / std::max(1, rows - 1);
    y[i] = kind.at(t[i], truth.data()) + noise * draw.normal();
    if (outliers && draw.chance(0.15)) y[i] += draw.uniform(-20, 20);
    t[i] *= time;
    y[i] *= data;
  }
  RandomFit out;
  out.kind = kind.name;
  auto& e = out.problem.experiments.emplace_back();
  e.id = "table";
  e.data.header = {"t", "y"};
  e.data.columns = {t, y};
  // Powers of a time with a unit are no numbers: t^p is that of t in its unit.
  std::string formula = kind.formula;
  if (out.kind == "power") formula = fmt::format("p0*(t/{:.17g})^p1", time);
  e.observations = {{.column = "y", .quantity = {formula}, .sigma = {.absolute = sigma}}};
  for (int j = 0; j < n; ++j) {
    Estimate p{.parameter = "p" + std::to_string(j)};
    const double away = draw.chance(0.5) ? 0.3 : 1;
    p.initial = truth[j] * std::pow(10, draw.uniform(-away, away));
    if (draw.chance(0.1)) p.initial = 0;
    if (draw.chance(0.1) && p.initial > 0) p.transform = Estimate::Transform::kLog;
    if (draw.chance(0.3)) {
      // Half of the bounds are in the way of the minimum.
      const double a = truth[j] * draw.uniform(0.6, 1.4);
      p.lower = std::min(a, p.initial) - (draw.chance(0.5) ? 1 : 0) * std::abs(truth[j]);
      p.upper = std::max(a, p.initial) + (draw.chance(0.5) ? 3 : 0) * std::abs(truth[j]);
      if (p.lower == p.upper) p.upper += std::abs(truth[j]);
      if (p.transform == Estimate::Transform::kLog) p.lower = std::max(p.lower, 0.0);
      p.lower *= unit[j];
      p.upper *= unit[j];
    }
    p.initial *= unit[j];
    out.problem.estimates.push_back(p);
  }
  out.problem.options.iteration.globalization = estimate::Globalization::kAuto;
  out.problem.options.sigma_known = sigma_given && draw.chance(0.3);
  const bool power = out.kind == "power";
  out.residuals = [=, at = kind.at](const std::vector<double>& p) {
    std::vector<double> r(t.size());
    for (std::size_t i = 0; i < t.size(); ++i) {
      r[i] = (at(power ? t[i] / time : t[i], p.data()) - y[i]) / sigma;
    }
    return r;
  };
  return out;
}

const char* text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRight:
      return "right";
    case Verdict::kNotConverged:
      return "not converged";
    case Verdict::kCrash:
      return "crash";
    case Verdict::kWorseThanStart:
      return "worse than start";
    case Verdict::kNotFirstOrder:
      return "not first-order";
    case Verdict::kCanBeLowered:
      return "can be lowered";
  }
  return "";
}

namespace {

/// The problem as the judge sees it: variables z = p / size, bounds of z.
class IndependentJudge {
 public:
  IndependentJudge(const RandomFit& random, const std::vector<double>& p) : random_(random) {
    size_.resize(static_cast<Eigen::Index>(p.size()));
    lower_ = upper_ = z_ = size_;
    for (Eigen::Index i = 0; i < size_.size(); ++i) {
      const Estimate& e = random.problem.estimates[static_cast<std::size_t>(i)];
      const double value = p[static_cast<std::size_t>(i)];
      size_[i] = std::max(std::abs(value), 1e-3 * std::abs(e.initial));
      if (size_[i] == 0) size_[i] = 1e-3 * natural_size(p, i);
      lower_[i] =
          (e.transform == Estimate::Transform::kLog ? std::max(e.lower, 0.0) : e.lower) / size_[i];
      upper_[i] = e.upper / size_[i];
      z_[i] = value / size_[i];
    }
    double sum = 0;
    const auto r = residuals(z_);
    const auto& y = random.problem.experiments[0].data.columns[1];
    for (const double v : y) {
      sum += std::pow(v / random.problem.experiments[0].observations[0].sigma.absolute, 2);
    }
    // Without degrees of freedom tol = 1e-6, of every unknown, is all that is asked for.
    const bool exact = y.size() <= p.size();
    rounding_ = (exact ? 1e-10 : 1e-26) * (sum + r.squaredNorm());
    // Known sigma: what is far below them does not matter.
    if (random.problem.options.sigma_known) rounding_ += 1e-6;
  }

  double objective() const { return residuals(z_).squaredNorm(); }
  /// An objective below this is rounding.
  double rounding() const { return rounding_; }

  /// What a Gauss-Newton step within the bounds promises, by central differences.
  double promised() const {
    const MatrixXd J = jacobian(z_);
    const VectorXd r = residuals(z_);
    std::vector<Eigen::Index> free;
    const VectorXd g = J.transpose() * r;
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      // At a bound, or so close that the way to it is worth nothing.
      const double width = 1e-9 * std::max(1.0, std::abs(z_[i])), worth = 1e-9 * r.squaredNorm();
      if (g[i] > 0 && (z_[i] <= lower_[i] + width || g[i] * (z_[i] - lower_[i]) < worth)) continue;
      if (g[i] < 0 && (z_[i] >= upper_[i] - width || -g[i] * (upper_[i] - z_[i]) < worth)) continue;
      if (J.col(i).norm() > 0) free.push_back(i);
    }
    if (free.empty()) return 0;
    MatrixXd A = J(Eigen::all, free);
    for (Eigen::Index j = 0; j < A.cols(); ++j) A.col(j).normalize();
    // Directions weaker than the differences are accurate say nothing.
    Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-7);
    const VectorXd along = svd.matrixU().leftCols(svd.rank()).transpose() * r;
    return along.squaredNorm();
  }

  /// Levenberg-Marquardt within the bounds by projection; the objective it ends with.
  double descend() const {
    VectorXd z = z_;
    double f = residuals(z).squaredNorm(), lambda = 1e-2;
    for (int k = 0; k < 300 && lambda < 1e12; ++k) {
      const MatrixXd J = jacobian(z);
      const VectorXd r = residuals(z);
      MatrixXd H = J.transpose() * J;
      const VectorXd g = J.transpose() * r;
      std::vector<Eigen::Index> free;
      for (Eigen::Index i = 0; i < z.size(); ++i) {
        const bool stuck = (z[i] <= lower_[i] && g[i] > 0) || (z[i] >= upper_[i] && g[i] < 0);
        if (!stuck && H(i, i) > 0) free.push_back(i);
      }
      if (free.empty()) break;
      bool better = false;
      for (; lambda < 1e12 && !better; lambda *= better ? 0.2 : 5) {
        MatrixXd K = H(free, free);
        K.diagonal() *= 1 + lambda;
        VectorXd step = VectorXd::Zero(z.size());
        step(free) = -K.ldlt().solve(VectorXd(g(free)));
        const VectorXd next = (z + step).cwiseMax(lower_).cwiseMin(upper_);
        const double value = residuals(next).squaredNorm();
        if (value < f) {
          better = value < f * (1 - 1e-12);
          z = next;
          f = value;
        }
      }
      if (!better) break;
    }
    return f;
  }

 private:
  VectorXd residuals(const VectorXd& z) const {
    std::vector<double> p(static_cast<std::size_t>(z.size()));
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = z[static_cast<Eigen::Index>(i)] * size_[static_cast<Eigen::Index>(i)];
    }
    const auto r = random_.residuals(p);
    return Eigen::Map<const VectorXd>(r.data(), static_cast<Eigen::Index>(r.size()));
  }
  MatrixXd jacobian(const VectorXd& z) const {
    MatrixXd J(residuals(z).size(), z.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double h = 1e-5 * std::max(1.0, std::abs(z[i]));
      VectorXd a = z, b = z;
      a[i] -= h;
      b[i] += h;
      J.col(i) = (residuals(b) - residuals(a)) / (2 * h);
    }
    return J;
  }
  /// Of a parameter at zero that began there: the change that the data can see.
  double natural_size(const std::vector<double>& p, Eigen::Index i) const {
    double largest = 0;
    for (int power = -40; power <= 40; ++power) {
      auto q = p;
      q[static_cast<std::size_t>(i)] = std::pow(10, power);
      const auto a = random_.residuals(p), b = random_.residuals(q);
      double change = 0, size = 0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        change += std::pow(b[k] - a[k], 2);
        size += a[k] * a[k];
      }
      if (change > 1e-4 * size && largest == 0) largest = std::pow(10, power);
    }
    return largest > 0 ? largest : 1;
  }

  const RandomFit& random_;
  VectorXd size_, lower_, upper_, z_;
  double rounding_ = 0;
};

}  // namespace

RandomOutcome try_random_fit(const RandomFit& random) {
  RandomOutcome out;
  std::vector<double> p, start;
  FitResult result;
  try {
    result = fit(random.problem);
  } catch (const std::exception& error) {
    out.verdict = Verdict::kCrash;
    out.what = error.what();
    return out;
  }
  out.iterations = result.iteration.iterations;
  out.descended = result.iteration.descent_from.has_value();
  for (const auto& e : result.estimates) p.push_back(e.statistics.value);
  for (const auto& e : random.problem.estimates) start.push_back(e.initial);
  const IndependentJudge there(random, p), before(random, start);
  const double f = there.objective(), f0 = before.objective();
  const double rounding = there.rounding();
  if (f > f0 * (1 + 1e-9) + rounding) {  // even where it did not converge
    out.verdict = Verdict::kWorseThanStart;
    out.what = fmt::format("{}: {:.10g} > {:.10g} at the start ({})",
                           result.converged() ? "converged" : "not converged", f, f0,
                           result.iteration.message);
    return out;
  }
  if (!result.converged()) {
    out.verdict = Verdict::kNotConverged;
    out.what = result.iteration.message;
    return out;
  }
  if (f <= rounding) return out;
  const double promised = there.promised();
  if (promised > 1e-5 * f + rounding) {
    out.verdict = Verdict::kNotFirstOrder;
    out.what = fmt::format("a linear step promises {:.2e} of {:.10g}, rounding {:.1e} ({})",
                           promised / f, f, rounding, result.iteration.message);
    return out;
  }
  const double lower = there.descend();
  if (f - lower > 1e-6 * f + rounding) {
    out.verdict = Verdict::kCanBeLowered;
    out.what =
        fmt::format("by {:.2e} of {:.10g} ({})", (f - lower) / f, f, result.iteration.message);
  }
  return out;
}

}  // namespace parfait::estimation
