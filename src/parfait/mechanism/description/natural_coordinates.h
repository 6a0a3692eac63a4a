#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "parfait/base/error.h"

/// What only natural coordinates understand, in one place, so that an engine in other coordinates
/// can say what it does not have instead of simulating something else.
namespace parfait::mechanism {

using base::Place;

struct Description;

/// Which twelve numbers are the coordinates of a body with origin o and axes e1, e2, e3.
enum class BodyCoordinates {
  kOriginAndAxes,        ///< q = (o, e1, e2, e3)
  kTwoPointsTwoVectors,  ///< q = (o, o + e1, e2, e3)             (Kraus 2006, section 5.1.1)
  kFourPoints,           ///< q = (o, o + e1, o + e2, o + e3)     (Kraus 2006, section 5.1.1)
};

/// Rigid-body constraints e_i . e_j = const that a body gives up (Kraus 2006, section 5.1.2:
/// variable length, shear).
struct Released {
  bool xx = false, yy = false, zz = false, xy = false, xz = false, yz = false;
  bool any() const { return xx || yy || zz || xy || xz || yz; }
};

struct NaturalBody {
  BodyCoordinates coordinates = BodyCoordinates::kOriginAndAxes;
  Released released;
  Place coordinates_place, released_place;
};

struct NaturalCoordinates {
  double rank_tolerance = 1e-5;  ///< of the constraint partitioning (docs/theory/partitioning.md)
  Place rank_tolerance_place;
  std::map<std::string, NaturalBody> bodies;  ///< by id; a body that is not here has the defaults

  const NaturalBody& of(const std::string& body) const;
};

/// The names of the choices and of the rigid-body constraints in a model file.
struct BodyCoordinatesName {
  const char* name;
  BodyCoordinates coordinates;
};
std::span<const BodyCoordinatesName> body_coordinates_names();

struct ReleasedName {
  const char* name;
  bool Released::*flag;
};
std::span<const ReleasedName> released_names();

/// Something in a description that needs natural coordinates.
struct NaturalFeature {
  std::string name;  ///< `body "Rod": release="xx"`
  Place place;
};

/// What the description has beyond the defaults: the tolerance, then body by body.
std::vector<NaturalFeature> natural_features(const Description& description);

/// For engines in other coordinates ("joint coordinates"): InputError at the first natural feature,
/// with the names of all.
void refuse_natural_features(const Description& description, const std::string& coordinates);

}  // namespace parfait::mechanism
