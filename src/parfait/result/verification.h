#pragma once

#include <string>
#include <vector>

namespace parfait::result {

/// Problems with known solutions, solved on this machine.
struct Verification {
  struct Problem {
    std::string name, source;
    std::string method;   ///< how it was solved here
    double digits = 0;    ///< in which the worst number agrees with its reference
    double expected = 0;  ///< digits
    bool passed = false;
    double seconds = 0;
    std::string error;  ///< empty: it could be solved
    bool operator==(const Problem&) const = default;
  };
  std::string version;
  std::string status;  ///< "passed", "failed", "interrupted"
  std::vector<Problem> problems;

  int num_failed() const {
    int failed = 0;
    for (const auto& problem : problems) failed += problem.passed ? 0 : 1;
    return failed;
  }
  bool operator==(const Verification&) const = default;
};

}  // namespace parfait::result
