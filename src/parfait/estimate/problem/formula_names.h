#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/problem/check_problem_parts.h"

namespace parfait::estimate {

/// The names on which a formula of quantities of a system depends. InputError, with the place of
/// the character, if it is not a formula or a name does not exist.
/// `others`: parameters of the problem that the formula may use as well.
std::vector<std::string> names_in(const FormulaText& formula, const dynamics::System& system,
                                  const Subject& subject,
                                  const std::vector<std::string>& others = {});

/// The same for a formula of the names given.
std::vector<std::string> names_in(const FormulaText& formula, const std::vector<std::string>& known,
                                  const Subject& subject);

/// A quantity varies if it names anything but the time and parameters that are given.
bool varies(const std::vector<std::string>& names, const dynamics::System& system,
            const std::vector<std::string>& estimated);

}  // namespace parfait::estimate
