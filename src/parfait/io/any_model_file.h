#pragma once

#include <filesystem>
#include <variant>

#include "parfait/dynamics/formula_model.h"
#include "parfait/mechanism/description.h"

namespace parfait::io {

using AnyModel = std::variant<mechanism::Description, dynamics::FormulaModel>;

/// A model file of any kind: its root says which (`<model>`, `<ode>`, `<dae>`).
AnyModel read_any_model(const std::filesystem::path& file);

}  // namespace parfait::io
