#pragma once

#include <map>
#include <string>
#include <vector>

#include "parfait/io/foreign/xml_view.h"

namespace parfait::io {

/// Numbers in the text of elements, put in the place of those that are there. Every other byte of
/// the file, and white space around the numbers, is kept.
class XmlNumbers {
 public:
  explicit XmlNumbers(const XmlSource& source) : source_(source) {}

  /// InputError if the element is empty (<a/>), has elements inside, or got other numbers before.
  void put(const XmlView& element, const std::vector<double>& numbers);
  /// The text with all of them.
  std::string text() const;

 private:
  struct Edit {
    std::size_t end;
    std::string text;
  };
  const XmlSource& source_;
  std::map<std::size_t, Edit> edits_;  ///< by where they begin
};

}  // namespace parfait::io
