#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>

/// Attributes as we write them.
namespace parfait::io {

void set(pugi::xml_node node, const char* name, const std::string& text);
void set(pugi::xml_node node, const char* name, double x);
/// Nothing if there is no number.
void set(pugi::xml_node node, const char* name, const std::optional<double>& x);

}  // namespace parfait::io
