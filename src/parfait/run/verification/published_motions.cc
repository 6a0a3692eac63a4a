#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "parfait/dynamics/formula_system.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/text/csv.h"
#include "parfait/mbs/model.h"
#include "parfait/run/simulation/start_state.h"
#include "parfait/run/verification/published.h"

// Motions whose end is known. "Test set": Test Set for IVP Solvers (Mazzia, Magherini, 2008).
namespace parfait::run {
namespace {

using dynamics::FormulaModel;
using integrate::Method;

/// Values of quantities at the end; NaN if the integration fails.
std::vector<double> values_at(const dynamics::System& system,
                              const std::vector<std::string>& quantities, double t_end,
                              const integrate::Options& options) {
  std::vector<double> p;
  for (const auto& parameter : system.parameters()) p.push_back(parameter.initial);
  const auto workspace = system.make_workspace(0);
  system.bind(*workspace, p);
  integrate::State state =
      make_start("built-in", system, *workspace, {}, options.projection_tolerance).state;
  integrate::Integrator integrator(system, *workspace, options);
  const auto result = integrator.run(state, t_end);
  std::vector<double> values(quantities.size(), std::nan(""));
  if (!result.finished()) return values;
  const auto observer = system.make_observer(quantities);
  const dynamics::Point end{
      .t = state.t, .y = state.y, .z = state.z, .mode = state.mode, .offset = {}};
  if (system.observe(*workspace, *observer, end, values) != dynamics::Status::kOk) {
    values.assign(quantities.size(), std::nan(""));
  }
  return values;
}

integrate::Options careful(Method method, double rtol, double atol, Stop stop) {
  integrate::Options options;
  options.stop = stop;
  options.method = method;
  options.rtol = rtol;
  options.atol = atol;
  return options;
}

/// Seven stars of masses 1 to 7 in a plane (Hairer, Norsett, Wanner I, II.10).
FormulaModel seven_stars() {
  constexpr double kStart[7][4] = {{3, 3, 0, 0},      {3, -3, 0, 0}, {-1, 2, 0, 0},
                                   {-3, 0, 0, -1.25}, {2, 0, 0, 1},  {-2, -4, 1.75, 0},
                                   {2, 4, -1.5, 0}};
  FormulaModel model;
  for (int i = 1; i <= 7; ++i) {
    for (int j = i + 1; j <= 7; ++j) {
      model.define(fmt::format("r{}{}", i, j),
                   fmt::format("((x{0} - x{1})^2 + (y{0} - y{1})^2)^1.5", i, j));
    }
  }
  for (int i = 1; i <= 7; ++i) {
    for (int axis = 0; axis < 2; ++axis) {
      const char c = axis == 0 ? 'x' : 'y';
      std::string force;
      for (int j = 1; j <= 7; ++j) {
        if (j == i) continue;
        force += fmt::format("{0}{1}*({2}{1} - {2}{3})/r{4}{5}", force.empty() ? "" : " + ", j, c,
                             i, std::min(i, j), std::max(i, j));
      }
      const double* start = kStart[i - 1];
      model.state(fmt::format("{}{}", c, i), start[axis], fmt::format("v{}{}", c, i));
      model.state(fmt::format("v{}{}", c, i), start[2 + axis], force);
    }
  }
  return model;
}

double stars_digits(Method method, Stop stop) {
  // Positions at t = 3, recomputed in quadruple precision.
  const std::vector<double> end = {
      3.7061391439705129e-01,  3.2372840920572331e+00,  -3.2225590324183233e+00,
      6.5970914557753084e-01,  3.4255817071565798e-01,  1.5621721014006310e+00,
      -7.0030929222124954e-01, -3.9434375855173921e+00, -3.2713809739725499e+00,
      5.2250818434565442e+00,  -2.5906124349774695e+00, 1.1982136933922746e+00,
      -2.4296823449358234e-01, 1.0914492404289797e+00};
  std::vector<std::string> names;
  for (const char c : {'x', 'y'}) {
    for (int i = 1; i <= 7; ++i) names.push_back(fmt::format("{}{}", c, i));
  }
  const auto system = dynamics::make_formula_system(seven_stars());
  return matching_digits(values_at(*system, names, 3, careful(method, 1e-12, 1e-14, stop)), end);
}

double robertson_digits(Stop stop) {
  const auto model = io::read_formula_model_text(embedded_file("robertson.xml"), "robertson.xml");
  const auto system = dynamics::make_formula_system(model);
  // Radau IIA of order 5 at rtol 1e-12; SUNDIALS' example prints the first four digits.
  return matching_digits(
      values_at(*system, {"y1", "y2", "y3"}, 4e4, careful(Method::kBdf, 1e-10, 1e-13, stop)),
      {3.8983377085e-02, 1.6217683159e-07, 9.6101646074e-01});
}

double hires_digits(Stop stop) {
  FormulaModel m;
  m.state("y1", 1, "-1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007");
  m.state("y2", 0, "1.71*y1 - 8.75*y2");
  m.state("y3", 0, "-10.03*y3 + 0.43*y4 + 0.035*y5");
  m.state("y4", 0, "8.32*y2 + 1.71*y3 - 1.12*y4");
  m.state("y5", 0, "-1.745*y5 + 0.43*y6 + 0.43*y7");
  m.state("y6", 0, "-280*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7");
  m.state("y7", 0, "280*y6*y8 - 1.81*y7");
  m.state("y8", 0.0057, "-280*y6*y8 + 1.81*y7");
  const auto system = dynamics::make_formula_system(m);
  return matching_digits(
      values_at(*system, {"y1", "y4", "y8"}, 321.8122, careful(Method::kBdf, 1e-10, 1e-14, stop)),
      {0.7371312573325668e-3, 0.1175651343283149e-2, 0.2850001604814231e-2});
}

double van_der_pol_digits(Stop stop) {
  FormulaModel m;
  m.state("x", 2, "v");
  m.state("v", 0, "1000*(1 - x^2)*v - x");
  const auto system = dynamics::make_formula_system(m);
  return matching_digits(
      values_at(*system, {"x", "v"}, 2000, careful(Method::kBdf, 1e-11, 1e-14, stop)),
      {0.1706167732170469e1, -0.8928097010248125e-3});
}

double squeezer_digits(Stop stop) {
  const auto table =
      io::read_csv_text(embedded_file("andrews_squeezer.csv"), "andrews_squeezer.csv");
  const auto model = mbs::build(io::read_model_text(embedded_file("andrews.xml"), "andrews.xml"));
  const std::vector<std::string> names{"beta",  "Theta", "gamma",  "Phi",
                                       "delta", "Omega", "epsilon"};
  std::vector<std::string> quantities;
  quantities.reserve(names.size());
  for (const auto& name : names) quantities.push_back(name + ".angle");
  constexpr std::size_t kRow = 2;  // t = 0.03
  const auto values = values_at(*model, quantities, table.column("t")[kRow],
                                careful(Method::kDop853, 1e-12, 1e-12, stop));
  std::vector<double> off, none(names.size(), 0.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    // The crank turns several times; angles are compared up to whole turns.
    const double angle = table.column(names[i])[kRow];
    off.push_back(std::remainder(values[i] - angle, 2 * std::numbers::pi) /
                  std::max(1.0, std::abs(angle)));
  }
  return matching_digits(off, none);
}

double bricard_digits(Stop stop) {
  const auto table =
      io::read_csv_text(embedded_file("iftomm_A04_bricard.csv"), "iftomm_A04_bricard.csv");
  const auto model = mbs::build(io::read_model_text(embedded_file("six_bar.xml"), "six_bar.xml"));
  const auto values =
      values_at(*model, {"Rod3.tip.x", "Rod3.tip.y", "Rod3.tip.z"}, table.column("t").back(),
                careful(Method::kDop853, 1e-10, 1e-12, stop));
  std::vector<double> off;
  for (std::size_t i = 0; i < 3; ++i) {
    const char* const columns[] = {"P3x", "P3y", "P3z"};
    off.push_back(values[i] - table.column(columns[i]).back());
  }
  return matching_digits(off, {0, 0, 0});
}

}  // namespace

std::vector<PublishedProblem> published_motions() {
  return {
      {"Pleiades", "Hairer, Norsett, Wanner I", "dop853", 9,
       [](Stop stop) { return stars_digits(Method::kDop853, stop); }},
      {"Pleiades", "Hairer, Norsett, Wanner I", "abm", 8,
       [](Stop stop) { return stars_digits(Method::kAbm, stop); }},
      {"Robertson", "SUNDIALS", "bdf, DAE", 7, robertson_digits},
      {"HIRES", "test set", "bdf", 6.5, hires_digits},
      {"Van der Pol, mu = 1000", "test set", "bdf", 6.5, van_der_pol_digits},
      {"Andrews' squeezer", "test set", "dop853, multibody", 8.5, squeezer_digits},
      {"Bricard mechanism", "IFToMM A04", "dop853, multibody", 8, bricard_digits},
  };
}

}  // namespace parfait::run
