#pragma once

#include <cstdint>
#include <vector>

namespace parfait::math {

/// Points of the unit cube (0, 1)^d that fill it more evenly than random ones: the Sobol sequence
/// (direction numbers of Joe and Kuo, from Boost), randomized by Owen's nested uniform scrambling:
/// each bit of a coordinate is flipped or not, by chance, depending on all bits before it.
///
/// Laws  Point i depends on i and the seed alone, not on `count`. Of the first 2^m points every
///       interval [j 2^-m, (j + 1) 2^-m) of every coordinate holds one. Over seeds each point is
///       uniform.
/// See   A. B. Owen, Randomly permuted (t,m,s)-nets and (t,s)-sequences (1995); S. Joe, F. Y. Kuo,
///       SIAM J. Sci. Comput. 30 (2008) 2635-2654.
std::vector<std::vector<double>> scrambled_sobol(int count, int dimension, std::uint64_t seed);

/// Coordinates that the direction numbers reach.
int largest_sobol_dimension();

}  // namespace parfait::math
