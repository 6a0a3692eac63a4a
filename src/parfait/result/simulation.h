#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parfait/result/scene.h"
#include "parfait/result/table.h"
#include "parfait/result/verdict.h"

namespace parfait::result {

/// A switching function that passed zero.
struct Event {
  double t = 0;  ///< [s]
  std::string name;
  bool jumped = false;  ///< the state jumped
  int mode = 0;         ///< sign of the switching function afterwards
  bool operator==(const Event&) const = default;
};

/// What a simulation was asked to do, completed by the model file and by defaults.
struct SimulationOptions {
  struct Tolerance {
    double rtol = 0, atol = 0;
    bool operator==(const Tolerance&) const = default;
  };
  std::string integrator;
  double until = 0;            ///< [s]
  std::optional<double> step;  ///< between rows of the trajectory [s]; none: a row for every step
  double rtol = 0, atol = 0;
  std::optional<Tolerance> positions, velocities, states;  ///< where a group has its own
  std::optional<double> first_step, max_step;              ///< [s]; none: chosen, no limit
  int max_steps = 0;
  std::optional<int> max_order;     ///< abm, bdf
  std::optional<double> hht_alpha;  ///< hht
  std::string projection;           ///< norm: "mass", "euclidean", "partition"
  double projection_tolerance = 0;
  bool control_sensitivities = false;
  bool settle = false;  ///< begun at rest in a static equilibrium
  std::vector<std::string> observe, sensitivity;
  bool operator==(const SimulationOptions&) const = default;
};

/// What an integration cost.
struct IntegrationWork {
  std::int64_t steps = 0, rejected = 0;
  std::int64_t evaluations = 0;            ///< of the right-hand side
  std::int64_t direction_evaluations = 0;  ///< of its directions, all of them counted as one
  std::int64_t projections = 0;
  std::int64_t factorizations = 0;             ///< of Newton matrices (bdf, hht)
  double smallest_step = 0, largest_step = 0;  ///< [s]
  /// Multistep methods: how many steps had order 1, 2, ...
  std::optional<std::map<int, std::int64_t>> steps_of_order;
  bool operator==(const IntegrationWork&) const = default;
};

/// The search for a static equilibrium at the start.
struct Settled {
  std::string outcome;  ///< "found", "max_iterations", "no_equilibrium", "stuck", "system_failed"
  std::string message;
  int iterations = 0;
  double moved = 0;                  ///< largest change of a coordinate or state
  double residual = 0;               ///< largest acceleration or rate that is left
  double growth = 0;                 ///< largest real part of an eigenvalue [1/s]
  std::vector<std::string> neutral;  ///< states along which nothing happens

  bool found() const { return outcome == "found"; }
  bool operator==(const Settled&) const = default;
};

/// How well what should not change was kept.
struct Drift {
  struct Constraints {
    double largest = 0;           ///< largest |g|
    double correction = 0;        ///< largest by the projection, in its norm
    double start_correction = 0;  ///< of the initial state
    bool operator==(const Constraints&) const = default;
  };
  struct Energy {
    double largest = 0;   ///< largest change [J]
    double relative = 0;  ///< as a part of the largest kinetic energy; 0 if nothing moves
    bool operator==(const Energy&) const = default;
  };
  std::optional<Constraints> constraints;  ///< systems with invariants
  std::optional<Energy> energy;            ///< mechanics
  bool operator==(const Drift&) const = default;
};

/// Redundant rows of a mechanism with loops (docs/theory/partitioning.md).
struct Partition {
  struct Choice {
    double t = 0;  ///< from here on [s]
    std::vector<std::string> left_out;
    bool operator==(const Choice&) const = default;
  };
  struct Worst {
    std::string row;
    double t = 0;  ///< [s]
    bool operator==(const Worst&) const = default;
  };
  double rank_tolerance = 0;
  std::vector<Choice> choices;  ///< the first and every change
  double largest_residual = 0;  ///< acceleration that a row left out is off by
  std::optional<Worst> worst;   ///< where that was
  bool operator==(const Partition&) const = default;
};

struct Energy {
  double initial = 0;          ///< total [J]
  double largest_kinetic = 0;  ///< [J]
  bool operator==(const Energy&) const = default;
};

/// Where a simulation stopped that did not get to its end.
struct LastState {
  double t = 0;               ///< [s]
  std::vector<NamedValue> y;  ///< NaN: undefined there
  std::vector<double> z;      ///< algebraic states
  std::vector<int> mode;      ///< signs of the switching functions
  bool operator==(const LastState&) const = default;
};

/// The unit of a column of the trajectory.
struct ColumnUnit {
  std::string column, unit;
  bool operator==(const ColumnUnit&) const = default;
};

/// A simulation: result.json. The trajectory lies beside it.
struct Simulation {
  Verdict verdict;
  std::string model;      ///< file
  double t = 0;           ///< reached [s]
  std::int64_t rows = 0;  ///< of the trajectory
  IntegrationWork work;
  std::optional<Settled> equilibrium;  ///< if it was to settle
  std::vector<Event> events;
  Drift drift;
  std::optional<Assembly> assembly;    ///< mechanics
  std::optional<Partition> partition;  ///< mechanisms with loops
  std::optional<Energy> energy;        ///< mechanics
  SimulationOptions options;
  std::vector<NamedValue> parameters;
  std::optional<LastState> last_state;  ///< if it is partial
  std::vector<ColumnUnit> units;        ///< of the columns of the trajectory, where they are known
  std::vector<MotionFiles> motions;     ///< mechanics: arrays that lie beside, one or none
  bool operator==(const Simulation&) const = default;
};

}  // namespace parfait::result
