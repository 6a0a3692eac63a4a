#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "nist_problems.h"
#include "parfait/estimate/algebraic/algebraic_experiment.h"
#include "parfait/estimate/statistics/statistics.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {
namespace {

using testing_support::matching_digits;
using testing_support::nist_problems;
using testing_support::NistProblem;

/// An experiment at the certified values.
struct AtCertified {
  explicit AtCertified(const NistProblem& nist)
      : problem(testing_support::estimation_problem(nist, 1)),
        shared(problem.estimates),
        experiment(problem.experiments[0], shared),
        x(shared.size()) {
    for (int i = 0; i < shared.size(); ++i) {
      x[i] = shared.x_of(i, nist.parameters[static_cast<std::size_t>(i)].certified);
    }
    EXPECT_TRUE(experiment.linearize(Eigen::VectorXd(0), x)) << experiment.why();
  }
  Problem problem;
  Unknowns shared;
  AlgebraicExperiment experiment;
  Eigen::VectorXd x;
};

TEST(NistFormulas, ThereAreAllTwentySevenProblems) {
  const auto problems = nist_problems();
  ASSERT_EQ(problems.size(), 27u);
  for (const NistProblem& nist : problems) EXPECT_GE(nist.parameters.size(), 2u) << nist.name;
}

TEST(NistFormulas, ResidualSumsAtTheCertifiedValuesAreCertified) {
  for (const NistProblem& nist : nist_problems()) {
    const AtCertified at(nist);
    const double sum = at.experiment.residuals().squaredNorm();
    if (nist.has_exact_data()) {
      EXPECT_LT(sum, 1e-20);
    } else {
      EXPECT_NEAR(sum / nist.residual_sum, 1, 2e-10) << nist.name;
    }
  }
}

TEST(NistFormulas, StandardDeviationsAtTheCertifiedValuesAreCertified) {
  for (const NistProblem& nist : nist_problems()) {
    if (nist.has_exact_data()) continue;
    const AtCertified at(nist);
    const auto n = at.shared.size();
    const Eigen::MatrixXd inverse = math::inverse(math::Reflections(at.experiment.block().B).R());
    const FitScale scale = make_fit_scale(at.experiment.residuals(), n, {});
    EXPECT_GT(matching_digits(scale.beta(), nist.residual_sd), 9.5) << nist.name;
    for (int i = 0; i < n; ++i) {
      const auto s = parameter_statistics(at.shared, i, at.x[i], inverse.row(i).squaredNorm(),
                                          Determined::kByData, scale);
      const auto& parameter = nist.parameters[static_cast<std::size_t>(i)];
      EXPECT_GT(matching_digits(s.sd, parameter.certified_sd), 8)
          << nist.name << " " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace parfait::estimate
