#include <fmt/format.h>

#include <cmath>

#include "command.h"
#include "parfait/base/error.h"
#include "parfait/io/model_file.h"
#include "parfait/mbs/model.h"
#include "run_folder.h"

// parfait check: is the file a model, and what is in it?
namespace parfait::app {
namespace {

template <class Element>
std::vector<std::string> ids_of(const std::vector<Element>& elements) {
  std::vector<std::string> ids;
  ids.reserve(elements.size());
  for (const auto& element : elements) ids.push_back(element.id);
  return ids;
}

/// A bound that is not there is null.
Json bound(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json facts_of(const std::string& file, const mbs::Model& model) {
  const auto& description = model.description();
  Json parameters = Json::array();
  for (const auto& p : model.parameters()) {
    parameters.push_back({{"id", p.id},
                          {"initial", p.initial},
                          {"lower", bound(p.lower)},
                          {"upper", bound(p.upper)},
                          {"scale", p.scale}});
  }
  return {
      {"model", file},
      {"bodies", ids_of(description.bodies)},
      {"joints", ids_of(description.joints)},
      {"constraints", ids_of(description.constraints)},
      {"forces", ids_of(description.forces)},
      {"external_states", ids_of(description.states)},
      {"inputs", ids_of(description.inputs)},
      {"states", model.sizes().ny()},
      {"degrees_of_freedom", model.degrees_of_freedom()},
      {"redundant", model.redundant_rows()},
      {"parameters", parameters},
      {"assembly",
       {{"moved", model.assembly().moved}, {"velocity_change", model.assembly().velocity_change}}},
      {"warnings", model.warnings()}};
}

void print_ids(const char* what, const Json& ids) {
  if (ids.empty()) return;
  fmt::print("  {:<22}{:>4}   {}\n", what, ids.size(),
             base::listing(ids.get<std::vector<std::string>>()));
}

void print(const Json& facts) {
  fmt::print("{} is a model\n", facts["model"].get<std::string>());
  print_ids("bodies", facts["bodies"]);
  print_ids("joints", facts["joints"]);
  print_ids("constraints", facts["constraints"]);
  print_ids("forces", facts["forces"]);
  print_ids("external states", facts["external_states"]);
  print_ids("inputs", facts["inputs"]);
  fmt::print("  {:<22}{:>4}\n", "states", facts["states"].get<int>());
  fmt::print("  {:<22}{:>4}\n", "degrees of freedom", facts["degrees_of_freedom"].get<int>());
  print_ids("redundant constraints", facts["redundant"]);
  const auto& parameters = facts["parameters"];
  if (!parameters.empty()) fmt::print("  {:<22}{:>4}\n", "parameters", parameters.size());
  for (const auto& p : parameters) {
    const auto text = [](const Json& x, const char* none) {
      return x.is_null() ? std::string(none) : fmt::format("{:g}", x.get<double>());
    };
    fmt::print("    {} = {:g}   in [{}, {}], scale {:g}\n", p["id"].get<std::string>(),
               p["initial"].get<double>(), text(p["lower"], "-inf"), text(p["upper"], "inf"),
               p["scale"].get<double>());
  }
  const double moved = facts["assembly"]["moved"].get<double>();
  const double velocity_change = facts["assembly"]["velocity_change"].get<double>();
  // Less than this is the rounding of a file written with a few digits.
  constexpr double kWorthSaying = 1e-6;
  if (moved > kWorthSaying || velocity_change > kWorthSaying) {
    fmt::print(
        "  The initial state does not fit the joints: assembly moved it by {:.2g} m, {:.2g} m/s.\n",
        moved, velocity_change);
  }
  for (const auto& warning : facts["warnings"]) {
    fmt::print("  warning: {}\n", warning.get<std::string>());
  }
}

}  // namespace

Command add_check(CLI::App& app, const Common& common) {
  auto* parser = app.add_subcommand("check", "validate a model file and tell what is in it");
  auto file = std::make_shared<std::string>();
  parser->add_option("file", *file, "model file")->required()->type_name("FILE");
  return {parser, [file, &common] {
            const auto facts = facts_of(*file, *mbs::build(io::read_model(*file)));
            if (common.json) {
              fmt::print("{}\n", facts.dump(2));
            } else if (!common.quiet) {
              print(facts);
            }
            return kDone;
          }};
}

}  // namespace parfait::app
