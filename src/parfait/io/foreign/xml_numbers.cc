#include "parfait/io/foreign/xml_numbers.h"

#include "parfait/io/text/number.h"

namespace parfait::io {
void XmlNumbers::put(const XmlView& element, const std::vector<double>& numbers) {
  const std::string& text = source_.text();
  const auto fail = [&] {
    element.fail("<" + element.name() + "> has changed, and the file has no place for it.");
  };
  const auto name = static_cast<std::size_t>(element.node().offset_debug());
  std::size_t begin = text.find('>', name);
  if (begin == std::string::npos || text[begin - 1] == '/') fail();
  ++begin;
  const std::size_t end = text.find("</", begin);
  if (end == std::string::npos || text.substr(begin, end - begin).find('<') != std::string::npos) {
    fail();
  }
  std::size_t first = begin, last = end;
  while (first < last && is_space(text[first])) ++first;
  while (last > first && is_space(text[last - 1])) --last;
  const std::string words = list_text(numbers);
  const auto [known, is_new] = edits_.try_emplace(first, Edit{last, words});
  if (!is_new && known->second.text != words) {
    element.fail("two changes of one place differ: the frame is shared by several joints.");
  }
}

std::string XmlNumbers::text() const {
  const std::string& all = source_.text();
  std::string out;
  std::size_t at = 0;
  for (const auto& [begin, edit] : edits_) {
    out.append(all, at, begin - at);
    out += edit.text;
    at = edit.end;
  }
  out.append(all, at, std::string::npos);
  return out;
}

}  // namespace parfait::io
