#pragma once

#include <functional>

#include "parfait/result/verification.h"
#include "parfait/run/job/callbacks.h"

namespace parfait::run {

/// Solves problems with known solutions on this machine. Stopped, it has those
/// that were solved; `on_solved` hears of each.
result::Verification verify(
    const Callbacks& callbacks = {},
    const std::function<void(const result::Verification::Problem&)>& on_solved = {});

}  // namespace parfait::run
