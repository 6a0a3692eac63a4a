#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parfait/dynamics/vocabulary.h"
#include "parfait/io/text/xml_element.h"

/// The parts that model files of every kind share, each from its XML element. The caller has set
/// the context of messages, reads what its kind of file adds, and calls finish().
namespace parfait::io {

/// Reads `id` and puts it before the messages about this element: `body "Arm"`.
std::string read_id(Element& element);

/// A formula, even where it is only a number.
dynamics::FormulaText formula_text(const Text& text);
/// The formula that an element holds as its text.
dynamics::FormulaText read_formula_inside(Element& element);

/// `initial`, `lower`, `upper`, `scale` and `unit`.
void read_parameter_numbers(Element& element, dynamics::Parameter& parameter);

/// A table in a file (relative to `folder`), or its knots `t` and `value` as lists of numbers.
dynamics::Input read_input(Element& element, const std::filesystem::path& folder);

/// `when`, `at`, `direction`, `terminal` and `<set>`.
void read_event_parts(Element& element, dynamics::Event& event);

/// `mechanical`: whether methods for mechanical systems may be named.
dynamics::Simulation read_simulation(Element& element, bool mechanical,
                                     std::vector<std::string>& remarks);

}  // namespace parfait::io
