#include "parfait/estimate/problem/sigma_formula.h"

#include <cctype>

namespace parfait::estimate {

namespace sigma_formula_text {
namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

}  // namespace
}  // namespace sigma_formula_text

std::string with_names(const std::string& formula,
                       const std::function<std::string(const std::string&)>& replacement) {
  using sigma_formula_text::begins_name, sigma_formula_text::continues_name;
  std::string out;
  for (std::size_t i = 0; i < formula.size();) {
    std::size_t end = i + 1;
    const bool is_name = begins_name(formula[i]);
    if (is_name || continues_name(formula[i])) {
      // Numbers are words, too, so that the e of 1e5 is not taken for a name.
      while (end < formula.size() && continues_name(formula[end])) ++end;
    }
    const std::string word = formula.substr(i, end - i);
    const std::string other = is_name ? replacement(word) : "";
    out += other.empty() ? word : other;
    i = end;
  }
  return out;
}

bool observations_use(const ExperimentDescription& experiment, const std::string& name) {
  bool found = false;
  const auto look = [&](const FormulaText& formula) {
    static_cast<void>(with_names(formula.text, [&](const std::string& word) {
      found |= word == name;
      return std::string();
    }));
  };
  for (const auto& observation : experiment.observations) {
    look(observation.quantity);
    look(observation.sigma.formula);
  }
  return found;
}

FormulaText sigma_formula(const Observation& observation,
                          const std::function<bool(const std::string&)>& is_known) {
  FormulaText out = observation.sigma.formula;
  out.text = with_names(out.text, [&](const std::string& name) {
    const bool is_own = name == "y" || name == observation.column;
    return is_own && !is_known(name) ? "(" + observation.quantity.text + ")" : std::string();
  });
  return out;
}

}  // namespace parfait::estimate
