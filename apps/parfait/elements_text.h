#pragma once

#include "parfait/mechanism/elements/registry.h"

namespace parfait::app {

/// What `parfait elements` shows, all of it from the tables with which the library reads models.
void print_elements(const mechanism::Registry& registry);

}  // namespace parfait::app
