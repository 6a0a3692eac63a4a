#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/dynamics/formula_model.h"

/// Models written as formulas (XML, root `<ode>` or `<dae>`; docs/schema/formula.xsd describes
/// them). Reading finds what is wrong with the text; dynamics::check (dynamics/formula_system.h)
/// finds what is wrong with the model. Both throw base::InputError with file, line and column.
namespace parfait::io {

class XmlSource;  // xml_element.h

/// Also reads the tables of `<input>`, whose paths are relative to the model file.
dynamics::FormulaModel read_formula_model(const std::filesystem::path& file);
/// `file_name` appears in messages, and paths in the text are relative to its folder.
dynamics::FormulaModel read_formula_model_text(std::string_view text, const std::string& file_name);
/// The same from a text that is parsed already.
dynamics::FormulaModel read_formula_model(const XmlSource& source);

/// Law  read_formula_model_text(formula_model_text(m), f) = m, except for places, the file name and
///      white space around formulas. A number is the shortest that reads back as the same double.
std::string formula_model_text(const dynamics::FormulaModel& model);
/// Paths of `<input>` tables are rewritten so that they lead from the new file to the same tables;
/// the tables themselves are not written.
void write_formula_model(const dynamics::FormulaModel& model, const std::filesystem::path& file);

}  // namespace parfait::io
