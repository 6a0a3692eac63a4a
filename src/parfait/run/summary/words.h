#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace parfait::run {

/// A text for a person, written piece by piece: for a terminal, a notebook, a file.
class Words {
 public:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace parfait::run
