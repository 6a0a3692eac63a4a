#include <fmt/format.h>

#include "command.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/job/report.h"

// parfait report: what a run folder holds, as a page to look at.
namespace parfait::app {
namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;
};

int report(const ReportOptions& options, const GlobalOptions& global) {
  const std::vector<std::filesystem::path> folders(options.folders.begin(), options.folders.end());
  const auto page = run::make_report(folders);
  std::filesystem::path file = options.out;
  if (file.empty()) file = folders.size() == 1 ? folders[0] / "report.html" : "comparison.html";
  io::replace_text_file(file, page);
  if (!global.quiet) fmt::print("report in {}\n", file.string());
  return kDone;
}

}  // namespace

Command add_report(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "report", "make the report of a run folder again, or compare several runs on one page");
  auto options = std::make_shared<ReportOptions>();
  parser->add_option("folders", options->folders, "run folders of `fit` or of `simulate`")
      ->type_name("DIR")
      ->required();
  parser
      ->add_option("--out", options->out,
                   "file to write (default: report.html in the folder; of several comparison.html)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  return {parser, [options, &global] { return report(*options, global); }};
}

}  // namespace parfait::app
