#pragma once

#include <algorithm>
#include <span>
#include <vector>

/// The order in which the joints of a mechanism are eliminated, computed once per model.
///
/// After the bodies are eliminated, the multipliers of the joints obey K lambda = r with one block
/// row per joint; two joints couple if they share a body. The elimination of K is static: chains
/// and trees have no fill, a loop has fill in proportion to its length (docs/theory/solver.md,
/// S5-S8).
namespace parfait::mbs {

/// What the ordering needs of a joint: bodies (ground = -1) and the number of rows (1 to 6).
struct JointEnds {
  int a, b;
  int nrows;
  bool may_vanish = false;  ///< rows that can be switched off (velocity rows, in positions)
};

struct EliminationPlan {
  /// A block K(p, j) between two joints, or (p = j) the lower half of a diagonal one.
  struct Block {
    int p, j;
    int offset;
  };
  /// A later joint coupled to the one being eliminated, and where the block K(p, j) is.
  struct Neighbour {
    int joint, nrows;
    int offset;
  };
  /// K(p, q) -= S_p W_q^T, p and q neighbours of the eliminated joint; for p = q the diagonal of p.
  struct Update {
    int p, q;    ///< indices into neighbours
    int target;  ///< offset of the block
  };
  struct Step {
    int joint = 0, nrows = 0;
    int offset = 0;  ///< of the diagonal block
    int first_neighbour = 0, num_neighbours = 0;
    int first_update = 0, num_updates = 0;
    /// One neighbour only (chains, branches of trees): the whole step is one unrolled function,
    /// number 6 (nrows - 1) + nrows of the neighbour - 1; otherwise -1.
    int link = -1;
    int link_joint = 0, link_offset = 0, link_target = 0;  ///< the neighbour, K(p, j), K(p, p)
    bool tested = false;
    /// The next step is the same kind of link and does not wait for this one: their pivots, each a
    /// chain of divisions, can be computed side by side.
    bool pairs_with_next = false;
  };
  /// Assembly: body `body` couples side_p of joint p with side_j of joint j (sides 0: a, 1: b).
  struct Coupling {
    int offset;
    int body;
    int p, side_p, j, side_j;
    bool adds;  ///< false: the first contribution to the block
  };

  std::vector<Step> steps;
  std::vector<Neighbour> neighbours;
  std::vector<Update> updates;
  std::vector<Block> blocks;  ///< the first num_joints are the diagonal ones
  std::vector<Coupling> couplings;
  std::vector<int> fill;     ///< blocks without a coupling: start from zero
  std::vector<char> tested;  ///< per joint: closes a loop, or rows may vanish: test its rank
  int size = 0;              ///< doubles for all blocks

  bool tests_any() const { return std::find(tested.begin(), tested.end(), 1) != tested.end(); }
};

/// Blocks are stored by columns of four rows, so that no lane of a register is wasted on the fifth
/// and sixth row of a joint: these follow as rows of eight (of a diagonal block, only their own
/// corner: (4,4), (5,4), (5,5); the rest is found in the columns 4 and 5 by symmetry).
inline int block_size(int rows, int columns) {
  return 4 * columns + (rows > 4 ? 8 * (rows - 4) : 0);
}
inline int diagonal_size(int rows) {
  return 4 * rows + (rows > 4 ? 4 : 0);
}
/// Position of the entry (row, column) of a block with `columns` columns.
constexpr int entry(int columns, int row, int column) {
  return row < 4 ? 4 * column + row : 4 * columns + 8 * (row - 4) + column;
}
/// Position of the entry (row >= column) of the diagonal block of a joint with n rows.
constexpr int diagonal_entry(int n, int row, int column) {
  if (row < 4) return 4 * column + row;
  if (column < 4) return 4 * row + column;
  return 4 * n + (row - 4) + (column - 4);
}

/// Calls run.template operator()<N>() for n = N in 1..6.
template <class Run>
inline void with_size(int n, Run&& run) {
  switch (n) {
    case 1:
      run.template operator()<1>();
      break;
    case 2:
      run.template operator()<2>();
      break;
    case 3:
      run.template operator()<3>();
      break;
    case 4:
      run.template operator()<4>();
      break;
    case 5:
      run.template operator()<5>();
      break;
    default:
      run.template operator()<6>();
      break;
  }
}

/// Minimum degree; joints whose rank is tested come last, since their rows may be redundant; ties
/// go to the least recently touched joint, which eliminates a chain from both ends.
EliminationPlan make_elimination_plan(std::span<const JointEnds> joints, int num_bodies);

}  // namespace parfait::mbs
