#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/shooting/condensing.h"
#include "parfait/estimate/shooting/reduction.h"
#include "parfait/estimate/shooting/tangent_directions.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

/// Integrates all intervals in parallel, each along the directions of its own node, and condenses
/// the matching conditions afterwards (condensing.h).
class IndependentIntervals final : public Reduction {
 public:
  enum class Coordinates : std::uint8_t {
    kNodes,              ///< all directions of a node (reduction none)
    kTangentDirections,  ///< integrated along the basis S of possible directions, condensed in
                         ///< the coordinates of s: H_i = (W_i S_i) C_i (invariants1; Kraus 2006,
                         ///< section 9.2.1)
    kTangentNodes,       ///< condensed in the coordinates sigma_i = C_i ds_i, too:
                         ///< sigma_{i+1} = C_{i+1} (W_i S_i sigma_i + P_i dtheta + h_i)
                         ///< (invariants2; section 9.2.2)
  };
  explicit IndependentIntervals(Coordinates coordinates) : coordinates_(coordinates) {}

  bool linearize(ShootingIntervals& intervals, Trajectory& trajectory,
                 Condensed& condensed) override;
  bool correct(ShootingIntervals& intervals, const Trajectory& trajectory,
               Condensed& condensed) override;
  std::string remark() const override;

 private:
  /// Derivatives of an interval. `s` stands for the directions that it was integrated along; z is
  /// eliminated by dz = z_by_s ds + z_by_theta dtheta - h_z^-1 h.
  struct Derivatives {
    TangentDirections tangent;
    math::Lu h_z;  ///< of the algebraic equations at the node
    Eigen::MatrixXd z_by_s, z_by_theta;
    Eigen::MatrixXd end_by_s, end_by_theta;     ///< of the state at the end, z eliminated
    Eigen::MatrixXd end_by_z;                   ///< z alone
    std::vector<Eigen::MatrixXd> watched_by_s;  ///< of each block of what was watched
    std::vector<Eigen::MatrixXd> watched_by_z, watched_by_theta;
  };
  /// The node was integrated along S, but is condensed in the coordinates of s.
  bool turns_to_nodes(int i) const {
    return i > 0 && coordinates_ == Coordinates::kTangentDirections;
  }
  bool condenses_tangent() const { return coordinates_ == Coordinates::kTangentNodes; }
  bool eliminate_algebraic(const ShootingIntervals& intervals, int i);
  void match(const ShootingIntervals& intervals);
  void condense(const ShootingLayout& layout, Condensed& condensed);

  Coordinates coordinates_;
  std::vector<Derivatives> intervals_;
  std::vector<Matching> matching_;
  Condenser condenser_;
  std::string remark_;
};

}  // namespace parfait::estimate
