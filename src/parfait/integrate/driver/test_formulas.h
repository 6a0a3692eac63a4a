#pragma once

#include <memory>
#include <vector>

#include "parfait/dynamics/formula_model.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/integrate/driver/integrator.h"

/// For tests: formula models, integrated with directions.
namespace parfait::integrate {

/// A formula model ready to run. Directions are the unit vectors of the initial states, then of the
/// parameters.
class FormulaRun {
 public:
  explicit FormulaRun(const dynamics::FormulaModel& model)
      : system(dynamics::make_formula_system(model)), ny(system->sizes().ny()) {
    for (const auto& info : system->parameters()) p.push_back(info.initial);
    y0 = start(0).y;
  }

  int num_directions() const { return ny + static_cast<int>(p.size()); }

  /// The start at t = 0; with directions or without.
  State start(bool with_directions) {
    const int k = with_directions ? num_directions() : 0;
    workspace = system->make_workspace(k);
    system->bind(*workspace, p);
    State state;
    state.y.resize(ny);
    state.z.resize(system->sizes().nz);
    system->start(*workspace, state.y, state.z);
    if (!y0.empty()) state.y = y0;
    if (k > 0) {
      const int np = static_cast<int>(p.size());
      dynamics::Directions dp(np, k);
      for (int j = 0; j < np; ++j) dp(j, ny + j) = 1;
      system->bind_directions(*workspace, dp);
      state.W.resize(ny, k);
      system->start_directions(*workspace, state.W);
      for (int i = 0; i < ny; ++i) state.W(i, i) = 1;
    }
    return state;
  }

  State run(double t_end, const Options& options, bool with_directions = true,
            Record* record = nullptr) {
    State state = start(with_directions);
    result = Integrator(*system, *workspace, options).run(state, t_end, on_step, record);
    return state;
  }

  State replay(const Record& record, const Options& options, bool with_directions = false) {
    State state = start(with_directions);
    result = Integrator(*system, *workspace, options).replay(state, record, on_step);
    return state;
  }

  /// Unknown j of the directions: an initial value or a parameter.
  double& unknown(int j) { return j < ny ? y0[j] : p[j - ny]; }

  std::unique_ptr<dynamics::System> system;
  std::unique_ptr<dynamics::Workspace> workspace;
  int ny;
  std::vector<double> p, y0;
  OnStep on_step;
  Result result;
};

inline Options with(Method method, double rtol, double atol) {
  Options options;
  options.method = method;
  options.rtol = rtol;
  options.atol = atol;
  return options;
}

}  // namespace parfait::integrate
