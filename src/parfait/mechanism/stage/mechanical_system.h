#pragma once

#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// How the described initial state was brought onto the constraints.
struct AssemblyReport {
  double moved =
      0;  ///< largest displacement of a body's centre or axis end [m], or of a coordinate
  double velocity_change = 0;  ///< likewise for velocities
  int iterations = 0;
};

/// Rows dropped at the last evaluation, and the largest acceleration residual among them: not small
/// if the row was not redundant, i.e. at a singular position.
struct Partition {
  std::vector<int> dropped;
  double largest_residual = 0;
  int worst_row = -1;  ///< the one with this residual
  double smallest_kept_pivot = 1;
};

/// What a mechanism offers in any coordinates, beyond a System: its description, its names, and
/// what is known about its constraints.
class MechanicalSystem : public dynamics::System {
 public:
  virtual const Description& description() const = 0;
  virtual const AssemblyReport& assembly() const = 0;
  virtual const std::vector<std::string>& warnings() const = 0;
  /// com of every body, external states and the energies: what a simulation shows if nobody asks
  /// for anything.
  virtual std::vector<std::string> default_quantities() const = 0;
  virtual std::vector<std::string> quantity_names() const = 0;

  /// Degrees of freedom by the rank of all constraints at the assembled initial position.
  virtual int degrees_of_freedom() const = 0;
  /// Ids of joints and constraints whose offsets time moves: not free, though they move.
  virtual std::vector<std::string> driven() const = 0;
  /// Names of rows that the others imply there, e.g. "Joint4.B0_y".
  virtual std::vector<std::string> redundant_rows() const = 0;
  /// Name of a row of joints and constraints, in the order of the multipliers.
  virtual std::string row_name(int row) const = 0;
  /// Name of an entry of invariants().
  virtual std::string invariant_name(int i) const = 0;
  /// Whether the rank of rows is tested.
  virtual bool may_drop_rows() const = 0;
  /// Relative to a row's own size: a row of which less is left is dropped.
  virtual double rank_tolerance() const = 0;
  /// Ids of the joints and constraints that share a loop with these rows. Where they are redundant,
  /// the reactions there are not unique.
  virtual std::vector<std::string> joints_in_loops_of(const std::vector<int>& rows) const = 0;
  virtual Partition partition(dynamics::Workspace& ws) const = 0;
};

}  // namespace parfait::mechanism
