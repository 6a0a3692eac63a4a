#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"
#include "parfait/mechanism/description/body_inertia.h"
#include "parfait/mechanism/description/description.h"

/// The parts of mechanism::check, in the order they run: each relies on what those before it found
/// right.
namespace parfait::mechanism {

/// Ids are well formed, unique and not reserved.
void check_ids(const Description& description);

/// The initial axes of every body span space and are right-handed.
void check_initial_frames(const Description& description);

/// Keys are known; constants belong to their type, are given once, and none is missing.
void check_constants(const Description& description);

/// Events say when, and set states and parameters that exist.
void check_events(const Description& description);

/// Joints by axes have axes, coordinates and functions that fit together; couplings and skin
/// markers name what exists.
void check_motions(const Description& description);

/// Targets exist and are driven once; bounds and start values fit together.
void check_parameters(const Description& description);

/// Formulas parse and use only names that mean something there. Returns for each parameter whether
/// a formula uses it.
std::vector<bool> check_formulas(const Description& description);

/// Numbers when every parameter has its start value.
class StartNumbers {
 public:
  explicit StartNumbers(const Description& description);

  /// The number of a value, where it is the constant `name` ("Arm.mass") that a parameter may
  /// drive. Nothing if it depends on a parameter without a start value. InputError if it is not
  /// finite.
  std::optional<double> number(const Value& value, const std::string& name,
                               const Place& around) const;

  bool is_driven(const std::string& name) const { return driven_.contains(name); }

 private:
  std::vector<std::string> names_;  ///< of the parameters
  std::vector<std::optional<double>> values_;
  std::map<std::string, std::size_t> driven_;  ///< constant → parameter
};

/// What is wrong with the inertia of a body at the start; no message: nothing, or it is not known.
InertiaFault start_inertia_fault(const Body& body, const StartNumbers& numbers);

/// Masses and inertias physical, markers proper frames. In models with joints by axes
/// a body may be without mass, and an inertia that no body has is a warning: files of other
/// programs are like that, and only engines in joint coordinates see them.
void check_bodies(const Description& description, const StartNumbers& numbers,
                  std::vector<std::string>& warnings);

/// Joints, constraints, forces and events lead from a body to another, at proper frames; kept
/// distances are positive.
void check_connections(const Description& description, const StartNumbers& numbers);

/// The axes of a frame that are given are not zero, not parallel and not left-handed. Whether they
/// are orthogonal is not asked: the axes of the body may be general.
void check_frame(const Frame& frame, const std::string& name, const std::string& label,
                 const Place& around, const StartNumbers& numbers);

}  // namespace parfait::mechanism
