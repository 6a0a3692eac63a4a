#include "parfait/estimate/design/planned_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/horizon.h"

namespace parfait::estimate {

namespace design_planned {
namespace {

[[noreturn]] void fail(const Place& place, const PlannedExperiment& planned,
                       const std::string& message) {
  throw base::InputError(place, fmt::format("experiment \"{}\": {}", planned.base.id, message));
}

void check_input(const PlannedExperiment& planned, const PlannedInput& input) {
  const auto bad = [&](const std::string& message) {
    fail(input.place, planned, fmt::format("input \"{}\": {}", input.id, message));
  };
  if (input.pieces < 1) bad("must have at least one piece.");
  if (!(input.upper > input.lower) || !std::isfinite(input.upper - input.lower)) {
    bad(fmt::format("lower = {:g}, upper = {:g}: both must be finite, upper the larger one.",
                    input.lower, input.upper));
  }
  if (!(input.to > input.from)) bad("must end later than it begins.");
  const auto n = input.initial.size();
  if (n > 1 && n != static_cast<std::size_t>(input.num_values())) {
    bad(fmt::format("{} initial values for {} pieces: must be one, or {}.", n, input.pieces,
                    input.num_values()));
  }
  for (const double value : input.initial) {
    if (value < input.lower || value > input.upper) {
      bad(fmt::format("the initial value {:g} lies outside its bounds.", value));
    }
  }
  if (input.rate && !(*input.rate > 0)) bad("a rate must be > 0.");
  if (input.free_breaks && input.shape != PlannedInput::Shape::kConstant) {
    bad("only constant pieces have free breaks.");
  }
  if (input.free_breaks && input.saturation != Saturation::kNone) {
    bad("values that saturate never reach their bounds: no free breaks.");
  }
  if (input.free_breaks && input.rate) bad("free breaks have no rate: jumps have none.");
  if (!planned.with_inputs) bad("the experiment's model has no inputs.");
}

double initial_of(const PlannedExperiment& planned, const PlannedVariable& variable) {
  const auto bad = [&](const std::string& message) {
    fail(variable.place, planned, fmt::format("variable \"{}\": {}", variable.id, message));
  };
  const auto& system = *planned.base.system;
  double value = 0;
  std::vector<std::string> known;
  switch (variable.kind) {
    case PlannedVariable::Kind::kParameter: {
      for (const auto& info : system.parameters()) {
        known.push_back(info.id);
        if (info.id == variable.id) value = info.initial;
      }
      if (std::ranges::find(known, variable.id) == known.end()) {
        bad(fmt::format("is not a parameter of the model.{} Parameters: {}.",
                        base::suggestion(variable.id, known), base::listing(known)));
      }
      for (const auto& set : planned.base.sets) {
        if (set.parameter == variable.id) value = set.value;
      }
      break;
    }
    case PlannedVariable::Kind::kState: {
      known = system.state_names();
      const auto at = std::ranges::find(known, variable.id);
      if (at == known.end()) {
        bad(fmt::format("is not a state of the model.{} States: {}.",
                        base::suggestion(variable.id, known), base::listing(known)));
      }
      value = system.initial_state()[static_cast<std::size_t>(at - known.begin())];
      for (const auto& initial : planned.base.initial) {
        if (initial.state == variable.id) value = initial.value.value_or(value);
      }
      break;
    }
    case PlannedVariable::Kind::kDuration:
      value = planned.base.samples->all_times().back();
      if (!(variable.lower > 0)) bad("the shortest duration must be > 0.");
      break;
  }
  if (!(variable.upper > variable.lower) || !std::isfinite(variable.upper - variable.lower)) {
    bad(fmt::format("lower = {:g}, upper = {:g}: both must be finite, upper the larger one.",
                    variable.lower, variable.upper));
  }
  if (variable.initial) {
    value = *variable.initial;
    if (value < variable.lower || value > variable.upper) {
      bad(fmt::format("initial = {:g} lies outside its bounds.", value));
    }
  }
  return std::clamp(value, variable.lower, variable.upper);
}

void set_parameter(ExperimentDescription& e, const std::string& id, double value) {
  for (auto& set : e.sets) {
    if (set.parameter != id) continue;
    set.value = value;
    set.estimate.clear();
    return;
  }
  e.sets.push_back({.parameter = id, .value = value});
}

void set_state(ExperimentDescription& e, const std::string& id, double value) {
  InitialState::Kind kind = InitialState::Kind::kFixed;
  double sigma = 1, scale = 1;
  for (auto& initial : e.initial) {
    if (initial.state == id) {
      initial.value = value;
      return;
    }
    if (initial.state.empty()) {
      kind = initial.kind;
      sigma = initial.sigma;
      scale = initial.scale;
    }
  }
  e.initial.push_back({.state = id, .kind = kind, .value = value, .sigma = sigma, .scale = scale});
}

/// On how much of the time from `from` to `to` value k acts, relative to the mean of all: what
/// makes a slope of values one of the function u(t).
double metric_of(const PlannedInput& input, const InputForm& form, std::size_t k) {
  const auto n = form.lengths.size();
  const double sum = std::accumulate(form.lengths.begin(), form.lengths.end(), 0.0);
  double own = 0;
  if (input.shape == PlannedInput::Shape::kConstant) {
    own = form.lengths[k];
  } else {
    own = ((k > 0 ? form.lengths[k - 1] : 0) + (k < n ? form.lengths[k] : 0)) / 2;
  }
  return own / sum * static_cast<double>(n);
}

/// Breaks of the pieces: from = t_0 < ... < t_n = to.
std::vector<double> breaks_of(const PlannedInput& input, const InputForm& form, double stretch) {
  std::vector<double> t = {input.from * stretch};
  const double sum = std::accumulate(form.lengths.begin(), form.lengths.end(), 0.0);
  double at = 0;
  for (const double length : form.lengths) {
    at += length;
    t.push_back(stretch * (input.from + (input.to - input.from) * at / sum));
  }
  t.back() = input.to * stretch;
  return t;
}

}  // namespace
}  // namespace design_planned

double saturated(Saturation saturation, double w) {
  switch (saturation) {
    case Saturation::kExponential:
      return 1 / (1 + std::exp(-4 * w));
    case Saturation::kArctan:
      return 0.5 + std::atan(std::numbers::pi * w) / std::numbers::pi;
    case Saturation::kNone:
      break;
  }
  return w;
}

double unsaturated(Saturation saturation, double share) {
  // At a bound the saturation has no slope, and w no end: a start there begins just beside it.
  const double inside = std::clamp(share, 1e-3, 1 - 1e-3);
  switch (saturation) {
    case Saturation::kExponential:
      return std::log(inside / (1 - inside)) / 4;
    case Saturation::kArctan:
      return std::tan(std::numbers::pi * (inside - 0.5)) / std::numbers::pi;
    case Saturation::kNone:
      break;
  }
  return share;
}

const char* text(PlannedInput::Shape shape) {
  switch (shape) {
    case PlannedInput::Shape::kConstant:
      return "constant";
    case PlannedInput::Shape::kLinear:
      return "linear";
    case PlannedInput::Shape::kCubic:
      return "cubic";
  }
  return "";
}

DesignSpace::DesignSpace(std::vector<PlannedExperiment> planned) : planned_(std::move(planned)) {
  for (const PlannedExperiment& e : planned_) {
    auto& forms = forms_.emplace_back();
    for (const PlannedInput& input : e.inputs) {
      design_planned::check_input(e, input);
      InputForm form;
      const double middle = std::clamp(0.0, input.lower, input.upper);
      form.values.assign(static_cast<std::size_t>(input.num_values()),
                         input.initial.empty() ? middle : input.initial.front());
      if (input.initial.size() > 1) form.values = input.initial;
      form.lengths.assign(static_cast<std::size_t>(input.pieces), 1.0);
      forms.push_back(std::move(form));
    }
  }
  list_variables();
}

void DesignSpace::list_variables() {
  variables_.clear();
  for (std::size_t e = 0; e < planned_.size(); ++e) {
    const PlannedExperiment& planned = planned_[e];
    const std::string whose = planned_.size() > 1 ? planned.base.id + ": " : "";
    for (std::size_t i = 0; i < planned.variables.size(); ++i) {
      const PlannedVariable& v = planned.variables[i];
      const bool is_state = v.kind == PlannedVariable::Kind::kState;
      variables_.push_back({.kind = DesignVariable::Kind::kPlanned,
                            .experiment = static_cast<int>(e),
                            .which = static_cast<int>(i),
                            .name = whose + v.id + (is_state ? "(0)" : ""),
                            .lower = v.lower,
                            .upper = v.upper,
                            .initial = design_planned::initial_of(planned, v)});
    }
    for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
      const PlannedInput& input = planned.inputs[i];
      const InputForm& form = forms_[e][i];
      for (std::size_t k = 0; k < form.values.size() && form.vary_values; ++k) {
        variables_.push_back({.kind = DesignVariable::Kind::kInputValue,
                              .experiment = static_cast<int>(e),
                              .which = static_cast<int>(i),
                              .index = static_cast<int>(k),
                              .name = fmt::format("{}{}[{}]", whose, input.id, k + 1),
                              .lower = input.lower,
                              .upper = input.upper,
                              .initial = form.values[k],
                              .saturation = input.saturation,
                              .metric = design_planned::metric_of(input, form, k)});
      }
      for (std::size_t k = 0; k < form.lengths.size() && form.vary_lengths; ++k) {
        // The sum does not matter, so that the bounds do not bind.
        variables_.push_back({.kind = DesignVariable::Kind::kInputLength,
                              .experiment = static_cast<int>(e),
                              .which = static_cast<int>(i),
                              .index = static_cast<int>(k),
                              .name = fmt::format("{}{}.length[{}]", whose, input.id, k + 1),
                              .lower = 1e-4,
                              .upper = 1,
                              .initial = form.lengths[k]});
      }
    }
  }
}

std::vector<double> DesignSpace::initial() const {
  std::vector<double> d;
  d.reserve(variables_.size());
  for (const auto& v : variables_) d.push_back(v.initial);
  return d;
}

namespace design_planned {
namespace {

/// By how much the times of experiment e are stretched.
double stretch_of(const DesignSpace& space, int e, const std::vector<double>& d) {
  const PlannedExperiment& planned = space.planned()[static_cast<std::size_t>(e)];
  for (std::size_t i = 0; i < d.size(); ++i) {
    const DesignVariable& v = space.variables()[i];
    if (v.experiment != e || v.kind != DesignVariable::Kind::kPlanned) continue;
    const auto& variable = planned.variables[static_cast<std::size_t>(v.which)];
    if (variable.kind == PlannedVariable::Kind::kDuration) {
      return d[i] / planned.base.samples->all_times().back();
    }
  }
  return 1;
}

}  // namespace
}  // namespace design_planned

std::vector<dynamics::Input> DesignSpace::inputs(int e, const std::vector<double>& d) const {
  const PlannedExperiment& planned = planned_[static_cast<std::size_t>(e)];
  std::vector<InputForm> forms = forms_[static_cast<std::size_t>(e)];
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const DesignVariable& v = variables_[i];
    if (v.experiment != e || v.kind == DesignVariable::Kind::kPlanned) continue;
    InputForm& form = forms[static_cast<std::size_t>(v.which)];
    auto& list = v.kind == DesignVariable::Kind::kInputValue ? form.values : form.lengths;
    list[static_cast<std::size_t>(v.index)] = d[i];
  }
  const double stretch = design_planned::stretch_of(*this, e, d);
  std::vector<dynamics::Input> out;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const PlannedInput& input = planned.inputs[i];
    dynamics::Input& table = out.emplace_back();
    table.id = input.id;
    table.t = design_planned::breaks_of(input, forms[i], stretch);
    table.value = forms[i].values;
    switch (input.shape) {
      case PlannedInput::Shape::kConstant:
        table.t.pop_back();
        table.interpolation = expr::Interpolation::kPrevious;
        break;
      case PlannedInput::Shape::kLinear:
        table.interpolation = expr::Interpolation::kLinear;
        break;
      case PlannedInput::Shape::kCubic:
        table.interpolation = expr::Interpolation::kCubic;
        break;
    }
  }
  return out;
}

ExperimentDescription DesignSpace::experiment(int e, const std::vector<double>& d) const {
  const PlannedExperiment& planned = planned_[static_cast<std::size_t>(e)];
  ExperimentDescription out = planned.base;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const DesignVariable& v = variables_[i];
    if (v.experiment != e || v.kind != DesignVariable::Kind::kPlanned) continue;
    const PlannedVariable& variable = planned.variables[static_cast<std::size_t>(v.which)];
    if (variable.kind == PlannedVariable::Kind::kParameter) {
      design_planned::set_parameter(out, variable.id, d[i]);
    } else if (variable.kind == PlannedVariable::Kind::kState) {
      design_planned::set_state(out, variable.id, d[i]);
    }
  }
  const double stretch = design_planned::stretch_of(*this, e, d);
  if (stretch != 1) {
    out.samples->times = out.samples->all_times();
    for (double& t : out.samples->times) t *= stretch;
    for (auto& requirement : out.requirements) {
      for (auto& term : requirement.terms) {
        if (term.at) *term.at *= stretch;
      }
    }
    if (out.end) *out.end *= stretch;
  }
  if (!planned.inputs.empty()) out.system = planned.with_inputs(inputs(e, d));
  const std::string file = out.data.file;
  out.data = sample_table(*out.samples, out.data.time, out.observations);
  out.data.file = file;
  return out;
}

std::vector<double> DesignSpace::rate_conditions(const std::vector<double>& d) const {
  std::vector<double> out;
  for (std::size_t e = 0; e < planned_.size(); ++e) {
    const PlannedExperiment& planned = planned_[e];
    const bool any = std::ranges::any_of(planned.inputs,
                                         [](const PlannedInput& i) { return i.rate.has_value(); });
    if (!any) continue;
    const auto tables = inputs(static_cast<int>(e), d);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const PlannedInput& input = planned.inputs[i];
      if (!input.rate) continue;
      const double range = input.upper - input.lower;
      for (std::size_t k = 1; k < tables[i].value.size(); ++k) {
        const double most = *input.rate * (tables[i].t[k] - tables[i].t[k - 1]);
        const double change = tables[i].value[k] - tables[i].value[k - 1];
        out.push_back((most - change) / range);
        out.push_back((most + change) / range);
      }
    }
  }
  return out;
}

bool DesignSpace::has_free_breaks() const {
  return std::ranges::any_of(planned_, [](const PlannedExperiment& e) {
    return std::ranges::any_of(e.inputs, &PlannedInput::free_breaks);
  });
}

DesignSpace DesignSpace::with_switching_times(std::vector<double>& d) const {
  DesignSpace out = *this;
  for (std::size_t e = 0; e < planned_.size(); ++e) {
    const auto tables = inputs(static_cast<int>(e), d);
    const double stretch = design_planned::stretch_of(*this, static_cast<int>(e), d);
    for (std::size_t i = 0; i < planned_[e].inputs.size(); ++i) {
      PlannedInput& input = out.planned_[e].inputs[i];
      InputForm& form = out.forms_[e][i];
      form.values = tables[i].value;
      if (!input.free_breaks) continue;
      std::vector<double> t = tables[i].t;
      t.push_back(input.to * stretch);
      // What lies between the bounds stands for a switch inside the piece: its mean decides where.
      std::vector<double> values, lengths;
      const auto add = [&](double value, double length) {
        if (!(length > 0)) return;
        if (!values.empty() && values.back() == value) {
          lengths.back() += length;
        } else {
          values.push_back(value);
          lengths.push_back(length);
        }
      };
      const double range = input.upper - input.lower;
      for (std::size_t k = 0; k < form.values.size(); ++k) {
        const double length = t[k + 1] - t[k];
        const double high = std::clamp((form.values[k] - input.lower) / range, 0.0, 1.0);
        if (high < 1e-6 || high > 1 - 1e-6) {
          add(high > 0.5 ? input.upper : input.lower, length);
          continue;
        }
        const bool after_high = !values.empty() && values.back() == input.upper;
        if (after_high) {
          add(input.upper, high * length);
          add(input.lower, (1 - high) * length);
        } else {
          add(input.lower, (1 - high) * length);
          add(input.upper, high * length);
        }
      }
      const double longest = *std::ranges::max_element(lengths);
      for (double& length : lengths) length = std::max(0.7 * length / longest, 2e-4);
      form.values = values;
      form.lengths = lengths;
      form.vary_values = false;
      form.vary_lengths = true;
      input.pieces = static_cast<int>(values.size());
      input.initial = values;
    }
  }
  // Where the planned variables stand now.
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const DesignVariable& v = variables_[i];
    if (v.kind != DesignVariable::Kind::kPlanned) continue;
    out.planned_[static_cast<std::size_t>(v.experiment)]
        .variables[static_cast<std::size_t>(v.which)]
        .initial = d[i];
  }
  out.list_variables();
  d = out.initial();
  return out;
}

DesignSpace DesignSpace::with_lengths(int e, const std::vector<double>& lengths) const {
  DesignSpace out = *this;
  out.forms_[static_cast<std::size_t>(e)].front().lengths = lengths;
  out.list_variables();
  return out;
}

}  // namespace parfait::estimate
