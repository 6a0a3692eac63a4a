#pragma once

#include <string>
#include <vector>

#include "parfait/mechanism/elements/constraint_row.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/tree/algorithms/row_solver.h"

/// Rows that close loops or are constraints of their own: g(t, q) = 0 and their rates, or rows of
/// velocities.
///
///   H a + c + G^T lambda = tau,   G a = gamma                                             (T31)
///
/// are solved by a RowSolver. Rows that others imply are found as vanishing pivots, in an order
/// chosen where the model is assembled, and left out: their multipliers are zero, the accelerations
/// do not depend on the choice. Where bodies have turned so far that another choice is much better,
/// it is made anew for the state.
namespace parfait::tree {

struct ClosureRow {
  mechanism::RowKind kind = mechanism::RowKind::kB0x;
  int begin = 0, end = 0;      ///< among ClosureData::sites
  int a_axis = 0, b_axis = 0;  ///< 0 to 2
  int constant = -1;           ///< its offset: a constant of the mechanism, or ...
  int constraint = -1;         ///< ... that of a constraint
  int owner = 0;               ///< joint, or number of joints + constraint
  bool is_velocity = false;
  bool has_offset() const { return constant >= 0 || constraint >= 0; }
};

/// Constant.
struct ClosureData {
  std::vector<int> sites;  ///< of the ElementSet
  std::vector<ClosureRow> rows;
  std::vector<int> positions;  ///< rows that hold positions, ascending
  std::vector<int> order;      ///< in which pivots are taken
  bool has_quadratic = false;  ///< rows quadratic in velocities
  double rank_tolerance = 1e-10;

  int num_rows() const { return static_cast<int>(rows.size()); }
  int num_pos() const { return static_cast<int>(positions.size()); }
};

struct ClosureWork {
  void resize(int num_rows, int nv);

  RowSolver solver;
  std::vector<char> used;
  std::vector<char> dependent;  ///< velocities, where a partition is asked for
  std::vector<double> weights;  ///< likewise
  std::vector<double> lambda, gamma;
  std::vector<mechanism::RowMotion<double>> motions;  ///< of the rows when G was computed
  std::vector<Vec3<math::Dual>> speeds;  ///< scratch: relative velocities of quadratic rows
  bool is_evaluated = false;             ///< rows and factors are those of the evaluated point
};

}  // namespace parfait::tree
