#include "parfait/report/html/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "parfait/report/html/style.h"

namespace parfait::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Length of the UTF-8 sequence at the start of `s` if it encodes a character that XML allows (RFC
/// 3629, 4; XML 1.0, 2.2), otherwise 0.
std::size_t character_length(std::string_view s) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    const bool allowed = first >= 0x20 ? first != 0x7F : first == '\t' || first == '\n';
    return allowed ? 1 : 0;
  }
  if (first < 0xC2) return 0;
  if (first < 0xE0) {
    // U+0080 to U+009F are control characters; XML would take them, browsers show nothing.
    const bool control = first == 0xC2 && byte(1) < 0xA0;
    return follows(1) && !control ? 2 : 0;
  }
  if (first < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    const bool no_character = first == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
    return overlong || surrogate || no_character ? 0 : 3;
  }
  if (first > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  const bool overlong = first == 0xF0 && byte(1) < 0x90;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return overlong || too_large ? 0 : 4;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool is_void(std::string_view tag) {
  constexpr std::array<std::string_view, 4> kVoid = {"br", "hr", "meta", "wbr"};
  return std::find(kVoid.begin(), kVoid.end(), tag) != kVoid.end();
}

}  // namespace

Html Html::trusted(std::string markup) {
  Html html;
  html.markup_ = std::move(markup);
  return html;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    const auto name = entity(text[0]);
    out += name.empty() ? text.substr(0, length) : name;
    text.remove_prefix(length);
  }
  return out;
}

Html text(std::string_view plain) {
  return Html::trusted(escaped(plain));
}

Html element(std::string_view tag, std::initializer_list<Attribute> attributes,
             const Html& content) {
  std::string out = fmt::format("<{}", tag);
  for (const auto& a : attributes) out += fmt::format(" {}=\"{}\"", a.name, escaped(a.value));
  if (is_void(tag)) return Html::trusted(out + "/>");
  return Html::trusted(fmt::format("{}>{}</{}>", out, content.markup(), tag));
}

Html element(std::string_view tag, const Html& content) {
  return element(tag, {}, content);
}

Html element(std::string_view tag, std::string_view plain) {
  return element(tag, {}, text(plain));
}

Html link(std::string_view anchor, std::string_view plain) {
  return element("a", {{"href", fmt::format("#{}", anchor)}}, text(plain));
}

Html html(const Table& table) {
  const auto align = [&](std::size_t column) {
    if (column >= table.columns.size()) return "";
    const auto kind = table.columns[column].kind;
    return kind == Table::Kind::kNumber  ? " class=\"n\""
           : kind == Table::Kind::kWords ? " class=\"w\""
                                         : "";
  };
  constexpr std::size_t kLong = 30;
  std::string out = fmt::format("<div class=\"scroll{}\" tabindex=\"0\"><table>",
                                table.rows.size() > kLong ? " long" : "");
  if (!table.caption.empty()) out += fmt::format("<caption>{}</caption>", escaped(table.caption));
  out += "<thead><tr>";
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const auto& column = table.columns[j];
    out += fmt::format("<th scope=\"col\"{}", align(j));
    if (!column.meaning.empty()) out += fmt::format(" title=\"{}\"", escaped(column.meaning));
    out += fmt::format(">{}</th>", escaped(column.heading));
  }
  out += "</tr></thead>\n<tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string_view tag = j == 0 ? "th" : "td";
      out += fmt::format("<{0}{1}{2}>{3}</{0}>", tag, j == 0 ? " scope=\"row\"" : "", align(j),
                         row[j].markup());
    }
    out += "</tr>\n";
  }
  return Html::trusted(out + "</tbody></table></div>\n");
}

Html section(std::string_view id, std::string_view heading, const Html& content) {
  return Html::trusted(
      fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 "
                  "id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
                  escaped(id), escaped(heading), content.markup()));
}

std::string page(std::string_view title, const Html& body) {
  // The policy: nothing is loaded from anywhere, so the file cannot reach the network.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), style_sheet(), body.markup());
}

}  // namespace parfait::report
