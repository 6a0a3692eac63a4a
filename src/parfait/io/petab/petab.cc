#include "parfait/io/petab/petab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/problem/sigma_formula.h"
#include "parfait/expr/formula.h"
#include "parfait/io/petab/petab_table.h"
#include "parfait/io/petab/petab_yaml.h"
#include "parfait/io/petab/sbml.h"
#include "parfait/io/text/number.h"

namespace parfait::io {

namespace petab {
namespace {

using base::InputError;
using base::Place;
using estimate::Estimate;
using estimate::ExperimentDescription;
using estimate::Observation;
using estimate::SetParameter;
using estimate::ValueScale;

/// Integration errors of values that are compared to ten digits.
constexpr double kRelativeTolerance = 1e-9, kAbsoluteTolerance = 1e-12;

std::optional<double> number_in(const std::string& cell) {
  const ParsedNumber parsed = parse_number(cell);
  if (parsed.kind != NumberKind::kNumber) return {};
  return parsed.value;
}

/// Nothing is said: the model's own value.
bool is_missing(const std::string& cell) {
  return cell.empty() || cell == "nan" || cell == "NaN" || cell == "NA";
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& yaml)
      : yaml_(yaml),
        files_(read_petab_yaml(yaml)),
        parameters_(files_.parameters),
        conditions_(read_all(files_.conditions)),
        measurements_(read_all(files_.measurements)),
        observables_(read_all(files_.observables)) {}

  PetabProblem read() {
    index_rows();
    std::set<std::string> given(condition_columns_.begin(), condition_columns_.end());
    for (int row = 0; row < parameters_.num_rows(); ++row) {
      given.insert(parameters_.required(row, "parameterId"));
    }
    SbmlModel sbml = read_sbml(files_.sbml, given);
    out_.model = std::move(sbml.model);
    out_.warnings = std::move(sbml.warnings);
    out_.model.file = (yaml_.parent_path() / "model.xml").string();
    out_.problem.file = yaml_.string();
    for (const auto& e : out_.model.parameters) model_parameters_.insert(e.id);
    for (const auto& e : out_.model.states) states_.insert(e.id);
    read_parameters();
    give_states_parameters();
    make_experiments();
    add_unused();
    system_ = dynamics::make_formula_system(out_.model);
    for (auto& e : out_.problem.experiments) e.system = system_;
    out_.problem.remarks = out_.warnings;
    auto& options = out_.problem.options;
    options.sigma_known = true;
    options.integrator_given = true;
    options.integrator.method = integrate::Method::kBdf;
    options.integrator.rtol = kRelativeTolerance;
    options.integrator.atol = kAbsoluteTolerance;
    return std::move(out_);
  }

 private:
  struct RowRef {
    const PetabTable* table = nullptr;
    int row = 0;
  };

  static std::vector<PetabTable> read_all(const std::vector<std::filesystem::path>& files) {
    return {files.begin(), files.end()};
  }

  void index_rows() {
    for (const PetabTable& table : conditions_) {
      for (int row = 0; row < table.num_rows(); ++row) {
        const std::string id = table.required(row, "conditionId");
        if (!condition_rows_.try_emplace(id, RowRef{&table, row}).second) {
          table.fail(row, fmt::format("condition \"{}\" is described twice.", id));
        }
      }
      for (const std::string& column : table.header()) {
        if (column == "conditionId" || column == "conditionName") continue;
        if (std::ranges::find(condition_columns_, column) == condition_columns_.end()) {
          condition_columns_.push_back(column);
        }
      }
    }
    for (const PetabTable& table : observables_) {
      for (int row = 0; row < table.num_rows(); ++row) {
        const std::string id = table.required(row, "observableId");
        if (!observable_rows_.try_emplace(id, RowRef{&table, row}).second) {
          table.fail(row, fmt::format("observable \"{}\" is described twice.", id));
        }
      }
    }
  }

  // -- parameters --------------------------------------------------------------------------------

  void read_parameters() {
    for (int row = 0; row < parameters_.num_rows(); ++row) {
      const std::string id = parameters_.required(row, "parameterId");
      if (!base::is_identifier(id)) {
        parameters_.fail(row, fmt::format("\"{}\" is not a name.", id));
      }
      const std::string flag = parameters_.required(row, "estimate");
      if (flag != "0" && flag != "1") {
        parameters_.fail(row, fmt::format("estimate = \"{}\": must be 0 or 1.", flag));
      }
      if (flag == "1") {
        out_.problem.estimates.push_back(read_estimate(row, id));
        estimated_.insert(id);
      } else {
        fixed_[id] = parameters_.number(row, "nominalValue");
      }
    }
    for (auto& parameter : out_.model.parameters) {
      const auto at = fixed_.find(parameter.id);
      if (at != fixed_.end()) parameter.initial = at->second;
    }
    for (const auto& estimate : out_.problem.estimates)
      check_no_state(estimate.parameter, estimate.place);
    for (const auto& [id, value] : fixed_) check_no_state(id, {});
  }

  void check_no_state(const std::string& id, const Place& place) const {
    const auto& definitions = out_.model.definitions;
    const bool is_defined =
        std::ranges::any_of(definitions, [&](const auto& d) { return d.id == id; });
    if (!states_.contains(id) && !is_defined) return;
    throw InputError(place.line > 0 ? place : Place{.file = files_.parameters.string()},
                     fmt::format("\"{}\" is given as a parameter, but the model computes it.", id));
  }

  Estimate read_estimate(int row, const std::string& id) {
    Estimate estimate{.parameter = id};
    estimate.place = parameters_.place(row);
    estimate.initial = parameters_.number(row, "nominalValue");
    estimate.lower = parameters_.number(row, "lowerBound");
    estimate.upper = parameters_.number(row, "upperBound");
    const std::string scale = parameters_.text(row, "parameterScale");
    if (scale == "log" || scale == "log10") {
      estimate.transform = Estimate::Transform::kLog;
    } else if (!scale.empty() && scale != "lin") {
      parameters_.fail(row,
                       fmt::format("parameterScale = \"{}\": must be lin, log or log10.", scale));
    }
    const std::string prior = parameters_.text(row, "objectivePriorType");
    if (is_missing(prior) || prior == "uniform" || prior == "parameterScaleUniform")
      return estimate;
    const bool of_scale = prior == "parameterScaleNormal";
    if (prior != "normal" && !of_scale) {
      parameters_.fail(row, fmt::format("objectivePriorType \"{}\" is not supported; normal, "
                                        "parameterScaleNormal and uniform ones are.",
                                        prior));
    }
    const auto values = parameters_.list(row, "objectivePriorParameters");
    const auto mean = values.size() == 2 ? number_in(values[0]) : std::nullopt;
    const auto sd = values.size() == 2 ? number_in(values[1]) : std::nullopt;
    if (!mean || !sd) {
      parameters_.fail(row,
                       "objectivePriorParameters: mean and standard deviation are expected, as "
                       "in \"0;1\".");
    }
    estimate.prior = {*mean, *sd};
    if (of_scale && scale == "log") estimate.prior->scale = ValueScale::kLog;
    if (of_scale && scale == "log10") estimate.prior->scale = ValueScale::kLog10;
    return estimate;
  }

  /// A condition may give the initial value of a state: it is then a parameter of its own.
  void give_states_parameters() {
    for (const std::string& column : condition_columns_) {
      if (!states_.contains(column)) continue;
      for (auto& state : out_.model.states) {
        if (state.id != column) continue;
        const auto own = number_in(state.initial.text);
        if (!own) {
          throw InputError(
              Place{.file = files_.conditions.front().string(), .line = 1},
              fmt::format("conditions give the initial value of \"{}\", which the model "
                          "computes by a formula; this is not supported.",
                          column));
        }
        const std::string id = "initial_" + column;
        out_.model.parameter(id, *own);
        model_parameters_.insert(id);
        state.initial = id;
        initial_of_[column] = id;
      }
    }
  }

  // -- experiments -------------------------------------------------------------------------------

  /// Value of a condition's cell: a number or an estimated parameter. Absent: the model's.
  std::optional<SetParameter> cell_of(const std::string& condition, const std::string& column,
                                      const Place& asked_at) const {
    const auto found = condition_rows_.find(condition);
    if (found == condition_rows_.end()) {
      throw InputError(asked_at, fmt::format("there is no condition \"{}\".", condition));
    }
    const auto& [table, row] = found->second;
    if (!table->has(column)) return {};
    const std::string cell = table->text(row, column);
    if (is_missing(cell)) return {};
    SetParameter set;
    const auto renamed = initial_of_.find(column);
    set.parameter = renamed != initial_of_.end() ? renamed->second : column;
    set.place = table->place(row);
    if (const auto value = number_in(cell)) {
      set.value = *value;
    } else if (const auto fixed = fixed_.find(cell); fixed != fixed_.end()) {
      set.value = fixed->second;
    } else if (estimated_.contains(cell)) {
      set.estimate = cell;
    } else {
      table->fail(row, fmt::format("{} = \"{}\": neither a number nor a parameter.", column, cell));
    }
    return set;
  }

  double model_value(const std::string& parameter) const {
    for (const auto& p : out_.model.parameters) {
      if (p.id == parameter) return p.initial.value_or(0);
    }
    return 0;
  }

  void make_experiments() {
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    std::set<std::string> ids;
    for (const PetabTable& table : measurements_) {
      for (int row = 0; row < table.num_rows(); ++row) {
        const std::string before = table.text(row, "preequilibrationConditionId");
        const std::string condition = table.required(row, "simulationConditionId");
        const std::string pre = is_missing(before) ? "" : before;
        const auto [at, is_new] =
            known.try_emplace({pre, condition}, out_.problem.experiments.size());
        if (is_new) {
          out_.problem.experiments.push_back(
              make_experiment(pre, condition, table.place(row), ids));
          groups_.emplace_back();
        }
        add_measurement(table, row, at->second);
      }
    }
    if (out_.problem.experiments.empty()) {
      throw InputError(Place{.file = files_.measurements.front().string()},
                       "there are no measurements.");
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) finish(i);
  }

  static std::string identifier(const std::string& text) {
    std::string out = text;
    for (char& c : out) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return base::is_identifier(out) ? out : "c_" + out;
  }

  ExperimentDescription make_experiment(const std::string& before, const std::string& condition,
                                        const Place& place, std::set<std::string>& ids) const {
    ExperimentDescription e;
    e.id = identifier(condition);
    if (!ids.insert(e.id).second) {
      e.id += "_after_" + identifier(before);
      for (int k = 2; !ids.insert(e.id).second; ++k) e.id += fmt::format("_{}", k);
    }
    e.place = place;
    e.begin = 0;
    for (const std::string& column : condition_columns_) {
      if (auto set = cell_of(condition, column, place)) e.sets.push_back(std::move(*set));
    }
    if (before.empty()) return e;
    estimate::Equilibrium equilibrium{.place = place};
    for (const std::string& column : condition_columns_) {
      auto set = cell_of(before, column, place);
      if (!set) {
        // The model's value, where the experiment has its own.
        const auto own = cell_of(condition, column, place);
        if (!own) continue;
        set = SetParameter{
            .parameter = own->parameter, .value = model_value(own->parameter), .place = own->place};
      }
      if (model_parameters_.contains(set->parameter)) equilibrium.sets.push_back(std::move(*set));
    }
    e.equilibrium = std::move(equilibrium);
    return e;
  }

  // -- measurements ------------------------------------------------------------------------------

  /// Measurements of one observable with the same overrides: a column.
  struct Group {
    Observation observation;
    std::string key;
    struct Cell {
      double t = 0, value = 0, sigma = 0;
    };
    std::vector<Cell> cells;
  };

  void add_measurement(const PetabTable& table, int row, std::size_t experiment) {
    const std::string id = table.required(row, "observableId");
    const auto found = observable_rows_.find(id);
    if (found == observable_rows_.end()) {
      table.fail(row, fmt::format("there is no observable \"{}\".", id));
    }
    const double t = time_of(table, row);
    const double value = table.number(row, "measurement");
    const auto noise = table.list(row, "noiseParameters");
    const std::string rule = found->second.table->text(found->second.row, "noiseFormula");
    // A number for every row is a column of the data.
    const bool is_column =
        noise.size() == 1 && number_in(noise[0]) && rule == fmt::format("noiseParameter1_{}", id);
    std::string key = id + "\t" + table.text(row, "observableParameters") + "\t";
    key += is_column ? "\tcolumn" : table.text(row, "noiseParameters");
    auto& groups = groups_[experiment];
    auto group = std::ranges::find(groups, key, &Group::key);
    if (group == groups.end()) {
      Group made{.observation = make_observation(found->second, id, table, row, is_column),
                 .key = key,
                 .cells = {}};
      const auto same = std::ranges::count_if(
          groups, [&](const Group& g) { return g.key.substr(0, g.key.find('\t')) == id; });
      made.observation.column = same == 0 ? id : fmt::format("{}.{}", id, same + 1);
      groups.push_back(std::move(made));
      group = groups.end() - 1;
    }
    group->cells.push_back({t, value, is_column ? *number_in(noise[0]) : 0});
  }

  static double time_of(const PetabTable& table, int row) {
    const std::string cell = table.required(row, "time");
    const ParsedNumber parsed = parse_number(cell);
    if (parsed.kind == NumberKind::kNotFinite) {
      table.fail(row, "measurements of a steady state (infinite time) are not supported.");
    }
    if (parsed.kind != NumberKind::kNumber || parsed.value < 0) {
      table.fail(row, fmt::format("time = \"{}\": must be a number >= 0.", cell));
    }
    return parsed.value;
  }

  Observation make_observation(const RowRef& described, const std::string& id,
                               const PetabTable& table, int row, bool is_column) {
    Observation o;
    o.place = described.table->place(described.row);
    const std::string formula = described.table->required(described.row, "observableFormula");
    const std::string noise = described.table->required(described.row, "noiseFormula");
    const auto observable_parameters = table.list(row, "observableParameters");
    const auto noise_parameters = table.list(row, "noiseParameters");
    const auto override_of = [&](const std::string& name) -> std::string {
      return overridden(name, id, observable_parameters, noise_parameters, table, row);
    };
    o.quantity = {with_numbers(estimate::with_names(formula, override_of)), o.place};
    const std::string transformation =
        described.table->text(described.row, "observableTransformation");
    if (transformation == "log") {
      o.noise.scale = ValueScale::kLog;
    } else if (transformation == "log10") {
      o.noise.scale = ValueScale::kLog10;
    } else if (!transformation.empty() && transformation != "lin") {
      described.table->fail(described.row,
                            fmt::format("observableTransformation = \"{}\": must be lin, log or "
                                        "log10.",
                                        transformation));
    }
    const std::string distribution = described.table->text(described.row, "noiseDistribution");
    if (distribution == "laplace") {
      o.noise.distribution = estimate::Noise::Distribution::kLaplace;
    } else if (!distribution.empty() && distribution != "normal") {
      described.table->fail(described.row,
                            fmt::format("noiseDistribution = \"{}\": must be normal or "
                                        "laplace.",
                                        distribution));
    }
    if (is_column) return o;
    // Other observables may stand in the formula of the noise.
    const std::string sigma = with_numbers(estimate::with_names(
        estimate::with_names(noise, override_of), [&](const std::string& name) {
          const auto other = observable_rows_.find(name);
          return other == observable_rows_.end() || known_to_model(name) ? std::string()
                 : name == id
                     ? "(" + o.quantity.text + ")"
                     : "(" + other->second.table->text(other->second.row, "observableFormula") +
                           ")";
        }));
    if (const auto constant = constant_value(sigma, o.place)) {
      o.sigma.absolute = *constant;
    } else {
      o.sigma.formula = {sigma, o.place};
    }
    return o;
  }

  /// What observableParameter2_x or noiseParameter1_x stands for in this row; `time` is our t.
  std::string overridden(const std::string& name, const std::string& id,
                         const std::vector<std::string>& observable,
                         const std::vector<std::string>& noise, const PetabTable& table,
                         int row) const {
    if (name == "time") return "t";
    for (const bool is_noise : {false, true}) {
      const std::string prefix = is_noise ? "noiseParameter" : "observableParameter";
      const std::string suffix = "_" + id;
      const bool fits = name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) &&
                        name.ends_with(suffix);
      if (!fits) continue;
      const std::string digits =
          name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
      const auto which = number_in(digits);
      const auto& values = is_noise ? noise : observable;
      if (!which) continue;
      const auto k = static_cast<std::size_t>(*which);
      if (k < 1 || k > values.size() || values[k - 1].empty()) {
        table.fail(
            row, fmt::format("{} needs entry {} of {}s, which is missing.", name, digits, prefix));
      }
      return number_in(values[k - 1]) ? "(" + values[k - 1] + ")" : values[k - 1];
    }
    return "";
  }

  bool known_to_model(const std::string& name) const {
    return model_parameters_.contains(name) || states_.contains(name) ||
           std::ranges::any_of(out_.model.definitions, [&](const auto& d) { return d.id == name; });
  }

  /// Parameters that are not estimated and that the model does not have are numbers, unless
  /// conditions change them.
  std::string with_numbers(const std::string& formula) const {
    return estimate::with_names(formula, [&](const std::string& name) {
      const auto at = fixed_.find(name);
      const bool is_condition =
          std::ranges::find(condition_columns_, name) != condition_columns_.end();
      if (at == fixed_.end() || known_to_model(name) || is_condition) return std::string();
      return "(" + number_text(at->second) + ")";
    });
  }

  static std::optional<double> constant_value(const std::string& formula, const Place& place) {
    expr::Names nothing;
    try {
      const expr::Formula compiled(formula, nothing, place);
      std::vector<double> scratch(compiled.scratch_size());
      return compiled.value(nullptr, scratch.data());
    } catch (const InputError&) {
      return {};  // it has names: they are checked with the model
    }
  }

  /// The columns of one experiment: rows ascend in time, replicates stand in rows of their own.
  void finish(std::size_t experiment) {
    ExperimentDescription& e = out_.problem.experiments[experiment];
    auto& groups = groups_[experiment];
    std::vector<double> times;
    std::map<double, int> most;  // measurements of one column at a time
    for (const Group& group : groups) {
      std::map<double, int> count;
      for (const auto& cell : group.cells) most[cell.t] = std::max(most[cell.t], ++count[cell.t]);
    }
    std::map<double, std::size_t> first;
    for (const auto& [t, n] : most) {
      first[t] = times.size();
      times.insert(times.end(), static_cast<std::size_t>(n), t);
    }
    e.data.header = {"t"};
    e.data.columns = {times};
    e.data.place = {.file = files_.measurements.front().string()};
    for (Group& group : groups) {
      std::map<double, std::size_t> used;
      std::vector<double> values(times.size(), std::nan("")), sigmas(times.size(), std::nan(""));
      for (const auto& cell : group.cells) {
        const std::size_t row = first[cell.t] + used[cell.t]++;
        values[row] = cell.value;
        sigmas[row] = cell.sigma;
      }
      e.data.header.push_back(group.observation.column);
      e.data.columns.push_back(std::move(values));
      if (group.key.ends_with("\tcolumn")) {
        group.observation.sigma.column = group.observation.column + ".sigma";
        e.data.header.push_back(group.observation.sigma.column);
        e.data.columns.push_back(std::move(sigmas));
      }
      e.observations.push_back(std::move(group.observation));
    }
    if (times.back() <= 0) e.end = 1;  // all at the start, but there is no interval without length
  }

  /// Estimated parameters that nothing uses are told and left out.
  void add_unused() {
    auto& estimates = out_.problem.estimates;
    std::erase_if(estimates, [&](const Estimate& estimate) {
      const std::string& id = estimate.parameter;
      const auto aliases = [&](const std::vector<SetParameter>& sets) {
        return std::ranges::any_of(sets, [&](const auto& s) { return s.estimate == id; });
      };
      const bool is_used =
          model_parameters_.contains(id) ||
          std::ranges::any_of(out_.problem.experiments, [&](const ExperimentDescription& e) {
            return estimate::observations_use(e, id) || aliases(e.sets) ||
                   (e.equilibrium && aliases(e.equilibrium->sets));
          });
      if (!is_used) {
        out_.warnings.push_back(
            fmt::format("parameter \"{}\" is to be estimated, but nothing depends on it", id));
      }
      return !is_used;
    });
    // Conditions of names that nothing uses.
    std::set<std::string> unused;
    for (auto& e : out_.problem.experiments) {
      std::erase_if(e.sets, [&](const SetParameter& s) {
        if (model_parameters_.contains(s.parameter) || estimate::observations_use(e, s.parameter)) {
          return false;
        }
        if (known_to_model(s.parameter)) {
          throw InputError(s.place,
                           fmt::format("a condition gives \"{}\", which a rule of the model "
                                       "decides.",
                                       s.parameter));
        }
        unused.insert(s.parameter);
        return true;
      });
    }
    for (const std::string& id : unused) {
      out_.warnings.push_back(fmt::format("conditions give \"{}\", but nothing depends on it", id));
    }
  }

  std::filesystem::path yaml_;
  PetabFiles files_;
  PetabTable parameters_;
  std::vector<PetabTable> conditions_, measurements_, observables_;
  PetabProblem out_;
  std::shared_ptr<const dynamics::System> system_;
  std::set<std::string> model_parameters_, states_, estimated_;
  std::map<std::string, double> fixed_;
  std::map<std::string, std::string> initial_of_;  ///< parameter that a state begins at
  std::map<std::string, RowRef> condition_rows_, observable_rows_;
  std::vector<std::string> condition_columns_;
  std::vector<std::vector<Group>> groups_;  ///< of each experiment
};

}  // namespace
}  // namespace petab

PetabProblem read_petab(const std::filesystem::path& yaml) {
  return petab::Reader(yaml).read();
}

bool is_petab_file(const std::filesystem::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

}  // namespace parfait::io
