#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/mechanical_model.h"
#include "parfait/io/model/test_broken_files.h"

namespace parfait::io {
namespace {

TEST(BrokenForeignModels, EachSaysWhereAndWhatIsWrong) {
  const BrokenFiles files("broken_foreign");
  EXPECT_GE(files.size(), 80U);
  files.expect_messages([](const std::string& file) {
    build_mechanics(std::get<mechanism::Description>(read_any_model(file)), {});
  });
}

TEST(BrokenForeignModels, EveryFileOfTheFolderIsListed) {
  BrokenFiles("broken_foreign").expect_all_listed();
}

}  // namespace
}  // namespace parfait::io
