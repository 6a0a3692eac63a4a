#pragma once

#include <memory>

#include "parfait/estimate/problem/observation_kind.h"

// The kinds of observations that Parfait has, one file each (observation_kinds_*.cc);
// observation_kinds.cc registers them.
namespace parfait::estimate {

std::unique_ptr<const ObservationKind> make_quantity_observation();
std::unique_ptr<const ObservationKind> make_event_observation();
std::unique_ptr<const ObservationKind> make_spectrum_observation();

}  // namespace parfait::estimate
