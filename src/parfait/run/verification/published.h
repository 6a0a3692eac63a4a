#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Problems with published or independently computed solutions, inside the tool.
namespace parfait::run {

using Stop = const std::atomic<bool>*;  ///< ends an integration; none: nobody does

struct PublishedProblem {
  std::string name;
  std::string source;
  std::string method;  ///< how it is solved here
  double expected_digits = 0;
  /// Solves it and gives the digits in which the worst number agrees with its reference.
  /// Stopped, it gives a number that means nothing.
  std::function<double(Stop stop)> digits;
};

std::vector<PublishedProblem> published_motions();
std::vector<PublishedProblem> published_fits();

/// -log10 of the relative error (of the absolute one if the reference is 0), from 0 to 16.
double matching_digits(double value, double reference);
double matching_digits(const std::vector<double>& values, const std::vector<double>& references);

/// A file of the source tree that was compiled into the tool, by its name there.
std::string_view embedded_file(std::string_view name);

}  // namespace parfait::run
