// Random mechanisms in natural and in joint coordinates: accelerations and all other quantities at
// the same state, trajectories over one second, sensitivities.
//
//   compare_mechanisms [FIRST [LAST]]      seeds, 1 to 200

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "random_mechanisms.h"
#include "two_engines.h"

namespace parfait {
namespace {

/// Whether everything agrees; prints a line.
bool compare(unsigned seed) {
  const auto mechanism = testing_support::random_mechanism(seed);
  try {
    testing_support::TwoEngines engines(mechanism.description);
    const auto at = testing_support::largest_difference(
        engines, 0, engines.joints().initial_state(), !mechanism.has_redundancy);
    const auto moved = testing_support::compare_motion(mechanism.description, 1, true);
    const bool same = at.value < 1e-10 && moved.message.empty() &&
                      moved.motion < std::max(1e-9, 20 * moved.own) &&
                      moved.sensitivity < std::max(1e-8, 20 * moved.own_sensitivity) &&
                      moved.event_times < std::max(1e-8, 20 * moved.own);
    std::printf(
        "%4u %2d bodies %2d dof %s%s %2d events  state %.1e  motion %.1e (own %.1e)  "
        "sensitivity %.1e (own %.1e)%s%s\n",
        seed, static_cast<int>(mechanism.description.bodies.size()),
        engines.joints().degrees_of_freedom(), mechanism.has_loop ? "loop" : "tree",
        mechanism.has_redundancy ? "s" : " ", moved.num_events, at.value, moved.motion, moved.own,
        moved.sensitivity, moved.own_sensitivity, same ? "" : ("  DIFFERENT: " + at.name).c_str(),
        moved.message.c_str());
    return same;
  } catch (const std::exception& error) {
    std::printf("%4u refused: %s\n", seed, error.what());
    return false;
  }
}

}  // namespace
}  // namespace parfait

int main(int argc, char** argv) {
  const unsigned first = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const unsigned last = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : argc > 1 ? first : 200;
  int different = 0;
  for (unsigned seed = first; seed <= last; ++seed) different += parfait::compare(seed) ? 0 : 1;
  std::printf("%d of %u differ\n", different, last - first + 1);
  return different == 0 ? 0 : 1;
}
