#pragma once

#include <string>
#include <utility>
#include <vector>

#include "parfait/result/origin.h"

/// What was found, as plain structs: numbers, words and lists, free of files and of the classes
/// that found it. SI units throughout. Where a number may be missing, the field says what NaN or an
/// infinity means; in JSON both are null (docs/results.md, docs/schema/result.schema.json).
namespace parfait::result {

/// The version of the JSON files: it grows when a key changes its meaning or disappears. Files
/// without the key `format` are of version 0.1.0, which had the same keys.
inline constexpr int kFormat = 1;

/// How a piece of work ended. The first lines of every result.
struct Verdict {
  std::string version;   ///< of the program that found it, "0.1.0"
  std::string status;    ///< one word: "finished", "converged", "interrupted", ...
  bool partial = false;  ///< something that was asked for is missing: failed or interrupted
  std::string message;   ///< one sentence
  std::vector<std::string> warnings;  ///< what to know before trusting the numbers
  /// Files of the run folder; empty: it was not written. What is not listed is not ours.
  std::vector<std::string> outputs{};
  Origin origin{};
  bool operator==(const Verdict&) const = default;
};

/// A parameter or a state with its value.
struct NamedValue {
  std::string name;
  double value = 0;
  bool operator==(const NamedValue&) const = default;
};

/// How far assembly moved an initial state that did not fit the joints.
struct Assembly {
  double moved = 0;            ///< [m]
  double velocity_change = 0;  ///< [m/s]
  bool operator==(const Assembly&) const = default;
};

/// Seconds, stage by stage. Kept apart from results, which are the same on every repetition.
struct Timing {
  struct Stage {
    std::string name;
    double seconds = 0;
    bool operator==(const Stage&) const = default;
  };
  std::vector<Stage> stages;

  void add(std::string name, double seconds) { stages.push_back({std::move(name), seconds}); }
  double total() const {
    double sum = 0;
    for (const auto& stage : stages) sum += stage.seconds;
    return sum;
  }
  bool operator==(const Timing&) const = default;
};

}  // namespace parfait::result
