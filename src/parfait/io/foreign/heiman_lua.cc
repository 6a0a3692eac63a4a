#include "parfait/io/foreign/heiman_lua.h"

#include <algorithm>
#include <cmath>

#include "parfait/io/foreign/lua_table.h"
#include "parfait/io/foreign/placed_bodies.h"

namespace parfait::io {
namespace heiman_lua {
namespace {

using Triple = std::array<double, 3>;

LuaValue table() {
  LuaValue out;
  out.kind = LuaValue::Kind::kTable;
  return out;
}
LuaValue list_of(const Triple& a) {
  return lua_list({a[0], a[1], a[2]});
}

LuaValue body_table(const mechanism::Body& body) {
  LuaValue out = table(), rows = table();
  for (const auto& row : body.inertia) rows.list.push_back(list_of(numbers_of(row)));
  set_field(out, "mass", lua_number(body.mass.number));
  set_field(out, "com", list_of(numbers_of(body.center_of_mass)));
  set_field(out, "inertia", rows);
  return out;
}

/// A box about the capsule, of a mesh that MeshUp has.
LuaValue visuals_of(const motion::Capsule& capsule) {
  Triple size{}, middle{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double extent = std::abs(capsule.to[k] - capsule.from[k]);
    size[k] = std::max(extent, 1.6 * capsule.radius);
    middle[k] = 0.5 * (capsule.to[k] + capsule.from[k]);
  }
  LuaValue visual = table(), out = table();
  set_field(visual, "src", lua_string("meshes/unit_cube.obj"));
  set_field(visual, "dimensions", list_of(size));
  set_field(visual, "mesh_center", list_of(middle));
  set_field(visual, "color", lua_list({0.85, 0.63, 0.40}));
  out.list.push_back(visual);
  return out;
}

LuaValue frames_of(const motion::HeiMan& heiman) {
  LuaValue out = table();
  for (const auto& body : heiman.model.bodies) {
    LuaValue frame = table();
    set_field(frame, "name", lua_string(body.id));
    set_field(frame, "body", body_table(body));
    for (const auto& joint : heiman.model.joints) {
      if (joint.end.body != body.id) continue;
      const bool is_root = joint.begin.body == mechanism::kInertial;
      set_field(frame, "parent", lua_string(is_root ? "ROOT" : joint.begin.body));
      LuaValue place = table();
      set_field(place, "r", list_of(numbers_of(joint.begin.frame.o)));
      set_field(frame, "joint_frame", place);
      LuaValue axes = table();
      for (const auto& axis : joint.motion.axes) {
        std::vector<double> six(6);
        std::copy(axis.axis.begin(), axis.axis.end(), six.begin() + (axis.turns ? 0 : 3));
        axes.list.push_back(lua_list(six));
      }
      set_field(frame, "joint", axes);
    }
    LuaValue markers = table(), tracking = table();
    for (const auto& marker : heiman.model.skin_markers) {
      if (marker.body != body.id) continue;
      set_field(markers, marker.name, list_of(marker.o));
      if (!marker.fixed) tracking.list.push_back(lua_string(marker.name));
    }
    if (!markers.fields.empty()) set_field(frame, "markers", markers);
    if (!tracking.list.empty()) set_field(frame, "tracking_markers", tracking);
    for (const auto& capsule : heiman.capsules) {
      if (capsule.segment == body.id) set_field(frame, "visuals", visuals_of(capsule));
    }
    out.list.push_back(frame);
  }
  return out;
}

LuaValue contacts_of(const motion::HeiMan& heiman) {
  LuaValue out = table();
  for (const auto& set : heiman.contacts) {
    LuaValue rows = table();
    for (const auto& row : set.rows) {
      const auto& point = *std::find_if(heiman.points.begin(), heiman.points.end(),
                                        [&](const auto& p) { return p.name == row.point; });
      LuaValue constraint = table();
      const std::size_t axis = row.normal[0] != 0 ? 0 : row.normal[1] != 0 ? 1 : 2;
      set_field(constraint, "constraint_type", lua_string("contact"));
      set_field(constraint, "name",
                lua_string(row.point + (row.rolls ? "Bottom" : "") + "XYZ"[axis]));
      set_field(constraint, "id", lua_number(static_cast<double>(rows.list.size())));
      set_field(constraint, "body", lua_string(point.segment));
      Triple place = point.place;
      if (row.rolls) {
        place[2] -= point.radius;
        LuaValue rolling = table();
        set_field(rolling, "center", list_of(point.place));
        set_field(rolling, "radius", lua_number(point.radius));
        set_field(constraint, "rolling", rolling);
      }
      set_field(constraint, "point", list_of(place));
      set_field(constraint, "normal", list_of(row.normal));
      rows.list.push_back(constraint);
    }
    set_field(out, set.name, rows);
  }
  return out;
}

}  // namespace
}  // namespace heiman_lua

std::string heiman_lua_text(const motion::HeiMan& heiman) {
  using heiman_lua::list_of;
  using heiman_lua::table;
  LuaValue out = table(), configuration = table(), points = table(), parameters = table(),
           capsules = table(), apart = table();
  set_field(configuration, "axis_front", lua_list({1, 0, 0}));
  set_field(configuration, "axis_right", lua_list({0, -1, 0}));
  set_field(configuration, "axis_up", lua_list({0, 0, 1}));
  for (const auto& point : heiman.points) {
    LuaValue entry = table();
    set_field(entry, "name", lua_string(point.name));
    set_field(entry, "body", lua_string(point.segment));
    set_field(entry, "point", list_of(point.place));
    if (point.radius > 0) set_field(entry, "radius", lua_number(point.radius));
    points.list.push_back(entry);
  }
  for (const auto& parameter : heiman.parameters) {
    set_field(parameters, parameter.name, lua_number(parameter.value));
  }
  for (const auto& capsule : heiman.capsules) {
    LuaValue entry = table();
    set_field(entry, "from", list_of(capsule.from));
    set_field(entry, "to", list_of(capsule.to));
    set_field(entry, "radius", lua_number(capsule.radius));
    set_field(capsules, capsule.segment, entry);
  }
  for (const auto& [a, b] : heiman.kept_apart) {
    LuaValue pair = table();
    pair.list = {lua_string(a), lua_string(b)};
    apart.list.push_back(pair);
  }
  set_field(out, "gravity", lua_list({0, 0, -9.81}));
  set_field(out, "configuration", configuration);
  set_field(out, "frames", heiman_lua::frames_of(heiman));
  set_field(out, "points", points);
  set_field(out, "constraint_sets", heiman_lua::contacts_of(heiman));
  set_field(out, "parameters", parameters);
  set_field(out, "capsules", capsules);
  set_field(out, "kept_apart", apart);
  std::string text;
  for (const auto& remark : heiman.model.remarks) text += "-- " + remark + "\n";
  return text + lua_text(out);
}

}  // namespace parfait::io
