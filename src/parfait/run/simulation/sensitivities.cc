#include "parfait/run/simulation/sensitivities.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "parfait/base/error.h"

namespace parfait::run {
namespace {

constexpr std::string_view kInitial = "initial:";

int find(const std::string& typed, const std::string& name, const char* kind, const char* kinds,
         const std::vector<std::string>& candidates) {
  const auto found = std::find(candidates.begin(), candidates.end(), name);
  if (found != candidates.end()) return static_cast<int>(found - candidates.begin());
  throw base::InputError(candidates.empty()
                             ? fmt::format("--sensitivity {}: the model has no {}.", typed, kinds)
                             : fmt::format("--sensitivity {}: there is no {} \"{}\".{} {}{}: {}.",
                                           typed, kind, name, base::suggestion(name, candidates),
                                           static_cast<char>(kinds[0] - 'a' + 'A'), kinds + 1,
                                           base::listing(candidates)));
}

}  // namespace

Sensitivities make_sensitivities(const dynamics::System& system,
                                 const std::vector<std::string>& names) {
  const int k = static_cast<int>(names.size());
  Sensitivities s{names, {system.sizes().np, k}, {system.sizes().ny(), k}};
  std::vector<std::string> parameters;
  for (const auto& p : system.parameters()) parameters.push_back(p.id);
  const auto states = system.state_names();
  for (int j = 0; j < k; ++j) {
    const auto& name = names[j];
    if (std::count(names.begin(), names.end(), name) > 1) {
      throw base::InputError(fmt::format("--sensitivity {}: given twice.", name));
    }
    if (name.starts_with(kInitial)) {
      s.dy0(find(name, name.substr(kInitial.size()), "state", "states", states), j) = 1;
      continue;
    }
    const auto has = [&](const auto& list) { return std::ranges::find(list, name) != list.end(); };
    if (!has(parameters) && has(states)) {
      throw base::InputError(fmt::format(
          "--sensitivity {0}: is a state; write initial:{0} for its initial value.", name));
    }
    s.dp(find(name, name, "parameter", "parameters", parameters), j) = 1;
  }
  return s;
}

}  // namespace parfait::run
