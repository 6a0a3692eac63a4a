#include "parfait/io/model/vocabulary_writer.h"

#include <algorithm>
#include <cmath>

#include "parfait/io/text/number.h"
#include "parfait/io/text/xml_attributes.h"

namespace parfait::io {

using pugi::xml_node;

xml_node append(xml_node parent, const char* name, const dynamics::FormulaText& text) {
  xml_node node = parent.append_child(name);
  node.text().set(text.text.c_str());
  return node;
}

void write_parameter_numbers(xml_node node, const dynamics::Parameter& parameter) {
  set(node, "initial", parameter.initial);
  if (std::isfinite(parameter.lower)) set(node, "lower", parameter.lower);
  if (std::isfinite(parameter.upper)) set(node, "upper", parameter.upper);
  set(node, "scale", parameter.scale);
  if (!parameter.unit.empty()) set(node, "unit", parameter.unit);
}

void write_input(xml_node root, const dynamics::Input& input) {
  constexpr const char* kNames[] = {"previous", "linear", "cubic"};
  xml_node node = root.append_child("input");
  set(node, "id", input.id);
  if (input.file.empty()) {
    set(node, "t", list_text(input.t));
    set(node, "value", list_text(input.value));
  } else {
    set(node, "file", input.file);
    if (!input.column.empty()) set(node, "column", input.column);
  }
  set(node, "interpolation", std::string(kNames[static_cast<int>(input.interpolation)]));
}

void write_event_parts(xml_node node, const dynamics::Event& event) {
  using dynamics::Passage;
  if (!event.when.empty()) set(node, "when", event.when.text);
  if (!event.at.empty()) set(node, "at", event.at.text);
  if (event.direction) {
    set(node, "direction",
        std::string(event.direction == Passage::kBoth     ? "both"
                    : event.direction == Passage::kRising ? "rising"
                                                          : "falling"));
  }
  if (event.terminal) set(node, "terminal", std::string("true"));
}

void write_assignments(xml_node node, const dynamics::Event& event,
                       const std::vector<std::string>& states) {
  using To = dynamics::Assignment::To;
  for (const auto& assignment : event.sets) {
    const bool is_state =
        assignment.to == To::kState ||
        (assignment.to == To::kEither &&
         std::find(states.begin(), states.end(), assignment.target) != states.end());
    set(append(node, "set", assignment.value), is_state ? "state" : "parameter", assignment.target);
  }
}

void write_simulation(xml_node root, const dynamics::Simulation& simulation) {
  const bool has_attributes = simulation.until || simulation.rtol || simulation.atol ||
                              simulation.step || !simulation.integrator.empty();
  if (!has_attributes && simulation.outputs.empty()) return;
  xml_node node = root.append_child("simulation");
  set(node, "until", simulation.until);
  set(node, "rtol", simulation.rtol);
  set(node, "atol", simulation.atol);
  set(node, "step", simulation.step);
  if (!simulation.integrator.empty()) set(node, "integrator", simulation.integrator.text);
  for (const auto& output : simulation.outputs) append(node, "output", output);
}

void move_inputs(std::vector<dynamics::Input>& inputs, const std::filesystem::path& from,
                 const std::filesystem::path& to) {
  for (auto& input : inputs) input.file = moved_path(input.file, from, to);
}

std::string moved_path(const std::string& path, const std::filesystem::path& from,
                       const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  const fs::path old_folder = fs::absolute(from).parent_path();
  const fs::path new_folder = fs::absolute(to).parent_path();
  const bool stays = path.empty() || old_folder == new_folder || fs::path(path).is_absolute();
  return stays ? path : fs::proximate(old_folder / path, new_folder).string();
}

}  // namespace parfait::io
