#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/base/error.h"

/// XML as a person wrote it: every name and value knows its line and column, and what nobody asked
/// for is an error. A value may be given as an attribute or as a child element:
///
///   <body mass="2"/>    or    <body> <mass> 2 </mass> </body>
namespace parfait::io {

/// Trimmed text and where its first character stands.
struct Text {
  std::string text;
  base::Place place;
};

/// A parsed file. Elements refer to it, so it stays where it is.
class XmlSource {
 public:
  /// InputError if the text is not one well-formed XML element.
  XmlSource(std::string_view text, std::string file_name);

  pugi::xml_node root() const { return document_.document_element(); }
  base::Place place(std::size_t offset) const;
  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }

 private:
  std::size_t characters_before(std::size_t offset) const;

  std::string text_;
  std::string file_;
  std::vector<std::size_t> line_starts_;
  std::vector<std::size_t> characters_;  ///< before each block of bytes: places are found in O(1)
  pugi::xml_document document_;
};

struct OtherField;

/// An element being read. It remembers what it was asked for; finish() reports the rest.
class Element {
 public:
  Element(const XmlSource& source, pugi::xml_node node, std::string context = "");

  const base::Place& place() const { return place_; }
  std::string name() const { return node_.name(); }

  /// Put before every message about this element and its children: `body "Arm"`.
  void set_context(std::string context) { context_ = std::move(context); }
  const std::string& context() const { return context_; }

  std::optional<Text> attribute(const std::string& name);
  std::optional<Element> child(const std::string& name);  ///< InputError if there are several
  std::vector<Element> children(const std::string& name);
  /// An attribute, or a child element that holds only text. InputError if given twice or empty.
  std::optional<Text> field(const std::string& name);
  Text required_field(const std::string& name);
  /// InputError: `name` is missing; or, if something similar is there, that this is unknown.
  [[noreturn]] void fail_missing(const std::string& name, const std::string& hint = "") const;
  /// The text inside the element; empty text if there is none.
  Text text();

  /// Attributes and child elements that were not asked for so far, in the order of the file: for
  /// elements whose constants have names of their own. They count as asked for afterwards.
  std::vector<OtherField> others();

  /// The element as XML text without insignificant white space.
  std::string xml_text() const;

  /// InputError at the first attribute, child element or text that was not asked for.
  void finish() const;

  [[noreturn]] void fail(const base::Place& place, const std::string& message) const;

 private:
  struct Attribute {
    Text name;
    Text value;
  };

  const XmlSource* source_;
  pugi::xml_node node_;
  base::Place place_;
  std::string context_;
  std::vector<Attribute> attributes_;
  std::vector<std::string> asked_attributes_, asked_children_;
  bool text_asked_ = false;
};

/// A field with a name of its own: see Element::others.
struct OtherField {
  Text name;
  std::optional<Text> attribute;  ///< the value, or ...
  std::optional<Element> child;   ///< ... the element that holds it
};

/// Text as it stands between tags or in an attribute with double quotes.
std::string xml_escaped(std::string_view text);

}  // namespace parfait::io
