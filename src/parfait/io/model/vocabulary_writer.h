#pragma once

#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "parfait/dynamics/vocabulary.h"

/// The parts that model files of every kind share, as vocabulary_reader.h reads them.
namespace parfait::io {

/// An element that holds a formula.
pugi::xml_node append(pugi::xml_node parent, const char* name, const dynamics::FormulaText& text);

void write_parameter_numbers(pugi::xml_node node, const dynamics::Parameter& parameter);
void write_input(pugi::xml_node root, const dynamics::Input& input);
/// Attributes; write_assignments() follows what else the element has.
void write_event_parts(pugi::xml_node node, const dynamics::Event& event);
/// `states`: ids of the states, for assignments that do not say what their target is.
void write_assignments(pugi::xml_node node, const dynamics::Event& event,
                       const std::vector<std::string>& states);
/// Nothing if there is nothing to say.
void write_simulation(pugi::xml_node root, const dynamics::Simulation& simulation);

/// Makes the paths of tables, relative to the model file `from`, lead from `to` to the same tables.
void move_inputs(std::vector<dynamics::Input>& inputs, const std::filesystem::path& from,
                 const std::filesystem::path& to);

/// A path relative to the file `from`, as it leads from the file `to` to the same place. Empty and
/// absolute ones stay.
std::string moved_path(const std::string& path, const std::filesystem::path& from,
                       const std::filesystem::path& to);

}  // namespace parfait::io
