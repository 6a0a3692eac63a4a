#pragma once

#include <string>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// `what (problem.xml:12:5)`, or `what` alone where there is no place.
std::string placed(const Place& place, const std::string& what);

/// `"a + b - 1 = 0" (problem.xml:12:5)`.
std::string requirement_text(const Requirement& requirement);

}  // namespace parfait::estimate
