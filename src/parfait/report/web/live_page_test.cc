#include "parfait/report/web/live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <pugixml.hpp>
#include <regex>

#include "parfait/report/drawing/plot_data.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/web/bundle.h"
#include "parfait/report/web/gzip.h"
#include "parfait/report/web/web_data.h"

namespace parfait::report::live_page_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</script><script>alert('1')</script>\"&<i>";

result::Scenes swinging(int bodies, int times) {
  result::Scenes scenes;
  auto& scene = scenes.scenes.emplace_back();
  scene.model = kHostile;
  for (int b = 0; b < bodies; ++b) scene.bodies.push_back({kHostile, 1, {0, 0, 0}, {}});
  auto& motion = scenes.motions.emplace_back();
  motion.experiment = kHostile;
  for (int i = 0; i < times; ++i) {
    motion.t.push_back(0.01 * i);
    for (int b = 0; b < bodies; ++b) {
      const float a = 0.05F * static_cast<float>(i) + static_cast<float>(b);
      const float c = std::cos(a), s = std::sin(a);
      for (const float x : {3 * c, 0.5F, -2 * s, c, 0.F, -s, 0.F, 1.F, 0.F, s, 0.F, c}) {
        motion.frames.push_back(x);
      }
    }
  }
  return scenes;
}

Plot hostile_plot() {
  return {.name = "fit",
          .title = kHostile,
          .text = kHostile,
          .x = {.label = "t", .unit = kHostile},
          .layers = {Line{{0, 1, 2}, {1, std::nan(""), 3}}, Note{1, 1, kHostile}}};
}

std::string inflated(const std::string& bytes) {
  std::string out(100 * bytes.size() + 1000, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, GivesBackWhatItGotAndKnowsNoTime) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(i * i % 251);
  const auto packed = gzip(bytes);
  EXPECT_EQ(inflated(packed), bytes);
  EXPECT_EQ(packed.substr(4, 4), std::string(4, '\0'));  // the time of the header
  EXPECT_EQ(packed, gzip(bytes));
}

/// The examples of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

/// Unpacked as web/src/data.ts does it, every number is there to half a step.
TEST(WebData, FramesAreKeptToHalfAStep) {
  const int bodies = 3, times = 400;
  const auto scenes = swinging(bodies, times);
  const auto block = web_data({}, scenes);
  ASSERT_EQ(block.substr(0, 4), "PF1\n");
  std::uint32_t length = 0;
  std::memcpy(&length, block.data() + 4, 4);
  const std::string json = block.substr(8, length), arrays = block.substr(8 + length);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      json, found,
      std::regex(
          R"re("frames":\{"at":(\d+),"n":(\d+),"middle":\[([^\]]*)\],"step":\[([^\]]*)\])re")));
  const auto list = [](const std::string& text) {
    std::vector<double> out;
    std::stringstream in(text);
    for (std::string word; std::getline(in, word, ',');) out.push_back(std::stod(word));
    return out;
  };
  const auto middle = list(found[3]), step = list(found[4]);
  const std::size_t n = std::stoul(found[2]);
  ASSERT_EQ(n, scenes.motions[0].frames.size());
  double worst = 0;
  for (std::size_t c = 0; c < 12 * bodies; ++c) {
    const std::size_t kind = std::min<std::size_t>(c % 12, 3);
    std::int16_t q = 0;
    for (std::size_t i = 0; i < times; ++i) {
      const std::size_t k = c * times + i;
      q = static_cast<std::int16_t>(q + static_cast<unsigned char>(arrays[k]) +
                                    256 * static_cast<unsigned char>(arrays[n + k]));
      const double value = middle[kind] + step[kind] * q;
      const double error = std::abs(value - scenes.motions[0].frames[i * 12 * bodies + c]);
      EXPECT_LE(error, 0.51 * step[kind] + 1e-6) << c << " " << i;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(worst, 1e-7);                   // something was rounded
  EXPECT_NEAR(step[0], 6.0 / 65534, 1e-7);  // the origins move over 6 m
}

TEST(WebData, OfSmoothMotionIsSmall) {
  // 13 bodies, 501 frames: 312 kB as float32.
  EXPECT_LT(gzip(web_data({}, swinging(13, 501))).size(), 60000U);
}

TEST(LivePage, IsWellFormedAndHostileTextStaysText) {
  Frame frame("title", {});
  frame.add("fit", "Fit", plots(figure(hostile_plot())));
  const auto scenes = swinging(2, 10);
  for (const auto liveness : {Liveness::kStatic, Liveness::kLive}) {
    frame.add("motion", "Motion", motion_block(scenes, liveness));
    const auto page = finished(frame.page(), scenes, liveness);
    pugi::xml_document document;
    EXPECT_TRUE(document.load_buffer(page.data(), page.size(), pugi::parse_full));
    EXPECT_THAT(page, Not(HasSubstr("alert('1')</script>")));
    EXPECT_THAT(page, Not(HasSubstr(std::string(kPlotDataBegin))));
    const bool live = liveness == Liveness::kLive && !web_bundle().empty();
    EXPECT_EQ(page.find("<script") != std::string::npos, live);
    EXPECT_EQ(page, finished(frame.page(), scenes, liveness));
  }
}

TEST(LivePage, NumbersOfPicturesAreJsonWithoutMarkup) {
  const auto data = plot_data(hostile_plot());
  EXPECT_THAT(data, Not(HasSubstr("<")));
  EXPECT_THAT(data, Not(HasSubstr("&")));
  EXPECT_THAT(data, HasSubstr(R"("y":[1,null,3])"));
}

TEST(LivePage, LongCurvesKeepTheirExtremes) {
  Line line;
  for (int i = 0; i < 100000; ++i) {
    line.x.push_back(i);
    line.y.push_back(i == 54321 ? 7.25 : i == 60000 ? -7.75 : std::sin(i));
  }
  const auto data = plot_data({.name = "n", .title = "", .text = "", .layers = {line}});
  EXPECT_LT(data.size(), 60000U);
  EXPECT_THAT(data, HasSubstr("7.25"));
  EXPECT_THAT(data, HasSubstr("-7.75"));
}

TEST(LivePage, WithoutAScriptSaysWhatIsMissing) {
  const auto block = motion_block(swinging(2, 10), Liveness::kLive).markup();
  if (web_bundle().empty()) {
    EXPECT_THAT(block, HasSubstr("without the web part"));
    EXPECT_THAT(block, HasSubstr("motion.npy"));
  } else {
    EXPECT_EQ(why_no_bundle(), "");
    EXPECT_EQ(web_bundle().substr(0, 2), "\x1f\x8b");
  }
  EXPECT_TRUE(motion_block({}, Liveness::kLive).empty());
}

}  // namespace
}  // namespace parfait::report::live_page_test
