#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/expr/scope.h"
#include "parfait/math/lanes.h"

namespace parfait::expr {

struct Program;

/// A function of time and its first two time derivatives.
struct Taylor {
  double f = 0, df = 0, ddf = 0;
};

/// A formula f(s) of slots s, compiled once from text to a flat differentiable program.
///
/// Immutable, cheap to copy (a handle), safe to share between threads. Evaluation allocates
/// nothing: the caller gives `slots` (indexed as the scope numbered them) and `scratch` of
/// scratch_size() doubles, whose content on entry does not matter and which formulas may share one
/// after another.
///
/// Derivatives come from one reverse sweep: gradient() costs a few values whatever the number of
/// slots, and apply() then turns it into kLanes directional derivatives with one multiply-add per
/// used slot. Gradients have one entry per *used* slot, in the order of used_slots().
///
/// Mode  A branch (abs, min, max, sign, step, < <= > >=) is decided by the values, or, if `mode` is
///       not null, by mode[k] = +1 or -1 for switch k: the branch that holds where the switching
///       value is >= 0 or < 0. An integrator holds the mode during a step and looks for sign
///       changes.
/// Law   value(s) = value(s, mode) when mode[k] = (switch_values(s)[k] >= 0 ? +1 : -1) and no
///       switching value is NaN, except that sign(0) is 0 by value and +1 or -1 by mode.
/// See   docs/theory/formulas.md: grammar, functions, smoothness, the sweeps (F1-F4).
class Formula {
 public:
  using Mode = const std::int8_t*;

  /// The constant 0.
  Formula();
  /// `place` is where the first character of `text` stands; an InputError names the place of the
  /// character that is wrong. Every name is resolved here; nothing of `scope` is kept.
  Formula(std::string_view text, Scope& scope, const base::Place& place = {});

  const std::string& text() const;

  /// The slots on which f depends, ascending (time, if a table is used, included).
  std::span<const int> used_slots() const;
  int num_used() const { return static_cast<int>(used_slots().size()); }
  bool uses(int slot) const;
  /// No slot is used: value(nullptr, scratch) is the number.
  bool is_constant() const;

  std::size_t scratch_size() const;

  double value(const double* slots, double* scratch, Mode mode = nullptr) const;

  /// f, and grad[j] = df / ds[used_slots()[j]].
  double gradient(const double* slots, double* scratch, double* grad, Mode mode = nullptr) const;

  /// dout[lane] = sum_j grad[j] dslots[used_slots()[j] * kLanes + lane]: one chunk of a
  /// math::Directions whose rows are the slots. Call gradient() once, then this for every chunk.
  void apply(const double* grad, const double* dslots, double* dout) const;

  /// gradient() and apply() for a single chunk.
  double value_and_directions(const double* slots, const double* dslots, double* scratch,
                              double* dout, Mode mode = nullptr) const;

  /// Along a curve s(tau) with first and second derivatives ds, dds (for t: 1 and 0; for
  /// parameters: 0 and 0): f, f' and f''.
  Taylor taylor2(const double* s, const double* ds, const double* dds, double* scratch,
                 Mode mode = nullptr) const;

  /// The same, and the gradient along the curve: grad[j], grad[n + j], grad[2 n + j] are g, g', g''
  /// of g = df / ds[used_slots()[j]], with n = num_used() (3 n numbers).
  Taylor taylor2_gradient(const double* s, const double* ds, const double* dds, double* scratch,
                          double* grad, Mode mode = nullptr) const;

  /// Directions of f, f', f'' (dout: 3 x kLanes) from directions of s, ds, dds. Null means zero, as
  /// for the rates of time and of parameters.
  ///   df = g ds,   df' = g' ds + g ds',   df'' = g'' ds + 2 g' ds' + g ds''              (F4)
  void taylor2_apply(const double* grad, const double* dir_s, const double* dir_ds,
                     const double* dir_dds, double* dout) const;

  /// Switching functions, in the order of evaluation: x for abs, sign, step; a - b for min, max,
  /// a < b, a >= b; b - a for a <= b, a > b (so that 0 belongs to the branch of +1 for all).
  int num_switches() const;
  void switch_values(const double* slots, double* scratch, double* out, Mode mode = nullptr) const;
  /// The values, and grads[k * num_used() + j] = d(switch k) / ds[used_slots()[j]]; apply() turns
  /// each row into directions.
  void switch_gradients(const double* slots, double* scratch, double* out, double* grads,
                        Mode mode = nullptr) const;

  /// Merges into `out` (ascending, each time once) the knots of all tables used where at most
  /// `smooth` derivatives are continuous; -1: jumps only, 0: kinks too, 2: all knots.
  void time_breaks(std::vector<double>& out, int smooth = 2) const;

 private:
  std::shared_ptr<const Program> program_;
};

/// All functions a formula may call, for help texts and completion.
std::vector<std::string> function_names();

}  // namespace parfait::expr
