#include "parfait/dynamics/formula_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/dynamics/check_vocabulary.h"

namespace parfait::dynamics {

using base::InputError;

namespace {

std::string times(int n) {
  return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
}

}  // namespace

void IndexCheck::run(const FormulaModel& model) const {
  const auto nz = static_cast<int>(model.algebraics.size());
  const auto in_any = [](const std::vector<FormulaUses>& list, int i) {
    return std::ranges::any_of(list, [&](const auto& uses) { return uses.algebraics.contains(i); });
  };
  for (int i = 0; i < nz; ++i) {
    const auto& z = model.algebraics[static_cast<std::size_t>(i)];
    if (in_any(equations, i) || in_any(rates, i)) continue;
    throw InputError(z.place, element_label("algebraic", z.id) +
                                  ": no equation contains it, so none can determine it.");
  }
  const auto advice = [&](int j) {
    const int n = differentiations(j);
    if (n == 0) return std::string("No derivative of it contains one either: is it meant so?");
    return fmt::format(
        "Differentiate it {} with respect to time, with the derivatives of the states put in, "
        "write the result here instead, and choose initial values that satisfy the equation as it "
        "was.",
        times(n));
  };
  for (std::size_t j = 0; j < equations.size(); ++j) {
    if (!equations[j].algebraics.empty()) continue;
    throw InputError(model.equations[j].place,
                     fmt::format("equation \"{}\": contains no algebraic state (the index of the "
                                 "model is larger than 1). {}",
                                 model.equations[j].text.text, advice(static_cast<int>(j))));
  }
  // Each equation needs an algebraic state of its own: a matching of the two.
  std::vector<int> equation_of(static_cast<std::size_t>(nz), -1);
  for (std::size_t j = 0; j < equations.size(); ++j) {
    std::vector<bool> seen(static_cast<std::size_t>(nz), false);
    if (assign(static_cast<int>(j), seen, equation_of)) continue;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) names.push_back(model.algebraics[i].id);
    }
    throw InputError(
        model.equations[j].place,
        fmt::format("equation \"{}\": other equations determine {} already (the index of the model "
                    "is larger than 1). Solve these for {}, put the result in here, and "
                    "differentiate what is left with respect to time until another algebraic state "
                    "appears.",
                    model.equations[j].text.text, base::listing(names),
                    names.size() == 1 ? "it" : "them"));
  }
}

int IndexCheck::differentiations(int j) const {
  std::set<int> states = equations[static_cast<std::size_t>(j)].states;
  for (int n = 1; n <= static_cast<int>(rates.size()); ++n) {
    std::set<int> next;
    for (const int i : states) {
      const FormulaUses& rate = rates[static_cast<std::size_t>(i)];
      if (!rate.algebraics.empty()) return n;
      next.insert(rate.states.begin(), rate.states.end());
    }
    states = std::move(next);
  }
  return 0;
}

bool IndexCheck::assign(int j, std::vector<bool>& seen, std::vector<int>& equation_of) const {
  for (const int i : equations[static_cast<std::size_t>(j)].algebraics) {
    const auto at = static_cast<std::size_t>(i);
    if (seen[at]) continue;
    seen[at] = true;
    if (equation_of[at] >= 0 && !assign(equation_of[at], seen, equation_of)) continue;
    equation_of[at] = j;
    return true;
  }
  return false;
}

}  // namespace parfait::dynamics
