#include "parfait/io/model/formula_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "parfait/dynamics/formula_system.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/problem/design_file.h"
#include "parfait/io/problem/problem_file.h"

// What formula models say is read as it was meant, and what is written reads back unchanged.
namespace parfait::io {
namespace {

namespace fs = std::filesystem;
using dynamics::FormulaModel;
using dynamics::FormulaText;
using ::testing::ElementsAre;
using Jump = dynamics::SwitchInfo::Jump;

const fs::path kRoot = PARFAIT_SOURCE_DIR;
const fs::path kFormulaModels = kRoot / "tests/cases/formula_models";

std::vector<fs::path> valid_formula_models() {
  std::vector<fs::path> files;
  for (const auto& folder : {kFormulaModels, kRoot / "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".xml" || is_problem_file(entry.path())) continue;
      if (is_design_file(entry.path())) continue;
      if (std::holds_alternative<FormulaModel>(read_any_model(entry.path()))) {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

std::vector<std::string> texts(const std::vector<FormulaText>& formulas) {
  std::vector<std::string> out;
  out.reserve(formulas.size());
  for (const auto& formula : formulas) out.push_back(formula.text);
  return out;
}

/// All that a model says, places and file name aside.
void expect_same(const FormulaModel& a, const FormulaModel& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.remarks, b.remarks);
  EXPECT_EQ(a.simulation.until, b.simulation.until);
  EXPECT_EQ(a.simulation.rtol, b.simulation.rtol);
  EXPECT_EQ(a.simulation.atol, b.simulation.atol);
  EXPECT_EQ(a.simulation.step, b.simulation.step);
  EXPECT_EQ(a.simulation.integrator.text, b.simulation.integrator.text);
  EXPECT_EQ(texts(a.simulation.outputs), texts(b.simulation.outputs));
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(a.states[i].id, b.states[i].id);
    EXPECT_EQ(a.states[i].initial.text, b.states[i].initial.text);
    EXPECT_EQ(a.states[i].derivative.text, b.states[i].derivative.text);
  }
  ASSERT_EQ(a.algebraics.size(), b.algebraics.size());
  for (std::size_t i = 0; i < a.algebraics.size(); ++i) {
    EXPECT_EQ(a.algebraics[i].id, b.algebraics[i].id);
    EXPECT_EQ(a.algebraics[i].initial.text, b.algebraics[i].initial.text);
  }
  ASSERT_EQ(a.equations.size(), b.equations.size());
  for (std::size_t i = 0; i < a.equations.size(); ++i) {
    EXPECT_EQ(a.equations[i].text.text, b.equations[i].text.text);
  }
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_EQ(a.parameters[i].id, b.parameters[i].id);
    EXPECT_EQ(a.parameters[i].initial, b.parameters[i].initial);
    EXPECT_EQ(a.parameters[i].lower, b.parameters[i].lower);
    EXPECT_EQ(a.parameters[i].upper, b.parameters[i].upper);
    EXPECT_EQ(a.parameters[i].scale, b.parameters[i].scale);
    EXPECT_EQ(a.parameters[i].unit, b.parameters[i].unit);
  }
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    EXPECT_EQ(a.inputs[i].id, b.inputs[i].id);
    EXPECT_EQ(a.inputs[i].t, b.inputs[i].t);
    EXPECT_EQ(a.inputs[i].value, b.inputs[i].value);
    EXPECT_EQ(a.inputs[i].interpolation, b.inputs[i].interpolation);
    EXPECT_EQ(a.inputs[i].file, b.inputs[i].file);
    EXPECT_EQ(a.inputs[i].column, b.inputs[i].column);
  }
  ASSERT_EQ(a.definitions.size(), b.definitions.size());
  for (std::size_t i = 0; i < a.definitions.size(); ++i) {
    EXPECT_EQ(a.definitions[i].id, b.definitions[i].id);
    EXPECT_EQ(a.definitions[i].formula.text, b.definitions[i].formula.text);
  }
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].id, b.events[i].id);
    EXPECT_EQ(a.events[i].when.text, b.events[i].when.text);
    EXPECT_EQ(a.events[i].at.text, b.events[i].at.text);
    EXPECT_EQ(a.events[i].direction, b.events[i].direction);
    EXPECT_EQ(a.events[i].terminal, b.events[i].terminal);
    ASSERT_EQ(a.events[i].sets.size(), b.events[i].sets.size());
    for (std::size_t j = 0; j < a.events[i].sets.size(); ++j) {
      EXPECT_EQ(a.events[i].sets[j].target, b.events[i].sets[j].target);
      EXPECT_EQ(a.events[i].sets[j].value.text, b.events[i].sets[j].value.text);
    }
  }
}

TEST(FormulaFile, SaysWhatItMeans) {
  const auto m = read_formula_model(kFormulaModels / "everything.xml");
  EXPECT_EQ(m.id, "everything");
  EXPECT_THAT(m.remarks, ElementsAre("Umlauts: Lösung für Größe.", "A remark on the simulation."));
  EXPECT_EQ(m.simulation.step, 0.01);
  EXPECT_EQ(m.simulation.integrator.text, "abm");
  EXPECT_THAT(texts(m.simulation.outputs), ElementsAre("x", "v.rate", "r", "(x + v)*k"));
  EXPECT_EQ(m.parameters[0].scale, 0.5);
  EXPECT_EQ(m.parameters[1].initial, -0.08);
  EXPECT_EQ(m.inputs[0].interpolation, expr::Interpolation::kCubic);
  EXPECT_THAT(m.inputs[0].value, ElementsAre(0.1, 0.5, -0.25, 0));
  EXPECT_THAT(m.inputs[1].t, ElementsAre(0, 2, 4));  // the row without a value is left out
  EXPECT_THAT(m.inputs[2].value, ElementsAre(1, -2, 0.3));
  EXPECT_EQ(m.states[1].initial.text, "-k / 2");
  EXPECT_EQ(m.states[0].derivative.text, "v");
  EXPECT_EQ(m.states[2].derivative.text, "tide - w");
  EXPECT_EQ(m.definitions[1].formula.text, "if(r < 1 and x >= 0, -k*x, -k*x/r)");
  EXPECT_EQ(m.events[0].direction, Jump::kFalling);
  EXPECT_EQ(m.events[0].sets[1].target, "k");
  EXPECT_FALSE(m.events[1].direction.has_value());  // both
  EXPECT_EQ(m.events[2].at.text, "1 + e");
  EXPECT_TRUE(m.events[3].terminal);
  EXPECT_EQ(m.states[1].derivative.place.line, 23);
  const auto system = dynamics::make_formula_system(m);
  EXPECT_THAT(system->state_names(), ElementsAre("x", "v", "w", "k"));
  EXPECT_THAT(system->initial_state(), ElementsAre(1, -1.25, 0, 2.5));
}

TEST(FormulaFile, RoundTripGivesTheSameModel) {
  const fs::path folder =
      fs::temp_directory_path() / ("parfait_formula_round_trip_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto files = valid_formula_models();
  EXPECT_GE(files.size(), 5U);
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const auto original = read_formula_model(file);
    EXPECT_NO_THROW(dynamics::check(original));
    // Beside the original, so that input tables have the same relative path.
    expect_same(original, read_formula_model_text(formula_model_text(original), file.string()));
    // Elsewhere the path changes, the table does not.
    write_formula_model(original, folder / file.filename());
    auto moved = read_formula_model(folder / file.filename());
    ASSERT_EQ(moved.inputs.size(), original.inputs.size());
    for (std::size_t i = 0; i < moved.inputs.size(); ++i) {
      moved.inputs[i].file = original.inputs[i].file;
    }
    expect_same(original, moved);
  }
  fs::remove_all(folder);
}

TEST(FormulaFile, ModelsBuiltInCodeRoundTripWithEveryKindOfNumber) {
  FormulaModel m;
  m.state("x", 1.0 / 3, "if(x < 1 and k > 2,\n \"y\" & 'z', 1e300)");  // only text to the writer
  m.parameter("k", 5e-324).upper = 1.7976931348623157e308;
  m.parameter("c", 0.1 + 0.2).lower = -0.0;
  m.input("u", {0, 1.0 / 7}, {-1e-300, 2});
  m.algebraic("z", "k^2");
  m.equation("z = 1");
  m.event("e", "x").on(Jump::kRising).set("k", 2).set("x", "x/2");
  m.event_at("", "1").stop();
  expect_same(m, read_formula_model_text(formula_model_text(m), "m.xml"));
}

TEST(AnyModelFile, TheRootSaysWhichKindItIs) {
  const auto kind = [](const fs::path& file) { return read_any_model(file).index(); };
  EXPECT_EQ(kind(kRoot / "tests/cases/models/pendulum.xml"), 0U);
  EXPECT_EQ(kind(kFormulaModels / "everything.xml"), 1U);
  EXPECT_EQ(kind(kFormulaModels / "pendulum_index_1.xml"), 1U);
}

}  // namespace
}  // namespace parfait::io
