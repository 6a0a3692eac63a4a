#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/estimate/design/design.h"
#include "parfait/io/model/any_model_file.h"

/// Designs of experiments (XML, root `<design>`; docs/design_file.md explains them, and
/// docs/schema/design.xsd describes them).
namespace parfait::io {

/// A design as a file says it. Problem and models are read; the result of an earlier fit is only
/// named.
struct DesignFile {
  estimate::DesignProblem design;
  std::string result{};  ///< of an earlier fit, as written: relative to the design file
  base::Place result_place{};
};

/// InputError with file, line and column for what is wrong with the text, with a model or a
/// problem. `design.known.file` names a file in the folder of the design, to which all paths are
/// relative.
DesignFile read_design(const std::filesystem::path& file);
DesignFile read_design_text(std::string_view text, const std::string& file_name);

/// Whether the root of the file is `<design>`. InputError if it is not XML.
bool is_design_file(const std::filesystem::path& file);

/// A model with other tables in the place of its inputs of the same ids.
std::shared_ptr<const dynamics::System> system_with_inputs(
    AnyModel model, const std::vector<dynamics::Input>& inputs);

/// A model file with other tables in the place of its inputs, as text.
std::string model_text_with_inputs(const std::filesystem::path& file,
                                   const std::vector<dynamics::Input>& inputs,
                                   const std::filesystem::path& new_folder);

}  // namespace parfait::io
