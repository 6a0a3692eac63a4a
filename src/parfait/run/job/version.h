#pragma once

namespace parfait::run {

/// Of the library: "0.1.0".
const char* version();

}  // namespace parfait::run
