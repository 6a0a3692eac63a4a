#include "parfait/io/text/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/io/text/number.h"

namespace parfait::io {
namespace {

bool has_space(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_space);
}

/// The first parenthesis closes with the last character.
bool is_enclosed(std::string_view text) {
  if (text.size() < 2 || text.front() != '(') return false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

void advance(base::Place& place, char c) {
  if (c == '\n') {
    ++place.line;
    place.column = 1;
  } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
    ++place.column;
  }
}

template <class IsSeparator>
std::vector<Text> split(const Text& text, IsSeparator is_separator) {
  std::vector<Text> words;
  base::Place place = text.place;
  int depth = 0;
  bool in_word = false;
  for (const char c : text.text) {
    if (depth <= 0 && is_separator(c)) {
      in_word = false;
    } else {
      if (!in_word) words.push_back({"", place});
      in_word = true;
      words.back().text += c;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    advance(place, c);
  }
  return words;
}

[[noreturn]] void fail_number(const Element& at, const Text& text, std::string_view what,
                              NumberKind kind) {
  const char* why = kind == NumberKind::kNotFinite    ? "must be finite"
                    : kind == NumberKind::kOutOfRange ? "is too large or too small for a double"
                                                      : "is not a number";
  at.fail(text.place, fmt::format("{}: \"{}\" {}.", what, text.text, why));
}

template <class Triple, class Read>
Triple read_triple(const Element& at, const Text& text, std::string_view what, Read read) {
  const auto words = split_list(text);
  if (words.size() != 3) {
    at.fail(text.place, fmt::format("{} needs 3 numbers, found {}.", what, words.size()));
  }
  return {read(at, words[0], what), read(at, words[1], what), read(at, words[2], what)};
}

double cos_of_degrees(double degrees) {
  const double turn = std::abs(std::remainder(degrees, 360.0));  // in [0, 180], exact
  if (turn == 90.0) return 0.0;
  if (turn == 180.0) return -1.0;
  return std::cos(turn * std::numbers::pi / 180);
}

double sin_of_degrees(double degrees) {
  return cos_of_degrees(std::remainder(degrees, 360.0) - 90);
}

}  // namespace

double read_number(const Element& at, const Text& text, std::string_view what) {
  const auto parsed = parse_number(text.text);
  if (parsed.kind != NumberKind::kNumber) fail_number(at, text, what, parsed.kind);
  return parsed.value;
}

std::optional<double> read_optional_number(Element& element, const char* name) {
  const auto text = element.field(name);
  if (!text) return std::nullopt;
  return read_number(element, *text, name);
}

void read_remarks(Element& element, std::vector<std::string>& remarks) {
  for (auto& remark : element.children("remark")) {
    remarks.push_back(remark.text().text);
    remark.finish();
  }
}

mechanism::Value read_value(const Element& at, const Text& text, std::string_view what) {
  mechanism::Value value;
  const auto parsed = parse_number(text.text);
  if (parsed.kind == NumberKind::kNumber) {
    value.number = parsed.value;
  } else if (parsed.kind == NumberKind::kNoNumber) {
    value.formula = text.text;
  } else {
    fail_number(at, text, what, parsed.kind);
  }
  value.place = text.place;
  return value;
}

mechanism::Value read_formula(const Text& text) {
  mechanism::Value value;
  value.formula = text.text;
  value.place = text.place;
  return value;
}

std::vector<Text> split_list(const Text& text) {
  auto words = split(text, is_space);
  for (auto& word : words) {
    if (!is_enclosed(word.text) || !has_space(word.text)) continue;
    const std::string inside = word.text.substr(1, word.text.size() - 2);
    const auto first = std::find_if_not(inside.begin(), inside.end(), is_space);
    ++word.place.column;
    std::for_each(inside.begin(), first, [&](char c) { advance(word.place, c); });
    word.text = trimmed(inside);
  }
  return words;
}

std::string list_word(const std::string& formula) {
  return has_space(formula) ? "(" + formula + ")" : formula;
}

std::vector<Text> split_names(const Text& text) {
  return split(text, [](char c) { return is_space(c) || c == ','; });
}

mechanism::Number3 read_number3(const Element& at, const Text& text, std::string_view what) {
  return read_triple<mechanism::Number3>(at, text, what, read_number);
}

mechanism::Value3 read_value3(const Element& at, const Text& text, std::string_view what) {
  return read_triple<mechanism::Value3>(at, text, what, read_value);
}

bool read_flag(Element& element, const char* name) {
  const auto text = element.field(name);
  return text && read_choice<bool>(element, *text, name, {{"true", true}, {"false", false}});
}

std::optional<TextWithUnit> read_field_with_unit(Element& element, const std::string& name) {
  auto child = element.child(name);
  if (!child) {
    auto text = element.field(name);
    if (!text) return std::nullopt;
    return TextWithUnit{*text, element.attribute("unit")};
  }
  if (element.attribute(name)) static_cast<void>(element.field(name));  // reports the repetition
  TextWithUnit found{child->text(), child->attribute("unit")};
  child->finish();
  if (found.text.text.empty()) element.fail(child->place(), fmt::format("<{}> is empty.", name));
  return found;
}

std::optional<std::array<mechanism::Number3, 3>> read_angles(Element& element) {
  const auto given = read_field_with_unit(element, "angles");
  if (!given) return std::nullopt;
  const bool degrees = given->unit && read_choice<bool>(element, *given->unit, "unit",
                                                        {{"rad", false}, {"deg", true}});
  const auto angles = read_number3(element, given->text, "angles");
  std::array<double, 3> c{}, s{};
  for (std::size_t i = 0; i < 3; ++i) {
    c[i] = degrees ? cos_of_degrees(angles[i]) : std::cos(angles[i]);
    s[i] = degrees ? sin_of_degrees(angles[i]) : std::sin(angles[i]);
  }
  // Columns of Rx(a) Ry(b) Rz(c).
  return std::array<mechanism::Number3, 3>{
      mechanism::Number3{c[1] * c[2], c[0] * s[2] + s[0] * s[1] * c[2],
                         s[0] * s[2] - c[0] * s[1] * c[2]},
      mechanism::Number3{-c[1] * s[2], c[0] * c[2] - s[0] * s[1] * s[2],
                         s[0] * c[2] + c[0] * s[1] * s[2]},
      mechanism::Number3{s[1], -s[0] * c[1], c[0] * c[1]}};
}

mechanism::Frame read_frame(Element& element) {
  mechanism::Frame frame;
  if (const auto o = element.field("o")) frame.o = read_value3(element, *o, "o");
  const auto axes = read_angles(element);
  const auto read_axis = [&](const char* name, std::size_t index, mechanism::Value3& axis,
                             bool& given) {
    const auto text = element.field(name);
    if (text && axes) {
      element.fail(text->place, fmt::format("give the axis {} or angles, not both.", name));
    }
    if (text) axis = read_value3(element, *text, name);
    if (axes) std::copy((*axes)[index].begin(), (*axes)[index].end(), axis.begin());
    given = text || axes;
  };
  read_axis("x", 0, frame.x, frame.has_x);
  read_axis("y", 1, frame.y, frame.has_y);
  read_axis("z", 2, frame.z, frame.has_z);
  return frame;
}

}  // namespace parfait::io
