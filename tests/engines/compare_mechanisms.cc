// Random mechanisms in natural and in joint coordinates: accelerations and all other quantities at
// the same state, trajectories over one second, sensitivities.
//
//   compare_mechanisms [FIRST [LAST]]      seeds, 1 to 200

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "parfait/base/error.h"
#include "random_mechanisms.h"
#include "two_engines.h"

namespace parfait {
namespace {

enum class Answer { kSame, kDifferent, kRefused };

/// What an engine says to a mechanism; empty: it takes it.
template <class Build>
std::string refusal(const Build& build) {
  try {
    build();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Prints a line.
Answer compare(unsigned seed) {
  const auto mechanism = testing_support::random_mechanism(seed);
  const auto& description = mechanism.description;
  const std::string in_joints = refusal([&] { tree::build(description); });
  const std::string in_natural = refusal([&] { mbs::build(description); });
  if (!in_joints.empty() || !in_natural.empty()) {
    const bool both = !in_joints.empty() && !in_natural.empty();
    std::printf("%4u refused%s: %s | %s\n", seed, both ? " by both" : ", DIFFERENT",
                in_joints.c_str(), in_natural.c_str());
    return both ? Answer::kRefused : Answer::kDifferent;
  }
  testing_support::TwoEngines engines(description);
  const auto at = largest_difference(engines, 0, engines.start());
  const auto moved = testing_support::compare_motion(description, 1, true);
  const bool same = at.is_same() && moved.is_same();
  const double rounding = std::max(at.rounding, moved.end.rounding);
  char own[40] = "";
  if (rounding > 0) std::snprintf(own, sizeof own, "; rounding alone moves %.1e", rounding);
  std::printf(
      "%4u %2d bodies %2d dof %s %2d events  state %.1e %.1e  motion %.1e (own %.1e)  "
      "sensitivity %.1e (own %.1e)  events %.1e (own %.1e)%s%s%s%s%s%s%s%s\n",
      seed, static_cast<int>(description.bodies.size()), engines.joints().degrees_of_freedom(),
      mechanism.has_loop ? "loop" : "tree", moved.num_events, at.value, moved.end.value,
      moved.motion, moved.own, moved.sensitivity, moved.own_sensitivity, moved.event_times,
      moved.own_event_times, own,
      same ? "" : ("  DIFFERENT: " + at.name + " " + moved.end.name).c_str(),
      moved.message.empty() ? "" : "; ", moved.message.c_str(),
      moved.ending.empty() ? "" : "; both ", moved.ending.c_str(),
      moved.without_sensitivity.empty() ? "" : "; cannot change alone: ",
      base::listing(moved.without_sensitivity).c_str());
  std::fflush(stdout);
  return same ? Answer::kSame : Answer::kDifferent;
}

}  // namespace
}  // namespace parfait

int main(int argc, char** argv) {
  using parfait::Answer;
  const unsigned first = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const unsigned last = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : argc > 1 ? first : 200;
  int count[3] = {};
  for (unsigned seed = first; seed <= last; ++seed) {
    ++count[static_cast<int>(parfait::compare(seed))];
  }
  std::printf("%d the same, %d different, %d refused by both\n", count[0], count[1], count[2]);
  return count[1] == 0 ? 0 : 1;
}
