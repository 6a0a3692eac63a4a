#pragma once

#include <numbers>
#include <string>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/design/design.h"

// Planned experiments for tests.
namespace parfait::estimate::test_designs {

using dynamics::FormulaModel;

/// What is said of a design that is refused.
inline std::string message_of(const DesignProblem& problem) {
  try {
    static_cast<void>(design(problem));
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing";
}

inline Estimate estimate(const std::string& id, double value) {
  Estimate e;
  e.parameter = id;
  e.initial = value;
  e.truth = value;
  return e;
}

inline PlannedExperiment planned(const FormulaModel& model, const std::string& quantity, double to,
                                 int count, double sigma = 1) {
  PlannedExperiment e;
  e.base.id = "next";
  e.base.system = dynamics::make_formula_system(model);
  e.base.samples = Samples{.from = 0, .to = to, .count = count};
  Observation o;
  o.column = "y";
  o.quantity = quantity;
  o.sigma.absolute = sigma;
  e.base.observations.push_back(o);
  e.with_inputs = [model](const std::vector<dynamics::Input>& inputs) {
    FormulaModel changed = model;
    for (const auto& input : inputs) {
      for (auto& old : changed.inputs) {
        if (old.id == input.id) old = input;
      }
    }
    return dynamics::make_formula_system(changed);
  };
  return e;
}

/// x'' = -c x - 2 d x' + u with |u| <= 1 over 2 pi, from rest; information is the integral of the
/// sensitivities' products.
inline DesignProblem single_mass(CriterionKind criterion) {
  FormulaModel m;
  m.state("x", 0, "v");
  m.state("v", 0, "-c * x - 2 * d * v + u");
  m.parameter("c", 1);
  m.parameter("d", 0);
  m.input("u", {0}, {0}, expr::Interpolation::kPrevious);
  DesignProblem problem;
  problem.criterion = criterion;
  problem.relative = false;
  problem.known.estimates = {estimate("c", 1), estimate("d", 0)};
  const double T = 2 * std::numbers::pi;
  problem.planned = {planned(m, "x", T, 240)};
  problem.planned[0].continuous = Continuous{.gauss = true};
  problem.planned[0].inputs = {PlannedInput{.id = "u",
                                            .pieces = 10,
                                            .from = 0,
                                            .to = T,
                                            .lower = -1,
                                            .upper = 1,
                                            .initial = {0.5},
                                            .free_breaks = true}};
  return problem;
}

/// Wall, spring, mass, spring, mass; a force on the first, the second is seen (Oberpeilsteiner
/// 2018, 5.3.3; numbers of our own, all of them in docs/theory/design.md).
inline DesignProblem two_masses(bool at_rest) {
  FormulaModel m;
  m.state("x1", 0, "v1");
  m.state("v1", 0, "F - 1000*x1 - v1 + c2*(x2 - x1) + (v2 - v1)");
  m.state("x2", 0, "v2");
  m.state("v2", 0, "-c2*(x2 - x1) - (v2 - v1)");
  m.parameter("c2", 1000);
  m.input("F", {0}, {0}, expr::Interpolation::kPrevious);
  DesignProblem problem;
  problem.criterion = CriterionKind::kT;
  problem.relative = false;
  problem.known.estimates = {estimate("c2", 1000)};
  problem.planned = {planned(m, "x2", 1, 400)};
  auto& e = problem.planned[0];
  e.continuous = Continuous{.gauss = true};
  e.inputs = {PlannedInput{
      .id = "F", .pieces = 40, .from = 0, .to = 1, .lower = -10, .upper = 10, .initial = {5}}};
  for (const char* v : {"v1", "v2"}) {
    Requirement rest;
    rest.terms.push_back({1.0, v});
    if (at_rest) e.base.requirements.push_back(rest);
  }
  return problem;
}

}  // namespace parfait::estimate::test_designs
