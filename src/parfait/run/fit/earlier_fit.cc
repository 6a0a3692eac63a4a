#include "parfait/run/fit/earlier_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"
#include "parfait/math/finite.h"

namespace parfait::run {
namespace {

using estimate::Estimate;
using estimate::InitialState;

/// The scale of an unknown does not follow its initial value: |dx| means what it meant before.
void move_initial(Estimate& estimate, double value) {
  const bool is_log = estimate.transform == Estimate::Transform::kLog;
  if (!estimate.scale && !is_log) estimate.scale = std::max(std::abs(estimate.initial), 1.0);
  if (std::isfinite(value)) estimate.initial = std::clamp(value, estimate.lower, estimate.upper);
}

/// The entry that speaks about one state; made from the one about all if need be.
InitialState* free_state(std::vector<InitialState>& all, const std::string& state) {
  const auto is_named = [&](const InitialState& s) { return s.state == state; };
  const auto named = std::find_if(all.begin(), all.end(), is_named);
  if (named != all.end()) return named->kind == InitialState::Kind::kFree ? &*named : nullptr;
  const auto rest =
      std::find_if(all.begin(), all.end(), [](const InitialState& s) { return s.state.empty(); });
  if (rest == all.end() || rest->kind != InitialState::Kind::kFree) return nullptr;
  InitialState own = *rest;
  own.state = state;
  return &all.emplace_back(std::move(own));
}

const result::Nodes* nodes_of(const result::Fit& fit, const std::string& experiment) {
  for (const auto& e : fit.experiments) {
    if (e.id == experiment && e.nodes) return &*e.nodes;
  }
  return nullptr;
}

const double* initial_state_of(const result::Fit& fit, const std::string& experiment,
                               const std::string& state) {
  for (const auto& s : fit.initial_states) {
    if (s.experiment == experiment && s.id == state) return &s.value;
  }
  return nullptr;
}

}  // namespace

EarlierFit::EarlierFit(result::Fit fit, std::string source)
    : fit_(std::move(fit)), source_(std::move(source)) {}

EarlierFit EarlierFit::read(const std::filesystem::path& file) {
  const auto path = std::filesystem::is_directory(file) ? file / "result.json" : file;
  const std::string text = io::read_text_file(path);
  if (io::result_command(text) != "fit") {
    throw base::InputError(
        fmt::format("--start {}: is not a result.json of parfait fit.", file.string()));
  }
  try {
    return {io::read_fit_text(text, path.string()), file.string()};
  } catch (const base::InputError& error) {
    throw base::InputError(
        fmt::format("--start {}: a field is missing or damaged: {}", file.string(), error.what()));
  }
}

void EarlierFit::become_initial(estimate::Problem& problem) const {
  bool any = false;
  const auto take = [&](Estimate& estimate, const std::string& experiment) {
    const auto* found = fit_.find(estimate.parameter, experiment);
    if (found == nullptr) return;
    any = true;
    move_initial(estimate, found->value);
  };
  for (auto& estimate : problem.estimates) take(estimate, "");
  for (auto& experiment : problem.experiments) {
    for (auto& local : experiment.locals) take(local, experiment.id);
    for (const auto& earlier : fit_.initial_states) {
      if (earlier.experiment != experiment.id || !std::isfinite(earlier.value)) continue;
      any = true;
      if (auto* state = free_state(experiment.initial, earlier.id)) state->value = earlier.value;
    }
  }
  if (any) return;
  throw base::InputError(fmt::format(
      "--start {}: has no parameter of this problem. Is it the result of another one?", source_));
}

std::optional<Eigen::VectorXd> EarlierFit::make_start(
    const estimate::PreparedProblem& problem) const {
  const auto* const ensemble = &problem.ensemble();
  if (problem.variable_names() != fit_.variable_names ||
      fit_.x.size() != fit_.variable_names.size()) {
    return {};
  }
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(fit_.x.data(), ensemble->num_variables());
  const auto& shared = ensemble->shared();
  x.head(shared.size()) = shared.initial();
  for (int e = 0; e < ensemble->num_experiments(); ++e) {
    const auto& experiment = ensemble->experiment(e);
    const int offset = ensemble->offset_of(e);
    x.segment(offset + experiment.layout().first_local, experiment.layout().locals.size()) =
        experiment.layout().locals.initial();
    // Scales of states may have changed since: nodes are taken in their own units.
    const auto* nodes = nodes_of(fit_, experiment.id());
    const auto& states = experiment.layout().nodes;
    const auto num_nodes = static_cast<int>(states.times.size());
    const auto num_states = static_cast<int>(states.names.size());
    if (nodes == nullptr || nodes->values.rows != num_nodes) continue;
    for (int i = 0; i < num_nodes && nodes->values.cols == num_states; ++i) {
      const int first = states.first[static_cast<std::size_t>(i)];
      for (int j = 0; j < num_states && first >= 0; ++j) {
        x[offset + first + j] = nodes->values(i, j) / states.scale[j];
      }
    }
    for (const auto& state : experiment.layout().initial_unknowns) {
      const auto* value = initial_state_of(fit_, experiment.id(), state.state);
      if (value != nullptr) x[offset + state.index] = *value / state.scale;
    }
  }
  if (!math::all_finite(x)) return {};
  return x;
}

}  // namespace parfait::run
