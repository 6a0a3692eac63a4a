#include <fmt/format.h>

#include "command.h"
#include "element_lists.h"

// parfait elements: everything a model may name.
namespace parfait::app {
namespace {

std::string joined(const std::string& beginning, const std::string& pattern) {
  return beginning.empty() || pattern.empty() ? beginning + pattern : beginning + "." + pattern;
}

std::string beginning_of(mechanism::QuantityOf of) {
  using Of = mechanism::QuantityOf;
  switch (of) {
    case Of::kPoint:
      return "<body>.{com,origin,<marker>}";
    case Of::kBody:
      return "<body>";
    case Of::kJoint:
      return "<joint>";
    case Of::kConstraint:
      return "<constraint>";
    case Of::kForce:
      return "<force>";
    case Of::kState:
      return "<state>";
    case Of::kParameter:
      return "<parameter>";
    case Of::kModel:
      break;
  }
  return "";
}

std::string beginning_of(mechanism::ConstantOf of) {
  using Of = mechanism::ConstantOf;
  switch (of) {
    case Of::kBody:
      return "<body>";
    case Of::kMarker:
      return "<body>.<marker>";
    case Of::kConstraint:
      return "<constraint>";
    case Of::kEnds:
      break;
  }
  return "<element>";
}

}  // namespace

std::string full_pattern(const mechanism::QuantityFamily& family) {
  return joined(beginning_of(family.of), family.pattern);
}

std::string full_pattern(const mechanism::ConstantFamily& family) {
  return joined(beginning_of(family.of), family.pattern);
}

Command add_elements(CLI::App& app, const Common& common) {
  auto* parser = app.add_subcommand(
      "elements", "list every joint, constraint, force and event, what can be observed and driven");
  return {parser, [&common] {
            if (common.json) {
              fmt::print("{}\n", elements_json(mechanism::registry()).dump(2));
            } else if (!common.quiet) {
              print_elements(mechanism::registry());
            }
            return kDone;
          }};
}

}  // namespace parfait::app
