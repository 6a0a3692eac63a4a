#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/io/foreign/lua_table.h"
#include "parfait/mechanism/description/description.h"

/// LuaModel files (.lua) of RBDL, MeshUp and Puppeteer: programs that return a table
///
///   gravity, configuration = {axis_front, axis_right, axis_up}
///   frames = { {name, parent, joint_frame = {r, E}, joint, body = {mass, com, inertia},
///               markers = {NAME = {x, y, z}}, visuals}, ... }
///   points, local_frames, constraint_sets, and whatever else people put there
///
///   joint_frame  r is the joint's place in the parent's frame; the rows of E are its axes there
///   joint        a list of axes {rx ry rz tx ty tz}, one coordinate each, one after the other, or
///                a name: {"JointTypeEulerZYX"}, ...; nothing: fixed
///   coordinates  are named after the frame: Thigh_R_RY, Pelvis_TX, or Thigh_R_R1, ... where the
///                axis is no coordinate axis
///
/// Points and local frames are markers of bodies, `markers` are skin markers: landmarks, because
/// somebody put them there, but for those that the frame's `tracking_markers` lists. Lua tables
/// have no lines: complaints about a frame name the line of its name in the file.
namespace parfait::io {

struct LuaModel {
  LuaValue table;  ///< as the program returned it
  mechanism::Description description;
};

/// InputError with file and line if it is not such a model. `require` finds files beside the model.
LuaModel read_lua_model(const std::filesystem::path& file);
LuaModel read_lua_model_text(std::string_view text, const std::string& file_name);

/// The table with the numbers of `description` in the place of its own: places of joints, masses,
/// centres, inertias, skin markers, gravity. Everything else, also what nobody here knows, is kept.
std::string lua_model_text(const LuaModel& model);

}  // namespace parfait::io
