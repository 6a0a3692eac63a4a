// Moments at the joints of a walking person against those of OpenSim's own inverse dynamics.
//
//   bench_inverse_dynamics FOLDER
//
// FOLDER has subject01.osim, subject01_walk1_ik.mot, subject01_walk1_grf.{xml,mot} and
// std_subject01_InverseDynamics.sto (opensim-core, tests of its inverse dynamics tool, gait2354).
// Printed: root mean squares per column over 0.5 to 1.6 s, of which OpenSim's tests allow 2,
//   as `parfait id --filter 6` computes them: forces at their measured points, and
//   with the points fixed to the foot where it was before the motion was filtered.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "parfait/base/error.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/motion_files/coordinate_motion.h"
#include "parfait/io/motion_files/external_loads.h"
#include "parfait/motion/dynamics/inverse_dynamics.h"
#include "parfait/tree/algorithms/algorithms.h"

namespace {

using namespace parfait;  // NOLINT(google-build-using-namespace): a program
using math::Vec3;

/// A straight line between samples.
Vec3<double> at_time(const std::vector<double>& time, const std::vector<Vec3<double>>& values,
                     double t) {
  const auto after = std::upper_bound(time.begin(), time.end(), t);
  const auto i = std::clamp<std::ptrdiff_t>(after - time.begin(), 1,
                                            static_cast<std::ptrdiff_t>(time.size()) - 1);
  const double u = (t - time[i - 1]) / (time[i] - time[i - 1]);
  return (1 - u) * values[i - 1] + u * values[i];
}

/// The same loads at the times of the motion, their points in the frames of the bodies they act on,
/// as these were seen.
std::vector<motion::ExternalLoad> carried_by_bodies(const std::vector<motion::ExternalLoad>& loads,
                                                    const tree::MechanismTree& mechanism,
                                                    const io::CoordinateMotion& seen) {
  tree::Workspace ws(mechanism.tree());
  std::vector<motion::ExternalLoad> out;
  for (const auto& load : loads) {
    motion::ExternalLoad carried = load;
    carried.time.clear();
    carried.force.clear();
    carried.point.clear();
    carried.moment.clear();
    carried.point_in = load.body;
    for (std::size_t i = 0; i < seen.time.size(); ++i) {
      const double t = seen.time[i];
      if (t < load.time.front() || t > load.time.back()) continue;
      const auto frame =
          tree::body_frame(mechanism.tree(), seen.position(mechanism, i), load.body, ws);
      const auto r = at_time(load.time, load.point, t) - frame.p;
      carried.time.push_back(t);
      carried.force.push_back(at_time(load.time, load.force, t));
      carried.moment.push_back(at_time(load.time, load.moment, t));
      carried.point.push_back({dot(frame.R.x, r), dot(frame.R.y, r), dot(frame.R.z, r)});
    }
    out.push_back(std::move(carried));
  }
  return out;
}

struct Column {
  std::string name;
  double rms = 0;
};

std::vector<Column> compared(const motion::InverseDynamics& found,
                             const tree::MechanismTree& mechanism,
                             const io::MotionTable& reference) {
  std::vector<Column> out;
  for (const auto& c : mechanism.coordinates()) {
    if (c.v < 0) continue;
    for (const char* ending : {"_moment", "_force"}) {
      const auto column = std::ranges::find(reference.columns, c.id + ending);
      if (column == reference.columns.end()) continue;
      const auto& values = reference.values[column - reference.columns.begin()];
      double sum = 0;
      int count = 0;
      for (std::size_t i = 0; i < found.time.size(); ++i) {
        const auto row = std::ranges::find_if(
            reference.time, [&](double t) { return std::abs(t - found.time[i]) < 1e-6; });
        if (row == reference.time.end()) continue;
        const double d = found.tau[i][c.v] - values[row - reference.time.begin()];
        sum += d * d;
        ++count;
      }
      out.push_back({*column, std::sqrt(sum / count)});
    }
  }
  return out;
}

int run(const std::filesystem::path& folder) {
  const auto description = io::read_osim(folder / "subject01.osim");
  const tree::MechanismTree mechanism(description, tree::MechanismTree::Locked::kFree);
  const auto seen =
      io::coordinate_motion(mechanism, io::read_storage(folder / "subject01_walk1_ik.mot"));
  const auto file = io::read_external_loads(folder / "subject01_walk1_grf.xml");
  const auto loads = io::external_loads(file, io::read_storage(folder / "subject01_walk1_grf.mot"),
                                        description, mechanism);
  const auto reference = io::read_storage(folder / "std_subject01_InverseDynamics.sto");
  const motion::InverseDynamicsOptions options{
      .filter = 6, .from = 0.5, .until = 1.6, .has_range = true};
  const auto moments = [&](const std::vector<motion::ExternalLoad>& acting) {
    return compared(motion::inverse_dynamics(mechanism, seen.time, seen.values, acting, options),
                    mechanism, reference);
  };
  const auto measured = moments(loads);
  const auto carried = moments(carried_by_bodies(loads, mechanism, seen));
  double worst[2] = {};
  fmt::print("{:<28}{:>14}{:>22}\n", "RMS, N m or N", "points fixed", "carried by the foot");
  for (std::size_t i = 0; i < measured.size(); ++i) {
    fmt::print("{:<28}{:>14.5f}{:>22.5f}\n", measured[i].name, measured[i].rms, carried[i].rms);
    worst[0] = std::max(worst[0], measured[i].rms);
    worst[1] = std::max(worst[1], carried[i].rms);
  }
  fmt::print("worst of {:<19}{:>14.5f}{:>22.5f}\n", measured.size(), worst[0], worst[1]);
  return worst[0] < 2 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw base::InputError("usage: bench_inverse_dynamics FOLDER");
    return run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
