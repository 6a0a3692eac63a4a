#include "parfait/io/problem/problem_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem/test_problem_files.h"
#include "parfait/io/text/data_table.h"

// What problem files say is read as it was meant, and what is written reads back unchanged.
namespace parfait::io {
namespace {

namespace fs = std::filesystem;
using estimate::Data;
using estimate::Estimate;
using estimate::ExperimentDescription;
using estimate::Grid;
using estimate::InitialState;
using estimate::Problem;
using estimate::Requirement;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsNan;

/// Uses every element and attribute there is.
constexpr const char* kEverything = R"(<problem>
  <remark> Größe und Lösung </remark>
  <estimate parameter="k" initial="1" lower="-inf" upper="10" scale="2" true="0.7" prior="0.8" sigma="0.3"/>
  <estimate parameter="u" transform="log"/>
  <require> k >= 2*u </require>
  <experiment id="first" model="model.xml" data="data.csv" begin="-1" end="3">
    <local parameter="c" initial="0.4" lower="0"/> <samples from="-0.5" to="2" count="6"/>
    <observe column="x" quantity="x" sigma_column="sx"/>
    <observe column="y" quantity="2*y" relative="0.1" absolute="0.01"/>
    <initial fixed="no" scale="3"/>
    <initial state="x" fixed="true" value="1.5"/>
    <initial state="y" value="0.5" sigma="0.2"/>
    <grid times="-1 0.5 3" end_node="yes" nodes="average" weight="0.25"/>
    <require at="0 1"> x - y = 0.25 </require>
    <require at="2"> if(x >= y, x, y) &lt;= 4 </require>
    <require> k = u </require>
    <require relation=">="> <term at="0"> x </term> <term at="2"> -x </term> <term> -c </term> </require>
    <bounds state="x" lower="-1"/>
    <bounds state="y" lower="-1" upper="9"/>
  </experiment>
  <experiment id="second" model="./model.xml" time="x">
    <table>
      x,t
      0,0.5
      1,
      1,0.75
    </table>
    <set parameter="c" value="0.3"/> <samples times="0 0.5 1.75"/>
    <observe column="t" quantity="x" sigma="0.1"/>
    <grid intervals="2" nodes="given"> <table>
      time,y,x
      0,0.3,1
      2,0.4,2 </table>
    </grid>
  </experiment>
  <experiment id="third" data="points.csv">
    <row_local parameter="xi" initial="x + 0" scale="0.5"/>
    <observe column="x" quantity="xi"/>
    <observe column="z" quantity="k*xi + u"/>
    <require> k - u >= 0 </require>
  </experiment>
  <options globalization="natural" back_projection="no" tol="1e-7" max_iterations="7" min_step="1e-5" norm="huber"
           huber_gamma="1.5" rank_tolerance="1e-8" integrator="abm" rtol="1e-9" atol="1e-11" max_step="0.5" max_steps="500"
           condensing="orthogonal" reduction="fixfit" relaxation="baumgarte" relaxation_factor="0.2"
           projection="euclidean" consistent="yes" sigma="known" confidence="0.9"/>
</problem>
)";

void expect_same(const Data& a, const Data& b) {
  EXPECT_EQ(a.file, b.file);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.header, b.header);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    ASSERT_EQ(a.columns[c].size(), b.columns[c].size());
    for (std::size_t r = 0; r < a.columns[c].size(); ++r) {
      const double x = a.columns[c][r], y = b.columns[c][r];
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << x << " " << y;
    }
  }
}

void expect_same(const std::vector<Estimate>& a, const std::vector<Estimate>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].parameter, b[i].parameter);
    EXPECT_EQ(a[i].initial, b[i].initial);
    EXPECT_EQ(a[i].lower, b[i].lower);
    EXPECT_EQ(a[i].upper, b[i].upper);
    EXPECT_EQ(a[i].scale, b[i].scale);
    EXPECT_EQ(a[i].transform, b[i].transform);
    EXPECT_EQ(a[i].truth, b[i].truth);
    ASSERT_EQ(a[i].prior.has_value(), b[i].prior.has_value());
    if (!a[i].prior) continue;
    EXPECT_EQ(a[i].prior->value, b[i].prior->value);
    EXPECT_EQ(a[i].prior->sigma, b[i].prior->sigma);
  }
}

void expect_same(const std::vector<Requirement>& a, const std::vector<Requirement>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].inequality, b[i].inequality);
    ASSERT_EQ(a[i].terms.size(), b[i].terms.size());
    for (std::size_t j = 0; j < a[i].terms.size(); ++j) {
      EXPECT_EQ(a[i].terms[j].at, b[i].terms[j].at);
      EXPECT_EQ(a[i].terms[j].formula.text, b[i].terms[j].formula.text);
    }
  }
}

void expect_same(const Grid& a, const Grid& b) {
  EXPECT_EQ(a.intervals, b.intervals);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.end_node, b.end_node);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.file, b.file);
  expect_same(a.values, b.values);
}

void expect_same(const ExperimentDescription& a, const ExperimentDescription& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.system != nullptr, b.system != nullptr);
  EXPECT_EQ(a.begin, b.begin);
  ASSERT_EQ(a.samples.has_value(), b.samples.has_value());
  if (a.samples) {
    EXPECT_EQ(a.samples->count, b.samples->count);
    EXPECT_EQ(a.samples->all_times(), b.samples->all_times());
  }
  EXPECT_EQ(a.end, b.end);
  expect_same(a.data, b.data);
  expect_same(a.locals, b.locals);
  expect_same(a.requirements, b.requirements);
  expect_same(a.grid, b.grid);
  ASSERT_EQ(a.sets.size(), b.sets.size());
  for (std::size_t i = 0; i < a.sets.size(); ++i) {
    EXPECT_EQ(a.sets[i].parameter, b.sets[i].parameter);
    EXPECT_EQ(a.sets[i].value, b.sets[i].value);
  }
  ASSERT_EQ(a.row_locals.size(), b.row_locals.size());
  for (std::size_t i = 0; i < a.row_locals.size(); ++i) {
    EXPECT_EQ(a.row_locals[i].parameter, b.row_locals[i].parameter);
    EXPECT_EQ(a.row_locals[i].initial.text, b.row_locals[i].initial.text);
    EXPECT_EQ(a.row_locals[i].scale, b.row_locals[i].scale);
  }
  ASSERT_EQ(a.observations.size(), b.observations.size());
  for (std::size_t i = 0; i < a.observations.size(); ++i) {
    EXPECT_EQ(a.observations[i].column, b.observations[i].column);
    EXPECT_EQ(a.observations[i].quantity.text, b.observations[i].quantity.text);
    EXPECT_EQ(a.observations[i].sigma.absolute, b.observations[i].sigma.absolute);
    EXPECT_EQ(a.observations[i].sigma.relative, b.observations[i].sigma.relative);
    EXPECT_EQ(a.observations[i].sigma.column, b.observations[i].sigma.column);
  }
  ASSERT_EQ(a.initial.size(), b.initial.size());
  for (std::size_t i = 0; i < a.initial.size(); ++i) {
    EXPECT_EQ(a.initial[i].state, b.initial[i].state);
    EXPECT_EQ(a.initial[i].kind, b.initial[i].kind);
    EXPECT_EQ(a.initial[i].value, b.initial[i].value);
    EXPECT_EQ(a.initial[i].sigma, b.initial[i].sigma);
    EXPECT_EQ(a.initial[i].scale, b.initial[i].scale);
  }
  ASSERT_EQ(a.state_bounds.size(), b.state_bounds.size());
  for (std::size_t i = 0; i < a.state_bounds.size(); ++i) {
    EXPECT_EQ(a.state_bounds[i].state, b.state_bounds[i].state);
    EXPECT_EQ(a.state_bounds[i].lower, b.state_bounds[i].lower);
    EXPECT_EQ(a.state_bounds[i].upper, b.state_bounds[i].upper);
  }
}

/// All that a problem says, places aside.
void expect_same(const Problem& a, const Problem& b) {
  EXPECT_EQ(a.file, b.file);
  EXPECT_EQ(a.remarks, b.remarks);
  expect_same(a.estimates, b.estimates);
  expect_same(a.requirements, b.requirements);
  ASSERT_EQ(a.experiments.size(), b.experiments.size());
  for (std::size_t i = 0; i < a.experiments.size(); ++i) {
    SCOPED_TRACE(a.experiments[i].id);
    expect_same(a.experiments[i], b.experiments[i]);
  }
  const auto &o = a.options, &p = b.options;
  EXPECT_EQ(o.iteration.globalization, p.iteration.globalization);
  EXPECT_EQ(o.iteration.back_projection, p.iteration.back_projection);
  EXPECT_EQ(o.iteration.tolerance, p.iteration.tolerance);
  EXPECT_EQ(o.iteration.max_iterations, p.iteration.max_iterations);
  EXPECT_EQ(o.iteration.min_step, p.iteration.min_step);
  EXPECT_EQ(o.linear.norm, p.linear.norm);
  EXPECT_EQ(o.linear.huber_gamma, p.linear.huber_gamma);
  EXPECT_EQ(o.linear.rank_tolerance, p.linear.rank_tolerance);
  EXPECT_EQ(o.integrator_given, p.integrator_given);
  EXPECT_EQ(o.integrator.method, p.integrator.method);
  EXPECT_EQ(o.integrator.rtol, p.integrator.rtol);
  EXPECT_EQ(o.integrator.atol, p.integrator.atol);
  EXPECT_EQ(o.integrator.max_step, p.integrator.max_step);
  EXPECT_EQ(o.integrator.max_steps, p.integrator.max_steps);
  EXPECT_EQ(o.condensing, p.condensing);
  EXPECT_EQ(o.reduction, p.reduction);
  EXPECT_EQ(o.relaxation, p.relaxation);
  EXPECT_EQ(o.relaxation_rate, p.relaxation_rate);
  EXPECT_EQ(o.relaxation_factor, p.relaxation_factor);
  EXPECT_EQ(o.integrator.projection, p.integrator.projection);
  EXPECT_EQ(o.consistent, p.consistent);
  EXPECT_EQ(o.sigma_known, p.sigma_known);
  EXPECT_EQ(o.confidence, p.confidence);
}

TEST(ProblemFile, SaysWhatItMeans) {
  const ProblemFolder folder("problem_meaning");
  const Problem p = read_problem_text(kEverything, "p.xml");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(p.remarks, ElementsAre("Größe und Lösung"));
  EXPECT_EQ(p.estimates[0].lower, -kInfinity);  // though the model says 0
  EXPECT_EQ(p.estimates[0].upper, 10);
  EXPECT_EQ(p.estimates[0].scale, 2);
  EXPECT_EQ(p.estimates[0].truth, 0.7);
  EXPECT_EQ(p.estimates[0].prior->value, 0.8);
  EXPECT_EQ(p.estimates[0].prior->sigma, 0.3);
  EXPECT_EQ(p.estimates[0].place.line, 3);
  EXPECT_EQ(p.requirements[0].terms[0].formula.text, "k -( 2*u)");
  EXPECT_TRUE(p.requirements[0].inequality);

  const auto& first = p.experiments[0];
  EXPECT_EQ(first.begin, -1);
  EXPECT_EQ(first.end, 3);
  ASSERT_TRUE(first.samples);
  EXPECT_THAT(first.samples->all_times(), ElementsAre(-0.5, 0, 0.5, 1, 1.5, 2));
  EXPECT_EQ(first.observations[0].sigma.column, "sx");
  EXPECT_EQ(first.observations[1].sigma.relative, 0.1);
  EXPECT_EQ(first.observations[1].sigma.absolute, 0.01);
  EXPECT_EQ(first.initial[0].kind, InitialState::Kind::kFree);
  EXPECT_EQ(first.initial[0].state, "");
  EXPECT_EQ(first.initial[0].scale, 3);
  EXPECT_EQ(first.initial[1].kind, InitialState::Kind::kFixed);
  EXPECT_EQ(first.initial[1].value, 1.5);
  EXPECT_EQ(first.initial[2].kind, InitialState::Kind::kPrior);
  EXPECT_EQ(first.initial[2].sigma, 0.2);
  EXPECT_THAT(first.grid.times, ElementsAre(-1, 0.5, 3));
  EXPECT_TRUE(first.grid.end_node);
  EXPECT_EQ(first.grid.nodes, Grid::Nodes::kAverage);
  EXPECT_EQ(first.grid.weight, 0.25);
  ASSERT_EQ(first.requirements.size(), 5U);
  EXPECT_EQ(first.requirements[0].terms[0].at, 0);
  EXPECT_EQ(first.requirements[1].terms[0].at, 1);
  EXPECT_EQ(first.requirements[1].terms[0].formula.text, "x - y -(0.25)");
  EXPECT_FALSE(first.requirements[1].inequality);
  EXPECT_EQ(first.requirements[2].terms[0].formula.text, "-(if(x >= y, x, y) )+(4)");
  EXPECT_TRUE(first.requirements[2].inequality);
  EXPECT_FALSE(first.requirements[3].terms[0].at.has_value());
  ASSERT_EQ(first.requirements[4].terms.size(), 3U);
  EXPECT_TRUE(first.requirements[4].inequality);
  EXPECT_EQ(first.requirements[4].terms[1].at, 2);
  EXPECT_EQ(first.requirements[4].terms[1].formula.text, "-x");
  EXPECT_FALSE(first.requirements[4].terms[2].at.has_value());
  EXPECT_EQ(first.state_bounds[0].upper, kInfinity);
  EXPECT_EQ(first.state_bounds[1].upper, 9);

  const auto& second = p.experiments[1];
  ASSERT_TRUE(second.samples);
  EXPECT_THAT(second.samples->times, ElementsAre(0, 0.5, 1.75));
  EXPECT_EQ(second.data.time, "x");
  EXPECT_EQ(second.data.file, "");
  EXPECT_THAT(second.data.lines, ElementsAre(24, 25, 26));
  EXPECT_THAT(second.data.columns[1], ElementsAre(0.5, IsNan(), 0.75));
  EXPECT_EQ(second.grid.nodes, Grid::Nodes::kGiven);
  EXPECT_EQ(second.grid.values.time, "time");
  EXPECT_THAT(second.grid.values.header, ElementsAre("time", "y", "x"));

  const auto& third = p.experiments[2];
  EXPECT_EQ(third.system, nullptr);
  EXPECT_EQ(third.row_locals[0].initial.text, "x + 0");
  EXPECT_EQ(third.row_locals[0].scale, 0.5);

  EXPECT_EQ(p.options.iteration.globalization, estimate::Globalization::kNatural);
  EXPECT_FALSE(p.options.iteration.back_projection);
  EXPECT_EQ(p.options.iteration.max_iterations, 7);
  EXPECT_EQ(p.options.linear.norm, estimate::Norm::kHuber);
  EXPECT_EQ(p.options.integrator.method, integrate::Method::kAbm);
  EXPECT_EQ(p.options.condensing, estimate::Condensing::kOrthogonal);
  EXPECT_EQ(p.options.reduction, estimate::ReductionMethod::kFixedFit);
  EXPECT_EQ(p.options.relaxation, estimate::Relaxation::kBaumgarte);
  EXPECT_EQ(p.options.relaxation_factor, 0.2);
  EXPECT_EQ(p.options.integrator.projection, dynamics::Norm::kEuclidean);
  EXPECT_TRUE(p.options.consistent);
  EXPECT_TRUE(p.options.sigma_known);
  EXPECT_EQ(p.options.confidence, 0.9);
}

TEST(ProblemFile, OneModelFileIsBuiltOnce) {
  const ProblemFolder folder("problem_models");
  const Problem p = read_problem_text(kEverything, "p.xml");
  EXPECT_EQ(p.experiments[0].system, p.experiments[1].system);  // model.xml and ./model.xml
}

TEST(ProblemFile, OmittedValuesComeFromTheModel) {
  const ProblemFolder folder("problem_defaults");
  ProblemFolder::edit("dynamic.xml", R"(initial="1" lower="0" upper="10")", "");
  ProblemFolder::edit("dynamic.xml", R"(<set parameter="u" value="1"/>)",
                      R"(<local parameter="u" upper="4"/>)");
  const Problem p = read_problem("dynamic.xml");
  EXPECT_EQ(p.estimates[0].initial, 1);
  EXPECT_EQ(p.estimates[0].lower, 0);
  EXPECT_EQ(p.estimates[0].upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(p.experiments[0].locals[0].initial, 2);
  EXPECT_EQ(p.experiments[0].locals[0].lower, -5);
  EXPECT_EQ(p.experiments[0].locals[0].upper, 4);
}

TEST(ProblemFile, RoundTripGivesTheSameProblem) {
  const ProblemFolder folder("problem_round_trip");
  write_text_file("everything.xml", kEverything);
  for (const char* file : {"everything.xml", "dynamic.xml", "algebraic.xml", "petab.xml"}) {
    SCOPED_TRACE(file);
    const Problem original = read_problem(file);
    const std::string text = problem_text(original);
    const Problem again = read_problem_text(text, file);
    expect_same(original, again);
    EXPECT_EQ(problem_text(again), text);
  }
}

TEST(ProblemFile, WrittenElsewhereItLeadsToTheSameFiles) {
  const ProblemFolder folder("problem_moved");
  const Problem original = read_problem("dynamic.xml");
  fs::create_directories("deep/er");
  write_problem(original, "deep/er/moved.xml");
  Problem moved = read_problem("deep/er/moved.xml");
  EXPECT_EQ(moved.experiments[0].model, "../../model.xml");
  EXPECT_EQ(moved.experiments[0].data.file, "../../data.csv");
  moved.file = original.file;
  moved.experiments[0].model = original.experiments[0].model;
  moved.experiments[0].data.file = original.experiments[0].data.file;
  expect_same(original, moved);
}

TEST(ProblemFile, NumbersOfProblemsMadeInCodeSurvive) {
  const ProblemFolder folder("problem_numbers");
  Problem p = read_problem("algebraic.xml");
  p.estimates[0].initial = 1.0 / 3;
  p.estimates[0].lower = 5e-324;
  p.estimates[1].truth = 0.1 + 0.2;
  auto& data = p.experiments[0].data;
  data.file.clear();  // now it is written inside
  data.columns[0][0] = 1.7976931348623157e308;
  data.columns[1][0] = -1.0 / 7;
  expect_same(p, read_problem_text(problem_text(p), p.file));
}

TEST(ProblemFile, ASystemWithoutAFileCannotBeWritten) {
  const ProblemFolder folder("problem_without_model");
  Problem p = read_problem("dynamic.xml");
  p.experiments[0].model.clear();
  EXPECT_THROW(problem_text(p), base::InputError);
}

TEST(ProblemFile, SchemaAcceptsWhatIsReadAndWritten) {
  ASSERT_EQ(std::system("xmllint --version > /dev/null 2>&1"), 0)
      << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  const ProblemFolder folder("problem_schema_valid");
  write_text_file("everything.xml", kEverything);
  for (const char* file : {"everything.xml", "dynamic.xml", "algebraic.xml", "petab.xml"}) {
    write_text_file("written.xml", problem_text(read_problem(file)));
    for (const std::string checked : {file, "written.xml"}) {
      const std::string command =
          "xmllint --noout --schema '" PARFAIT_SOURCE_DIR "/docs/schema/problem.xsd' " + checked;
      EXPECT_EQ(std::system((command + " 2> /dev/null").c_str()), 0) << file << " " << checked;
    }
  }
}

TEST(ProblemFile, TheRootSaysWhetherItIsAProblem) {
  const ProblemFolder folder("problem_root");
  EXPECT_TRUE(is_problem_file("dynamic.xml"));
  EXPECT_FALSE(is_problem_file("model.xml"));
}

TEST(ProblemFile, TablesOfPetabAreExperimentsAndParameters) {
  const ProblemFolder folder("problem_petab");
  const Problem p = read_problem("petab.xml");
  ASSERT_EQ(p.estimates.size(), 2U);
  EXPECT_EQ(p.estimates[0].parameter, "k");
  EXPECT_EQ(p.estimates[0].transform, Estimate::Transform::kLog);
  EXPECT_EQ(p.estimates[0].lower, 0.01);
  EXPECT_EQ(p.estimates[1].transform, Estimate::Transform::kNone);
  EXPECT_EQ(p.estimates[1].initial, 0.5);
  const auto& run = p.experiments[0];
  ASSERT_EQ(run.sets.size(), 1U);
  EXPECT_EQ(run.sets[0].parameter, "u");
  EXPECT_EQ(run.sets[0].value, 1.5);
  // Two replicates of x at 2 are two rows; the measurement of run2 is not there.
  EXPECT_THAT(run.data.header, ElementsAre("time", "x", "y", "x.sigma"));
  EXPECT_THAT(run.data.columns[0], ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(run.data.columns[1], ElementsAre(IsNan(), 1.2, 1.3, 1.4));
  EXPECT_THAT(run.data.columns[2], ElementsAre(0.5, IsNan(), 0.9, IsNan()));
  EXPECT_THAT(run.data.columns[3], ElementsAre(IsNan(), 0.1, 0.1, 0.3));
  EXPECT_EQ(run.observations[0].sigma.column, "x.sigma");
  EXPECT_EQ(run.observations[1].sigma.absolute, 0.2);
  EXPECT_EQ(estimate::count(run).measurements, 5);
}

TEST(ProblemFile, APriorOfPetabIsNormal) {
  const ProblemFolder folder("problem_petab_prior");
  write_text_file("parameters.tsv",
                  "parameterId,nominalValue,objectivePriorType,objectivePriorParameters\n"
                  "k,1,normal,0.9;0.2\nc,0.5,,\n");
  const Problem p = read_problem("petab.xml");
  ASSERT_TRUE(p.estimates[0].prior.has_value());
  EXPECT_EQ(p.estimates[0].prior->value, 0.9);
  EXPECT_EQ(p.estimates[0].prior->sigma, 0.2);
  EXPECT_FALSE(p.estimates[1].prior.has_value());
}

TEST(ProblemFile, TimesOfEventsAreReadAndWrittenAgain) {
  const ProblemFolder folder("problem_event_times");
  ProblemFolder::edit("model.xml", "<state id=\"y\"",
                      "<event id=\"full\" when=\"x - 1.2\"> <set state=\"y\"> 0 </set> </event>\n"
                      "  <state id=\"y\"");
  ProblemFolder::edit("dynamic.xml", R"(column="y" quantity="2*y" sigma="0.1")",
                      R"(column="y" event="full" occurrence="2" sigma="0.1")");
  ProblemFolder::edit("dynamic.xml", R"(data="data.csv")", R"(data="data.csv" end="2")");
  const Problem original = read_problem("dynamic.xml");
  const Problem again = read_problem_text(problem_text(original), "dynamic.xml");
  for (const Problem* p : {&original, &again}) {
    const auto& o = p->experiments[0].observations[1];
    EXPECT_EQ(o.kind, "event");
    EXPECT_TRUE(o.quantity.empty());
    ASSERT_EQ(o.settings.size(), 2U);
    EXPECT_EQ(o.find("event")->text, "full");
    EXPECT_EQ(o.find("occurrence")->text, "2");
    EXPECT_EQ(o.sigma.absolute, 0.1);
    EXPECT_EQ(p->experiments[0].observations[0].kind, "quantity");
  }
}

/// Writes the files that docs/problem_file.md shows: a line with the name, then a fenced block.
int write_documented_files() {
  std::istringstream in(read_text_file(PARFAIT_SOURCE_DIR "/docs/problem_file.md"));
  std::string name, text;
  bool inside = false;
  int written = 0;
  for (std::string line; std::getline(in, line);) {
    if (!inside && line.starts_with("`") && line.ends_with("`:")) {
      name = line.substr(1, line.size() - 3);
    } else if (line.starts_with("```")) {
      if (inside) write_text_file(name, text);
      written += inside ? 1 : 0;
      inside = !inside;
      text.clear();
    } else if (inside) {
      text += line + "\n";
    }
  }
  return written;
}

TEST(ProblemFile, TheDocumentedExampleIsRight) {
  const ProblemFolder folder("problem_documented");
  ASSERT_EQ(write_documented_files(), 4);
  const Problem p = read_problem("problem.xml");
  EXPECT_EQ(p.estimates.size(), 2U);
  EXPECT_EQ(p.experiments[0].initial[0].kind, InitialState::Kind::kPrior);
  EXPECT_EQ(estimate::count(p.experiments[0]).measurements, 7);
  EXPECT_EQ(estimate::count(p.experiments[1]).measurements, 3);
}

TEST(DataTable, TabsSeparateLikeCommas) {
  const Data commas = read_data_table("t,x,y\n0,1,\n1,,2\n", "d", "");
  const Data tabs = read_data_table("t\tx\ty\n0\t1\t\n1\t\t2\n", "d", "");
  expect_same(commas, tabs);
  EXPECT_THAT(tabs.columns[2], ElementsAre(IsNan(), DoubleEq(2)));
}

}  // namespace
}  // namespace parfait::io
