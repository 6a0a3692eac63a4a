#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/text/xml_element.h"

/// XML that others wrote: what is asked for is read, the rest is left alone. (Element, for our own
/// files, refuses what nobody asked for.)
namespace parfait::io {

class XmlView {
 public:
  XmlView() = default;
  XmlView(const XmlSource& source, pugi::xml_node node) : source_(&source), node_(node) {}

  explicit operator bool() const { return static_cast<bool>(node_); }
  std::string name() const { return node_.name(); }
  base::Place place() const;
  pugi::xml_node node() const { return node_; }
  const XmlSource& source() const { return *source_; }

  XmlView child(const char* name) const { return {*source_, node_.child(name)}; }
  std::vector<XmlView> children() const;  ///< elements
  std::vector<XmlView> children(std::string_view name) const;
  std::optional<std::string> attribute(const char* name) const;
  std::string required_attribute(const char* name) const;

  /// The text inside, trimmed.
  std::string text() const;
  /// Text of a child; nothing if there is none or it is empty.
  std::optional<std::string> text_of(const char* name) const;

  /// Numbers in the text of this element; InputError unless there are `count` of them, all finite
  /// (count < 0: any number of them).
  std::vector<double> numbers(int count) const;
  std::optional<double> number_of(const char* name) const;
  std::optional<std::array<double, 3>> vector_of(const char* name) const;
  /// true, false, 1, 0 in any case.
  std::optional<bool> truth_of(const char* name) const;
  /// Numbers in an attribute.
  std::optional<std::vector<double>> attribute_numbers(const char* name, int count) const;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::vector<double> parse(std::string_view text, const std::string& what, int count) const;

  const XmlSource* source_ = nullptr;
  pugi::xml_node node_;
};

/// Words between white space.
std::vector<std::string> words_of(std::string_view text);

}  // namespace parfait::io
