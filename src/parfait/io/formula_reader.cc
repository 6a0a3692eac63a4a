#include <fmt/format.h>

#include <algorithm>

#include "parfait/io/element_reader.h"
#include "parfait/io/formula_file.h"
#include "parfait/io/input_table.h"
#include "parfait/io/integrator_name.h"
#include "parfait/io/text_file.h"
#include "parfait/io/value_reader.h"
#include "parfait/io/xml_element.h"

namespace parfait::io {
namespace {

using dynamics::FormulaModel;
using dynamics::FormulaText;
using Jump = dynamics::SwitchInfo::Jump;

FormulaText formula(const Text& text) {
  return {text.text, text.place};
}

FormulaText read_formula_field(Element& element, const char* name) {
  const auto text = element.field(name);
  return text ? formula(*text) : FormulaText{};
}

/// The formula that an element holds as its text.
FormulaText read_formula_inside(Element& element) {
  const Text text = element.text();
  if (text.text.empty()) {
    element.fail(element.place(), fmt::format("<{}> is empty.", element.name()));
  }
  return formula(text);
}

FormulaModel::State read_state(Element& element) {
  FormulaModel::State state;
  state.place = element.place();
  state.id = read_id(element);
  state.initial = formula(element.required_field("initial"));
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
  if (const auto initial = element.field("initial")) z.initial = formula(*initial);
  element.finish();
  return z;
}

FormulaModel::Parameter read_parameter(Element& element) {
  FormulaModel::Parameter parameter;
  parameter.place = element.place();
  parameter.id = read_id(element);
  parameter.initial = read_number(element, element.required_field("initial"), "initial");
  parameter.lower = read_optional_number(element, "lower").value_or(parameter.lower);
  parameter.upper = read_optional_number(element, "upper").value_or(parameter.upper);
  parameter.scale = read_optional_number(element, "scale");
  if (const auto unit = element.field("unit")) parameter.unit = unit->text;
  element.finish();
  return parameter;
}

std::vector<double> read_numbers(Element& element, const Text& text, const char* name) {
  std::vector<double> numbers;
  for (const auto& word : split_list(text)) numbers.push_back(read_number(element, word, name));
  return numbers;
}

/// A table in a file, or its knots `t` and `value` as lists of numbers.
FormulaModel::Input read_input(Element& element, const std::filesystem::path& folder) {
  FormulaModel::Input input;
  input.place = element.place();
  input.id = read_id(element);
  const auto file = element.field("file");
  const auto column = element.field("column");
  const auto t = element.field("t");
  const auto value = element.field("value");
  if (const auto interpolation = element.field("interpolation")) {
    input.interpolation =
        read_choice<expr::Interpolation>(element, *interpolation, "interpolation",
                                         {{"previous", expr::Interpolation::kPrevious},
                                          {"linear", expr::Interpolation::kLinear},
                                          {"cubic", expr::Interpolation::kCubic}});
  }
  element.finish();
  if (file) {
    if (t || value) {
      element.fail(t ? t->place : value->place, "give \"file\" or \"t\" and \"value\", not both.");
    }
    input.file = file->text;
    if (column) input.column = column->text;
    auto table = read_input_table(folder, *file, column);
    input.t = std::move(table.t);
    input.value = std::move(table.value);
    return input;
  }
  if (column) element.fail(column->place, "a column needs the file in which it stands.");
  if (!t || !value) element.fail_missing("file", ", or \"t\" and \"value\"");
  input.t = read_numbers(element, *t, "t");
  input.value = read_numbers(element, *value, "value");
  if (input.t.size() != input.value.size()) {
    element.fail(value->place, fmt::format("t has {} numbers, value has {}.", input.t.size(),
                                           input.value.size()));
  }
  return input;
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

/// `<set state="v"> formula </set>`, or of a parameter.
FormulaModel::Set read_set(Element& element, const FormulaModel& model) {
  const auto state = element.attribute("state");
  const auto parameter = element.attribute("parameter");
  if (state.has_value() == parameter.has_value()) {
    element.fail(element.place(), state ? "<set> sets a state or a parameter, not both."
                                        : "<set> needs \"state\" or \"parameter\".");
  }
  std::vector<std::string> ids;
  if (state) {
    for (const auto& known : model.states) ids.push_back(known.id);
  } else {
    for (const auto& known : model.parameters) ids.push_back(known.id);
  }
  const Text& target = state ? *state : *parameter;
  if (std::find(ids.begin(), ids.end(), target.text) == ids.end()) {
    const std::string all = ids.empty() ? "there are none" : base::listing(ids);
    element.fail(
        target.place,
        fmt::format("\"{}\" is not a {}.{} {}: {}.", target.text, state ? "state" : "parameter",
                    base::suggestion(target.text, ids), state ? "States" : "Parameters", all));
  }
  FormulaModel::Set set{target.text, read_formula_inside(element), target.place};
  element.finish();
  return set;
}

FormulaModel::Event read_formula_event(Element& element, const FormulaModel& model) {
  FormulaModel::Event event;
  event.place = element.place();
  element.set_context("event");
  if (const auto id = element.field("id")) {
    event.id = id->text;
    element.set_context(fmt::format("event \"{}\"", event.id));
  }
  event.when = read_formula_field(element, "when");
  event.at = read_formula_field(element, "at");
  if (const auto direction = element.field("direction")) {
    if (!event.at.empty()) element.fail(direction->place, "a time event has no direction.");
    event.direction = read_choice<Jump>(
        element, *direction, "direction",
        {{"falling", Jump::kFalling}, {"rising", Jump::kRising}, {"both", Jump::kBoth}});
  }
  if (const auto terminal = element.field("terminal")) {
    event.terminal =
        read_choice<bool>(element, *terminal, "terminal", {{"true", true}, {"false", false}});
  }
  for (auto& set : element.children("set")) event.sets.push_back(read_set(set, model));
  element.finish();
  return event;
}

void read_simulation(Element& element, FormulaModel& model) {
  auto& simulation = model.simulation;
  simulation.place = element.place();
  element.set_context("simulation");
  simulation.until = read_optional_number(element, "until");
  simulation.rtol = read_optional_number(element, "rtol");
  simulation.atol = read_optional_number(element, "atol");
  simulation.step = read_optional_number(element, "step");
  if (const auto integrator = element.field("integrator")) {
    simulation.integrator = {read_integrator(element, *integrator, false), integrator->place};
  }
  const auto add_outputs = [&](const Text& text) {
    for (const auto& word : split_names(text)) simulation.outputs.push_back(formula(word));
  };
  if (const auto output = element.attribute("output")) add_outputs(*output);
  for (auto& output : element.children("output")) {
    add_outputs(output.text());
    output.finish();
  }
  read_remarks(element, model.remarks);
  element.finish();
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
  const XmlSource source(text, file_name);
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
  for (auto& element : events) model.events.push_back(read_formula_event(element, model));
  if (simulation) read_simulation(*simulation, model);
  return model;
}

FormulaModel read_formula_model(const std::filesystem::path& file) {
  return read_formula_model_text(read_text_file(file), file.string());
}

}  // namespace parfait::io
