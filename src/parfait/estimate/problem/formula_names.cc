#include "parfait/estimate/problem/formula_names.h"

#include <algorithm>

#include "parfait/expr/formula.h"

namespace parfait::estimate {
namespace {

/// What an error says besides its place.
std::string message_of(const base::InputError& error) {
  const std::string what = error.what();
  const std::string place = error.place().text();
  return place.empty() ? what : what.substr(place.size() + 2);
}

/// Quantities of a system; what the system says about a name it does not have is kept.
class QuantityScope final : public expr::Scope {
 public:
  QuantityScope(const dynamics::System& system, const std::vector<std::string>& others)
      : system_(system), others_(others) {}

  int find(std::string_view name) override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<int>(i);
    }
    const std::string quantity(name);
    try {
      static_cast<void>(system_.make_observer({&quantity, 1}));
    } catch (const base::InputError& error) {
      if (std::ranges::find(others_, quantity) != others_.end()) {
        names_.push_back(quantity);
        return static_cast<int>(names_.size()) - 1;
      }
      complaint_ = message_of(error);
      // The name was a formula of its own; where it stands in ours is known better here.
      const std::string_view alone = ", character 1: ";
      const auto at = complaint_.find(alone);
      if (at != std::string::npos) complaint_.erase(0, at + alone.size());
      return -1;
    }
    names_.push_back(quantity);
    return static_cast<int>(names_.size()) - 1;
  }
  std::vector<std::string> names() const override { return names_; }

  const std::string& complaint() const { return complaint_; }

 private:
  const dynamics::System& system_;
  const std::vector<std::string>& others_;
  std::vector<std::string> names_;
  std::string complaint_;
};

std::vector<std::string> used_names(const expr::Formula& formula, const expr::Scope& scope) {
  const auto names = scope.names();
  std::vector<std::string> used;
  for (const int slot : formula.used_slots()) used.push_back(names[static_cast<std::size_t>(slot)]);
  return used;
}

}  // namespace

std::vector<std::string> names_in(const FormulaText& formula, const dynamics::System& system,
                                  const Subject& subject, const std::vector<std::string>& others) {
  QuantityScope scope(system, others);
  try {
    return used_names(expr::Formula(formula.text, scope, formula.place), scope);
  } catch (const base::InputError& error) {
    subject.fail_at(error.place(),
                    scope.complaint().empty() ? message_of(error) : scope.complaint());
  }
}

std::vector<std::string> names_in(const FormulaText& formula, const std::vector<std::string>& known,
                                  const Subject& subject) {
  expr::Names scope(known);
  try {
    return used_names(expr::Formula(formula.text, scope, formula.place), scope);
  } catch (const base::InputError& error) {
    subject.fail_at(error.place(), message_of(error));
  }
}

bool varies(const std::vector<std::string>& names, const dynamics::System& system,
            const std::vector<std::string>& estimated) {
  const auto contains = [](const std::vector<std::string>& all, const std::string& name) {
    return std::ranges::find(all, name) != all.end();
  };
  const auto states = system.state_names();
  const auto& parameters = system.parameters();
  return std::ranges::any_of(names, [&](const std::string& name) {
    const bool is_parameter =
        !contains(states, name) &&
        std::ranges::any_of(parameters, [&](const auto& p) { return p.id == name; });
    return is_parameter ? contains(estimated, name) : name != "t";
  });
}

}  // namespace parfait::estimate
