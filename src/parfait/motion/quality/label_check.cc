#include "parfait/motion/quality/label_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/base/stop.h"

namespace parfait::motion {
namespace label_check {
namespace {

constexpr int kReach = 5;
constexpr double kLeast = 0.004;  ///< m; nearer markers are not told apart

struct Prediction {
  Vec3<double> p{};
  double noise = 0;
  bool known = false;
};

struct Sample {
  double t;
  Vec3<double> x;
};

double length(const Vec3<double>& a) {
  return std::sqrt(dot(a, a));
}

/// Weighted polynomial of degree 1 or 2 through the samples: its coefficients, constant first.
bool fit(const std::vector<Sample>& samples, const std::vector<double>& w, int degree,
         std::array<Vec3<double>, 3>& c) {
  double moments[5] = {};
  Vec3<double> right[3] = {};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double power = w[i];
    for (int k = 0; k <= 2 * degree; ++k) {
      moments[k] += power;
      if (k <= degree) right[k] += power * samples[i].x;
      power *= samples[i].t;
    }
  }
  c = {};
  if (degree == 1) {
    const double det = moments[0] * moments[2] - moments[1] * moments[1];
    if (!(det > 1e-9 * moments[0] * moments[2])) return false;
    c[0] = (1 / det) * (moments[2] * right[0] - moments[1] * right[1]);
    c[1] = (1 / det) * (moments[0] * right[1] - moments[1] * right[0]);
    return true;
  }
  // Symmetric 3 x 3 by cofactors.
  const double a = moments[0], b = moments[1], d = moments[2], e = moments[3], f = moments[4];
  const double A = d * f - e * e, B = d * e - b * f, C = b * e - d * d, D = a * f - d * d,
               E = b * d - a * e, F = a * d - b * b;
  const double det = a * A + b * B + d * C;
  if (!(std::abs(det) > 1e-9 * std::abs(a * d * f))) return false;
  c[0] = (1 / det) * (A * right[0] + B * right[1] + C * right[2]);
  c[1] = (1 / det) * (B * right[0] + D * right[1] + E * right[2]);
  c[2] = (1 / det) * (C * right[0] + E * right[1] + F * right[2]);
  return true;
}

class Checker {
 public:
  explicit Checker(MarkerData& data) : data_(data) {
    predictions_.resize(static_cast<std::size_t>(data.num_frames()) * data.labels.size());
    for (int label = 0; label < num_labels(); ++label) predict_label(label, 0, data.num_frames());
  }

  std::vector<LabelSwap> run() {
    std::vector<LabelSwap> found;
    for (int round = 0; round < 50; ++round) {
      std::vector<LabelSwap> candidates;
      for (int f = 0; f < data_.num_frames(); ++f) {
        base::leave_if_stopped();
        find(f, candidates);
      }
      if (candidates.empty()) break;
      std::stable_sort(candidates.begin(), candidates.end(), [](const auto& x, const auto& y) {
        return x.after / x.separation < y.after / y.separation;
      });
      std::vector<LabelSwap> chosen;
      for (const LabelSwap& swap : candidates) {
        const bool near = std::any_of(chosen.begin(), chosen.end(), [&](const LabelSwap& other) {
          return std::abs(other.frame - swap.frame) <= kReach &&
                 (other.a == swap.a || other.a == swap.b || other.b == swap.a || other.b == swap.b);
        });
        if (!near) chosen.push_back(swap);
      }
      repair(data_, chosen);
      for (const LabelSwap& swap : chosen) {
        for (const int label : {swap.a, swap.b}) {
          predict_label(label, std::max(0, swap.frame - kReach),
                        std::min(data_.num_frames(), swap.frame + kReach + 1));
        }
      }
      found.insert(found.end(), chosen.begin(), chosen.end());
    }
    std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
      return x.frame != y.frame ? x.frame < y.frame : x.a < y.a;
    });
    return found;
  }

 private:
  int num_labels() const { return static_cast<int>(data_.labels.size()); }
  bool has(int f, int label) const {
    const double* y = data_.at(f, label);
    return !std::isnan(y[0] + y[1] + y[2]);
  }
  Vec3<double> place(int f, int label) const {
    const double* y = data_.at(f, label);
    return {y[0], y[1], y[2]};
  }
  Prediction& at(int f, int label) {
    return predictions_[static_cast<std::size_t>(f) * data_.labels.size() +
                        static_cast<std::size_t>(label)];
  }

  void predict_label(int label, int first, int last) {
    std::vector<Sample> samples;
    std::vector<double> w, r;
    for (int f = first; f < last; ++f) {
      base::leave_if_stopped();
      Prediction& out = at(f, label);
      out = {};
      samples.clear();
      for (int k = -kReach; k <= kReach; ++k) {
        if (k == 0 || f + k < 0 || f + k >= data_.num_frames() || !has(f + k, label)) continue;
        samples.push_back({static_cast<double>(k) / kReach, place(f + k, label)});
      }
      if (samples.size() < 3) continue;
      const int degree = samples.size() >= 5 ? 2 : 1;
      w.assign(samples.size(), 1.0);
      std::array<Vec3<double>, 3> c;
      bool fitted = true;
      double scale = 0;
      for (int iteration = 0; iteration < 12 && fitted; ++iteration) {
        fitted = fit(samples, w, degree, c);
        r.clear();
        for (const Sample& s : samples) {
          r.push_back(length(s.x - c[0] - s.t * c[1] - (s.t * s.t) * c[2]));
        }
        std::vector<double> sorted = r;
        std::nth_element(sorted.begin(),
                         sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                         sorted.end());
        scale = std::max(sorted[sorted.size() / 2], 1e-5);
        // Cauchy weights, narrow in the end: swapped neighbours drop out.
        for (std::size_t i = 0; i < r.size(); ++i) {
          const double u = r[i] / (2 * scale);
          w[i] = 1 / (1 + u * u);
        }
      }
      if (!fitted) continue;
      out.p = c[0];
      out.noise = scale;
      out.known = true;
    }
  }

  void find(int f, std::vector<LabelSwap>& out) {
    for (int a = 0; a < num_labels(); ++a) {
      if (!has(f, a) || !at(f, a).known) continue;
      const Prediction& own = at(f, a);
      const Vec3<double> x = place(f, a);
      const double before_a = length(x - own.p);
      if (before_a < 0.7 * kLeast || before_a < 4 * own.noise) continue;
      for (int b = 0; b < num_labels(); ++b) {
        const Prediction& other = at(f, b);
        const bool b_missing = !has(f, b);
        if (b == a || !other.known || (!b_missing && b < a)) continue;
        const double d = length(own.p - other.p);
        if (d < kLeast || d < 8 * (own.noise + other.noise) || before_a < 0.7 * d) continue;
        const double after_a = length(x - other.p);
        if (after_a > 0.3 * d) continue;
        LabelSwap swap{f, a, b, b_missing, d, before_a, after_a};
        if (!b_missing) {
          const Vec3<double> y = place(f, b);
          const double before_b = length(y - other.p), after_b = length(y - own.p);
          if (before_b < 0.7 * d || after_b > 0.3 * d) continue;
          swap.before = std::max(before_a, before_b);
          swap.after = std::max(after_a, after_b);
        }
        out.push_back(swap);
      }
    }
  }

  MarkerData& data_;
  std::vector<Prediction> predictions_;
};

}  // namespace
}  // namespace label_check

std::vector<LabelSwap> find_swaps(const MarkerData& data) {
  MarkerData copy = data;
  return label_check::Checker(copy).run();
}

void repair(MarkerData& data, const std::vector<LabelSwap>& swaps) {
  for (const LabelSwap& swap : swaps) {
    const std::size_t row = static_cast<std::size_t>(swap.frame) * data.labels.size();
    double* a = &data.xyz[3 * (row + static_cast<std::size_t>(swap.a))];
    double* b = &data.xyz[3 * (row + static_cast<std::size_t>(swap.b))];
    std::swap_ranges(a, a + 3, b);
  }
}

}  // namespace parfait::motion
