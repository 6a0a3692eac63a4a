#pragma once

#include <array>
#include <span>
#include <vector>

namespace parfait::mbs {

/// For each joint (given by the bodies at its ends) the number of the loop it belongs to, -1 if no
/// loop goes through it. Loops that share joints are one; loops that only share a body, for example
/// the ground, are not: what one of them carries in itself does not reach the other.
std::vector<int> loops_of_joints(std::span<const std::array<int, 2>> ends, int num_bodies);

}  // namespace parfait::mbs
