#pragma once

#include "parfait/integrate/driver/integrator.h"
#include "parfait/result/simulation.h"
#include "parfait/run/job/model.h"
#include "parfait/run/simulation/monitor.h"
#include "parfait/run/simulation/partition_watch.h"
#include "parfait/run/simulation/recorder.h"
#include "parfait/run/simulation/simulation_plan.h"
#include "parfait/run/simulation/start_state.h"

namespace parfait::run {

/// Everything that took part in a simulation, when it is over.
struct SimulationParts {
  const Model& model;
  const SimulationPlan& plan;
  const StartState& start;
  const integrate::State& end;
  const integrate::Result& integration;
  const Recorder& recorder;
  const Monitor& monitor;
  const PartitionWatch* partition;  ///< null: not a mechanism
};

/// What was found.
result::Simulation make_result(const SimulationParts& parts);

}  // namespace parfait::run
