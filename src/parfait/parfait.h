#pragma once

#include "parfait/fit.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/job/version.h"
#include "parfait/run/verification/verification.h"
#include "parfait/simulate.h"

/// Everything the command line can do, for programs that use the library. Plug-ins include
/// parfait/plugin.h.
namespace parfait {

using run::check;
using run::verify;
using run::version;

}  // namespace parfait
