#include <pugixml.hpp>
#include <sstream>

#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/vocabulary_writer.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/xml_attributes.h"

namespace parfait::io {
namespace {

using dynamics::FormulaModel;
using dynamics::FormulaText;
using pugi::xml_node;

using io::set;  // beside the one for formulas
void set(xml_node node, const char* name, const FormulaText& formula) {
  if (!formula.empty()) set(node, name, formula.text);
}

void write_event(xml_node root, const FormulaModel::Event& event,
                 const std::vector<std::string>& states) {
  xml_node node = root.append_child("event");
  if (!event.id.empty()) set(node, "id", event.id);
  write_event_parts(node, event);
  write_assignments(node, event, states);
}

}  // namespace

std::string formula_model_text(const FormulaModel& model) {
  pugi::xml_document document;
  xml_node root = document.append_child(model.is_dae() ? "dae" : "ode");
  if (!model.id.empty()) set(root, "id", model.id);
  for (const auto& remark : model.remarks) append(root, "remark", remark);
  write_simulation(root, model.simulation);
  for (const auto& parameter : model.parameters) {
    xml_node node = root.append_child("parameter");
    set(node, "id", parameter.id);
    write_parameter_numbers(node, parameter);
  }
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
  std::vector<std::string> states;
  for (const auto& state : model.states) states.push_back(state.id);
  for (const auto& event : model.events) write_event(root, event, states);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

void write_formula_model(const FormulaModel& model, const std::filesystem::path& file) {
  FormulaModel moved = model;
  move_inputs(moved.inputs, model.file, file);
  write_text_file(file, formula_model_text(moved));
}

}  // namespace parfait::io
