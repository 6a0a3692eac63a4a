#include "parfait/estimate/experiment/team_tasks.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace parfait::estimate {

std::vector<std::vector<double>> do_tasks(Team& team, int count, const Task& task) {
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(count));
  tbb::parallel_for(
      tbb::blocked_range<int>(0, count, 1),
      [&](const tbb::blocked_range<int>& range) {
        for (int i = range.begin(); i < range.end(); ++i) {
          if (!team.owns(i)) continue;
          // While a task waits for threads of its own it begins no other one.
          tbb::this_task_arena::isolate([&] { task(i, parts[static_cast<std::size_t>(i)]); });
        }
      },
      tbb::simple_partitioner());
  team.exchange(parts);
  return parts;
}

}  // namespace parfait::estimate
