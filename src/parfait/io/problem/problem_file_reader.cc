#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/sigma_formula.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/petab/petab.h"
#include "parfait/io/problem/parameter_table.h"
#include "parfait/io/problem/problem_elements.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {

using estimate::Estimate;
using estimate::Problem;

namespace {

/// A number, or the infinity that says that there is no bound.
bool read_bound(Element& element, const char* name, const char* infinity, double& bound) {
  const auto text = element.field(name);
  if (text && text->text != infinity) bound = read_number(element, *text, name);
  return text.has_value();
}

}  // namespace

estimate::ValueScale read_value_scale(const Element& at, const Text& text, const char* what) {
  using estimate::ValueScale;
  return read_choice<ValueScale>(
      at, text, what,
      {{"none", ValueScale::kLinear}, {"log", ValueScale::kLog}, {"log10", ValueScale::kLog10}});
}

ReadEstimate read_estimate(Element& element) {
  ReadEstimate read;
  Estimate& estimate = read.estimate;
  estimate.place = element.place();
  const std::string whole = element.context().empty() ? "" : element.context() + ", ";
  element.set_context(whole + element.name());
  estimate.parameter = element.required_field("parameter").text;
  element.set_context(fmt::format("{}{} \"{}\"", whole, element.name(), estimate.parameter));
  const auto initial = read_optional_number(element, "initial");
  read.has_initial = initial.has_value();
  estimate.initial = initial.value_or(0);
  read.has_lower = read_bound(element, "lower", "-inf", estimate.lower);
  read.has_upper = read_bound(element, "upper", "inf", estimate.upper);
  estimate.scale = read_optional_number(element, "scale");
  estimate.truth = read_optional_number(element, "true");
  if (const auto transform = element.field("transform")) {
    estimate.transform = read_choice<Estimate::Transform>(
        element, *transform, "transform",
        {{"none", Estimate::Transform::kNone}, {"log", Estimate::Transform::kLog}});
  }
  const auto prior = element.field("prior");
  const auto sigma = element.field("sigma");
  if (prior.has_value() != sigma.has_value()) {
    element.fail(
        (prior ? prior : sigma)->place,
        "\"prior\" (a known value) and \"sigma\" (its standard deviation) must be given together.");
  }
  if (prior) {
    estimate.prior = {read_number(element, *prior, "prior"), read_number(element, *sigma, "sigma")};
  }
  if (const auto of = element.field("prior_of")) {
    if (!prior) element.fail(of->place, "\"prior_of\" says what \"prior\" is the value of.");
    estimate.prior->scale = read_value_scale(element, *of, "prior_of");
  }
  element.finish();
  return read;
}

bool complete(ReadEstimate& read, const dynamics::System& system) {
  const auto& parameters = system.parameters();
  const auto info = std::find_if(parameters.begin(), parameters.end(),
                                 [&](const auto& p) { return p.id == read.estimate.parameter; });
  if (info == parameters.end()) return false;
  if (!read.has_initial) read.estimate.initial = info->initial;
  // A logarithm keeps its parameter above 0 without a bound.
  const bool is_log = read.estimate.transform == Estimate::Transform::kLog;
  if (!read.has_lower && (!is_log || info->lower > 0)) read.estimate.lower = info->lower;
  if (!read.has_upper) read.estimate.upper = info->upper;
  read.has_initial = read.has_lower = read.has_upper = true;
  return true;
}

namespace {

/// Shared parameters need the experiments, whose models may say what the file leaves out.
void add_estimates(std::vector<Element>& elements, Problem& problem) {
  for (auto& element : elements) {
    auto read = read_estimate(element);
    bool is_known = false, is_static = false;
    for (const auto& experiment : problem.experiments) {
      is_static |= !experiment.system;
      if (!is_known && experiment.system) is_known = complete(read, *experiment.system);
    }
    problem.estimates.push_back(read.estimate);
    // A parameter that nobody has is found by estimate::check(); others may be in formulas only.
    if (read.has_initial) continue;
    for (const auto& experiment : problem.experiments) {
      is_static |= !is_known && estimate::observations_use(experiment, read.estimate.parameter);
    }
    if (is_static) element.fail_missing("initial");
  }
}

bool has_parameter(const estimate::ExperimentDescription& experiment, const std::string& id) {
  if (!experiment.system) return true;
  const auto& all = experiment.system->parameters();
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.id == id; });
}

/// Estimates of the table; what it fixes is set in every experiment that has the parameter and does
/// not say otherwise.
void add_table(Element& element, const std::filesystem::path& folder, Problem& problem) {
  element.set_context("parameters");
  const Text file = element.required_field("file");
  element.finish();
  const auto path = (folder / file.text).lexically_normal();
  auto table = read_parameter_table(read_text_file(path, file.place), path.string());
  for (auto& estimate : table.estimates) problem.estimates.push_back(std::move(estimate));
  for (const auto& set : table.sets) {
    bool is_known = false;
    for (auto& experiment : problem.experiments) {
      if (!has_parameter(experiment, set.parameter)) continue;
      is_known = true;
      const auto is_it = [&](const auto& other) { return other.parameter == set.parameter; };
      const bool decided = std::any_of(experiment.sets.begin(), experiment.sets.end(), is_it) ||
                           std::any_of(experiment.locals.begin(), experiment.locals.end(), is_it);
      if (!decided) experiment.sets.push_back(set);
    }
    if (!is_known) {
      throw base::InputError(set.place,
                             fmt::format("no experiment has a parameter \"{}\".", set.parameter));
    }
  }
}

}  // namespace

Problem parse_problem_text(std::string_view text, const std::string& file_name,
                           const KnownModels& known) {
  return parse_problem(XmlSource(text, file_name), {}, known);
}

Problem parse_problem(const XmlSource& source, Coordinates coordinates, const KnownModels& known) {
  const std::string& file_name = source.file();
  Element root(source, source.root());
  if (root.name() != "problem") {
    root.fail(root.place(),
              fmt::format("the root of a problem file is <problem>, found <{}>.", root.name()));
  }
  const auto folder = std::filesystem::path(file_name).parent_path();
  Problem problem;
  problem.file = file_name;
  // Asked for before anything is read, so that a misspelt element is reported as such.
  auto estimates = root.children("estimate");
  auto tables = root.children("parameters");
  auto experiments = root.children("experiment");
  auto requirements = root.children("require");
  auto options = root.child("options");
  read_remarks(root, problem.remarks);
  root.finish();

  ModelLibrary models(folder, coordinates, known);
  for (auto& element : experiments) {
    problem.experiments.push_back(read_experiment(element, folder, models));
  }
  add_estimates(estimates, problem);
  for (auto& element : tables) add_table(element, folder, problem);
  for (auto& element : requirements) read_requirement(element, problem.requirements);
  if (options) problem.options = read_fit_options(*options);
  estimate::check_estimated(problem);
  return problem;
}

Problem read_problem_text(std::string_view text, const std::string& file_name) {
  Problem problem = parse_problem_text(text, file_name);
  estimate::check(problem);
  return problem;
}

Problem parse_problem(const std::filesystem::path& file, Coordinates coordinates) {
  if (is_petab_file(file)) return read_petab(file).problem;
  return parse_problem(XmlSource(read_text_file(file), file.string()), coordinates);
}

Problem read_problem(const std::filesystem::path& file) {
  if (is_petab_file(file)) {
    Problem problem = read_petab(file).problem;
    estimate::check(problem);
    return problem;
  }
  return read_problem_text(read_text_file(file), file.string());
}

bool is_problem_file(const std::filesystem::path& file) {
  if (is_petab_file(file)) return true;
  const XmlSource source(read_text_file(file), file.string());
  return Element(source, source.root()).name() == "problem";
}

std::variant<AnyModel, Problem> parse_any_file(const std::filesystem::path& file,
                                               Coordinates coordinates) {
  if (is_petab_file(file)) return parse_problem(file, coordinates);
  if (file.extension() == ".lua") return read_any_model(file);
  const XmlSource source(read_text_file(file), file.string());
  if (Element(source, source.root()).name() == "problem") return parse_problem(source, coordinates);
  return read_any_model(source);
}

}  // namespace parfait::io
