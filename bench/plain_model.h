#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

/// A tree of bodies as numbers, in the C++ of 2017 that Simbody's headers need: those of Parfait
/// are C++20, and the two do not meet in one translation unit.
namespace parfait::bench {

using Triple = std::array<double, 3>;

struct PlainFrame {
  Triple o{}, x{}, y{}, z{};
};

struct PlainBody {
  std::string id;
  double mass = 0;
  Triple center{};
  std::array<Triple, 3> inertia{};  ///< about the centre of mass
  PlainFrame place{};               ///< in the world
  Triple omega{}, v{};
  int parent = -1;            ///< -1: the ground
  std::string joint_id{};     ///< empty: the body is free
  std::string joint_key{};    ///< Revolute, Spherical or Universal
  PlainFrame begin{}, end{};  ///< of the joint, on the parent and on the body
};

struct PlainModel {
  std::vector<double> gravity;  ///< along z, of each force of that kind
  std::vector<PlainBody> bodies;
};

/// A whole simulation.
struct Motion {
  double seconds = 0;  ///< wall time of the integration alone
  long steps = 0;
  long evaluations = 0;
  std::vector<Triple> center;  ///< centres of mass at the end
};

/// What the comparison asks of Simbody (engine.h).
class SimbodyModel {
 public:
  virtual ~SimbodyModel() = default;
  virtual std::string version() const = 0;
  virtual void add_state(const PlainModel& model) = 0;
  virtual void compute_accelerations(int state) = 0;
  virtual void accelerations(std::vector<Triple>& center, std::vector<Triple>& angular) = 0;
  /// By its RungeKuttaMerson integrator from the first state added.
  virtual Motion simulate(double until, double accuracy) = 0;
};
std::unique_ptr<SimbodyModel> make_simbody_model(const PlainModel& model);

}  // namespace parfait::bench
