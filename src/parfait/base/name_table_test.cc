#include "parfait/base/name_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace parfait::base {
namespace {

TEST(NameTableTest, NumbersNamesInTheirOrderEachOnce) {
  NameTable table;
  EXPECT_EQ(table.find("a"), -1);
  EXPECT_EQ(table.add("a"), (std::pair{0, true}));
  EXPECT_EQ(table.add("longer than a"), (std::pair{1, true}));
  EXPECT_EQ(table.add("a"), (std::pair{0, false}));
  EXPECT_EQ(table.add(""), (std::pair{2, true}));
  EXPECT_EQ(table.find(""), 2);
  EXPECT_EQ(table.find("longer than"), -1);
  EXPECT_EQ(table[1], "longer than a");
  EXPECT_EQ(table.all(), (std::vector<std::string>{"a", "longer than a", ""}));
}

// Against a map, with names that share beginnings; seed 1.
TEST(NameTableTest, FindsWhatAMapFinds) {
  std::mt19937 random(1);
  NameTable table;
  std::map<std::string, int> expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "Body" + std::to_string(random() % 3000) + ".e1." + "xyz"[random() % 3];
    const auto [place, is_new] = expected.try_emplace(name, static_cast<int>(expected.size()));
    ASSERT_EQ(table.add(name), (std::pair{place->second, is_new})) << name;
  }
  ASSERT_EQ(table.size(), static_cast<int>(expected.size()));
  for (const auto& [name, number] : expected) {
    ASSERT_EQ(table.find(name), number);
    ASSERT_EQ(table[number], name);
    ASSERT_EQ(table.find(name + "x"), -1);
  }
}

}  // namespace
}  // namespace parfait::base
