#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "laws.h"
#include "parfait/mechanism/description/description.h"
#include "plain_model.h"

/// What the comparison asks of a multibody engine: one system, several states of it, and for any of
/// them the accelerations from positions and velocities alone.
///
/// No Eigen and no engine header here. The translation unit of Simbody is compiled with other
/// macros and an older C++ (see CMakeLists.txt); it shares plain_model.h with the others and
/// nothing else.
namespace parfait::bench {

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// What is timed, in the engine's own words.
  virtual std::string method() const = 0;

  /// Another state of the system the engine was made from; `description` differs from that one only
  /// in positions and velocities.
  virtual void add_state(const mechanism::Description& description) = 0;

  /// Forward dynamics at a state, everything computed afresh: the timed call.
  virtual void compute_accelerations(int state) = 0;

  /// The result of the last compute_accelerations(), in the common form.
  virtual Accelerations accelerations() = 0;
};

/// Simbody's RungeKuttaMerson integrator at its `accuracy`, from the state of the description.
Motion simulate_simbody(const mechanism::Description& description, double until, double accuracy);

std::unique_ptr<Engine> make_simbody(const mechanism::Description& description);
std::unique_ptr<Engine> make_parfait(const mechanism::Description& description);
std::unique_ptr<Engine> make_parfait_joints(const mechanism::Description& description);

/// Two ways to ask MuJoCo: the functions that forward dynamics needs, one by one, and mj_forward
/// with everything else disabled.
enum class MujocoPath { kStages, kForward };
std::unique_ptr<Engine> make_mujoco(const mechanism::Description& description, MujocoPath path);

}  // namespace parfait::bench
