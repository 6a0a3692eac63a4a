#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/statistics/identifiability.h"
#include "parfait/estimate/statistics/statistics.h"

namespace parfait::estimate {

/// What the data know about a parameter.
enum class ParameterClass : std::uint8_t {
  kDetermined,
  kAtBound,      ///< its bound decides
  kCombination,  ///< only combinations with others
  kPractically,  ///< determined to first order, but not better than its bounds or its prior say,
                 ///< or not even to an order of magnitude
  kNoInfluence,  ///< the data do not depend on it
};
/// "determined", "at_bound", "combination", "practically_undetermined", "no_influence"
const char* text(ParameterClass parameter_class);

/// A parameter as its class sees it.
struct ClassifiedParameter {
  std::string name;  ///< as findings call it
  Determined determined = Determined::kByData;
  double value = 0;
  double sd = 0;
  double lower = -kInfinity, upper = kInfinity;
  bool is_log = false;
  std::optional<double> prior_sigma{};
};

/// The class of each; findings of what is practically undetermined are added to `identifiability`.
/// A parameter is that if the individual interval, q sd to both sides (log: of the logarithm), is
/// as long as the range between its bounds, if its sd is within 5 % of that of its prior, or if it
/// is estimated by its logarithm and q sd is more than a factor of ten.
std::vector<ParameterClass> classify(const std::vector<ClassifiedParameter>& parameters,
                                     const FitScale& scale, Identifiability& identifiability);

}  // namespace parfait::estimate
