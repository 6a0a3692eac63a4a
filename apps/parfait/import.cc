#include <fmt/format.h>

#include "command.h"
#include "parfait/base/error.h"
#include "parfait/io/petab/petab.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/import/motion_import.h"
#include "parfait/run/import/petab_import.h"
#include "run_names.h"
#include "saving.h"

// parfait import: what is in a motion file and what is odd about it, and its contents as CSV.
namespace parfait::app {
namespace {

void print_row(const std::string& what, const std::string& text) {
  fmt::print("  {:<16}{}\n", what, text);
}

template <class Item, class Name>
std::string listed(const std::vector<Item>& items, Name name) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(name(item));
  return fmt::format("{}: {}", items.size(), base::listing(names));
}

void print_trial(const result::TrialFacts& trial) {
  print_row("frames",
            fmt::format("{} from number {}, {:g} per second, {:g} to {:g} s", trial.frames,
                        trial.first_frame, trial.rate, trial.start, trial.end));
  const auto name = [](const auto& item) { return item.name; };
  if (!trial.markers.empty()) {
    const auto positions = static_cast<double>(trial.frames * trial.markers.size());
    print_row("markers", fmt::format("{}: {}", trial.markers.size(), base::listing(trial.markers)));
    print_row("missing", fmt::format("{} positions ({:.1f} %)", trial.missing,
                                     100 * static_cast<double>(trial.missing) / positions));
    print_row("unit", fmt::format("{} ({})", trial.unit_of_file, trial.unit_reason));
    print_row("up", trial.up == "unknown" ? "not known"
                                          : fmt::format("{} ({})", trial.up, trial.up_reason));
  }
  if (!trial.outputs.empty()) print_row("model outputs", listed(trial.outputs, name));
  if (!trial.channels.empty()) {
    print_row("analog channels", fmt::format("at {:g} per second, {}", trial.analog_rate,
                                             listed(trial.channels, name)));
  }
  for (std::size_t i = 0; i < trial.plates.size(); ++i) {
    const auto& plate = trial.plates[i];
    print_row(fmt::format("force plate {}", i + 1),
              fmt::format("type {}, {}", plate.type,
                          plate.has_wrench ? "wrench on the subject in lab axes" : "no wrench"));
  }
  if (!trial.events.empty()) {
    print_row("events", listed(trial.events, [](const result::TrialFacts::Event& event) {
                return fmt::format("{}{}{} {:g} s", event.context, event.context.empty() ? "" : " ",
                                   event.label, event.t);
              }));
  }
}

void print_table(const result::TableFacts& table) {
  print_row("rows", fmt::format("{}, {:g} to {:g} s", table.rows, table.start, table.end));
  print_row("columns", fmt::format("{}: {}", table.columns.size(), base::listing(table.columns)));
  print_row("angles", table.angles + (table.angles_stated ? "" : " (the file does not say)"));
}

int import(const run::MotionImportRequest& request, const GlobalOptions& global) {
  auto run =
      io::is_petab_file(request.file) ? run::import_petab(request) : run::import_motion(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  const auto& result = run.result;
  if (global.json) {
    fmt::print("{}", io::result_text(result));
  } else if (!global.quiet) {
    fmt::print("{}: {}\n", result.file, result.format);
    if (result.trial) print_trial(*result.trial);
    if (result.table) print_table(*result.table);
    for (const auto& warning : result.verdict.warnings) fmt::print("  warning: {}\n", warning);
    if (folder) {
      fmt::print("results in {}: {}, result.json, timing.json\n", folder->string(),
                 base::listing(result.files));
    }
  }
  return folder ? kDone : kNotFinished;
}

}  // namespace

Command add_import(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "import",
      "tell what is in a motion file (C3D, TRC, MOT, STO, BVH, MeshUp) and write it as CSV; "
      "a problem file, model and tables from a PEtab problem (.yaml)");
  auto request = std::make_shared<run::MotionImportRequest>();
  auto out = std::make_shared<std::string>();
  parser->add_option("file", request->file, "motion file, or the .yaml of a PEtab problem")
      ->required()
      ->type_name("FILE");
  parser->add_option("--units", request->units, "unit of length, instead of what the file says")
      ->type_name("UNIT");
  parser->add_option("--axes", request->axes, "new axes from those of the file: x,z,-y")
      ->type_name("X,Y,Z");
  parser->add_option("--out", *out, "folder for the results (run/<file name>)")->type_name("DIR");
  return {parser, [request, out, &global] {
            request->out = run_folder_of(*out, request->file);
            return import(*request, global);
          }};
}

}  // namespace parfait::app
