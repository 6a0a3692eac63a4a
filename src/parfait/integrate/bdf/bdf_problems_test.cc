#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "parfait/integrate/driver/test_formulas.h"

// Published stiff problems. "IVP test set" is the Test Set for IVP Solvers (Mazzia, Magherini,
// 2008), whose reference solutions are quoted.
namespace parfait::integrate::bdf_problems_test {
namespace {

using dynamics::FormulaModel;

double worst_relative(const std::vector<double>& values, const std::vector<double>& reference) {
  EXPECT_EQ(values.size(), reference.size());
  double worst = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    worst = std::max(worst, std::abs(values[i] / reference[i] - 1));
  }
  return worst;
}

double end_error(const FormulaModel& model, double t_end, const Options& options,
                 const std::vector<double>& reference) {
  FormulaRun run(model);
  const State end = run.run(t_end, options, false);
  EXPECT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();
  return worst_relative(end.y, reference);
}

FormulaModel robertson(bool as_dae) {
  FormulaModel m;
  m.state("y1", 1, "-p1*y1 + p2*y2*y3");
  m.state("y2", 0, "p1*y1 - p2*y2*y3 - p3*y2^2");
  if (as_dae) {
    m.algebraic("y3", 0);
    m.equation("y1 + y2 + y3 = 1");
  } else {
    m.state("y3", 0, "p3*y2^2");
  }
  m.parameter("p1", 0.04);
  m.parameter("p2", 1e4);
  m.parameter("p3", 3e7);
  return m;
}

// The problem of SUNDIALS' example cvsRoberts_FSA_dns, whose 4 to 5 printed digits these continue:
// Radau IIA of order 5 at rtol 1e-12 on state and sensitivities together.
struct RobertsonRow {
  double t;
  double y[3];
  double dy_dp[3][3];  ///< by parameter, then by state
};
const RobertsonRow kRobertson[] = {{4e-1,
                                    {9.8517211386e-01, 3.3863953790e-05, 1.4794022185e-02},
                                    {{-3.5595256598e-01, 3.9025440538e-04, 3.5556231158e-01},
                                     {9.5423814278e-08, -2.1309610302e-10, -9.5210718175e-08},
                                     {-1.5831766356e-11, -5.2900410932e-13, 1.6360770465e-11}}},
                                   {4e2,
                                    {4.5051866847e-01, 3.2229014417e-06, 5.4947810863e-01},
                                    {{-5.9583727958e+00, 3.5426972886e-06, 5.9583692531e+00},
                                     {2.2738153617e-05, -2.2601388670e-11, -2.2738131016e-05},
                                     {-3.7896722008e-09, -4.9948187023e-14, 3.7897221490e-09}}},
                                   {4e4,
                                    {3.8983377085e-02, 1.6217683159e-07, 9.6101646074e-01},
                                    {{-1.5749716085e+00, -2.7619563654e-06, 1.5749743705e+00},
                                     {6.2874940816e-06, 1.1002410407e-11, -6.2875050840e-06},
                                     {-1.0479176522e-09, -4.5366912545e-15, 1.0479221889e-09}}},
                                   {4e6,
                                    {5.1680960149e-04, 2.0682944912e-09, 9.9948318833e-01},
                                    {{-2.5665701199e-02, -5.1060684090e-08, 2.5665752278e-02},
                                     {1.0265801546e-07, 2.0422484343e-13, -1.0265821971e-07},
                                     {-1.7109703439e-11, -6.8509185754e-17, 1.7109771948e-11}}}};

struct Errors {
  double state = 0, sensitivity = 0;
};
Errors robertson_errors(bool as_dae, bool control_sensitivities, double rtol, double atol) {
  Errors errors;
  for (const RobertsonRow& row : kRobertson) {
    FormulaRun run(robertson(as_dae));
    Options options = with(Method::kBdf, rtol, atol);
    options.control_sensitivities = control_sensitivities;
    State end = run.run(row.t, options);
    EXPECT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();
    std::vector<double> y = end.y;
    y.insert(y.end(), end.z.begin(), end.z.end());
    errors.state = std::max(errors.state, worst_relative(y, {row.y, row.y + 3}));
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < run.ny; ++i) {
        const double error = end.W(i, run.ny + j) / row.dy_dp[j][i] - 1;
        errors.sensitivity = std::max(errors.sensitivity, std::abs(error));
      }
    }
  }
  return errors;
}

TEST(BdfProblems, RobertsonSensitivitiesHaveSixDigits) {
  const Errors errors = robertson_errors(false, false, 1e-10, 1e-14);
  EXPECT_LT(errors.state, 1e-7);        // measured 4e-9
  EXPECT_LT(errors.sensitivity, 5e-7);  // measured 3e-8
}

TEST(BdfProblems, RobertsonSensitivitiesAsADaeHaveSixDigits) {
  const Errors errors = robertson_errors(true, false, 1e-10, 1e-13);
  EXPECT_LT(errors.state, 1e-7);        // measured 2e-9
  EXPECT_LT(errors.sensitivity, 5e-7);  // measured 2e-8
}

TEST(BdfProblems, ControlledSensitivitiesOfRobertsonHaveSixDigitsAtALooserTolerance) {
  EXPECT_LT(robertson_errors(false, true, 1e-9, 1e-12).sensitivity, 1e-6);
  EXPECT_LT(robertson_errors(true, true, 1e-9, 1e-12).sensitivity, 1e-6);
}

TEST(BdfProblems, RobertsonReachesTheEquilibriumOfTheTestSet) {
  FormulaModel m = robertson(false);
  const double error =
      end_error(m, 1e11, with(Method::kBdf, 1e-10, 1e-20),
                {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050});
  EXPECT_LT(error, 1e-6);  // measured 3e-9
}

TEST(BdfProblems, Hires) {
  FormulaModel m;
  m.state("y1", 1, "-1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007");
  m.state("y2", 0, "1.71*y1 - 8.75*y2");
  m.state("y3", 0, "-10.03*y3 + 0.43*y4 + 0.035*y5");
  m.state("y4", 0, "8.32*y2 + 1.71*y3 - 1.12*y4");
  m.state("y5", 0, "-1.745*y5 + 0.43*y6 + 0.43*y7");
  m.state("y6", 0, "-280*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7");
  m.state("y7", 0, "280*y6*y8 - 1.81*y7");
  m.state("y8", 0.0057, "-280*y6*y8 + 1.81*y7");
  const double error = end_error(
      m, 321.8122, with(Method::kBdf, 1e-10, 1e-14),
      {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
       0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2});
  EXPECT_LT(error, 1e-7);  // measured 7e-9
}

TEST(BdfProblems, Oregonator) {
  FormulaModel m;
  m.state("y1", 1, "77.27*(y2 + y1*(1 - 8.375e-6*y1 - y2))");
  m.state("y2", 2, "(y3 - (1 + y1)*y2)/77.27");
  m.state("y3", 3, "0.161*(y1 - y3)");
  EXPECT_LT(end_error(m, 360, with(Method::kBdf, 1e-11, 1e-13),
                      {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3}),
            1e-6);  // measured 4e-9
}

TEST(BdfProblems, VanDerPolWithMu1000) {
  FormulaModel m;
  m.state("x", 2, "v");
  m.state("v", 0, "1000*(1 - x^2)*v - x");
  EXPECT_LT(end_error(m, 2000, with(Method::kBdf, 1e-11, 1e-14),
                      {0.1706167732170469e1, -0.8928097010248125e-3}),
            1e-7);  // measured 1e-9
}

TEST(BdfProblems, Pollution) {
  const char* rates[25] = {
      "0.35*y1",     "26.6*y2*y4",   "12300*y5*y2",  "8.6e-4*y7",    "8.2e-4*y7",
      "15000*y7*y6", "1.3e-4*y9",    "24000*y9*y6",  "16500*y11*y2", "9000*y11*y1",
      "0.022*y13",   "12000*y10*y2", "1.88*y14",     "16300*y1*y6",  "4.8e6*y3",
      "3.5e-4*y4",   "0.0175*y4",    "1e8*y16",      "4.44e11*y16",  "1240*y17*y6",
      "2.1*y19",     "5.78*y19",     "0.0474*y1*y4", "1780*y19*y1",  "3.12*y20"};
  const char* derivatives[20] = {"-r1-r10-r14-r23-r24+r2+r3+r9+r11+r12+r22+r25",
                                 "-r2-r3-r9-r12+r1+r21",
                                 "-r15+r1+r17+r19+r22",
                                 "-r2-r16-r17-r23+r15",
                                 "-r3+2*r4+r6+r7+r13+r20",
                                 "-r6-r8-r14-r20+r3+2*r18",
                                 "-r4-r5-r6+r13",
                                 "r4+r5+r6+r7",
                                 "-r7-r8",
                                 "-r12+r7+r9",
                                 "-r9-r10+r8+r11",
                                 "r9",
                                 "-r11+r10",
                                 "-r13+r12",
                                 "r14",
                                 "-r18-r19+r16",
                                 "-r20",
                                 "r20",
                                 "-r21-r22-r24+r23+r25",
                                 "-r25+r24"};
  std::vector<double> y0(20);
  y0[1] = 0.2, y0[3] = 0.04, y0[6] = 0.1, y0[7] = 0.3, y0[8] = 0.01, y0[16] = 0.007;
  FormulaModel m;
  for (int i = 0; i < 25; ++i) m.define("r" + std::to_string(i + 1), rates[i]);
  for (int i = 0; i < 20; ++i) m.state("y" + std::to_string(i + 1), y0[i], derivatives[i]);
  const double error = end_error(
      m, 60, with(Method::kBdf, 1e-10, 1e-18),
      {0.05646255480022769,   0.1342484130422339,    4.139734331099427e-09, 0.005523140207484359,
       2.018977262302196e-07, 1.464541863493966e-07, 0.07784249118997964,   0.3245075353396018,
       0.007494013383880406,  1.622293157301561e-08, 1.135863833257075e-08, 0.002230505975721359,
       2.087162882798630e-04, 1.396921016840158e-05, 0.008964884856898295,  4.352846369330103e-18,
       0.006899219696263405,  1.007803037365946e-04, 1.772146513969984e-06, 5.682943292316392e-05});
  EXPECT_LT(error, 1e-7);  // measured 2e-9
}

TEST(BdfProblems, RingModulator) {
  FormulaModel m;
  m.define("Uin1", "0.5*sin(2000*pi*t)");
  m.define("Uin2", "2*sin(20000*pi*t)");
  const char* diode = "40.67286402e-9*(exp(17.7493332*(";
  m.define("q1", std::string(diode) + "y3 - y5 - y7 - Uin2)) - 1)");
  m.define("q2", std::string(diode) + "-y4 + y6 - y7 - Uin2)) - 1)");
  m.define("q3", std::string(diode) + "y4 + y5 + y7 + Uin2)) - 1)");
  m.define("q4", std::string(diode) + "-y3 - y6 + y7 + Uin2)) - 1)");
  m.state("y1", 0, "(y8 - 0.5*y10 + 0.5*y11 + y14 - y1/25000)/1.6e-8");
  m.state("y2", 0, "(y9 - 0.5*y12 + 0.5*y13 + y15 - y2/25000)/1.6e-8");
  m.state("y3", 0, "(y10 - q1 + q4)/2e-12");
  m.state("y4", 0, "(-y11 + q2 - q3)/2e-12");
  m.state("y5", 0, "(y12 + q1 - q3)/2e-12");
  m.state("y6", 0, "(-y13 - q2 + q4)/2e-12");
  m.state("y7", 0, "(-y7/50 + q1 + q2 - q3 - q4)/1e-8");
  m.state("y8", 0, "-y1/4.45");
  m.state("y9", 0, "-y2/4.45");
  m.state("y10", 0, "(0.5*y1 - y3 - 17.3*y10)/5e-4");
  m.state("y11", 0, "(-0.5*y1 + y4 - 17.3*y11)/5e-4");
  m.state("y12", 0, "(0.5*y2 - y5 - 17.3*y12)/5e-4");
  m.state("y13", 0, "(-0.5*y2 + y6 - 17.3*y13)/5e-4");
  m.state("y14", 0, "(-y1 + Uin1 - (50 + 36.3)*y14)/2e-3");
  m.state("y15", 0, "(-y2 - (600 + 36.3)*y15)/2e-3");
  const double reference[15] = {
      -0.02339057358486745,   -0.007367485485540825, 0.2582956709291169,    -0.4064465721283450,
      -0.4039455665149794,    0.2607966765422943,    0.1106761861269975,    2.939904342435596e-07,
      -2.840029933642329e-08, 7.267198267264553e-04, 7.929487196960840e-04, -7.255283495698965e-04,
      -7.941401968526521e-04, 7.088495416976114e-05, 2.390059075236570e-05};
  FormulaRun run(m);
  const State end = run.run(1e-3, with(Method::kBdf, 1e-7, 1e-10), false);
  EXPECT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();
  // The voltages 3 to 6 at the small capacitors ring 5000 times with Ls and Cs, and the error of
  // their phase adds up: 300 000 steps end with the digits asked for everywhere else.
  double ringing = 0, others = 0;
  for (int i = 0; i < 15; ++i) {
    double& worst = i >= 2 && i <= 5 ? ringing : others;
    worst = std::max(worst, std::abs(end.y[i] / reference[i] - 1));
  }
  EXPECT_LT(others, 3e-5);   // measured 9e-6, and 2e-7 with rtol = 1e-9
  EXPECT_LT(ringing, 4e-3);  // measured 2e-3, and 4e-5
}

/// SUNDIALS' example idasSlCrank: crank angle q, slider x, rod angle s with multipliers, the
/// constraints differentiated twice; G is the integral of the kinetic energy.
FormulaModel slider_crank() {
  FormulaModel m;
  m.parameter("k", 1);
  m.parameter("c", 1);
  m.define("s1", "sin(q)");
  m.define("c1", "cos(q)");
  m.define("s2", "sin(s)");
  m.define("c2", "cos(s)");
  m.define("s21", "s2*c1 - c2*s1");
  m.define("c21", "c2*c1 + s2*s1");
  m.define("l", "sqrt(x^2 - x*(c2 + 0.5*c1) + 1.25/4 + 0.25*c21)");
  m.define("ld", "(2*x*vx - vx*(c2 + 0.5*c1) + x*(s2*vs + 0.5*s1*vq) - 0.25*s21*(vs - vq))/(2*l)");
  m.define("fl", "(k*(l - 1) + c*ld)/l");
  m.define("aq", "-fl*0.25*(s21/2 + x*s1) - 0.5*s1*l1 + 0.5*c1*l2");
  m.define("ax", "fl*(c2/2 - x + 0.25*c1) + 1 - l1");
  m.define("as", "(-fl*0.5*(x*s2 - 0.25*s21) - s2 - s2*l1 + c2*l2)/2");
  const double s0 = std::asin(-0.5);
  m.state("q", std::acos(0.0), "vq");
  m.state("x", std::cos(s0), "vx");
  m.state("s", s0, "vs");
  m.state("vq", 0, "aq");
  m.state("vx", 0, "ax");
  m.state("vs", 0, "as");
  m.state("G", 0, "(vq^2 + vx^2 + 2*vs^2)/2");
  m.algebraic("l1", 0);
  m.algebraic("l2", 0);
  m.equation("ax + s2*as + c2*vs^2 + 0.5*s1*aq + 0.5*c1*vq^2 = 0");
  m.equation("-c2*as + s2*vs^2 - 0.5*c1*aq + 0.5*s1*vq^2 = 0");
  return m;
}

TEST(BdfProblems, SliderCrankSensitivitiesHaveSevenDigits) {
  // Recomputed in reduced coordinates by dop853 at rtol 1e-13 with complex steps; IDAS prints
  // G = 3.33662, dG/dk = 0.33346, dG/dc = -0.36375.
  FormulaRun run(slider_crank());
  const State end = run.run(10, with(Method::kBdf, 1e-11, 1e-13));
  ASSERT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();
  const int k = run.ny, c = run.ny + 1;
  const double y[] = {1.2756758486503, 1.0235785589798, -0.49881304918248};
  const double dy_dk[] = {-0.17397792926038, 0.097011312197643, 0.028811885375142};
  const double dy_dc[] = {-0.26876066709191, 0.14986283083466, 0.044508527986944};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(end.y[i], y[i], 1e-8) << i;
    EXPECT_NEAR(end.W(i, k) / dy_dk[i], 1, 1e-7) << i;
    EXPECT_NEAR(end.W(i, c) / dy_dc[i], 1, 1e-7) << i;
  }
  EXPECT_NEAR(end.y[6], 3.336606799483, 1e-8);
  EXPECT_NEAR(end.W(6, k) / 0.333448106128, 1, 1e-7);
  EXPECT_NEAR(end.W(6, c) / -0.363754033971, 1, 1e-7);
}

}  // namespace
}  // namespace parfait::integrate::bdf_problems_test
