#include "parfait/run/simulation/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_model.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/job/test_scratch.h"

namespace parfait::run {
namespace simulation_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kExamples = std::string(PARFAIT_SOURCE_DIR) + "/examples/";

/// x'' = -w^2 x, x(0) = 1.
Model oscillator() {
  dynamics::FormulaModel model;
  model.state("x", 1, "v");
  model.state("v", 0, "-w^2 * x");
  model.parameter("w", 2);
  return make_model(model);
}

SimulationRequest request_for(Model model) {
  SimulationRequest request;
  request.model = std::move(model);
  return request;
}

std::string error_of(const SimulationRequest& request) {
  try {
    simulate(request);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SimulationRun, FollowsTheClosedFormWithItsSensitivity) {
  auto request = request_for(oscillator());
  request.until = 2;
  request.step = 0.5;
  request.set = {{"w", 3}};
  request.observe = {"x"};
  request.sensitivity = {"w"};
  const auto run = simulate(request);
  ASSERT_TRUE(run.finished());
  ASSERT_THAT(run.trajectory.header, ElementsAre("t", "x", "dx/dw"));
  ASSERT_EQ(run.trajectory.num_rows(), 5);
  for (int i = 0; i < 5; ++i) {
    const double t = 0.5 * i;
    EXPECT_NEAR(run.trajectory.column("x")[i], std::cos(3 * t), 1e-7);
    EXPECT_NEAR(run.trajectory.column("dx/dw")[i], -t * std::sin(3 * t), 1e-6);
  }
  EXPECT_EQ(run.result.verdict.status, "finished");
  EXPECT_THAT(run.result.parameters, ElementsAre(result::NamedValue{"w", 3}));
  EXPECT_EQ(run.contents, "ODE, 2 states");
}

TEST(SimulationRun, DefaultsAreThoseOfTheModelAndThenTheirOwn) {
  const auto run = simulate(request_for(oscillator()));
  EXPECT_EQ(run.result.options.until, 10);
  EXPECT_EQ(run.result.options.step, 10.0 / 500);
  EXPECT_EQ(run.result.options.integrator, "dop853");
  EXPECT_EQ(run.result.options.rtol, 1e-8);
  EXPECT_THAT(run.result.options.observe, ElementsAre("x", "v"));
  EXPECT_EQ(run.result.rows, 501);
  EXPECT_EQ(run.trajectory.num_rows(), 501);

  dynamics::FormulaModel model;
  model.state("x", 1, "-x");
  model.simulation.until = 3;
  model.simulation.rtol = 1e-5;
  const auto from_model = simulate(request_for(make_model(model)));
  EXPECT_EQ(from_model.result.options.until, 3);
  EXPECT_EQ(from_model.result.options.rtol, 1e-5);
}

TEST(SimulationRun, RequestsThatMakeNoSenseAreRefused) {
  const auto with = [](const auto& change) {
    auto request = request_for(oscillator());
    change(request);
    return error_of(request);
  };
  EXPECT_THAT(with([](auto& r) { r.until = -1; }), HasSubstr("until = -1 s: must be > 0"));
  EXPECT_THAT(with([](auto& r) {
                r.set = {{"omega", 1}};
              }),
              HasSubstr("--set omega=1: there is no parameter \"omega\""));
  EXPECT_THAT(with([](auto& r) { r.observe = {"y"}; }), HasSubstr("y"));
  EXPECT_THAT(with([](auto& r) { r.sensitivity = {"x"}; }), HasSubstr("write initial:x"));
  EXPECT_THAT(with([](auto& r) { r.integrator = "euler"; }), HasSubstr("euler"));
  EXPECT_THAT(with([](auto& r) { r.hht_alpha = -0.1; }), HasSubstr("is for --integrator hht"));
  EXPECT_THAT(with([](auto& r) {
                r.positions = {1e-3, 1e-3};
              }),
              HasSubstr("the model has no positions"));
  EXPECT_THAT(with([](auto& r) { r.projection = "mass"; }), HasSubstr("no constraints"));
  EXPECT_THAT(with([](auto& r) { r.control_sensitivities = true; }),
              HasSubstr("needs --sensitivity"));
  SimulationRequest nowhere;
  nowhere.file = "nowhere.xml";
  EXPECT_THAT(error_of(nowhere), HasSubstr("nowhere.xml"));
}

TEST(SimulationRun, CanBeStoppedAndKeepsWhatItFound) {
  auto request = request_for(oscillator());
  request.every_step = true;
  Callbacks callbacks;
  callbacks.interval = std::chrono::milliseconds(0);
  int steps = 0;
  callbacks.on_progress = [&](double, const std::string&) { ++steps; };
  callbacks.stop = [&] { return steps == 5; };
  const auto run = simulate(request, callbacks);
  EXPECT_FALSE(run.finished());
  EXPECT_TRUE(run.result.verdict.partial);
  EXPECT_EQ(run.result.verdict.status, "interrupted");
  EXPECT_EQ(run.result.work.steps, 5);
  EXPECT_EQ(run.trajectory.num_rows(), 6);  // the start and five steps
  ASSERT_TRUE(run.result.last_state.has_value());
  EXPECT_EQ(run.result.last_state->t, run.trajectory.column("t").back());
  EXPECT_EQ(run.result.last_state->y[0].value, run.trajectory.column("x").back());
  EXPECT_LT(run.result.t, 10);
}

TEST(SimulationRun, TellsHowFarItIs) {
  Callbacks callbacks;
  callbacks.interval = std::chrono::milliseconds(0);
  std::vector<double> fractions;
  std::vector<std::string> notes;
  callbacks.on_progress = [&](double fraction, const std::string& note) {
    fractions.push_back(fraction);
    notes.push_back(note);
  };
  const auto run = simulate(request_for(oscillator()), callbacks);
  ASSERT_EQ(static_cast<std::int64_t>(fractions.size()), run.result.work.steps);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_GT(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_EQ(notes.back(), "t = 10 s");
}

TEST(SimulationRun, AnExceptionOfACallbackArrivesUnchanged) {
  struct Mine {};
  Callbacks callbacks;
  callbacks.stop = []() -> bool { throw Mine(); };
  EXPECT_THROW(simulate(request_for(oscillator()), callbacks), Mine);
}

TEST(SimulationRun, FailureIsAResult) {
  dynamics::FormulaModel model;
  model.state("x", 1, "x^2");  // infinite at t = 1
  const auto run = simulate(request_for(make_model(model)));
  EXPECT_FALSE(run.finished());
  EXPECT_EQ(run.result.verdict.status, "step_too_small");
  EXPECT_NEAR(run.result.t, 1, 1e-3);
  EXPECT_NE(run.result.verdict.message, "");
}

TEST(SimulationRun, IsSavedInOnePieceAndReadsBack) {
  const Scratch scratch("simulation");
  SimulationRequest request;
  request.file = kExamples + "six_bar/six_bar.xml";
  request.until = 0.5;
  request.out = scratch.path();
  auto run = simulate(request);
  EXPECT_FALSE(fs::exists(scratch.path()));  // nothing is written before save()
  save(run, request.out);
  const auto text = io::read_text_file(scratch.path() / "result.json");
  EXPECT_EQ(io::read_simulation_text(text, "r"), run.result);
  EXPECT_EQ(io::read_table_text(io::read_text_file(scratch.path() / "trajectory.csv"), "t"),
            run.trajectory);
  const auto timing = io::read_timing_text(io::read_text_file(scratch.path() / "timing.json"), "t");
  EXPECT_EQ(timing, run.timing);
  EXPECT_EQ(timing.stages.back().name, "write");
  EXPECT_TRUE(run.result.partition.has_value());  // a mechanism with loops
  EXPECT_NEAR(run.result.energy->initial, run.trajectory.column("energy.total")[0], 1e-12);
}

TEST(SimulationRun, ARunFolderThatIsNotOursIsRefusedBeforeAnythingIsComputed) {
  const Scratch scratch("not_ours");
  fs::create_directories(scratch.path());
  io::write_text_file(scratch.path() / "thesis.txt", "years of work");
  auto request = request_for(oscillator());
  request.out = scratch.path();
  Callbacks callbacks;
  callbacks.interval = std::chrono::milliseconds(0);
  callbacks.on_progress = [](double, const std::string&) { ADD_FAILURE() << "it was computed"; };
  EXPECT_THROW(simulate(request, callbacks), base::InputError);
  auto run = simulate(request_for(oscillator()));
  EXPECT_THROW(save(run, scratch.path()), base::InputError);
  EXPECT_EQ(io::read_text_file(scratch.path() / "thesis.txt"), "years of work");
}

TEST(SimulationRun, ModelsAreBuiltOnceAndSetAgain) {
  const auto model = load_model(kExamples + "double_pendulum/double_pendulum.xml");
  ASSERT_TRUE(model.mechanics);
  auto request = request_for(model);
  request.until = 0.1;
  const auto plain = simulate(request);
  SimulationRequest from_file;
  from_file.file = model.file;
  from_file.until = 0.1;
  EXPECT_EQ(io::result_text(simulate(from_file).result), io::result_text(plain.result));
  request.set = {{"mass_of_lower", 0.5}};
  EXPECT_THAT(simulate(request).result.parameters,
              Contains(result::NamedValue{"mass_of_lower", 0.5}));
}

}  // namespace simulation_test
}  // namespace parfait::run
