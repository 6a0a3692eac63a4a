#include "parfait/dynamics/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "parfait/dynamics/direction_names.h"
#include "parfait/dynamics/rest_point.h"

namespace parfait::dynamics {
namespace {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// Multiplies so that the largest coordinate or external state is 1.
void normalize(const Sizes& sizes, Eigen::Ref<VectorXcd> shape) {
  VectorXd size = shape.cwiseAbs();
  size.segment(sizes.nq, sizes.nv).setZero();
  Eigen::Index where = 0;
  if (size.maxCoeff(&where) > 0) shape /= std::complex<double>(shape[where]);
}

LinearMode make_mode(const Sizes& sizes, std::complex<double> lambda, const VectorXcd& shape) {
  constexpr double kTurn = 2 * std::numbers::pi;
  LinearMode mode;
  mode.eigenvalue = lambda;
  mode.swings = lambda.imag() != 0;
  if (mode.swings) mode.frequency = std::abs(lambda) / kTurn;
  mode.damped_frequency = lambda.imag() / kTurn;
  mode.damping = 0.0 - lambda.real() / std::abs(lambda);  // no -0
  mode.time_constant =
      lambda.real() == 0 ? std::numeric_limits<double>::infinity() : -1 / lambda.real();
  mode.shape = shape;
  normalize(sizes, mode.shape);
  return mode;
}

}  // namespace

ModalAnalysis analyze_modes(const System& system, const Workspace& ws, double t, ConstVec y,
                            ConstVec z, double projection_tolerance) {
  const auto& sizes = system.sizes();
  ModalAnalysis out;
  RestPoint point(system, ws, t, projection_tolerance);
  out.status = point.place(VectorXd::Map(y.data(), sizes.ny()), VectorXd::Map(z.data(), sizes.nz));
  if (out.status == Status::kOk) out.status = point.linearize();
  if (out.status != Status::kOk) return out;
  out.A = point.A();
  out.residual = point.largest_rate();
  out.degrees_of_freedom = point.n_q();

  const auto spectrum = compute_spectrum(out.A, point.n_q(), point.n_v());
  out.stability = spectrum.stability;
  out.growth = spectrum.growth;
  out.drifts = spectrum.num_zero > spectrum.neutral.cols();
  MatrixXcd neutral = point.lifted(spectrum.neutral.cast<std::complex<double>>());
  for (auto column : neutral.colwise()) normalize(sizes, column);
  out.neutral = neutral.real();
  out.neutral_names = name_directions(system, out.neutral);

  const MatrixXcd shapes = point.lifted(spectrum.vectors);
  for (Eigen::Index i = 0; i < spectrum.values.size(); ++i) {
    if (spectrum.values[i].imag() < 0) continue;
    out.modes.push_back(make_mode(sizes, spectrum.values[i], shapes.col(i)));
  }
  std::stable_sort(out.modes.begin(), out.modes.end(),
                   [](const LinearMode& a, const LinearMode& b) {
                     return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
                   });
  return out;
}

}  // namespace parfait::dynamics
