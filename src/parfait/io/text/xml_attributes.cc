#include "parfait/io/text/xml_attributes.h"

#include "parfait/io/text/number.h"

namespace parfait::io {

void set(pugi::xml_node node, const char* name, const std::string& text) {
  node.append_attribute(name).set_value(text.c_str());
}

void set(pugi::xml_node node, const char* name, double x) {
  set(node, name, number_text(x));
}

void set(pugi::xml_node node, const char* name, const std::optional<double>& x) {
  if (x) set(node, name, *x);
}

}  // namespace parfait::io
