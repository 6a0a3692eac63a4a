#pragma once

#include <string>

#include "parfait/mechanism/constants/driven_constants.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/quantities/quantity_table.h"

/// Everything a model may name, from the tables with which the library reads models.
namespace parfait::io {

/// What `parfait elements --json` prints.
std::string elements_text(const mechanism::Registry& registry);

/// "<body>.w{x,y,z}": a family of names with what they begin with.
std::string full_pattern(const mechanism::QuantityFamily& family);
std::string full_pattern(const mechanism::ConstantFamily& family);

}  // namespace parfait::io
