#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::integrate {

/// A step of a run as its adjoint needs it.
struct TapeStep {
  double t0 = 0;
  double t1 = 0;       ///< where it wanted to end
  double end = 0;      ///< t1, or where an event inside it ended it
  bool cut = false;    ///< by such an event: the state goes on from the continuous extension
  int piece = 0;       ///< index of its TapePiece
  int num_events = 0;  ///< that happened before it
  int order = 0;       ///< of a multistep method
};

/// What held between restarts: the mode, and the last time at which the right-hand side is asked.
struct TapePiece {
  std::vector<std::int8_t> mode;
  double latest = std::numeric_limits<double>::infinity();
  std::vector<double> z;  ///< algebraic states with which a method began to look for them
};

/// An event: states and tangents before and after, all on the manifold. (E1, E2)
struct TapeEvent {
  double t = 0;
  double latest = 0;     ///< of the piece before
  int which = 0;         ///< switching function
  bool jumped = false;   ///< the state changed
  bool follows = false;  ///< set off by the jump of the event before, and moves with that one
  double speed = 0;      ///< ds/dt
  std::vector<std::int8_t> mode;  ///< before
  std::vector<double> before, rate, after, rate_after;
};

/// What a run leaves for its adjoint: all steps and events, and the states where steps began, all
/// of them or every stride-th.
///
/// Memory  States take at most `memory` bytes, half of it for the checkpoints and half for the
/// steps
///         between two of them, which the adjoint computes again: when the checkpoints fill their
///         half every other one is dropped and the stride doubles. So N steps need room for 2 sqrt(N)
///         states, and one more run. Steps and events (some 40 bytes; four states) are not counted.
class Tape {
 public:
  explicit Tape(double memory = std::numeric_limits<double>::infinity()) : memory_(memory) {}

  void begin(double t0, std::size_t ny);
  void set_piece(const std::vector<std::int8_t>& mode, double latest, const std::vector<double>& z);
  void add_step(double t0, double t1, double end, bool cut, dynamics::ConstVec y0, int order = 0);
  void add_event(TapeEvent event) { events_.push_back(std::move(event)); }

  double t0() const { return t0_; }
  const std::vector<TapeStep>& steps() const { return steps_; }
  const std::vector<TapePiece>& pieces() const { return pieces_; }
  const std::vector<TapeEvent>& events() const { return events_; }
  int stride() const { return stride_; }
  /// The state where step i * stride() began.
  dynamics::ConstVec checkpoint(int i) const { return states_[static_cast<std::size_t>(i)]; }
  int num_checkpoints() const { return static_cast<int>(states_.size()); }
  double memory() const { return memory_; }
  /// Of the checkpoints, and of the states between two of them.
  double bytes() const;
  /// The least memory that would do for this many steps.
  double least_memory() const;

 private:
  double memory_;
  double t0_ = 0;
  std::size_t ny_ = 0;
  int stride_ = 1;
  std::vector<TapeStep> steps_;
  std::vector<TapePiece> pieces_;
  std::vector<TapeEvent> events_;
  std::vector<std::vector<double>> states_;
};

}  // namespace parfait::integrate
