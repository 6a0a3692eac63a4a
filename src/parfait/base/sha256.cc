#include "parfait/base/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

#include "parfait/base/stop.h"

namespace parfait::base {
namespace {

using Word = std::uint32_t;

/// The fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<Word, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// One block of 64 bytes (FIPS 180-4, 6.2.2).
void compress(std::array<Word, 8>& hash, const unsigned char* block) {
  std::array<Word, 64> w;
  for (int t = 0; t < 16; ++t) {
    const unsigned char* b = block + 4 * t;
    w[t] = Word{b[0]} << 24 | Word{b[1]} << 16 | Word{b[2]} << 8 | Word{b[3]};
  }
  for (int t = 16; t < 64; ++t) {
    const Word s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const Word s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (int t = 0; t < 64; ++t) {
    const Word big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const Word t1 = h + big1 + ((e & f) ^ (~e & g)) + kRoundConstants[t] + w[t];
    const Word big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const Word t2 = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<Word, 8> change = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) hash[i] += change[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<Word, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 64;
  constexpr std::size_t kBlocksBetweenLooks = 1 << 12;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i % kBlocksBetweenLooks == 0) leave_if_stopped();
    compress(hash, data + 64 * i);
  }

  // What is left, a bit 1, zeros, and the length in bits as the last eight bytes of a block.
  std::string tail(bytes.substr(64 * whole));
  tail.push_back('\x80');
  while (tail.size() % 64 != 56) tail.push_back('\0');
  const std::uint64_t bits = 8 * std::uint64_t{bytes.size()};
  for (int shift = 56; shift >= 0; shift -= 8) tail.push_back(static_cast<char>(bits >> shift));
  const auto* rest = reinterpret_cast<const unsigned char*>(tail.data());
  for (std::size_t i = 0; i < tail.size(); i += 64) compress(hash, rest + i);

  std::string text;
  for (const Word word : hash) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace parfait::base
