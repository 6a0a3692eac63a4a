#pragma once

#include <string>

#include "json_text.h"
#include "parfait/mechanism/driven_constants.h"
#include "parfait/mechanism/quantity_table.h"
#include "parfait/mechanism/registry.h"

/// What `parfait elements` shows, all of it from the tables with which the library reads models.
namespace parfait::app {

Json elements_json(const mechanism::Registry& registry);
void print_elements(const mechanism::Registry& registry);

/// "<body>.w{x,y,z}": a family of names with what they begin with.
std::string full_pattern(const mechanism::QuantityFamily& family);
std::string full_pattern(const mechanism::ConstantFamily& family);

}  // namespace parfait::app
