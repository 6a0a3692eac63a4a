#include "parfait/io/model/model_file.h"
#include "parfait/io/model/test_broken_files.h"
#include "parfait/mbs/model.h"

namespace parfait::io {
namespace {

TEST(BrokenModels, EachSaysWhereAndWhatIsWrong) {
  const BrokenFiles files("broken_models");
  EXPECT_GE(files.size(), 45U);
  files.expect_messages([](const std::string& file) { mbs::build(read_model(file)); });
}

TEST(BrokenModels, EveryFileOfTheFolderIsListed) {
  BrokenFiles("broken_models").expect_all_listed();
}

}  // namespace
}  // namespace parfait::io
