#include "earlier_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/io/text_file.h"
#include "parfait/math/finite.h"
#include "run_folder.h"
#include "variable_layout.h"

namespace parfait::app {
namespace {

using estimate::Estimate;
using estimate::InitialState;

double number_or_nan(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

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

}  // namespace

EarlierFit::EarlierFit(const std::filesystem::path& file) : file_(file.string()) {
  const auto path = std::filesystem::is_directory(file) ? file / "result.json" : file;
  const auto json = Json::parse(io::read_text_file(path), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("program", "") != "parfait" ||
      json.value("command", "") != "fit") {
    throw base::InputError(fmt::format("--start {}: is not a result.json of parfait fit.", file_));
  }
  try {
    const auto read = [](const Json& list, std::map<Name, double>& values) {
      for (const auto& item : list) {
        const std::string experiment =
            item.contains("experiment") ? item.at("experiment").get<std::string>() : "";
        values[{experiment, item.at("id").get<std::string>()}] = number_or_nan(item.at("value"));
      }
    };
    read(json.at("parameters"), parameters_);
    read(json.at("initial_states"), states_);
    variables_ = json.at("variables").at("names").get<std::vector<std::string>>();
    for (const auto& x : json.at("variables").at("x")) x_.push_back(number_or_nan(x));
    for (const auto& experiment : json.at("experiments")) {
      if (!experiment.contains("nodes")) continue;
      const auto& nodes = experiment.at("nodes");
      auto& own = nodes_[experiment.at("id").get<std::string>()];
      own.names = nodes.at("states").get<std::vector<std::string>>();
      own.times = nodes.at("t").get<std::vector<double>>();
      for (const auto& node : nodes.at("values")) {
        auto& values = own.values.emplace_back();
        for (const auto& x : node) values.push_back(number_or_nan(x));
      }
    }
  } catch (const Json::exception&) {
    throw base::InputError(fmt::format(
        "--start {}: a field is missing or damaged; the file was not written by this version.",
        file_));
  }
}

void EarlierFit::become_initial(estimate::Problem& problem) const {
  bool any = false;
  const auto take = [&](Estimate& estimate, const std::string& experiment) {
    const auto found = parameters_.find({experiment, estimate.parameter});
    if (found == parameters_.end()) return;
    any = true;
    move_initial(estimate, found->second);
  };
  for (auto& estimate : problem.estimates) take(estimate, "");
  for (auto& experiment : problem.experiments) {
    for (auto& local : experiment.locals) take(local, experiment.id);
    for (const auto& [name, value] : states_) {
      if (name.first != experiment.id || !std::isfinite(value)) continue;
      any = true;
      if (auto* state = free_state(experiment.initial, name.second)) state->value = value;
    }
  }
  if (any) return;
  throw base::InputError(fmt::format(
      "--start {}: has no parameter of this problem. Is it the result of another one?", file_));
}

std::optional<Eigen::VectorXd> EarlierFit::make_start(const estimate::Problem& problem) const {
  estimate::Team alone;
  const auto ensemble = estimate::make_ensemble(problem, alone);
  if (variable_layout(*ensemble) != variables_ || x_.size() != variables_.size()) return {};
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(x_.data(), ensemble->num_variables());
  const auto& shared = ensemble->shared();
  x.head(shared.size()) = shared.initial();
  for (int e = 0; e < ensemble->num_experiments(); ++e) {
    const auto& experiment = ensemble->experiment(e);
    const int offset = ensemble->offset_of(e);
    x.segment(offset + experiment.first_local(), experiment.locals().size()) =
        experiment.locals().initial();
    // Scales of states may have changed since: nodes are taken in their own units.
    const auto nodes = nodes_.find(experiment.id());
    const auto states = experiment.node_states();
    if (nodes == nodes_.end() || nodes->second.values.size() != states.times.size()) continue;
    for (std::size_t i = 0; i < states.times.size(); ++i) {
      const auto& values = nodes->second.values[i];
      if (states.first[i] < 0 || values.size() != states.names.size()) continue;
      for (std::size_t j = 0; j < values.size(); ++j) {
        const auto at = static_cast<Eigen::Index>(j);
        x[offset + states.first[i] + at] = values[j] / states.scale[at];
      }
    }
    for (const auto& state : experiment.initial_unknowns()) {
      const auto found = states_.find({experiment.id(), state.state});
      if (found != states_.end()) x[offset + state.index] = found->second / state.scale;
    }
  }
  if (!math::all_finite(x)) return {};
  return x;
}

}  // namespace parfait::app
