#pragma once

#include "parfait/fit.h"
#include "parfait/io/result_json.h"
#include "parfait/run/facts.h"
#include "parfait/run/verification.h"
#include "parfait/run/version.h"
#include "parfait/simulate.h"

/// Everything the command line can do, for programs that use the library. Plug-ins include
/// parfait/plugin.h.
namespace parfait {

using run::check;
using run::verify;
using run::version;

}  // namespace parfait
