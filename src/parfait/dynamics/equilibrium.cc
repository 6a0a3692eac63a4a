#include "parfait/dynamics/equilibrium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/dynamics/direction_names.h"
#include "parfait/dynamics/equilibrium_path.h"

namespace parfait::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Outcome = EquilibriumOutcome;

// Farther than at the start by such a factor: what falls has nowhere to land, what else moves runs
// away. Constraints cannot be kept for ever on such a way: stuck after the third is falling, too.
constexpr double kFallen = 1e7, kAway = 1e12, kFar = 100;
constexpr double kRounding = 1e-6;  // corrections below this that fall no more are rounding
constexpr int kMostPushes = 5;

enum class Method { kRelax, kNewton };

class Search {
 public:
  Search(const System& system, const Workspace& ws, double t, const VectorXd& y, const VectorXd& z,
         const EquilibriumOptions& options)
      : options_(options), path_(system, ws, t, options.projection_tolerance), y0_(y), z0_(z) {}

  EquilibriumReport run();
  const RestPoint& point() const { return path_.point(); }

 private:
  Outcome iterate(Method method);
  Outcome relax_to_a_stable_one();
  Outcome begin(const VectorXd& y, const VectorXd& z);
  std::vector<std::string> named(const MatrixXd& x) const;

  const EquilibriumOptions& options_;
  EquilibriumPath path_;
  const VectorXd y0_, z0_;
  double start_size_ = 0;  ///< in units; 0: nothing has begun
  Status status_ = Status::kOk;
  int iterations_ = 0;
};

Outcome Search::begin(const VectorXd& y, const VectorXd& z) {
  status_ = path_.begin(y, z);
  if (status_ == Status::kOk && start_size_ == 0) start_size_ = 1 + path_.size();
  return status_ == Status::kOk ? Outcome::kFound : Outcome::kSystemFailed;
}

/// Steps from where we are until there is nothing left to correct.
Outcome Search::iterate(Method method) {
  double last = HUGE_VAL;
  for (const int end = iterations_ + options_.max_iterations;; ++iterations_) {
    const double correction = path_.correction();
    const bool done =
        correction <= options_.tolerance || (correction <= kRounding && correction > 0.5 * last);
    last = correction;
    if (done && !path_.falls()) {
      // Newton's method squares the error: one step more costs little and leaves rounding.
      if (correction > 0 && path_.step_newton()) status_ = path_.linearize();
      return status_ == Status::kOk ? Outcome::kFound : Outcome::kSystemFailed;
    }
    // What falls may yet land somewhere, unless we only look about.
    if (done && method == Method::kNewton) return Outcome::kNoEquilibrium;
    const double way = path_.size() / start_size_;
    if (way > (path_.falls() ? kFallen : kAway)) return Outcome::kNoEquilibrium;
    if (iterations_ == end) return Outcome::kMaxIterations;
    if (!(method == Method::kRelax ? path_.relax() : path_.step_newton())) {
      return path_.falls() && way > kFar ? Outcome::kNoEquilibrium : Outcome::kStuck;
    }
    status_ = path_.linearize();
    if (status_ != Status::kOk) return Outcome::kSystemFailed;
  }
}

Outcome Search::relax_to_a_stable_one() {
  auto outcome = iterate(Method::kRelax);
  if (outcome != Outcome::kFound || path_.growth() == 0) return outcome;
  const VectorXd y = point().y(), z = point().z();
  for (int pushes = 0; pushes < kMostPushes && path_.growth() > 0; ++pushes) {
    if (!path_.push()) break;
    status_ = path_.linearize();
    outcome = status_ == Status::kOk ? iterate(Method::kRelax) : Outcome::kSystemFailed;
    if (outcome != Outcome::kFound) break;
  }
  if (outcome == Outcome::kFound && path_.growth() == 0) return outcome;
  return begin(y, z);  // better an unstable one than none
}

EquilibriumReport Search::run() {
  EquilibriumReport report;
  report.outcome = begin(y0_, z0_);
  if (report.found() && y0_.size() > 0) {
    report.outcome = options_.prefer_stable ? relax_to_a_stable_one() : iterate(Method::kNewton);
    if (path_.falls()) report.moving = named(path_.falling());
    if (!report.found() && options_.prefer_stable) {
      const auto status = status_;
      if (begin(y0_, z0_) == Outcome::kFound && iterate(Method::kNewton) == Outcome::kFound) {
        report.outcome = Outcome::kFound;
      } else {
        status_ = status;
      }
    }
  }
  report.status = status_;
  report.iterations = iterations_;
  report.evaluations = path_.evaluations();
  report.correction = path_.correction();
  report.residual = point().largest_rate();
  if (!report.found()) return report;
  report.moving.clear();
  report.neutral = named(path_.neutral());
  const auto spectrum = compute_spectrum(point().A(), point().n_q(), point().n_v());
  report.stability = spectrum.stability;
  report.growth = spectrum.growth;
  if (y0_.size() == 0) return report;
  const auto& sizes = point().system().sizes();
  const VectorXd way = point().y() - y0_;
  report.moved = std::max(way.head(sizes.nq).lpNorm<Eigen::Infinity>(),
                          way.tail(sizes.ne).lpNorm<Eigen::Infinity>());
  report.prescribed_speed = point().prescribed_v().lpNorm<Eigen::Infinity>();
  if (report.prescribed_speed <= options_.projection_tolerance) report.prescribed_speed = 0;
  return report;
}

/// Names for displacements (xi, e).
std::vector<std::string> Search::named(const MatrixXd& x) const {
  MatrixXd dy(point().y().size(), x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) dy.col(j) = point().displaced(x.col(j)) - point().y();
  return name_directions(point().system(), dy);
}

}  // namespace

const char* text(EquilibriumOutcome outcome) {
  switch (outcome) {
    case Outcome::kFound:
      return "found";
    case Outcome::kMaxIterations:
      return "max_iterations";
    case Outcome::kNoEquilibrium:
      return "no_equilibrium";
    case Outcome::kStuck:
      return "stuck";
    case Outcome::kSystemFailed:
      return "system_failed";
  }
  return "unknown";
}

std::string EquilibriumReport::message() const {
  const std::string after =
      fmt::format("after {} iteration{}", iterations, iterations == 1 ? "" : "s");
  switch (outcome) {
    case Outcome::kFound: {
      std::string words = fmt::format("equilibrium found {}, {}", after, text(stability));
      if (!neutral.empty()) words += "; neutral along " + base::listing(neutral);
      return words;
    }
    case Outcome::kMaxIterations:
      return fmt::format("no equilibrium found {}: the last correction is {:.1e}", after,
                         correction);
    case Outcome::kNoEquilibrium:
      return moving.empty()
                 ? fmt::format("no equilibrium: the state runs away, {}", after)
                 : fmt::format("no equilibrium: nothing can stop {}", base::listing(moving));
    case Outcome::kStuck:
      return fmt::format(
          "no equilibrium found: stuck {} with accelerations and rates up to {:.1e}; is a force "
          "law discontinuous?",
          after, residual);
    case Outcome::kSystemFailed:
      return fmt::format("no equilibrium found {}: {}", after, text(status));
  }
  return "";
}

EquilibriumReport find_equilibrium(const System& system, const Workspace& ws, double t, Vec y,
                                   Vec z, const EquilibriumOptions& options) {
  const auto& sizes = system.sizes();
  Search search(system, ws, t, VectorXd::Map(y.data(), sizes.ny()),
                VectorXd::Map(z.data(), sizes.nz), options);
  auto report = search.run();
  if (report.found()) {
    VectorXd found = search.point().y();
    found.segment(sizes.nq, sizes.nv) = search.point().prescribed_v();
    std::copy(found.begin(), found.end(), y.begin());
    std::copy(search.point().z().begin(), search.point().z().end(), z.begin());
  }
  return report;
}

}  // namespace parfait::dynamics
