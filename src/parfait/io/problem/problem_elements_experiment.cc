#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/io/problem/problem_elements.h"
#include "parfait/io/text/data_table.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {
namespace {

using estimate::Data;
using estimate::ExperimentDescription;
using estimate::Grid;
using estimate::InitialState;

/// `experiment "run1", observe "x"` before messages about the element.
void set_part(Element& element, const std::string& what) {
  element.set_context(element.context() + ", " + what);
}

/// Reads the attribute that names what the element is about, and puts it before messages.
std::string read_name(Element& element, const char* attribute) {
  const std::string whole = element.context();
  element.set_context(whole + ", " + element.name());
  const Text name = element.required_field(attribute);
  element.set_context(fmt::format("{}, {} \"{}\"", whole, element.name(), name.text));
  return name.text;
}

/// A table from a file, or the text of `<table>` inside the element.
struct TableSource {
  std::optional<Text> file;
  std::optional<Element> inside;

  TableSource(Element& element, const char* attribute)
      : file(element.attribute(attribute)), inside(element.child("table")) {
    if (file && file->text.empty()) {
      element.fail(file->place, fmt::format("\"{}\" is empty.", attribute));
    }
    if (!file || !inside) return;
    element.fail(inside->place(), fmt::format("give \"{}\" or a <table>, not both.", attribute));
  }
  bool empty() const { return !file && !inside; }
  /// The file that is named does not exist.
  bool is_missing(const std::filesystem::path& folder) const {
    return file && !std::filesystem::exists(folder / file->text);
  }

  Data read(const std::filesystem::path& folder, const std::string& experiment_id) {
    if (file) {
      const auto path = (folder / file->text).lexically_normal();
      Data data = read_data_table(read_text_file(path, file->place), path.string(), experiment_id);
      data.file = file->text;
      return data;
    }
    const Text text = inside->text();
    inside->finish();
    if (text.text.empty()) inside->fail(inside->place(), "<table> is empty.");
    // With blanks before it, columns of the first line are those of the file.
    const std::string padded =
        std::string(static_cast<std::size_t>(text.place.column - 1), ' ') + text.text;
    return read_data_table(padded, text.place.file, experiment_id, text.place.line);
  }
};

/// The time column as named, or the one called t or time.
void choose_time(const Element& element, const TableSource& source,
                 const std::optional<Text>& named, Data& data) {
  if (named) data.time = named->text;
  if (data.find_column(data.time) >= 0) return;
  if (!named && data.find_column("time") >= 0) {
    data.time = "time";
    return;
  }
  const base::Place place = named         ? named->place
                            : source.file ? source.file->place
                                          : source.inside->place();
  element.fail(place, named ? fmt::format("the data have no column \"{}\".{} Columns: {}.",
                                          data.time, base::suggestion(data.time, data.header),
                                          base::listing(data.header))
                            : fmt::format("the data have no column \"t\" or \"time\"; say which is "
                                          "the time with time=\"...\". Columns: {}.",
                                          base::listing(data.header)));
}

estimate::Sigma read_sigma(Element& element) {
  estimate::Sigma sigma;
  const auto absolute = element.field("sigma");
  const auto column = element.field("sigma_column");
  const auto relative = element.field("relative");
  const auto plus = element.field("absolute");
  if (absolute.has_value() + column.has_value() + (relative || plus) > 1) {
    element.fail(element.place(),
                 "give one of \"sigma\", \"sigma_column\", or \"relative\" and \"absolute\".");
  }
  if (absolute) {
    if (parse_number(absolute->text).kind != NumberKind::kNoNumber) {
      sigma.absolute = read_number(element, *absolute, "sigma");
    } else {
      sigma.formula = {absolute->text, absolute->place};
    }
  }
  if (column) sigma.column = column->text;
  if (relative || plus) sigma.absolute = plus ? read_number(element, *plus, "absolute") : 0;
  if (relative) sigma.relative = read_number(element, *relative, "relative");
  return sigma;
}

/// Distribution of the errors, and what is compared.
estimate::Noise read_noise(Element& element) {
  using Distribution = estimate::Noise::Distribution;
  estimate::Noise noise;
  const auto distribution = element.field("distribution");
  const auto df = element.field("df");
  const auto transform = element.field("transform");
  const bool is_log_normal = distribution && distribution->text == "log-normal";
  if (distribution && !is_log_normal) {
    noise.distribution = read_choice<Distribution>(element, *distribution, "distribution",
                                                   {{"normal", Distribution::kNormal},
                                                    {"log-normal", Distribution::kNormal},
                                                    {"laplace", Distribution::kLaplace},
                                                    {"student", Distribution::kStudent}});
  }
  if (is_log_normal) noise.scale = estimate::ValueScale::kLog;
  if (transform) {
    if (is_log_normal) {
      element.fail(
          transform->place,
          "log-normal errors are normal errors of the logarithm; leave out the transform.");
    }
    noise.scale = read_value_scale(element, *transform, "transform");
  }
  const bool is_student = noise.distribution == Distribution::kStudent;
  if (is_student != df.has_value()) {
    element.fail(df ? df->place : element.place(),
                 is_student ? "distribution=\"student\" needs its degrees of freedom df."
                            : "df is for distribution=\"student\" only.");
  }
  if (df) noise.df = read_number(element, *df, "df");
  return noise;
}

/// What the model says about the column: the attributes of one of the kinds.
void read_kind(Element& element, estimate::Observation& observation) {
  const estimate::ObservationKind* found = nullptr;
  Text key;
  for (const auto& kind : estimate::observation_kinds()) {
    const auto field = element.field(kind->key());
    if (!field) continue;
    if (found != nullptr) {
      element.fail(field->place,
                   fmt::format("give \"{}\" or \"{}\", not both.", found->key(), kind->key()));
    }
    found = kind.get();
    key = *field;
  }
  if (found == nullptr) element.fail_missing(estimate::kQuantityKind);
  observation.kind = found->key();
  if (observation.kind == estimate::kQuantityKind) {
    observation.quantity = {key.text, key.place};
  } else {
    observation.settings.push_back({.name = found->key(), .text = key.text, .place = key.place});
  }
  for (const auto& kind : estimate::observation_kinds()) {
    for (const auto& name : kind->attributes()) {
      const auto field = element.field(name);
      if (!field) continue;
      if (kind.get() != found) {
        element.fail(field->place,
                     fmt::format("\"{}\" belongs to observations by \"{}\".", name, kind->key()));
      }
      observation.settings.push_back({.name = name, .text = field->text, .place = field->place});
    }
  }
}

estimate::Observation read_observation(Element& element, const Data& data) {
  estimate::Observation observation;
  observation.place = element.place();
  observation.column = read_name(element, "column");
  read_kind(element, observation);
  const bool has_sigma = element.field("sigma") || element.field("sigma_column") ||
                         element.field("relative") || element.field("absolute");
  observation.sigma = read_sigma(element);
  observation.noise = read_noise(element);
  // A long table brings its own.
  const std::string noise = observation.column + ".sigma";
  if (!has_sigma && data.find_column(noise) >= 0) observation.sigma.column = noise;
  element.finish();
  return observation;
}

InitialState read_initial(Element& element) {
  InitialState initial;
  initial.place = element.place();
  const std::string whole = element.context();
  set_part(element, "initial");
  if (const auto state = element.field("state")) {
    initial.state = state->text;
    element.set_context(fmt::format("{}, initial \"{}\"", whole, initial.state));
  }
  const auto fixed = element.field("fixed");
  const auto sigma = element.field("sigma");
  initial.value = read_optional_number(element, "value");
  initial.scale = read_optional_number(element, "scale").value_or(initial.scale);
  if (sigma) initial.sigma = read_number(element, *sigma, "sigma");
  element.finish();
  if (!fixed && !sigma) {
    element.fail(element.place(),
                 "say fixed=\"true\", fixed=\"false\", or with sigma=\"...\" how well the value is "
                 "known.");
  }
  const bool is_fixed = fixed && read_flag(element, *fixed, "fixed");
  if (is_fixed && sigma) element.fail(sigma->place, "a fixed state has no sigma.");
  initial.kind = is_fixed ? InitialState::Kind::kFixed
                 : sigma  ? InitialState::Kind::kPrior
                          : InitialState::Kind::kFree;
  return initial;
}

Grid read_grid(Element& element, const std::filesystem::path& folder) {
  Grid grid;
  grid.place = element.place();
  set_part(element, "grid");
  const auto intervals = element.field("intervals");
  const auto times = element.field("times");
  const auto weight = element.field("weight");
  if (const auto end_node = element.field("end_node")) {
    grid.end_node = read_flag(element, *end_node, "end_node");
  }
  if (const auto nodes = element.field("nodes")) {
    grid.nodes = read_choice<Grid::Nodes>(element, *nodes, "nodes",
                                          {{"integrate", Grid::Nodes::kIntegrate},
                                           {"measured", Grid::Nodes::kMeasured},
                                           {"project", Grid::Nodes::kProject},
                                           {"average", Grid::Nodes::kAverage},
                                           {"given", Grid::Nodes::kGiven}});
  }
  TableSource values(element, "file");
  element.finish();
  if (intervals && times) {
    element.fail(times->place, "give \"intervals\" or \"times\", not both.");
  }
  if (intervals) grid.intervals = read_count(element, *intervals, "intervals");
  for (const auto& word : times ? split_list(*times) : std::vector<Text>{}) {
    grid.times.push_back(read_number(element, word, "times"));
  }
  const bool given = grid.nodes == Grid::Nodes::kGiven;
  if (weight && grid.nodes != Grid::Nodes::kAverage) {
    element.fail(weight->place, "a weight is for nodes=\"average\" only.");
  }
  if (weight) grid.weight = read_number(element, *weight, "weight");
  if (given == values.empty()) {
    element.fail(element.place(),
                 given ? "nodes=\"given\" needs their values: file=\"...\" or a <table>."
                       : "values of nodes are for nodes=\"given\" only.");
  }
  if (given) {
    grid.values = values.read(folder, "");
    choose_time(element, values, std::nullopt, grid.values);
    grid.file = grid.values.file;
  }
  return grid;
}

estimate::Samples read_samples(Element& element) {
  estimate::Samples samples;
  samples.place = element.place();
  set_part(element, "samples");
  const auto times = element.field("times");
  const auto from = read_optional_number(element, "from");
  const auto to = read_optional_number(element, "to");
  const auto count = element.field("count");
  element.finish();
  if (times) {
    if (from || to || count) {
      element.fail(times->place, "give \"times\", or \"from\", \"to\" and \"count\", not both.");
    }
    for (const auto& word : split_list(*times)) {
      samples.times.push_back(read_number(element, word, "times"));
    }
    return samples;
  }
  if (!to) element.fail_missing("to");
  if (!count) element.fail_missing("count");
  samples.from = from.value_or(0);
  samples.to = *to;
  samples.count = read_count(element, *count, "count");
  if (samples.count < 2) {
    element.fail(count->place, fmt::format("count = {}: must be at least 2.", samples.count));
  }
  if (!(samples.to > samples.from)) {
    element.fail(element.place(), fmt::format("samples from {} to {}: must end later than they "
                                              "begin.",
                                              samples.from, samples.to));
  }
  return samples;
}

estimate::StateBounds read_bounds(Element& element) {
  estimate::StateBounds bounds;
  bounds.place = element.place();
  bounds.state = read_name(element, "state");
  bounds.lower = read_optional_number(element, "lower").value_or(bounds.lower);
  bounds.upper = read_optional_number(element, "upper").value_or(bounds.upper);
  element.finish();
  return bounds;
}

estimate::SetParameter read_set_parameter(Element& element) {
  estimate::SetParameter set;
  set.place = element.place();
  set.parameter = read_name(element, "parameter");
  const Text value = element.required_field("value");
  if (base::is_identifier(value.text)) {
    set.estimate = value.text;
  } else {
    set.value = read_number(element, value, "value");
  }
  element.finish();
  return set;
}

estimate::Equilibrium read_equilibrium(Element& element) {
  estimate::Equilibrium equilibrium;
  equilibrium.place = element.place();
  set_part(element, "equilibrium");
  auto sets = element.children("set");
  element.finish();
  for (auto& set : sets) equilibrium.sets.push_back(read_set_parameter(set));
  return equilibrium;
}

ExperimentDescription::RowLocal read_row_local(Element& element) {
  ExperimentDescription::RowLocal row;
  row.place = element.place();
  row.parameter = read_name(element, "parameter");
  const Text initial = element.required_field("initial");
  row.initial = {initial.text, initial.place};
  row.scale = read_optional_number(element, "scale").value_or(row.scale);
  element.finish();
  return row;
}

/// Terms in the order of the file; integrals are states of the model, called after their cost.
estimate::Cost read_cost(Element& element, std::vector<ModelLibrary::Integral>& integrals) {
  using Kind = estimate::CostTerm::Kind;
  estimate::Cost cost;
  cost.place = element.place();
  cost.id = read_name(element, "id");
  if (!base::is_identifier(cost.id)) {
    element.fail(element.place(),
                 "an id is made of letters, digits and _, and does not begin with a digit.");
  }
  std::vector<std::pair<Kind, Element>> terms;
  for (const Kind kind : {Kind::kIntegral, Kind::kSum, Kind::kFinal}) {
    for (auto& child : element.children(text(kind))) terms.emplace_back(kind, child);
  }
  element.finish();
  if (terms.empty()) {
    element.fail(element.place(), "costs nothing: give an <integral>, a <sum> or a <final>.");
  }
  for (auto& [kind, child] : terms) {
    const Text formula = child.text();
    child.finish();
    if (formula.text.empty()) {
      element.fail(child.place(), fmt::format("<{}> is empty.", text(kind)));
    }
    estimate::CostTerm term{.kind = kind, .formula = {formula.text, formula.place}, .state = {}};
    if (kind == Kind::kIntegral) {
      term.state = fmt::format("integral_{}_{}", cost.id, integrals.size() + 1);
      integrals.push_back({term.state, formula});
    }
    cost.terms.push_back(std::move(term));
  }
  return cost;
}

}  // namespace

ExperimentDescription read_experiment(Element& element, const std::filesystem::path& folder,
                                      ModelLibrary& models) {
  ExperimentDescription experiment;
  experiment.place = element.place();
  element.set_context("experiment");
  experiment.id = element.required_field("id").text;
  element.set_context(fmt::format("experiment \"{}\"", experiment.id));
  const auto model = element.field("model");
  TableSource data(element, "data");
  const auto time = element.field("time");
  experiment.begin = read_optional_number(element, "begin");
  experiment.end = read_optional_number(element, "end");
  // Asked for before anything is read, so that a misspelt element is reported as such.
  auto sets = element.children("set");
  auto locals = element.children("local");
  auto row_locals = element.children("row_local");
  auto observations = element.children("observe");
  auto initials = element.children("initial");
  auto equilibrium = element.child("equilibrium");
  auto grid = element.child("grid");
  auto requirements = element.children("require");
  auto bounds = element.children("bounds");
  auto samples = element.child("samples");
  auto costs = element.children("cost");
  if (data.empty() && !samples && costs.empty()) {
    element.fail_missing("data", ": a file, or a <table> inside the experiment");
  }
  element.finish();

  std::vector<ModelLibrary::Integral> integrals;
  for (auto& e : costs) {
    if (!model) e.fail(e.place(), "a cost needs a model in time, and this experiment has none.");
    experiment.costs.push_back(read_cost(e, integrals));
  }
  if (model) {
    experiment.model = model->text;
    experiment.system = models.load(*model, integrals);
  } else if (time) {
    element.fail(time->place, "an experiment without a model has no time.");
  }
  if (samples) {
    if (!model) samples->fail(samples->place(), "an experiment without a model has no times.");
    experiment.samples = read_samples(*samples);
  }
  // Samples stand for a file that is still to be made.
  const bool has_data = !data.empty() && !(samples && data.is_missing(folder));
  if (has_data) {
    experiment.data = data.read(folder, experiment.id);
    if (model) choose_time(element, data, time, experiment.data);
  }
  for (auto& e : sets) experiment.sets.push_back(read_set_parameter(e));
  for (auto& e : locals) {
    auto local = read_estimate(e);
    // A parameter that the model does not have is found by estimate::check().
    const bool is_unknown = experiment.system && !complete(local, *experiment.system);
    if (!local.has_initial && !is_unknown) e.fail_missing("initial");
    experiment.locals.push_back(std::move(local.estimate));
  }
  for (auto& e : row_locals) experiment.row_locals.push_back(read_row_local(e));
  for (auto& e : observations) {
    experiment.observations.push_back(read_observation(e, experiment.data));
  }
  if (!has_data && samples) {
    experiment.data = estimate::sample_table(*experiment.samples, time ? time->text : "t",
                                             experiment.observations);
    if (data.file) experiment.data.file = data.file->text;
  }
  for (auto& e : initials) experiment.initial.push_back(read_initial(e));
  if (equilibrium) experiment.equilibrium = read_equilibrium(*equilibrium);
  if (grid) experiment.grid = read_grid(*grid, folder);
  for (auto& e : requirements) read_requirement(e, experiment.requirements);
  for (auto& e : bounds) experiment.state_bounds.push_back(read_bounds(e));
  return experiment;
}

}  // namespace parfait::io
