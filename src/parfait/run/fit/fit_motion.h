#pragma once

#include "parfait/estimate/fit/fit.h"
#include "parfait/result/fit.h"
#include "parfait/result/scene.h"

namespace parfait::run {

/// How the bodies of each mechanical experiment move as fitted and as first guessed, and where the
/// points that were measured (`<body>.<marker>.x`, …) were seen. At most the first hundred
/// experiments.
result::Scenes make_scenes(estimate::PreparedProblem& prepared, const estimate::FitResult& fit,
                           const result::Fit& result, const result::FitTables& tables);

/// How they move at any point x, while a fit works. The bodies look as in the model file.
result::Scenes scenes_at(estimate::PreparedProblem& prepared, estimate::VecIn x);

}  // namespace parfait::run
