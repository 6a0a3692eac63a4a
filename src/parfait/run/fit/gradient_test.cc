#include "parfait/run/fit/gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "parfait/base/error.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/job/test_scratch.h"

// Gradients against numbers that were computed elsewhere: closed forms, and solutions to 1e-13 with
// complex steps and variational equations.
namespace parfait::run::gradient_test {
namespace {

using testing::HasSubstr;

const std::string kExamples = std::string(PARFAIT_SOURCE_DIR) + "/examples/gradient/";

GradientRun gradient_of(const std::string& file, bool check = true) {
  GradientRequest request;
  request.file = kExamples + file;
  request.check = check;
  auto run = find_gradient(request);
  EXPECT_TRUE(run.finished()) << run.result.verdict.message;
  return run;
}

void expect(const GradientRun& run, double J, const std::map<std::string, double>& gradient,
            double tolerance = 1e-9) {
  EXPECT_NEAR(run.result.objective, J, tolerance * std::abs(J));
  std::size_t found = 0;
  for (const auto& entry : run.result.gradient) {
    const auto expected = gradient.find(entry.parameter);
    if (expected == gradient.end()) continue;
    ++found;
    EXPECT_NEAR(entry.gradient, expected->second,
                tolerance * std::max(1.0, std::abs(expected->second)))
        << entry.parameter;
  }
  EXPECT_EQ(found, gradient.size());
  ASSERT_TRUE(run.result.difference.has_value());
  EXPECT_LT(*run.result.difference, 1e-11);
}

TEST(Gradient, OfTheOscillatorIsItsClosedForm) {
  // Oberpeilsteiner (2018), section 3.2; more digits by his formulas, p(0) as corrected.
  expect(gradient_of("oscillator_problem.xml"), 4.2122961935838973827,
         {{"c", -0.749834358331695471},
          {"d", -14.8474158061295989},
          {"x0", -0.0000927893318591327},
          {"v0", 0.499946138870149662}});
}

TEST(Gradient, OfThePendulumWithVelocitiesInItsCost) {
  expect(gradient_of("pendulum_problem.xml"), 0.56721273745428,
         {{"d", -0.0556819194497}, {"m", 0.0222727677799}, {"g", 0.3419791578569}});
}

TEST(Gradient, OfTheAdjointEquationsConvergesToTheTranspose) {
  // Oberpeilsteiner (2018), 3.3.4, with consistent end conditions: of second order. The cost has
  // velocities at the end, so that w, zeta and eta are all different from zero there.
  const std::map<std::string, double> exact = {
      {"d", -0.0556819194497}, {"m", 0.0222727677799}, {"g", 0.3419791578569}};
  std::map<std::string, std::vector<double>> errors;
  for (const int steps : {200, 400, 800, 1600}) {
    GradientRequest request;
    request.file = kExamples + "pendulum_problem.xml";
    request.by = "continuous";
    request.continuous_steps = steps;
    request.check = true;
    const auto run = find_gradient(request);
    ASSERT_TRUE(run.finished()) << run.result.verdict.message;
    for (const auto& entry : run.result.gradient) {
      const auto known = exact.find(entry.parameter);
      const double right = known == exact.end() ? *entry.forward : known->second;
      errors[entry.parameter].push_back(std::abs(entry.gradient - right));
    }
  }
  for (const auto& [parameter, error] : errors) {
    const double order = std::log2(error[2] / error[3]);
    EXPECT_NEAR(order, 2, 0.1) << parameter << " " << error[3];
  }
  // The errors of an independent program with the same end conditions and BDF.
  const double published[] = {8.36e-4, 2.09e-4, 5.23e-5, 1.31e-5};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(errors["d"][i], published[i], 0.01 * published[i]);
  }
}

TEST(Gradient, OfTheAdjointEquationsKnowsParametersOfConstraints) {
  // The length is where the joint sits on the ball: without the terms of eta and zeta at the end
  // the gradient would be wrong by its own size, with them it converges.
  const Scratch scratch("continuous_adjoint");
  std::filesystem::create_directories(scratch.path());
  std::ofstream(scratch.path() / "ball.xml") << R"(<model id="ball">
    <parameter id="L" initial="1.3"/> <parameter id="m" initial="1"/>
    <body id="Ball" mass="m" center_of_mass="0 0 0" moment_of_inertia="0.02 0.02 0.03">
      <position o="1.0939122802502654 0 -0.7023929975573797" x="0.8414709848078965 0 -0.5403023058681398"
        y="0 1 0" z="0.5403023058681398 0 0.8414709848078965"/>
      <velocity v="0.21071789926721394 0 0.32817368407507965" omega="0 -0.3 0"/>
    </body>
    <joint key="Revolute" id="Hinge"> <begin id="Inertial" z="0 1 0"/> <end id="Ball" o="(-L) 0 0" z="0 1 0"/> </joint>
    <force key="Gravitation" id="Gravity" g="-9.81"/> </model>)";
  const std::string text =
      R"(<problem> <estimate parameter="L" initial="1.3"/> <estimate parameter="m" initial="1"/>
    <experiment id="swing" model="ball.xml" end="1.5"> <cost id="J"> <integral> 0.5*(Ball.com.x - 0.2)^2 </integral>
      <final> 0.5*(Ball.com.vx + 0.5*Ball.com.vz)^2 + 0.3*Ball.com.x </final> </cost> </experiment>
    <options rtol="1e-11" atol="1e-12"/> </problem>)";
  double error[2];
  for (const int i : {0, 1}) {
    GradientRequest request;
    request.problem = io::parse_problem_text(text, scratch.path() / "problem.xml");
    request.by = "continuous";
    request.continuous_steps = i == 0 ? 1000 : 2000;
    request.check = true;
    const auto run = find_gradient(request);
    ASSERT_TRUE(run.finished()) << run.result.verdict.message;
    error[i] = std::abs(run.result.gradient[0].gradient - *run.result.gradient[0].forward);
    EXPECT_GT(std::abs(*run.result.gradient[0].forward), 0.1);
  }
  EXPECT_LT(error[1], 0.6 * error[0]);
  EXPECT_LT(error[1], 5e-3);
}

TEST(Gradient, AdjointVariablesAreTheSensitivityToTheState) {
  // To the angle at the start and to its rate, known from elsewhere: along these directions of the
  // state (o, e1, e2, e3) and of its rates, about -y.
  const double s = 0.8414709848078965, c = 0.5403023058681398;
  const double axes[3][3] = {{s, 0, -c}, {0, 1, 0}, {c, 0, s}};
  for (const char* by : {"adjoint", "continuous"}) {
    GradientRequest request;
    request.file = kExamples + "pendulum_problem.xml";
    request.adjoints = true;
    request.by = by;
    if (request.by == "continuous") request.continuous_steps = 4000;
    const auto run = find_gradient(request);
    ASSERT_EQ(run.adjoints.size(), 1u) << run.result.verdict.message;
    const auto& path = run.adjoints[0];
    EXPECT_EQ(path.t.front(), 0);
    EXPECT_NEAR(path.t.back(), 1.5, 1e-12);
    const auto& bar = path.ybar.front();
    ASSERT_EQ(bar.size(), path.states.size());
    double by_angle = 0, by_rate = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double turned[3] = {-axes[i][2], 0, axes[i][0]};              // -y x e_i
      const double twice[3] = {-0.3 * axes[i][0], 0, -0.3 * axes[i][2]};  // -y x (-0.3 y x e_i)
      for (std::size_t k = 0; k < 3; ++k) {
        by_angle += bar[3 + 3 * i + k] * turned[k] + bar[15 + 3 * i + k] * twice[k];
        by_rate += bar[15 + 3 * i + k] * turned[k];
      }
    }
    const double tolerance = request.by == "adjoint" ? 1e-8 : 2e-5;
    EXPECT_NEAR(by_angle, -0.1542400081320, tolerance) << by;
    EXPECT_NEAR(by_rate, -0.6049557375753, tolerance) << by;
  }
}

TEST(Gradient, OfThePendulumWithThreeImpacts) {
  const std::map<std::string, double> expected = {{"m", 0.214025839037},
                                                  {"L", 4.850394491252},
                                                  {"d", -0.695583976870},
                                                  {"g", -0.088333744692},
                                                  {"e", 3.568269474807}};
  const auto mechanism = gradient_of("wall_pendulum_problem.xml");
  EXPECT_EQ(mechanism.result.events, 3);
  expect(mechanism, 2.39687015334856, expected);
  auto with_start = expected;
  with_start["angle0"] = 3.266917535174;
  expect(gradient_of("wall_pendulum_ode_problem.xml"), 2.39687015334856, with_start);
}

TEST(Gradient, OfMisfitAndPriorsIsThatOfDirections) {
  const std::string text = R"(<problem>
    <estimate parameter="length" initial="1.2" prior="1.1" sigma="0.1"/>
    <estimate parameter="damping" initial="0.2"/>
    <experiment id="swing" model="../pendulum_ode/model.xml">
      <table>t, angle
        0.5, 0.3
        1, -0.4
        2.5, 0.7
      </table>
      <observe column="angle" quantity="angle" sigma="0.05"/>
      <cost id="J"> <integral> rate^2 </integral> </cost>
    </experiment>
  </problem>)";
  GradientRequest request;
  request.problem = io::parse_problem_text(text, kExamples + "problem.xml");
  request.check = true;
  const auto run = find_gradient(request);
  ASSERT_TRUE(run.finished()) << run.result.verdict.message;
  EXPECT_EQ(run.result.costs.size(), 3u);  // J, data, priors
  EXPECT_LT(*run.result.difference, 1e-12);
  double sum = 0;
  for (const auto& cost : run.result.costs) sum += cost.value;
  EXPECT_NEAR(run.result.objective, sum, 1e-12 * std::abs(sum));
  EXPECT_NEAR(run.result.costs.back().value, 0.5, 1e-12);  // half of ((1.2 - 1.1) / 0.1)^2
  // What was read can be written and read again.
  const auto again =
      io::parse_problem_text(io::problem_text(*request.problem), request.problem->file);
  ASSERT_EQ(again.experiments[0].costs.size(), 1u);
  EXPECT_EQ(again.experiments[0].costs[0].terms[0].formula.text, "rate^2");
}

TEST(Gradient, WithLittleMemoryHasTheSameBits) {
  GradientRequest request;
  request.file = kExamples + "wall_pendulum_problem.xml";
  const auto all = find_gradient(request);
  request.memory = "6KB";
  const auto few = find_gradient(request);
  EXPECT_EQ(all.result.tape_stride, 1);
  EXPECT_GT(few.result.tape_stride, 1);
  EXPECT_LE(few.result.tape_bytes, 6e3);
  for (std::size_t i = 0; i < all.result.gradient.size(); ++i) {
    EXPECT_EQ(all.result.gradient[i].gradient, few.result.gradient[i].gradient);
  }
  request.memory = "1KB";
  EXPECT_THROW(find_gradient(request), base::InputError);
}

std::string error_of(const std::string& experiment, const std::string& options = "") {
  GradientRequest request;
  const std::string text = R"(<problem><estimate parameter="c" initial="1"/>
    <experiment id="one" model="oscillator.xml" end="1">)" +
                           experiment + "</experiment>" + options + "</problem>";
  try {
    request.problem = io::parse_problem_text(text, kExamples + "problem.xml");
    find_gradient(request);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Gradient, SaysWhatItCannotDo) {
  const std::string cost = "<cost id=\"J\"><final> x </final></cost>";
  EXPECT_EQ(error_of(cost), "");
  EXPECT_THAT(error_of(cost + "<grid intervals=\"3\"/>"), HasSubstr("several shooting intervals"));
  EXPECT_THAT(error_of(cost + "<require at=\"1\"> x = 0 </require>"), HasSubstr("<require>"));
  EXPECT_THAT(error_of(cost + "<initial fixed=\"false\"/>"), HasSubstr("free initial states"));
  EXPECT_THAT(error_of("<cost id=\"J\"/>"), HasSubstr("costs nothing"));
  EXPECT_THAT(error_of("<cost id=\"J\"><final> y </final></cost>"), HasSubstr("y"));
  EXPECT_THAT(error_of("<cost id=\"J\"><sum> x </sum></cost>"), HasSubstr("<samples>"));
  EXPECT_THAT(error_of("<cost id=\"J\"><integral> y </integral></cost>"), HasSubstr("y"));
  EXPECT_EQ(error_of(cost, "<options integrator=\"bdf\"/>"), "");
}

/// x = e^(-a t), z = b x^2: J = z(1) + x(1/2) z(1/2) in closed form.
TEST(Gradient, OfAlgebraicStatesIsItsClosedForm) {
  const Scratch scratch("gradient_dae");
  std::filesystem::create_directories(scratch.path());
  std::ofstream(scratch.path() / "dae.xml") << R"(<dae><state id="x" initial="1"/>
    <algebraic id="z" initial="0.5"/> <parameter id="a" initial="0.7"/>
    <parameter id="b" initial="1.3"/> <derivative of="x"> -a*sqrt(z/b) </derivative>
    <equation> 0 = z - b*x^2 </equation></dae>)";
  GradientRequest request;
  request.problem = io::parse_problem_text(R"(<problem><estimate parameter="a" initial="0.7"/>
    <estimate parameter="b" initial="1.3"/> <experiment id="one" model="dae.xml" end="1">
    <samples times="0.5"/> <cost id="J"><final> z </final><sum> x*z </sum></cost></experiment>
    <options rtol="1e-9" atol="1e-11"/></problem>)",
                                           (scratch.path() / "problem.xml").string());
  request.check = true;
  const auto run = find_gradient(request);
  ASSERT_TRUE(run.finished()) << run.result.verdict.message;
  const double a = 0.7, b = 1.3, end = std::exp(-2 * a), sample = std::exp(-1.5 * a);
  EXPECT_NEAR(run.result.objective, b * (end + sample), 1e-7);
  EXPECT_NEAR(run.result.gradient[0].gradient, -b * (2 * end + 1.5 * sample), 1e-6);
  EXPECT_NEAR(run.result.gradient[1].gradient, end + sample, 1e-6);
  EXPECT_LT(*run.result.difference, 1e-6);
}

TEST(Gradient, RefusesEventsTogetherWithAlgebraicStates) {
  const Scratch scratch("gradient_dae_event");
  std::filesystem::create_directories(scratch.path());
  std::ofstream(scratch.path() / "dae.xml") << R"(<dae><state id="x" initial="1"/>
    <algebraic id="z"/> <parameter id="a" initial="0.7"/> <derivative of="x"> -a*z </derivative>
    <equation> 0 = z - abs(x - 0.8) - 1 </equation></dae>)";
  GradientRequest request;
  request.problem = io::parse_problem_text(R"(<problem><estimate parameter="a" initial="0.7"/>
    <experiment id="one" model="dae.xml" end="1"><cost id="J"><final> z </final></cost></experiment>
    </problem>)",
                                           (scratch.path() / "problem.xml").string());
  try {
    find_gradient(request);
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("algebraic states and an event"));
  }
}

TEST(Gradient, IsWrittenAndReadAgain) {
  const auto run = gradient_of("oscillator_problem.xml");
  const auto again = io::read_gradient_text(io::result_text(run.result), "result.json");
  EXPECT_EQ(again, run.result);
}

TEST(Gradient, TakesSizesWithUnits) {
  EXPECT_EQ(bytes_of("16MB", "--memory"), 16e6);
  EXPECT_EQ(bytes_of("2 GB", "--memory"), 2e9);
  EXPECT_EQ(bytes_of("4096", "--memory"), 4096);
  EXPECT_THROW(bytes_of("-1MB", "--memory"), base::InputError);
  EXPECT_THROW(bytes_of("1TB5", "--memory"), base::InputError);
}

}  // namespace
}  // namespace parfait::run::gradient_test
