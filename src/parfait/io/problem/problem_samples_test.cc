#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/problem/test_problem_files.h"

// Experiments that say when they sample, before there are data.
namespace parfait::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string with_experiment(const std::string& attributes, const std::string& inside) {
  return "<problem> <estimate parameter=\"k\"/> <experiment id=\"run1\" model=\"model.xml\" " +
         attributes + ">" + inside + "</experiment> </problem>";
}

constexpr const char* kObserve = R"(<observe column="x" quantity="x" sigma="0.1"/>)";

TEST(ProblemSamples, StandForDataThatDoNotExist) {
  const ProblemFolder folder("samples_stand");
  const std::string samples = R"(<samples from="1" to="3" count="5"/>)";
  for (const char* attributes : {"", R"(data="new.csv")", R"(data="new.csv" time="hour")"}) {
    const auto problem =
        read_problem_text(with_experiment(attributes, samples + kObserve), "p.xml");
    const auto& e = problem.experiments.front();
    EXPECT_EQ(estimate::count(e).measurements, 0);
    EXPECT_THAT(e.data.header, ElementsAre(e.data.time, "x"));
    EXPECT_THAT(e.data.columns[0], ElementsAre(1, 1.5, 2, 2.5, 3));
    EXPECT_TRUE(std::isnan(e.data.columns[1][0]));
    EXPECT_THAT(estimate::check(problem).front(), HasSubstr("no measurement yet"));
    EXPECT_THROW(estimate::check_measured(problem), base::InputError);
    // What is written is allowed and reads back.
    const std::string text = problem_text(problem);
    write_text_file("written.xml", text);
    EXPECT_EQ(std::system("xmllint --noout --schema '" PARFAIT_SOURCE_DIR
                          "/docs/schema/problem.xsd' written.xml 2> /dev/null"),
              0);
    const auto again = read_problem_text(text, "p.xml");
    EXPECT_EQ(problem_text(again), text);
    EXPECT_EQ(again.experiments.front().data.file, e.data.file);
    EXPECT_EQ(again.experiments.front().data.time, e.data.time);
    EXPECT_EQ(again.experiments.front().data.columns[0], e.data.columns[0]);
  }
}

TEST(ProblemSamples, GiveWayToDataThatExist) {
  const ProblemFolder folder("samples_give_way");
  const auto problem = read_problem_text(
      with_experiment(R"(data="data.csv")", std::string(R"(<samples times="0 7"/>)") + kObserve),
      "p.xml");
  const auto& e = problem.experiments.front();
  EXPECT_EQ(estimate::count(e).measurements, 3);
  EXPECT_THAT(e.samples->times, ElementsAre(0, 7));
  EXPECT_NO_THROW(estimate::check_measured(problem));
  EXPECT_THAT(problem_text(problem), HasSubstr(R"(<samples times="0 7")"));
}

TEST(ProblemSamples, NeedDeviationsThatAreNumbers) {
  const ProblemFolder folder("samples_deviations");
  const std::string inside =
      R"(<samples times="0 1"/> <observe column="x" quantity="x" sigma_column="sx"/>)";
  try {
    read_problem_text(with_experiment("", inside), "p.xml");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("observe \"x\": standard deviations of a column need data"));
  }
}

}  // namespace
}  // namespace parfait::io
