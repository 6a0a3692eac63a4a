#pragma once

#include <Eigen/Core>

#include "parfait/mechanism/description/description.h"

/// Three numbers of a description and as a vector.
namespace parfait::testing_support {

inline mechanism::Value3 value3(const Eigen::Vector3d& x) {
  return {x[0], x[1], x[2]};
}
inline mechanism::Number3 number3(const Eigen::Vector3d& x) {
  return {x[0], x[1], x[2]};
}
inline Eigen::Vector3d vector(const mechanism::Number3& x) {
  return {x[0], x[1], x[2]};
}

}  // namespace parfait::testing_support
