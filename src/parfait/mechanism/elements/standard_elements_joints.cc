#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/elements/standard_elements.h"

// The joints of Kraus 2006, appendix C.2, with the corrections of docs/theory/corrections.md: what
// Kraus prints as "Universal" is a cylindrical joint; parallel axes are two orthogonality rows,
// never a vector product, so that no joint is redundant in itself.
namespace parfait::mechanism {
namespace {

constexpr Row kSamePoint[] = {{RowKind::kB0x}, {RowKind::kB0y}, {RowKind::kB0z}};

std::vector<Row> with_point(std::initializer_list<Row> rotation) {
  std::vector<Row> rows(std::begin(kSamePoint), std::end(kSamePoint));
  rows.insert(rows.end(), rotation);
  return rows;
}

Row ddx(char a, char b) {
  return {RowKind::kDDX, a, b};
}
Row bbdx(char a) {
  return {RowKind::kBBDX, a};
}

}  // namespace

void add_standard_joints(Registry& r) {
  r.add(JointType{"Spherical", "the marker origins coincide", with_point({}), {}, 0, 3});
  r.add(JointType{"Revolute",
                  "origins coincide, rotation about z (z of end is normal to x, y of begin)",
                  with_point({ddx('x', 'z'), ddx('y', 'z')}),
                  {},
                  0,
                  1});
  r.add(JointType{"Revolute_2",
                  "like Revolute with the roles of the bodies exchanged",
                  with_point({ddx('z', 'x'), ddx('z', 'y')}),
                  {},
                  0,
                  1});
  r.add(JointType{"Universal",
                  "cardan joint: origins coincide, x of begin stays normal to y of end",
                  with_point({ddx('x', 'y')}),
                  {},
                  0,
                  2});
  r.add(JointType{"Cylindrical",
                  "translation along and rotation about z of begin",
                  {bbdx('x'), bbdx('y'), ddx('z', 'x'), ddx('z', 'y')},
                  {},
                  1,
                  1});
  r.add(JointType{"Prismatic",
                  "translation along z of begin, no rotation",
                  {bbdx('x'), bbdx('y'), ddx('z', 'x'), ddx('z', 'y'), ddx('x', 'y')},
                  {},
                  1,
                  0});
  r.add(JointType{"Fixed",
                  "no relative motion",
                  with_point({ddx('x', 'z'), ddx('y', 'z'), ddx('x', 'y')}),
                  {},
                  0,
                  0});
  r.add(JointType{"FixedDistance",
                  "the marker origins keep their distance",
                  {{RowKind::kBBX, 0, 0, 0}},
                  {{"distance", "m", "distance of the marker origins", std::nullopt}},
                  2,
                  3});
  r.add(JointType{"Free", "no constraint", {}, {}, 3, 3});
  // What it leaves free its own axes say; engines in natural coordinates refuse it.
  r.add(JointType{kAxesJoint,
                  "turns and displacements by functions of named coordinates, one after the other "
                  "(joint coordinates only)",
                  {},
                  {},
                  3,
                  3});
}

}  // namespace parfait::mechanism
