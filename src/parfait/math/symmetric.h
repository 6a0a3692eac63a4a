#pragma once

namespace parfait::math {

// The six entries of a symmetric 3 x 3 matrix are kept in the order xx yy zz xy xz yz.

/// Where the entry (i, j) is kept.
inline constexpr int kEntry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
/// Which (i, j) an entry is, with i <= j.
inline constexpr int kPair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

}  // namespace parfait::math
