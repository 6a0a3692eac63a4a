#include <fmt/format.h>

#include "parfait/io/model/element_reader.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/model/vocabulary_reader.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/value_reader.h"
#include "parfait/io/text/xml_element.h"

namespace parfait::io {
namespace {

mechanism::State read_external_state(Element& element) {
  mechanism::State state;
  state.place = element.place();
  state.id = read_id(element);
  state.initial = read_optional_number(element, "initial").value_or(0.0);
  if (const auto derivative = element.field("derivative")) {
    state.derivative = read_formula(*derivative);
  }
  element.finish();
  return state;
}

/// `<parameter key="Constant_0"> Element </parameter>` (Kraus 2006, section 12.1.3), or id and
/// drives.
mechanism::Parameter read_model_parameter(Element& element) {
  mechanism::Parameter parameter;
  parameter.place = element.place();
  const auto key = element.attribute("key");
  const Text element_id = element.text();
  if (const auto id = element.field("id")) parameter.id = id->text;
  const std::string name =
      !parameter.id.empty() || !key ? parameter.id : element_id.text + "." + key->text;
  element.set_context(name.empty() ? "parameter" : fmt::format("parameter \"{}\"", name));
  const auto drives = element.field("drives");
  if (key) {
    if (drives) element.fail(drives->place, "give \"key\" or \"drives\", not both.");
    if (element_id.text.empty()) {
      element.fail(element.place(), fmt::format("<parameter key=\"{}\"> must hold the id of the "
                                                "element whose constant it is.",
                                                key->text));
    }
    parameter.targets = {element_id.text + "." + key->text};
    parameter.target_places = {element_id.place};
  } else {
    if (!element_id.text.empty()) {
      element.fail(element_id.place,
                   "<parameter> with the id of an element as its text needs "
                   "\"key\", the constant of that element.");
    }
    if (parameter.id.empty()) element.fail_missing("id");
    for (const auto& word : drives ? split_names(*drives) : std::vector<Text>{}) {
      parameter.targets.push_back(word.text);
      parameter.target_places.push_back(word.place);
    }
  }
  read_parameter_numbers(element, parameter);
  element.finish();
  return parameter;
}

}  // namespace

mechanism::Description read_model_text(std::string_view text, const std::string& file_name) {
  return read_model(XmlSource(text, file_name));
}

mechanism::Description read_model(const XmlSource& source) {
  const std::string& file_name = source.file();
  Element root(source, source.root());
  if (root.name() != "model") {
    root.fail(root.place(),
              fmt::format("the root of a model file is <model>, found <{}>.", root.name()));
  }
  const auto folder = std::filesystem::path(file_name).parent_path();

  mechanism::Description description;
  description.file = file_name;
  if (const auto id = root.attribute("id")) description.id = id->text;
  if (const auto tolerance = root.attribute("rank_tolerance")) {
    description.natural.rank_tolerance = read_number(root, *tolerance, "rank_tolerance");
    description.natural.rank_tolerance_place = tolerance->place;
  }
  // Asked for before anything is read, so that a misspelt element is reported as such and not as
  // missing where another one refers to it.
  auto bodies = root.children("body");
  auto joints = root.children("joint");
  auto couplings = root.children("coupling");
  auto constraints = root.children("constraint");
  auto forces = root.children("force");
  auto states = root.children("state");
  auto inputs = root.children("input");
  auto events = root.children("event");
  auto parameters = root.children("parameter");
  auto skin_markers = root.children("skin_marker");
  auto simulation = root.child("simulation");
  read_remarks(root, description.remarks);
  auto shapes = root.children("shape");
  root.finish();

  for (auto& element : shapes) description.shapes.push_back(read_shape(element, folder));
  for (auto& element : bodies) {
    description.bodies.push_back(read_body(element, description.natural, folder));
  }
  for (auto& element : joints) description.joints.push_back(read_joint(element));
  for (auto& element : couplings) description.couplings.push_back(read_coupling(element));
  for (auto& element : skin_markers) description.skin_markers.push_back(read_skin_marker(element));
  for (auto& element : constraints) description.constraints.push_back(read_constraint(element));
  for (auto& element : forces) description.forces.push_back(read_force(element));
  for (auto& element : states) description.states.push_back(read_external_state(element));
  for (auto& element : inputs) description.inputs.push_back(read_input(element, folder));
  for (auto& element : events) description.events.push_back(read_event(element));
  for (auto& element : parameters) description.parameters.push_back(read_model_parameter(element));
  if (simulation) {
    description.simulation = read_simulation(*simulation, true, description.remarks);
  }
  return description;
}

mechanism::Description read_model(const std::filesystem::path& file) {
  return read_model_text(read_text_file(file), file.string());
}

}  // namespace parfait::io
