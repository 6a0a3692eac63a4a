#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// How many shooting intervals an experiment gets, and why.
struct IntervalChoice {
  std::string experiment;
  int intervals = 1;
  Grid::Nodes nodes = Grid::Nodes::kIntegrate;
  double growth = 0;     ///< of a change of a node within its interval, at most
  double deviation = 0;  ///< largest |model - measured| of the first guess, in ranges of its column
  std::string why{};     ///< none was good enough: what was wrong with the last
  /// "run1: 8 intervals, nodes from measurements; errors grow by 35 within one"
  std::string text() const;
};

/// Gives every dynamic experiment the smallest number of intervals (1, 2, 4, ...) with which errors
/// stay small at the first guess: all intervals can be integrated, a change of a node grows by less
/// than 100 within its interval, and the model stays within half the range of each measured column.
/// More than one begin at measured states: columns that observe a state give it, otherwise nodes
/// are projected onto what was measured. Where nothing is good enough, the grid is the one with the
/// smallest deviation, and stays what it was if nothing can be integrated at all.
std::vector<IntervalChoice> choose_intervals(Problem& problem);

}  // namespace parfait::estimate
