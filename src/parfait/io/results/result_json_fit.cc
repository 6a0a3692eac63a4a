#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a fit.
namespace parfait::io {

namespace {

/// A list of two numbers; null is `low` or `high`.
void interval_field(JsonWriter& a, const std::string& key, const result::Interval& interval,
                    double /*low*/, double /*high*/) {
  a.json[key] =
      Json::array({JsonWriter::value_of(interval.low), JsonWriter::value_of(interval.high)});
}

void interval_field(JsonReader& a, const std::string& key, result::Interval& interval, double low,
                    double high) {
  const Json& json = a.at(key.c_str());
  const std::string where = a.path(key.c_str());
  std::vector<double> ends;
  JsonReader::read(json, where, ends);
  if (ends.size() != 2) throw base::InputError(where + " must be a list of two numbers.");
  JsonReader::read(json[0], where, interval.low, low);
  JsonReader::read(json[1], where, interval.high, high);
}

/// "ci95", "joint95": the confidence is part of the name.
std::string confidence_key(const char* kind, double confidence) {
  return fmt::format("{}{:g}", kind, 100 * confidence);
}

/// Like JSON text for people, but a list of numbers or words stands in one line, so that a matrix
/// looks like one. Numbers read back as the same doubles.
class MatrixText {
 public:
  static std::string of(const Json& json) {
    std::string out;
    append(json, "", out);
    return out;
  }

 private:
  static bool is_list_of_scalars(const Json& json) {
    return json.is_array() && std::none_of(json.begin(), json.end(),
                                           [](const Json& item) { return item.is_structured(); });
  }

  static std::string leaf(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  static void append(const Json& json, const std::string& indent, std::string& out) {
    if (!json.is_structured() || json.empty()) {
      out += leaf(json);
      return;
    }
    const bool in_line = is_list_of_scalars(json);
    const std::string deeper = indent + "  ";
    const char* separator = "";
    out += json.is_array() ? '[' : '{';
    for (const auto& [key, value] : json.items()) {
      out += separator;
      if (!in_line) out += "\n" + deeper;
      if (json.is_object()) out += leaf(Json(key)) + ": ";
      append(value, deeper, out);
      separator = in_line ? ", " : ",";
    }
    if (!in_line) out += "\n" + indent;
    out += json.is_array() ? ']' : '}';
  }
};

/// Reads and writes estimates, whose keys depend on the confidence and on what they are.
template <class Archive>
void estimate_fields(Archive& a, typename Archive::template Ref<result::Estimate> e,
                     double confidence, bool is_state) {
  using result::kInfinity, result::kNaN;
  a("id", e.id);
  a.unless_empty("experiment", e.experiment);
  a("value", e.value);
  if constexpr (Archive::kReads) a("determined", e.determined);  // says what null means
  const bool open = e.determined == "undetermined";
  a("sd", e.sd, open ? kInfinity : kNaN);
  for (const auto& [kind, interval] :
       {std::pair{"ci", &e.individual}, std::pair{"joint", &e.joint}}) {
    interval_field(a, confidence_key(kind, confidence), *interval, open ? -kInfinity : kNaN,
                   open ? kInfinity : kNaN);
  }
  a("initial", e.initial);
  if (!is_state) {
    a("lower", e.lower, -kInfinity);
    a("upper", e.upper, kInfinity);
  }
  a.derived("at_bound", e.at_bound());
  a("determined", e.determined);
  a.unless_empty("identifiability", e.identifiability);
  a.unless_empty("unit", e.unit);
  a.optional("true", e.truth);
  a.optional("shift", e.shift);
}

void estimates_field(JsonWriter& a, const char* key, const std::vector<result::Estimate>& estimates,
                     double confidence, bool is_state) {
  Json list = Json::array();
  for (const auto& estimate : estimates) {
    JsonWriter inside;
    estimate_fields(inside, estimate, confidence, is_state);
    list.push_back(std::move(inside.json));
  }
  a.json[key] = std::move(list);
}

void estimates_field(JsonReader& a, const char* key, std::vector<result::Estimate>& estimates,
                     double confidence, bool is_state) {
  const Json& list = a.at(key);
  if (!list.is_array()) throw base::InputError(a.path(key) + " must be a list.");
  for (std::size_t i = 0; i < list.size(); ++i) {
    JsonReader inside(list[i], fmt::format("{}[{}]", a.path(key), i));
    estimate_fields(inside, estimates.emplace_back(), confidence, is_state);
  }
}

}  // namespace

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::RunsTest> runs) {
  a("positive", runs.positive);
  a("negative", runs.negative);
  a("runs", runs.runs);
  a("expected", runs.expected);
  a("p_value", runs.p_value);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Nodes> nodes) {
  a("states", nodes.states);
  a("t", nodes.t);
  a("values", nodes.values);
  a("sd", nodes.sd);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Observed> observed) {
  a("column", observed.column);
  a("quantity", observed.quantity);
  a.unless_empty("unit", observed.unit);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::FittedExperiment> experiment) {
  a("id", experiment.id);
  a.unless_empty("observed", experiment.observed);
  a("residuals", experiment.residuals);
  a("sum_of_squares", experiment.sum_of_squares);
  a("runs", experiment.runs);
  a.optional("nodes", experiment.nodes);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::NormalityTest> test) {
  a.derived("test", "Anderson-Darling");
  a("statistic", test.statistic);
  a("p_value", test.p_value);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Outlier> outlier) {
  a("experiment", outlier.experiment);
  a("column", outlier.column);
  a("t", outlier.t);
  a("measured", outlier.measured);
  a("model", outlier.model);
  a("weighted", outlier.weighted);
  a("studentized", outlier.studentized);
  a("p_value", outlier.p_value);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Finding> finding) {
  a("kind", finding.kind);
  a("parameters", finding.parameters);
  a("text", finding.text);
  a("experiments", finding.experiments);
  if (finding.kind == "combination") {
    a("determined", finding.determined);
    a("directions", finding.directions);
    a.unless_empty("effects", finding.effects);
  }
  a.unless_empty("fixings", finding.fixings);
  a.unless_empty("advice", finding.advice);
  if (finding.kind == "correlated") a("correlation", finding.correlation);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Suggestion> suggestion) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  a("experiment", suggestion.experiment);
  a("what", suggestion.what);
  a("worst_before", suggestion.worst_before, kOpen);
  a("worst_after", suggestion.worst_after, kOpen);
  a("worst", suggestion.worst);
  a("undetermined", suggestion.undetermined);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Information> information) {
  a("parameter", information.parameter);
  a("shares", information.shares);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Identifiability> identifiability) {
  a("all_determined", identifiability.all_determined);
  a.unless_empty("fixing", identifiability.fixing);
  a("findings", identifiability.findings);
  a("information", identifiability.information);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Profile::Point> point) {
  a("value", point.value);
  a("objective", point.objective);
  a("converged", point.converged);
  a.unless_empty("values", point.values);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Profile> profile) {
  using result::kInfinity, result::kNaN;
  a("parameter", profile.parameter);
  a("interrupted", profile.interrupted);
  a.unless_empty("low_end", profile.low_end);
  a.unless_empty("high_end", profile.high_end);
  a.unless_empty("why", profile.why);
  const auto null = [&](const std::string& end, double open) {
    return end == "failed" || end == "interrupted" || (end.empty() && profile.interrupted) ? kNaN
                                                                                           : open;
  };
  interval_field(a, "interval", profile.interval, null(profile.low_end, -kInfinity),
                 null(profile.high_end, kInfinity));
  a("threshold", profile.threshold);
  a("points", profile.points);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Start> start) {
  a("number", start.number);
  a("status", start.status);
  a("message", start.message);
  a("objective", start.objective);
  a("first_objective", start.first_objective);
  a("constraints", start.constraints);
  a("iterations", start.iterations);
  a("linearizations", start.linearizations);
  a("minimum", start.minimum);
  a("initial", start.initial);
  a("values", start.values);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::StartsMinimum> minimum) {
  a("objective", minimum.objective);
  a("starts", minimum.starts);
  a("best", minimum.best);
  a("low", minimum.low);
  a("high", minimum.high);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Starts> starts) {
  a("count", starts.count);
  a("seed", starts.seed);
  a("reported", starts.reported);
  a("names", starts.names);
  a("kept", starts.kept);
  a("minima", starts.minima);
  a("list", starts.list);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Iteration> iteration) {
  a("iter", iteration.number);
  a("objective", iteration.objective);
  a("constraints", iteration.constraints);
  a("increment", iteration.increment);
  a("step", iteration.step);
  a("omega", iteration.omega);
  a("kappa", iteration.kappa);
  a("test", iteration.test);
  a("trials", iteration.trials);
  a("rank", iteration.rank);
  a("condition", iteration.condition, result::kInfinity);
  a.unless_empty("values", iteration.values);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Likelihood> likelihood) {
  a("is_objective", likelihood.is_objective);
  a("log_likelihood", likelihood.log_likelihood);
  a("log_prior", likelihood.log_prior);
  a("parameters", likelihood.parameters);
  a("aic", likelihood.aic);
  a("bic", likelihood.bic);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::FitWork> work) {
  a("evaluations", work.evaluations);
  a("linearizations", work.linearizations);
  a("steps", work.steps);
  a("right_hand_sides", work.right_hand_sides);
  a("directions", work.directions);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::FitOptions> o) {
  a("globalization", o.globalization);
  a("back_projection", o.back_projection);
  a.optional("convergence", o.convergence);
  a("tol", o.tol);
  a.optional("max_iterations", o.max_iterations);
  a("norm", o.norm);
  a.optional("huber_gamma", o.huber_gamma);
  a("condensing", o.condensing);
  a("reduction", o.reduction);
  a("relaxation", o.relaxation);
  a.optional("relaxation_rate", o.relaxation_rate);
  a.optional("relaxation_factor", o.relaxation_factor);
  a("projection", o.projection);
  a("consistent", o.consistent);
  a("integrator", o.integrator);
  a("rtol", o.rtol);
  a("atol", o.atol);
  a("sigma", o.sigma);
  a("confidence", o.confidence);
  a("set", o.set);
  a("fix", o.fix);
  a.nullable("start", o.start);
  a("certify", o.certify);
  a.unless_empty("intervals", o.intervals);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Fit> fit) {
  header_fields(a, fit.verdict.version, "fit");
  a("problem", fit.problem);
  verdict_fields(a, fit.verdict);
  a("iterations", fit.iterations);
  a("evaluations", fit.evaluations);
  a("objective", fit.objective);
  a.nullable("measurements", fit.measurements);
  a.nullable("free", fit.free);
  a.nullable("degrees_of_freedom", fit.degrees_of_freedom);
  a.nullable("rank", fit.rank);
  a("sigma_scale", fit.sigma_scale);
  if constexpr (Archive::kReads) {
    a("options", fit.options);  // the confidence is part of names
    if (!a.at("goodness_of_fit").is_null()) {
      a.object("goodness_of_fit",
               [&](auto& inside) { inside("chi2_p_value", fit.chi2_p_value.emplace()); });
    }
  } else if (fit.chi2_p_value) {
    a.object("goodness_of_fit", [&](auto& inside) { inside("chi2_p_value", *fit.chi2_p_value); });
  } else {
    a.derived("goodness_of_fit", std::numeric_limits<double>::quiet_NaN());
  }
  a.optional("likelihood", fit.likelihood);
  a("convention", fit.convention);
  estimates_field(a, "parameters", fit.parameters, fit.options.confidence, /*is_state=*/false);
  estimates_field(a, "initial_states", fit.initial_states, fit.options.confidence,
                  /*is_state=*/true);
  if (fit.has_values()) {
    a("covariance", fit.covariance);
    a("correlation", fit.correlation);
  }
  a("experiments", fit.experiments);
  a.object("residual_analysis", [&](auto& inside) {
    inside.nullable("normality", fit.normality);
    inside("largest", fit.outliers);
  });
  a("identifiability", fit.identifiability);
  a.unless_empty("suggestions", fit.suggestions);
  a.unless_empty("profiles", fit.profiles);
  a.optional("starts", fit.starts);
  a("history", fit.history);
  a("work", fit.work);
  a("options", fit.options);
  a.object("variables", [&](auto& inside) {
    inside("names", fit.variable_names);
    inside("x", fit.x);
  });
  a.unless_empty("motions", fit.motions);
  origin_fields(a, fit.verdict.origin);
}

std::string result_text(const result::Fit& fit) {
  return MatrixText::of(JsonWriter::value_of(fit)) + "\n";
}

result::Fit read_fit_text(std::string_view text, const std::string& file) {
  return read_result<result::Fit>(text, file, "fit");
}

}  // namespace parfait::io
