#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/io/model/model_file.h"
#include "parfait/mbs/model.h"
#include "problems.h"

// Mechanisms whose motion does not tell what is asked: the fit ends, and says what it cannot know.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* kGravityElement = R"(<force key="Gravitation" id="Gravity" g="-9.81"/>)";

std::string bar(const std::string& id, double y) {
  return fmt::format(R"(
    <body id="{0}" mass="2" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.2 0.2">
      <position o="0 {1} 0"/>
    </body>
    <joint key="Revolute" id="Hinge{0}">
      <begin id="Inertial" o="0 {1} 0" z="0 1 0"/> <end id="{0}" z="0 1 0"/>
    </joint>)",
                     id, y);
}

/// From above the tip of a bar to the tip.
std::string spring(const std::string& id, const std::string& body, double y, double stiffness) {
  return fmt::format(R"(
    <force key="Spring" id="{0}" rest_length="0.5" stiffness="{3}">
      <begin id="Inertial" o="1 {2} 1"/> <end id="{1}" o="1 0 0"/>
    </force>)",
                     id, body, y, stiffness);
}

std::string parameter(const std::string& id, const std::string& drives) {
  return fmt::format(R"(<parameter id="{}" drives="{}"/>)", id, drives);
}

struct Guess {
  std::string id;
  double initial, truth;
};

/// The centre of a body at 20 times in a second, to 5 mm, in three intervals.
Problem watch(const std::string& model, const std::string& body,
              const std::vector<Guess>& guesses) {
  const auto text = "<model id=\"m\">" + model + "</model>";
  Problem problem;
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = mbs::build(io::read_model_text(text, "model.xml"));
  e.data = empty_data(times(0.05, 1, 20), {"x", "z"});
  for (const char* c : {"x", "z"}) {
    e.observations.push_back(
        {.column = c, .quantity = body + ".com." + c, .sigma = {.absolute = 0.005}});
  }
  e.grid.intervals = 3;
  for (const auto& g : guesses) {
    problem.estimates.push_back({.parameter = g.id, .initial = g.initial, .truth = g.truth});
  }
  return synthesize(problem, 1);
}

std::vector<std::string> texts(const FitResult& result) {
  std::vector<std::string> out;
  for (const auto& f : result.identifiability.findings) out.push_back(f.text);
  return out;
}

TEST(IllPosedMechanism, OnlyTheSumOfTwoParallelSpringsIsDetermined) {
  const FitResult result = fit(
      watch(parameter("k1", "One.stiffness") + parameter("k2", "Two.stiffness") + bar("Bar", 0) +
                spring("One", "Bar", 0, 30) + spring("Two", "Bar", 0, 20) + kGravityElement,
            "Bar", {{"k1", 10, 30}, {"k2", 16, 20}}));
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_THAT(texts(result),
              ElementsAre("The data determine only k1 + k2: k1 and k2 cannot be told "
                          "apart."));
  EXPECT_NEAR(value(result, "k1") + value(result, "k2"), 50, 1);
  EXPECT_TRUE(std::isinf(find(result, "k1").statistics.sd));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("the data determine 1 of 2 free directions only")));
}

TEST(IllPosedMechanism, AStoneFallsAsFastWhateverItsMass) {
  const FitResult result =
      fit(watch(parameter("mass", "Stone.mass") + parameter("gravity", "Gravity.g") +
                    R"(<body id="Stone" mass="2" moment_of_inertia="0.1 0.2 0.25">
                         <velocity v="1 0 3" omega="1 2 3"/> </body>)" +
                    kGravityElement,
                "Stone", {{"mass", 5, 2}, {"gravity", -5, -9.81}}));
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  // Its influence is zero or, by rounding, nearly so: that depends on the compiler's flags.
  EXPECT_THAT(texts(result),
              ElementsAre(AnyOf("mass has no influence on any measurement.",
                                "mass has hardly any influence on the measurements: the data do "
                                "not determine it.")));
  EXPECT_EQ(value(result, "mass"), 5);
  const auto& gravity = find(result, "gravity").statistics;
  EXPECT_EQ(gravity.determined, Determined::kByData);
  EXPECT_NEAR(gravity.value, -9.81, 4 * gravity.sd);
}

/// Two pendulums side by side, each with a spring; the left one is watched.
Problem two_pendulums() {
  return watch(parameter("k_left", "One.stiffness") + parameter("k_right", "Two.stiffness") +
                   parameter("m_right", "Right.mass") + bar("Left", 0) + bar("Right", 2) +
                   spring("One", "Left", 0, 30) + spring("Two", "Right", 2, 20) + kGravityElement,
               "Left", {{"k_left", 20, 30}, {"k_right", 10, 20}, {"m_right", 1, 2}});
}

TEST(IllPosedMechanism, ParametersOfABodyThatNobodyWatchesAreNamed) {
  const FitResult result = fit(two_pendulums());
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_THAT(texts(result), UnorderedElementsAre("k_right has no influence on any measurement.",
                                                  "m_right has no influence on any measurement."));
  const auto& k = find(result, "k_left").statistics;
  EXPECT_NEAR(k.value, 30, 4 * k.sd);
  EXPECT_LT(k.sd, 1);
}

// The motion of the right one is free and unseen: whatever the reduction, the left one is found.
// Directions of the parameters begin at rounding errors, which must not pass for an unstable
// motion.
TEST(IllPosedMechanism, ABodyThatNobodyWatchesMayStartAnywhere) {
  for (auto reduction : {ReductionMethod::kNone, ReductionMethod::kFixedFit,
                         ReductionMethod::kTangentDirections, ReductionMethod::kTangentNodes}) {
    Problem problem = two_pendulums();
    problem.experiments[0].initial = {{.kind = InitialState::Kind::kFree}};
    problem.options.reduction = reduction;
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << text(reduction) << ": " << result.iteration.message;
    EXPECT_EQ(result.rank, 3);  // spring, angle and rate of the left one
    EXPECT_THAT(texts(result),
                ElementsAre(HasSubstr("k_right has "), HasSubstr("m_right has "),
                            "The data do not determine all of the initial state of Right."))
        << text(reduction);
    const auto& k = find(result, "k_left").statistics;
    EXPECT_NEAR(k.value, 30, 4 * k.sd) << text(reduction);
    // Right.e1 turns with the body: its entries are not known.
    EXPECT_EQ(find(result, "Right.e1.z").statistics.determined, Determined::kUndetermined);
    EXPECT_EQ(find(result, "Left.e1.z").statistics.determined, Determined::kByData);
  }
}

// Twelve coordinates of a body follow from one angle. That they go together is no news.
TEST(IllPosedMechanism, CoordinatesTiedByConstraintsAreNotReportedAsCorrelated) {
  Problem problem = watch(parameter("k", "One.stiffness") + bar("Bar", 0) +
                              spring("One", "Bar", 0, 30) + kGravityElement,
                          "Bar", {{"k", 20, 30}});
  problem.experiments[0].initial = {{.kind = InitialState::Kind::kFree}};
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_TRUE(result.identifiability.findings.empty()) << texts(result)[0];
  // Not vacuous: the numbers are there (some coordinates are fixed and have none).
  const Eigen::MatrixXd among_states = result.correlation.cwiseAbs().bottomRightCorner(24, 24);
  EXPECT_GT(among_states.maxCoeff<Eigen::PropagateNumbers>(), 0.99);
  // Nor is it wrong that 40 data determine 25 numbers, of which three are free.
  EXPECT_TRUE(result.warnings.empty()) << result.warnings[0];
  problem.experiments[0].data = empty_data(times(0.1, 1, 4), {"x", "z"});
  EXPECT_TRUE(check(synthesize(problem, 1)).empty());
}

}  // namespace
}  // namespace parfait::estimation
