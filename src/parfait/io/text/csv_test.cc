#include "parfait/io/text/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

namespace parfait::io::csv_test {
namespace {

using ::testing::ElementsAre;

/// The message of the InputError that reading `text` throws, or "no error".
std::string message_of(std::string_view text) {
  try {
    read_csv_text(text, "d.csv");
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, ReadsColumnsByHeader) {
  const auto table = read_csv_text("t,x\n0,1.5\n0.1,-2e-3\n", "d.csv");
  EXPECT_THAT(table.header, ElementsAre("t", "x"));
  EXPECT_THAT(table.column("t"), ElementsAre(0.0, 0.1));
  EXPECT_THAT(table.column("x"), ElementsAre(1.5, -2e-3));
}

TEST(Csv, AnEmptyCellIsNotMeasured) {
  const auto table = read_csv_text("t,x,y\n0,,1\n1, ,\n", "d.csv");
  ASSERT_EQ(table.num_rows(), 2);
  EXPECT_TRUE(std::isnan(table.column("x")[0]));
  EXPECT_TRUE(std::isnan(table.column("x")[1]));
  EXPECT_EQ(table.column("y")[0], 1.0);
  EXPECT_TRUE(std::isnan(table.column("y")[1]));
}

TEST(Csv, WindowsLineEndsByteOrderAndCommentsDoNotChangeTheTable) {
  const auto table =
      read_csv_text("# from the lab\r\nt,x\r\n\r\n0,1\r\n# pause\r\n1,2\r\n", "d.csv");
  EXPECT_THAT(table.header, ElementsAre("t", "x"));
  EXPECT_THAT(table.column("x"), ElementsAre(1.0, 2.0));
  EXPECT_THAT(table.lines, ElementsAre(4, 6));
}

TEST(Csv, AMissingLastLineEndIsFine) {
  EXPECT_THAT(read_csv_text("t\n1\n2", "d.csv").column("t"), ElementsAre(1.0, 2.0));
}

TEST(Csv, QuotedHeadersMayHoldCommasAndQuotes) {
  const auto table = read_csv_text("\"t\",\"load, \"\"raw\"\"\"\n0,1\n", "d.csv");
  EXPECT_THAT(table.header, ElementsAre("t", "load, \"raw\""));
}

TEST(Csv, WrittenNamesReadBackAsTheyAre) {
  for (const char* name : {"a;b", "a,b", "a\tb", "a b", " a", "#a", "\"a\""}) {
    const result::Table table{.header = {name}, .columns = {{1, 2}}};
    EXPECT_THAT(read_csv_text(csv_text(table), "d.csv").header, ElementsAre(name));
  }
}

TEST(Csv, ErrorsSayFileLineAndColumn) {
  EXPECT_EQ(message_of("t,x\n0,1\n1,abc\n"), "d.csv:3:3: column \"x\": \"abc\" is not a number.");
  EXPECT_EQ(message_of("t,x\n0,NaN\n"),
            "d.csv:2:3: column \"x\": \"NaN\" is not finite; leave a cell empty if it was not "
            "measured.");
  EXPECT_EQ(message_of("t,x\n0,inf\n").substr(0, 10), "d.csv:2:3:");
  EXPECT_EQ(message_of("t,x\n0,1e999\n"),
            "d.csv:2:3: column \"x\": \"1e999\" is too large or too small for a double.");
  EXPECT_EQ(message_of("t,x\n0\n"), "d.csv:2:1: this row has 1 cells, the header has 2.");
  EXPECT_EQ(message_of("t,x\n0,1,2\n"), "d.csv:2:1: this row has 3 cells, the header has 2.");
  EXPECT_EQ(message_of("t,t\n0,1\n"), "d.csv:1:3: two columns have the name \"t\".");
  EXPECT_EQ(message_of("t,,x\n"), "d.csv:1:3: column 2 has no name in the header.");
  EXPECT_EQ(message_of("# nothing\n"),
            "d.csv:1:1: the file is empty; it must begin with a header row.");
  EXPECT_EQ(message_of("0,1\n2,3\n").substr(0, 43), "d.csv:1:1: the first row holds numbers; it ");
  EXPECT_EQ(message_of("\"t,x\n0,1\n"), "d.csv:1:1: this quoted cell has no closing quote.");
  EXPECT_EQ(message_of("\"t\"s,x\n"),
            "d.csv:1:4: a comma or the end of the line must follow a quoted cell.");
}

TEST(Csv, NonFiniteTextIsAcceptedOnlyOnRequest) {
  const auto table = read_csv_text("x\nnan\n-inf\n", "d.csv", {.non_finite = true});
  EXPECT_TRUE(std::isnan(table.column("x")[0]));
  EXPECT_EQ(table.column("x")[1], -std::numeric_limits<double>::infinity());
}

TEST(Csv, AMissingColumnIsNamedWithTheOnesThereAre) {
  const auto table = read_csv_text("t,load_x\n0,1\n", "d.csv");
  try {
    static_cast<void>(table.column("laod_x", {"m.xml", 3, 7}));
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "m.xml:3:7: \"d.csv\" has no column \"laod_x\". Did you mean \"load_x\"? Columns: t, "
        "load_x.");
  }
}

TEST(Csv, RoundTripIsBitForBit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CsvTable table;
  table.header = {"t", "a, \"b\"", "#c", " d"};
  table.columns = {
      {0.1, 1.0 / 3, -0.0}, {5e-324, 1.7976931348623157e308, 0.1 + 0.2}, {nan, 2, 3}, {1, 2, nan}};
  const auto file = std::filesystem::temp_directory_path() /
                    ("parfait_csv_round_trip_" + std::to_string(::getpid()) + ".csv");
  write_csv(table, file);
  const auto again = read_csv(file);
  std::filesystem::remove(file);
  EXPECT_EQ(again.header, table.header);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    for (std::size_t r = 0; r < 3; ++r) {
      const double x = table.columns[i][r];
      const double y = again.columns[i][r];
      EXPECT_TRUE((std::isnan(x) && std::isnan(y)) ||
                  (x == y && std::signbit(x) == std::signbit(y)))
          << "column " << i << " row " << r << ": " << x << " became " << y;
    }
  }
}

TEST(Csv, ASingleColumnKeepsItsUnmeasuredRows) {
  CsvTable table;
  table.header = {"x"};
  table.columns = {{1, std::numeric_limits<double>::quiet_NaN(), 3}};
  EXPECT_EQ(read_csv_text(csv_text(table), "d.csv").num_rows(), 3);
}

TEST(Csv, AFileThatCannotBeReadOrWrittenIsAnInputError) {
  EXPECT_THROW(read_csv("/nonexistent/d.csv"), base::InputError);
  EXPECT_THROW(write_csv({}, "/nonexistent/d.csv"), base::InputError);
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstName) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("parfait_bom_" + std::to_string(::getpid()) + ".csv");
  std::FILE* out = std::fopen(file.string().c_str(), "wb");
  ASSERT_NE(out, nullptr);
  std::fputs("\xEF\xBB\xBFt,x\r\n0,1\r\n", out);
  std::fclose(out);
  EXPECT_THAT(read_csv(file).header, ElementsAre("t", "x"));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace parfait::io::csv_test
