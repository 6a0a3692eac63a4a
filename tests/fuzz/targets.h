#pragma once

#include <string>
#include <vector>

/// What fuzzers feed with bytes. Each reads a text of one kind; an InputError is an answer,
/// anything else that is thrown, a crash, a hang or a broken law is a mistake.
namespace parfait::fuzz {

struct Target {
  const char* name;
  void (*run)(const std::string& text);
};

const std::vector<Target>& targets();
/// Null: there is none of that name.
const Target* find_target(const std::string& name);

}  // namespace parfait::fuzz
