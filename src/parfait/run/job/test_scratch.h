#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace parfait::run {

/// A folder for a test, which is gone before and afterwards.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("parfait_" + name + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace parfait::run
