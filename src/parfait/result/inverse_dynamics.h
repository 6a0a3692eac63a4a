#pragma once

#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// Which moments at the joints move a model as it was seen to move: `parfait id`.
namespace parfait::result {

struct InverseDynamics {
  struct Coordinate {
    std::string name;
    std::string unit;  ///< of its force: "N m" or "N"
    double rms = 0, least = 0, largest = 0;
    double least_power = 0, largest_power = 0;  ///< [W]
    bool operator==(const Coordinate&) const = default;
  };
  /// From one contact of a load with its body to the next.
  struct Cycle {
    std::string load;
    std::string body;
    double start = 0, end = 0;  ///< [s]
    bool operator==(const Cycle&) const = default;
  };
  Verdict verdict;
  std::string model, motion;
  std::string loads;  ///< empty: none
  double filter = 0;  ///< [Hz]; 0: none
  double mass = 0;    ///< [kg]
  double rate = 0;    ///< samples per second
  std::size_t rows = 0;
  double start = 0, end = 0;  ///< [s]
  std::vector<Coordinate> coordinates;
  std::vector<Cycle> cycles;
  std::vector<std::string> files;  ///< tables that were written
  bool operator==(const InverseDynamics&) const = default;
};

}  // namespace parfait::result
