#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "parfait/result/table.h"
#include "parfait/result/verdict.h"

namespace parfait::result {

/// The static equilibrium about which modes were computed.
struct Equilibrium {
  std::string status;  ///< "found", "max_iterations", "no_equilibrium", "stuck", "system_failed"
  std::string message;
  int iterations = 0, evaluations = 0;
  double correction = 0;            ///< the last one of Newton's method
  double residual = 0;              ///< largest acceleration or rate that is left
  double moved = 0;                 ///< largest change of a coordinate or state from the start
  double prescribed_speed = 0;      ///< of driven constraints, which are held where they are
  std::vector<std::string> moving;  ///< what never comes to rest
  bool operator==(const Equilibrium&) const = default;
};

/// dy(t) = Re(shape exp((re + i im) t)).
struct Mode {
  int number = 0;                  ///< from 1, slowest first
  double re = 0, im = 0;           ///< eigenvalue [1/s]; of a conjugate pair the one with im > 0
  double frequency_hz = 0;         ///< undamped; 0 if it does not swing
  double damped_frequency_hz = 0;  ///< of the motion itself
  double damping = 0;              ///< ratio to critical damping
  double time_constant = 0;        ///< [s]; infinite if undamped, negative if it grows
  std::string moves_most;          ///< the quantity with the largest displacement (m or rad)

  bool swings() const { return im != 0; }
  bool operator==(const Mode&) const = default;
};

/// Static equilibrium and vibration modes: result.json. Shapes lie beside it.
struct Modes {
  Verdict verdict;    ///< status "done", that of the search for the equilibrium, or "system_failed"
  std::string model;  ///< file
  std::string at;     ///< "equilibrium" or "initial"
  double t = 0;       ///< where time stands still [s]
  std::optional<Equilibrium> equilibrium;  ///< if it was looked for
  int degrees_of_freedom = 0;
  std::optional<std::string> stability;  ///< "stable", ...; none: not known
  double growth = 0;                     ///< largest real part [1/s]
  double residual = 0;                   ///< largest acceleration or rate: 0 at an equilibrium
  std::vector<std::string> neutral;      ///< directions that neither swing nor decay
  bool drifts = false;                   ///< along a neutral direction, once set in motion
  int num_modes = 0;                     ///< of the model; `modes` may have fewer
  std::vector<Mode> modes;
  std::vector<NamedValue> parameters;
  bool operator==(const Modes&) const = default;
};

/// What lies beside the result.json of modes, as tables.
struct ModeShapes {
  std::vector<std::string> quantities;  ///< named quantities, then all coordinates
  Matrix re, im;                        ///< quantities x modes; largest displacement 1
  Table point;                          ///< one row: t, the quantities and all states
  bool operator==(const ModeShapes&) const = default;
};

}  // namespace parfait::result
