#include <fmt/format.h>

#include <optional>

#include "parfait/io/problem/problem_elements.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {
namespace {

using dynamics::FormulaText;
using estimate::Requirement;

/// `left = right`, `left >= right` or `left <= right`, cut at its sign.
struct Relation {
  std::size_t at = 0;  ///< of the sign
  std::string_view sign;
};

/// The place of the character at `offset` of a text.
Text tail(const Text& text, std::size_t offset) {
  Text rest{text.text.substr(offset), text.place};
  for (const char c : text.text.substr(0, offset)) {
    if (c == '\n') {
      ++rest.place.line;
      rest.place.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++rest.place.column;
    }
  }
  return rest;
}

/// Signs inside parentheses belong to conditions, == and != to formulas.
Relation find_relation(const Element& element, const Text& text) {
  const std::string_view s = text.text;
  std::optional<Relation> found;
  int depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
    if (depth > 0) continue;
    const std::string_view two = s.substr(i, 2);
    if (two == "==" || two == "!=") {
      ++i;
      continue;
    }
    const std::size_t length = two == ">=" || two == "<=" ? 2 : s[i] == '=' ? 1 : 0;
    if (length == 0) {
      if (s[i] != '<' && s[i] != '>') continue;
      element.fail(tail(text, i).place,
                   fmt::format("\"{0}\" cannot be required, only \"{0}=\".", s[i]));
    }
    if (found) {
      element.fail(tail(text, i).place,
                   "a requirement must have exactly one \"=\", \">=\" or \"<=\".");
    }
    found = Relation{i, s.substr(i, length)};
    i += length - 1;
  }
  if (!found) {
    element.fail(text.place,
                 "a requirement is an equation \"a = b\" or an inequality \"a >= b\" or "
                 "\"a <= b\".");
  }
  return *found;
}

/// The formula that must be 0 or >= 0. Its characters stay where they were written, as far as there
/// is a blank beside the sign to make room, so that messages about it name the right column.
FormulaText difference(const Element& element, const Text& text, const Relation& relation) {
  const std::string& s = text.text;
  std::size_t first = relation.at, last = relation.at + relation.sign.size();
  const std::string left(trimmed(s.substr(0, first)));
  const std::string right(trimmed(s.substr(last)));
  if (left.empty() || right.empty()) {
    element.fail(tail(text, relation.at).place,
                 fmt::format("a formula must stand on both sides of \"{}\".", relation.sign));
  }
  const bool swapped = relation.sign == "<=";
  base::Place place = text.place;
  if (swapped && place.column > 2) place.column -= 2;
  if (right == "0") return {swapped ? "-(" + left + ")" : left, place};
  const std::string joint = swapped ? ")+(" : "-(";
  const auto is_blank = [&](std::size_t i) { return i < s.size() && s[i] == ' '; };
  if (last - first < joint.size() && is_blank(last)) ++last;
  if (last - first < joint.size() && is_blank(first - 1)) --first;
  return {(swapped ? "-(" : "") + s.substr(0, first) + joint + s.substr(last) + ")", place};
}

std::vector<std::optional<double>> read_times(Element& element) {
  const auto at = element.attribute("at");
  if (!at) return {std::nullopt};
  std::vector<std::optional<double>> times;
  for (const auto& word : split_list(*at)) times.emplace_back(read_number(element, word, "at"));
  if (times.empty()) element.fail(at->place, "\"at\" is empty.");
  return times;
}

Requirement::Term read_term(Element& element) {
  Requirement::Term term;
  if (const auto at = element.attribute("at")) term.at = read_number(element, *at, "at");
  const Text text = element.text();
  element.finish();
  if (text.text.empty()) element.fail(element.place(), "<term> is empty.");
  term.formula = {text.text, text.place};
  return term;
}

/// A sum over several times: `<require relation=">="> <term at="0"> x </term> ... </require>`.
Requirement read_sum(Element& element, std::vector<Element>& terms) {
  Requirement requirement;
  requirement.place = element.place();
  if (const auto relation = element.attribute("relation")) {
    requirement.inequality =
        read_choice<bool>(element, *relation, "relation", {{"=", false}, {">=", true}});
  }
  if (const auto at = element.attribute("at")) {
    element.fail(at->place, "a sum has no time of its own; give \"at\" with its terms.");
  }
  element.finish();
  for (auto& term : terms) requirement.terms.push_back(read_term(term));
  return requirement;
}

}  // namespace

void read_requirement(Element& element, std::vector<Requirement>& requirements) {
  element.set_context(element.context().empty() ? "require" : element.context() + ", require");
  auto terms = element.children("term");
  if (!terms.empty()) {
    requirements.push_back(read_sum(element, terms));
    return;
  }
  const auto times = read_times(element);
  const Text text = element.text();
  element.finish();
  if (text.text.empty()) element.fail(element.place(), "<require> is empty.");
  const Relation relation = find_relation(element, text);
  for (const auto& time : times) {
    Requirement& requirement = requirements.emplace_back();
    requirement.place = element.place();
    requirement.inequality = relation.sign != "=";
    requirement.terms.push_back({time, difference(element, text, relation)});
  }
}

}  // namespace parfait::io
