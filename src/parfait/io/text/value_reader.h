#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parfait/io/text/xml_element.h"
#include "parfait/mechanism/description/description.h"

/// Numbers, formulas and frames inside a model file. `what` names the thing read in messages.
namespace parfait::io {

/// A finite number.
double read_number(const Element& at, const Text& text, std::string_view what);

/// The field of that name, if the element has it.
std::optional<double> read_optional_number(Element& element, const char* name);

/// A finite number if the whole text is one, otherwise a formula (checked later, with its names).
mechanism::Value read_value(const Element& at, const Text& text, std::string_view what);

/// A law or derivative: a formula, even where it is only a number.
mechanism::Value read_formula(const Text& text);

/// The words of a list. White space separates, except inside parentheses: "(2 * k) 1" has two. The
/// parentheses that only hold such a word together are taken off. See also list_word().
std::vector<Text> split_list(const Text& text);

/// A formula as a word of a list: in parentheses if it holds white space.
std::string list_word(const std::string& formula);

/// Cuts at white space and commas outside parentheses; parentheses stay.
std::vector<Text> split_names(const Text& text);

mechanism::Number3 read_number3(const Element& at, const Text& text, std::string_view what);
mechanism::Value3 read_value3(const Element& at, const Text& text, std::string_view what);

/// One of several words.
template <class Choice>
Choice read_choice(const Element& at, const Text& text, std::string_view what,
                   const std::vector<std::pair<std::string, Choice>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) {
    if (word == text.text) return choice;
    words.push_back(word);
  }
  at.fail(text.place, std::string(what) + " \"" + text.text + "\" is unknown." +
                          base::suggestion(text.text, words) +
                          " Must be one of: " + base::listing(words) + ".");
}

/// A field that is true or false; false if it is not given.
bool read_flag(Element& element, const char* name);

/// A value that may have an attribute `unit` beside it (as a child element: on itself).
struct TextWithUnit {
  Text text;
  std::optional<Text> unit;
};
std::optional<TextWithUnit> read_field_with_unit(Element& element, const std::string& name);

/// The axes x, y, z of the frame that `angles` describes, if the element has them:
///
///   (x y z) = Rx(a) Ry(b) Rz(c),
///
/// that is: turn about x by a, then about the new y by b, then about the new z by c (Cardan angles,
/// the frame is what turns). Radians, or degrees with unit="deg"; multiples of 90 degrees are
/// exact.
std::optional<std::array<mechanism::Number3, 3>> read_angles(Element& element);

/// The texts of `<remark>` children.
void read_remarks(Element& element, std::vector<std::string>& remarks);

/// o, x, y, z (or angles instead of x, y, z) of a marker.
mechanism::Frame read_frame(Element& element);

}  // namespace parfait::io
