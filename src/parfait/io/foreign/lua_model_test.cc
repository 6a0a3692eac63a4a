#include "parfait/io/foreign/lua_model.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/foreign/heiman_lua.h"
#include "parfait/io/foreign/placed_bodies.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"
#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/build/mechanism_tree.h"

namespace parfait::io::lua_model_test {
namespace {

std::string data(const std::string& name) {
  return PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name;
}

std::string message_of(const std::string& text) {
  try {
    read_lua_model_text(text, "m.lua");
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LuaModel, MarkersOfAWalkingPersonAreAsFarFromTheDataAsPuppeteerSays) {
  const auto model = read_lua_model(std::filesystem::path(data("gait912.lua")));
  const tree::MechanismTree mechanism(model.description);
  ASSERT_EQ(mechanism.tree().nq, 9);
  const auto motion = read_meshup(data("gait912_animation.csv"));
  auto trial = *read_motion_file(data("gaitDataPlanar.c3d")).trial;
  to_metres(trial, AxisMap{});
  const auto log = read_csv(data("gait912_fitting_log.csv"));
  tree::Workspace ws(mechanism.tree());
  int compared = 0;
  for (std::size_t frame : {0U, 20U, 60U}) {
    std::vector<double> q;
    for (const auto& column : motion.values) q.push_back(column[frame]);
    for (const auto& marker : model.description.skin_markers) {
      const int point = trial.markers.find(marker.name);
      const int column = log.find_column(marker.name);
      if (point < 0 || column < 0) continue;
      std::size_t body = 0;
      while (model.description.bodies[body].id != marker.body) ++body;
      const auto r =
          tree::point_position(mechanism.tree(), q, mechanism.tree_body(static_cast<int>(body)),
                               {marker.o[0], marker.o[1], marker.o[2]}, ws);
      const double* seen = trial.markers.at(frame, static_cast<std::size_t>(point));
      const double distance = std::hypot(seen[0] - r.x, seen[1] - r.y, seen[2] - r.z);
      EXPECT_NEAR(distance, log.columns[static_cast<std::size_t>(column)][frame], 2e-5)
          << marker.name << " in frame " << frame;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(LuaModel, JointsByNameAndByAxesAreSequencesOfTurns) {
  const auto model = read_lua_model_text(R"(
    local length = 0.5          -- a model is a program
    local function rod(m) return {mass = m, com = {0, 0, -length / 2}, inertia = {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}} end
    return { gravity = {0, 0, -9.81}, frames = {
      {name = "a", parent = "ROOT", joint = {"JointTypeEulerZYX"}, body = rod(2)},
      {name = "b", parent = "a", joint_frame = {r = {0, 0, -length}, E = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}},
       joint = {{0, 0, 1, 0, 0, 0.1}}, body = rod(1), markers = {tip = {0, 0, -0.5}}},
      {name = "c", parent = "ROOT", joint = {"JointTypeFloatingBase"}, body = rod(1), joint_frame = {r = {1, 2, 3}}},
      {name = "d", parent = "c", body = rod(1)},
    }})",
                                         "m.lua");
  const auto& d = model.description;
  const tree::MechanismTree mechanism(d);
  EXPECT_EQ(mechanism.tree().nv, 3 + 1 + 6);
  EXPECT_EQ(d.joints[0].motion.coordinates[0].id, "a_RZ");
  EXPECT_EQ(d.bodies[2].o, (mechanism::Number3{1, 2, 3}));
  EXPECT_EQ(d.joints.size(), 3U);  // nothing for what floats
  std::vector<double> q = mechanism.q();
  const double a = 0.3, b = -0.2, c = 0.4, s = 0.7;
  const auto set = [&](const char* id, double value) {
    q[static_cast<std::size_t>(
        mechanism.coordinates()[static_cast<std::size_t>(mechanism.find_coordinate(id))].q)] =
        value;
  };
  set("a_RZ", a);
  set("a_RY", b);
  set("a_RX", c);
  set("b_RZ", s);
  tree::Workspace ws(mechanism.tree());
  const auto X = tree::body_frame(mechanism.tree(), q, mechanism.tree_body(1), ws);
  // By hand: Rz(a) Ry(b) Rx(c), then half a metre down and 0.1 per rad along z; the rows of E are
  // the axes of the joint.
  const double down = -0.5 + 0.1 * s;
  const double x = std::cos(a) * std::sin(b) * std::cos(c) + std::sin(a) * std::sin(c);
  const double y = std::sin(a) * std::sin(b) * std::cos(c) - std::cos(a) * std::sin(c);
  const double z = std::cos(b) * std::cos(c);
  EXPECT_NEAR(X.p.x, down * x, 1e-14);
  EXPECT_NEAR(X.p.y, down * y, 1e-14);
  EXPECT_NEAR(X.p.z, down * z, 1e-14);
  EXPECT_NEAR(X.R.z.x, x, 1e-14);
  set("a_RZ", 0);
  set("a_RY", 0);
  set("a_RX", 0);
  const auto Y = tree::body_frame(mechanism.tree(), q, mechanism.tree_body(1), ws);
  EXPECT_NEAR(Y.R.x.y, std::cos(s), 1e-14);  // x of the joint is y of its parent
  EXPECT_NEAR(Y.R.x.x, -std::sin(s), 1e-14);
}

TEST(LuaModel, WritingKeepsWhatNobodyKnowsAndReadsBackTheSame) {
  auto model = read_lua_model(std::filesystem::path(data("gait912.lua")));
  const std::string text = lua_model_text(model);
  const auto again = read_lua_model_text(text, "again.lua");
  EXPECT_EQ(again.table, model.table);
  ASSERT_NE(again.table.find("animation_settings"), nullptr);
  EXPECT_NE(again.table.find("animation_settings")->find("force_transparency"), nullptr);
  // Other numbers arrive where they belong, and nothing else changes.
  model.description.bodies[1].mass = 9.5;
  model.description.joints[2].begin.frame.o[2] = -0.4;
  for (auto& marker : model.description.skin_markers) {
    if (marker.name == "RKNE") marker.o = {0.01, 0.02, 0.03};
  }
  const auto changed = read_lua_model_text(lua_model_text(model), "changed.lua");
  EXPECT_EQ(changed.description.bodies[1].mass.number, 9.5);
  EXPECT_EQ(changed.description.joints[2].begin.frame.o[2].number, -0.4);
  auto expected = model.table;
  LuaValue* thigh = &expected.find("frames")->list[1];
  set_field(*thigh->find("body"), "mass", lua_number(9.5));
  set_field(*thigh->find("markers"), "RKNE", lua_list({0.01, 0.02, 0.03}));
  thigh = &expected.find("frames")->list[2];
  set_field(*thigh->find("joint_frame"), "r",
            lua_list({thigh->find("joint_frame")->find("r")->list[0].number,
                      thigh->find("joint_frame")->find("r")->list[1].number, -0.4}));
  EXPECT_EQ(changed.table, expected);
}

TEST(LuaTable, TextOfAValueRunsToTheSameValue) {
  const auto value = run_lua(
      R"(return {1, "two\n\"three\"", {x = 1.5e-300, ["a b"] = true, [7] = "seven", [0.5] = false}, math.huge, ["end"] = -0.1})",
      "v.lua", "");
  EXPECT_EQ(value.list.size(), 4U);
  EXPECT_EQ(run_lua(lua_text(value), "w.lua", ""), value);
}

TEST(LuaTable, FunctionsAtTheEndOfAListAreNoPartOfIt) {
  const auto value = run_lua("return {1, 2, function() end}", "v.lua", "");
  EXPECT_EQ(value.list.size(), 2U);
  EXPECT_EQ(run_lua(lua_text(value), "w.lua", ""), value);
}

TEST(LuaTable, IterationAndRandomNumbersAreTheSameInEveryRun) {
  const char* program = R"(
    local names = {}
    for name in pairs({delta = 1, alpha = 2, charlie = 3, bravo = 4, [10] = 5, [2] = 6}) do names[#names + 1] = name end
    return {names, math.random(), next({b = 1, a = 2})})";
  const auto first = run_lua(program, "p.lua", "");
  ASSERT_EQ(first.list[0].list.size(), 6U);
  EXPECT_EQ(first.list[0].list[0].number, 2);
  EXPECT_EQ(first.list[0].list[2].text, "alpha");
  EXPECT_EQ(first.list[2].text, "a");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run_lua(program, "p.lua", ""), first);
}

/// Small limits, so that the tests are short; the mechanism is the same.
std::string stopped(const std::string& program) {
  LuaLimits limits;
  limits.instructions = 1'000'000;
  limits.bytes = 4U << 20U;
  limits.seconds = 5;
  try {
    run_lua(program, "h.lua", "", limits);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LuaSandbox, StopsProgramsThatDoNotEnd) {
  const std::string message = "the program was stopped after 1000000 instructions.";
  EXPECT_EQ(stopped("local x = 1\nwhile true do x = x + 1 end"), "h.lua:2: " + message);
  // One that catches what stops it.
  EXPECT_NE(stopped("while true do pcall(function() while true do end end) end").find(message),
            std::string::npos);
  EXPECT_NE(stopped("local function f() return pcall(f) end while true do f() end")
                .find("the program was stopped"),
            std::string::npos);
  EXPECT_NE(stopped("local function f() return 1 + f() end return f()").find("more than 4 MB"),
            std::string::npos);
}

TEST(LuaSandbox, StopsProgramsThatNeedTooMuchMemory) {
  const std::string message = "h.lua: the program was stopped: it needs more than 4 MB.";
  EXPECT_EQ(stopped("local t = {} for i = 1, 1e9 do t[i] = i end"), message);
  EXPECT_EQ(stopped("local s = 'x' while true do s = s .. s end"), message);
  EXPECT_EQ(stopped("return ('x'):rep(1e6) .. ('y'):rep(1e6) .. ('z'):rep(1e6)"), message);
}

TEST(LuaSandbox, StopsLoopsInsideTheLibraries) {
  EXPECT_EQ(stopped("local s = (''):rep(1e15)"), "h.lua:1: Lua: string.rep: too long.");
  EXPECT_NE(
      stopped("return (('a'):rep(1e5)):find(('.-'):rep(50) .. 'b')").find("too long on a text"),
      std::string::npos);
  EXPECT_NE(stopped("table.move({}, 1, 1e15, 2)").find("nil value"), std::string::npos);
  EXPECT_NE(stopped("table.insert(setmetatable({}, {__len = function() return 1e15 end}), 1, 2)")
                .find("nil value"),
            std::string::npos);
}

TEST(LuaSandbox, NothingReachesOutside) {
  for (const char* name :
       {"io", "os", "package", "debug", "coroutine", "utf8", "dofile", "loadfile", "load",
        "collectgarbage", "setmetatable", "getmetatable", "_G", "warn", "string.dump"}) {
    const auto value = run_lua(std::string("return {") + name + " == nil}", "n.lua", "");
    EXPECT_TRUE(value.list[0].boolean) << name;
  }
  for (const char* name : {"../secret", "/etc/passwd", "a/../../b", "..", "\\\\server\\x"}) {
    const auto message = stopped(std::string("return require [[") + name + "]]");
    EXPECT_NE(message.find("only files in the model's folder"), std::string::npos) << message;
  }
  EXPECT_EQ(
      stopped("return require 'nowhere'"),
      "h.lua:1: Lua: require \"nowhere\": there is no file nowhere.lua in the model's folder.");
  // Compiled code is not Lua's text.
  EXPECT_NE(stopped("\x1bLua").find("attempt to load a binary chunk"), std::string::npos);
}

TEST(LuaSandbox, TablesThatContainThemselvesAreTold) {
  EXPECT_EQ(message_of("local t = {} t.t = t return t"),
            "m.lua: the tables are nested more than 100 deep: does one contain itself?");
}

TEST(LuaModel, RequireFindsFilesBesideTheModel) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("parfait_lua_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "parts");
  write_text_file(
      folder / "parts/rod.lua",
      "return {mass = 2, com = {0, 0, 0}, inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}");
  write_text_file(folder / "loop.lua", "return require 'loop'");
  write_text_file(folder / "wrong.lua", "local a = 1\nreturn a.b.c");
  write_text_file(folder / "m.lua", R"(return {gravity = {0, 0, -1}, frames = {
      {name = "a", parent = "ROOT", joint = {{1, 0, 0, 0, 0, 0}}, body = require "parts.rod"},
      {name = "b", parent = "a", joint = {{1, 0, 0, 0, 0, 0}}, body = require "parts.rod"}}})");
  EXPECT_EQ(read_lua_model(folder / "m.lua").description.bodies[1].mass.number, 2);
  const auto message = [&](const std::string& text) -> std::string {
    try {
      read_lua_model_text(text, (folder / "x.lua").string());
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("return require 'loop'").find("requires itself"), std::string::npos);
  EXPECT_NE(message("return require 'wrong'").find("wrong.lua:2: Lua: attempt to index"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(LuaModel, HeiManIsReadBackAsItWasMade) {
  motion::HeiManRequest request;
  request.height = 1.86;
  request.mass = 80;
  const auto heiman = motion::make_heiman(request);
  const auto read = read_lua_model_text(heiman_lua_text(heiman), "heiman.lua");
  const auto &made = heiman.model, &got = read.description;
  ASSERT_EQ(got.bodies.size(), made.bodies.size());
  ASSERT_EQ(got.joints.size(), made.joints.size());
  for (std::size_t i = 0; i < made.bodies.size(); ++i) {
    EXPECT_EQ(got.bodies[i].id, made.bodies[i].id);
    EXPECT_EQ(got.bodies[i].mass.number, made.bodies[i].mass.number);
    EXPECT_EQ(numbers_of(got.bodies[i].center_of_mass), numbers_of(made.bodies[i].center_of_mass));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(numbers_of(got.bodies[i].inertia[k]), numbers_of(made.bodies[i].inertia[k]));
    }
    EXPECT_EQ(got.joints[i].begin.body, made.joints[i].begin.body);
    EXPECT_EQ(numbers_of(got.joints[i].begin.frame.o), numbers_of(made.joints[i].begin.frame.o));
    ASSERT_EQ(got.joints[i].motion.coordinates.size(), made.joints[i].motion.coordinates.size());
    for (std::size_t k = 0; k < made.joints[i].motion.coordinates.size(); ++k) {
      EXPECT_EQ(got.joints[i].motion.coordinates[k].id, made.joints[i].motion.coordinates[k].id);
      EXPECT_EQ(got.joints[i].motion.axes[k].axis, made.joints[i].motion.axes[k].axis);
    }
  }
  ASSERT_EQ(got.skin_markers.size(), 32U);
  for (const auto& marker : made.skin_markers) {
    const auto found = std::find_if(got.skin_markers.begin(), got.skin_markers.end(),
                                    [&](const auto& other) { return other.name == marker.name; });
    ASSERT_NE(found, got.skin_markers.end());
    EXPECT_EQ(found->o, marker.o);
    EXPECT_EQ(found->fixed, marker.fixed);
    EXPECT_EQ(found->body, marker.body);
  }
  // Rows of contacts as RBDL reads them.
  const LuaValue* sets = read.table.find("constraint_sets");
  ASSERT_TRUE(sets);
  ASSERT_TRUE(sets->find("ForefootRightFlatLeft"));
  EXPECT_EQ(sets->find("ForefootRightFlatLeft")->list.size(), 11U);
  EXPECT_EQ(read.table.find("parameters")->find("ThighRightLength")->number,
            -made.joints[2].begin.frame.o[2].number);
}

}  // namespace
}  // namespace parfait::io::lua_model_test
