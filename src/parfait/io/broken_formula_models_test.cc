#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "parfait/dynamics/formula_system.h"
#include "parfait/io/any_model_file.h"

// tests/cases/broken_formula_models/expected.txt says for each broken model what a person must be
// told.
namespace parfait::io {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PARFAIT_SOURCE_DIR) / "tests/cases/broken_formula_models";

/// file → message. Lines are "file<TAB>message"; # begins a comment.
std::map<std::string, std::string> expected_messages() {
  std::map<std::string, std::string> expected;
  std::ifstream in(kFolder / "expected.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto tab = line.find('\t');
    EXPECT_NE(tab, std::string::npos) << line;
    EXPECT_TRUE(expected.emplace(line.substr(0, tab), line.substr(tab + 1)).second) << line;
  }
  return expected;
}

/// Messages show the file as it was named: we stand in its folder.
class BrokenFormulaModels : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(kFolder);
  }
  void TearDown() override { fs::current_path(before_); }

 private:
  fs::path before_;
};

TEST_F(BrokenFormulaModels, EachSaysWhereAndWhatIsWrong) {
  const auto expected = expected_messages();
  EXPECT_GE(expected.size(), 45U);
  for (const auto& [file, message] : expected) {
    try {
      dynamics::make_formula_system(std::get<dynamics::FormulaModel>(read_any_model(file)));
      ADD_FAILURE() << file << " is accepted; expected: " << message;
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.what(), message) << file;
    }
  }
}

TEST_F(BrokenFormulaModels, EveryFileOfTheFolderIsListed) {
  const auto expected = expected_messages();
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(".")) {
    if (entry.path().extension() == ".xml") found.insert(entry.path().filename().string());
  }
  for (const auto& file : found) EXPECT_TRUE(expected.contains(file)) << file << " is not listed";
  for (const auto& [file, message] : expected) {
    EXPECT_TRUE(found.contains(file)) << file << " is gone";
  }
}

}  // namespace
}  // namespace parfait::io
