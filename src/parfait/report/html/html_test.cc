#include "parfait/report/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Html, EscapesWhatHasAMeaningInMarkup) {
  EXPECT_EQ(escaped("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(escaped("β = 1·10⁻³ m 🦿"), "β = 1·10⁻³ m 🦿");
}

TEST(Html, ReplacesWhatIsNoCharacter) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(escaped("\x1b[1m"), bad + "[1m");
  EXPECT_EQ(escaped("\xff"), bad);
  EXPECT_EQ(escaped("\xc0\xaf"), bad + bad) << "overlong /";
  EXPECT_EQ(escaped("\xed\xa0\x80"), bad + bad + bad) << "half of a surrogate pair";
  EXPECT_EQ(escaped("\xef\xbf\xbe"), bad + bad + bad) << "U+FFFE";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), bad + bad + bad + bad) << "above U+10FFFF";
  EXPECT_EQ(escaped("\xe2\x82"), bad + bad) << "ends too early";
}

TEST(Html, AttributesAndContentsAreEscaped) {
  const Html link =
      element("a", {{"href", "\"onclick=\"x"}}, text("</a><script>alert(1)</script>"));
  EXPECT_EQ(
      link.markup(),
      "<a href=\"&quot;onclick=&quot;x\">&lt;/a&gt;&lt;script&gt;alert(1)&lt;/script&gt;</a>");
  EXPECT_EQ(element("br", {}).markup(), "<br/>");
}

TEST(Html, TablesHaveHeadingsWithScope) {
  const Table table{.caption = "a < b",
                    .columns = {{"name"}, {"value", Table::Kind::kNumber, "in m"}},
                    .rows = {{text("x<"), number(1.5)}}};
  const auto markup = html(table).markup();
  EXPECT_THAT(markup, HasSubstr("<caption>a &lt; b</caption>"));
  EXPECT_THAT(markup, HasSubstr("<th scope=\"col\" class=\"n\" title=\"in m\">value</th>"));
  EXPECT_THAT(markup,
              HasSubstr("<th scope=\"row\">x&lt;</th><td class=\"n\"><data value=\"1.5\">1.5"
                        "</data></td>"));
}

TEST(Html, SentencesInTablesMayBeBroken) {
  const Table table{.caption = "",
                    .columns = {{"name"}, {"why", Table::Kind::kWords}},
                    .rows = {{text("x"), text("a long story")}}};
  EXPECT_THAT(html(table).markup(), HasSubstr("<td class=\"w\">a long story</td>"));
}

TEST(Html, APageCannotReachTheNetwork) {
  const auto markup = page("t & u", element("p", "hello"));
  EXPECT_THAT(markup,
              HasSubstr("content=\"default-src 'none'; script-src 'unsafe-inline'; style-src "
                        "'unsafe-inline'; img-src data: blob:"));
  EXPECT_THAT(markup, HasSubstr("<title>t &amp; u</title>"));
  EXPECT_THAT(markup, Not(HasSubstr("url(")));
}

TEST(ReportNumbers, AreRoundedToTheSecondDigitOfTheirDeviation) {
  EXPECT_EQ(rounded_like(395.47512, 10.639), "395");
  EXPECT_EQ(rounded_like(0.123456, 0.0042), "0.1235");
  EXPECT_EQ(rounded_like(0.123456, 0.0996), "0.12");
  EXPECT_EQ(rounded_like(-1e-9, 0.5), "0");
  EXPECT_EQ(rounded_like(1.23456e-9, 2e-12), "1.2346e-09");
  EXPECT_EQ(rounded_like(1.23456e12, 2e10), "1.235e+12");
  EXPECT_EQ(rounded_like(2.5, std::nan("")), "2.5");
  EXPECT_EQ(rounded_like(1 / 3.0, 0), "0.333333");
}

TEST(ReportNumbers, ThatAreNotFiniteAreSigns) {
  EXPECT_EQ(rounded(std::nan("")), "–");
  EXPECT_EQ(rounded(-INFINITY), "-∞");
  EXPECT_EQ(rounded(-0.0), "0");
}

TEST(ReportNumbers, OfEverydaySizeHaveNoExponent) {
  EXPECT_EQ(rounded(300, 2), "300");
  EXPECT_EQ(rounded(-6149, 2), "-6100");
  EXPECT_EQ(rounded(999'999, 3), "1e+06");
  EXPECT_EQ(rounded(1.3e7, 2), "1.3e+07");
  EXPECT_EQ(rounded(1.8e-314, 2), "1.8e-314");
  EXPECT_EQ(rounded(1.79e308, 1), "2e+308");
}

TEST(ReportTable, ThatIsLongScrollsInABoxOfItsOwn) {
  Table table{.columns = {{"a"}}};
  table.rows.assign(30, {text("1")});
  EXPECT_THAT(html(table).markup(), testing::HasSubstr("<div class=\"scroll\" tabindex"));
  table.rows.push_back({text("1")});
  EXPECT_THAT(html(table).markup(), testing::HasSubstr("<div class=\"scroll long\" tabindex"));
}

TEST(ReportNumbers, KeepTheirValueInTheMarkup) {
  EXPECT_EQ(number(0.1 + 0.2, 3).markup(), "<data value=\"0.30000000000000004\">0.3</data>");
  EXPECT_EQ(number(INFINITY).markup(), "∞");
}

TEST(ReportNumbers, AreSetWithExponentsOnAxes) {
  EXPECT_EQ(typeset("-2.5e-05"), "−2.5·10⁻⁵");
  EXPECT_EQ(typeset("1e+12"), "10¹²");
  EXPECT_EQ(typeset("3"), "3");
}

}  // namespace
}  // namespace parfait::report
