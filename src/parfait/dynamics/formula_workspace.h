#pragma once

#include <vector>

#include "parfait/dynamics/formula_data.h"
#include "parfait/dynamics/system.h"

/// What changes while a formula system is evaluated. Internal to dynamics.
namespace parfait::dynamics {

struct FormulaWorkspace final : Workspace {
  FormulaWorkspace(const FormulaData& data, int max_directions);

  std::vector<double> p;
  Directions dp;  ///< np x k; no columns: the parameters do not move
  std::vector<double> scratch, start_gradient;

  /// Each has its own point, so that one call does not disturb the derivatives of another.
  FormulaPoint rhs, switches, jump, observer;
  std::vector<double> switch_gradients;  ///< of the switches of formulas
  std::vector<double> switch_room;
  int which_event = 0;  ///< of the last jump

  Directions dslots;             ///< one chunk
  std::vector<double> adjoints;  ///< of the slots; zero between pull-backs
};

/// Puts t, y, z, the mode and the parameters bound into a point, which forgets its gradients.
void load(const FormulaData& data, const FormulaWorkspace& w, const Point& at, FormulaPoint& point);

/// One chunk of the directions of t, y, z, p, into w.dslots.
void load_directions(const FormulaData& data, FormulaWorkspace& w, const PointDirections& d,
                     int chunk);

/// Moves the adjoints of t, y, z to `to` and of the parameters to w.parameter_adjoint; all of
/// w.adjoints is zero afterwards.
void unload_adjoints(const FormulaData& data, FormulaWorkspace& w, Pulled& to);

/// Quantities: a chain whose outputs stand behind the slots of the system.
class FormulaObserver final : public System::Observer {
 public:
  /// InputError, with a suggestion, if a name is unknown.
  FormulaObserver(const FormulaData& data, std::span<const std::string> quantities);

  int size() const override { return size_; }
  bool needs_rates() const override { return needs_rates_; }
  const FormulaChain& chain() const { return chain_; }

 private:
  FormulaChain chain_;
  int size_ = 0;
  bool needs_rates_ = false;
};

}  // namespace parfait::dynamics
