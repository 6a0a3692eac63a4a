#pragma once

#include <string>

#include "loaded_model.h"
#include "monitor.h"
#include "parfait/integrate/integrator.h"
#include "parfait/io/csv.h"
#include "partition_watch.h"
#include "run_folder.h"
#include "simulate_request.h"
#include "start_state.h"

namespace parfait::app {

/// How a simulation ended.
struct Verdict {
  std::string status;  ///< one word: that of the integration, or "not_settled"
  std::string message;
  bool finished = false;
};

/// A simulation that is over.
struct Simulation {
  const LoadedModel& model;
  const SimulatePlan& plan;
  const StartState& start;
  const integrate::State& end;
  const integrate::Result& result;
  const Monitor& monitor;
  const PartitionWatch* partition;  ///< null: not a mechanism
  const io::CsvTable& table;
  Verdict verdict;
};

/// result.json: the same bytes for the same input.
Json as_json(const Simulation& simulation);

/// What a person sees; `seconds` is the time it took.
void print(const Simulation& simulation, double seconds);

}  // namespace parfait::app
