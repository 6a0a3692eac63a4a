#include "parfait/io/text/xml_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "parfait/base/stop.h"
#include "parfait/io/text/number.h"

namespace parfait::io {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::size_t kBytesPerBlock = 256;  // bytes

/// Not the continuation of a UTF-8 character.
bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

std::size_t count_leading_space(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_space) -
                                  text.begin());
}

}  // namespace

XmlSource::XmlSource(std::string_view text, std::string file_name)
    : text_(text), file_(std::move(file_name)) {
  line_starts_.push_back(0);
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i % kBytesPerBlock == 0) {
      base::leave_if_stopped();
      characters_.push_back(characters);
    }
    characters += begins_character(text_[i]) ? 1 : 0;
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  characters_.push_back(characters);
  if (const auto nul = text_.find('\0'); nul != std::string::npos) {
    throw base::InputError(place(nul),
                           "here is a NUL byte, which no text contains. Is this a binary file, or "
                           "UTF-16? Save it as UTF-8.");
  }
  // Line ends inside attributes are kept, so that places inside long formulas stay right.
  constexpr unsigned kOptions = pugi::parse_default & ~pugi::parse_wconv_attribute;
  const auto result =
      document_.load_buffer(text_.data(), text_.size(), kOptions, pugi::encoding_utf8);
  if (!result) {
    throw base::InputError(place(static_cast<std::size_t>(result.offset)),
                           fmt::format("this is not well-formed XML: {}.", result.description()));
  }
  for (const auto& node : document_.children()) {
    if (node.type() == pugi::node_element && node != root()) {
      throw base::InputError(
          place(static_cast<std::size_t>(node.offset_debug()) - 1),
          fmt::format("this is not well-formed XML: <{}> follows the end of <{}>.", node.name(),
                      root().name()));
    }
  }
}

base::Place XmlSource::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(next - 1);
  // Columns count characters, not the bytes of their UTF-8 code.
  const std::size_t characters = characters_before(offset) - characters_before(start);
  return {file_, static_cast<int>(next - line_starts_.begin()), static_cast<int>(characters) + 1};
}

std::size_t XmlSource::characters_before(std::size_t offset) const {
  const std::size_t block = offset / kBytesPerBlock;
  if (block >= characters_.size()) return characters_.back();
  const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(block * kBytesPerBlock);
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(offset);
  return characters_[block] + static_cast<std::size_t>(std::count_if(begin, end, begins_character));
}

Element::Element(const XmlSource& source, pugi::xml_node node, std::string context)
    : source_(&source), node_(node), context_(std::move(context)) {
  base::leave_if_stopped();
  const auto name_offset = static_cast<std::size_t>(node.offset_debug());
  place_ = source.place(name_offset - 1);
  // The parser knows no places of attributes: walk along them in the text.
  const std::string_view text = source.text();
  std::size_t at = name_offset + std::string_view(node.name()).size();
  for (const auto& attribute : node.attributes()) {
    at += count_leading_space(text.substr(at));
    const base::Place name_place = source.place(at);
    at = text.find_first_of("\"'", at);
    const std::size_t end = text.find(text[at], at + 1);
    const std::string_view raw = text.substr(at + 1, end - at - 1);
    const std::string name = attribute.name();
    if (std::any_of(attributes_.begin(), attributes_.end(),
                    [&](const Attribute& other) { return other.name.text == name; })) {
      fail(name_place, fmt::format("attribute \"{}\" of <{}> is given twice.", name, node.name()));
    }
    at = end + 1;
    // How a file names its schema for editors says nothing about the model.
    if (name.starts_with("xmlns") || name.starts_with("xsi:")) continue;
    const std::size_t leading = count_leading_space(raw);
    attributes_.push_back(
        {{name, name_place},
         {std::string(trimmed(attribute.value())), source.place(end - raw.size() + leading)}});
  }
}

void Element::fail(const base::Place& place, const std::string& message) const {
  throw base::InputError(place, context_.empty() ? message : context_ + ": " + message);
}

std::optional<Text> Element::attribute(const std::string& name) {
  if (!contains(asked_attributes_, name)) asked_attributes_.push_back(name);
  for (const auto& attribute : attributes_) {
    if (attribute.name.text == name) return attribute.value;
  }
  return std::nullopt;
}

std::vector<Element> Element::children(const std::string& name) {
  if (!contains(asked_children_, name)) asked_children_.push_back(name);
  std::vector<Element> found;
  for (const auto& node : node_.children(name.c_str())) {
    found.emplace_back(*source_, node, context_);
  }
  return found;
}

std::optional<Element> Element::child(const std::string& name) {
  auto found = children(name);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) fail(found[1].place(), fmt::format("<{}> is given twice.", name));
  return std::move(found.front());
}

std::optional<Text> Element::field(const std::string& name) {
  auto value = attribute(name);
  if (auto element = child(name)) {
    if (value) {
      fail(element->place(),
           fmt::format("<{0}> is given twice: \"{0}\" is an attribute too.", name));
    }
    value = element->text();
    element->finish();
    if (value->text.empty()) fail(element->place(), fmt::format("<{}> is empty.", name));
  }
  if (value && value->text.empty()) fail(value->place, fmt::format("\"{}\" is empty.", name));
  return value;
}

Text Element::required_field(const std::string& name) {
  auto value = field(name);
  if (!value) fail_missing(name);
  return *value;
}

void Element::fail_missing(const std::string& name, const std::string& hint) const {
  for (const auto& attribute : attributes_) {
    const auto& other = attribute.name;
    const std::string guess = base::suggestion(other.text, {name});
    if (contains(asked_attributes_, other.text) || guess.empty()) continue;
    fail(other.place,
         fmt::format("unknown attribute \"{}\" of <{}>.{}", other.text, node_.name(), guess));
  }
  for (const auto& node : node_.children()) {
    if (node.type() != pugi::node_element || contains(asked_children_, node.name())) continue;
    const std::string guess = base::suggestion(node.name(), {name});
    if (guess.empty()) continue;
    fail(source_->place(static_cast<std::size_t>(node.offset_debug()) - 1),
         fmt::format("unknown element <{}> in <{}>.{}", node.name(), node_.name(), guess));
  }
  fail(place_, fmt::format("\"{}\" is missing{}.", name, hint));
}

Text Element::text() {
  text_asked_ = true;
  std::string joined;
  base::Place first = place_;
  for (const auto& node : node_.children()) {
    if (node.type() != pugi::node_pcdata && node.type() != pugi::node_cdata) continue;
    const std::string_view piece = node.value();
    if (trimmed(piece).empty()) continue;
    if (joined.empty()) {
      const std::size_t begin =
          static_cast<std::size_t>(node.offset_debug()) + count_leading_space(piece);
      first = source_->place(begin);
    }
    joined += piece;
  }
  return {std::string(trimmed(joined)), first};
}

std::vector<OtherField> Element::others() {
  std::vector<OtherField> found;
  for (const auto& attribute : attributes_) {
    if (contains(asked_attributes_, attribute.name.text)) continue;
    asked_attributes_.push_back(attribute.name.text);
    found.push_back({attribute.name, attribute.value, std::nullopt});
  }
  const auto asked_before = asked_children_;
  for (const auto& node : node_.children()) {
    if (node.type() != pugi::node_element || contains(asked_before, node.name())) continue;
    asked_children_.emplace_back(node.name());
    Element element(*source_, node, context_);
    found.push_back({{node.name(), element.place()}, std::nullopt, std::move(element)});
  }
  return found;
}

std::string Element::xml_text() const {
  std::ostringstream out;
  node_.print(out, "", pugi::format_raw);
  return out.str();
}

void Element::finish() const {
  for (const auto& attribute : attributes_) {
    const auto& name = attribute.name;
    if (contains(asked_attributes_, name.text)) continue;
    fail(name.place, fmt::format("unknown attribute \"{}\" of <{}>.{}", name.text, node_.name(),
                                 base::suggestion(name.text, asked_attributes_)));
  }
  for (const auto& node : node_.children()) {
    if (node.type() == pugi::node_element && !contains(asked_children_, node.name())) {
      std::string help = base::suggestion(node.name(), asked_children_);
      if (!asked_children_.empty()) help += " Known here: " + base::listing(asked_children_) + ".";
      fail(source_->place(static_cast<std::size_t>(node.offset_debug()) - 1),
           fmt::format("unknown element <{}> in <{}>.{}", node.name(), node_.name(), help));
    }
    const bool is_text = node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
    if (is_text && !text_asked_ && !trimmed(node.value()).empty()) {
      const auto offset = static_cast<std::size_t>(node.offset_debug());
      fail(source_->place(offset + count_leading_space(node.value())),
           fmt::format("<{}> must not contain text, found \"{}\".", node_.name(),
                       trimmed(node.value())));
    }
  }
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace parfait::io
