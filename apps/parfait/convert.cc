#include <fmt/format.h>

#include "command.h"
#include "parfait/run/convert/convert.h"

// parfait convert: a model file in another format.
namespace parfait::app {
namespace {

int convert(const run::ConvertRequest& request, const GlobalOptions& global) {
  const auto run = run::convert(request);
  run::save(run, request.to);
  if (global.json) fmt::print("{{\"model\": \"{}\"}}\n", request.to);
  if (global.json || global.quiet) return kDone;
  fmt::print("{}: {}\n", request.to, run.contents);
  for (const auto& text : run.left_out) fmt::print("  {}\n", text);
  return kDone;
}

}  // namespace

Command add_convert(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "convert", "write a model of OpenSim, URDF or LuaModel as a model file (.xml)");
  auto request = std::make_shared<run::ConvertRequest>();
  parser->add_option("from", request->from, "model file (.osim, .urdf, .lua, .xml)")
      ->required()
      ->type_name("FROM");
  parser->add_option("to", request->to, "new file (.xml, or as it came)")
      ->required()
      ->type_name("TO");
  parser->add_flag("--keep-fixed", request->keep_fixed,
                   "links of a URDF on fixed joints stay bodies instead of being merged");
  parser->add_flag("--floating", request->floating,
                   "the root link of a URDF floats instead of being the ground");
  return {parser, [request, &global] { return convert(*request, global); }};
}

}  // namespace parfait::app
