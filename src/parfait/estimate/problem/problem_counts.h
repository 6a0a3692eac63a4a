#pragma once

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// How large an experiment is, for people and for checks.
struct ExperimentCounts {
  int rows = 0;          ///< of the data
  int measurements = 0;  ///< cells of observed columns that are not empty
  int nodes = 0;         ///< of the shooting grid; algebraic: 0
  int node_states = 0;   ///< unknown at nodes: free initial states, all later ones, algebraic ones
  int row_unknowns = 0;  ///< algebraic: unknowns of single rows
  int locals = 0;
  int unknowns() const { return node_states + row_unknowns + locals; }
};
ExperimentCounts count(const ExperimentDescription& experiment);

/// Initial states that are estimated, with or without a prior.
int num_free_initial(const ExperimentDescription& experiment);

/// There is a parameter or an initial state to be estimated.
bool estimates_anything(const Problem& problem);

}  // namespace parfait::estimate
