#include "parfait/run/job/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::run {
namespace {

using base::counted;

template <class T>
std::int64_t size_of(const T& container) {
  return static_cast<std::int64_t>(container.size());
}

void apply(const std::vector<Setting>& settings, mechanism::Description& description) {
  std::vector<std::string> ids;
  for (const auto& p : description.parameters) {
    ids.push_back(mechanism::parameter_name(description, p));
  }
  for (const auto& setting : settings) {
    auto& parameter = description.parameters[find_parameter(setting, ids)];
    check_bounds(setting, parameter.lower, parameter.upper);
    parameter.initial = setting.value;
  }
}

void apply(const std::vector<Setting>& settings, dynamics::FormulaModel& model) {
  std::vector<std::string> ids;
  for (const auto& p : model.parameters) ids.push_back(p.id);
  for (const auto& setting : settings) {
    auto& parameter = model.parameters[find_parameter(setting, ids)];
    check_bounds(setting, parameter.lower, parameter.upper);
    parameter.initial = setting.value;
  }
}

Model::Simulation settings_of(const dynamics::Simulation& s) {
  Model::Simulation out{s.until, s.rtol, s.atol, s.step, s.integrator.text, {}};
  for (const auto& output : s.outputs) out.outputs.push_back(output.text);
  return out;
}

Model load(const mechanism::Description& description, io::Coordinates coordinates) {
  const auto model = io::build_mechanics(description, coordinates);
  Model loaded;
  loaded.coordinates = coordinates;
  loaded.system = model;
  loaded.mechanics = model;
  loaded.contents =
      fmt::format("{}, {}, {}", counted(size_of(description.bodies), "body", "bodies"),
                  counted(size_of(description.joints), "joint", "joints"),
                  counted(model->sizes().ny(), "state", "states"));
  loaded.default_quantities = model->default_quantities();
  loaded.warnings = model->warnings();
  loaded.simulation = settings_of(description.simulation);
  return loaded;
}

Model load(const dynamics::FormulaModel& model, io::Coordinates /*coordinates*/) {
  Model loaded;
  loaded.warnings = dynamics::check(model);
  loaded.system = dynamics::make_formula_system(model);
  loaded.contents = fmt::format("{}, {}", model.is_dae() ? "DAE" : "ODE",
                                counted(size_of(model.states), "state", "states"));
  if (model.is_dae()) {
    loaded.contents +=
        ", " + counted(size_of(model.algebraics), "algebraic state", "algebraic states");
  }
  for (const auto& state : model.states) loaded.default_quantities.push_back(state.id);
  for (const auto& z : model.algebraics) loaded.default_quantities.push_back(z.id);
  loaded.simulation = settings_of(model.simulation);
  return loaded;
}

}  // namespace

std::vector<double> Model::parameter_values() const {
  std::vector<double> p;
  for (const auto& parameter : system->parameters()) p.push_back(parameter.initial);
  return p;
}

Model load_model(const std::string& file, const std::vector<Setting>& settings,
                 io::Coordinates coordinates) {
  return make_model(io::read_any_model(file), settings, file, coordinates);
}

Model make_model(io::AnyModel source, const std::vector<Setting>& settings, const std::string& file,
                 io::Coordinates coordinates) {
  std::visit([&](auto& model) { apply(settings, model); }, source);
  try {
    Model model =
        std::visit([&](const auto& described) { return load(described, coordinates); }, source);
    model.file = file;
    model.source = std::make_shared<const io::AnyModel>(std::move(source));
    return model;
  } catch (const base::InputError& error) {
    if (settings.empty()) throw;
    std::string typed;
    for (const auto& setting : settings) typed += " --set " + setting.text;
    throw base::InputError(fmt::format("{} (With{}.)", error.what(), typed));
  }
}

Model with_accounts(const Model& model, const std::vector<std::string>& quantities) {
  const auto* described = std::get_if<mechanism::Description>(model.source.get());
  if (!described) return model;
  mechanism::Description extended = *described;
  for (const char* account : {"energy.supplied", "energy.dissipated"}) {
    const auto asks = [&](const std::string& text) {
      return text.find(account) != std::string::npos;
    };
    if (!std::ranges::any_of(quantities, asks)) continue;
    extended.simulation.outputs.emplace_back(std::string(account));
  }
  if (extended.simulation.outputs.size() == described->simulation.outputs.size()) return model;
  return make_model(std::move(extended), {}, model.file, model.coordinates);
}

Model with_settings(const Model& model, const std::vector<Setting>& settings) {
  return settings.empty() ? model
                          : make_model(*model.source, settings, model.file, model.coordinates);
}

}  // namespace parfait::run
