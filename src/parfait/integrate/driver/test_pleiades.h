#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "parfait/integrate/driver/test_system.h"

namespace parfait::integrate {

/// Seven stars (Hairer, Norsett, Wanner 1993, II.10), masses 1 to 7.
inline RhsSystem pleiades() {
  std::vector<double> y0 = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4};
  y0.insert(y0.end(), {0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0});
  return {y0, [](double, ConstVec y, Vec f) {
            std::copy(y.begin() + 14, y.end(), f.begin());
            std::fill(f.begin() + 14, f.end(), 0.0);
            for (int i = 0; i < 7; ++i) {
              for (int j = 0; j < 7; ++j) {
                if (i == j) continue;
                const double dx = y[j] - y[i], dy = y[7 + j] - y[7 + i];
                const double r3 = std::pow(dx * dx + dy * dy, 1.5);
                f[14 + i] += (j + 1) * dx / r3;
                f[21 + i] += (j + 1) * dy / r3;
              }
            }
            return Status::kOk;
          }};
}
/// Positions at t = 3: test set for IVP solvers, recomputed in quadruple precision.
inline const std::vector<double> kPleiadesEnd = {
    3.7061391439705129e-01,  3.2372840920572331e+00,  -3.2225590324183233e+00,
    6.5970914557753084e-01,  3.4255817071565798e-01,  1.5621721014006310e+00,
    -7.0030929222124954e-01, -3.9434375855173921e+00, -3.2713809739725499e+00,
    5.2250818434565442e+00,  -2.5906124349774695e+00, 1.1982136933922746e+00,
    -2.4296823449358234e-01, 1.0914492404289797e+00};
/// Velocities at t = 3.
inline const std::vector<double> kPleiadesEndVelocities = {
    3.4170038063143147e+00, 1.3545845016255011e+00,  -2.5900655978107756e+00,
    2.0250537347142412e+00, -1.1558151001604491e+00, -8.0729881702230222e-01,
    5.9523963542087188e-01, -3.7412449612340084e+00, 3.7734596857506292e-01,
    9.3868588695510791e-01, 3.6679222272005696e-01,  -3.4740463538084942e-01,
    2.3449154481809371e+00, -1.9470204342632920e+00};

}  // namespace parfait::integrate
