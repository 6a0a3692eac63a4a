#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// What a file says: `parfait check`.
namespace parfait::result {

struct ModelFacts {
  struct Parameter {
    std::string id;
    double initial = 0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    double scale = 1;
    bool operator==(const Parameter&) const = default;
  };
  std::string model;     ///< file
  std::string kind;      ///< "mechanics", "ode", "dae"
  std::string contents;  ///< "2 bodies, 2 joints, 48 states"
  /// Ids by kind of element, in the order of tables: "bodies", "joints", ..., "external_states".
  struct Elements {
    std::string kind;
    std::vector<std::string> ids;
    bool operator==(const Elements&) const = default;
  };
  std::vector<Elements> elements;
  int states = 0;
  // Mechanics.
  std::optional<int> degrees_of_freedom;
  std::vector<std::string> driven;     ///< constraints whose offsets time moves
  std::vector<std::string> redundant;  ///< constraint rows
  std::optional<Assembly> assembly;
  std::vector<Parameter> parameters;
  std::vector<std::string> warnings;
  bool operator==(const ModelFacts&) const = default;
};

struct ProblemFacts {
  struct Experiment {
    std::string id;
    std::optional<std::string> model;  ///< file; none: algebraic
    std::string data;                  ///< file; empty: inside the problem
    std::vector<std::string> observed;
    int rows = 0, measurements = 0, nodes = 0, unknowns = 0, requirements = 0;
    int free_initial = 0;              ///< initial states that are estimated
    std::optional<double> begin, end;  ///< dynamic experiments [s]
    bool operator==(const Experiment&) const = default;
  };
  struct Parameter {
    std::string id;
    std::optional<std::string> experiment;  ///< none: shared by all
    double initial = 0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    std::string transform;  ///< "none", "log"
    bool operator==(const Parameter&) const = default;
  };
  std::string problem;  ///< file
  std::vector<Experiment> experiments;
  int measurements = 0, nodes = 0, unknowns = 0, requirements = 0;
  std::vector<Parameter> parameters;
  std::vector<std::string> warnings;
  bool operator==(const ProblemFacts&) const = default;
};

}  // namespace parfait::result
