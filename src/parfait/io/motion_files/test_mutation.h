#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace parfait::io {

/// A copy of a file with a few mistakes: bytes changed, words set to extreme values, parts cut out,
/// doubled or lost at the end. The same seed makes the same mistakes. Most of them hit the first
/// `head` bytes, where files say what they are.
inline std::string mutated(const std::string& file, std::uint64_t seed, std::size_t head) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) {
    return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
  };
  std::string out = file;
  const std::size_t mistakes = 1 + below(6);
  for (std::size_t i = 0; i < mistakes && !out.empty(); ++i) {
    const std::size_t size = below(8) == 0 ? out.size() : std::min(out.size(), head);
    const std::size_t at = below(size);
    switch (below(8)) {
      case 0:
        out[at] = static_cast<char>(random());
        break;
      case 1:
        out[at] = static_cast<char>(out[at] ^ (1 << below(8)));
        break;
      case 2:
        out[at] = static_cast<char>(below(2) ? 0x00 : 0xFF);
        break;
      case 3:
        for (std::size_t k = at; k < std::min(out.size(), at + 2); ++k)
          out[k] = static_cast<char>(below(2) ? 0xFF : 0x7F);
        break;
      case 4:
        for (std::size_t k = at; k < std::min(out.size(), at + 1 + below(16)); ++k)
          out[k] = static_cast<char>(random());
        break;
      case 5:
        out.erase(at, 1 + below(below(4) == 0 ? 600 : 4));
        break;
      case 6:
        out.insert(at, out.substr(below(size), 1 + below(40)));
        break;
      case 7:
        if (below(4) == 0) out.resize(below(out.size()));
        break;
    }
  }
  return out;
}

}  // namespace parfait::io
