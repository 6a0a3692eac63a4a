#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/mechanism/description/description.h"

/// Model files (XML, root `<model>`; docs/schema/model.xsd describes them). The files printed in
/// Kraus 2006, section 12.1, are read as they stand. Reading finds what is wrong with the text:
/// syntax, unknown elements and attributes, things that are not numbers. mechanism::check
/// (mechanism/checks/check_description.h) finds what is wrong with the model. Both throw
/// base::InputError with file, line and column.
namespace parfait::io {

class XmlSource;  // xml_element.h

/// Also reads the tables of `<input>`, whose paths are relative to the model file.
mechanism::Description read_model(const std::filesystem::path& file);
/// `file_name` appears in messages, and paths in the text are relative to its folder.
mechanism::Description read_model_text(std::string_view text, const std::string& file_name);
/// The same from a text that is parsed already.
mechanism::Description read_model(const XmlSource& source);

/// Law  read_model_text(model_text(d), f) = d, except for places and the file name. Constants given
///      by position come first; a number is the shortest that reads back as the same double.
std::string model_text(const mechanism::Description& description);
/// Paths of `<input>` tables are rewritten so that they lead from the new file to the same tables;
/// the tables themselves are not written.
void write_model(const mechanism::Description& description, const std::filesystem::path& file);
/// What write_model writes: the model with paths as they are seen from the new file.
mechanism::Description moved_model(const mechanism::Description& description,
                                   const std::filesystem::path& file);

}  // namespace parfait::io
