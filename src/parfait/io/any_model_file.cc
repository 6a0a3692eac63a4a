#include "parfait/io/any_model_file.h"

#include <fmt/format.h>

#include "parfait/io/formula_file.h"
#include "parfait/io/model_file.h"
#include "parfait/io/text_file.h"
#include "parfait/io/xml_element.h"

namespace parfait::io {

AnyModel read_any_model(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  const XmlSource source(text, file.string());
  const Element root(source, source.root());
  const std::string kind = root.name();
  if (kind == "model") return read_model_text(text, file.string());
  if (kind == "ode" || kind == "dae") return read_formula_model_text(text, file.string());
  root.fail(root.place(),
            fmt::format("the root of a model file is <model>, <ode> or <dae>, found <{}>.", kind));
}

}  // namespace parfait::io
