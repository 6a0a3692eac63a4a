#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/io/model/mechanical_model.h"
#include "parfait/io/text/xml_element.h"

namespace parfait::io {

/// Systems that a problem may name as if they were files: models that exist in memory only.
using KnownModels = std::map<std::string, std::shared_ptr<const dynamics::System>>;

/// Model files of any kind as systems; each file is read and built once.
class ModelLibrary {
 public:
  explicit ModelLibrary(std::filesystem::path folder, Coordinates coordinates = {},
                        KnownModels known = {})
      : folder_(std::move(folder)), coordinates_(coordinates), known_(std::move(known)) {}

  /// `file` is relative to the folder. InputError at its place if it cannot be read, in the model
  /// file if that is wrong.
  std::shared_ptr<const dynamics::System> load(const Text& file);

  /// A number that is integrated along with the model: a state of this name, from 0 on.
  struct Integral {
    std::string state;
    Text rate;  ///< a formula of what the model's own formulas may name
  };
  /// The model with further states.
  std::shared_ptr<const dynamics::System> load(const Text& file,
                                               const std::vector<Integral>& integrals);

 private:
  std::filesystem::path folder_;
  Coordinates coordinates_;
  KnownModels known_;
  std::map<std::filesystem::path, std::shared_ptr<const dynamics::System>> systems_;
};

}  // namespace parfait::io
