#include "json_text.h"

#include <algorithm>

namespace parfait::app {
namespace {

bool is_list_of_scalars(const Json& json) {
  return json.is_array() && std::none_of(json.begin(), json.end(),
                                         [](const Json& item) { return item.is_structured(); });
}

void append_json(const Json& json, const std::string& indent, std::string& out) {
  if (!json.is_structured() || json.empty()) {
    out += json.dump();
    return;
  }
  const bool in_line = is_list_of_scalars(json);
  const std::string deeper = indent + "  ";
  const char* separator = "";
  out += json.is_array() ? '[' : '{';
  for (const auto& [key, value] : json.items()) {
    out += separator;
    if (!in_line) out += "\n" + deeper;
    if (json.is_object()) out += Json(key).dump() + ": ";
    append_json(value, deeper, out);
    separator = in_line ? ", " : ",";
  }
  if (!in_line) out += "\n" + indent;
  out += json.is_array() ? ']' : '}';
}

}  // namespace

std::string json_text(const Json& json) {
  std::string out;
  append_json(json, "", out);
  return out;
}

}  // namespace parfait::app
