#include <algorithm>

#include "parfait/dynamics/formula_data.h"

namespace parfait::dynamics {

FormulaScope::FormulaScope(const FormulaData& data, bool with_rates) : data_(data) {
  const auto add_all = [&](const std::vector<std::string>& names, int slot) {
    for (const auto& name : names) add(name, slot++);
  };
  add("t", data.slots.t);
  add_all(data.state_names, data.slots.y);
  add_all(data.algebraic_names, data.slots.z);
  for (int i = 0; i < data.sizes.np; ++i) add(data.parameters[i].id, data.slots.p + i);
  add_all(data.definition_names, data.slots.definitions);
  for (int i = 0; with_rates && i < data.sizes.ne; ++i) {
    add(data.state_names[i] + ".rate", data.slots.rates + i);
  }
}

int FormulaScope::find(std::string_view name) {
  // A parameter that is a state is found as the state, which comes first.
  for (const auto& [known, slot] : names_) {
    if (known == name) return slot;
  }
  return -1;
}

std::vector<std::string> FormulaScope::names() const {
  std::vector<std::string> all;
  for (const auto& [name, slot] : names_) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  for (const auto& [name, table] : data_.inputs) all.push_back(name);
  return all;
}

const expr::Table* FormulaScope::table(std::string_view name) {
  for (const auto& [known, table] : data_.inputs) {
    if (known == name) return &table;
  }
  return nullptr;
}

FormulaChain make_chain(const FormulaData& data, const std::vector<FormulaStep>& outputs) {
  std::vector<bool> needed(static_cast<std::size_t>(data.slots.size), false);
  const auto need = [&](const FormulaStep& step) {
    for (const int slot : step.formula.used_slots()) needed[slot] = true;
  };
  for (const auto& step : outputs) need(step);
  FormulaChain chain;
  std::vector<FormulaStep> rates;
  for (const auto& step : data.rates) {
    if (needed[step.slot]) rates.push_back(step);
  }
  for (const auto& step : rates) need(step);
  // A definition reads only those before it.
  for (auto step = data.definitions.rbegin(); step != data.definitions.rend(); ++step) {
    if (needed[step->slot]) need(*step);
  }
  for (const auto& step : data.definitions) {
    if (needed[step.slot]) chain.add(step);
  }
  for (const auto& step : rates) chain.add(step);
  for (const auto& step : outputs) chain.add(step);
  return chain;
}

}  // namespace parfait::dynamics
