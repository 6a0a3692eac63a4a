#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "parfait/dynamics/system.h"

namespace parfait::integrate {

class Flow;
class Stepper;

enum class Method : std::uint8_t { kDop853, kDopri5, kAbm, kBdf, kHht };

/// What a method of integration is and can do. This table is the only place that says so: readers
/// of files, help texts, checks and messages ask it, and a test compares it with docs/schema and
/// docs.
struct MethodInfo {
  Method method;
  const char* name;     ///< in files and on the command line
  const char* purpose;  ///< what it is meant for
  const char* summary;  ///< what it is
  /// Makes the method for flow.options(). InputError if the system is not of its kind.
  std::unique_ptr<Stepper> (*make)(Flow& flow, int num_directions);

  bool for_stiff = false;           ///< steps are not limited by fast motions that have died out
  bool solves_dae = false;          ///< takes systems with algebraic states (index 1)
  bool can_replay = true;           ///< Stepper::repeat() takes the recorded steps, no others
  bool needs_second_order = false;  ///< works on dynamics::SecondOrder, which mechanisms have
  bool keeps_constraints = false;   ///< solves g(t, q) = 0 in each step, so g cannot stay violated
  bool has_alpha = false;           ///< uses Options::hht_alpha
  int max_order = 0;  ///< of variable order: the highest; Options::max_order lowers it
};

/// All methods, in the order in which they are listed. The first that can integrate a system is its
/// default.
std::span<const MethodInfo> methods();
const MethodInfo& info(Method method);
const char* text(Method method);  ///< its name

/// InputError with the list of methods if there is none of this name.
Method method_of(std::string_view name);

/// The method to use where none is asked for.
Method default_method(const dynamics::System& system);

/// Why the method cannot integrate the system, as what follows "the model" in a sentence ("has
/// algebraic states, which only bdf can integrate"); empty if it can.
std::string obstacle(Method method, const dynamics::System& system);

/// "bdf", "bdf or hht", "dop853, dopri5 or abm": the methods for which `holds`, the last joined by
/// `word`.
std::string method_names(bool (*holds)(const MethodInfo&), std::string_view word);

}  // namespace parfait::integrate
