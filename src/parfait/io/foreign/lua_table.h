#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a Lua program returns, as plain values, and the program that returns it.
namespace parfait::io {

struct LuaField;

struct LuaValue {
  enum class Kind { kNil, kBoolean, kNumber, kString, kTable };
  Kind kind = Kind::kNil;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<LuaValue> list;    ///< of a table: what stands at 1, 2, 3, ...
  std::vector<LuaField> fields;  ///< of a table: the rest, sorted by name

  bool is_table() const { return kind == Kind::kTable; }
  bool is_number() const { return kind == Kind::kNumber; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_nil() const { return kind == Kind::kNil; }
  /// Null: the table has no such field.
  const LuaValue* find(std::string_view name) const;
  LuaValue* find(std::string_view name);
  bool operator==(const LuaValue&) const = default;
};

struct LuaField {
  std::string name;
  bool is_number = false;  ///< the key is the number that the name spells
  LuaValue value;
  bool operator==(const LuaField&) const = default;
};

LuaValue lua_number(double number);
LuaValue lua_string(std::string text);
LuaValue lua_list(const std::vector<double>& numbers);
/// Adds or replaces a field of a table.
void set_field(LuaValue& table, const std::string& name, LuaValue value);

/// What a foreign program may use before it is stopped.
struct LuaLimits {
  long long instructions = 100'000'000;
  std::size_t bytes = 64U << 20U;
  double seconds = 20;  ///< of the processor
  std::size_t values = 1'000'000;
};

/// Runs the program in `text` and gives what it returns (or, if it returns nothing, its global
/// `model`). It sees Lua's base, table, string and math libraries without everything that reaches
/// outside (files, modules, the system, compiled code, metatables), and `require` for files in
/// `folder`. Iteration by pairs() is sorted and random numbers are the same in every run, so that a
/// program has one result. InputError with file and line if it fails, or for one that does not end.
LuaValue run_lua(std::string_view text, const std::string& file_name,
                 const std::filesystem::path& folder, const LuaLimits& limits = {});

/// `return { ... }`. Law: running it gives the value back. Functions are not values and were left
/// out before.
std::string lua_text(const LuaValue& value);

}  // namespace parfait::io
