#pragma once

#include <cmath>
#include <string>

#include "parfait/result/fit.h"
#include "parfait/result/simulation.h"

/// Results as runs would leave them, for tests of reports.
namespace parfait::report {

struct FitSize {
  int parameters = 2, experiments = 1, columns = 1, measurements = 20;  ///< of each column
};

inline std::string numbered(const char* name, int i) {
  return name + std::to_string(i);
}

/// A number that looks random, between -1 and 1; the same for the same i.
inline double noise(int i) {
  return std::sin(12.9898 * i) * std::cos(78.233 * i);
}

inline result::Fit converged_fit(const FitSize& size = {}) {
  result::Fit fit;
  fit.verdict = {.version = "1.2.3",
                 .status = "converged",
                 .partial = false,
                 .message = "converged: increment 1e-07 after 2 iterations",
                 .warnings = {}};
  fit.problem = "problem.xml";
  fit.verdict.origin = {{"fit", "problem.xml", "--out", "a b"},
                        {{"problem", "problem.xml", std::string(64, 'a')}}};
  fit.iterations = 2, fit.evaluations = 4;
  fit.objective = 17.25;
  const int n = size.experiments * size.columns * size.measurements;
  fit.measurements = n, fit.free = size.parameters, fit.degrees_of_freedom = n - size.parameters;
  fit.rank = size.parameters;
  fit.sigma_scale = 0.9876;
  fit.convention = "covariance = beta^2 (J^T J)^-1";
  fit.options.norm = "l2", fit.options.sigma = "estimated";
  for (int i = 0; i < size.parameters; ++i) {
    result::Estimate e;
    e.id = numbered("p", i);
    e.unit = "N/m";
    e.value = 10 + noise(i), e.sd = 0.123456789;
    e.individual = {e.value - 0.25, e.value + 0.25};
    e.joint = {e.value - 0.4, e.value + 0.4};
    e.initial = 5, e.truth = 10;
    e.lower = 0;
    fit.parameters.push_back(e);
  }
  fit.correlation = fit.covariance = result::Matrix(size.parameters, size.parameters);
  for (int i = 0; i < size.parameters; ++i) {
    for (int j = 0; j < size.parameters; ++j) {
      fit.correlation(i, j) = i == j ? 1 : 0.5 * noise(i + j);
      fit.covariance(i, j) = fit.correlation(i, j) * 0.0152;
    }
  }
  for (int k = 0; k < size.experiments; ++k) {
    result::FittedExperiment experiment;
    experiment.id = numbered("run", k);
    experiment.residuals = size.columns * size.measurements;
    experiment.sum_of_squares = 17.25 / size.experiments;
    experiment.runs = {10, 10, 11, 11, 0.9};
    for (int c = 0; c < size.columns; ++c) {
      experiment.observed.push_back({numbered("column", c), numbered("quantity", c), "m"});
    }
    experiment.nodes =
        result::Nodes{{"y"}, {0, 0.5, 1}, result::Matrix(3, 1), result::Matrix(3, 1)};
    fit.experiments.push_back(experiment);
  }
  for (const auto& e : fit.parameters) {
    auto& information = fit.identifiability.information.emplace_back();
    information.parameter = e.id;
    for (const auto& experiment : fit.experiments) {
      information.shares.push_back({experiment.id, 1.0 / size.experiments});
    }
  }
  for (int i = 0; i < 3; ++i) {
    result::Iteration iteration;
    iteration.number = i;
    iteration.objective = 17.25 + std::pow(0.1, i);
    iteration.increment = std::pow(0.01, i);
    iteration.step = i < 2 ? 1 : 0;
    iteration.condition = 12, iteration.kappa = 0.2, iteration.omega = 0.1;
    iteration.rank = size.parameters;
    for (const auto& e : fit.parameters) iteration.values.push_back(e.value + std::pow(0.1, i + 1));
    fit.history.push_back(iteration);
  }
  fit.normality = result::NormalityTest{0.3, 0.42};
  fit.outliers = {{"run0", "column0", 0.25, 1.5, 1.25, -2.5, -2.75, 0.5}};
  return fit;
}

inline result::FitTables tables_of(const result::Fit& fit, const FitSize& size = {}) {
  result::FitTables tables;
  int i = 0;
  for (const auto& experiment : fit.experiments) {
    result::Prediction prediction{experiment.id, {}, {}, {}, {}};
    const int points = std::min(size.measurements, 200);
    prediction.values = prediction.sd = result::Matrix(points, size.columns);
    for (int k = 0; k < points; ++k) {
      const double t = k / (points - 1.0);
      prediction.t.push_back(t);
      for (int c = 0; c < size.columns; ++c) {
        prediction.values(k, c) = std::sin(6 * t + c), prediction.sd(k, c) = 0.01;
      }
    }
    for (int c = 0; c < size.columns; ++c) {
      prediction.quantities.push_back(numbered("quantity", c));
      for (int k = 0; k < size.measurements; ++k) {
        const double t = k / (size.measurements - 1.0), w = 1.5 * noise(++i);
        const double model = std::sin(6 * t + c);
        tables.residuals.push_back(
            {experiment.id, numbered("column", c), t, model - 0.1 * w, model, 0.1, w, 0.01, false});
      }
    }
    tables.predictions.push_back(prediction);
    tables.first_guess.push_back(prediction);
    for (double& x : tables.first_guess.back().values.values) x *= 0.5;
    tables.first_guess.back().sd = {};
  }
  return tables;
}

inline result::Simulation finished_simulation() {
  result::Simulation s;
  s.verdict = {.version = "1.2.3",
               .status = "finished",
               .partial = false,
               .message = "finished at t = 2 s after 30 steps",
               .warnings = {}};
  s.model = "model.xml";
  s.verdict.origin = {{"simulate", "model.xml"}, {{"model", "model.xml", std::string(64, 'b')}}};
  s.t = 2, s.rows = 101;
  s.work.steps = 30, s.work.rejected = 3, s.work.smallest_step = 1e-3, s.work.largest_step = 0.1;
  s.events = {{0.75, "bounce", true, 1}};
  s.drift.energy = result::Drift::Energy{1.5e-8, 1e-9};
  s.drift.constraints = result::Drift::Constraints{1e-13, 1e-10, 0};
  s.energy = result::Energy{9.81, 5};
  s.options.integrator = "dop853", s.options.until = 2;
  s.options.observe = {"Arm.com.x", "Arm.com.z", "energy.total"};
  s.options.sensitivity = {"k"};
  s.parameters = {{"k", 40}};
  s.units = {{"Arm.com.x", "m"}, {"Arm.com.z", "m"}, {"energy.total", "J"}};
  return s;
}

inline result::Table test_trajectory() {
  result::Table table{{"t", "Arm.com.x", "Arm.com.z", "energy.total", "dArm.com.x/dk"}, {}};
  table.columns.resize(5);
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.02 * i;
    const double values[] = {t, std::cos(t), std::sin(t), 9.81 + 1e-9 * t, 0.1 * t};
    for (int j = 0; j < 5; ++j) table.columns[j].push_back(values[j]);
  }
  return table;
}

inline result::Table test_steps() {
  result::Table table{{"t", "step"}, {{}, {}}};
  for (int i = 1; i <= 100; ++i) {
    table.columns[0].push_back(0.02 * i);
    table.columns[1].push_back(0.02 + 0.01 * std::sin(i));
  }
  return table;
}

}  // namespace parfait::report
