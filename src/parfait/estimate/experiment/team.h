#pragma once

#include <vector>

namespace parfait::estimate {

/// Processes that share the experiments of one estimation. Each evaluates its own; what all need to
/// know about the others is exchanged, and everything else is computed by everybody alike, so that
/// all arrive at the same numbers.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool owns(int experiment) const { return experiment % size() == rank(); }

  /// parts[e] of the owner of experiment e goes to everybody; the others' is overwritten.
  virtual void exchange(std::vector<std::vector<double>>& /*parts*/) {}
  /// Whether it is so in one of the processes; all must ask.
  virtual bool any(bool mine) { return mine; }
};

}  // namespace parfait::estimate
