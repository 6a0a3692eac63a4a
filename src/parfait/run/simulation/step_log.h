#pragma once

#include "parfait/result/table.h"

namespace parfait::run {

/// The sizes of accepted steps, for those who look at how an integration went. Long runs are
/// thinned while they are recorded: of more than kMost steps every second is kept, of more than
/// twice as many every fourth, ... always the same ones.
class StepLog {
 public:
  static constexpr int kMost = 20000;

  /// A step of size `step` that ended at t.
  void add(double t, double step);
  /// Columns "t" and "step" [s].
  const result::Table& table() const { return table_; }

 private:
  result::Table table_{{"t", "step"}, {{}, {}}};
  int stride_ = 1;  ///< every so many steps one is kept
  int skipped_ = 0;
};

}  // namespace parfait::run
