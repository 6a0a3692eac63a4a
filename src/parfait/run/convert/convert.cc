#include "parfait/run/convert/convert.h"

#include <fmt/format.h>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/io/foreign/lua_model.h"
#include "parfait/io/foreign/urdf.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/text/text_file.h"
#include "parfait/mechanism/checks/check_description.h"

namespace parfait::run {
namespace {

std::string ending_of(const std::string& file) {
  return std::filesystem::path(file).extension().string();
}

std::string contents_of(const mechanism::Description& d) {
  std::int64_t coordinates = 0;
  for (const auto& joint : d.joints) {
    coordinates += static_cast<std::int64_t>(joint.motion.coordinates.size());
  }
  const auto size = [](const auto& items) { return static_cast<std::int64_t>(items.size()); };
  return fmt::format("{}, {}, {}, {}", base::counted(size(d.bodies), "body", "bodies"),
                     base::counted(size(d.joints), "joint", "joints"),
                     base::counted(coordinates, "named coordinate", "named coordinates"),
                     base::counted(size(d.skin_markers), "skin marker", "skin markers"));
}

}  // namespace

ConvertRun convert(const ConvertRequest& request) {
  const std::string from = ending_of(request.from), to = ending_of(request.to);
  if (from != ".urdf" && (request.keep_fixed || request.floating)) {
    throw base::InputError({request.from}, "--keep-fixed and --floating are for robots (.urdf).");
  }
  ConvertRun run;
  mechanism::Description description;
  if (from == ".urdf") {
    description = io::read_urdf(std::filesystem::path(request.from),
                                {.keep_fixed = request.keep_fixed, .floating = request.floating});
  } else {
    auto model = io::read_any_model(request.from);
    if (!std::holds_alternative<mechanism::Description>(model)) {
      throw base::InputError({request.from}, "only mechanisms can be converted.");
    }
    description = std::get<mechanism::Description>(std::move(model));
  }
  run.left_out = mechanism::check(description);
  run.contents = contents_of(description);
  if (to == ".xml") {
    run.text = io::model_text(io::moved_model(description, request.to));
    // What we wrote is what we had.
    static_cast<void>(mechanism::check(io::read_model_text(run.text, request.to)));
  } else if (to == from && from == ".lua") {
    run.text = io::lua_model_text(io::read_lua_model(std::filesystem::path(request.from)));
    run.left_out.clear();
  } else if (to == from) {
    run.text = io::read_text_file(request.from);
    run.left_out.clear();
  } else {
    throw base::InputError(
        {request.to}, fmt::format("a model cannot be written as \"{}\": .xml, or the format it "
                                  "comes in ({}).",
                                  to, from));
  }
  return run;
}

void save(const ConvertRun& run, const std::filesystem::path& file) {
  io::write_text_file(file, run.text);
}

}  // namespace parfait::run
