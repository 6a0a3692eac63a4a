#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/design/design.h"
#include "parfait/result/design.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/run_folder.h"

/// The design of experiments: from what is asked for to what was found.
namespace parfait::run {

struct DesignRequest {
  std::string file;             ///< <design>
  std::string criterion{};      ///< instead of that of the file
  std::optional<int> starts{};  ///< likewise
  std::filesystem::path out{};  ///< where save() will write
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct DesignRun {
  result::Design result;
  result::DesignTables tables;
  result::Timing timing;
  estimate::Problem next;  ///< what was known and what is to be measured
  /// Models with designed inputs, by the names that `next` uses.
  struct ModelFile {
    std::string name, source;
    std::vector<dynamics::Input> inputs;
  };
  std::vector<ModelFile> models;
  std::shared_ptr<FolderClaim> claim{};

  bool complete() const { return !result.verdict.partial; }
};

/// InputError if the request or the design makes no sense.
DesignRun design(const DesignRequest& request, const Callbacks& callbacks = {});

/// The page a person looks at, as `save` writes it.
std::string report_page(const DesignRun& run);
/// result.json, samples.csv, inputs.csv, information.csv, problem_next.xml with the models it
/// needs, report.html and timing.json, in one piece.
std::filesystem::path save(DesignRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
