#include "parfait/run/fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/io/results/fit_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/job/report.h"
#include "parfait/run/job/test_scratch.h"

namespace parfait::run {
namespace fit_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kExamples = std::string(PARFAIT_SOURCE_DIR) + "/examples/";

/// x' = -k x, measured without errors at k = 2, fitted from k = 1.
estimate::Problem decay(int rows = 11) {
  dynamics::FormulaModel model;
  model.state("x", 1, "-k * x");
  model.parameter("k", 1);
  estimate::Problem problem;
  problem.file = "decay.xml";
  problem.estimates = {{.parameter = "k", .initial = 1}};
  auto& e = problem.experiments.emplace_back();
  e.id = "run1";
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "x"};
  e.data.columns.resize(2);
  for (int i = 0; i < rows; ++i) {
    const double t = 2.0 * i / (rows - 1);
    e.data.columns[0].push_back(t);
    e.data.columns[1].push_back(std::exp(-2 * t) + (i % 2 == 0 ? 1e-3 : -1e-3));
  }
  e.observations = {{.column = "x", .quantity = {"x"}, .sigma = {.absolute = 1e-3}}};
  return problem;
}

FitRequest request_for(estimate::Problem problem) {
  FitRequest request;
  request.problem = std::move(problem);
  return request;
}

std::string error_of(const FitRequest& request) {
  try {
    fit(request);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FitRun, FindsTheParameterWithItsInterval) {
  const auto run = fit(request_for(decay()));
  ASSERT_TRUE(run.complete());
  EXPECT_EQ(run.result.verdict.status, "converged");
  const auto* k = run.result.find("k");
  ASSERT_NE(k, nullptr);
  EXPECT_NEAR(k->value, 2, 0.01);
  EXPECT_GT(k->sd, 0);
  EXPECT_LT(k->individual.low, 2);
  EXPECT_GT(k->individual.high, 2);
  EXPECT_EQ(k->initial, 1);
  EXPECT_EQ(*run.result.measurements, 11);
  EXPECT_EQ(run.tables.residuals.size(), 11U);
  ASSERT_EQ(run.tables.predictions.size(), 1U);
  EXPECT_THAT(run.tables.predictions[0].quantities, ElementsAre("x"));
  EXPECT_NEAR(run.tables.predictions[0].values(0, 0), 1, 1e-12);
  EXPECT_THAT(run.tables.estimates, ElementsAre("k"));
  EXPECT_NEAR(run.tables.covariance(0, 0), k->sd * k->sd, 1e-12);
}

TEST(FitRun, FilesThatChangeMeanwhileCostNothing) {
  const Scratch scratch("changing_files");
  fs::create_directories(scratch.path());
  const auto write = [&](const char* name, const char* text) {
    io::write_text_file(scratch.path() / name, text);
  };
  write("model.xml", R"(<ode> <parameter id="k" initial="1" unit="1/s"/>
    <state id="x" initial="1" derivative="-k*x"/> </ode>)");
  write("data.csv", "t,x\n0,1\n1,0.2\n2,0.05\n");
  write("problem.xml", R"(<problem> <estimate parameter="k" initial="1"/>
    <experiment id="run" model="model.xml" data="data.csv">
      <observe column="x" quantity="x" sigma="0.01"/> </experiment> </problem>)");
  FitRequest request;
  request.file = (scratch.path() / "problem.xml").string();
  const auto before = fit(request);
  ASSERT_TRUE(before.complete());
  ASSERT_EQ(before.result.verdict.origin.files.size(), 3U);
  EXPECT_EQ(before.result.find("k")->unit, "1/s");
  Callbacks callbacks;
  callbacks.on_problem = [&](const result::ProblemFacts&) { write("model.xml", "<ode> broken"); };
  EXPECT_EQ(io::result_text(fit(request, callbacks).result), io::result_text(before.result));
}

TEST(FitRun, RequestsThatMakeNoSenseAreRefused) {
  const auto with = [](const auto& change) {
    auto request = request_for(decay());
    change(request);
    return error_of(request);
  };
  EXPECT_THAT(with([](auto& r) { r.threads = 0; }), HasSubstr("--threads 0: must be at least 1"));
  EXPECT_THAT(with([](auto& r) { r.globalization = "magic"; }), HasSubstr("--globalization magic"));
  EXPECT_THAT(with([](auto& r) {
                r.set = {{"kk", 1}};
              }),
              HasSubstr("there is no parameter \"kk\""));
  EXPECT_THAT(with([](auto& r) { r.fix = {"kk"}; }), HasSubstr("is not an estimated parameter"));
  EXPECT_THAT(with([](auto& r) { r.profile = {"kk"}; }), HasSubstr("--profile kk"));
  EXPECT_THAT(with([](auto& r) { r.start = "nowhere.json"; }), HasSubstr("nowhere.json"));
  EXPECT_THAT(with([](auto& r) { r.problem->experiments[0].observations[0].quantity = {"y"}; }),
              HasSubstr("y"));
  FitRequest nowhere;
  nowhere.file = "nowhere.xml";
  EXPECT_THAT(error_of(nowhere), HasSubstr("nowhere.xml"));
}

TEST(FitRun, TellsTheProblemAndEachPointOnTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  Callbacks callbacks;
  int problems = 0;
  std::vector<double> values;
  std::vector<int> numbers;
  callbacks.on_problem = [&](const result::ProblemFacts& facts) {
    ++problems;
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(facts.measurements, 11);
    EXPECT_TRUE(values.empty());
  };
  callbacks.on_iteration = [&](const IterationRecord& record) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_THAT(record.names, ElementsAre("k"));
    values.push_back(record.values.at(0));
    numbers.push_back(record.iteration.number);
  };
  const auto run = fit(request_for(decay()), callbacks);
  EXPECT_EQ(problems, 1);
  ASSERT_EQ(values.size(), run.result.history.size());
  EXPECT_EQ(values.front(), 1);
  EXPECT_EQ(values.back(), run.result.parameters[0].value);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], run.result.history[i].number);
  }
}

TEST(FitRun, CanBeStoppedBetweenIterationsAndKeepsWhatItFound) {
  Callbacks callbacks;
  int points = 0;
  callbacks.on_iteration = [&](const IterationRecord&) { ++points; };
  callbacks.stop = [&] { return points >= 2; };
  auto request = request_for(decay());
  request.problem->options.iteration.tolerance = 1e-14;
  request.set = {{"k", 0.1}};
  const auto run = fit(request, callbacks);
  EXPECT_TRUE(run.result.verdict.partial);
  EXPECT_EQ(run.result.verdict.status, "interrupted");
  EXPECT_EQ(run.result.history.size(), 2U);
  EXPECT_NE(run.result.parameters.at(0).value, 0.1);  // where it stood
}

TEST(FitRun, CanBeStoppedInsideOneLongIntegration) {
  // A fast oscillation for a very long time: the first trajectory alone would take hours.
  dynamics::FormulaModel model;
  model.state("x", 1, "w * v");
  model.state("v", 0, "-w * x");
  model.parameter("w", 1e6);
  auto problem = decay(3);
  problem.estimates = {{.parameter = "w", .initial = 1e6}};
  problem.experiments[0].system = dynamics::make_formula_system(model);
  problem.experiments[0].data.columns[0] = {0, 1e3, 1e5};
  problem.options.integrator.max_steps = 2'000'000'000;
  problem.options.max_steps_given = true;  // otherwise trial points may take few
  Callbacks callbacks;
  const auto begin = std::chrono::steady_clock::now();
  callbacks.stop = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(100);
  };
  const auto run = fit(request_for(problem), callbacks);
  EXPECT_EQ(run.result.verdict.status, "interrupted") << run.result.verdict.message;
  EXPECT_TRUE(run.result.verdict.partial);
  EXPECT_EQ(run.result.parameters.at(0).value, 1e6);
}

TEST(FitRun, AnExceptionOfACallbackArrivesUnchanged) {
  struct Mine {
    int number;
  };
  Callbacks callbacks;
  callbacks.on_iteration = [](const IterationRecord&) { throw Mine{7}; };
  try {
    fit(request_for(decay()), callbacks);
    FAIL();
  } catch (const Mine& mine) {
    EXPECT_EQ(mine.number, 7);
  }
}

TEST(FitRun, BitsDoNotDependOnTheNumberOfThreads) {
  FitRequest request;
  request.file = kExamples + "lotka_volterra/problem.xml";
  request.threads = 1;
  const auto one = fit(request);
  request.threads = 3;
  const auto three = fit(request);
  EXPECT_EQ(io::result_text(one.result), io::result_text(three.result));
  EXPECT_EQ(one.tables, three.tables);
}

TEST(FitRun, SeveralRunAtOnceInOneProcess) {
  const auto alone = io::result_text(fit(request_for(decay())).result);
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  threads.reserve(texts.size());
  for (auto& text : texts) {
    threads.emplace_back([&text] { text = io::result_text(fit(request_for(decay())).result); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& text : texts) EXPECT_EQ(text, alone);
}

TEST(FitRun, IsSavedInOnePieceAndReadsBack) {
  const Scratch scratch("fit");
  FitRequest request;
  request.file = kExamples + "lotka_volterra/problem.xml";
  request.out = scratch.path();
  request.profile = {"p1"};
  auto run = fit(request);
  EXPECT_FALSE(fs::exists(scratch.path()));
  save(run, request.out);
  const auto text = [&](const char* name) { return io::read_text_file(scratch.path() / name); };
  const auto read = io::read_fit_text(text("result.json"), "r");
  EXPECT_EQ(read, run.result);
  EXPECT_EQ(io::read_fit_tables(read, text("covariance.csv"), text("residuals.csv"),
                                text("trajectory.csv"), text("trajectory_initial.csv")),
            run.tables);
  EXPECT_EQ(text("report.html"), make_report({scratch.path()}));
  for (const char* name : {"parameters.csv", "nodes.csv", "profile.csv", "timing.json"}) {
    EXPECT_TRUE(fs::exists(scratch.path() / name)) << name;
  }
  ASSERT_EQ(read.profiles.size(), 1U);
  EXPECT_FALSE(read.profiles[0].interrupted);
}

TEST(FitRun, StartsFromAnEarlierResult) {
  auto request = request_for(decay());
  const auto first = fit(request);
  ASSERT_GT(first.result.iterations, 1);
  request.start_from = first.result;
  const auto second = fit(request);
  EXPECT_EQ(second.result.iterations, 0);
  EXPECT_EQ(second.result.parameters[0].initial, first.result.parameters[0].value);

  const Scratch scratch("earlier");
  auto saved = first;
  save(saved, scratch.path());
  request.start_from.reset();
  request.start = scratch.path().string();
  EXPECT_EQ(fit(request).result.iterations, 0);
}

TEST(FitRun, ProfilesAndPredictionsAgreeWithAFreshProblem) {
  // The ensemble of the fit serves both; neither may see what was done before.
  auto request = request_for(decay());
  request.profile = {"k"};
  const auto both = fit(request);
  request.profile.clear();
  EXPECT_EQ(fit(request).tables, both.tables);
  const auto& k = both.result.parameters[0];
  const auto& interval = both.result.profiles.at(0).interval;
  EXPECT_NEAR(interval.low, k.individual.low, 0.01 * k.sd);
  EXPECT_NEAR(interval.high, k.individual.high, 0.01 * k.sd);
}

TEST(FitRun, WarningsAreKeptInTheResult) {
  FitRequest fixed = request_for(decay());
  fixed.fix = {"k"};
  EXPECT_THAT(fit(fixed).result.verdict.warnings,
              testing::Contains(HasSubstr("nothing is estimated")));
}

}  // namespace fit_test
}  // namespace parfait::run
