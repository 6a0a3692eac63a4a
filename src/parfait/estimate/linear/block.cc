#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

Block Block::zero(Eigen::Index num_local, Eigen::Index num_shared, Eigen::Index data,
                  Eigen::Index equations, Eigen::Index inequalities) {
  Block block;
  block.A.setZero(data, num_local);
  block.B.setZero(data, num_shared);
  block.C.setZero(equations, num_local);
  block.D.setZero(equations, num_shared);
  block.E.setZero(inequalities, num_local);
  block.F.setZero(inequalities, num_shared);
  block.right.b.setZero(data);
  block.right.c.setZero(equations);
  block.right.e.setZero(inequalities);
  return block;
}

}  // namespace parfait::estimate
