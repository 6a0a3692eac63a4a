#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Pieces of a page. What is written is HTML and well-formed XML at once, so that any XML parser
/// can read a report.
namespace parfait::report {

/// Markup in which everything that came from files stands escaped. Text becomes Html only through
/// the functions below, so that a name with a tag in it cannot become one.
class Html {
 public:
  Html() = default;
  const std::string& markup() const { return markup_; }
  bool empty() const { return markup_.empty(); }
  Html& operator+=(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  friend Html operator+(Html a, const Html& b) { return a += b; }

  /// Markup that was written here, by us, and holds nothing from a file.
  static Html trusted(std::string markup);

 private:
  std::string markup_;
};

/// `text` with & < > " ' as entities. Bytes that are no UTF-8, and characters that XML forbids,
/// become U+FFFD.
std::string escaped(std::string_view text);

Html text(std::string_view plain);

struct Attribute {
  std::string_view name;
  std::string value;  ///< plain, escaped when it is written
};

/// <tag a="b">content</tag>, and <tag a="b"/> for elements that HTML keeps empty (br, meta, ...).
Html element(std::string_view tag, std::initializer_list<Attribute> attributes,
             const Html& content = {});
Html element(std::string_view tag, const Html& content);
Html element(std::string_view tag, std::string_view plain);

/// <a href="#anchor">plain</a>
Html link(std::string_view anchor, std::string_view plain);

/// A table with a heading for each column and, in its first column, one for each row.
struct Table {
  enum class Kind { kText, kNumber, kWords };  ///< words: sentences, which may be broken
  struct Column {
    std::string heading;
    Kind kind = Kind::kText;
    std::string meaning{};  ///< shown when the pointer rests on the heading
  };
  std::string caption{};
  std::vector<Column> columns;
  std::vector<std::vector<Html>> rows{};
};
/// In a box that scrolls sideways where the page is narrow, and downwards where the table is long.
Html html(const Table& table);

/// A part of the page with a heading; `id` is where links lead to.
Html section(std::string_view id, std::string_view heading, const Html& content);

/// A complete file: head, style sheet, `body`.
std::string page(std::string_view title, const Html& body);

}  // namespace parfait::report
