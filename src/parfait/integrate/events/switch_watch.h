#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// Whether a switching value is farther from zero than a located passage can be.
bool is_off_surface(double s, double rate, double t);

/// How the state moves in time: y' and z'.
struct Tangent {
  dynamics::ConstVec y, z;
};

/// Watches the switching functions along the steps and finds where the first one passes zero.
///
///   sigma_i(t) = mode_i s_i(t, y(t)) on the continuous extension: an event is the first t with
///   sigma_i < 0 after it. A piece of a step shows it by its end values, or by a dip: sigma_i falls
///   at the start, rises at the end, and its smallest value in between is negative. A step is halved
///   into pieces until on each the cubic through values and rates at its ends tells value and rate
///   in its middle: then a function that oscillates within the step shows all its passages.
class SwitchWatch {
 public:
  /// Uses a workspace of its own: it never disturbs the stepper.
  explicit SwitchWatch(const Flow& flow);

  const std::vector<dynamics::SwitchInfo>& infos() const { return infos_; }

  /// The signs at a point; where a value is zero its rate decides. `dzdt` is that of z in the
  /// flow's mode, if there are algebraic states.
  dynamics::Status find_mode(const State& state, dynamics::ConstVec dzdt,
                             std::vector<std::int8_t>& mode);
  /// T of every switching function s = t - T(p), infinity for the others.
  dynamics::Status event_times(const State& state, std::vector<double>& times);

  /// Notes that function i has passed zero at t: started there, its value means nothing.
  void note_passage(int i, double t) { passed_at_[i] = t; }
  /// Begins at a state, in the flow's mode, with the rates there.
  dynamics::Status start(const State& state, const Tangent& rate);
  /// Whether a function has the wrong sign already where it began: its index, or -1.
  int at_once() const;

  struct Passage {
    double t = 0;
    int which = -1;      ///< -1: none
    bool stuck = false;  ///< it returned before time could resolve that it had left
  };
  /// The first passage in the step just taken.
  dynamics::Status find(Stepper& step, Passage& first);
  /// Whether function i passes zero where find() ended: its value there is rounding alone.
  bool is_located(int i) const { return located_ == i; }

  /// Functions that oscillate faster than the finest pieces: passages of them may have been missed.
  std::vector<std::string> unresolved() const;

  /// Values s and rates ds/dt at a point of a curve with this tangent.
  dynamics::Status values(double t, dynamics::ConstVec y, dynamics::ConstVec z,
                          const Tangent& tangent, std::vector<double>& s,
                          std::vector<double>& rate);

 private:
  dynamics::Status values(const dynamics::Point& at, const Tangent& tangent, std::vector<double>& s,
                          std::vector<double>& rate);
  /// mode_i s_i on the step's continuous extension.
  double sigma(Stepper& step, int i, double t);
  double passage(Stepper& step, int i, double a, double b);

  /// The functions at a time of the step.
  struct Look {
    double t = 0;
    std::vector<double> s, rate;
  };
  void look(Stepper& step, double t, Look& out);
  /// Whether the ends of a piece tell its middle.
  bool is_resolved(const Look& a, const Look& middle, const Look& b, int depth);
  void search(Stepper& step, const Look& a, const Look& b, int depth, Passage& first);
  void search_piece(Stepper& step, const Look& a, const Look& b, Passage& first);

  const Flow& flow_;
  std::vector<dynamics::SwitchInfo> infos_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  std::vector<double> rate_, s_, y_, dydt_, z_, dzdt_;
  static constexpr int kDeepest = 10;  ///< 1024 pieces
  Look begin_, end_, passage_;
  std::array<Look, kDeepest + 1> middles_;
  std::vector<double> scale_, largest_;  ///< of each function: in this step, so far
  std::vector<int> steps_unresolved_;    ///< of each function
  std::vector<bool> is_unresolved_;      ///< in this step
  dynamics::Directions dy_, dz_, ds_;
  std::vector<double> passed_at_;  ///< time of the last passage of each
  std::vector<bool> leaving_;      ///< passed zero where the step began
  int located_ = -1;               ///< function of the passage that ends the last step; -1: none
  dynamics::Status status_ = dynamics::Status::kOk;
};

}  // namespace parfait::integrate
