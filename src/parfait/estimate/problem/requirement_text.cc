#include "parfait/estimate/problem/requirement_text.h"

#include <fmt/format.h>

namespace parfait::estimate {

std::string placed(const Place& place, const std::string& what) {
  return place.line > 0 ? fmt::format("{} ({})", what, place.text()) : what;
}

std::string requirement_text(const Requirement& requirement) {
  std::string sum;
  for (const auto& term : requirement.terms) {
    if (!sum.empty()) sum += " + ";
    sum += term.formula.text;
    if (term.at) sum += fmt::format(" [t = {:g}]", *term.at);
  }
  return placed(requirement.place,
                fmt::format("\"{} {} 0\"", sum, requirement.inequality ? ">=" : "="));
}

}  // namespace parfait::estimate
