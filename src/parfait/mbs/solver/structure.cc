#include "parfait/mbs/solver/structure.h"

#include <algorithm>

#include "parfait/math/symmetric.h"

namespace parfait::mbs {
namespace {

/// Index of an axis letter in the list of a side, added if new.
int axis_index(char letter, char (&list)[3], int& count) {
  if (letter == 0) return 0;
  for (int i = 0; i < count; ++i) {
    if (list[i] == letter) return i;
  }
  list[count] = letter;
  return count++;
}

/// DDX rows grouped by the axis they share, on the side that has fewer axes.
void group_axes(JointShape& shape) {
  const int side = shape.num_axes[0] < shape.num_axes[1] ? 0 : 1;
  for (int i = 3; i < shape.nrows; ++i) {
    const int axis = side == 0 ? shape.rows[i].a_axis : shape.rows[i].b_axis;
    int g = 0;
    while (g < shape.num_groups && shape.groups[g].axis != axis) ++g;
    if (g == shape.num_groups) shape.groups[shape.num_groups++] = {side, axis, 0, {}};
    shape.groups[g].rows[shape.groups[g].num_rows++] = i;
  }
}

JointShape::Pattern pattern_of(const JointShape& shape) {
  using Pattern = JointShape::Pattern;
  const auto [a, b] = shape.num_axes;
  if (shape.nrows == 3) return Pattern::kSpherical;
  if (shape.nrows == 4) return Pattern::kUniversal;
  if (shape.nrows == 5 && a == 2 && b == 1) return Pattern::kRevolute;
  if (shape.nrows == 5 && a == 1 && b == 2) return Pattern::kRevolute2;
  return Pattern::kOther;
}

/// S^-T E S^-1 for the unit symmetric matrix E of an entry.
std::array<double, 6> freed_metric(const CoordinateMap& map, int entry) {
  const auto [a, b] = kPair[entry];
  const auto& T = map.S_inverse;
  std::array<double, 6> out{};
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = kPair[e];
    out[e] = T[a][i] * T[b][j] + (a == b ? 0.0 : T[b][i] * T[a][j]);
  }
  return out;
}

JointShape make_shape(const JointInput& joint, GeometrySpec& geometry) {
  JointShape shape;
  shape.body[0] = geometry.end[0].body;
  shape.body[1] = geometry.end[1].body;
  shape.nrows = static_cast<int>(joint.rows.size());
  for (int i = 0; i < shape.nrows; ++i) {
    const Row& row = joint.rows[i];
    shape.rows[i].kind = row.kind;
    shape.rows[i].a_axis = axis_index(row.a_axis, geometry.axis[0], shape.num_axes[0]);
    shape.rows[i].b_axis = axis_index(row.b_axis, geometry.axis[1], shape.num_axes[1]);
  }
  shape.ball = shape.nrows >= 3 && shape.rows[0].kind == RowKind::kB0x &&
               shape.rows[1].kind == RowKind::kB0y && shape.rows[2].kind == RowKind::kB0z;
  shape.fast = shape.ball;
  for (int i = 3; i < shape.nrows; ++i) shape.fast &= shape.rows[i].kind == RowKind::kDDX;
  if (shape.fast) {
    group_axes(shape);
    shape.pattern = pattern_of(shape);
  }
  return shape;
}

void list_joint_sides(Structure& s) {
  // Counted first, then put in their places: joints of a body stay in their order.
  s.first_side.assign(static_cast<std::size_t>(s.num_bodies) + 1, 0);
  const auto for_sides = [&](const auto& visit) {
    for (int j = 0; j < static_cast<int>(s.joints.size()); ++j) {
      for (int side = 0; side < 2; ++side) {
        const int body = s.joints[j].body[side];
        if (body >= 0 && body < s.num_bodies) visit(body, j, side);
      }
    }
  };
  for_sides([&](int body, int, int) { ++s.first_side[static_cast<std::size_t>(body) + 1]; });
  for (int b = 0; b < s.num_bodies; ++b) s.first_side[b + 1] += s.first_side[b];
  s.joint_sides.resize(static_cast<std::size_t>(s.first_side.back()));
  std::vector<int> next(s.first_side.begin(), s.first_side.end() - 1);
  for_sides([&](int body, int j, int side) { s.joint_sides[next[body]++] = {j, side}; });
}

/// Bodies in their order, each after its joints are open; a joint is closed with its second body.
void plan_visits(Structure& s) {
  using Kind = DirectionVisit::Kind;
  std::vector<char> open(s.joints.size(), 0);
  const auto is_free = [&s](int body, int upto) { return body <= upto || body == s.num_bodies; };
  for (int b = 0; b < s.num_bodies; ++b) {
    for (const auto [j, side] : s.joints_of(b)) {
      if (!open[j]) s.visits.push_back({Kind::kOpenJoint, j});
      open[j] = 1;
    }
    s.visits.push_back({Kind::kFreeBody, b});
    if (s.released_index[b] >= 0) s.visits.push_back({Kind::kFreeReleased, s.released_index[b]});
    for (const auto [j, side] : s.joints_of(b)) {
      if (is_free(s.joints[j].body[1 - side], b)) s.visits.push_back({Kind::kCloseJoint, j});
    }
  }
}

}  // namespace

Structure make_structure(int num_bodies, std::vector<JointInput>& joints,
                         const std::vector<Released>& released,
                         const std::vector<CoordinateMap>& maps) {
  Structure s;
  s.num_bodies = num_bodies;
  s.released_index.assign(num_bodies + 1, -1);
  int rows = 0;
  for (int b = 0; b < num_bodies; ++b) {
    const Released& r = released[b];
    const bool flags[6] = {r.xx, r.yy, r.zz, r.xy, r.xz, r.yz};
    ReleasedShape shape;
    shape.body = b;
    std::array<int, 6> row{};
    for (int e = 0; e < 6; ++e) {
      row[e] = flags[e] ? -1 : rows++;
      if (!flags[e]) continue;
      shape.E[shape.count++] = freed_metric(maps[b], e);
    }
    s.body_row.push_back(row);
    if (shape.count > 0) {
      s.released_index[b] = static_cast<int>(s.released.size());
      s.released.push_back(shape);
    }
  }
  s.num_pos = s.num_vel = rows;
  std::vector<JointEnds> ends;
  for (auto& joint : joints) {
    JointShape shape = make_shape(joint, joint.geometry);
    shape.first_row = s.num_rows;
    shape.first_pos_row = s.num_pos;
    s.num_rows += shape.nrows;
    for (int i = 0; i < shape.nrows; ++i) {
      s.num_pos += !shape.rows[i].is_velocity();
      s.has_quadratic_rates |= shape.rows[i].kind == RowKind::kVVX;
    }
    s.has_slow_joints |= !shape.fast;
    s.nrows.push_back(shape.nrows);
    const bool may_vanish = std::any_of(shape.rows.begin(), shape.rows.begin() + shape.nrows,
                                        [](const RowShape& row) { return row.is_velocity(); });
    ends.push_back({shape.body[0] == num_bodies ? -1 : shape.body[0],
                    shape.body[1] == num_bodies ? -1 : shape.body[1], shape.nrows, may_vanish});
    s.joints.push_back(shape);
  }
  s.num_vel += s.num_rows;
  s.plan = make_elimination_plan(ends, num_bodies);
  list_joint_sides(s);
  plan_visits(s);
  return s;
}

}  // namespace parfait::mbs
