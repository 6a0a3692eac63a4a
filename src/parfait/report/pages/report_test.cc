#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "parfait/report/pages/comparison_report.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/report/pages/simulation_report.h"
#include "parfait/report/pages/test_results.h"

namespace parfait::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The page as a tree; a failure of the test if its tags do not match.
pugi::xml_document parsed(const std::string& page) {
  pugi::xml_document document;
  const auto outcome = document.load_buffer(page.data(), page.size(), pugi::parse_full);
  EXPECT_TRUE(outcome) << outcome.description() << " near "
                       << page.substr(static_cast<std::size_t>(
                                          std::max<std::ptrdiff_t>(0, outcome.offset - 40)),
                                      120);
  return document;
}

std::vector<std::string> section_ids(const std::string& page) {
  std::vector<std::string> ids;
  const auto document = parsed(page);
  for (const auto& node : document.select_nodes("//section")) {
    ids.emplace_back(node.node().attribute("id").value());
    EXPECT_GT(std::distance(node.node().begin(), node.node().end()), 1)
        << ids.back() << " is empty";
  }
  return ids;
}

int count_of(const std::string& page, const std::string& xpath) {
  return static_cast<int>(parsed(page).select_nodes(xpath.c_str()).size());
}

std::string fit_page(const result::Fit& fit, const FitSize& size = {}) {
  return fit_report(fit, tables_of(fit, size));
}

result::Finding finding(const std::string& kind, const std::string& parameter,
                        const std::string& words) {
  result::Finding found;
  found.kind = kind, found.parameters = {parameter}, found.text = words;
  return found;
}

const std::vector<std::string> kFitSections = {"findings",  "parameters",  "fit",   "residuals",
                                               "knowledge", "convergence", "origin"};

TEST(FitReport, HasAllBlocksInOrder) {
  const auto page = fit_page(converged_fit());
  EXPECT_EQ(section_ids(page), kFitSections);
  for (const char* plot :
       {"parameters", "fit", "residuals-time", "residuals-fitted", "residuals-histogram",
        "residuals-quantiles", "residuals-autocorrelation", "observed-predicted", "groups",
        "correlation", "ellipse", "objective", "increment", "step", "condition", "paths"}) {
    EXPECT_GE(count_of(page, fmt::format("//figure[@data-plot='{}']", plot)), 1) << plot;
  }
}

TEST(FitReport, SaysItInASentenceFirst) {
  const auto page = fit_page(converged_fit());
  EXPECT_THAT(page,
              HasSubstr("✓ Converged.</span> All 2 parameters are determined by the data, and "
                        "residuals scatter 0.988 times their stated sigma."));
  EXPECT_THAT(page, HasSubstr("Nothing to object to."));
}

TEST(FitReport, KeepsExactNumbersBesideRoundedOnes) {
  const auto page = fit_page(converged_fit());
  EXPECT_THAT(page, HasSubstr("<data value=\"0.123456789\">0.12</data>"));
  EXPECT_THAT(page, HasSubstr("<data value=\"17.25\">17.25</data>"));
}

TEST(FitReport, EveryPictureHasATextAndEveryLinkATarget) {
  const auto page = fit_page(converged_fit());
  EXPECT_GT(count_of(page, "//svg[@role='img']"), 10);
  EXPECT_EQ(count_of(page, "//svg[@role='img'][not(@aria-label) or @aria-label='']"), 0);
  const auto document = parsed(page);
  for (const auto& found : document.select_nodes("//a")) {
    const std::string target = found.node().attribute("href").value();
    ASSERT_EQ(target[0], '#');
    EXPECT_EQ(document.select_nodes(("//*[@id='" + target.substr(1) + "']").c_str()).size(), 1U)
        << target;
  }
}

TEST(FitReport, IsTheSameForTheSameResult) {
  EXPECT_EQ(fit_page(converged_fit()), fit_page(converged_fit()));
}

TEST(FitReport, DoesNotDependOnTheOrderOfResiduals) {
  const auto fit = converged_fit({.columns = 2});
  auto tables = tables_of(fit, {.columns = 2});
  auto shuffled = tables;
  std::reverse(shuffled.residuals.begin(), shuffled.residuals.end());
  const auto panel = [&](const result::FitTables& t, const char* key) {
    const auto page = fit_report(fit, t);
    const auto start = page.find(fmt::format("data-key=\"run0/{}\"", key));
    return page.substr(start, page.find("</figure>", start) - start);
  };
  for (const char* key : {"column0", "column1"}) {
    ASSERT_GT(panel(tables, key).size(), 500U);
    EXPECT_EQ(panel(tables, key), panel(shuffled, key)) << key;
  }
}

/// A text that would do something if it were taken for markup.
const char kHostile[] = "<script>alert('x')</script>\" onload=\"alert(1)&amp;]]>\x01\xff";

TEST(FitReport, HostileTextStaysText) {
  auto fit = converged_fit();
  auto tables = tables_of(fit);
  fit.problem = fit.verdict.message = fit.convention = kHostile;
  fit.verdict.warnings = {kHostile};
  fit.verdict.version = fit.options.norm = kHostile;
  fit.parameters[0].id = fit.parameters[0].unit = kHostile;
  fit.parameters[1].experiment = kHostile;
  fit.verdict.origin = {{kHostile}, {{kHostile, kHostile, kHostile}}};
  fit.options.set = {kHostile};
  fit.experiments[0].id = kHostile;
  fit.experiments[0].observed[0] = {kHostile, kHostile, kHostile};
  fit.experiments[0].runs.p_value = 1e-9;
  fit.identifiability.findings = {finding("combination", kHostile, kHostile)};
  fit.identifiability.information[0].parameter = kHostile;
  fit.profiles = {{.parameter = kHostile,
                   .interrupted = false,
                   .interval = {1, 2},
                   .threshold = 3,
                   .points = {{1, 3, true}, {1.5, 2, true}, {2, 3, true}}}};
  fit.outliers = {{kHostile, kHostile, 0.25, 1.5, 1.25, -2.5, -2.75, 1e-9}};
  for (auto& r : tables.residuals) r.experiment = r.column = kHostile;
  const auto page = fit_report(fit, tables);
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_EQ(count_of(page, "//script"), 0);
  EXPECT_EQ(count_of(page, "//@onload"), 0);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
}

TEST(FitReport, OfAFailureSaysWhyAndWhatToDo) {
  result::Fit fit;  // a fit that never got to a point with residuals
  fit.verdict = {
      .version = "1.2.3",
      .status = "integration_failed",
      .partial = true,
      .message = "the first guess could not be integrated: step size below 1e-16 at t = 0.3 s",
      .warnings = {}};
  fit.problem = "problem.xml";
  result::Estimate e;
  e.id = "k", e.value = e.initial = 3;
  fit.parameters = {e};
  const auto page = fit_report(fit, {});
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_THAT(page, HasSubstr("✗ Not converged."));
  EXPECT_THAT(page, HasSubstr("step size below 1e-16 at t = 0.3 s."));
  EXPECT_THAT(page, HasSubstr("What to do:"));
  EXPECT_THAT(page, HasSubstr("the fit did not get that far"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(FitReport, OfAnInterruptedFitSaysSo) {
  auto fit = converged_fit();
  fit.verdict.status = fit.verdict.message = "interrupted";
  fit.verdict.partial = true;
  const auto page = fit_page(fit);
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_THAT(page, HasSubstr("✗ Interrupted.</span> It was stopped before it had converged."));
  EXPECT_THAT(page, HasSubstr("Nothing beyond what is said above."));
  EXPECT_THAT(page, Not(HasSubstr("Nothing to object to.")));
  EXPECT_THAT(page, HasSubstr("--start result.json"));
}

TEST(FitReport, NamesOfOutliersDoNotLieOverEachOther) {
  auto fit = converged_fit();
  const auto names = [&](double second) {
    fit.outliers = {{"run0", "column0", 0.25, 1.5, 1.25, -2.5, -2.75, 1e-3},
                    {"run0", "column0", 0.26, 1.5, 1.25, second, -2.75, 1e-3}};
    return count_of(fit_page(fit), "//figure[@data-plot='residuals-time']//text[.='column0']");
  };
  EXPECT_EQ(names(-2.51), 1);
  EXPECT_EQ(names(2.5), 2);
}

TEST(FitReport, DoesNotSayTwiceThatItDidNotConverge) {
  auto fit = converged_fit();
  fit.verdict.status = "max_iterations";
  fit.verdict.partial = true;
  fit.verdict.message = "not converged: increment 1.1 after 2 iterations";
  EXPECT_THAT(fit_page(fit),
              HasSubstr("✗ Not converged.</span> Increment 1.1 after 2 iterations."));
}

TEST(FitReport, WithoutAResidualThereIsNoScatter) {
  auto fit = converged_fit();
  fit.verdict.status = "interrupted";
  fit.verdict.partial = true;
  fit.sigma_scale = 1;
  fit.measurements = fit.degrees_of_freedom = 0;
  EXPECT_THAT(fit_page(fit), Not(HasSubstr("<dt>β</dt>")));
}

TEST(FitReport, WhatBelongsToOneExperimentIsNotInTheTableOfInformation) {
  auto fit = converged_fit({.experiments = 2});
  auto& information = fit.identifiability.information;
  information.push_back({"x(0) (run0)", {{"run0", 1}, {"run1", 0}}});
  const auto columns = [&] {
    const auto page = fit_report(fit, tables_of(fit, {.experiments = 2}));
    return count_of(page, "//figure[@data-plot='information']//text[contains(., 'x(0)')]");
  };
  EXPECT_EQ(columns(), 0);
  information.back().shares[1].value = 0.5;
  EXPECT_EQ(columns(), 1);
}

TEST(FitReport, ManyInitialStatesAreFolded) {
  auto fit = converged_fit();
  const auto folded = [&] {
    return count_of(fit_page(fit), "//figure[@data-plot='initial-states']/details");
  };
  fit.initial_states.assign(20, fit.parameters[0]);
  EXPECT_EQ(folded(), 0);
  fit.initial_states.assign(21, fit.parameters[0]);
  EXPECT_EQ(folded(), 1);
}

TEST(FitReport, UndeterminedParametersHaveAnOpenBarAndAReason) {
  auto fit = converged_fit();
  auto& e = fit.parameters[0];
  e.sd = result::kInfinity;
  e.individual = e.joint = {-result::kInfinity, result::kInfinity};
  e.determined = "undetermined";
  fit.identifiability.all_determined = false;
  fit.identifiability.findings = {
      finding("no_influence", "p0", "p0 has no influence on any measurement.")};
  for (int j = 0; j < 2; ++j) fit.correlation(0, j) = fit.correlation(j, 0) = NAN;
  const auto page = fit_page(fit);
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_THAT(page, HasSubstr("1 of 2 parameters are determined by the data"));
  EXPECT_THAT(page, HasSubstr("<span class=\"reason\">not determined by the data</span>"));
  EXPECT_THAT(page, HasSubstr("p0 has no influence on any measurement. <a href=\"#knowledge\">"));
  EXPECT_EQ(count_of(page, "//path[@class='open']"), 1);
}

TEST(FitReport, ParametersAtABoundAreNamed) {
  auto fit = converged_fit();
  fit.parameters[1].determined = "at_lower";
  fit.parameters[1].sd = NAN;
  fit.parameters[1].individual = fit.parameters[1].joint = {};
  const auto page = fit_page(fit);
  EXPECT_THAT(page, HasSubstr("p1 is at a bound"));
  EXPECT_THAT(page, HasSubstr("<span class=\"reason\">at its lower bound</span>"));
}

TEST(FitReport, DoubtsAreRemarksWithLinks) {
  auto fit = converged_fit();
  fit.correlation(0, 1) = fit.correlation(1, 0) = -0.97;
  fit.history.back().kappa = 1.2;
  fit.parameters[0].shift = 0.4;
  fit.normality->p_value = 1e-4;
  fit.experiments[0].runs.p_value = 1e-3;
  fit.outliers[0].p_value = 1e-5;
  const auto page = fit_page(fit);
  for (const char* words :
       {"hardly one without the other (correlation): p0 and p1 (-0.970)",
        "κ = 1.2 at the end is not below 1", "A more careful integrator moves p0 (0.4 sd)",
        "not normally distributed (p = 0.0001)", "not in random order in run0 (p = 0.001)",
        "One measurement does not fit the others"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  EXPECT_THAT(page, HasSubstr("! Converged."));
}

TEST(FitReport, WithoutParametersShowsTheEvaluation) {
  auto fit = converged_fit({.parameters = 0});
  fit.history.clear();
  const auto page = fit_page(fit);
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_THAT(page, HasSubstr("there was nothing to estimate"));
}

TEST(FitReport, OfInitialStatesAloneDoesNotSayThatNothingWasEstimated) {
  auto fit = converged_fit({.parameters = 0});
  auto& state = fit.initial_states.emplace_back();
  state.id = "x(0)", state.value = 0.976, state.sd = 0.016;
  const auto page = fit_page(fit);
  EXPECT_THAT(page, HasSubstr("one initial state was estimated"));
  EXPECT_THAT(page, Not(HasSubstr("nothing to estimate")));
}

TEST(FitReport, OfOneParameterIsComplete) {
  const auto page = fit_page(converged_fit({.parameters = 1}));
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_THAT(page, HasSubstr("The parameter is determined by the data"));
}

TEST(FitReport, OfTheL1NormNamesItsObjective) {
  auto fit = converged_fit();
  fit.options.norm = "l1";
  EXPECT_THAT(fit_page(fit), HasSubstr("of the norm l1"));
}

TEST(FitReport, OfFiftyParametersAndAHundredExperimentsStaysSmall) {
  const FitSize size{.parameters = 50, .experiments = 100, .columns = 2, .measurements = 30};
  const auto page = fit_page(converged_fit(size), size);
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_LT(page.size(), 400000U);  // measured 270 kB
  EXPECT_EQ(count_of(page, "//figure[@data-plot='fit']"), 12);
  EXPECT_EQ(count_of(page, "//figure[@data-plot='parameters']//tbody/tr"), 50);
}

TEST(FitReport, OfAHundredThousandMeasurementsStaysSmall) {
  const FitSize size{.parameters = 3, .experiments = 5, .columns = 2, .measurements = 10000};
  const auto page = fit_page(converged_fit(size), size);
  EXPECT_EQ(section_ids(page), kFitSections);
  EXPECT_LT(page.size(), 5000000U);
  const auto fit = converged_fit(size);
  EXPECT_LT(fit_report(fit, tables_of(fit, size), {}, Liveness::kLive).size(), 5000000U);
}

TEST(FitReport, AnOpenProfileSaysSo) {
  auto fit = converged_fit();
  fit.profiles = {{.parameter = "p0",
                   .interrupted = false,
                   .interval = {9, result::kInfinity},
                   .threshold = 21,
                   .points = {{9, 21, true}, {10, 17.25, true}, {12, 18, true}}}};
  const auto page = fit_page(fit);
  EXPECT_EQ(count_of(page, "//figure[@data-plot='profile']"), 1);
  EXPECT_THAT(page, HasSubstr("interval [9, open]"));
  EXPECT_THAT(page, HasSubstr("The profile of p0 stays below its threshold on one side"));
}

const std::vector<std::string> kSimulationSections = {
    "findings", "quantities", "invariants", "events", "steps", "sensitivities", "origin"};

TEST(SimulationReport, HasAllBlocksInOrder) {
  const auto page = simulation_report(finished_simulation(), test_trajectory(), test_steps());
  EXPECT_EQ(section_ids(page), kSimulationSections);
  EXPECT_EQ(count_of(page, "//figure[@data-plot='quantity']"), 1) << "x and z of one point";
  for (const char* plot : {"energy", "energy-change", "steps", "sensitivity"}) {
    EXPECT_EQ(count_of(page, fmt::format("//figure[@data-plot='{}']", plot)), 1) << plot;
  }
  EXPECT_THAT(page, HasSubstr("✓ Finished."));
  EXPECT_EQ(page, simulation_report(finished_simulation(), test_trajectory(), test_steps()));
}

TEST(SimulationReport, OfAFailureShowsTheLastState) {
  auto s = finished_simulation();
  s.verdict = {.version = "1.2.3",
               .status = "step_too_small",
               .partial = true,
               .message = "stopped at t = 0.3 s",
               .warnings = {"the motion is <singular>"}};
  s.last_state = result::LastState{0.3, {{"x", 1.5}, {"v", NAN}}, {}, {}};
  const auto page = simulation_report(s, {}, {});
  EXPECT_EQ(section_ids(page), kSimulationSections);
  EXPECT_THAT(page, HasSubstr("✗ Not finished."));
  EXPECT_THAT(page, HasSubstr("the motion is &lt;singular&gt;"));
  EXPECT_THAT(page, HasSubstr("State where it stopped"));
  EXPECT_THAT(page, HasSubstr("stopped at t = 0.3 s."));
  s.verdict.message = "It stopped. Try bdf.";
  EXPECT_THAT(simulation_report(s, {}, {}), Not(HasSubstr("Try bdf..")));
}

TEST(SimulationReport, HostileTextStaysText) {
  auto s = finished_simulation();
  auto trajectory = test_trajectory();
  s.model = s.events[0].name = s.parameters[0].name = s.options.integrator = kHostile;
  s.verdict.warnings = {kHostile};
  trajectory.header[1] = s.units[0].column = s.units[0].unit = kHostile;
  const auto page = simulation_report(s, trajectory, test_steps());
  EXPECT_EQ(section_ids(page), kSimulationSections);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST(Comparison, JoinsParametersByName) {
  auto a = converged_fit(), b = converged_fit();
  std::swap(b.parameters[0], b.parameters[1]);
  b.parameters.pop_back();  // b has only p1
  const auto page = comparison_report(std::vector<NamedFit>{{"a", a}, {"b<", b}});
  const auto document = parsed(page);
  const auto rows = document.select_nodes("//section[@id='parameters']//tbody/tr");
  ASSERT_EQ(rows.size(), 2U);
  const auto cell = [&](int row, int column) {
    auto node = rows[static_cast<std::size_t>(row)].node().first_child();
    for (int i = 0; i < column; ++i) node = node.next_sibling();
    return std::string(node.child("data").attribute("value").value());
  };
  EXPECT_EQ(cell(0, 1), fmt::format("{}", a.parameters[0].value));
  EXPECT_EQ(cell(0, 2), "") << "b does not have p0";
  EXPECT_EQ(cell(1, 1), cell(1, 2));
  EXPECT_THAT(page, HasSubstr("2: b&lt;")) << "plots say run 2";
}

TEST(Comparison, OverlaysSharedQuantities) {
  const auto s = finished_simulation();
  const auto page = comparison_report(
      std::vector<NamedSimulation>{{"a", s, test_trajectory()}, {"b", s, test_trajectory()}});
  EXPECT_EQ(section_ids(page), (std::vector<std::string>{"runs", "quantities"}));
  EXPECT_EQ(count_of(page, "//figure[@data-plot='compare-quantity']"), 4);
}

}  // namespace
}  // namespace parfait::report
