#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace parfait::app {

using Json = nlohmann::ordered_json;

/// JSON for people: like dump(2), but a list of numbers or words stands in one line, so that a
/// matrix looks like one. Numbers read back as the same doubles; what is not finite becomes null.
std::string json_text(const Json& json);

}  // namespace parfait::app
