#include "parfait/mechanism/elements/constraint_types.h"

#include <algorithm>

namespace parfait::mechanism {
namespace {

ConstantInfo any_offset(const char* unit) {
  return {"offset", unit, "r, a number or a formula of t, parameters and inputs", 0.0};
}

/// What is kept is a length or speed r > 0: r = 0 would be another constraint.
ConstantInfo positive_offset(const char* unit) {
  return {"offset", unit, "r > 0, a number or a formula of t, parameters and inputs", {}, 0.0};
}

}  // namespace

std::span<const ConstraintType> constraint_types() {
  static const std::vector<ConstraintType> types = {
      {"B0_x", RowKind::kB0x, "x of begin minus x of end = r, in world axes", any_offset("m")},
      {"B0_y", RowKind::kB0y, "y of begin minus y of end = r, in world axes", any_offset("m")},
      {"B0_z", RowKind::kB0z, "z of begin minus z of end = r, in world axes", any_offset("m")},
      {"DDX", RowKind::kDDX, "begin_axis . end_axis = r, the cosine between the two axes",
       any_offset("1")},
      {"BBDX", RowKind::kBBDX, "(begin - end) . begin_axis = r, the difference along that axis",
       any_offset("m")},
      {"BBX", RowKind::kBBX, "|begin - end| = r, the distance", positive_offset("m")},
      {"V0_x", RowKind::kV0x, "rate of x of begin minus x of end = r, in world axes",
       any_offset("m/s")},
      {"V0_y", RowKind::kV0y, "rate of y of begin minus y of end = r, in world axes",
       any_offset("m/s")},
      {"V0_z", RowKind::kV0z, "rate of z of begin minus z of end = r, in world axes",
       any_offset("m/s")},
      {"VVDX", RowKind::kVVDX, "(begin - end)' . begin_axis = r, the velocity along that axis",
       any_offset("m/s")},
      {"VVX", RowKind::kVVX, "|(begin - end)'| = r, the speed", positive_offset("m/s")}};
  return types;
}

const ConstraintType* find_constraint(const std::string& key) {
  const auto types = constraint_types();
  const auto it = std::find_if(types.begin(), types.end(), [&](auto& t) { return t.key == key; });
  return it == types.end() ? nullptr : &*it;
}

const std::string& key_of(RowKind kind) {
  return constraint_types()[static_cast<std::size_t>(kind)].key;
}

}  // namespace parfait::mechanism
