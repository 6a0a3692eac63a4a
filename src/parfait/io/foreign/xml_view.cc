#include "parfait/io/foreign/xml_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/stop.h"
#include "parfait/io/text/number.h"

namespace parfait::io {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > begin) words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

base::Place XmlView::place() const {
  const auto offset = node_.offset_debug();
  return source_->place(offset > 0 ? static_cast<std::size_t>(offset) - 1 : 0);
}

void XmlView::fail(const std::string& message) const {
  throw base::InputError(place(), message);
}

std::vector<XmlView> XmlView::children() const {
  base::leave_if_stopped();
  std::vector<XmlView> out;
  for (const auto& node : node_.children()) {
    if (node.type() == pugi::node_element) out.emplace_back(*source_, node);
  }
  return out;
}

std::vector<XmlView> XmlView::children(std::string_view name) const {
  auto out = children();
  std::erase_if(out, [&](const XmlView& view) { return view.name() != name; });
  return out;
}

std::optional<std::string> XmlView::attribute(const char* name) const {
  const auto found = node_.attribute(name);
  if (!found) return std::nullopt;
  return std::string(trimmed(found.value()));
}

std::string XmlView::required_attribute(const char* name) const {
  auto value = attribute(name);
  if (!value || value->empty())
    fail(fmt::format("<{}> needs the attribute \"{}\".", this->name(), name));
  return *value;
}

std::string XmlView::text() const {
  std::string all;
  for (const auto& node : node_.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) all += node.value();
  }
  return std::string(trimmed(all));
}

std::optional<std::string> XmlView::text_of(const char* name) const {
  const XmlView found = child(name);
  if (!found) return std::nullopt;
  auto text = found.text();
  if (text.empty()) return std::nullopt;
  return text;
}

std::vector<double> XmlView::parse(std::string_view text, const std::string& what,
                                   int count) const {
  std::vector<double> out;
  const auto words = words_of(text);
  for (const auto& word : words) {
    const auto parsed = parse_number(word);
    if (parsed.kind == NumberKind::kNumber) {
      out.push_back(parsed.value);
    } else if (parsed.kind == NumberKind::kNoNumber) {
      fail(fmt::format("{}: \"{}\" is not a number.", what, word));
    } else {
      fail(fmt::format("{}: {} is not a finite number.", what, word));
    }
  }
  if (count >= 0 && static_cast<int>(out.size()) != count) {
    fail(fmt::format("{} has {} number{}, must have {}.", what, out.size(),
                     out.size() == 1 ? "" : "s", count));
  }
  return out;
}

std::vector<double> XmlView::numbers(int count) const {
  return parse(text(), "<" + name() + ">", count);
}

std::optional<double> XmlView::number_of(const char* name) const {
  const XmlView found = child(name);
  if (!found || found.text().empty()) return std::nullopt;
  return found.numbers(1)[0];
}

std::optional<std::array<double, 3>> XmlView::vector_of(const char* name) const {
  const XmlView found = child(name);
  if (!found || found.text().empty()) return std::nullopt;
  const auto numbers = found.numbers(3);
  return std::array<double, 3>{numbers[0], numbers[1], numbers[2]};
}

std::optional<bool> XmlView::truth_of(const char* name) const {
  const XmlView found = child(name);
  if (!found) return std::nullopt;
  std::string text = found.text();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (text.empty()) return std::nullopt;
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  found.fail(fmt::format("<{}> is \"{}\", must be true or false.", name, found.text()));
}

std::optional<std::vector<double>> XmlView::attribute_numbers(const char* name, int count) const {
  const auto text = attribute(name);
  if (!text) return std::nullopt;
  return parse(*text, fmt::format("attribute \"{}\" of <{}>", name, this->name()), count);
}

}  // namespace parfait::io
