#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/io/results/mode_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/fit/synthesis.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/test_scratch.h"
#include "parfait/run/simulation/modes.h"
#include "parfait/run/verification/verification.h"

// Modes, synthesis, verification, facts, and the job they share.
namespace parfait::run {
namespace runs_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kExamples = std::string(PARFAIT_SOURCE_DIR) + "/examples/";

Model damped_oscillator() {
  dynamics::FormulaModel model;
  model.state("x", 0.1, "v");
  model.state("v", 0, "-w^2 * (x - 1) - 0.2 * v");
  model.parameter("w", 2);
  return make_model(model);
}

TEST(ModesRun, FindsTheEquilibriumAndItsFrequency) {
  ModesRequest request;
  request.model = damped_oscillator();
  request.set = {{"w", 3}};
  const auto run = find_modes(request);
  ASSERT_TRUE(run.finished());
  EXPECT_EQ(run.result.verdict.status, "done");
  EXPECT_EQ(run.result.equilibrium->status, "found");
  EXPECT_NEAR(run.shapes.point.column("x")[0], 1, 1e-9);
  ASSERT_EQ(run.result.modes.size(), 1U);
  EXPECT_NEAR(run.result.modes[0].frequency_hz, 3 / (2 * std::numbers::pi), 1e-9);
  EXPECT_NEAR(run.result.modes[0].re, -0.1, 1e-9);
  EXPECT_EQ(run.result.stability, "stable");
}

TEST(ModesRun, IsSavedAndReadsBack) {
  const Scratch scratch("modes");
  ModesRequest request;
  request.file = kExamples + "double_pendulum/double_pendulum.xml";
  request.out = scratch.path();
  auto run = find_modes(request);
  ASSERT_TRUE(run.finished());
  save(run, request.out);
  const auto text = [&](const char* name) { return io::read_text_file(scratch.path() / name); };
  EXPECT_EQ(io::read_modes_text(text("result.json"), "r"), run.result);
  EXPECT_EQ(io::read_mode_shapes(text("shapes.csv"), text("equilibrium.csv")), run.shapes);
}

TEST(ModesRun, CanBeStoppedAndRefusesNonsense) {
  ModesRequest request;
  request.model = damped_oscillator();
  Callbacks callbacks;
  callbacks.stop = [] { return true; };
  const auto run = find_modes(request, callbacks);
  EXPECT_FALSE(run.finished());
  EXPECT_EQ(run.result.verdict.status, "interrupted");
  request.count = 0;
  EXPECT_THROW(find_modes(request), base::InputError);
}

TEST(SynthesisRun, MakesAProblemThatCanBeFitted) {
  const Scratch scratch("synthesis");
  SynthesisRequest request;
  request.file = kExamples + "lotka_volterra/problem.xml";
  request.seed = 5;
  request.out = scratch.path();
  auto run = synthesize(request);
  EXPECT_FALSE(fs::exists(scratch.path()));
  save(run, request);
  const auto read =
      io::read_synthesis_text(io::read_text_file(scratch.path() / "result.json"), "r");
  EXPECT_EQ(read, run.result);
  EXPECT_EQ(read.seed, 5U);
  FitRequest next;
  next.file = run.problem_file;
  const auto fitted = fit(next);
  EXPECT_TRUE(fitted.complete());
  for (const auto& p : fitted.result.parameters) {
    ASSERT_TRUE(p.truth.has_value());
    EXPECT_LT(std::abs(p.value - *p.truth), 5 * p.sd) << p.id;
  }
}

TEST(SynthesisRun, DoesNotReplaceDataUnlessItIsTold) {
  SynthesisRequest request;
  request.file = kExamples + "lotka_volterra/problem.xml";
  try {
    synthesize(request);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("exists and is not replaced"));
  }
}

TEST(Verification, CanBeStoppedAfterTheFirstProblem) {
  std::vector<std::string> solved;
  Callbacks callbacks;
  callbacks.stop = [&] { return !solved.empty(); };
  const auto found =
      verify(callbacks, [&](const auto& problem) { solved.push_back(problem.name); });
  EXPECT_EQ(found.status, "interrupted");
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_TRUE(found.problems[0].passed);
  EXPECT_THAT(solved, ElementsAre(found.problems[0].name));
}

TEST(Facts, SayWhatIsInAModelAndAProblem) {
  const auto model = std::get<result::ModelFacts>(check(kExamples + "six_bar/six_bar.xml"));
  EXPECT_EQ(model.kind, "mechanics");
  EXPECT_EQ(model.degrees_of_freedom, 1);
  EXPECT_FALSE(model.redundant.empty());
  const auto problem =
      std::get<result::ProblemFacts>(check(kExamples + "lotka_volterra/problem.xml"));
  EXPECT_EQ(problem.experiments.size(), 1U);
  EXPECT_GT(problem.measurements, 0);
  EXPECT_THROW(check("nowhere.xml"), base::InputError);
}

TEST(Job, AsksOftenWhateverTheWorkDoes) {
  Callbacks callbacks;
  int asked = 0;
  callbacks.interval = std::chrono::milliseconds(1);
  callbacks.stop = [&] { return ++asked >= 5; };
  Job job(callbacks);
  job.run([&] {
    while (!job.stopped()) std::this_thread::yield();
  });
  EXPECT_GE(asked, 5);
}

TEST(Job, WhatTheWorkThrowsArrives) {
  const Callbacks none;
  Job job(none);
  EXPECT_THROW(job.run([] { throw base::InputError("no"); }), base::InputError);
}

}  // namespace runs_test
}  // namespace parfait::run
