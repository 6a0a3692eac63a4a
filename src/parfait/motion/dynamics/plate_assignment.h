#pragma once

#include <string>
#include <vector>

#include "parfait/motion/dynamics/inverse_dynamics.h"

namespace parfait::motion {

/// What a force plate exerts on the subject, in the axes of the world.
struct PlateRecord {
  std::string name;
  std::vector<double> time;
  std::vector<Vec3<double>> force;     ///< N
  std::vector<Vec3<double>> moment;    ///< N m, about the world's origin
  std::vector<Vec3<double>> pressure;  ///< m, centre of pressure; any component NaN: not known
};

/// One contact with a plate and the foot it was given to.
struct PlateContact {
  std::string plate;
  int foot = 0;  ///< among the feet
  double start = 0, end = 0;
  double distance = 0;        ///< m, mean, of the centre of pressure from the foot
  double other_distance = 0;  ///< of the next nearest foot; infinite: there is none
};

struct PlateLoads {
  std::vector<ExternalLoad> loads;  ///< one per foot and plate that met
  std::vector<int> load_foot;
  std::vector<PlateContact> contacts;
};

/// A load is more than this, N, for more than this, s.
inline constexpr double kContactForce = 20, kContactTime = 0.05;

/// Which foot stood on which plate: every contact belongs to the foot (body of the tree) whose
/// centre of mass is nearest to the centre of pressure on the average, along the plate's surface
/// and across it. `time` and `values` are the motion, as for inverse_dynamics(). Contacts while the
/// motion is not known are left out.
PlateLoads assign_plates(const tree::MechanismTree& mechanism, const std::vector<double>& time,
                         const std::vector<std::vector<double>>& values,
                         const std::vector<PlateRecord>& plates, const std::vector<int>& feet);

}  // namespace parfait::motion
