#include "parfait/report/html/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace parfait::report {
namespace {

/// As a shell would need it: quotes where there are signs that have a meaning there.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_-./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string_view weight_class(Weight weight) {
  return weight == Weight::kGood ? "good" : weight == Weight::kDoubt ? "doubt" : "bad";
}

Html weight_mark(Weight weight, std::string_view word) {
  const char* sign = weight == Weight::kGood ? "✓" : weight == Weight::kDoubt ? "!" : "✗";
  return element("span", {{"class", "sign"}}, text(fmt::format("{} {}", sign, word)));
}

std::string reason_of(std::string_view message) {
  for (const std::string_view said : {"not converged: ", "not converged "}) {
    if (message.starts_with(said)) message.remove_prefix(said.size());
  }
  if (message.empty() || message == "interrupted") return "It was stopped before it had converged";
  std::string reason(message);
  reason[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(reason[0])));
  return reason;
}

Html remarks_block(const std::vector<Remark>& remarks, bool came_to_its_end) {
  if (remarks.empty()) {
    return element(
        "p", came_to_its_end ? "Nothing to object to." : "Nothing beyond what is said above.");
  }
  Html items;
  for (const auto& remark : remarks) {
    const char* word = remark.weight == Weight::kBad     ? "✗ Problem:"
                       : remark.weight == Weight::kDoubt ? "! Look:"
                                                         : "✓";
    Html item = element("b", word) + text(" " + remark.text + " ");
    if (!remark.anchor.empty()) item += link(remark.anchor, "Show");
    items += element("li", {{"class", std::string(weight_class(remark.weight))}}, item);
  }
  return element("ul", {{"class", "findings"}}, items);
}

Html verdict_box(Weight weight, std::string_view word, std::string_view sentence,
                 std::string_view advice, const std::vector<Fact>& facts) {
  Html content = element("p", weight_mark(weight, word) + text(fmt::format(" {}", sentence)));
  if (!advice.empty()) content += element("p", advice);
  Html list;
  for (const auto& fact : facts) {
    Html value = fact.value;
    if (!fact.meaning.empty()) value += element("small", fact.meaning);
    list += element("div", element("dt", fact.name) + element("dd", value));
  }
  if (!facts.empty()) content += element("dl", {{"class", "facts"}}, list);
  return element("div", {{"class", fmt::format("verdict {}", weight_class(weight))}}, content);
}

Html absent(std::string_view why) {
  return element("p", {{"class", "soft"}}, text(why));
}

Html plots(const Html& figures) {
  return figures.empty() ? figures : element("div", {{"class", "plots"}}, figures);
}

Html side_by_side(const Html& blocks) {
  return blocks.empty() ? blocks : element("div", {{"class", "side"}}, blocks);
}

Html name_table(std::string caption, const std::vector<NamedCell>& cells) {
  Table table{std::move(caption), {{"name"}, {"value"}}, {}};
  for (const auto& cell : cells) table.rows.push_back({text(cell.name), cell.value});
  return html(table);
}

Html command_block(const result::Origin& origin) {
  if (origin.arguments.empty()) return absent("The command line was not recorded.");
  std::string line = "parfait";
  for (const auto& argument : origin.arguments) line += " " + shell_word(argument);
  return element("pre", element("code", line));
}

Html files_block(const result::Origin& origin) {
  if (origin.files.empty()) return absent("The files that were read were not recorded.");
  Table table{"Files that were read", {{"file"}, {"kind"}, {"SHA-256"}}, {}};
  for (const auto& file : origin.files) {
    table.rows.push_back({text(file.path), text(file.kind), element("code", file.sha256)});
  }
  return html(table);
}

Html origin_block(const result::Verdict& verdict) {
  return command_block(verdict.origin) + element("p", fmt::format("Parfait {}.", verdict.version)) +
         files_block(verdict.origin);
}

void Frame::add(std::string_view id, std::string_view heading, const Html& content) {
  links_ += link(id, heading);
  sections_ += section(id, heading, content);
}

std::string Frame::page() const {
  // Paths have no spaces at which a narrow page could break them.
  Html title;
  for (std::size_t from = 0; from < title_.size();) {
    const auto to = title_.find_first_of("/_", from);
    const std::size_t end = to == title_.npos ? title_.size() : to + 1;
    title += text(title_.substr(from, end - from));
    if (end < title_.size()) title += Html::trusted("<wbr/>");
    from = end;
  }
  const Html header = element("header", element("h1", title) + verdict_ +
                                            element("nav", {{"aria-label", "sections"}}, links_));
  return report::page(title_, header + element("main", sections_));
}

}  // namespace parfait::report
