#include "parfait/io/motion_files/c3d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/test_c3d_bytes.h"

namespace parfait::io {
namespace {

std::string motion_data(const std::string& name) {
  return PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name;
}

C3dFile c3d_of(const std::string& bytes) {
  return read_c3d_bytes(as_bytes(bytes), "test.c3d");
}

std::string all_warnings(const Trial& trial) {
  std::string out;
  for (const auto& warning : trial.warnings) out += warning.text() + "\n";
  return out;
}

/// Three markers, one of them missing in frame 1, two channels of four samples, in any encoding.
C3dBuilder small_trial(Processor processor = Processor::kIntel, bool is_float = true) {
  C3dBuilder c3d(processor, is_float);
  c3d.num_points = 3;
  c3d.analog_per_frame = 8;
  c3d.samples = 4;
  c3d.first = 11;
  c3d.last = 15;
  c3d.group(1, "POINT");
  c3d.integers(1, "USED", {}, {3});
  c3d.integers(1, "FRAMES", {}, {5});
  c3d.reals(1, "SCALE", {}, {is_float ? -0.25 : 0.25});
  c3d.reals(1, "RATE", {}, {100});
  c3d.texts(1, "LABELS", {"HEAD", "KNEE", "TOE"});
  c3d.texts(1, "UNITS", {"mm"});
  c3d.texts(1, "Y_SCREEN", {"+Z"});
  c3d.group(2, "ANALOG");
  c3d.integers(2, "USED", {}, {2});
  c3d.texts(2, "LABELS", {"EMG1", "EMG2"});
  c3d.reals(2, "GEN_SCALE", {}, {0.5});
  c3d.reals(2, "SCALE", {2}, {2, -4});
  c3d.integers(2, "OFFSET", {2}, {100, -7});
  c3d.reals(2, "RATE", {}, {400});
  for (int f = 0; f < 5; ++f) {
    c3d.point(10 + f, -20, 7000, 0x0503);
    c3d.point(4 * f, 200, 2000, f == 1 ? -1 : 0x7F00);
    c3d.point(f, 1, 40 - f, 2);
    for (int s = 0; s < 4; ++s) {
      c3d.number(100 + 10 * f + s);
      c3d.number(-7 - s);
    }
  }
  return c3d;
}

void expect_small_trial(const Trial& trial) {
  ASSERT_EQ(trial.num_frames, 5U);
  EXPECT_EQ(trial.first_frame, 11);
  EXPECT_EQ(trial.rate, 100);
  EXPECT_DOUBLE_EQ(trial.start_time, 0.1);  // frame 11 on a clock that is 0 at frame 1
  ASSERT_EQ(trial.markers.size(), 3U);
  EXPECT_EQ(trial.markers.points[1].name, "KNEE");
  EXPECT_EQ(trial.length_unit, "mm");
  EXPECT_EQ(trial.up.name(), "+z");
  for (std::size_t f = 0; f < 5; ++f) {
    const double* x = trial.markers.at(f, 0);
    EXPECT_EQ(x[0], 0.25 * (10 + static_cast<double>(f)));
    EXPECT_EQ(x[1], -5);
    EXPECT_EQ(x[2], 1750);
    EXPECT_EQ(trial.markers.residuals[trial.markers.index(f, 0)], 0.75F);
    EXPECT_EQ(trial.markers.cameras[trial.markers.index(f, 0)], 5);
    EXPECT_EQ(trial.markers.is_missing(f, 1), f == 1);
    EXPECT_EQ(trial.markers.cameras[trial.markers.index(f, 1)], f == 1 ? 0 : 0x7F);
  }
  ASSERT_EQ(trial.analog.size(), 2U);
  EXPECT_EQ(trial.analog_rate, 400);
  ASSERT_EQ(trial.num_samples(), 20U);
  EXPECT_EQ(trial.analog[0].values[7], 13);  // (113 - 100) 2 0.5
  EXPECT_EQ(trial.analog[1].values[6], 4);   // (-9 + 7) (-4) 0.5
}

TEST(C3d, AllSixEncodingsOfATrialReadTheSame) {
  for (const Processor processor : {Processor::kIntel, Processor::kDec, Processor::kMips}) {
    for (const bool is_float : {true, false}) {
      const C3dFile file = c3d_of(small_trial(processor, is_float).bytes());
      SCOPED_TRACE(file.trial.format);
      expect_small_trial(file.trial);
      EXPECT_EQ(file.processor, processor);
      EXPECT_EQ(file.is_float, is_float);
      EXPECT_EQ(all_warnings(file.trial), "");
    }
  }
}

TEST(C3d, FloatsOfTheVaxCoverItsWholeRange) {
  EXPECT_EQ(vax_float(0x80, 0x40, 0, 0), 1.0F);  // VAX: sign 0, exponent 129
  EXPECT_EQ(vax_float(0x80, 0xC0, 0, 0), -1.0F);
  EXPECT_EQ(vax_float(0x00, 0x00, 0x12, 0x34), 0.0F);  // exponent 0
  EXPECT_EQ(vax_float(0x80, 0x7F, 0, 0),
            std::ldexp(1.0F, 126));  // the largest exponent, which IEEE would read as infinity
  EXPECT_EQ(vax_float(0x80, 0x00, 0, 0),
            std::ldexp(1.0F, -128));  // the smallest: not normal in IEEE
}

/// Facts about real files, as an independent decoder found them.
struct RealFile {
  const char* name;
  const char* format;
  std::size_t points, frames;
  std::int64_t first;
  double rate;
  std::size_t channels;
  double analog_rate;
  std::size_t plates, events;
  double gaps;  ///< per cent of point samples, rounded
  std::size_t warnings;
};

const RealFile kRealFiles[] = {
    {"MyCube.c3d", "C3D, Intel, float", 14, 1, 1, 50, 0, 0, 0, 0, 0, 0},
    {"Analysis.c3d", "C3D, DEC, float", 24, 101, 1, 100, 16, 100, 0, 6, 0, 1},
    {"badParameterOffset.c3d", "C3D, Intel, float", 41, 111, 1, 250, 0, 0, 0, 0, 5, 3},
    {"type2.c3d", "C3D, DEC, 16-bit integer", 13, 199, 1, 60, 6, 1200, 1, 0, 25, 2},
    {"type4.c3d", "C3D, DEC, 16-bit integer", 13, 199, 1, 60, 6, 1200, 1, 0, 25, 2},
    {"type1_standing.c3d", "C3D, Intel, float", 38, 200, 1, 100, 6, 100, 1, 0, 16, 4},
    {"type3.c3d", "C3D, Intel, float", 24, 512, 1, 200, 16, 400, 1, 0, 1, 0},
    {"MACsample.c3d", "C3D, MIPS, 16-bit integer", 33, 180, 1, 60, 16, 1020, 1, 0, 60, 8},
    {"upside_down.c3d", "C3D, Intel, float", 37, 48, 1, 240, 24, 1200, 4, 0, 0, 4},
    {"gaitDataPlanar.c3d", "C3D, Intel, float", 38, 74, 1, 50, 0, 0, 0, 0, 0, 1},
};

TEST(C3d, RealFilesHaveTheContentsTheyAreKnownFor) {
  for (const RealFile& known : kRealFiles) {
    SCOPED_TRACE(known.name);
    const Trial trial = read_c3d(motion_data(known.name)).trial;
    EXPECT_EQ(trial.format, known.format);
    EXPECT_EQ(trial.markers.size() + trial.outputs.size(), known.points);
    EXPECT_EQ(trial.num_frames, known.frames);
    EXPECT_EQ(trial.first_frame, known.first);
    EXPECT_EQ(trial.rate, known.rate);
    EXPECT_EQ(trial.analog.size(), known.channels);
    EXPECT_EQ(trial.analog_rate, known.analog_rate);
    EXPECT_EQ(trial.plates.size(), known.plates);
    EXPECT_EQ(trial.events.size(), known.events);
    const double missing =
        static_cast<double>(trial.markers.num_missing() + trial.outputs.num_missing());
    EXPECT_EQ(std::round(100 * missing / static_cast<double>(known.points * known.frames)),
              known.gaps);
    EXPECT_EQ(trial.warnings.size(), known.warnings) << all_warnings(trial);
    for (const auto& warning : trial.warnings) EXPECT_GE(warning.byte, 0) << warning.message;
  }
}

TEST(C3d, OfTwoScalesTheOneThatGivesAHumanSizeIsTaken) {
  const Trial trial = read_c3d(motion_data("MACsample.c3d")).trial;
  double low = 1e9, high = -1e9;
  for (std::size_t i = 2; i < trial.markers.xyz.size(); i += 3) {
    if (std::isnan(trial.markers.xyz[i])) continue;
    low = std::min(low, trial.markers.xyz[i]);
    high = std::max(high, trial.markers.xyz[i]);
  }
  EXPECT_NEAR(high - low, 1475, 1);  // from toes to shoulders; by POINT:SCALE it would be 577 mm
}

TEST(C3d, ResultsOfModelsAreNoMarkers) {
  const Trial trial = read_c3d(motion_data("Analysis.c3d")).trial;
  EXPECT_EQ(trial.markers.size(), 0U);
  ASSERT_GE(trial.outputs.find("LHipAngles"), 0);
  EXPECT_EQ(trial.outputs.points[static_cast<std::size_t>(trial.outputs.find("LHipAngles"))].kind,
            PointKind::kAngle);

  C3dBuilder c3d = small_trial();
  c3d.texts(1, "MOMENTS", {"KNEE"});
  c3d.texts(1, "MOMENT_UNITS", {"Nmm"});
  c3d.texts(1, "TYPE_GROUPS", {"TILTS", "TILT"});
  c3d.texts(1, "TILTS", {"TOE"});
  const Trial made = c3d_of(c3d.bytes()).trial;
  ASSERT_EQ(made.markers.size(), 1U);
  ASSERT_EQ(made.outputs.size(), 2U);
  EXPECT_EQ(made.outputs.points[0].kind, PointKind::kMoment);
  EXPECT_EQ(made.outputs.points[0].unit, "Nmm");
  EXPECT_EQ(made.outputs.points[1].kind, PointKind::kModeled);
  EXPECT_EQ(made.outputs.at(0, 0)[2], 500);
}

TEST(C3d, MoreThan255LabelsGoOnInLabels2) {
  C3dBuilder c3d;
  c3d.num_points = 300;
  c3d.group(1, "POINT");
  c3d.integers(1, "USED", {}, {300});
  std::vector<std::string> first, second;
  for (int i = 0; i < 255; ++i) first.push_back("P" + std::to_string(i));
  for (int i = 255; i < 300; ++i) second.push_back("P" + std::to_string(i));
  c3d.texts(1, "LABELS", first);
  c3d.texts(1, "LABELS2", second);
  c3d.texts(1, "UNITS", {"mm"});
  for (int i = 0; i < 300; ++i) c3d.point(i, i, 4 * i + 1);
  const C3dFile file = c3d_of(c3d.bytes());
  ASSERT_EQ(file.trial.markers.size(), 300U);
  EXPECT_EQ(file.trial.markers.points[299].name, "P299");
  EXPECT_EQ(file.trial.markers.at(0, 299)[0], 299 * 0.25);
  EXPECT_EQ(all_warnings(file.trial), "");
  // And back: 300 labels need two lists, 300 channels two lists of scales.
  C3dFile more = file;
  for (int i = 0; i < 300; ++i) {
    more.trial.analog.push_back({"c" + std::to_string(i), "", "", "V", {static_cast<double>(i)}});
    more.trial.events.push_back({0.1 * i, "event " + std::to_string(i), "Left", "", ""});
  }
  more.trial.analog_rate = more.trial.rate;
  const C3dFile again = c3d_of(c3d_bytes(more));
  ASSERT_EQ(again.trial.analog.size(), 300U) << all_warnings(again.trial);
  EXPECT_EQ(again.trial.analog[299].name, "c299");
  EXPECT_EQ(again.trial.analog[299].values[0], 299);
  ASSERT_EQ(again.trial.events.size(), 300U);
  EXPECT_EQ(again.trial.events[299].label, "event 299");
  EXPECT_NEAR(again.trial.events[299].time, 29.9, 1e-5);
  EXPECT_EQ(again.trial.markers.points[299].name, "P299");
  EXPECT_EQ(all_warnings(again.trial), "");
}

/// A file of one point and `held` frames.
C3dBuilder many_frames(int held) {
  C3dBuilder c3d(Processor::kIntel, false);
  c3d.num_points = 1;
  c3d.group(1, "POINT");
  c3d.group(2, "TRIAL");
  c3d.group(3, "ROTATION");
  c3d.integers(1, "USED", {}, {1});
  c3d.texts(1, "LABELS", {"A"});
  c3d.texts(1, "UNITS", {"mm"});
  for (int f = 0; f < held; ++f) c3d.point(f & 0x7FFF, 1, 2);
  return c3d;
}

TEST(C3d, FramesAreCountedByWhatIsTrustedMost) {
  const int held = 70010;
  const auto frames = [](const C3dBuilder& c3d) { return c3d_of(c3d.bytes()).trial.num_frames; };
  C3dBuilder by_trial = many_frames(held);
  by_trial.last = 65535;
  by_trial.integers(1, "FRAMES", {}, {-1});
  by_trial.integers(2, "ACTUAL_START_FIELD", {2}, {3, 0});
  by_trial.integers(2, "ACTUAL_END_FIELD", {2}, {70002 - 65536, 1});
  EXPECT_EQ(frames(by_trial), 70000U);
  EXPECT_EQ(c3d_of(by_trial.bytes()).trial.first_frame, 3);
  EXPECT_EQ(all_warnings(c3d_of(by_trial.bytes()).trial), "");

  C3dBuilder by_long = many_frames(held);
  by_long.last = 65535;
  by_long.integers(1, "FRAMES", {}, {-1});
  by_long.reals(1, "LONG_FRAMES", {}, {70001});
  EXPECT_EQ(frames(by_long), 70001U);

  C3dBuilder unsigned_frames = many_frames(held);
  unsigned_frames.last = 40000;
  unsigned_frames.integers(1, "FRAMES", {}, {40000 - 65536});
  EXPECT_EQ(frames(unsigned_frames), 40000U);
  EXPECT_EQ(all_warnings(c3d_of(unsigned_frames.bytes()).trial), "");

  C3dBuilder float_frames = many_frames(held);
  float_frames.last = 1000;
  float_frames.reals(1, "FRAMES", {}, {1000});
  EXPECT_EQ(frames(float_frames), 1000U);

  // Nothing says it: the file's length does, but not beyond where rotations begin.
  C3dBuilder by_length = many_frames(held);
  by_length.last = 65535;
  EXPECT_EQ(frames(by_length), static_cast<std::size_t>(held));
  by_length.integers(3, "DATA_START", {}, {4 + 10});
  by_length.data_block = 4;
  EXPECT_EQ(frames(by_length), 10 * 512 / 8U);

  C3dBuilder cut = many_frames(20);
  cut.last = 30;
  cut.integers(1, "FRAMES", {}, {30});
  EXPECT_EQ(frames(cut), 20U);
  EXPECT_NE(all_warnings(c3d_of(cut.bytes()).trial).find("the file ends after 20 of 30 frames"),
            std::string::npos);
}

TEST(C3d, LongTrialsAreWrittenWithCountsThatFit) {
  C3dFile file = c3d_of(many_frames(70010).bytes());
  file.trial.first_frame = 5;
  ASSERT_EQ(file.trial.num_frames, 1U);  // the header says so; make it long by hand
  file.trial.num_frames = 70010;
  file.trial.markers.resize(70010);
  for (std::size_t f = 0; f < 70010; ++f) {
    for (std::size_t k = 0; k < 3; ++k)
      file.trial.markers.xyz[3 * f + k] = static_cast<double>(f + k + 1);
  }
  const C3dFile again = c3d_of(c3d_bytes(file));
  EXPECT_EQ(again.trial.num_frames, 70010U);
  EXPECT_EQ(again.trial.first_frame, 5);
  EXPECT_EQ(again.trial.markers.at(70009, 0)[2], 70012);
  EXPECT_EQ(again.parameters.find("POINT", "LONG_FRAMES")->number(), 70010);
  EXPECT_EQ(all_warnings(again.trial), "");
}

TEST(C3d, EventsOfTheGroupAndOfOldHeaders) {
  C3dBuilder old = small_trial();
  old.word(old.events, 12345);
  old.word(old.events, 2);
  old.word(old.events, 0);
  old.real(old.events, 0.115);
  old.real(old.events, 0.13);
  old.events.resize(396 - 298, '\0');
  old.events += "RHS LTO ";
  const Trial trial = c3d_of(old.bytes()).trial;
  ASSERT_EQ(trial.events.size(), 2U);
  EXPECT_NEAR(trial.events[1].time, 0.13, 1e-7);
  EXPECT_EQ(trial.events[1].label, "LTO");

  C3dBuilder group = small_trial();
  group.group(3, "EVENT");
  group.integers(3, "USED", {}, {2});
  group.reals(3, "TIMES", {2, 2}, {0, 0.12, 1, 3.5});
  group.texts(3, "LABELS", {"Foot Strike", "Foot Off"});
  group.texts(3, "CONTEXTS", {"Left", "Right"});
  const Trial with_group = c3d_of(group.bytes()).trial;
  ASSERT_EQ(with_group.events.size(), 2U);
  EXPECT_DOUBLE_EQ(with_group.events[1].time, 63.5);
  EXPECT_EQ(with_group.events[1].context, "Right");
  EXPECT_EQ(all_warnings(with_group), "");
}

TEST(C3d, PrefixesGoWhereNamesStayDifferent) {
  const auto names = [](const std::vector<std::string>& labels) {
    C3dBuilder c3d;
    c3d.num_points = static_cast<int>(labels.size());
    c3d.group(1, "POINT");
    c3d.texts(1, "LABELS", labels);
    c3d.texts(1, "UNITS", {"mm"});
    for (std::size_t i = 0; i < labels.size(); ++i)
      c3d.point(1, 400, static_cast<int>(i) * 400 + 1);
    std::vector<std::string> out;
    for (const auto& point : c3d_of(c3d.bytes()).trial.markers.points) out.push_back(point.name);
    return out;
  };
  EXPECT_EQ(names({"Anna:LASI", "Anna:RASI"}), (std::vector<std::string>{"LASI", "RASI"}));
  EXPECT_EQ(names({"Anna:LASI", "Bert:LASI"}),
            (std::vector<std::string>{"Anna:LASI", "Bert:LASI"}));
  EXPECT_EQ(names({"A", "A", "", "A_2"}), (std::vector<std::string>{"A", "A_3", "*0003", "A_2"}));
}

/// A file with one thing odd about it, and what is told.
struct OddFile {
  const char* what;
  std::function<void(C3dBuilder&)> spoil;
  std::int64_t byte;  ///< -1: that of the last entry
  bool keeps_trial;   ///< everything else reads as ever
};

TEST(C3d, EveryOddityIsOneWarningWithItsByte) {
  const OddFile cases[] = {
      {"zero bytes stand before the header", [](C3dBuilder& c) { c.before = std::string(7, '\0'); },
       0, true},
      {"belongs to group 9, which has no name", [](C3dBuilder& c) { c.integers(9, "X", {}, {1}); },
       -1, true},
      {"has the number 1, which is that of POINT", [](C3dBuilder& c) { c.group(1, "OTHER"); }, -1,
       true},
      {"are there twice, POINT:RATE is the first",
       [](C3dBuilder& c) { c.reals(1, "RATE", {}, {3}); }, -1, true},
      {"has type 3",
       [](C3dBuilder& c) { c.entry(1, "ODD", std::string("\x03\x00\x00\x00\x00", 5), 0); }, -1,
       true},
      {"POINT:DATA_START leads to byte 512",
       [](C3dBuilder& c) { c.integers(1, "DATA_START", {}, {2}); }, -1, true},
      {"POINT:FRAMES says 5 frames, POINT:LONG_FRAMES says 9, which is believed",
       [](C3dBuilder& c) {
         c.reals(1, "LONG_FRAMES", {}, {9});
         c.behind = std::string(4000, '\1');
       },
       0, false},
      {"EVENT:USED is 1, but EVENT:TIMES is missing",
       [](C3dBuilder& c) {
         c.group(3, "EVENT");
         c.integers(3, "USED", {}, {1});
       },
       -1, true},
      {"the group FORCE_PLATFORM is spelt FORCE_PLATEFORM",
       [](C3dBuilder& c) {
         c.group(3, "FORCE_PLATEFORM");
         c.integers(3, "USED", {}, {0});
       },
       -1, true},
      {"USED is 2, but TYPE has 0 entries",
       [](C3dBuilder& c) {
         c.group(3, "FORCE_PLATFORM");
         c.integers(3, "USED", {}, {2});
       },
       -1, true},
      {"the header claims 40 events",
       [](C3dBuilder& c) {
         c.word(c.events, 12345);
         c.word(c.events, 40);
       },
       300, true},
  };
  for (const OddFile& odd : cases) {
    SCOPED_TRACE(odd.what);
    C3dBuilder c3d = small_trial();
    odd.spoil(c3d);
    const Trial trial = c3d_of(c3d.bytes()).trial;
    ASSERT_GE(trial.warnings.size(), 1U);
    EXPECT_NE(all_warnings(trial).find(odd.what), std::string::npos) << all_warnings(trial);
    if (odd.keeps_trial) {
      EXPECT_EQ(trial.warnings.size(), 1U) << all_warnings(trial);
      EXPECT_EQ(trial.warnings.front().byte, odd.byte == -1 ? c3d.byte_of_last() : odd.byte);
      expect_small_trial(trial);
    }
  }
}

TEST(C3d, MissingPositionsOfOtherProgramsAreToldOnce) {
  C3dBuilder c3d = small_trial();
  c3d.clear_data();
  for (int f = 0; f < 5; ++f) {
    c3d.point(1, 2, 7000);
    c3d.point(0, 0, 0, 0);                                               // zeros
    for (const double x : {1.0, std::nan(""), 2.0, 0.0}) c3d.number(x);  // no number
    for (int s = 0; s < 8; ++s) c3d.number(0);
  }
  const Trial trial = c3d_of(c3d.bytes()).trial;
  EXPECT_EQ(trial.markers.num_missing(), 10U);
  ASSERT_EQ(trial.warnings.size(), 2U) << all_warnings(trial);
  EXPECT_NE(trial.warnings[0].message.find("5 marker positions are exactly 0, 0, 0"),
            std::string::npos);
  EXPECT_NE(trial.warnings[1].message.find("5 positions are not numbers"), std::string::npos);
  EXPECT_EQ(trial.warnings[1].byte - trial.warnings[0].byte, 16);
}

TEST(C3d, HeightAndMassOfTheSubjectAreReadWhereAPersonCanHaveThem) {
  const auto subject_of = [](double height, double mass) {
    C3dBuilder c3d = small_trial();
    c3d.group(3, "PROCESSING");
    c3d.reals(3, "BODYMASS", {1}, {mass});
    c3d.reals(3, "HEIGHT", {1}, {height});
    return c3d_of(c3d.bytes()).trial.subject;
  };
  EXPECT_NEAR(subject_of(1505, 47.5).height, 1.505, 1e-6);  // mm
  EXPECT_NEAR(subject_of(1.505, 47.5).height, 1.505, 1e-6);
  EXPECT_EQ(subject_of(1505, 47.5).mass, 47.5);
  EXPECT_EQ(subject_of(0, 0).height, 0);
  EXPECT_EQ(subject_of(9000, 0).height, 0);
  EXPECT_EQ(subject_of(1505, 0).mass, 0);
  EXPECT_EQ(c3d_of(small_trial().bytes()).trial.subject.height, 0);
}

TEST(C3d, MissingIsAlsoAMinusOneThatLostItsSign) {
  // As Vicon Workstation wrote it: int16 -1 became the float 65535, and the place is 0, 0, 0.
  for (const double word : {65535.0, 65280.0, 32768.0}) {
    C3dBuilder c3d = small_trial();
    c3d.clear_data();
    for (int f = 0; f < 5; ++f) {
      c3d.point(1, 2, 7000);
      c3d.point(0, 0, 0, word);
      c3d.point(3, 4, 5, 32767);  // all seven cameras saw it
      for (int s = 0; s < 8; ++s) c3d.number(0);
    }
    const Trial trial = c3d_of(c3d.bytes()).trial;
    EXPECT_EQ(trial.markers.num_missing(), 5U);
    EXPECT_TRUE(trial.markers.is_missing(0, 1));
    EXPECT_EQ(trial.markers.cameras[trial.markers.index(0, 2)], 127);
    ASSERT_EQ(trial.warnings.size(), 1U) << all_warnings(trial);
    EXPECT_NE(trial.warnings[0].message.find("5 positions are marked as missing by a number"),
              std::string::npos);
  }
}

TEST(C3d, UnsignedAnalogNumbersAreReadAsSuch) {
  C3dBuilder c3d(Processor::kMips, false);
  c3d.analog_per_frame = 1;
  c3d.group(2, "ANALOG");
  c3d.integers(2, "USED", {}, {1});
  c3d.texts(2, "LABELS", {"A"});
  c3d.texts(2, "FORMAT", {"UNSIGNED"});
  c3d.integers(2, "BITS", {}, {16});
  c3d.reals(2, "SCALE", {1}, {2});
  c3d.integers(2, "OFFSET", {1}, {-32768});
  c3d.reals(2, "RATE", {}, {100});
  c3d.number(40000);
  const Trial trial = c3d_of(c3d.bytes()).trial;
  EXPECT_EQ(trial.analog[0].values[0], 2 * (40000 - 32768));
}

TEST(C3d, WrongOffsetsOfParametersAreFollowedByTheNextPlausibleOne) {
  const auto body_of_one = std::string("\x02\x00\x05\x00", 4);  // an integer
  for (const int skew : {5, -3, 3000}) {
    SCOPED_TRACE(skew);
    C3dBuilder c3d;
    c3d.num_points = 1;
    c3d.group(1, "POINT");
    c3d.entry(1, "FIVE", body_of_one, skew);
    c3d.texts(1, "LABELS", {"HIP"});
    c3d.texts(1, "UNITS", {"mm"});
    c3d.point(1, 2, 3);
    const C3dFile file = c3d_of(c3d.bytes());
    EXPECT_EQ(file.trial.markers.points[0].name, "HIP");
    ASSERT_EQ(file.trial.warnings.size(), 1U) << all_warnings(file.trial);
    EXPECT_EQ(file.trial.warnings[0].byte, c3d.byte_of_entry(1) + 6);
  }
}

TEST(C3d, ParametersBeyondTheirSectionAreReadToTheDataAndCutThere) {
  C3dBuilder c3d = small_trial();
  c3d.data_block = 5;
  std::string bytes = c3d.bytes();
  ASSERT_GT(bytes[512 + 2], 0);
  bytes[512 + 2] = 0;  // the number of blocks is not believed
  expect_small_trial(c3d_of(bytes).trial);
  C3dBuilder overflow = small_trial();
  std::string body{4, 2, static_cast<char>(200), 3};  // 600 floats, of which the section has fewer
  overflow.entry(1, "VALUES", body, 2400);
  overflow.data_block = 4;
  const C3dFile file = c3d_of(overflow.bytes());
  expect_small_trial(file.trial);
  EXPECT_NE(all_warnings(file.trial).find("VALUES reaches beyond the parameter section"),
            std::string::npos);
  EXPECT_LT(file.parameters.find("POINT", "VALUES")->size(), 600U);
}

TEST(C3d, OnlyFilesWithoutAnyFrameAreRefused) {
  const auto message = [](const std::string& bytes) {
    try {
      c3d_of(bytes);
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(""), "test.c3d: no frame can be decoded: 0 bytes are too few for a C3D file.");
  EXPECT_NE(message(std::string(5000, 'x')).find("this is no C3D file"), std::string::npos);
  C3dBuilder nothing;
  nothing.group(1, "POINT");
  nothing.behind = std::string(100, '\0');
  EXPECT_NE(message(nothing.bytes()).find("neither points nor analog channels"), std::string::npos);
  C3dBuilder cut = small_trial();
  cut.clear_data();
  cut.behind = "abc";
  EXPECT_NE(message(cut.bytes()).find("a frame needs 80 bytes, but only 3 follow"),
            std::string::npos);
  cut.behind = "";
  EXPECT_NE(message(cut.bytes()).find("the data begin at byte"), std::string::npos);
}

void expect_same_points(const PointSet& a, const PointSet& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.xyz.size(), b.xyz.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.points[i].name, b.points[i].name);
    EXPECT_EQ(a.points[i].kind, b.points[i].kind);
    EXPECT_EQ(a.points[i].column, b.points[i].column);
  }
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.xyz.size(); ++i)
    different += !(a.xyz[i] == b.xyz[i] || (std::isnan(a.xyz[i]) && std::isnan(b.xyz[i])));
  EXPECT_EQ(different, 0U);
  EXPECT_EQ(a.residuals, b.residuals);
  EXPECT_EQ(a.cameras, b.cameras);
}

TEST(C3d, ReadWriteReadGivesTheSameTrialAndKeepsParameters) {
  for (const RealFile& known : kRealFiles) {
    SCOPED_TRACE(known.name);
    const C3dFile file = read_c3d(motion_data(known.name));
    const std::string bytes = c3d_bytes(file);
    const C3dFile again = c3d_of(bytes);
    EXPECT_EQ(again.trial.format, "C3D, Intel, float");
    EXPECT_EQ(again.trial.num_frames, file.trial.num_frames);
    EXPECT_EQ(again.trial.first_frame, file.trial.first_frame);
    EXPECT_EQ(again.trial.rate, file.trial.rate);
    EXPECT_EQ(again.trial.analog_rate, file.trial.analog_rate);
    EXPECT_EQ(again.trial.metres_per_unit, file.trial.metres_per_unit);
    expect_same_points(file.trial.markers, again.trial.markers);
    expect_same_points(file.trial.outputs, again.trial.outputs);
    ASSERT_EQ(again.trial.analog.size(), file.trial.analog.size());
    for (std::size_t c = 0; c < file.trial.analog.size(); ++c) {
      EXPECT_EQ(again.trial.analog[c].name, file.trial.analog[c].name);
      EXPECT_TRUE(again.trial.analog[c].values == file.trial.analog[c].values);
    }
    ASSERT_EQ(again.trial.events.size(), file.trial.events.size());
    for (std::size_t i = 0; i < file.trial.events.size(); ++i) {
      EXPECT_NEAR(again.trial.events[i].time, file.trial.events[i].time, 1e-6);
      EXPECT_EQ(again.trial.events[i].label, file.trial.events[i].label);
    }
    for (std::size_t i = 0; i < file.trial.plates.size(); ++i) {
      EXPECT_TRUE(again.trial.plates[i].wrenches.moment == file.trial.plates[i].wrenches.moment);
    }
    // Only what says how and where data are stored changes, and what was cut or not a unit.
    for (const auto& parameter : file.parameters.all) {
      const std::string name = parameter.group + ":" + parameter.name;
      if (name == "POINT:SCALE" || name == "POINT:DATA_START" || name == "POINT:UNITS" ||
          name == "ANALOG:UNITS")
        continue;
      const C3dParameter* kept = again.parameters.find(parameter.group, parameter.name);
      ASSERT_TRUE(kept) << name;
      EXPECT_EQ(kept->data, parameter.data) << name;
      EXPECT_EQ(kept->dimensions, parameter.dimensions) << name;
      EXPECT_EQ(kept->description, parameter.description) << name;
      EXPECT_EQ(kept->locked, parameter.locked) << name;
    }
    EXPECT_EQ(c3d_bytes(again), bytes);
  }
}

TEST(C3d, ATrialWithoutParametersBecomesAWholeFile) {
  C3dFile file;
  Trial& trial = file.trial;
  trial.rate = 120;
  trial.first_frame = 61;
  trial.num_frames = 3;
  trial.length_unit = "mm";
  trial.metres_per_unit = 1e-3;
  for (int i = 0; i < 2; ++i) {
    PointLabel label;
    label.name = i == 0 ? "A" : "B angle";
    label.kind = i == 0 ? PointKind::kMarker : PointKind::kAngle;
    label.column = i;
    (i == 0 ? trial.markers : trial.outputs).points.push_back(label);
  }
  trial.markers.resize(3);
  trial.outputs.resize(3);
  for (std::size_t i = 0; i < 6; ++i)
    trial.markers.xyz[i] = 100.0 + static_cast<double>(i);  // the third frame is missing
  trial.outputs.xyz.assign(9, 0.5);
  trial.markers.residuals = {0, 0, -1};
  trial.outputs.residuals = {0, 0, 0};
  trial.analog.push_back({"EMG", "", "", "V", {1, 2, 3, 4, 5, 6}});
  trial.analog_rate = 240;
  trial.events.push_back({62.5, "Foot Strike", "Left", "S1", "heel"});
  ForcePlate plate;
  plate.type = 2;
  plate.corners = {Vec3{1, 1, 0}, Vec3{-1, 1, 0}, Vec3{-1, -1, 0}, Vec3{1, -1, 0}};
  plate.channels = {0, -1, -1, -1, -1, -1};
  trial.plates.push_back(plate);
  const Trial again = c3d_of(c3d_bytes(file)).trial;
  expect_same_points(trial.markers, again.markers);
  expect_same_points(trial.outputs, again.outputs);
  EXPECT_EQ(again.first_frame, 61);
  EXPECT_DOUBLE_EQ(again.start_time, 0.5);
  EXPECT_EQ(again.analog[0].values, trial.analog[0].values);
  EXPECT_EQ(again.analog[0].unit, "V");
  ASSERT_EQ(again.events.size(), 1U);
  EXPECT_NEAR(again.events[0].time, 62.5, 1e-5);
  EXPECT_EQ(again.events[0].description, "heel");
  ASSERT_EQ(again.plates.size(), 1U);
  EXPECT_EQ(again.plates[0].corners, plate.corners);
  EXPECT_EQ(again.plates[0].channels, plate.channels);
}

}  // namespace
}  // namespace parfait::io
