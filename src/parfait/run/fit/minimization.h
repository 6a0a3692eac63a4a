#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/report/pages/minimization_report.h"
#include "parfait/result/minimization.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/settings.h"

/// A local minimum of what a problem asks to make small, by gradients: `parfait fit --method`.
namespace parfait::run {

struct MinimizationRequest {
  std::string file;                            ///< problem file
  std::optional<estimate::Problem> problem{};  ///< instead of the file
  std::vector<Setting> set{};
  std::vector<std::string> fix{};
  std::string method = "lbfgs";  ///< or "bfgs", "descent", "lsmr"
  std::optional<std::string>
      line_search{};  ///< "wolfe" (default), "golden", "quadratic", "cubic", "parallel"
  std::string gradient = "adjoint";    ///< or "forward"
  std::string memory{};                ///< of the states an adjoint keeps; empty: 1 GB
  std::vector<std::string> contour{};  ///< two parameters: J on a grid of them
  std::optional<int> max_iterations{};
  std::optional<double> tolerance{};
  std::filesystem::path out{};
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct MinimizationRun {
  result::Minimization result;
  result::Timing timing;
  /// J at the grid of --contour: p1, p2, J (NaN: it does not exist there).
  report::Contour contour;
  bool has_costs = false;  ///< otherwise Gauss-Newton can go on from here

  bool finished() const { return !result.verdict.partial; }
};

/// InputError if the request makes no sense, or the problem has what only Gauss-Newton can treat.
/// `on_step` is told each iteration; `stop` of the callbacks is asked there.
MinimizationRun minimize(
    const MinimizationRequest& request, const Callbacks& callbacks = {},
    const std::function<void(const result::Minimization::Step&)>& on_step = {});

/// Names and texts of parameters.csv, path.csv and, if asked for, contour.csv.
std::vector<std::pair<std::string, std::string>> table_files(const MinimizationRun& run);
/// The page a person looks at, as `save` writes it.
std::string report_page(const MinimizationRun& run);
/// result.json, these tables, report.html and timing.json, in one piece.
std::filesystem::path save(MinimizationRun& run, const std::filesystem::path& folder);

/// What a person reads afterwards.
std::string minimization_text(const MinimizationRun& run, const std::filesystem::path& folder);
std::string minimization_header();
std::string minimization_line(const result::Minimization::Step& step);

}  // namespace parfait::run
