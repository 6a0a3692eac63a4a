#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "parfait/dynamics/system.h"
#include "parfait/io/model/mechanical_model.h"
#include "parfait/io/text/xml_element.h"

namespace parfait::io {

/// Model files of any kind as systems; each file is read and built once.
class ModelLibrary {
 public:
  explicit ModelLibrary(std::filesystem::path folder, Coordinates coordinates = {})
      : folder_(std::move(folder)), coordinates_(coordinates) {}

  /// `file` is relative to the folder. InputError at its place if it cannot be read, in the model
  /// file if that is wrong.
  std::shared_ptr<const dynamics::System> load(const Text& file);

 private:
  std::filesystem::path folder_;
  Coordinates coordinates_;
  std::map<std::filesystem::path, std::shared_ptr<const dynamics::System>> systems_;
};

}  // namespace parfait::io
