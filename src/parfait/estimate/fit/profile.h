#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/fit/fit.h"

namespace parfait::estimate {

/// Why a profile ends where it does.
enum class ProfileEnd : std::uint8_t {
  kThreshold,    ///< the objective rises to the threshold
  kBound,        ///< the bound of the parameter: the objective stays below the threshold up to it
  kOpen,         ///< the objective stays below the threshold however far one goes
  kFailed,       ///< beyond the last point the others could not be estimated
  kInterrupted,  ///< by the user
};
const char* text(ProfileEnd end);  ///< "threshold", "bound", ...

/// The profile likelihood of a shared parameter: its value held, everything else estimated again.
///
///   S(p) - S_min = q beta^2,    q the squared t quantile (known sigma: normal)
///
/// at both ends of the interval. For a linear model this is the individual interval of the fit;
/// where the model bends it is the better one, and where the parameter is not determined at all to
/// first order it still says what can be excluded.
///
/// The walk begins at the estimate and goes outwards on both sides. Steps follow
///
///   g(p) = sqrt((S(p) - S_min) / (threshold - S_min)),
///
/// 0 at the estimate, 1 at the end, a straight line where the model is linear: a fifth each, longer
/// and longer where nothing changes. The others start where the line through the last two points
/// leads.
struct Profile {
  std::string parameter;
  struct Point {
    double value = 0;
    double objective = 0;
    bool converged = false;
    /// Of all estimates there, in the order of FitResult::estimates.
    std::vector<double> estimates{};
  };
  std::vector<Point> points;  ///< ascending values, the estimate among them
  double low = 0, high = 0;   ///< the bound, infinite, or NaN where the threshold is not reached
  ProfileEnd low_end = ProfileEnd::kThreshold, high_end = ProfileEnd::kThreshold;
  std::string why{};                 ///< of kFailed
  double threshold = 0;              ///< the objective at both ends
  std::optional<Point> lower_one{};  ///< the fit ended elsewhere, but here the objective is lower

  bool interrupted() const {
    return low_end == ProfileEnd::kInterrupted || high_end == ProfileEnd::kInterrupted;
  }
};

/// Called after each side, from any thread, one at a time: so many of all are done.
using OnProfileSide = std::function<void(int done, int all)>;

/// Profiles of several parameters: every side is walked for itself, in parallel on threads and on
/// the processes of the team, all of which must call this; the numbers do not depend on that.
/// InputError if a parameter is not one of the shared estimates. `result` is the fit of the
/// problem. FitOptions::interrupted is asked before each point.
std::vector<Profile> make_profiles(const PreparedProblem& prepared, const FitResult& result,
                                   const std::vector<std::string>& parameters,
                                   const OnProfileSide& on_side = {});
Profile make_profile(const Problem& problem, const FitResult& result, const std::string& parameter);

}  // namespace parfait::estimate
