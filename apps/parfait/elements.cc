#include <fmt/format.h>

#include "command.h"
#include "elements_text.h"
#include "parfait/io/results/elements_json.h"

// parfait elements: everything a model may name.
namespace parfait::app {
Command add_elements(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "elements", "list every joint, constraint, force and event, what can be observed and driven");
  return {parser, [&global] {
            if (global.json) {
              fmt::print("{}", io::elements_text(mechanism::registry()));
            } else if (!global.quiet) {
              print_elements(mechanism::registry());
            }
            return kDone;
          }};
}

}  // namespace parfait::app
