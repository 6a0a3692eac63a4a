#include <fmt/format.h>

#include <cstdio>

#include "command.h"
#include "interrupt.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/batch.h"
#include "parfait/run/summary/people_text.h"
#include "run_names.h"
#include "saving.h"

// parfait batch: many subjects by one command.
namespace parfait::app {
namespace {

int batch(const run::BatchRequest& request, const GlobalOptions& global) {
  const bool tells = !global.json && !global.quiet;
  run::Callbacks callbacks;
  callbacks.on_ready = InterruptWatch::begin;
  callbacks.stop = InterruptWatch::requested;
  auto run = run::batch(request, callbacks, [&](const result::BatchSubject& subject) {
    if (!tells) return;
    fmt::print("{}", run::subject_text(subject));
    std::fflush(stdout);
  });
  const auto target = request.out / "summary";
  const auto folder = save_or_tell(target, [&] { return run::save(run, target); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (tells && folder) {
    fmt::print("table and report of all in {}\n", folder->string());
  }
  return folder && !run.result.verdict.partial ? kDone : kNotFinished;
}

}  // namespace

Command add_batch(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "batch", "many subjects: a folder each with its trials; calibrate or ik for every one");
  auto request = std::make_shared<run::BatchRequest>();
  auto out = std::make_shared<std::string>();
  auto work = std::make_shared<std::string>("calibrate");
  auto& own = request->calibrate;
  parser->add_option("folder", request->folder, "one folder per subject, with C3D and TRC files")
      ->required()
      ->type_name("FOLDER");
  parser->add_option("--model", request->model, "for subjects without an .osim file of their own")
      ->type_name("MODEL");
  parser->add_option("--work", *work, "what to do with each")
      ->check(CLI::IsMember({"calibrate", "ik"}))
      ->type_name("calibrate|ik");
  parser->add_option("--priors", own.priors, "of calibrate: file or none")->type_name("FILE|none");
  parser->add_option("--frames", own.max_frames, "of calibrate: at most so many frames (300)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  parser->add_option("--weights", own.tasks, "weights of markers: OpenSim's task set or setup")
      ->type_name("FILE");
  parser->add_option("--weight", own.weights, "weight of a marker, 1 otherwise")
      ->type_name("MARKER=W");
  parser->add_flag("--relabel", own.reading.relabel, "repair labels that were exchanged");
  parser->add_option("--threads", own.threads, "number of threads (all cores)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  parser->add_option("--out", *out, "folder for the results (run/<folder>_batch)")
      ->type_name("DIR");
  return {parser, [=, &global] {
            request->poses_only = *work == "ik";
            request->out =
                out->empty() ? run_folder_of("", request->folder).string() + "_batch" : *out;
            request->arguments = global.arguments;
            return batch(*request, global);
          }};
}

}  // namespace parfait::app
