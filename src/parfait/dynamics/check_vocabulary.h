#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parfait/dynamics/vocabulary.h"

/// What is wrong with the parts that all descriptions of models share. Each throws base::InputError
/// with its place at the first thing it finds.
namespace parfait::dynamics {

/// `joint "elbow"`.
std::string element_label(const char* kind, const std::string& id);

/// The place, or where the thing around it stands if it has none (models built in code).
const base::Place& place_or(const base::Place& place, const base::Place& around);

/// Ids of a model: well formed, unique, not reserved.
class IdCheck {
 public:
  /// `reserved`: ids that nothing may have, each with what it is reserved for; `meanings`: names
  /// that mean something in formulas, besides those that every formula knows.
  explicit IdCheck(std::map<std::string, std::string> reserved = {},
                   std::vector<std::string> meanings = {});

  void add(const char* kind, const std::string& id, const base::Place& place);
  /// An id that formulas use on its own must not mean something else there.
  void add_name(const char* kind, const std::string& id, const base::Place& place);

 private:
  std::map<std::string, std::string> reserved_;
  std::vector<std::string> meanings_;
  std::map<std::string, base::Place> places_;
};

/// Bounds and scale are numbers that fit together.
void check_bounds(const Parameter& parameter, const std::string& label);
/// The value with which the parameter starts is finite and within its bounds.
void check_start(const Parameter& parameter, double start, const std::string& label);

/// Either `when` or `at` is given, and a direction only with `when`.
void check_moment(const Event& event, const std::string& label);
/// Every target is one of these states and parameters, and is set once.
void check_assignments(const Event& event, const std::string& label,
                       const std::vector<std::string>& states,
                       const std::vector<std::string>& parameters);

/// Times and tolerances are positive.
void check_simulation(const Simulation& simulation);

}  // namespace parfait::dynamics
