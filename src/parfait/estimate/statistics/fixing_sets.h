#pragma once

#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// A set of unknowns that, once known from elsewhere, makes all others determined.
struct FixingSet {
  std::vector<int> places{};  ///< rows of the directions, ascending
  /// The largest change of another unknown for a change of 1 of one of these, all in the units of
  /// the rows: an error in what is fixed comes back so many times larger.
  double amplification = 0;
};

/// The smallest sets F of rows of U whose fixing determines the rest. U (n x d, full column rank):
/// directions along which nothing changes. Along U y the rows F stay where they are if U_F y = 0;
/// that leaves nothing open if and only if U_F has rank d, so all smallest sets have d places, and
///
///   amplification = largest entry of |U U_F^-1|  (>= 1, that of F itself).
///
/// Best first, at most `most` of them; sets with an amplification above `largest` determine the
/// others in name only and are left out. Where there are too many subsets to look at all, one good
/// set is found by pivoting, which is at most 2^d worse than the best.
std::vector<FixingSet> fixing_sets(MatIn U, int most, double largest = 1e4);

}  // namespace parfait::estimate
