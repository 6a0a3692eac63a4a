#pragma once

#include <string>

#include "parfait/run/job/model.h"

namespace parfait::python {

/// What in the model is a function of Python, which can be neither saved nor pickled; empty:
/// nothing.
std::string python_part(const run::Model& model);

}  // namespace parfait::python
