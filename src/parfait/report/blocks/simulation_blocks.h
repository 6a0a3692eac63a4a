#pragma once

#include <string>
#include <vector>

#include "parfait/report/html/frame.h"
#include "parfait/report/html/html.h"
#include "parfait/result/simulation.h"

/// The parts of a simulation's report.
namespace parfait::report {

struct SimulationView {
  const result::Simulation& simulation;
  const result::Table& trajectory;
  const result::Table& steps;

  const std::vector<double>& time() const;  ///< empty if there are no rows
  std::string unit(int column) const;       ///< empty: not known
};

std::vector<Remark> simulation_remarks(const SimulationView& view);
Html simulation_verdict(const SimulationView& view, const std::vector<Remark>& remarks);
Html quantities_block(const SimulationView& view);
Html invariants_block(const SimulationView& view);
Html events_block(const SimulationView& view);
Html steps_block(const SimulationView& view);
Html sensitivities_block(const SimulationView& view);
Html simulation_origin(const SimulationView& view);

/// Columns of a trajectory that belong into one plot: the components of a vector (`Load.com.x`,
/// `.y`,
/// `.z`), or one alone.
struct ColumnGroup {
  std::string name;  ///< what they have in common: "Load.com"
  std::vector<int> columns;
  std::vector<std::string> labels;  ///< "x", "y", "z"
};
/// Of all columns but the first (time), energies and sensitivities.
std::vector<ColumnGroup> quantity_groups(const SimulationView& view);
/// Derivatives of one quantity with respect to all parameters.
std::vector<ColumnGroup> sensitivity_groups(const SimulationView& view);
/// Several columns over time, in one plot.
Html group_plot(const SimulationView& view, const ColumnGroup& group, const std::string& name);

}  // namespace parfait::report
