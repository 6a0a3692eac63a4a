#include <fmt/format.h>

#include <algorithm>

#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/vocabulary_reader.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/value_reader.h"
#include "parfait/io/text/xml_element.h"

namespace parfait::io {
namespace {

using dynamics::FormulaModel;
using dynamics::FormulaText;

FormulaText read_formula_field(Element& element, const char* name) {
  const auto text = element.field(name);
  return text ? formula_text(*text) : FormulaText{};
}

FormulaModel::State read_state(Element& element) {
  FormulaModel::State state;
  state.place = element.place();
  state.id = read_id(element);
  state.initial = formula_text(element.required_field("initial"));
  state.derivative = read_formula_field(element, "derivative");
  element.finish();
  return state;
}

/// `<derivative of="x"> formula </derivative>`: goes to the state it names.
void read_derivative(Element& element, std::vector<FormulaModel::State>& states) {
  element.set_context("derivative");
  const auto of = element.attribute("of");
  if (!of) element.fail_missing("of", "; it says which state's derivative it is");
  const FormulaText derivative = read_formula_inside(element);
  element.finish();
  const auto state =
      std::find_if(states.begin(), states.end(), [&](const auto& s) { return s.id == of->text; });
  if (state == states.end()) {
    std::vector<std::string> ids(states.size());
    std::transform(states.begin(), states.end(), ids.begin(), [](const auto& s) { return s.id; });
    element.fail(of->place, fmt::format("\"{}\" is not a state.{} States: {}.", of->text,
                                        base::suggestion(of->text, ids), base::listing(ids)));
  }
  if (!state->derivative.empty()) {
    element.fail(of->place, fmt::format("the derivative of \"{}\" is given twice.", of->text));
  }
  state->derivative = derivative;
}

FormulaModel::Algebraic read_algebraic(Element& element) {
  FormulaModel::Algebraic z;
  z.place = element.place();
  z.id = read_id(element);
  if (const auto initial = element.field("initial")) z.initial = formula_text(*initial);
  element.finish();
  return z;
}

FormulaModel::Parameter read_parameter(Element& element) {
  FormulaModel::Parameter parameter;
  parameter.place = element.place();
  parameter.id = read_id(element);
  read_parameter_numbers(element, parameter);
  if (!parameter.initial) element.fail_missing("initial");
  element.finish();
  return parameter;
}

FormulaModel::Definition read_definition(Element& element) {
  FormulaModel::Definition define;
  define.place = element.place();
  element.set_context("define");
  const auto id = element.attribute("id");
  if (!id) element.fail_missing("id");
  define.id = id->text;
  element.set_context(fmt::format("define \"{}\"", define.id));
  define.formula = read_formula_inside(element);
  element.finish();
  return define;
}

FormulaModel::Event read_formula_event(Element& element) {
  FormulaModel::Event event;
  event.place = element.place();
  element.set_context("event");
  if (const auto id = element.field("id")) {
    event.id = id->text;
    element.set_context(fmt::format("event \"{}\"", event.id));
  }
  read_event_parts(element, event);
  element.finish();
  return event;
}

void check_kind(Element root) {
  for (const char* name : {"algebraic", "equation"}) {
    const auto found = root.children(name);
    if (root.name() == "ode" && !found.empty()) {
      root.fail(found.front().place(),
                fmt::format("<{}> belongs to a <dae>; this is an <ode>.", name));
    }
    if (root.name() == "dae" && found.empty()) {
      root.fail(root.place(),
                fmt::format("a <dae> has <algebraic> states and an <equation> for each; this one "
                            "has no <{}>. Without algebraic states write <ode>.",
                            name));
    }
  }
}

}  // namespace

FormulaModel read_formula_model_text(std::string_view text, const std::string& file_name) {
  return read_formula_model(XmlSource(text, file_name));
}

FormulaModel read_formula_model(const XmlSource& source) {
  const std::string& file_name = source.file();
  Element root(source, source.root());
  if (root.name() != "ode" && root.name() != "dae") {
    root.fail(
        root.place(),
        fmt::format("the root of a formula model is <ode> or <dae>, found <{}>.", root.name()));
  }
  const auto folder = std::filesystem::path(file_name).parent_path();

  FormulaModel model;
  model.file = file_name;
  if (const auto id = root.attribute("id")) model.id = id->text;
  // Asked for before anything is read, so that a misspelt element is reported as such and not as
  // missing where another one refers to it.
  auto states = root.children("state");
  auto derivatives = root.children("derivative");
  const bool is_dae = root.name() == "dae";
  auto algebraics = is_dae ? root.children("algebraic") : std::vector<Element>{};
  auto equations = is_dae ? root.children("equation") : std::vector<Element>{};
  auto parameters = root.children("parameter");
  auto inputs = root.children("input");
  auto definitions = root.children("define");
  auto events = root.children("event");
  auto simulation = root.child("simulation");
  read_remarks(root, model.remarks);
  check_kind(root);
  root.finish();

  for (auto& element : states) model.states.push_back(read_state(element));
  for (auto& element : derivatives) read_derivative(element, model.states);
  for (auto& element : algebraics) model.algebraics.push_back(read_algebraic(element));
  for (auto& element : equations) {
    element.set_context("equation");
    model.equations.push_back({read_formula_inside(element), element.place()});
    element.finish();
  }
  for (auto& element : parameters) model.parameters.push_back(read_parameter(element));
  for (auto& element : inputs) model.inputs.push_back(read_input(element, folder));
  for (auto& element : definitions) model.definitions.push_back(read_definition(element));
  for (auto& element : events) model.events.push_back(read_formula_event(element));
  if (simulation) model.simulation = read_simulation(*simulation, false, model.remarks);
  return model;
}

FormulaModel read_formula_model(const std::filesystem::path& file) {
  return read_formula_model_text(read_text_file(file), file.string());
}

}  // namespace parfait::io
