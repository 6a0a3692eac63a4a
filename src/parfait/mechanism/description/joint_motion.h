#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "parfait/base/error.h"

/// Joints by their elementary motions and coordinates with names: what model files of biomechanics
/// and robotics say (OpenSim's CustomJoint, URDF's mimic, LuaModel's lists of axes). Only an engine
/// in joint coordinates understands it.
namespace parfait::mechanism {

using base::Place;

/// A function of one coordinate.
struct CoordinateFunction {
  enum class Kind {
    kLinear,           ///< constants: slope, intercept
    kPolynomial,       ///< constants: coefficients, the highest power first
    kNaturalSpline,    ///< constants: values at the knots; f'' = 0 at both ends
    kSimmSpline,       ///< the same; ends as in SIMM and OpenSim (Forsythe, Malcolm, Moler 1977)
    kPiecewiseLinear,  ///< the same
    kFormula,          ///< `formula`, of q
  };
  Kind kind = Kind::kLinear;
  std::vector<double> knots{};
  std::vector<double> constants{1.0, 0.0};
  std::string formula{};
  Place place{};

  bool is_identity() const {
    return kind == Kind::kLinear && constants.size() == 2 && constants[0] == 1 && constants[1] == 0;
  }
  static CoordinateFunction constant(double value) {
    return {.kind = Kind::kLinear, .constants = {0.0, value}};
  }
};

struct FunctionKindName {
  const char* name;
  CoordinateFunction::Kind kind;
};
/// The names of the kinds in a model file.
std::span<const FunctionKindName> function_kind_names();

/// A coordinate of a joint, known by its name in the whole model.
struct Coordinate {
  enum class Kind {
    kRotation,     ///< rad; motion files may have it in degrees
    kTranslation,  ///< m
    kMixed,        ///< neither: it drives functions only
  };
  std::string id;
  Kind kind = Kind::kRotation;
  double initial = 0, rate = 0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool clamped = false;  ///< the limits are meant to hold, not only to be shown
  bool locked = false;   ///< keeps its initial value
  Place place{};
};

struct CoordinateKindName {
  const char* name;
  Coordinate::Kind kind;
};
std::span<const CoordinateKindName> coordinate_kind_names();

/// One elementary motion: a turn about, or a displacement along an axis, by a function of one
/// coordinate of the joint.
struct MotionAxis {
  bool turns = true;
  std::array<double, 3> axis{0, 0, 1};  ///< of any length but 0, in the joint's frame as the axes
                                        ///< before have moved it
  std::string coordinate{};             ///< empty: `function` is a constant
  CoordinateFunction function{};
  Place place{};
};

/// The motion of a joint of the key "Axes": from its frame on begin to its frame on end, one axis
/// after the other.
struct JointMotion {
  std::vector<Coordinate> coordinates;
  std::vector<MotionAxis> axes;

  bool empty() const { return coordinates.empty() && axes.empty(); }
};

/// The key of joints that have such a motion.
inline constexpr const char* kAxesJoint = "Axes";

/// A coordinate that follows another: q = f(q of `follows`).
struct Coupling {
  std::string coordinate, follows;
  CoordinateFunction function;
  Place place;
};

/// A point of a body that cameras see: where a ball is glued on, or a landmark.
struct SkinMarker {
  std::string name;                  ///< as motion files call it: anything
  std::string body;                  ///< body id, or kInertial
  std::array<double, 3> o{0, 0, 0};  ///< m, in the body's frame
  bool fixed = false;  ///< an anatomical landmark: calibration should not move it far on the body
  Place place{};
};

}  // namespace parfait::mechanism
