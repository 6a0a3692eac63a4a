#include "parfait/report/web/web_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "parfait/io/results/scene_files.h"

namespace parfait::report {
namespace web_block {
namespace {

/// The three coordinates of origins have a range each; all axes share one.
constexpr std::size_t kKinds = 4;
std::size_t kind_of(std::size_t channel) {
  return std::min<std::size_t>(channel % 12, 3);
}

struct Quantizer {
  std::array<double, kKinds> middle{}, step{};

  explicit Quantizer(const std::vector<float>& frames) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::array<float, kKinds> low, high;
    low.fill(kInfinity);
    high.fill(-kInfinity);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (!std::isfinite(frames[i])) continue;
      low[kind_of(i)] = std::min(low[kind_of(i)], frames[i]);
      high[kind_of(i)] = std::max(high[kind_of(i)], frames[i]);
    }
    for (std::size_t k = 0; k < kKinds; ++k) {
      if (!(low[k] <= high[k])) low[k] = high[k] = 0;
      middle[k] = (double{low[k]} + double{high[k]}) / 2;
      step[k] = (double{high[k]} - double{low[k]}) / 65534;
    }
  }

  std::uint16_t operator()(std::size_t channel, float x) const {
    const std::size_t k = kind_of(channel);
    if (!std::isfinite(x) || step[k] == 0) return 0;
    const double q = std::clamp(std::round((double{x} - middle[k]) / step[k]), -32767.0, 32767.0);
    return static_cast<std::uint16_t>(static_cast<std::int32_t>(q));
  }
};

std::string numbers(const std::array<double, kKinds>& list) {
  return fmt::format("[{:.9g},{:.9g},{:.9g},{:.9g}]", list[0], list[1], list[2], list[3]);
}

/// Appends the frames to `arrays` and says in JSON where.
std::string pack(const std::vector<float>& frames, std::size_t times, std::string& arrays) {
  const Quantizer quantize(frames);
  const std::size_t channels = times > 0 ? frames.size() / times : 0;
  std::string low, high;
  low.reserve(frames.size());
  high.reserve(frames.size());
  for (std::size_t c = 0; c < channels; ++c) {
    std::uint16_t before = 0;
    for (std::size_t i = 0; i < times; ++i) {
      const std::uint16_t q = quantize(c, frames[i * channels + c]);
      const auto difference = static_cast<std::uint16_t>(q - before);
      low += static_cast<char>(difference & 0xFF);
      high += static_cast<char>(difference >> 8);
      before = q;
    }
  }
  auto text = fmt::format(R"({{"at":{},"n":{},"middle":{},"step":{}}})", arrays.size(),
                          frames.size(), numbers(quantize.middle), numbers(quantize.step));
  arrays += low;
  arrays += high;
  return text;
}

}  // namespace
}  // namespace web_block

std::string web_data(const std::vector<std::string>& plots, const result::Scenes& scenes) {
  std::string arrays, packed, list;
  for (const auto& motion : scenes.motions) {
    const std::size_t times = motion.t.size();
    std::string entry =
        fmt::format(R"({{"frames":{})", web_block::pack(motion.frames, times, arrays));
    if (!motion.initial.empty()) {
      entry += fmt::format(R"(,"initial":{})", web_block::pack(motion.initial, times, arrays));
    }
    if (!motion.forces.empty()) {
      entry += fmt::format(R"(,"forces":{{"at":{},"n":{}}})", arrays.size(), motion.forces.size());
      const std::size_t begin = arrays.size();
      arrays.resize(begin + motion.forces.size() * sizeof(float));
      std::memcpy(arrays.data() + begin, motion.forces.data(),
                  motion.forces.size() * sizeof(float));
    }
    packed += (packed.empty() ? "" : ",") + entry + "}";
  }
  for (const auto& plot : plots) list += (list.empty() ? "" : ",") + plot;
  const std::string json = fmt::format(R"({{"plots":[{}],"scene":{},"packed":[{}]}})", list,
                                       io::scene_text(scenes), packed);
  const auto length = static_cast<std::uint32_t>(json.size());
  std::string out = "PF1\n";
  for (int i = 0; i < 4; ++i) out += static_cast<char>(length >> (8 * i) & 0xFFU);
  return out + json + arrays;
}

}  // namespace parfait::report
