#include <gtest/gtest.h>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/bvh.h"
#include "parfait/io/motion_files/c3d.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/motion_files/test_c3d_bytes.h"
#include "parfait/io/motion_files/test_mutation.h"
#include "parfait/io/motion_files/trc.h"

// Files with mistakes must be read or refused, never crash, hang or be read outside of their bytes;
// the last is seen by the sanitizers. tests/motion_files/fuzz.cc tries millions.
namespace parfait::io {
namespace {

std::string bytes_of(const std::string& name) {
  const FileBytes bytes(PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name);
  const auto view = bytes.bytes();
  return {view.begin(), view.end()};
}

/// How many of `count` mutations are still read.
template <class Read>
int still_read(const std::string& seed, int count, std::size_t head, Read read) {
  int good = 0;
  for (int i = 0; i < count; ++i) {
    try {
      read(mutated(seed, static_cast<std::uint64_t>(i), head));
      ++good;
    } catch (const base::InputError&) {
    }
  }
  return good;
}

std::string small_c3d_with_a_plate() {
  C3dBuilder c3d(Processor::kDec, false);
  c3d.num_points = 2;
  c3d.analog_per_frame = 12;
  c3d.samples = 2;
  c3d.last = 4;
  c3d.group(1, "POINT");
  c3d.integers(1, "USED", {}, {2});
  c3d.texts(1, "LABELS", {"A", "B"});
  c3d.texts(1, "UNITS", {"mm"});
  c3d.group(2, "ANALOG");
  c3d.integers(2, "USED", {}, {6});
  c3d.reals(2, "SCALE", {6}, {1, 1, 1, 1, 1, 1});
  c3d.group(3, "FORCE_PLATFORM");
  c3d.integers(3, "USED", {}, {1});
  c3d.integers(3, "TYPE", {1}, {4});
  c3d.reals(3, "CORNERS", {3, 4, 1}, {400, 600, 0, 0, 600, 0, 0, 0, 0, 400, 0, 0});
  c3d.reals(3, "ORIGIN", {3, 1}, {0, 0, -40});
  c3d.integers(3, "CHANNEL", {6, 1}, {1, 2, 3, 4, 5, 6});
  c3d.group(4, "EVENT");
  c3d.integers(4, "USED", {}, {1});
  c3d.reals(4, "TIMES", {2, 1}, {0, 0.1});
  c3d.texts(4, "LABELS", {"Foot Strike"});
  for (int f = 0; f < 4; ++f) {
    for (int p = 0; p < 2; ++p) c3d.point(f, p, 4000);
    for (int i = 0; i < 12; ++i) c3d.number(100 * i);
  }
  return c3d.bytes();
}

TEST(MutatedMotionFiles, C3dIsReadOrRefused) {
  const auto read = [](const std::string& bytes) {
    const C3dFile file = read_c3d_bytes(as_bytes(bytes), "mutated.c3d");
    ASSERT_GE(file.trial.num_frames, 1U);
    ASSERT_LE(file.trial.warnings.size(), WarningLog::kMost + 1);
  };
  const int cube = still_read(bytes_of("MyCube.c3d"), 5000, 1700, read);
  const int plate = still_read(small_c3d_with_a_plate(), 5000, 1500, read);
  EXPECT_GT(cube, 2500);  // most mistakes can be lived with
  EXPECT_GT(plate, 2500);
  EXPECT_LT(cube + plate, 10000);
}

TEST(MutatedMotionFiles, C3dThatIsReadCanBeWrittenAndReadAgain) {
  const int good = still_read(small_c3d_with_a_plate(), 2000, 1500, [](const std::string& bytes) {
    const C3dFile file = read_c3d_bytes(as_bytes(bytes), "mutated.c3d");
    const C3dFile again = read_c3d_bytes(as_bytes(c3d_bytes(file)), "again.c3d");
    EXPECT_EQ(again.trial.num_frames, file.trial.num_frames);
    EXPECT_EQ(again.trial.markers.size() + again.trial.outputs.size(),
              file.trial.markers.size() + file.trial.outputs.size());
  });
  EXPECT_GT(good, 1000);
}

TEST(MutatedMotionFiles, TextFilesAreReadOrRefused) {
  const std::size_t head = 700;
  EXPECT_GT(still_read(bytes_of("exampleFormat.trc"), 5000, head,
                       [](const std::string& text) { read_trc_text(text, "m.trc"); }),
            2000);
  EXPECT_GT(still_read(bytes_of("double_pendulum_states.sto"), 1500, head,
                       [](const std::string& text) { read_storage_text(text, "m.sto"); }),
            700);
  EXPECT_GT(still_read(bytes_of("walkanimation.csv"), 1500, head,
                       [](const std::string& text) { read_meshup_text(text, "m.csv"); }),
            700);
  const std::string arm =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Zrotation Yrotation\nEnd "
      "Site\n{\nOFFSET 1 0 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
      "0.1\n1 2 3\n4 5 6\n";
  EXPECT_GT(still_read(arm, 1500, head,
                       [](const std::string& text) { bvh_trial(read_bvh_text(text, "m.bvh")); }),
            100);
}

}  // namespace
}  // namespace parfait::io
