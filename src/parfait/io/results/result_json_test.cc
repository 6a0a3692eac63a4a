#include "parfait/io/results/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parfait/base/error.h"
#include "parfait/io/text/csv.h"

namespace parfait::io {
namespace result_json_test {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Numbers that need all their digits, each another one.
double next_number() {
  static int count = 0;
  ++count;
  return 1.0 / (3 + count) * (count % 2 == 0 ? 1e-7 : -1e5);
}

result::Verdict verdict() {
  return {.version = "9.9.9",
          .status = "interrupted",
          .partial = true,
          .message = "stopped, \"quoted\" ± 1",
          .warnings = {"first", "second"}};
}

result::Simulation full_simulation() {
  result::Simulation s;
  s.verdict = verdict();
  s.model = "a/b.xml";
  s.t = next_number();
  s.rows = 501;
  s.work = {.steps = 1,
            .rejected = 2,
            .evaluations = 3,
            .direction_evaluations = 4,
            .projections = 5,
            .factorizations = 5'000'000'000,
            .smallest_step = next_number(),
            .largest_step = next_number(),
            .steps_of_order = {{{1, 7}, {12, 8}}}};
  s.equilibrium = {.outcome = "found",
                   .message = "found it",
                   .iterations = 6,
                   .moved = next_number(),
                   .residual = next_number(),
                   .growth = next_number(),
                   .neutral = {"x"}};
  s.events = {{.t = next_number(), .name = "hit", .jumped = true, .mode = -1}};
  s.drift.constraints = {next_number(), next_number(), next_number()};
  s.drift.energy = {next_number(), next_number()};
  s.assembly = {next_number(), next_number()};
  s.partition = {.rank_tolerance = 1e-9,
                 .choices = {{0, {"A.x", "A.y"}}, {next_number(), {}}},
                 .largest_residual = next_number(),
                 .worst = {{"A.z", next_number()}}};
  s.energy = {next_number(), next_number()};
  s.options = {.integrator = "abm",
               .until = next_number(),
               .step = next_number(),
               .rtol = next_number(),
               .atol = next_number(),
               .positions = {{next_number(), next_number()}},
               .velocities = {{next_number(), next_number()}},
               .states = {{next_number(), next_number()}},
               .first_step = next_number(),
               .max_step = next_number(),
               .max_steps = 17,
               .max_order = 3,
               .hht_alpha = next_number(),
               .projection = "mass",
               .projection_tolerance = next_number(),
               .control_sensitivities = true,
               .settle = true,
               .observe = {"x", "x/2"},
               .sensitivity = {"k"}};
  s.parameters = {{"k", next_number()}, {"a", next_number()}};
  s.last_state = {.t = next_number(), .y = {{"x", next_number()}}, .z = {1, 2}, .mode = {1, -1}};
  s.units = {{"t", "s"}, {"Arm.com.x", "m"}};
  s.verdict.origin = {{"simulate", "a/b.xml", "--until", "1"}, {{"model", "a/b.xml", "0123"}}};
  return s;
}

result::Matrix matrix(int rows, int cols) {
  result::Matrix m(rows, cols);
  for (double& x : m.values) x = next_number();
  return m;
}

result::Estimate estimate(const std::string& id) {
  return {.id = id,
          .experiment = "run1",
          .unit = "N/m",
          .value = next_number(),
          .sd = next_number(),
          .individual = {next_number(), next_number()},
          .joint = {next_number(), next_number()},
          .initial = next_number(),
          .lower = next_number(),
          .upper = next_number(),
          .determined = "by_data",
          .truth = next_number(),
          .shift = next_number()};
}

result::Fit full_fit() {
  result::Fit f;
  f.verdict = verdict();
  f.problem = "p.xml";
  f.verdict.origin = {{"fit", "p.xml"}, {{"problem", "p.xml", "0123"}, {"data", "d.csv", "4567"}}};
  f.iterations = 3;
  f.evaluations = 4;
  f.objective = next_number();
  f.measurements = 60;
  f.free = 6;
  f.degrees_of_freedom = 54;
  f.rank = 5;
  f.sigma_scale = next_number();
  f.chi2_p_value = next_number();
  f.convention = "in a sentence";
  f.parameters = {estimate("k"), estimate("c")};
  f.initial_states = {estimate("x")};
  f.initial_states[0].lower = -kInfinity;
  f.initial_states[0].upper = kInfinity;
  f.covariance = matrix(2, 2);
  f.correlation = matrix(2, 2);
  f.experiments = {{.id = "run1",
                    .observed = {{"x", "Arm.com.x", "m"}, {"eta", "a + b", ""}},
                    .residuals = 60,
                    .sum_of_squares = next_number(),
                    .runs = {1, 2, 3, next_number(), next_number()},
                    .nodes = {{{"x", "v"}, {0, 0.5, 1}, matrix(3, 2), matrix(3, 2)}}}};
  f.normality = {next_number(), next_number()};
  f.outliers = {{.experiment = "run1",
                 .column = "eta",
                 .t = next_number(),
                 .measured = next_number(),
                 .model = next_number(),
                 .weighted = next_number(),
                 .studentized = next_number(),
                 .p_value = next_number()}};
  f.identifiability.all_determined = false;
  f.identifiability.fixing = {"k"};
  f.parameters[0].identifiability = "combination";
  f.identifiability.findings = {{.kind = "combination",
                                 .parameters = {"k", "c"},
                                 .text = "only their product",
                                 .experiments = {"run1"},
                                 .determined = {"k*c"},
                                 .directions = matrix(1, 2),
                                 .effects = {"k +1 %, c -1 %"},
                                 .fixings = {{"k"}, {"c"}},
                                 .advice = "Fix or measure one of k and c."},
                                {.kind = "correlated",
                                 .parameters = {"k"},
                                 .text = "hardly",
                                 .experiments = {},
                                 .determined = {},
                                 .directions = {},
                                 .correlation = next_number()}};
  f.identifiability.information = {{"k", {{"run1", next_number()}}}};
  f.profiles = {{.parameter = "k",
                 .interrupted = false,
                 .low_end = "threshold",
                 .high_end = "bound",
                 .why = "because",
                 .interval = {next_number(), next_number()},
                 .threshold = next_number(),
                 .points = {{next_number(), next_number(), true, {next_number()}}}}};
  f.starts = {.count = 2,
              .seed = 7,
              .reported = 1,
              .names = {"k", "c"},
              .kept = {"c"},
              .minima = {{next_number(), 2, 1, {next_number()}, {next_number()}}},
              .list = {{.number = 1,
                        .status = "converged",
                        .message = "increment",
                        .objective = next_number(),
                        .first_objective = next_number(),
                        .constraints = next_number(),
                        .iterations = 4,
                        .linearizations = 5,
                        .minimum = 1,
                        .initial = {next_number()},
                        .values = {next_number()}}}};
  f.history = {{.number = 1,
                .objective = next_number(),
                .constraints = next_number(),
                .increment = next_number(),
                .step = next_number(),
                .omega = next_number(),
                .kappa = next_number(),
                .test = next_number(),
                .trials = 2,
                .rank = 5,
                .condition = next_number(),
                .values = {next_number(), next_number()}}};
  f.work = {1, 2, 3, 4, 5};
  f.options = {.globalization = "rmt",
               .back_projection = true,
               .tol = next_number(),
               .max_iterations = 100,
               .norm = "huber",
               .huber_gamma = next_number(),
               .condensing = "gauss",
               .reduction = "none",
               .relaxation = "baumgarte",
               .relaxation_rate = next_number(),
               .relaxation_factor = next_number(),
               .projection = "mechanical",
               .consistent = true,
               .integrator = "auto",
               .rtol = next_number(),
               .atol = next_number(),
               .sigma = "known",
               .confidence = 0.9,
               .set = {"k=2"},
               .fix = {"c"},
               .start = "earlier",
               .certify = true};
  f.variable_names = {"k", "run1: x(0)"};
  f.x = {next_number(), next_number()};
  return f;
}

result::Modes full_modes() {
  result::Modes m;
  m.verdict = verdict();
  m.model = "m.xml";
  m.at = "equilibrium";
  m.t = next_number();
  m.equilibrium = {.status = "found",
                   .message = "stands",
                   .iterations = 4,
                   .evaluations = 5,
                   .correction = next_number(),
                   .residual = next_number(),
                   .moved = next_number(),
                   .prescribed_speed = next_number(),
                   .moving = {"x"}};
  m.degrees_of_freedom = 2;
  m.stability = "stable";
  m.growth = next_number();
  m.residual = next_number();
  m.neutral = {"y"};
  m.drifts = true;
  m.num_modes = 3;
  m.modes = {{.number = 1,
              .re = next_number(),
              .im = next_number(),
              .frequency_hz = next_number(),
              .damped_frequency_hz = next_number(),
              .damping = next_number(),
              .time_constant = next_number(),
              .moves_most = "Elbow.angle"}};
  m.parameters = {{"k", next_number()}};
  return m;
}

TEST(ResultJson, EveryFieldOfASimulationReadsBackBitForBit) {
  const auto written = full_simulation();
  EXPECT_EQ(read_simulation_text(result_text(written), "r"), written);
}

TEST(ResultJson, EveryFieldOfAFitReadsBackBitForBit) {
  const auto written = full_fit();
  EXPECT_EQ(read_fit_text(result_text(written), "r"), written);
}

TEST(ResultJson, EveryFieldOfModesReadsBackBitForBit) {
  const auto written = full_modes();
  EXPECT_EQ(read_modes_text(result_text(written), "r"), written);
}

TEST(ResultJson, EveryFieldOfASynthesisReadsBack) {
  const result::Synthesis written{
      .version = "9",
      .problem = "p.xml",
      .seed = std::numeric_limits<std::uint64_t>::max(),
      .set = {"k=1"},
      .experiments = {{"run1", "d.csv", "samples", 7, 8}, {"run2", "e.csv", "data", 9, 10}}};
  EXPECT_EQ(read_synthesis_text(result_text(written), "r"), written);
}

TEST(ResultJson, EveryFieldOfAVerificationReadsBack) {
  const result::Verification written{
      .version = "9",
      .status = "failed",
      .problems = {{"a", "book", "abm", next_number(), 8, true, next_number(), ""},
                   {"b", "paper", "bdf", 0, 8, false, next_number(), "could not be solved"}}};
  EXPECT_EQ(read_verification_text(result_text(written), "r"), written);
}

TEST(ResultJson, DefaultsReadBack) {
  EXPECT_EQ(read_simulation_text(result_text(result::Simulation{}), "r"), result::Simulation{});
  EXPECT_EQ(read_modes_text(result_text(result::Modes{}), "r"), result::Modes{});
  const auto fit = read_fit_text(result_text(result::Fit{}), "r");
  EXPECT_FALSE(fit.has_values());
  EXPECT_TRUE(std::isnan(fit.objective));
  EXPECT_EQ(result_text(fit), result_text(result::Fit{}));
}

TEST(ResultJson, TimesReadBack) {
  const result::Timing written{{{"read", 0.25}, {"integrate", next_number()}}};
  const auto text = timing_text(written);
  EXPECT_EQ(read_timing_text(text, "t"), written);
  EXPECT_THAT(text, HasSubstr("\"format\": 1"));
  EXPECT_THAT(text, HasSubstr("\"total\": "));
}

TEST(ResultJson, BoundsThatAreNotThereReadBackAsInfinities) {
  auto written = full_fit();
  written.parameters[0].lower = -kInfinity;
  written.parameters[1].upper = kInfinity;
  EXPECT_EQ(read_fit_text(result_text(written), "r"), written);
}

TEST(ResultJson, AnUndeterminedParameterHasInfiniteDeviationAndInterval) {
  auto written = full_fit();
  auto& open = written.parameters[0];
  open.determined = "undetermined";
  open.sd = kInfinity;
  open.individual = {-kInfinity, 5};
  open.joint = {-kInfinity, kInfinity};
  const auto text = result_text(written);
  EXPECT_THAT(text, HasSubstr("\"sd\": null"));
  EXPECT_EQ(read_fit_text(text, "r"), written);
}

TEST(ResultJson, AParameterAtABoundHasNoDeviation) {
  auto written = full_fit();
  auto& held = written.parameters[0];
  held.determined = "at_lower";
  held.sd = held.individual.low = held.joint.high = kNaN;
  const auto read = read_fit_text(result_text(written), "r").parameters[0];
  EXPECT_TRUE(read.at_bound());
  EXPECT_TRUE(std::isnan(read.sd));
  EXPECT_TRUE(std::isnan(read.individual.low));
  EXPECT_EQ(read.individual.high, held.individual.high);
  EXPECT_TRUE(std::isnan(read.joint.high));
}

TEST(ResultJson, EndsOfAProfileAreInfiniteOrWereNotFound) {
  auto written = full_fit();
  written.profiles[0].interval = {-kInfinity, kInfinity};
  written.profiles[0].low_end = written.profiles[0].high_end = "open";
  EXPECT_EQ(read_fit_text(result_text(written), "r"), written);
  written.profiles[0].high_end = "failed";
  const auto failed = read_fit_text(result_text(written), "r").profiles[0];
  EXPECT_EQ(failed.interval.low, -kInfinity);
  EXPECT_TRUE(std::isnan(failed.interval.high));
  // As version 0.1.0 wrote it.
  written.profiles[0].low_end = written.profiles[0].high_end = "";
  written.profiles[0].interrupted = true;
  written.profiles[0].interval = {1, kNaN};
  const auto read = read_fit_text(result_text(written), "r").profiles[0];
  EXPECT_EQ(read.interval.low, 1);
  EXPECT_TRUE(std::isnan(read.interval.high));
}

TEST(ResultJson, ModesWithoutDampingHaveAnInfiniteTimeConstant) {
  auto written = full_modes();
  written.modes[0].time_constant = kInfinity;
  EXPECT_EQ(read_modes_text(result_text(written), "r"), written);
}

TEST(ResultJson, ResultsWithoutFormatAreThoseOfVersionZeroPointOne) {
  const auto written = full_fit();
  auto text = result_text(written);
  const std::string format = "  \"format\": 1,\n";
  const auto at = text.find(format);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, format.size());
  EXPECT_EQ(read_fit_text(text, "r"), written);
}

/// The message of the InputError, or "" if there is none.
template <class Read>
std::string error_of(const Read& read) {
  try {
    read();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultJson, ErrorsSayWhichFieldIsWrong) {
  const auto after = [](const std::string& from, const std::string& to) {
    auto text = result_text(full_fit());
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return error_of([&] { read_fit_text(text, "r.json"); });
  };
  EXPECT_EQ(after("\"iterations\": 3", "\"iteration\": 3"), "r.json: iterations is missing.");
  EXPECT_EQ(after("\"iterations\": 3", "\"iterations\": 3.5"),
            "r.json: iterations must be a whole number.");
  EXPECT_EQ(after("\"iterations\": 3", "\"iterations\": 30000000000"),
            "r.json: iterations is too large.");
  EXPECT_EQ(after("\"partial\": true", "\"partial\": 1"), "r.json: partial must be true or false.");
  EXPECT_EQ(after("\"id\": \"c\"", "\"id\": 7"), "r.json: parameters[1].id must be a text.");
  EXPECT_EQ(after("\"format\": 1", "\"format\": 99"),
            "r.json: has format 99, this version reads formats up to 1. Was it written by a later "
            "version?");
}

TEST(ResultJson, WhatIsNotAResultIsRefused) {
  const auto simulation = result_text(full_simulation());
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"program\": \"another\"}"),
        std::string("{\"program\": 5}"), simulation.substr(0, simulation.size() / 2)}) {
    EXPECT_THAT(error_of([&] { read_simulation_text(text, "r"); }),
                HasSubstr("is not a result.json of parfait simulate"));
    EXPECT_EQ(result_command(text), "");
  }
  EXPECT_THAT(error_of([&] { read_fit_text(simulation, "r"); }),
              HasSubstr("is not a result.json of parfait fit"));
  EXPECT_EQ(result_command(simulation), "simulate");
}

TEST(ResultJson, ABrokenNameDoesNotCostAResult) {
  auto simulation = full_simulation();
  simulation.model = "caf\xe9.xml";  // not UTF-8
  EXPECT_EQ(read_simulation_text(result_text(simulation), "r").model, "caf\xef\xbf\xbd.xml");
}

TEST(ResultTables, ReadBackBitForBit) {
  const result::Table written{.header = {"t", "a, b"},
                              .columns = {{0, 0.1, next_number()}, {kInfinity, 1, -kInfinity}}};
  EXPECT_EQ(read_table_text(csv_text(written), "t.csv"), written);
}

}  // namespace result_json_test
}  // namespace parfait::io
