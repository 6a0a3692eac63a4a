#include "parfait/io/foreign/xml_edits.h"

#include "parfait/io/text/number.h"

namespace parfait::io {

XmlEdits::Opening XmlEdits::opening_of(const XmlView& element) const {
  const std::string& text = source_.text();
  auto at = static_cast<std::size_t>(element.node().offset_debug());
  for (char quote = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      break;
    }
  }
  if (text[at - 1] == '/') return {at - 1, true};
  return {at + 1, false};
}

void XmlEdits::put_text(const XmlView& element, const std::string& words) {
  const std::string& text = source_.text();
  const auto [begin, is_empty] = opening_of(element);
  Edit edit{begin + 2, ">" + words, "</" + element.name() + ">"};
  std::size_t first = begin;
  if (!is_empty) {
    const std::size_t end = text.find("</", begin);
    if (end == std::string::npos ||
        text.substr(begin, end - begin).find('<') != std::string::npos) {
      element.fail("<" + element.name() + "> has changed, and the file has no place for it.");
    }
    std::size_t last = end;
    while (first < last && is_space(text[first])) ++first;
    while (last > first && is_space(text[last - 1])) --last;
    edit = {last, words, ""};
  }
  const auto [known, is_new] = edits_.try_emplace(first, edit);
  if (!is_new && known->second.text != edit.text) {
    element.fail("two changes of one place differ: the frame is shared by several joints.");
  }
}

void XmlEdits::put(const XmlView& element, const std::vector<double>& numbers) {
  put_text(element, list_text(numbers));
}

void XmlEdits::insert(const XmlView& element, const std::string& xml) {
  const std::string& text = source_.text();
  const auto [begin, is_empty] = opening_of(element);
  if (is_empty) {
    edits_.try_emplace(begin, Edit{begin + 2, ">", "</" + element.name() + ">"});
    edits_[begin].text += xml;
    return;
  }
  // Indented as what follows.
  std::size_t next = begin;
  while (next < text.size() && is_space(text[next])) ++next;
  edits_.try_emplace(begin, Edit{begin, "", ""});
  edits_[begin].text += text.substr(begin, next - begin) + xml;
}

std::string XmlEdits::text() const {
  const std::string& all = source_.text();
  std::string out;
  std::size_t at = 0;
  for (const auto& [begin, edit] : edits_) {
    out.append(all, at, begin - at);
    out += edit.text + edit.closing;
    at = edit.end;
  }
  out.append(all, at, std::string::npos);
  return out;
}

}  // namespace parfait::io
