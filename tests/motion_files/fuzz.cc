// Millions of motion files with mistakes: none may crash, hang, or be read outside of its bytes.
//
//   motion_files_fuzz COUNT FILE...     COUNT mutations of each file, seeds 0 ... COUNT - 1
//
// Prints for each file how many were read, how many refused, and how long the slowest took. A crash
// prints nothing more; then the seed that was told last is near, and a build with sanitizers says
// where.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/c3d.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/motion_files/test_mutation.h"
#include "parfait/io/motion_files/trc.h"

namespace {

using namespace parfait;  // NOLINT(google-build-using-namespace): a program of one file

void read_as(io::MotionKind kind, const std::string& text) {
  switch (kind) {
    case io::MotionKind::kC3d: {
      const auto file = io::read_c3d_bytes(
          {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "m");
      if (file.trial.num_frames == 0) std::abort();
      break;
    }
    case io::MotionKind::kTrc:
      io::read_trc_text(text, "m");
      break;
    case io::MotionKind::kStorage:
      io::read_storage_text(text, "m");
      break;
    case io::MotionKind::kBvh:
      io::bvh_trial(io::read_bvh_text(text, "m"));
      break;
    case io::MotionKind::kMeshup:
      io::read_meshup_text(text, "m");
      break;
    case io::MotionKind::kMeshupForces:
      io::read_meshup_forces_text(text, "m");
      break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  if (count < 1 || argc < 3) {
    fmt::print(stderr, "motion_files_fuzz COUNT FILE...\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const auto kind = io::motion_kind(argv[i]);
    const io::FileBytes bytes(argv[i]);
    const std::string file(bytes.bytes().begin(), bytes.bytes().end());
    const std::size_t head = kind == io::MotionKind::kC3d ? 6000 : 1000;
    long read = 0;
    double slowest = 0;
    for (long seed = 0; seed < count; ++seed) {
      const std::string changed = io::mutated(file, static_cast<std::uint64_t>(seed), head);
      const std::clock_t begin = std::clock();  // time of the processor: others may be at work
      try {
        read_as(kind, changed);
        ++read;
      } catch (const base::InputError&) {
      }
      slowest = std::max(slowest, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      if ((seed + 1) % 100000 == 0) fmt::print(stderr, "{} {}\n", argv[i], seed + 1);
    }
    fmt::print("{}: {} of {} read, {} refused, the slowest took {:.1f} ms\n",
               std::filesystem::path(argv[i]).filename().string(), read, count, count - read,
               1e3 * slowest);
  }
}
