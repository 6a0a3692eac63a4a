#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// What a diagnosis starts from: the linearized problem at the solution, in scaled unknowns x.
struct IdentifiabilityInput {
  std::vector<std::string> names;        ///< of the unknowns; local ones as "offset (run1)"
  Eigen::VectorXd values;                ///< p
  Eigen::VectorXd dp_dx;                 ///< diagonal; see Unknowns::derivatives()
  std::vector<bool> is_log;              ///< estimated as log p
  Eigen::MatrixXd undetermined;          ///< orthonormal columns over the unknowns
  Eigen::MatrixXd correlation;           ///< NaN where there is none
  std::vector<std::string> experiments;  ///< ids
  Eigen::MatrixXd column_norms;          ///< of the data's derivatives: experiments x unknowns
  /// Of coordinates that constraints tie to each other: what they are part of ("the initial state
  /// of Arm"), which findings then name. Empty where an unknown stands for itself, or altogether.
  std::vector<std::string> part_of{};
};

struct IdentifiabilityOptions {
  double strong_correlation = 0.99;
  /// Entries of undetermined directions below this are rounding.
  double direction_tolerance = 1e-5;
  /// Coefficients this near to 1, 2, 1/2, ... are taken as such when combinations are named.
  double name_tolerance = 1e-4;
  int most_fixings = 12;  ///< sets named in a finding
};

/// One thing a person should know, in data and in words.
struct Finding {
  enum class Kind : std::uint8_t {
    kNoInfluence,  ///< the data do not depend on it
    kCombination,  ///< the data determine combinations of them, not each
    kPractically,  ///< determined, but no better than bounds or prior say (parameter_class.h)
    kCorrelated,   ///< determined, but hardly one without the other
  };
  Kind kind = Kind::kNoInfluence;
  std::vector<std::string> parameters{};
  /// kCombination: what the data do determine of them, e.g. "k1*k2", "a + b"; may be empty.
  std::vector<std::string> determined{};
  /// kCombination: directions of p along which nothing changes to first order, one per column, rows
  /// as `parameters`; the largest entry of each relative change dp/p (or dp where p = 0) is 1.
  Eigen::MatrixXd directions{};
  /// kNoInfluence, kCombination: the smallest sets of parameters whose fixing (or measuring) makes
  /// the others of this finding determined, best first; empty where only parts of a whole are named
  /// (see fixing_sets.h).
  std::vector<std::vector<std::string>> fixings{};
  /// kCombination: what each direction does, in words: "k1 +1 %, k2 -1 %".
  std::vector<std::string> effects{};
  double correlation = 0;                  ///< kCorrelated
  std::vector<std::string> experiments{};  ///< whose data depend on one of the parameters
  std::string text{};                      ///< one or two sentences
  std::string advice{};                    ///< what can be done about it; may be empty
};

/// Where the information about a parameter comes from: shares of the squared column norms.
struct InformationSource {
  std::string parameter;
  struct Share {
    std::string experiment;
    double share = 0;
  };
  std::vector<Share> shares;  ///< largest first, sum 1; empty if there is none
};

struct Identifiability {
  std::vector<Finding> findings;  ///< in the order of their kinds
  std::vector<InformationSource> sources;
  /// A smallest set of parameters whose fixing makes all others determined: the best of each
  /// finding. Empty: nothing is open, or the findings name none.
  std::vector<std::string> smallest_fixing() const;
  /// Nothing stays undetermined; correlations may be strong.
  bool all_determined() const;
};

/// Which parameters the data can and cannot determine, in plain words.
///
/// Whether a combination is a product or a sum cannot be seen from derivatives at one point if both
/// fit; then both are said. Combinations hold to first order at the solution.
///
/// See  docs/theory/identifiability.md
Identifiability diagnose(const IdentifiabilityInput& input,
                         const IdentifiabilityOptions& options = {});

const char* text(Finding::Kind kind);

}  // namespace parfait::estimate
