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

}  // namespace

std::shared_ptr<const dynamics::System> ModelLibrary::load(const Text& file) {
  const auto path = (folder_ / file.text).lexically_normal();
  auto& system = systems_[path];
  if (!system) {
    system = std::visit([&](const auto& model) { return make_system(model, coordinates_); },
                        read_any_model(path, file.place));
  }
  return system;
}

}  // namespace parfait::io
