#pragma once

#include <string>

#include "json_text.h"
#include "parfait/run/run_folder.h"

namespace parfait::app {

/// Reads a problem file and tells what is in it. InputError if it is wrong.
Json problem_facts(const std::string& file);

/// The same for a person.
void print_problem(const Json& facts);

}  // namespace parfait::app
