#pragma once

#include <tbb/parallel_for.h>

#include <cstddef>

namespace parfait::estimate {

/// visit(e) for all blocks, in parallel if the whole is more than about 50 microseconds of work;
/// below, handing it to other threads costs more than it saves. Each visit writes only what belongs
/// to its block, so that the result does not depend on which of the two happens.
template <typename Visit>
void for_blocks(std::size_t num_blocks, double flops, const Visit& visit) {
  if (flops > 1e5) {
    tbb::parallel_for(std::size_t{0}, num_blocks, visit);
  } else {
    for (std::size_t e = 0; e < num_blocks; ++e) visit(e);
  }
}

}  // namespace parfait::estimate
