#pragma once

#include <filesystem>
#include <vector>

#include "parfait/io/text/xml_element.h"

namespace parfait::io {

/// The table of an `<input>`: times and values at the knots.
struct InputTable {
  std::vector<double> t, value;
};

/// Reads the CSV file `file` (relative to `folder`): times from its first column, values from the
/// column named, or from the second. Rows without a value are left out. InputError unless times are
/// there and ascend.
InputTable read_input_table(const std::filesystem::path& folder, const Text& file,
                            const std::optional<Text>& column);

}  // namespace parfait::io
