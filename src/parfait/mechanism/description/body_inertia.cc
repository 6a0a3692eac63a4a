#include "parfait/mechanism/description/body_inertia.h"

#include <fmt/format.h>

#include <Eigen/Dense>

#include "parfait/mechanism/description/general_frame.h"
#include "parfait/mechanism/description/inertia.h"

namespace parfait::mechanism {
std::optional<BodyNumbers> BodyNumbers::from(
    const Body& body, const std::function<std::optional<double>(const Value&)>& number) {
  BodyNumbers out;
  bool complete = true;
  const auto get = [&](const Value& value) {
    const auto x = number(value);
    complete = complete && x;
    return x.value_or(0.0);
  };
  out.mass = get(body.mass);
  Eigen::Vector3d c;
  for (int i = 0; i < 3; ++i) {
    c[i] = get(body.center_of_mass[static_cast<std::size_t>(i)]);
    for (int j = i; j < 3; ++j) {
      out.inertia(i, j) = out.inertia(j, i) =
          get(body.inertia[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    }
  }
  out.about = body.about;
  const auto S = GeneralFrame::of(body).S;
  for (int i = 0; i < 3; ++i) {
    const auto& row = S[static_cast<std::size_t>(i)];
    out.center[i] = row[0] * c[0] + row[1] * c[1] + row[2] * c[2];
  }
  if (!complete) return std::nullopt;
  return out;
}

Eigen::Matrix3d BodyNumbers::inertia_about_center() const {
  if (about == InertiaPoint::kCenterOfMass) return inertia;
  return inertia -
         mass * (center.squaredNorm() * Eigen::Matrix3d::Identity() - center * center.transpose());
}

bool BodyNumbers::cholesky(std::array<double, 10>& L) const {
  const Eigen::Matrix3d I = inertia_about_center();
  Inertia<double> canonical;
  canonical.m = mass;
  canonical.c = {center[0], center[1], center[2]};
  canonical.J = second_moment<double>({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
  return cholesky_from_inertia(canonical, L);
}

InertiaFault inertia_fault(const Eigen::Matrix3d& inertia_about_center) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia_about_center,
                                                              Eigen::EigenvaluesOnly);
  const Eigen::Vector3d& moments = solver.eigenvalues();  // ascending
  const double largest = moments[2];
  const double others = moments[0] + moments[1];
  // Relative to the largest entry: below this, rounding in the input decides the sign.
  const double tolerance = 1e-12 * moments.cwiseAbs().maxCoeff();
  if (moments.cwiseAbs().maxCoeff() == 0) {
    return {false,
            "a point mass (moment_of_inertia 0) has no orientation. Give it the moment of a small "
            "sphere, 2/5 m r^2."};
  }
  if (moments[0] < -tolerance) {
    return {true, fmt::format("impossible inertia: the principal moment {:.6g} is negative.",
                              moments[0])};
  }
  if (largest > others + tolerance) {
    return {true, fmt::format("impossible inertia: the largest principal moment {:.6g} exceeds the "
                              "sum of the others {:.6g} (triangle inequality).",
                              largest, others)};
  }
  if (largest >= others - tolerance) {
    return {false,
            fmt::format("an infinitely thin body: the largest principal moment {:.6g} equals "
                        "the sum of the others, which makes the mass matrix singular. Give "
                        "the rod or plate a small thickness.",
                        largest)};
  }
  return {};
}

}  // namespace parfait::mechanism
