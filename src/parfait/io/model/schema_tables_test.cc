#include <fmt/format.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>
#include <vector>

#include "parfait/integrate/stepping/method.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/text/text_file.h"
#include "parfait/mechanism/checks/check_description.h"

// Schemas and documentation list what the tables of the program list.
namespace parfait::io {
namespace {

const std::string kDocs = std::string(PARFAIT_SOURCE_DIR) + "/docs/";

pugi::xml_document schema(const std::string& name) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_file((kDocs + "schema/" + name).c_str())) << name;
  return document;
}

/// "name: what it is for" of each value of a simple type.
std::vector<std::string> values_of(const pugi::xml_document& document, const char* type) {
  std::vector<std::string> values;
  const auto found = document.child("xs:schema").find_child_by_attribute("name", type);
  for (const auto& value : found.child("xs:restriction").children("xs:enumeration")) {
    const auto* remark = value.child("xs:annotation").child_value("xs:documentation");
    values.push_back(fmt::format("{}: {}", value.attribute("value").value(), remark));
  }
  return values;
}

TEST(SchemaTables, ListTheMethodsOfIntegration) {
  std::vector<std::string> general, mechanical;
  for (const auto& method : integrate::methods()) {
    auto& list = method.needs_second_order ? mechanical : general;
    list.push_back(fmt::format("{}: {}", method.name, method.purpose));
  }
  const auto document = schema("integrators.xsd");
  EXPECT_EQ(values_of(document, "GeneralIntegrator"), general);
  EXPECT_EQ(values_of(document, "MechanicalIntegrator"), mechanical);
}

TEST(SchemaTables, ListTheRootsOfModelFiles) {
  for (const auto* name : {"model.xsd", "formula.xsd"}) {
    std::vector<std::string> expected, found;
    for (const auto& kind : model_file_kinds()) {
      if (kind.schema == std::string(name)) expected.emplace_back(kind.root);
    }
    const auto document = schema(name);
    for (const auto& root : document.child("xs:schema").children("xs:element")) {
      found.emplace_back(root.attribute("name").value());
    }
    EXPECT_EQ(found, expected) << name;
  }
  for (const auto& kind : model_file_kinds()) {
    if (std::string(kind.schema).empty()) continue;
    EXPECT_FALSE(schema(kind.schema).empty());
  }
}

TEST(Documentation, TutorialListsTheMethodsOfIntegration) {
  std::string rows;
  for (const auto& method : integrate::methods()) {
    rows += fmt::format("| `{}` | {} | {} |\n", method.name, method.purpose, method.summary);
  }
  const std::string text = read_text_file(kDocs + "tutorials/simulate.md");
  EXPECT_NE(text.find("|---|---|---|\n" + rows + "\n"), std::string::npos) << rows;
}

/// The first block of XML in a page.
std::string example_in(const std::string& page) {
  const auto begin = page.find("```xml\n") + 7;
  return page.substr(begin, page.find("```", begin) - begin);
}

TEST(Documentation, ExampleOfAModelFileIsAModel) {
  const auto example = example_in(read_text_file(kDocs + "model_file.md"));
  const auto description = read_model_text(example, "example.xml");
  EXPECT_EQ(description.forces.size(), 2U);
  EXPECT_NO_THROW(mechanism::check(description));
}

/// `name`, `<name>`, name="..." or <name ...>.
bool mentions(const std::string& page, const std::string& name) {
  for (const auto& form : {"`" + name + "`", "`<" + name + ">`", " " + name + "=\"",
                           "`" + name + "=\"", "<" + name + " ", "<" + name + ">"}) {
    if (page.find(form) != std::string::npos) return true;
  }
  return false;
}

TEST(Documentation, ModelFilePageNamesEveryElementAndAttributeOfTheSchema) {
  const auto page = read_text_file(kDocs + "model_file.md");
  const auto document = schema("model.xsd");
  for (const auto& found : document.select_nodes("//xs:element[@name] | //xs:attribute[@name]")) {
    const std::string name = found.node().attribute("name").value();
    EXPECT_TRUE(mentions(page, name)) << name;
  }
}

}  // namespace
}  // namespace parfait::io
