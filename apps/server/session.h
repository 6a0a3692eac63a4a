#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "parfait/run/fit/fit.h"
#include "parfait/run/job/model.h"
#include "parfait/run/simulation/simulation.h"
#include "server/event_log.h"

/// What is being looked at, and what is computed meanwhile. Knows nothing of HTTP: requests arrive
/// as JSON texts and leave as texts. Paths come from the command line only.
namespace parfait::serve {

/// A request that cannot be served: an HTTP status and a sentence.
struct Problem {
  int status = 400;
  std::string message;
};

class Session {
 public:
  /// Files or folders to look at: a model, a problem, a table, run folders or a folder of them.
  /// InputError if one of them is nothing that can be shown.
  explicit Session(const std::vector<std::filesystem::path>& targets);
  ~Session();  ///< stops what is computing
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  EventLog& events() { return events_; }

  std::string session_json();
  /// The model as it stands, and where there is a run, how it moves: bytes of report::web_data.
  std::string model_block();
  std::string run_block(const std::string& id);
  std::string run_table(const std::string& id);
  std::string run_report(const std::string& id);
  /// How the bodies move at the present point of a fit; nothing of them before the first.
  std::string job_block(const std::string& id);

  /// {"kind": "simulate", "until": 5, "step": 0.01, "set": {"k": 3}} or {"kind": "fit", …}: gives
  /// {"id": "j1"}. At most four wait.
  std::string start_job(const std::string& request);
  /// Cancels; what was found until then stays.
  void cancel_job(const std::string& id);
  void cancel_all();

  /// Looks whether files changed on disk; reads them again if so.
  void look_at_files();

 private:
  struct Run {
    std::string id, name, kind;  ///< kind: "simulate", "fit", "table"
    std::filesystem::path folder;
    std::shared_ptr<const run::SimulationRun> simulation;
    std::shared_ptr<const run::FitRun> fit;
    std::optional<result::Table> table;
  };
  struct Job {
    std::string id;
    std::string request;
    std::atomic<bool> stop = false;
    std::string block{};  ///< of a fit that works: web_data of its motion
    bool over = false;
    std::int64_t begun = 0;  ///< the last event before it
  };

  void add_target(const std::filesystem::path& target);
  void read_file();
  void work();
  void compute(Job& job);
  std::string simulate(Job& job, const run::SimulationRequest& request);
  std::string fit(Job& job, const run::FitRequest& request);
  Run find_run(const std::string& id) const;
  std::string add_run(Run run);

  mutable std::mutex mutex_;
  std::filesystem::path file_;  ///< the model or problem; empty: only runs
  std::string file_kind_;       ///< "model", "problem", ""
  std::optional<run::Model> model_;
  std::string fault_;  ///< why the file, as it is now, cannot be read
  std::map<std::filesystem::path, std::filesystem::file_time_type> watched_;
  std::vector<Run> runs_;
  std::vector<std::shared_ptr<Job>> jobs_;
  int last_run_ = 0, last_job_ = 0;
  EventLog events_;
  std::condition_variable job_added_;
  bool closing_ = false;
  std::thread worker_;
};

}  // namespace parfait::serve
