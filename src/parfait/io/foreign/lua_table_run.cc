#include <fmt/format.h>
#include <lua.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <tuple>

#include "parfait/base/error.h"
#include "parfait/io/foreign/lua_table.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

// A program of somebody else, in a box. Lua reports errors by jumping out of C functions, so
// nothing that it calls back here keeps an object with a destructor across such a jump.
namespace parfait::io {
namespace lua_box {
namespace {

constexpr int kInstructionsPerLook = 200;
constexpr int kDeepest = 100;
constexpr std::size_t kLongestModule = 16U << 20U;

struct Chunk {
  std::string file, text;
};

struct Box {
  LuaLimits limits;
  std::filesystem::path folder;
  std::size_t bytes = 0;
  long long instructions = 0;
  double start = 0;
  std::vector<Chunk> chunks;      ///< number i is known to Lua as chunk "i"
  const char* stopped = nullptr;  ///< by which limit
};

double seconds_of_processor() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void* allocate(void* data, void* old, std::size_t old_size, std::size_t size) {
  auto& box = *static_cast<Box*>(data);
  const std::size_t before = old ? old_size : 0;
  if (size == 0) {
    std::free(old);  // NOLINT(cppcoreguidelines-no-malloc): Lua asks for realloc
    box.bytes -= before;
    return nullptr;
  }
  if (size > before && box.bytes - before + size > box.limits.bytes) return nullptr;
  void* got = std::realloc(old, size);  // NOLINT(cppcoreguidelines-no-malloc)
  if (got) box.bytes = box.bytes - before + size;
  return got;
}

Box& box_of(lua_State* L) {
  void* data = nullptr;
  lua_getallocf(L, &data);
  return *static_cast<Box*>(data);
}

/// Once a limit is passed it is passed at every further instruction, so that no pcall survives it.
void look(lua_State* L, lua_Debug* /*where*/) {
  Box& box = box_of(L);
  box.instructions += kInstructionsPerLook;
  const bool too_many = box.instructions > box.limits.instructions;
  const bool too_long =
      box.stopped != nullptr || (box.instructions % (100 * kInstructionsPerLook) == 0 &&
                                 seconds_of_processor() - box.start > box.limits.seconds);
  if (!too_many && !too_long) return;
  if (!box.stopped) box.stopped = too_many ? "instructions" : "seconds";
  lua_sethook(L, look, LUA_MASKCOUNT, 1);
  luaL_where(L, 0);
  lua_pushliteral(L, "stopped");
  lua_concat(L, 2);
  lua_error(L);
}

/// Number of the chunk with a module's text; -1 and a message in `error` if there is none.
int find_module(Box& box, const char* name, char* error, std::size_t size) noexcept {
  const auto say = [&](const std::string& text) {
    std::strncpy(error, text.c_str(), size - 1);
    error[size - 1] = 0;
    return -1;
  };
  try {
    const std::string word = name;
    const bool fits = !word.empty() && word.size() < 200 && word.find("..") == std::string::npos &&
                      word[0] != '/' && word.find('\\') == std::string::npos;
    if (!fits) return say(fmt::format("require \"{}\": only files in the model's folder.", word));
    std::string relative = word;
    if (relative.ends_with(".lua")) relative.resize(relative.size() - 4);
    std::replace(relative.begin(), relative.end(), '.', '/');
    std::error_code failed;
    const auto base = std::filesystem::canonical(
        box.folder.empty() ? std::filesystem::path(".") : box.folder, failed);
    const auto path = failed ? std::filesystem::path()
                             : std::filesystem::canonical(base / (relative + ".lua"), failed);
    if (failed || !std::filesystem::is_regular_file(path, failed)) {
      return say(fmt::format("require \"{}\": there is no file {}.lua in the model's folder.", word,
                             relative));
    }
    const auto inside = std::mismatch(base.begin(), base.end(), path.begin(), path.end());
    if (inside.first != base.end()) {
      return say(fmt::format("require \"{}\": only files in the model's folder.", word));
    }
    if (std::filesystem::file_size(path, failed) > kLongestModule || failed) {
      return say(fmt::format("require \"{}\": the file is too long.", word));
    }
    box.chunks.push_back({(box.folder / (relative + ".lua")).string(), read_text_file(path)});
    return static_cast<int>(box.chunks.size()) - 1;
  } catch (const std::exception& e) {
    return say(e.what());
  }
}

void load_chunk(lua_State* L, int number) {
  const Chunk& chunk = box_of(L).chunks[static_cast<std::size_t>(number)];
  char name[32];
  std::snprintf(name, sizeof name, "=%d", number);
  if (luaL_loadbufferx(L, chunk.text.data(), chunk.text.size(), name, "t") != LUA_OK) lua_error(L);
}

/// require(name): the value that the file returns, once. Upvalue 1: what was loaded before.
int require(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) {
    if (lua_islightuserdata(L, -1)) {
      return luaL_error(L, "require \"%s\": the file requires itself.", name);
    }
    return 1;
  }
  char error[400];
  const int number = find_module(box_of(L), name, error, sizeof error);
  if (number < 0) return luaL_error(L, "%s", error);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, &box_of(L));
  lua_rawset(L, lua_upvalueindex(1));
  load_chunk(L, number);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
  }
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, lua_upvalueindex(1));
  return 1;
}

/// What is left of the libraries: nothing that reaches outside, and nothing whose loops in C are
/// not counted as instructions.
constexpr char kPrelude[] = R"lua(
local type, tostring, error, next0, select = type, tostring, error, next, select
local sort, rep, gsub = table.sort, string.rep, string.gsub
for _, name in ipairs({"dofile", "loadfile", "load", "print", "warn", "collectgarbage", "setmetatable",
                       "getmetatable", "rawlen", "_G"}) do _ENV[name] = nil end
table.move = nil
string.dump = nil
print = function() end

local function before(a, b)
  local x, y = type(a), type(b)
  if x ~= y then return x < y end
  if x == "number" or x == "string" then return a < b end
  return tostring(a) < tostring(b)
end
local function keys(t)
  local found = {}
  for key in next0, t do found[#found + 1] = key end
  sort(found, before)
  return found
end
pairs = function(t)
  if type(t) ~= "table" then error("pairs needs a table, not a " .. type(t), 2) end
  local found, i = keys(t), 0
  return function()
    repeat i = i + 1 until found[i] == nil or t[found[i]] ~= nil
    if found[i] ~= nil then return found[i], t[found[i]] end
  end, t, nil
end
next = function(t, key)
  if type(t) ~= "table" then error("next needs a table, not a " .. type(t), 2) end
  local found = keys(t)
  if key == nil then
    if found[1] ~= nil then return found[1], t[found[1]] end
    return nil
  end
  for i = 1, #found do
    if found[i] == key then
      if found[i + 1] ~= nil then return found[i + 1], t[found[i + 1]] end
      return nil
    end
  end
  error("next: there is no such key", 2)
end

string.rep = function(s, n, separator)
  s, separator = tostring(s), tostring(separator or "")
  if type(n) ~= "number" then error("string.rep needs a number", 2) end
  if n > 1e6 or n * (#s + #separator) > 1e7 then error("string.rep: too long", 2) end
  return rep(s, n // 1, separator)
end
-- A pattern with k repetitions may look at a text of n letters n^(k+1) times.
local function check(s, pattern)
  s, pattern = tostring(s), tostring(pattern)
  local _, repeats = gsub(pattern, "[%*%+%-b]", "")
  local cost = (#s + 1.0) * (#pattern + 1.0)
  for _ = 1, repeats do cost = cost * (#s + 1.0) end
  if cost > 1e8 then error("this pattern could take too long on a text of " .. #s .. " letters", 3) end
end
for _, name in ipairs({"find", "match", "gmatch", "gsub"}) do
  local plain = string[name]
  string[name] = function(s, pattern, ...) check(s, pattern) return plain(s, pattern, ...) end
end
local seed = math.randomseed
math.randomseed = function(x) seed(type(x) == "number" and x // 1 or 0) end
seed(0)
)lua";

/// Everything that Lua does, protected. Gives what the program returns.
int run_all(lua_State* L) {
  luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
  luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
  luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
  luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
  lua_settop(L, 0);
  if (luaL_loadbufferx(L, kPrelude, sizeof kPrelude - 1, "=prelude", "t") != LUA_OK) lua_error(L);
  lua_call(L, 0, 0);
  lua_newtable(L);
  lua_pushcclosure(L, require, 1);
  lua_setglobal(L, "require");
  lua_sethook(L, look, LUA_MASKCOUNT, kInstructionsPerLook);
  load_chunk(L, 0);
  lua_call(L, 0, 1);
  lua_sethook(L, nullptr, 0, 0);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_getglobal(L, "model");
  }
  return 1;
}

/// Nothing here makes Lua allocate, so nothing jumps.
class Converter {
 public:
  Converter(lua_State* L, const Box& box) : L_(L), box_(box) {}

  /// What is on top of the stack.
  LuaValue convert(int depth) {
    if (depth > kDeepest) {
      throw base::InputError({box_.chunks[0].file},
                             "the tables are nested more than 100 deep: does one contain itself?");
    }
    if (++count_ > box_.limits.values) {
      throw base::InputError({box_.chunks[0].file},
                             fmt::format("the model has more than {} values.", box_.limits.values));
    }
    LuaValue out;
    switch (lua_type(L_, -1)) {
      case LUA_TBOOLEAN:
        out.kind = LuaValue::Kind::kBoolean;
        out.boolean = lua_toboolean(L_, -1) != 0;
        break;
      case LUA_TNUMBER:
        out.kind = LuaValue::Kind::kNumber;
        out.number = lua_tonumber(L_, -1);
        break;
      case LUA_TSTRING: {
        std::size_t size = 0;
        const char* text = lua_tolstring(L_, -1, &size);
        out.kind = LuaValue::Kind::kString;
        out.text.assign(text, size);
        break;
      }
      case LUA_TTABLE:
        out.kind = LuaValue::Kind::kTable;
        convert_table(out, depth);
        break;
      default:
        break;  // a function: not a value
    }
    return out;
  }

 private:
  void convert_table(LuaValue& out, int depth) {
    if (!lua_checkstack(L_, 4)) throw base::InputError("the model needs too much memory.");
    const auto length = static_cast<lua_Integer>(lua_rawlen(L_, -1));
    for (lua_Integer i = 1; i <= length; ++i) {
      lua_rawgeti(L_, -1, i);
      out.list.push_back(convert(depth + 1));
      lua_pop(L_, 1);
    }
    // A function at the end of a list is no value: written as nil it would be gone when read again.
    while (!out.list.empty() && out.list.back().is_nil()) out.list.pop_back();
    lua_pushnil(L_);
    while (lua_next(L_, -2) != 0) {
      add_field(out, length, depth);
      lua_pop(L_, 1);
    }
    std::sort(out.fields.begin(), out.fields.end(), [](const LuaField& a, const LuaField& b) {
      return std::tie(a.is_number, a.name) < std::tie(b.is_number, b.name);
    });
  }

  /// The key below the value.
  void add_field(LuaValue& out, lua_Integer length, int depth) {
    LuaField field;
    if (lua_type(L_, -2) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(L_, -2, &size);
      field.name.assign(text, size);
    } else if (lua_type(L_, -2) == LUA_TNUMBER) {
      if (lua_isinteger(L_, -2)) {
        const lua_Integer key = lua_tointeger(L_, -2);
        if (key >= 1 && key <= length) return;
        field.name = std::to_string(key);
      } else {
        field.name = number_text(lua_tonumber(L_, -2));
      }
      field.is_number = true;
    } else {
      return;
    }
    field.value = convert(depth + 1);
    if (!field.value.is_nil()) out.fields.push_back(std::move(field));
  }

  lua_State* L_;
  const Box& box_;
  std::size_t count_ = 0;
};

/// "3:12: text" is line 12 of chunk 3.
[[noreturn]] void fail(const Box& box, const std::string& message, bool no_memory) {
  std::string text = message;
  base::Place place{box.chunks[0].file, 0, 0};
  int chunk = 0, line = 0, used = 0;
  if (std::sscanf(message.c_str(), "%d:%d: %n", &chunk, &line, &used) == 2 && used > 0 &&
      chunk >= 0 && chunk < static_cast<int>(box.chunks.size())) {
    place = {box.chunks[static_cast<std::size_t>(chunk)].file, line, 0};
    text = message.substr(static_cast<std::size_t>(used));
  }
  const auto& limits = box.limits;
  if (box.stopped == nullptr && !no_memory) {
    throw base::InputError(place, fmt::format("Lua: {}{}", text, text.ends_with(".") ? "" : "."));
  }
  const std::string why = no_memory ? "memory" : box.stopped;
  throw base::InputError(
      place,
      why == "memory"
          ? fmt::format("the program was stopped: it needs more than {} MB.", limits.bytes >> 20U)
      : why == "seconds"
          ? fmt::format("the program was stopped after {:g} s.", limits.seconds)
          : fmt::format("the program was stopped after {} instructions.", limits.instructions));
}

struct CloseState {
  void operator()(lua_State* L) const { lua_close(L); }
};

}  // namespace
}  // namespace lua_box

LuaValue run_lua(std::string_view text, const std::string& file_name,
                 const std::filesystem::path& folder, const LuaLimits& limits) {
  using lua_box::Box;
  Box box;
  box.limits = limits;
  box.folder = folder;
  box.chunks.reserve(1000);
  box.chunks.push_back({file_name, std::string(text)});
  box.start = lua_box::seconds_of_processor();
  const std::unique_ptr<lua_State, lua_box::CloseState> state(
      lua_newstate(lua_box::allocate, &box));
  if (!state) throw base::InputError({file_name}, "there is no memory for Lua.");
  lua_State* L = state.get();
  lua_pushcfunction(L, lua_box::run_all);
  const int status = lua_pcall(L, 0, 1, 0);
  if (status != LUA_OK) {
    std::size_t size = 0;
    const char* message =
        lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : "an error without a text";
    lua_box::fail(box, message, status == LUA_ERRMEM);
  }
  return lua_box::Converter(L, box).convert(0);
}

}  // namespace parfait::io
