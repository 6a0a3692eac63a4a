#include "parfait/estimate/linear/stacked_problem.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;

StackedProblem stack(std::span<const Block> blocks, std::span<const RightSide> rights,
                     const std::vector<RowsInForce>& rows) {
  const Index s = blocks.empty() ? 0 : blocks[0].num_shared();
  Index n = s, m1 = 0, m2 = 0, m3 = 0;
  for (const Block& block : blocks) {
    n += block.num_local();
    m1 += block.A.rows();
    m2 += block.C.rows();
    m3 += block.E.rows();
  }
  StackedProblem result;
  result.J1 = MatrixXd::Zero(m1, n);
  result.J2 = MatrixXd::Zero(m2, n);
  result.J3 = MatrixXd::Zero(m3, n);
  result.r1.resize(m1);
  result.r2.resize(m2);
  result.r3.resize(m3);
  Index col = s;
  m1 = m2 = m3 = 0;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    const Block& block = blocks[e];
    const auto place = [&](MatrixXd& J, Index row, MatIn local, MatIn shared) {
      J.block(row, col, local.rows(), local.cols()) = local;
      J.block(row, 0, shared.rows(), s) = shared;
    };
    place(result.J1, m1, block.A, block.B);
    place(result.J2, m2, block.C, block.D);
    place(result.J3, m3, block.E, block.F);
    result.r1.segment(m1, block.A.rows()) = rights[e].b;
    result.r2.segment(m2, block.C.rows()) = rights[e].c;
    result.r3.segment(m3, block.E.rows()) = rights[e].e;
    if (rows[e].weight.size() > 0) {
      result.J1.middleRows(m1, block.A.rows()).array().colwise() *= rows[e].weight.array();
      result.r1.segment(m1, block.A.rows()).array() *= rows[e].weight.array();
    }
    for (int i = 0; i < block.E.rows(); ++i) {
      result.inequalities.emplace_back(static_cast<int>(e), i);
    }
    col += block.num_local();
    m1 += block.A.rows();
    m2 += block.C.rows();
    m3 += block.E.rows();
  }
  return result;
}

}  // namespace parfait::estimate
