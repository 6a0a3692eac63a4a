#include "parfait/run/simulation/step_log.h"

namespace parfait::run {

void StepLog::add(double t, double step) {
  if (++skipped_ < stride_) return;
  skipped_ = 0;
  table_.columns[0].push_back(t);
  table_.columns[1].push_back(step);
  if (table_.num_rows() <= kMost) return;
  for (auto& column : table_.columns) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < column.size(); i += 2) column[kept++] = column[i];
    column.resize(kept);
  }
  skipped_ = stride_;  // the last one, which was not kept
  stride_ *= 2;
}

}  // namespace parfait::run
