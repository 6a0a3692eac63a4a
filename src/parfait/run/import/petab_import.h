#pragma once

#include "parfait/run/import/motion_import.h"

namespace parfait::run {

/// A PEtab problem as files of ours: problem.xml, model.xml and a table for each experiment. A fit
/// of problem.xml is the fit of the PEtab problem, number by number. InputError, with file and
/// line, for what is not supported.
MotionImportRun import_petab(const MotionImportRequest& request);

}  // namespace parfait::run
