#pragma once

namespace parfait::estimate {

/// What residuals with Laplace errors say about an unknown: with w_i the covariance of the row of
/// residual i and the unknown, over the sd of the unknown, sums over these residuals. All rows
/// together have sum w^2 = 1.
struct KinkedRows {
  double squares = 0;  ///< sum w_i^2; 0: there are none
  double cubes = 0;    ///< sum |w_i|^3
};

/// How many sd from the estimate the score, in units of its own sd, is z. As far as the information
/// at the estimate says, z itself; but the expected score of a Laplace residual that is moved by u
/// is not u but 1 - exp(-u), so with rows of equal weight w = cubes / squares
///
///   z = (1 - squares) t + squares / w (1 - exp(-w t)),                                    (L6)
///
/// and t = z (1 + z cubes / 2 + ...). Infinite where so few residuals never get there.
double kinked_width(double z, const KinkedRows& rows);

}  // namespace parfait::estimate
