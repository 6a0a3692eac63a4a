#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parfait/report/html/html.h"
#include "parfait/result/verdict.h"

/// What all reports have in common: a verdict, remarks, sections that a line of links leads to, and
/// how the result was made.
namespace parfait::report {

enum class Weight { kGood, kDoubt, kBad };
std::string_view weight_class(Weight weight);  ///< of the style sheet
/// A sign and a word, for those who see no colours: "✓ Good", "! Look", "✗ Failed".
Html weight_mark(Weight weight, std::string_view word);

/// One thing to know, and where it is to be seen.
struct Remark {
  Weight weight = Weight::kDoubt;
  std::string text{};
  std::string anchor{};  ///< id of a section; may be empty
};
/// What a message says beyond "not converged" or "interrupted", which stand before it already.
std::string reason_of(std::string_view message);

/// `came_to_its_end`: otherwise the verdict above objects already.
Html remarks_block(const std::vector<Remark>& remarks, bool came_to_its_end = true);

/// A number of the verdict with its name and, in small letters, what it means.
struct Fact {
  std::string name;
  Html value;
  std::string meaning{};
};

/// The verdict: a word with its sign, a sentence, what to do (may be empty), a few numbers.
Html verdict_box(Weight weight, std::string_view word, std::string_view sentence,
                 std::string_view advice, const std::vector<Fact>& facts);

/// A sentence in the place of something that cannot be shown.
Html absent(std::string_view why);
/// Figures side by side, as many as there is room for.
Html plots(const Html& figures);
/// Tables and other blocks of any width side by side, where there is room.
Html side_by_side(const Html& blocks);

/// Two columns: name and value.
struct NamedCell {
  std::string name;
  Html value;
};
Html name_table(std::string caption, const std::vector<NamedCell>& cells);

/// The command line as it would be typed, and the files that were read.
Html command_block(const result::Origin& origin);
Html files_block(const result::Origin& origin);
/// "How it was made" of a page that has no more to say of it: command, version, files.
Html origin_block(const result::Verdict& verdict);

class Frame {
 public:
  Frame(std::string title, Html verdict) : title_(std::move(title)), verdict_(std::move(verdict)) {}
  void add(std::string_view id, std::string_view heading, const Html& content);
  std::string page() const;

 private:
  std::string title_;
  Html verdict_;
  Html links_;
  Html sections_;
};

}  // namespace parfait::report
