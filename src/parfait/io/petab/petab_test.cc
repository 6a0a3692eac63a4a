#include "parfait/io/petab/petab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/io/model/formula_file.h"
#include "parfait/io/petab/sbml.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/text/data_table.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io::petab_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kProblems = fs::path(PARFAIT_SOURCE_DIR) / "tests/estimation/data/petab";

fs::path yaml_of(const std::string& name) {
  return kProblems / name / (name + ".yaml");
}

estimate::FitResult evaluated(estimate::Problem problem) {
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  problem.options.iteration.max_iterations = 0;
  return estimate::fit(problem);
}

/// nllh at the nominal parameters, computed independently with libSBML, LSODA (rtol 1e-12) and
/// Radau.
struct Nominal {
  const char* name;
  double nllh;
};
class PetabProblems : public testing::TestWithParam<Nominal> {};

TEST_P(PetabProblems, HaveTheirNominalLikelihood) {
  const auto fitted = evaluated(read_petab(yaml_of(GetParam().name)).problem);
  ASSERT_TRUE(fitted.likelihood) << fitted.iteration.message;
  EXPECT_NEAR(-fitted.likelihood->log_likelihood, GetParam().nllh,
              2e-8 * std::abs(GetParam().nllh));
}

TEST_P(PetabProblems, GiveTheSameLikelihoodAsFilesOfOurs) {
  const fs::path folder =
      fs::temp_directory_path() / ("parfait_petab_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  PetabProblem petab = read_petab(yaml_of(GetParam().name));
  const double direct = evaluated(petab.problem).objective;
  for (auto& e : petab.problem.experiments) {
    e.data.file = e.id + ".csv";
    e.model = "model.xml";
    write_text_file(folder / e.data.file, data_table_text(e.data));
  }
  write_text_file(folder / "model.xml", formula_model_text(petab.model));
  write_text_file(folder / "problem.xml", problem_text(petab.problem));
  const double written = evaluated(read_problem(folder / "problem.xml")).objective;
  EXPECT_NEAR(written, direct, 1e-12 * std::abs(direct));
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Published, PetabProblems,
                         testing::Values(Nominal{"Boehm_JProteomeRes2014", 138.22199774},
                                         Nominal{"Perelson_Science1996", 432.03855},
                                         Nominal{"Liu_IFACPapersOnLine2025", 723.35749135},
                                         Nominal{"Weber_BMC2015", 296.20179924}),
                         [](const auto& test) { return std::string(test.param.name); });

/// A model of SBML level 3 with these lists inside.
std::string sbml(const std::string& inside) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" "
         "version=\"1\">\n"
         "<model id=\"m\">\n" +
         inside + "</model>\n</sbml>\n";
}
std::string math(const std::string& inside) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inside + "</math>";
}
const char* const kCompartment =
    "<listOfCompartments><compartment id=\"V\" size=\"2\" "
    "constant=\"true\"/></listOfCompartments>\n";
std::string species(const std::string& id, const std::string& more) {
  return "<species id=\"" + id +
         "\" compartment=\"V\" boundaryCondition=\"false\" constant=\"false\" " + more + "/>";
}
const std::string kReaction =
    "<listOfReactions><reaction id=\"v1\" reversible=\"false\" fast=\"false\"><listOfReactants>"
    "<speciesReference species=\"A\" stoichiometry=\"2\" constant=\"true\"/></listOfReactants>"
    "<listOfProducts><speciesReference species=\"B\" stoichiometry=\"1\" constant=\"true\"/>"
    "</listOfProducts><kineticLaw>" +
    math("<apply><times/><ci>k</ci><ci>A</ci><ci>V</ci></apply>") +
    "</kineticLaw></reaction></listOfReactions>\n";

/// y' at the model's initial state.
std::vector<double> rates(const dynamics::FormulaModel& model, std::vector<double>& y) {
  const auto system = dynamics::make_formula_system(model);
  const auto ws = system->make_workspace(0);
  std::vector<double> p, z;
  for (const auto& info : system->parameters()) p.push_back(info.initial);
  system->bind(*ws, p);
  y.resize(static_cast<std::size_t>(system->sizes().ny()));
  system->start(*ws, y, z);
  std::vector<double> rate(y.size());
  EXPECT_EQ(system->evaluate(*ws, {.t = 1, .y = y, .z = z, .mode = {}, .offset = {}}, rate, z),
            dynamics::Status::kOk);
  return rate;
}

TEST(Sbml, ConcentrationsAreAmountsOverTheSizeOfTheirCompartment) {
  // A: a concentration that begins as an amount 6 in 2; B: an amount that begins as a
  // concentration.
  const auto read = read_sbml_text(
      sbml(std::string(kCompartment) + "<listOfSpecies>" +
           species("A", "hasOnlySubstanceUnits=\"false\" initialAmount=\"6\"") +
           species("B", "hasOnlySubstanceUnits=\"true\" initialConcentration=\"0.5\"") +
           "</listOfSpecies>\n<listOfParameters><parameter id=\"k\" value=\"0.7\" "
           "constant=\"true\"/>"
           "</listOfParameters>\n" +
           kReaction),
      "m.xml");
  std::vector<double> y;
  const auto rate = rates(read.model, y);
  EXPECT_DOUBLE_EQ(y[0], 3);
  EXPECT_DOUBLE_EQ(y[1], 1);
  const double flux = 0.7 * 3 * 2;  // substance per time
  EXPECT_DOUBLE_EQ(rate[0], -2 * flux / 2);
  EXPECT_DOUBLE_EQ(rate[1], flux);
}

TEST(Sbml, InitialAssignmentsSeeOtherInitialValuesAndRules) {
  const auto read = read_sbml_text(
      sbml(std::string(kCompartment) + "<listOfSpecies>" +
           species("A", "hasOnlySubstanceUnits=\"false\"") +
           species("B", "hasOnlySubstanceUnits=\"false\" initialConcentration=\"4\"") +
           "</listOfSpecies>\n<listOfParameters><parameter id=\"k\" value=\"0.7\" "
           "constant=\"true\"/>"
           "<parameter id=\"half\" constant=\"false\"/></listOfParameters>\n"
           "<listOfInitialAssignments><initialAssignment symbol=\"A\">" +
           math("<apply><plus/><ci>half</ci><ci>k</ci></apply>") +
           "</initialAssignment></listOfInitialAssignments>"
           "<listOfRules><assignmentRule variable=\"half\">" +
           math("<apply><divide/><ci>B</ci><cn>2</cn></apply>") +
           "</assignmentRule></listOfRules>" + kReaction),
      "m.xml");
  std::vector<double> y;
  rates(read.model, y);
  EXPECT_DOUBLE_EQ(y[0], 2.7);
}

TEST(Sbml, PiecewiseLogarithmsAndPowersKeepTheirMeaning) {
  const auto read = read_sbml_text(
      sbml("<listOfParameters><parameter id=\"x\" value=\"-3\" "
           "constant=\"false\"/></listOfParameters>"
           "<listOfRules><rateRule variable=\"x\">" +
           math("<apply><plus/>"
                "<piecewise><piece><cn>10</cn><apply><lt/><csymbol encoding=\"text\" "
                "definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol><cn>0.5</cn>"
                "</apply></piece><otherwise><cn>20</cn></otherwise></piecewise>"
                "<apply><log/><cn>1000</cn></apply>"
                "<apply><ln/><exponentiale/></apply>"
                "<apply><power/><ci>x</ci><cn>2</cn></apply>"
                "<apply><minus/><apply><power/><cn>-2</cn><cn>2</cn></apply></apply>"
                "<apply><root/><degree><cn>3</cn></degree><cn>8</cn></apply></apply>") +
           "</rateRule></listOfRules>"),
      "m.xml");
  std::vector<double> y;
  // 20 at t = 1, lg 1000, ln e, 9, -4, cube root of 8.
  EXPECT_NEAR(rates(read.model, y)[0], 20 + 3 + 1 + 9 - 4 + 2, 1e-12);
}

TEST(Sbml, TellsWhatIsNotSupportedAndWhere) {
  const std::string text = sbml(
      "<listOfParameters><parameter id=\"x\" value=\"1\" constant=\"false\"/></listOfParameters>\n"
      "<listOfRules>\n<rateRule variable=\"x\">" +
      math("<apply><floor/><ci>x</ci></apply>") + "</rateRule></listOfRules>");
  try {
    read_sbml_text(text, "m.xml");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("m.xml:6"));
    EXPECT_THAT(error.what(), HasSubstr("not supported"));
  }
}

/// Without the curvature of the likelihood the last 1e-4 of it take more than a hundred steps.
TEST(Petab, AFitArrivesAlongDirectionsThatTheDataHardlyTell) {
  estimate::Problem problem = read_petab(yaml_of("Weber_BMC2015")).problem;
  problem.options.iteration.max_iterations = 60;
  const auto fitted = estimate::fit(problem);
  EXPECT_TRUE(fitted.converged()) << fitted.iteration.message;
  ASSERT_TRUE(fitted.likelihood);
  EXPECT_LT(-fitted.likelihood->log_likelihood, 296.20170);
}

TEST(Petab, TellsWhatIsWrongAndWhere) {
  const fs::path folder =
      fs::temp_directory_path() / ("parfait_petab_bad_" + std::to_string(::getpid()));
  const std::string name = "Perelson_Science1996";
  const auto with = [&](const std::string& file, const std::string& from, const std::string& to) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const auto& entry : fs::directory_iterator(kProblems / name)) {
      std::string text = read_text_file(entry.path());
      const auto at = text.find(from);
      if (entry.path().filename() == file && at != std::string::npos)
        text.replace(at, from.size(), to);
      write_text_file(folder / entry.path().filename(), text);
    }
    try {
      read_petab(folder / (name + ".yaml"));
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(with(name + ".yaml", "format_version: 1", "format_version: 2"),
              HasSubstr("PEtab version 1 is supported"));
  EXPECT_THAT(with("measurementData_" + name + ".tsv", "\t1029000\t", "\tmany\t"),
              HasSubstr("measurementData_Perelson_Science1996.tsv:2: measurement = \"many\""));
  EXPECT_THAT(with("observables_" + name + ".tsv", "\tlog10", "\tlog2"),
              HasSubstr("lin, log or log10"));
  EXPECT_EQ(with("none", "", ""), "nothing");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace parfait::io::petab_test
