#include "parfait/io/model/any_model_file.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/io/foreign/lua_model.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/urdf.h"
#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/xml_element.h"

namespace parfait::io {
namespace {

AnyModel read_mechanism(const XmlSource& source) {
  return read_model(source);
}

AnyModel read_formulas(const XmlSource& source) {
  return read_formula_model(source);
}

AnyModel read_opensim(const XmlSource& source) {
  return read_osim(source);
}

AnyModel read_robot(const XmlSource& source) {
  return read_urdf(source);
}

constexpr std::array kKinds{
    ModelFileKind{"model", "a mechanism", "model.xsd", read_mechanism},
    ModelFileKind{"ode", "ordinary differential equations", "formula.xsd", read_formulas},
    ModelFileKind{"dae", "differential-algebraic equations of index 1", "formula.xsd",
                  read_formulas},
    ModelFileKind{"OpenSimDocument", "a mechanism, as OpenSim writes it", "", read_opensim},
    ModelFileKind{"robot", "a mechanism in the Unified Robot Description Format", "", read_robot},
};

}  // namespace

std::span<const ModelFileKind> model_file_kinds() {
  return kKinds;
}

std::string model_file_roots() {
  std::vector<std::string> roots;
  roots.reserve(std::size(kKinds));
  for (const auto& kind : kKinds) roots.push_back(fmt::format("<{}>", kind.root));
  return base::joined(roots, "or");
}

AnyModel read_any_model(const std::filesystem::path& file, const base::Place& asked_at) {
  const std::string text = read_text_file(file, asked_at);
  if (file.extension() == ".lua") return read_lua_model_text(text, file.string()).description;
  return read_any_model(XmlSource(text, file.string()));
}

AnyModel read_any_model(const XmlSource& source) {
  const Element root(source, source.root());
  for (const auto& kind : kKinds) {
    if (root.name() == kind.root) return kind.read(source);
  }
  root.fail(root.place(), fmt::format("the root of a model file is {}, found <{}>.",
                                      model_file_roots(), root.name()));
}

}  // namespace parfait::io
