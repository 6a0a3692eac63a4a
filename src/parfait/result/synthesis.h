#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parfait::result {

/// Measurements that a model has made: result.json.
struct Synthesis {
  struct Experiment {
    std::string id;
    std::string data;   ///< file
    std::string times;  ///< "samples": those of <samples>; "data": where the old data have them
    int rows = 0, measurements = 0;
    bool operator==(const Experiment&) const = default;
  };
  std::string version;
  std::string problem;  ///< file
  std::uint64_t seed = 1;
  std::vector<std::string> set;  ///< "k=2"
  std::vector<Experiment> experiments;
  std::vector<std::string> outputs{};  ///< files of the folder, as in Verdict; empty: in place
  bool operator==(const Synthesis&) const = default;
};

}  // namespace parfait::result
