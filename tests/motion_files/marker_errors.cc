// Distances between the markers of a model and measured ones for given motions (forward kinematics
// only): RMS over all visible samples of markers that model and data both have.
//
//   marker_errors MODEL.osim MOTION.mot MARKERS.trc [--reverse]
//
// --reverse reads polynomials with the lowest power first, as AddBiomechanics did in 2022.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/motion_files/coordinate_motion.h"
#include "parfait/io/motion_files/marker_errors.h"
#include "parfait/io/motion_files/trc.h"

int main(int argc, char** argv) {
  using namespace parfait;  // NOLINT(google-build-using-namespace): a program of one file
  if (argc < 4) {
    fmt::print("marker_errors MODEL.osim MOTION.mot MARKERS.trc [--reverse]\n");
    return 2;
  }
  try {
    auto description = io::read_osim(std::filesystem::path(argv[1]));
    if (argc > 4 && std::string(argv[4]) == "--reverse") {
      for (auto& joint : description.joints) {
        for (auto& axis : joint.motion.axes) {
          auto& f = axis.function;
          if (f.kind != mechanism::CoordinateFunction::Kind::kPolynomial) continue;
          std::reverse(f.constants.begin(), f.constants.end());
        }
      }
    }
    const tree::MechanismTree mechanism(description, tree::MechanismTree::Locked::kFree);
    const auto motion = io::coordinate_motion(mechanism, io::read_storage(argv[2]));
    const auto trial = io::read_trc(argv[3]);
    const auto errors = io::marker_errors(description, mechanism, motion, trial);
    fmt::print("{} markers x {} frames ({} missing), RMS {:.4f} mm, max {:.4f} mm\n",
               errors.markers.size(), errors.num_frames, errors.num_missing, 1e3 * errors.rms,
               1e3 * errors.largest);
  } catch (const base::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
