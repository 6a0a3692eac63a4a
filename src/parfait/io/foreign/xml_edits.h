#pragma once

#include <map>
#include <string>
#include <vector>

#include "parfait/io/foreign/xml_view.h"

namespace parfait::io {

/// Changes of a file that somebody else wrote: texts of elements, and further elements. Every other
/// byte of the file, and white space around the texts, is kept.
class XmlEdits {
 public:
  explicit XmlEdits(const XmlSource& source) : source_(source) {}

  /// Puts a text, or numbers, in the place of what is there. InputError if the element has elements
  /// inside, or got another text before.
  void put_text(const XmlView& element, const std::string& text);
  void put(const XmlView& element, const std::vector<double>& numbers);
  /// Adds elements, given as XML, in front of those inside, after others that were inserted.
  void insert(const XmlView& element, const std::string& xml);
  /// The text with all of them.
  std::string text() const;

 private:
  struct Edit {
    std::size_t end = 0;
    std::string text, closing;
  };
  /// Where the opening tag ends: behind its '>', or at the "/>" of an empty element.
  struct Opening {
    std::size_t at = 0;
    bool is_empty = false;
  };
  Opening opening_of(const XmlView& element) const;

  const XmlSource& source_;
  std::map<std::size_t, Edit> edits_;  ///< by where they begin
};

}  // namespace parfait::io
