#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/result/origin.h"
#include "parfait/result/scene.h"
#include "parfait/result/table.h"
#include "parfait/result/verdict.h"

/// Structs to JSON and back. One list of keys per struct serves both ways, so that a reader cannot
/// differ from its writer:
///
///   template <class Archive>
///   void fields(Archive& a, typename Archive::template Ref<result::Event> event) {
///     a("t", event.t);
///     a("name", event.name);
///   }
///
/// Only the files of io that write and read JSON include this header: it is slow to compile.
namespace parfait::io {

using Json = nlohmann::ordered_json;

inline constexpr double kNullNumber = std::numeric_limits<double>::quiet_NaN();

/// A list of values under their names: {"k": 2, "c": 0.5}.
using NamedValues = std::vector<result::NamedValue>;

class JsonWriter {
 public:
  static constexpr bool kReads = false;
  template <class T>
  using Ref = const T&;

  Json json = Json::object();

  /// `null` is what the reader takes for a number that is not finite.
  void operator()(const char* key, double x, double /*null*/ = kNullNumber) {
    json[key] = value_of(x);
  }
  template <class T>
  requires(!std::same_as<T, double>) void operator()(const char* key, const T& x) {
    json[key] = value_of(x);
  }
  /// The key is there only if there is a value.
  template <class T>
  void optional(const char* key, const std::optional<T>& x) {
    if (x) json[key] = value_of(*x);
  }
  /// The key is there only if the list or text is not empty.
  template <class T>
  void unless_empty(const char* key, const T& x) {
    if (!x.empty()) json[key] = value_of(x);
  }
  /// The key is always there: null if there is no value.
  template <class T>
  void nullable(const char* key, const std::optional<T>& x) {
    json[key] = x ? value_of(*x) : Json(nullptr);
  }
  /// What follows from other fields, or never changes.
  template <class T>
  void derived(const char* key, const T& x) {
    json[key] = value_of(x);
  }
  /// An object inside, whose keys `describe` lists.
  template <class Describe>
  void object(const char* key, const Describe& describe) {
    JsonWriter inside;
    describe(inside);
    json[key] = std::move(inside.json);
  }

  // A number that is not finite is null.
  static Json value_of(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
  static Json value_of(bool x) { return x; }
  static Json value_of(std::integral auto x) { return x; }
  static Json value_of(const std::string& x) { return x; }
  static Json value_of(const char* x) { return x; }
  static Json value_of(const result::Matrix& matrix) {
    Json rows = Json::array();
    for (int i = 0; i < matrix.rows; ++i) {
      Json row = Json::array();
      for (int j = 0; j < matrix.cols; ++j) row.push_back(value_of(matrix(i, j)));
      rows.push_back(std::move(row));
    }
    return rows;
  }
  static Json value_of(const NamedValues& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = value_of(value);
    return object;
  }
  template <class T>
  static Json value_of(const std::vector<T>& list) {
    Json array = Json::array();
    for (const auto& item : list) array.push_back(value_of(item));
    return array;
  }
  template <class T>
  requires std::is_class_v<T>
  static Json value_of(const T& item) {
    JsonWriter inside;
    fields(inside, item);
    return std::move(inside.json);
  }
};

/// Errors are InputErrors that say where: "result.json: parameters[2].value is missing".
class JsonReader {
 public:
  static constexpr bool kReads = true;
  template <class T>
  using Ref = T&;

  /// `where` leads to `json`: a file, or "file: options".
  JsonReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("must be an object");
  }

  void operator()(const char* key, double& x, double null = kNullNumber) const {
    read(at(key), path(key), x, null);
  }
  template <class T>
  requires(!std::same_as<T, double>) void operator()(const char* key, T& x) const {
    read(at(key), path(key), x);
  }
  template <class T>
  void optional(const char* key, std::optional<T>& x) const {
    x.reset();
    if (!json_.contains(key)) return;
    x = T{};  // not emplace(): clang 14 finds none for members that have defaults
    read(at(key), path(key), *x);
  }
  template <class T>
  void unless_empty(const char* key, T& x) const {
    x.clear();
    if (json_.contains(key)) read(at(key), path(key), x);
  }
  template <class T>
  void nullable(const char* key, std::optional<T>& x) const {
    x.reset();
    if (!at(key).is_null()) read(at(key), path(key), x.emplace());
  }
  template <class T>
  void derived(const char* /*key*/, const T& /*x*/) const {}
  template <class Describe>
  void object(const char* key, const Describe& describe) const {
    JsonReader inside(at(key), path(key));
    describe(inside);
  }

  bool has(const char* key) const { return json_.contains(key); }
  const Json& json() const { return json_; }
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail_at(path(key), "is missing");
    return *found;
  }
  std::string path(const char* key) const {
    return where_ + (where_.ends_with(": ") ? "" : ".") + key;
  }
  [[noreturn]] void fail(const char* what) const { fail_at(where_, what); }

  static void read(const Json& json, const std::string& where, double& x,
                   double null = kNullNumber) {
    if (!json.is_number() && !json.is_null()) fail_at(where, "must be a number or null");
    x = json.is_null() ? null : json.get<double>();
  }
  static void read(const Json& json, const std::string& where, bool& x) {
    if (!json.is_boolean()) fail_at(where, "must be true or false");
    x = json.get<bool>();
  }
  template <std::integral Integer>
  static void read(const Json& json, const std::string& where, Integer& x) {
    if (!json.is_number_integer()) fail_at(where, "must be a whole number");
    const bool fits = json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                                : std::in_range<Integer>(json.get<std::int64_t>());
    if (!fits) fail_at(where, "is too large");
    x = json.get<Integer>();
  }
  static void read(const Json& json, const std::string& where, std::string& x) {
    if (!json.is_string()) fail_at(where, "must be a text");
    x = json.get<std::string>();
  }
  static void read(const Json& json, const std::string& where, result::Matrix& matrix) {
    std::vector<std::vector<double>> rows;
    read(json, where, rows);
    matrix = {static_cast<int>(rows.size()), rows.empty() ? 0 : static_cast<int>(rows[0].size())};
    matrix.values.clear();
    for (const auto& row : rows) {
      if (row.size() != rows[0].size()) fail_at(where, "must have rows of one length");
      matrix.values.insert(matrix.values.end(), row.begin(), row.end());
    }
  }
  static void read(const Json& json, const std::string& where, NamedValues& values) {
    if (!json.is_object()) fail_at(where, "must be an object");
    values.clear();
    for (const auto& [name, item] : json.items()) {
      read(item, fmt::format("{}.{}", where, name),
           values.emplace_back(result::NamedValue{name, 0}).value);
    }
  }
  template <class T>
  static void read(const Json& json, const std::string& where, std::vector<T>& list) {
    if (!json.is_array()) fail_at(where, "must be a list");
    list.clear();
    list.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      read(json[i], fmt::format("{}[{}]", where, i), list.emplace_back());
    }
  }
  template <class T>
  requires std::is_class_v<T>
  static void read(const Json& json, const std::string& where, T& item) {
    JsonReader inside(json, where);
    fields(inside, item);
  }

 private:
  [[noreturn]] static void fail_at(const std::string& where, const char* what) {
    throw base::InputError(fmt::format("{} {}.", where, what));
  }

  const Json& json_;
  std::string where_;
};

/// The first keys of every result; `command` is the one that found it.
template <class Archive>
void header_fields(Archive& a, typename Archive::template Ref<std::string> version,
                   const char* command) {
  a.derived("program", "parfait");
  a.derived("format", result::kFormat);
  a("version", version);
  a.derived("command", command);
}

template <class Archive>
void verdict_fields(Archive& a, typename Archive::template Ref<result::Verdict> verdict) {
  a("status", verdict.status);
  a("partial", verdict.partial);
  a("message", verdict.message);
  a("warnings", verdict.warnings);
  a.unless_empty("outputs", verdict.outputs);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Assembly> assembly) {
  a("moved", assembly.moved);
  a("velocity_change", assembly.velocity_change);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::InputFile> file) {
  a("kind", file.kind);
  a("path", file.path);
  a("sha256", file.sha256);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::MotionFiles> motion) {
  a.unless_empty("experiment", motion.experiment);
  a("frames", motion.frames);
  a.unless_empty("initial", motion.initial);
  a.unless_empty("forces", motion.forces);
  a("times", motion.times);
  a("bodies", motion.bodies);
}

/// As an object of its own.
template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Origin> origin) {
  a("arguments", origin.arguments);
  a("files", origin.files);
}

/// Beside the other keys, in results that have had them there since the first version.
template <class Archive>
void origin_fields(Archive& a, typename Archive::template Ref<result::Origin> origin) {
  a.unless_empty("arguments", origin.arguments);
  a.unless_empty("files", origin.files);
}

/// A struct as JSON text, two blanks deeper at each level; ends with a line end.
template <class T>
std::string indented_text(const T& item) {
  // Bytes that are not UTF-8 become U+FFFD: a name never costs a result.
  return JsonWriter::value_of(item).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The JSON of a result that `parfait <command>` wrote. InputError if it is none, or of a format
/// that a later version wrote.
Json parse_result(std::string_view text, const std::string& file, const char* command);

/// A result of that command as its struct.
template <class T>
T read_result(std::string_view text, const std::string& file, const char* command) {
  const Json json = parse_result(text, file, command);
  T item;
  JsonReader reader(json, file + ": ");
  fields(reader, item);
  return item;
}

}  // namespace parfait::io
