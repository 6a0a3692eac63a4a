#pragma once

#include "parfait/estimate/linear/linear_fit.h"

namespace parfait::estimate {

/// How a norm turns data into the covariance of what it estimates: for independent errors
///
///   cov = factor * C,   C = J+ J+^T  under the equations and active inequalities,
///
/// asymptotically for many measurements; C is the one of least squares, whatever the norm, and psi
/// the derivative of the norm's function of one residual.
///
///   l2         variance of the errors; estimated: |r|^2 / nu, nu = data - free
///   Huber      E[psi^2] / E[psi']^2; estimated:
///              K^2 (sum psi^2 / nu) / m^2,  m = mean psi',  K = 1 + (free / n) (1 - m) / m
///              (P. J. Huber, E. M. Ronchetti, Robust Statistics, 2nd ed., 2009, 7.6)
///   l1         1 / (4 f(0)^2), f the density of the errors (G. Bassett, R. Koenker, J. Amer.
///              Statist. Assoc. 73 (1978) 618-622); f(0) is estimated from the residuals that do
///              not vanish, between the order statistics that bound a 95 % interval of their median
///              (as J. W. McKean, R. M. Schrader, Comm. Statist. Simulation Comput. 13 (1984)
///              751-773; the quotient is M. M. Siddiqui's, J. Res. NBS 64B (1960) 145-150)
///   l-infinity has no normal limit; NaN
///
/// With known sigma the errors are taken as standard normal: 1 for l2, pi/2 for l1, and for Huber
/// 1/0.95 at the default gamma.
///
/// `free` is the number of directions the data determine. NaN if there are too few data.
double norm_variance(Norm norm, VecIn residuals, int free, double huber_gamma, bool sigma_known);

}  // namespace parfait::estimate
