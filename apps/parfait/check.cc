#include <fmt/format.h>

#include <variant>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/summary/facts_text.h"

// parfait check: is the file a model or a problem, and what is in it?
namespace parfait::app {
Command add_check(CLI::App& app, const GlobalOptions& global) {
  auto* parser =
      app.add_subcommand("check", "validate a model or problem file and show what is in it");
  auto file = std::make_shared<std::string>();
  parser->add_option("file", *file, "model or problem file")->required()->type_name("FILE");
  auto coordinates = std::make_shared<std::string>();
  parser->add_option("--coordinates", *coordinates, "of mechanisms: natural or joint (natural)")
      ->type_name("NAME");
  return {parser, [file, coordinates, &global] {
            const auto facts = run::check(*file, *coordinates);
            if (global.json) {
              fmt::print("{}", std::visit([](const auto& f) { return io::facts_text(f); }, facts));
            } else if (!global.quiet) {
              fmt::print("{}", std::visit([](const auto& f) { return run::facts_text(f); }, facts));
            }
            return kDone;
          }};
}

}  // namespace parfait::app
