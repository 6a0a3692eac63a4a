#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>

#include "parfait/io/formula_file.h"
#include "parfait/io/number.h"
#include "parfait/io/text_file.h"
#include "parfait/io/xml_attributes.h"

namespace parfait::io {
namespace {

using dynamics::FormulaModel;
using dynamics::FormulaText;
using pugi::xml_node;
using Jump = dynamics::SwitchInfo::Jump;

using io::set;  // beside the one for formulas
void set(xml_node node, const char* name, const FormulaText& formula) {
  if (!formula.empty()) set(node, name, formula.text);
}

xml_node append(xml_node parent, const char* name, const FormulaText& formula) {
  xml_node node = parent.append_child(name);
  node.text().set(formula.text.c_str());
  return node;
}

void write_simulation(xml_node root, const FormulaModel::Simulation& s) {
  const bool has_attributes = s.until || s.rtol || s.atol || s.step || !s.integrator.empty();
  if (!has_attributes && s.outputs.empty()) return;
  xml_node node = root.append_child("simulation");
  set(node, "until", s.until);
  set(node, "rtol", s.rtol);
  set(node, "atol", s.atol);
  set(node, "step", s.step);
  set(node, "integrator", s.integrator);
  for (const auto& output : s.outputs) append(node, "output", output);
}

void write_parameter(xml_node root, const FormulaModel::Parameter& parameter) {
  xml_node node = root.append_child("parameter");
  set(node, "id", parameter.id);
  set(node, "initial", std::optional(parameter.initial));
  if (std::isfinite(parameter.lower)) set(node, "lower", std::optional(parameter.lower));
  if (std::isfinite(parameter.upper)) set(node, "upper", std::optional(parameter.upper));
  set(node, "scale", parameter.scale);
  if (!parameter.unit.empty()) set(node, "unit", parameter.unit);
}

void write_input(xml_node root, const FormulaModel::Input& input) {
  constexpr const char* kNames[] = {"previous", "linear", "cubic"};
  xml_node node = root.append_child("input");
  set(node, "id", input.id);
  set(node, "interpolation", std::string(kNames[static_cast<int>(input.interpolation)]));
  if (input.file.empty()) {
    set(node, "t", list_text(input.t));
    set(node, "value", list_text(input.value));
    return;
  }
  set(node, "file", input.file);
  if (!input.column.empty()) set(node, "column", input.column);
}

void write_event(xml_node root, const FormulaModel& model, const FormulaModel::Event& event) {
  xml_node node = root.append_child("event");
  if (!event.id.empty()) set(node, "id", event.id);
  set(node, "when", event.when);
  set(node, "at", event.at);
  if (event.at.empty()) {
    const bool both = event.direction == Jump::kBoth;
    const bool rising = event.direction == Jump::kRising;
    set(node, "direction", std::string(both ? "both" : rising ? "rising" : "falling"));
  }
  if (event.terminal) set(node, "terminal", std::string("true"));
  for (const auto& s : event.sets) {
    const bool is_state = std::any_of(model.states.begin(), model.states.end(),
                                      [&](const auto& state) { return state.id == s.target; });
    set(append(node, "set", s.value), is_state ? "state" : "parameter", s.target);
  }
}

}  // namespace

std::string formula_model_text(const FormulaModel& model) {
  pugi::xml_document document;
  xml_node root = document.append_child(model.is_dae() ? "dae" : "ode");
  if (!model.id.empty()) set(root, "id", model.id);
  for (const auto& remark : model.remarks) append(root, "remark", remark);
  write_simulation(root, model.simulation);
  for (const auto& parameter : model.parameters) write_parameter(root, parameter);
  for (const auto& input : model.inputs) write_input(root, input);
  for (const auto& state : model.states) {
    xml_node node = root.append_child("state");
    set(node, "id", state.id);
    set(node, "initial", state.initial);
  }
  for (const auto& z : model.algebraics) {
    xml_node node = root.append_child("algebraic");
    set(node, "id", z.id);
    set(node, "initial", z.initial);
  }
  for (const auto& define : model.definitions) {
    set(append(root, "define", define.formula), "id", define.id);
  }
  for (const auto& state : model.states) {
    if (state.derivative.empty()) continue;
    set(append(root, "derivative", state.derivative), "of", state.id);
  }
  for (const auto& equation : model.equations) append(root, "equation", equation.text);
  for (const auto& event : model.events) write_event(root, model, event);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

void write_formula_model(const FormulaModel& model, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const fs::path old_folder = fs::absolute(model.file).parent_path();
  const fs::path new_folder = fs::absolute(file).parent_path();
  FormulaModel moved = model;
  for (auto& input : moved.inputs) {
    const bool stays =
        input.file.empty() || old_folder == new_folder || fs::path(input.file).is_absolute();
    if (!stays) input.file = fs::proximate(old_folder / input.file, new_folder).string();
  }
  write_text_file(file, formula_model_text(moved));
}

}  // namespace parfait::io
