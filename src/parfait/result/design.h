#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/result/table.h"
#include "parfait/result/verdict.h"

namespace parfait::result {

/// The classical numbers of an information matrix M (and its inverse C).
struct DesignMeasures {
  double psi = 0;         ///< what was minimized: docs/theory/design.md
  double trace_C = 0;     ///< A
  double log_det_M = 0;   ///< D
  double lambda_min = 0;  ///< E: smallest eigenvalue of M
  double trace_M = 0;     ///< T
  double max_sd = 0;
  double condition = 0;  ///< of M; infinite: singular
  bool operator==(const DesignMeasures&) const = default;
};

/// Standard deviations that fits will have, with the sigmas as they are given. Infinite: not
/// determined.
struct DesignParameter {
  std::string id;
  double value = 0;  ///< at which everything is linearized
  bool of_interest = true;
  double sd_known = 0;   ///< without the planned experiments
  double sd_start = 0;   ///< with them as they were given
  double sd_design = 0;  ///< with them as designed
  bool operator==(const DesignParameter&) const = default;
};

struct DesignVariable {
  std::string name;
  double lower = 0, upper = 0, start = 0, value = 0;
  bool operator==(const DesignVariable&) const = default;
};

/// How measurements were chosen.
struct DesignChoice {
  double gap = 0;          ///< relative Frank-Wolfe gap of the weights
  bool certified = false;  ///< at most 1e-8: no weights are better by more than that
  std::string remark;      ///< why there is no certificate; empty: there is one
  double efficiency = 1;   ///< of whole numbers, beside the weights
  int iterations = 0;
  bool operator==(const DesignChoice&) const = default;
};

struct DesignExperiment {
  std::string id;
  int copies = 1;
  std::vector<double> times;  ///< of the samples to be measured; empty: measured all the time
  std::vector<std::string> columns;
  bool operator==(const DesignExperiment&) const = default;
};

struct DesignSearch {
  double psi = 0, violation = 0;
  int iterations = 0;
  bool converged = false;
  bool operator==(const DesignSearch&) const = default;
};

/// Switching times by Newton's method on the switching conditions of a linear system.
struct DesignSwitching {
  std::vector<double> times;
  int iterations = 0;
  bool converged = false;
  double psi = 0;           ///< exact integrals in the place of sums over cells
  double residual = 0;      ///< of the conditions, relative
  bool is_minimum = false;  ///< no neighbouring times are better
  bool keeps_sign = false;  ///< the input is where Pontryagin's principle wants it, everywhere
  bool operator==(const DesignSwitching&) const = default;
};

/// The design of experiments: result.json. Tables lie beside it.
struct Design {
  Verdict verdict;
  std::string design;     ///< file
  std::string criterion;  ///< "A", "D", ...
  bool relative = true;
  std::vector<std::string> interest;
  std::string method;    ///< that moved the numbers: "bfgs" or "gradient"
  std::string gradient;  ///< how slopes were made
  std::optional<DesignMeasures> known, start;
  DesignMeasures measures;
  std::vector<DesignParameter> parameters;
  std::vector<DesignVariable> variables;
  double violation = 0;  ///< of the requirements
  std::optional<DesignChoice> choice;
  std::vector<DesignExperiment> experiments;
  std::vector<DesignSearch> starts;
  std::optional<DesignSwitching> switching;
  int best_reached = 0;  ///< starts that ended at the best value
  int robust_samples = 0;
  std::int64_t linearizations = 0;
  bool operator==(const Design&) const = default;
};

/// What lies beside the result.json of a design.
struct DesignTables {
  struct Sample {
    std::string experiment, label;
    double t = 0, weight = 0, count = 0, gain = 0;
    bool operator==(const Sample&) const = default;
  };
  std::vector<Sample> samples;      ///< candidates
  std::vector<std::string> inputs;  ///< "next: F"
  std::vector<Table> input_tables;  ///< t and the value of each
  std::vector<bool> input_steps;    ///< constant between knots
  Matrix information;               ///< of what is of interest
};

}  // namespace parfait::result
