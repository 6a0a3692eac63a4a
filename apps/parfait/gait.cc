#include <fmt/format.h>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/gait.h"
#include "parfait/run/summary/people_text.h"
#include "run_names.h"
#include "saving.h"

// parfait gait: events, strides and curves over the cycle of walking trials.
namespace parfait::app {
namespace {

int gait(const run::GaitRequest& request, const GlobalOptions& global) {
  auto run = run::analyse_gait(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::gait_text(run, folder.value_or("")));
  }
  return folder ? kDone : kNotFinished;
}

}  // namespace

Command add_gait(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "gait", "events, gait parameters and curves over the gait cycle of walking trials");
  auto request = std::make_shared<run::GaitRequest>();
  auto out = std::make_shared<std::string>();
  parser->add_option("trials", request->trials, "files with measured markers (C3D, TRC)")
      ->required()
      ->type_name("TRIAL...");
  parser
      ->add_option("--curves", request->curves,
                   "coordinates or moments over time (MOT, STO), one file per trial, in order")
      ->type_name("FILE...");
  parser->add_option("--units", request->units, "unit of length, instead of what files say")
      ->type_name("UNIT");
  parser->add_option("--emg-filter", request->emg_cutoff, "smoothing of EMG envelopes, Hz (6)")
      ->check(CLI::PositiveNumber)
      ->type_name("HZ");
  parser->add_option("--out", *out, "folder for the results (run/<trial>_gait)")->type_name("DIR");
  return {parser, [=, &global] {
            request->out =
                out->empty() ? run_folder_of("", request->trials.front()).string() + "_gait" : *out;
            request->arguments = global.arguments;
            return gait(*request, global);
          }};
}

}  // namespace parfait::app
