#include "parfait/io/problem/design_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/mechanical_model.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/model/vocabulary_writer.h"
#include "parfait/io/problem/problem_elements.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {
namespace design_file {
namespace {

namespace fs = std::filesystem;
using estimate::Choice;
using estimate::Continuous;
using estimate::DesignProblem;
using estimate::PlannedExperiment;
using estimate::PlannedInput;
using estimate::PlannedVariable;

double required_number(Element& element, const char* name) {
  return read_number(element, element.required_field(name), name);
}

std::vector<double> number_list(Element& element, const Text& text, const char* what) {
  std::vector<double> out;
  for (const auto& word : split_list(text)) out.push_back(read_number(element, word, what));
  return out;
}

PlannedInput read_planned_input(Element& element) {
  PlannedInput input;
  input.place = element.place();
  const std::string whole = element.context();
  input.id = element.required_field("id").text;
  element.set_context(fmt::format("{}, input \"{}\"", whole, input.id));
  input.pieces = read_count(element, element.required_field("pieces"), "pieces");
  if (const auto shape = element.field("shape")) {
    using Shape = PlannedInput::Shape;
    input.shape = read_choice<Shape>(
        element, *shape, "shape",
        {{"constant", Shape::kConstant}, {"linear", Shape::kLinear}, {"cubic", Shape::kCubic}});
  }
  if (const auto breaks = element.field("breaks")) {
    const int freedom =
        read_choice<int>(element, *breaks, "breaks", {{"equal", 0}, {"free", 1}, {"newton", 2}});
    input.free_breaks = freedom > 0;
    input.newton = freedom == 2;
  }
  if (const auto saturation = element.field("saturation")) {
    using estimate::Saturation;
    input.saturation = read_choice<Saturation>(element, *saturation, "saturation",
                                               {{"none", Saturation::kNone},
                                                {"exponential", Saturation::kExponential},
                                                {"arctan", Saturation::kArctan}});
  }
  input.lower = required_number(element, "lower");
  input.upper = required_number(element, "upper");
  if (const auto initial = element.field("initial")) {
    input.initial = number_list(element, *initial, "initial");
  }
  input.rate = read_optional_number(element, "rate");
  input.from = read_optional_number(element, "from").value_or(0);
  input.to = read_optional_number(element, "to").value_or(std::nan(""));
  element.finish();
  return input;
}

PlannedVariable read_planned_variable(Element& element) {
  PlannedVariable variable;
  variable.place = element.place();
  const std::string whole = element.context();
  const auto parameter = element.field("parameter");
  const auto state = element.field("state");
  const auto duration = element.field("duration");
  if (parameter.has_value() + state.has_value() + duration.has_value() != 1) {
    element.fail(element.place(),
                 "a variable is a parameter=\"...\", a state=\"...\" or duration=\"yes\".");
  }
  variable.kind = parameter ? PlannedVariable::Kind::kParameter
                  : state   ? PlannedVariable::Kind::kState
                            : PlannedVariable::Kind::kDuration;
  variable.id = parameter ? parameter->text : state ? state->text : "duration";
  if (duration && !read_flag(element, *duration, "duration")) {
    element.fail(duration->place, "leave out a variable that does not vary.");
  }
  element.set_context(fmt::format("{}, variable \"{}\"", whole, variable.id));
  variable.lower = required_number(element, "lower");
  variable.upper = required_number(element, "upper");
  variable.initial = read_optional_number(element, "initial");
  element.finish();
  return variable;
}

Choice read_planned_choice(Element& element) {
  Choice choice;
  choice.place = element.place();
  element.set_context(element.context() + ", choose");
  const auto samples = element.field("samples");
  const auto cells = element.field("cells");
  const auto markers = element.field("markers");
  if (samples.has_value() + cells.has_value() + markers.has_value() != 1) {
    element.fail(element.place(),
                 "say how many of what: samples=\"...\" (times), cells=\"...\" (single values) or "
                 "markers=\"...\".");
  }
  choice.of = samples ? Choice::Of::kSamples : cells ? Choice::Of::kCells : Choice::Of::kMarkers;
  const Text& count = samples ? *samples : cells ? *cells : *markers;
  choice.count = read_count(element, count, "number");
  if (choice.count < 1) element.fail(count.place, "at least one must be chosen.");
  if (const auto spacing = read_optional_number(element, "spacing")) choice.spacing = *spacing;
  if (const auto repeat = element.field("repeat")) {
    choice.repeat = read_count(element, *repeat, "repeat");
    if (choice.repeat < 1) element.fail(repeat->place, "repeat must be at least 1.");
  }
  if (choice.spacing > 0 && choice.repeat > 1) {
    element.fail(element.place(), "times with a spacing cannot be repeated.");
  }
  if (choice.spacing != 0 && choice.of != Choice::Of::kSamples) {
    element.fail(element.place(), "a spacing is for samples only.");
  }
  auto list = element.children("marker");
  element.finish();
  for (auto& marker : list) {
    auto& out = choice.markers.emplace_back();
    out.id = marker.required_field("id").text;
    for (const auto& word : split_list(marker.required_field("columns"))) {
      out.columns.push_back(word.text);
    }
    marker.finish();
  }
  if (choice.markers.empty() == (choice.of == Choice::Of::kMarkers)) {
    element.fail(element.place(),
                 "<marker id=\"...\" columns=\"...\"/> elements belong to markers=\"...\".");
  }
  return choice;
}

Continuous read_continuous(Element& element) {
  Continuous continuous;
  continuous.place = element.place();
  element.set_context(element.context() + ", continuous");
  continuous.density = read_optional_number(element, "density").value_or(1);
  continuous.budget = read_optional_number(element, "budget");
  continuous.weight_max = read_optional_number(element, "weight_max").value_or(1);
  if (const auto rule = element.field("rule")) {
    continuous.gauss =
        read_choice<bool>(element, *rule, "rule", {{"midpoint", false}, {"gauss", true}});
  }
  element.finish();
  if (!(continuous.density > 0)) element.fail(element.place(), "density must be > 0.");
  if (continuous.budget && !(*continuous.budget > 0)) {
    element.fail(element.place(), "budget must be > 0.");
  }
  if (!(continuous.weight_max > 0)) element.fail(element.place(), "weight_max must be > 0.");
  return continuous;
}

estimate::PredictedQuantity read_predicted(Element& element) {
  estimate::PredictedQuantity out;
  out.place = element.place();
  element.set_context(element.context() + ", predict");
  const Text quantity = element.required_field("quantity");
  out.quantity = {quantity.text, quantity.place};
  out.at = number_list(element, element.required_field("at"), "at");
  element.finish();
  return out;
}

/// Conditions at many times: `<path from="0" to="3" count="31"> x <= 1 </path>`.
void read_path(Element& element, std::vector<estimate::Requirement>& requirements) {
  const double from = read_optional_number(element, "from").value_or(0);
  const double to = required_number(element, "to");
  const int count = read_count(element, element.required_field("count"), "count");
  if (count < 2 || !(to > from)) {
    element.fail(element.place(), "a path has at least two times, the last after the first.");
  }
  std::vector<estimate::Requirement> one;
  read_requirement(element, one);
  for (int i = 0; i < count; ++i) {
    for (auto requirement : one) {
      for (auto& term : requirement.terms) term.at = from + (to - from) * i / (count - 1);
      requirements.push_back(std::move(requirement));
    }
  }
}

std::vector<std::string> input_ids(const AnyModel& model) {
  std::vector<std::string> out;
  std::visit(
      [&](const auto& m) {
        for (const auto& input : m.inputs) out.push_back(input.id);
      },
      model);
  return out;
}

void replace_inputs(const std::vector<dynamics::Input>& inputs, AnyModel& model) {
  std::visit(
      [&](auto& m) {
        for (auto& old : m.inputs) {
          for (const auto& input : inputs) {
            if (input.id != old.id) continue;
            const auto place = old.place;
            old = input;
            old.place = place;
          }
        }
      },
      model);
}

std::shared_ptr<const dynamics::System> build(const mechanism::Description& description) {
  return build_mechanics(description, {});
}
std::shared_ptr<const dynamics::System> build(const dynamics::FormulaModel& model) {
  return dynamics::make_formula_system(model);
}

PlannedExperiment read_planned(Element& element, const fs::path& folder, ModelLibrary& models) {
  PlannedExperiment out;
  element.set_context("experiment");
  auto inputs = element.children("input");
  auto variables = element.children("variable");
  auto choice = element.child("choose");
  auto continuous = element.child("continuous");
  auto predictions = element.children("predict");
  auto paths = element.children("path");
  if (const auto copies = element.field("copies")) {
    out.copies = read_count(element, *copies, "copies");
    if (out.copies < 1) element.fail(copies->place, "copies must be at least 1.");
  }
  out.base = read_experiment(element, folder, models);
  const std::string context = fmt::format("experiment \"{}\"", out.base.id);
  if (!out.base.samples) {
    throw base::InputError(out.base.place, context + ": a planned experiment needs <samples>.");
  }
  if (!out.base.system) {
    throw base::InputError(out.base.place, context + ": a planned experiment needs a model.");
  }
  // A planned experiment has no data, even where a file of that name is there already.
  out.base.data.columns.clear();
  out.base.data.header.clear();
  out.base.data.lines.clear();
  {
    const std::string file = out.base.data.file;
    estimate::Data& data = out.base.data;
    data.header = {data.time};
    data.columns = {out.base.samples->all_times()};
    for (const auto& o : out.base.observations) {
      data.header.push_back(o.column);
      data.columns.emplace_back(data.columns.front().size(), std::nan(""));
    }
    data.file = file;
  }
  const auto part = [&](Element& e) { e.set_context(context); };
  const double end = out.base.samples->all_times().back();
  for (auto& e : inputs) {
    part(e);
    auto& input = out.inputs.emplace_back(read_planned_input(e));
    if (std::isnan(input.to)) input.to = std::max(end, out.base.end.value_or(end));
  }
  for (auto& e : variables) {
    part(e);
    out.variables.push_back(read_planned_variable(e));
  }
  if (choice) {
    part(*choice);
    out.choice = read_planned_choice(*choice);
    for (const auto& marker : out.choice.markers) {
      for (const auto& column : marker.columns) {
        const auto& all = out.base.observations;
        if (std::ranges::find(all, column, &estimate::Observation::column) != all.end()) continue;
        choice->fail(choice->place(), fmt::format("marker \"{}\": no <observe> has the column "
                                                  "\"{}\".",
                                                  marker.id, column));
      }
    }
  }
  if (continuous) {
    part(*continuous);
    out.continuous = read_continuous(*continuous);
    if (choice && out.continuous->budget) {
      continuous->fail(continuous->place(), "give a budget or <choose>, not both.");
    }
  }
  for (auto& e : predictions) {
    part(e);
    out.predictions.push_back(read_predicted(e));
  }
  for (auto& e : paths) {
    part(e);
    read_path(e, out.base.requirements);
  }
  if (!out.inputs.empty()) {
    const AnyModel model = read_any_model((folder / out.base.model).lexically_normal());
    const auto known = input_ids(model);
    for (const auto& input : out.inputs) {
      if (std::ranges::find(known, input.id) != known.end()) continue;
      throw base::InputError(
          input.place, fmt::format("{}, input \"{}\": is not an input of the model.{} Inputs: {}.",
                                   context, input.id, base::suggestion(input.id, known),
                                   known.empty() ? "there are none" : base::listing(known)));
    }
    out.with_inputs = [model](const std::vector<dynamics::Input>& tables) {
      return system_with_inputs(model, tables);
    };
  }
  return out;
}

void read_estimates(std::vector<Element>& elements, DesignProblem& problem) {
  for (auto& element : elements) {
    auto read = read_estimate(element);
    bool known = false;
    for (const auto& planned : problem.planned) {
      known = known || complete(read, *planned.base.system);
    }
    if (!known && !read.has_initial) element.fail_missing("initial");
    problem.known.estimates.push_back(read.estimate);
  }
}

/// Linearized where the truth is said to be.
void use_truth(DesignProblem& problem) {
  const auto take = [](std::vector<estimate::Estimate>& list) {
    for (auto& e : list) e.initial = e.truth.value_or(e.initial);
  };
  take(problem.known.estimates);
  for (auto& e : problem.known.experiments) take(e.locals);
  for (auto& e : problem.planned) take(e.base.locals);
}

}  // namespace
}  // namespace design_file

DesignFile read_design_text(std::string_view text, const std::string& file_name) {
  namespace parts = design_file;
  const XmlSource source(text, file_name);
  Element root(source, source.root());
  if (root.name() != "design") {
    root.fail(root.place(),
              fmt::format("the root of a design file is <design>, found <{}>.", root.name()));
  }
  const auto folder = std::filesystem::path(file_name).parent_path();
  DesignFile out;
  auto& problem = out.design;
  problem.file = file_name;
  problem.place = root.place();
  if (const auto criterion = root.field("criterion")) {
    const auto kind = estimate::criterion_kind(criterion->text);
    if (!kind) {
      root.fail(criterion->place,
                fmt::format("criterion \"{}\" is unknown. Must be one of: A, D, E, T, max_sd, c, "
                            "prediction.",
                            criterion->text));
    }
    problem.criterion = *kind;
  }
  if (const auto scale = root.field("scale")) {
    problem.relative =
        read_choice<bool>(root, *scale, "scale", {{"relative", true}, {"absolute", false}});
  }
  if (const auto of = root.field("of")) {
    for (const auto& word : split_names(*of)) problem.of.push_back(word.text);
  }
  if (const auto combination = root.field("combination")) {
    problem.combination = {combination->text, combination->place};
  }
  const auto at = root.field("at");
  auto known = root.child("problem");
  auto estimates = root.children("estimate");
  auto requirements = root.children("require");
  auto experiments = root.children("experiment");
  auto copies = root.child("choose");
  auto robust = root.child("robust");
  auto starts = root.child("starts");
  auto options = root.child("options");
  std::vector<std::string> remarks;
  read_remarks(root, remarks);
  root.finish();

  if (known) {
    known->set_context("problem");
    const Text file = known->required_field("file");
    if (const auto result = known->field("result")) {
      out.result = result->text;
      out.result_place = result->place;
    }
    known->finish();
    const auto path = (folder / file.text).lexically_normal();
    if (!std::filesystem::exists(path)) {
      known->fail(file.place, fmt::format("there is no file {}.", path.string()));
    }
    problem.known = parse_problem(path);
    // All paths lead from the folder of the design.
    const auto old = path.parent_path();
    const auto move = [&](std::string& name) {
      if (name.empty() || std::filesystem::path(name).is_absolute()) return;
      const auto base = folder.empty() ? std::filesystem::path(".") : folder;
      name = (old / name).lexically_normal().lexically_proximate(base).string();
    };
    for (auto& e : problem.known.experiments) {
      move(e.model);
      move(e.data.file);
      move(e.grid.values.file);
    }
  }
  problem.known.file = file_name;
  ModelLibrary models(folder);
  for (auto& element : experiments) {
    problem.planned.push_back(parts::read_planned(element, folder, models));
  }
  if (problem.planned.empty()) root.fail_missing("experiment");
  parts::read_estimates(estimates, problem);
  for (auto& element : requirements) read_requirement(element, problem.known.requirements);
  if (options) problem.known.options = read_fit_options(*options);
  if (copies) {
    copies->set_context("choose");
    problem.choose_copies = read_count(*copies, copies->required_field("copies"), "copies");
    copies->finish();
    if (problem.choose_copies < 1) copies->fail(copies->place(), "copies must be at least 1.");
  }
  if (robust) {
    robust->set_context("robust");
    problem.robust.place = robust->place();
    problem.robust.samples = read_count(*robust, robust->required_field("samples"), "samples");
    if (const auto seed = robust->field("seed")) {
      problem.robust.seed = static_cast<std::uint64_t>(read_count(*robust, *seed, "seed"));
    }
    problem.robust.spread = read_optional_number(*robust, "spread").value_or(0.1);
    robust->finish();
    if (problem.robust.samples < 1 || !(problem.robust.spread > 0)) {
      robust->fail(robust->place(), "samples must be at least 1, spread > 0.");
    }
  }
  if (starts) {
    starts->set_context("starts");
    problem.starts = read_count(*starts, starts->required_field("count"), "count");
    if (const auto seed = starts->field("seed")) {
      problem.seed = static_cast<std::uint64_t>(read_count(*starts, *seed, "seed"));
    }
    if (const auto most = starts->field("max_iterations")) {
      problem.max_iterations = read_count(*starts, *most, "max_iterations");
    }
    if (const auto method = starts->field("method")) {
      using estimate::BoxMethod;
      problem.method = read_choice<BoxMethod>(
          *starts, *method, "method",
          {{"bfgs", BoxMethod::kQuasiNewton}, {"gradient", BoxMethod::kGradient}});
    }
    starts->finish();
    if (problem.starts < 1) starts->fail(starts->place(), "count must be at least 1.");
  }
  if (at) {
    const bool truth = read_choice<bool>(root, *at, "at", {{"initial", false}, {"true", true}});
    if (truth) parts::use_truth(problem);
  }
  return out;
}

std::shared_ptr<const dynamics::System> system_with_inputs(
    AnyModel model, const std::vector<dynamics::Input>& inputs) {
  design_file::replace_inputs(inputs, model);
  return std::visit([](const auto& m) { return design_file::build(m); }, model);
}

bool is_design_file(const std::filesystem::path& file) {
  const XmlSource source(read_text_file(file), file.string());
  return Element(source, source.root()).name() == "design";
}

DesignFile read_design(const std::filesystem::path& file) {
  return read_design_text(read_text_file(file), file.string());
}

std::string model_text_with_inputs(const std::filesystem::path& file,
                                   const std::vector<dynamics::Input>& inputs,
                                   const std::filesystem::path& new_folder) {
  AnyModel model = read_any_model(file);
  design_file::replace_inputs(inputs, model);
  std::visit([&](auto& m) { move_inputs(m.inputs, file, new_folder / "model.xml"); }, model);
  if (auto* description = std::get_if<mechanism::Description>(&model)) {
    return model_text(*description);
  }
  return formula_model_text(std::get<dynamics::FormulaModel>(model));
}

}  // namespace parfait::io
