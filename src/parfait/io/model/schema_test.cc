#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "parfait/io/model/formula_file.h"
#include "parfait/io/model/model_file.h"

// The schemas accept what the readers accept, as judged by xmllint.
namespace parfait::io {
namespace {

namespace fs = std::filesystem;

const fs::path kProject = PARFAIT_SOURCE_DIR;

bool has_xmllint() {
  return std::system("xmllint --version > /dev/null 2>&1") == 0;
}

/// file name → whether docs/schema/<schema> accepts it, for all model files of a folder.
std::map<std::string, bool> schema_verdicts(const fs::path& folder,
                                            const std::string& schema = "model.xsd") {
  std::map<std::string, bool> valid;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml") valid[entry.path().filename().string()] = false;
  }
  const std::string command = "cd '" + folder.string() + "' && xmllint --noout --schema '" +
                              (kProject / "docs/schema" / schema).string() + "' *.xml 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return {};
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  ::pclose(pipe);
  for (auto& [file, is_valid] : valid) {
    is_valid = ("\n" + output).find("\n" + file + " validates\n") != std::string::npos;
  }
  return valid;
}

TEST(Schema, AcceptsEveryValidModel) {
  ASSERT_TRUE(has_xmllint()) << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  const auto valid = schema_verdicts(kProject / "tests/cases/models");
  EXPECT_GE(valid.size(), 4U);
  for (const auto& [file, is_valid] : valid) EXPECT_TRUE(is_valid) << file;
}

TEST(Schema, AcceptsWhatTheWriterWrites) {
  ASSERT_TRUE(has_xmllint()) << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  const fs::path folder =
      fs::temp_directory_path() / ("parfait_schema_of_written_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& entry : fs::directory_iterator(kProject / "tests/cases/models")) {
    if (entry.path().extension() != ".xml") continue;
    write_model(read_model(entry.path()), folder / entry.path().filename());
  }
  const auto valid = schema_verdicts(folder);
  EXPECT_GE(valid.size(), 4U);
  for (const auto& [file, is_valid] : valid) EXPECT_TRUE(is_valid) << file;
  fs::remove_all(folder);
}

TEST(Schema, RejectsBrokenStructureAndOnlyThat) {
  ASSERT_TRUE(has_xmllint()) << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  for (const auto& [file, is_valid] : schema_verdicts(kProject / "tests/cases/broken_models")) {
    const bool is_broken = file.starts_with("syntax_") || file.starts_with("structure_");
    EXPECT_EQ(is_valid, !is_broken) << file;
  }
}

TEST(FormulaSchema, AcceptsEveryValidModelAndWhatTheWriterWrites) {
  ASSERT_TRUE(has_xmllint()) << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  const fs::path folder =
      fs::temp_directory_path() / ("parfait_formula_schema_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path models = kProject / "tests/cases/formula_models";
  for (const auto& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() != ".xml") continue;
    write_formula_model(read_formula_model(entry.path()), folder / entry.path().filename());
  }
  for (const auto& name : {"lotka_volterra", "bouncing_ball", "robertson"}) {
    fs::copy(kProject / "examples" / name / (std::string(name) + ".xml"), folder);
  }
  for (const auto& where : {models, folder}) {
    const auto valid = schema_verdicts(where, "formula.xsd");
    EXPECT_GE(valid.size(), 2U);
    for (const auto& [file, is_valid] : valid) EXPECT_TRUE(is_valid) << where << file;
  }
  fs::remove_all(folder);
}

TEST(FormulaSchema, RejectsBrokenStructureAndOnlyThat) {
  ASSERT_TRUE(has_xmllint()) << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  const auto valid = schema_verdicts(kProject / "tests/cases/broken_formula_models", "formula.xsd");
  EXPECT_GE(valid.size(), 45U);
  for (const auto& [file, is_valid] : valid) {
    const bool is_broken = file.starts_with("syntax_") || file.starts_with("structure_");
    EXPECT_EQ(is_valid, !is_broken) << file;
  }
}

}  // namespace
}  // namespace parfait::io
