#pragma once

namespace parfait::testing_support {

/// How often this program has allocated. A program that calls it has its operator new replaced by
/// one that counts (allocations.cc); others are left alone.
long num_allocations();

}  // namespace parfait::testing_support
