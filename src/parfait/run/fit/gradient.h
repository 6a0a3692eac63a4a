#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/estimate/objective/objective.h"
#include "parfait/estimate/problem/problem.h"
#include "parfait/result/gradient.h"
#include "parfait/result/verdict.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/settings.h"

/// The gradient of what a problem asks to make small, at its initial parameters.
namespace parfait::run {

struct GradientRequest {
  std::string file;                            ///< problem file
  std::optional<estimate::Problem> problem{};  ///< instead of the file
  std::vector<Setting> set{};                  ///< initial values, or conditions
  std::string by = "adjoint";                  ///< or "forward", "continuous"
  std::optional<int> continuous_steps{};       ///< of "continuous", equal ones; none: 1000
  bool adjoints = false;                       ///< also dJ/dy(t): adjoint.csv
  std::string memory{};  ///< of the states an adjoint keeps: "256MB", "1e9"; empty: 1 GB
  bool check = false;    ///< both ways, compared
  std::filesystem::path out{};
};

struct GradientRun {
  result::Gradient result;
  result::Timing timing;
  /// Seconds of the gradient and of its runs forward alone, without tape and directions.
  double seconds_gradient = 0, seconds_forward = 0;
  std::vector<estimate::AdjointPath> adjoints{};  ///< if asked for

  bool finished() const { return !result.verdict.partial; }
};

/// InputError if the request makes no sense, or the problem has what only Gauss-Newton can treat.
/// `stop` of the callbacks ends it with the status "interrupted".
GradientRun find_gradient(const GradientRequest& request, const Callbacks& callbacks = {});

/// Names and texts of gradient.csv and, if asked for, adjoint.csv.
std::vector<std::pair<std::string, std::string>> table_files(const GradientRun& run);
/// result.json, gradient.csv, timing.json and, if asked for, adjoint.csv, in one piece.
std::filesystem::path save(GradientRun& run, const std::filesystem::path& folder);

/// "16MB", "2 GB", "4096" in bytes. InputError if it is no such thing.
double bytes_of(const std::string& text, const std::string& what);

}  // namespace parfait::run
