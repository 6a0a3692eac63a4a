#include "parfait/io/model/vocabulary_reader.h"

#include <fmt/format.h>

#include "parfait/io/model/input_table.h"
#include "parfait/io/model/integrator_name.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {
namespace vocabulary {
namespace {

using dynamics::Assignment;
using dynamics::Passage;

std::vector<double> read_numbers(Element& element, const Text& text, const char* name) {
  std::vector<double> numbers;
  for (const auto& word : split_list(text)) numbers.push_back(read_number(element, word, name));
  return numbers;
}

/// `<set state="v"> formula </set>`, or of a parameter.
Assignment read_assignment(Element& element) {
  const auto state = element.attribute("state");
  const auto parameter = element.attribute("parameter");
  if (state.has_value() == parameter.has_value()) {
    element.fail(element.place(), state ? "<set> sets a state or a parameter, not both."
                                        : "<set> needs \"state\" or \"parameter\".");
  }
  const Text& target = state ? *state : *parameter;
  Assignment set{target.text, read_formula_inside(element), target.place,
                 state ? Assignment::To::kState : Assignment::To::kParameter};
  element.finish();
  return set;
}

}  // namespace
}  // namespace vocabulary

std::string read_id(Element& element) {
  element.set_context(element.name());
  std::string id = element.required_field("id").text;
  element.set_context(fmt::format("{} \"{}\"", element.name(), id));
  return id;
}

dynamics::FormulaText formula_text(const Text& text) {
  return {text.text, text.place};
}

dynamics::FormulaText read_formula_inside(Element& element) {
  const Text text = element.text();
  if (text.text.empty()) {
    element.fail(element.place(), fmt::format("<{}> is empty.", element.name()));
  }
  return formula_text(text);
}

void read_parameter_numbers(Element& element, dynamics::Parameter& parameter) {
  parameter.initial = read_optional_number(element, "initial");
  parameter.lower = read_optional_number(element, "lower").value_or(parameter.lower);
  parameter.upper = read_optional_number(element, "upper").value_or(parameter.upper);
  parameter.scale = read_optional_number(element, "scale");
  if (const auto unit = element.field("unit")) parameter.unit = unit->text;
}

dynamics::Input read_input(Element& element, const std::filesystem::path& folder) {
  dynamics::Input input;
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
  input.t = vocabulary::read_numbers(element, *t, "t");
  input.value = vocabulary::read_numbers(element, *value, "value");
  if (input.t.size() != input.value.size()) {
    element.fail(value->place, fmt::format("t has {} numbers, value has {}.", input.t.size(),
                                           input.value.size()));
  }
  return input;
}

void read_event_parts(Element& element, dynamics::Event& event) {
  using dynamics::Passage;
  if (const auto when = element.field("when")) event.when = formula_text(*when);
  if (const auto at = element.field("at")) event.at = formula_text(*at);
  if (const auto direction = element.field("direction")) {
    event.direction = read_choice<Passage>(
        element, *direction, "direction",
        {{"falling", Passage::kFalling}, {"rising", Passage::kRising}, {"both", Passage::kBoth}});
    event.direction_place = direction->place;
  }
  event.terminal = read_flag(element, "terminal");
  for (auto& set : element.children("set")) {
    event.sets.push_back(vocabulary::read_assignment(set));
  }
}

dynamics::Simulation read_simulation(Element& element, bool mechanical,
                                     std::vector<std::string>& remarks) {
  dynamics::Simulation simulation;
  simulation.place = element.place();
  element.set_context("simulation");
  simulation.until = read_optional_number(element, "until");
  simulation.rtol = read_optional_number(element, "rtol");
  simulation.atol = read_optional_number(element, "atol");
  simulation.step = read_optional_number(element, "step");
  if (const auto integrator = element.field("integrator")) {
    simulation.integrator = {read_integrator(element, *integrator, mechanical), integrator->place};
  }
  const auto add_outputs = [&](const Text& text) {
    for (const auto& word : split_names(text)) simulation.outputs.push_back(formula_text(word));
  };
  if (const auto output = element.attribute("output")) add_outputs(*output);
  for (auto& output : element.children("output")) {
    add_outputs(output.text());
    output.finish();
  }
  read_remarks(element, remarks);
  element.finish();
  return simulation;
}

}  // namespace parfait::io
