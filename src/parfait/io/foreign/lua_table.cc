#include "parfait/io/foreign/lua_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/text/number.h"

namespace parfait::io {
namespace lua_writing {
namespace {

bool is_lua_name(const std::string& name) {
  static constexpr const char* kWords[] = {"and",   "break", "do",       "else", "elseif", "end",
                                           "false", "for",   "function", "goto", "if",     "in",
                                           "local", "nil",   "not",      "or",   "repeat", "return",
                                           "then",  "true",  "until",    "while"};
  return base::is_identifier(name) && std::none_of(std::begin(kWords), std::end(kWords),
                                                   [&](const char* word) { return name == word; });
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 32 || byte == 127) {
      out += fmt::format("\\{:03d}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number_of(double x) {
  if (std::isnan(x)) return "(0/0)";
  if (x == 0 && std::signbit(x)) return "-0.0";  // -0 is an integer
  if (std::isinf(x)) return x > 0 ? "math.huge" : "-math.huge";
  return number_text(x);
}

bool is_short(const LuaValue& value) {
  const auto is_plain = [](const LuaValue& v) { return !v.is_table(); };
  return value.fields.empty() && value.list.size() <= 6 &&
         std::all_of(value.list.begin(), value.list.end(), is_plain);
}

void write(const LuaValue& value, int depth, std::string& out) {
  switch (value.kind) {
    case LuaValue::Kind::kNil:
      out += "nil";
      return;
    case LuaValue::Kind::kBoolean:
      out += value.boolean ? "true" : "false";
      return;
    case LuaValue::Kind::kNumber:
      out += number_of(value.number);
      return;
    case LuaValue::Kind::kString:
      out += quoted(value.text);
      return;
    case LuaValue::Kind::kTable:
      break;
  }
  const bool flat = is_short(value);
  const std::string inside = flat ? " " : "\n" + std::string(2 * (depth + 1), ' ');
  out += "{";
  for (const auto& each : value.list) {
    out += inside;
    write(each, depth + 1, out);
    out += ",";
  }
  for (const auto& field : value.fields) {
    out += inside;
    out += is_lua_name(field.name) && !field.is_number
               ? field.name
               : "[" + (field.is_number ? field.name : quoted(field.name)) + "]";
    out += " = ";
    write(field.value, depth + 1, out);
    out += ",";
  }
  out += flat ? " }" : "\n" + std::string(2 * depth, ' ') + "}";
}

}  // namespace
}  // namespace lua_writing

const LuaValue* LuaValue::find(std::string_view name) const {
  for (const auto& field : fields) {
    if (!field.is_number && field.name == name) return &field.value;
  }
  return nullptr;
}

LuaValue* LuaValue::find(std::string_view name) {
  return const_cast<LuaValue*>(std::as_const(*this).find(name));
}

LuaValue lua_number(double number) {
  LuaValue value;
  value.kind = LuaValue::Kind::kNumber;
  value.number = number;
  return value;
}

LuaValue lua_string(std::string text) {
  LuaValue value;
  value.kind = LuaValue::Kind::kString;
  value.text = std::move(text);
  return value;
}

LuaValue lua_list(const std::vector<double>& numbers) {
  LuaValue value;
  value.kind = LuaValue::Kind::kTable;
  for (const double number : numbers) value.list.push_back(lua_number(number));
  return value;
}

void set_field(LuaValue& table, const std::string& name, LuaValue value) {
  if (LuaValue* found = table.find(name)) {
    *found = std::move(value);
    return;
  }
  const auto after =
      std::find_if(table.fields.begin(), table.fields.end(),
                   [&](const LuaField& field) { return !field.is_number && field.name > name; });
  table.fields.insert(after, {name, false, std::move(value)});
}

std::string lua_text(const LuaValue& value) {
  std::string out = "return ";
  lua_writing::write(value, 0, out);
  return out + "\n";
}

}  // namespace parfait::io
