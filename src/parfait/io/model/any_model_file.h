#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_model.h"
#include "parfait/mechanism/description/description.h"

namespace parfait::io {

class XmlSource;  // xml_element.h

using AnyModel = std::variant<mechanism::Description, dynamics::FormulaModel>;

/// A kind of model file, recognized by its root element.
struct ModelFileKind {
  const char* root;     ///< <root>
  const char* summary;  ///< what such a model is
  const char* schema;   ///< in docs/schema; empty: the format of another program
  AnyModel (*read)(const XmlSource& source);
};

/// All kinds. Readers, help and messages ask this table, and a test compares it with docs/schema.
std::span<const ModelFileKind> model_file_kinds();

/// "<model>, <ode>, ... or <...>".
std::string model_file_roots();

/// A model file of any kind: its root says which, and the ending .lua a LuaModel. InputError at
/// `asked_at` if there is no such file.
AnyModel read_any_model(const std::filesystem::path& file, const base::Place& asked_at = {});
/// The same from a text that is parsed already.
AnyModel read_any_model(const XmlSource& source);

}  // namespace parfait::io
