#include "parfait/io/model/model_library.h"

#include "parfait/dynamics/formula_system.h"
#include "parfait/io/model/any_model_file.h"

namespace parfait::io {
namespace {

std::shared_ptr<const dynamics::System> make_system(const mechanism::Description& description,
                                                    Coordinates coordinates) {
  return build_mechanics(description, coordinates);
}

std::shared_ptr<const dynamics::System> make_system(const dynamics::FormulaModel& model,
                                                    Coordinates /*coordinates*/) {
  return dynamics::make_formula_system(model);
}

void add_state(mechanism::Description& description, const ModelLibrary::Integral& integral) {
  mechanism::State state;
  state.id = integral.state;
  state.derivative.formula = integral.rate.text;
  state.derivative.place = integral.rate.place;
  state.place = integral.rate.place;
  description.states.push_back(state);
}

void add_state(dynamics::FormulaModel& model, const ModelLibrary::Integral& integral) {
  model.state(integral.state, 0.0, {integral.rate.text, integral.rate.place}).place =
      integral.rate.place;
}

}  // namespace

std::shared_ptr<const dynamics::System> ModelLibrary::load(const Text& file) {
  if (const auto known = known_.find(file.text); known != known_.end()) return known->second;
  const auto path = (folder_ / file.text).lexically_normal();
  auto& system = systems_[path];
  if (!system) {
    system = std::visit([&](const auto& model) { return make_system(model, coordinates_); },
                        read_any_model(path, file.place));
  }
  return system;
}

std::shared_ptr<const dynamics::System> ModelLibrary::load(const Text& file,
                                                           const std::vector<Integral>& integrals) {
  if (integrals.empty()) return load(file);
  if (known_.contains(file.text)) {
    throw base::InputError(integrals.front().rate.place,
                           "an <integral> needs the file of its model; this model exists in memory "
                           "only. Make the integrand a state of it and use <final>.");
  }
  const auto path = (folder_ / file.text).lexically_normal();
  return std::visit(
      [&](auto model) {
        for (const auto& integral : integrals) add_state(model, integral);
        return make_system(model, coordinates_);
      },
      read_any_model(path, file.place));
}

}  // namespace parfait::io
