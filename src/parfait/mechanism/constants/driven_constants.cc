#include "parfait/mechanism/constants/driven_constants.h"

#include <vector>

namespace parfait::mechanism {

std::span<const ConstantFamily> driven_constants() {
  using Of = ConstantOf;
  static const std::vector<ConstantFamily> families = {
      {Of::kBody, "mass", "kg", "mass; alone it keeps the centre and the tensor about it"},
      {Of::kBody, "com.{x,y,z}", "m", "centre of mass (center_of_mass), in the body's frame"},
      {Of::kBody, "inertia.{xx,yy,zz,xy,xz,yz}", "kg m^2",
       "tensor (moment_of_inertia) about the centre of mass, in body axes"},
      {Of::kBody, "cholesky.{0,1,2,3,4,5}", "kg^(1/2) m",
       "factor L of the pseudo-inertia, row by row: mass, centre and tensor at once, ..."},
      {Of::kBody, "cholesky.{6,7,8,9}", "kg^(1/2)",
       "... and every L with a nonzero diagonal is a body that can exist"},
      {Of::kMarker, "o.{x,y,z}", "m", "origin of a marker, in the body's frame"},
      {Of::kMarker, "{x,y,z}.{x,y,z}", "1", "its axes, those that the model gives and z"},
      {Of::kConstraint, "offset", "as its key", "r, where it is a number"},
      {Of::kEnds, "begin.o.{x,y,z}", "m",
       "frame of a joint, constraint, force or event on its begin body: origin, ..."},
      {Of::kEnds, "begin.{x,y,z}.{x,y,z}", "1", "... and axes, those that the model gives and z"},
      {Of::kEnds, "end.o.{x,y,z}", "m", "the same on its end body: origin, ..."},
      {Of::kEnds, "end.{x,y,z}.{x,y,z}", "1", "... and axes, those that the model gives and z"}};
  return families;
}

}  // namespace parfait::mechanism
