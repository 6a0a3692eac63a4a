#pragma once

#include <Eigen/Dense>
#include <random>
#include <string>
#include <vector>

#include "parfait/mechanism/description/description.h"
#include "testing/dense_model.h"
#include "testing/euler_lagrange.h"
#include "testing/model_gallery.h"

/// Models nobody chose: generic positions, motions and constants, the same for the same seed.
namespace parfait::testing_support {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high);
  double normal();
  int index(int n);  ///< 0 ... n - 1
  bool coin(double probability = 0.5) { return uniform(0, 1) < probability; }
  Eigen::Vector3d vector(double size);  ///< components uniform in [-size, size]
  Eigen::VectorXd vector(int n, double size);
  Eigen::Vector3d unit_vector();
  Eigen::Matrix3d rotation();
  /// Inertia about the centre of a random heap of matter of that mass and about that size: always
  /// that of a possible body.
  Eigen::Matrix3d inertia(double mass, double size);

 private:
  std::mt19937_64 engine_;
};

/// Every joint key.
std::vector<std::string> all_joint_keys();

struct RandomModelOptions {
  int bodies = 4;
  bool tree = false;       ///< parents random instead of the previous body
  bool free_root = false;  ///< the first body hangs on nothing
  std::vector<std::string> joints = all_joint_keys();  ///< drawn for each body
  double mass_ratio = 1;             ///< masses between 1 and this, evenly in the logarithm
  bool general_frames = false;       ///< axes neither normal to each other nor of length one
  bool mixed_coordinates = false;    ///< coordinate choices drawn per body
  bool release_constraints = false;  ///< some bodies give up a rigid-body row
  int forces = 0;                    ///< springs, dampers, actuators of every measure
  bool general_laws = false;         ///< General_* among them (formula and function)
  bool gravity = true;
  bool moving = true;
};

/// A tree of bodies in a consistent, moving state: every child is placed so that its joint holds,
/// with a random joint motion.
TestModel random_model(unsigned seed, const RandomModelOptions& options = {});

/// A chain in joint angles, for euler_lagrange(): revolute and spherical joints, some springs.
Chain random_chain(unsigned seed, int bodies, int springs = 2);

/// A random direction of (t, q, v, e), components up to one (t: only if `with_time`).
State random_direction(Random& random, const State& like, bool with_time = false);

/// The state moved by up to `size` in every coordinate and rate: inconsistent.
State disturbed(Random& random, State state, double size);

}  // namespace parfait::testing_support
