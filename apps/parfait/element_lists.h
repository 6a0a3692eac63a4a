#pragma once

#include <string>

#include "parfait/mbs/driven_constants.h"
#include "parfait/mbs/quantity_table.h"
#include "parfait/mbs/registry.h"
#include "run_folder.h"

/// What `parfait elements` shows, all of it from the tables with which the library reads models.
namespace parfait::app {

Json elements_json(const mbs::Registry& registry);
void print_elements(const mbs::Registry& registry);

/// "<body>.w{x,y,z}": a family of names with what they begin with.
std::string full_pattern(const mbs::QuantityFamily& family);
std::string full_pattern(const mbs::ConstantFamily& family);

}  // namespace parfait::app
