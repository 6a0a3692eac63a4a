#pragma once

#include <array>
#include <string>
#include <string_view>

#include "parfait/io/motion_files/trial.h"

/// Which units and axes a trial has, how that is known, and bringing it to metres and other axes.
namespace parfait::io {

/// Sets unit, factor and reason from what the file says, or from the size of the subject if it says
/// nothing that can be understood: markers of one frame spread over more than 5 units are taken to
/// be in mm, others in m.
void find_units(Trial& trial, std::string_view said, std::int64_t byte, int line, WarningLog& log);

/// Sets trial.up. `screen` is what the file says (POINT:Y_SCREEN, "+Z"), or empty. Without it the
/// force plates decide, and without those the markers: while somebody walks, the lowest marker
/// stays at one height; of somebody who stands, the longest extent is up. If the plates contradict
/// `screen`, they win and it is told.
void find_up(Trial& trial, std::string_view screen, std::int64_t byte, WarningLog& log);

/// New axes in terms of old ones: new axis k is sign[k] times old axis from[k].
struct AxisMap {
  std::array<int, 3> from{0, 1, 2};
  std::array<int, 3> sign{1, 1, 1};
};

/// "x,z,-y". InputError unless these are three different axes that keep the hand: a mirror image of
/// a subject is another subject.
AxisMap parse_axes(std::string_view text);

/// Lengths in metres, moments in N m, axes turned. Angles and other outputs of models stay as they
/// are, except places, forces and moments in units of length. InputError if the unit of the trial
/// is not known.
void to_metres(Trial& trial, const AxisMap& axes);

}  // namespace parfait::io
