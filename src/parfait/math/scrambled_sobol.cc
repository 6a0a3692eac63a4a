#include "parfait/math/scrambled_sobol.h"

#include <boost/random/sobol.hpp>

namespace parfait::math {
namespace {

constexpr int kBits = 32;
using Engine = boost::random::sobol_engine<std::uint32_t, kBits>;

/// 64 bits that look random for every other input: the mixing function of SplitMix64 (G. L. Steele,
/// D. Lea, C. H. Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// A coin for every node of the binary tree of intervals: `prefix` are the bits above it.
std::uint32_t scrambled(std::uint32_t x, std::uint64_t key) {
  std::uint32_t out = 0;
  for (unsigned bit = 0; bit < kBits; ++bit) {
    const std::uint64_t prefix = bit == 0 ? 0 : x >> (kBits - bit);
    const std::uint64_t node = (std::uint64_t{1} << bit) | prefix;
    const auto coin = static_cast<std::uint32_t>(mixed(key ^ mixed(node)) >> 63U);
    const std::uint32_t here = (x >> (kBits - 1 - bit)) & 1U;
    out = (out << 1U) | (here ^ coin);
  }
  return out;
}

}  // namespace

int largest_sobol_dimension() {
  return static_cast<int>(boost::random::default_sobol_table::max_dimension);
}

std::vector<std::vector<double>> scrambled_sobol(int count, int dimension, std::uint64_t seed) {
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<std::vector<double>> points;
  if (count <= 0 || dimension <= 0) {
    points.resize(static_cast<std::size_t>(count < 0 ? 0 : count));
    return points;
  }
  std::vector<std::uint64_t> keys;
  keys.reserve(d);
  for (std::size_t j = 0; j < d; ++j) keys.push_back(mixed(seed ^ mixed(j)));
  Engine engine(d);
  points.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto& point = points.emplace_back();
    point.reserve(d);
    for (std::size_t j = 0; j < d; ++j) {
      // The engine begins after the origin, which belongs to the sequence.
      const std::uint32_t x = i == 0 ? 0 : static_cast<std::uint32_t>(engine());
      point.push_back((scrambled(x, keys[j]) + 0.5) / 4294967296.0);
    }
  }
  return points;
}

}  // namespace parfait::math
