#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace parfait::mbs {

/// What a name such as "Load.com.x" stands for.
struct Quantity {
  enum class Kind {
    kMarkerPosition,  ///< of marker geometry `index` on `body`; index -1: com, -2: origin
    kMarkerVelocity,
    kMarkerAcceleration,
    kAxis,  ///< component of axis `index` of the body
    kAxisRate,
    kAngularVelocity,
    kJointAngle,  ///< joint `index`; `axis` 0: about z, else Cardan angle 1 to 3
    kJointRate,
    kJointDisplacement,
    kJointDisplacementRate,
    kReactionForce,  ///< on the end body, at its marker
    kReactionTorque,
    kForceMeasure,  ///< force `index`: length or angle
    kForceRate,
    kForceValue,
    kKineticEnergy,
    kPotentialEnergy,
    kTotalEnergy,
    kState,  ///< external state `index`
    kParameter,
    kTime,
  };
  Kind kind = Kind::kTime;
  int body = -1;
  int index = 0;
  int component = 0;
  int axis = 0;

  bool needs_rates() const {
    return kind == Kind::kMarkerAcceleration || kind == Kind::kReactionForce ||
           kind == Kind::kReactionTorque;
  }
};

struct ModelData;

/// Names of all quantities of a model and what they stand for.
class Quantities {
 public:
  Quantities() = default;
  explicit Quantities(const ModelData& m);

  std::optional<Quantity> find(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  void add(const std::string& name, Quantity quantity);

  std::unordered_map<std::string, Quantity> index_;
  std::vector<std::string> names_;
};

}  // namespace parfait::mbs
