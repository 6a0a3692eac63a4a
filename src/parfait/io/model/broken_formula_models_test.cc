#include "parfait/dynamics/formula_system.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/test_broken_files.h"

namespace parfait::io {
namespace {

TEST(BrokenFormulaModels, EachSaysWhereAndWhatIsWrong) {
  const BrokenFiles files("broken_formula_models");
  EXPECT_GE(files.size(), 45U);
  files.expect_messages([](const std::string& file) {
    dynamics::make_formula_system(std::get<dynamics::FormulaModel>(read_any_model(file)));
  });
}

TEST(BrokenFormulaModels, EveryFileOfTheFolderIsListed) {
  BrokenFiles("broken_formula_models").expect_all_listed();
}

}  // namespace
}  // namespace parfait::io
