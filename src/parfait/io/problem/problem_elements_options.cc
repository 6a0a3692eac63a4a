#include <charconv>
#include <utility>
#include <vector>

#include "parfait/io/problem/problem_elements.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/value_reader.h"

// <options> of a problem file: one table of names for reading and writing.
namespace parfait::io {
namespace {

using estimate::Condensing;
using estimate::Convergence;
using estimate::FitOptions;
using estimate::Globalization;
using estimate::Norm;
using estimate::ReductionMethod;
using estimate::Relaxation;
using integrate::Method;

template <class T>
using Option = std::pair<const char*, T& (*)(FitOptions&)>;

const Option<double> kNumbers[] = {
    {"tol", [](FitOptions& o) -> double& { return o.iteration.tolerance; }},
    {"min_step", [](FitOptions& o) -> double& { return o.iteration.min_step; }},
    {"huber_gamma", [](FitOptions& o) -> double& { return o.linear.huber_gamma; }},
    {"rank_tolerance", [](FitOptions& o) -> double& { return o.linear.rank_tolerance; }},
    {"relaxation_rate", [](FitOptions& o) -> double& { return o.relaxation_rate; }},
    {"relaxation_factor", [](FitOptions& o) -> double& { return o.relaxation_factor; }},
    {"rtol", [](FitOptions& o) -> double& { return o.integrator.rtol; }},
    {"atol", [](FitOptions& o) -> double& { return o.integrator.atol; }},
    {"first_step", [](FitOptions& o) -> double& { return o.integrator.first_step; }},
    {"max_step", [](FitOptions& o) -> double& { return o.integrator.max_step; }},
    {"projection_tolerance",
     [](FitOptions& o) -> double& { return o.integrator.projection_tolerance; }},
    {"hht_alpha", [](FitOptions& o) -> double& { return o.integrator.hht_alpha; }},
    {"confidence", [](FitOptions& o) -> double& { return o.confidence; }},
};

const Option<int> kCounts[] = {
    {"max_steps", [](FitOptions& o) -> int& { return o.integrator.max_steps; }},
    {"max_order", [](FitOptions& o) -> int& { return o.integrator.max_order; }},
};

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

/// Values under the names that results have for them, too.
template <class T>
Words<T> named(std::initializer_list<T> values) {
  using estimate::text;
  using integrate::text;
  Words<T> words;
  for (T value : values) words.emplace_back(text(value), value);
  return words;
}

const Words<Globalization>& globalizations() {
  static const auto words =
      named<Globalization>({Globalization::kAuto, Globalization::kFull, Globalization::kNatural,
                            Globalization::kRmt, Globalization::kLm});
  return words;
}

const Words<Convergence>& convergences() {
  static const auto words =
      named<Convergence>({Convergence::kStatistical, Convergence::kIncrement});
  return words;
}

const Words<Norm>& norms() {
  static const auto words = named<Norm>({Norm::kL2, Norm::kHuber, Norm::kL1, Norm::kLInf});
  return words;
}

const Words<Condensing>& condensings() {
  static const auto words =
      named<Condensing>({Condensing::kAutomatic, Condensing::kGauss, Condensing::kOrthogonal});
  return words;
}

const Words<ReductionMethod>& reductions() {
  static const auto words = named<ReductionMethod>(
      {ReductionMethod::kAutomatic, ReductionMethod::kNone, ReductionMethod::kFixedFit,
       ReductionMethod::kTangentDirections, ReductionMethod::kTangentNodes});
  return words;
}

const Words<Relaxation>& relaxations() {
  static const auto words =
      named<Relaxation>({Relaxation::kLimit, Relaxation::kStandard, Relaxation::kBaumgarte});
  return words;
}

const Words<dynamics::Norm>& projections() {
  static const auto words = named<dynamics::Norm>(
      {dynamics::Norm::kMass, dynamics::Norm::kEuclidean, dynamics::Norm::kPartition});
  return words;
}

const Words<bool>& sigmas() {
  static const Words<bool> words{{"estimated", false}, {"known", true}};
  return words;
}

const Words<Method>& methods() {
  static const auto words = [] {
    Words<Method> all;
    for (const auto& method : integrate::methods()) all.emplace_back(method.name, method.method);
    return all;
  }();
  return words;
}

template <class T>
void read_word(Element& element, const char* name, const Words<T>& words, T& value) {
  if (const auto text = element.field(name)) value = read_choice<T>(element, *text, name, words);
}

/// How fast a relaxation decays is said once, and only of one that does.
void check_relaxation(const Element& element, const FitOptions& options,
                      const std::optional<Text>& rate, const std::optional<Text>& factor) {
  if (rate && factor) {
    element.fail(factor->place,
                 "relaxation_rate and relaxation_factor: both say how fast the relaxation decays. "
                 "Give one of them.");
  }
  if ((rate || factor) && options.relaxation != Relaxation::kBaumgarte) {
    element.fail((rate ? rate : factor)->place,
                 std::string(rate ? "relaxation_rate" : "relaxation_factor") +
                     ": is for relaxation=\"baumgarte\" only.");
  }
}

template <class T>
const std::string& word_of(const Words<T>& words, T value) {
  for (const auto& [word, choice] : words) {
    if (choice == value) return word;
  }
  return words.front().first;
}

}  // namespace

bool read_flag(const Element& at, const Text& text, const char* what) {
  return read_choice<bool>(at, text, what,
                           {{"true", true}, {"false", false}, {"yes", true}, {"no", false}});
}

int read_count(const Element& at, const Text& text, const char* what) {
  int count = 0;
  const char* end = text.text.data() + text.text.size();
  const auto [rest, error] = std::from_chars(text.text.data(), end, count);
  if (error != std::errc{} || rest != end) {
    at.fail(text.place, std::string(what) + ": \"" + text.text + "\" is not a whole number.");
  }
  return count;
}

FitOptions read_fit_options(Element& element) {
  FitOptions options;
  options.place = element.place();
  element.set_context("options");
  for (const auto& [name, find] : kNumbers) {
    if (const auto x = read_optional_number(element, name)) find(options) = *x;
  }
  for (const auto& [name, find] : kCounts) {
    if (const auto text = element.field(name)) find(options) = read_count(element, *text, name);
  }
  options.integrator.scale_atol = !element.field("atol");
  if (const auto text = element.field("max_iterations")) {
    options.iteration.max_iterations = read_count(element, *text, "max_iterations");
  }
  options.max_steps_given = element.field("max_steps").has_value();
  read_word(element, "globalization", globalizations(), options.iteration.globalization);
  read_word(element, "convergence", convergences(), options.iteration.convergence);
  read_word(element, "norm", norms(), options.linear.norm);
  read_word(element, "condensing", condensings(), options.condensing);
  read_word(element, "reduction", reductions(), options.reduction);
  read_word(element, "relaxation", relaxations(), options.relaxation);
  check_relaxation(element, options, element.field("relaxation_rate"),
                   element.field("relaxation_factor"));
  read_word(element, "projection", projections(), options.integrator.projection);
  if (const auto text = element.field("consistent")) {
    options.consistent = read_flag(element, *text, "consistent");
  }
  read_word(element, "sigma", sigmas(), options.sigma_known);
  if (const auto text = element.field("back_projection")) {
    options.iteration.back_projection = read_flag(element, *text, "back_projection");
  }
  const auto integrator = element.field("integrator");
  options.integrator_given = integrator && integrator->text != "auto";
  if (options.integrator_given)
    read_word(element, "integrator", methods(), options.integrator.method);
  element.finish();
  return options;
}

void write_fit_options(pugi::xml_node root, const FitOptions& given) {
  FitOptions options = given, defaults;  // the finders take what they may change
  pugi::xml_node node = root.append_child("options");
  const auto set = [&](const char* name, const std::string& text) {
    node.append_attribute(name).set_value(text.c_str());
  };
  const auto set_word = [&](const char* name, const auto& words, auto value, auto standard) {
    if (value != standard) set(name, word_of(words, value));
  };
  set_word("globalization", globalizations(), options.iteration.globalization,
           defaults.iteration.globalization);
  if (options.iteration.back_projection != defaults.iteration.back_projection) {
    set("back_projection", options.iteration.back_projection ? "yes" : "no");
  }
  set_word("convergence", convergences(), options.iteration.convergence,
           defaults.iteration.convergence);
  set_word("norm", norms(), options.linear.norm, defaults.linear.norm);
  if (options.integrator_given) set("integrator", word_of(methods(), options.integrator.method));
  set_word("condensing", condensings(), options.condensing, defaults.condensing);
  set_word("reduction", reductions(), options.reduction, defaults.reduction);
  set_word("relaxation", relaxations(), options.relaxation, defaults.relaxation);
  set_word("projection", projections(), options.integrator.projection,
           defaults.integrator.projection);
  if (options.consistent != defaults.consistent) {
    set("consistent", options.consistent ? "yes" : "no");
  }
  set_word("sigma", sigmas(), options.sigma_known, defaults.sigma_known);
  if (options.iteration.max_iterations) {
    set("max_iterations", std::to_string(*options.iteration.max_iterations));
  }
  for (const auto& [name, find] : kCounts) {
    if (find(options) != find(defaults) || options.max_steps_given) {
      set(name, std::to_string(find(options)));
    }
  }
  for (const auto& [name, find] : kNumbers) {
    if (find(options) != find(defaults)) set(name, number_text(find(options)));
  }
  if (node.attributes().empty()) root.remove_child(node);
}

}  // namespace parfait::io
