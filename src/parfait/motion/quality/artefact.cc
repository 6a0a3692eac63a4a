#include "parfait/motion/quality/artefact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/base/stop.h"

namespace parfait::motion {

std::vector<MarkerArtefact> marker_artefacts(const MatchedMarkers& markers, const TrialPoses& poses,
                                             const std::vector<double>& t) {
  std::vector<MarkerArtefact> out;
  const double step = t.size() > 1 ? (t.back() - t.front()) / static_cast<double>(t.size() - 1) : 0;
  const auto width = 3 * static_cast<std::size_t>(markers.num_markers);
  for (int m = 0; m < markers.num_markers; ++m) {
    std::vector<std::array<double, 3>> e(static_cast<std::size_t>(markers.num_frames));
    std::vector<char> seen(e.size(), 0);
    MarkerArtefact found;
    found.marker = m;
    double squares = 0;
    for (std::size_t f = 0; f < e.size(); ++f) {
      if (markers.is_missing(static_cast<int>(f), m)) continue;
      seen[f] = 1;
      ++found.count;
      const std::size_t at = f * width + 3 * static_cast<std::size_t>(m);
      for (std::size_t k = 0; k < 3; ++k) {
        e[f][k] = poses.markers[at + k] - markers.y[at + k];
        squares += e[f][k] * e[f][k];
      }
    }
    if (found.count < 10) continue;
    found.rms = std::sqrt(squares / found.count);
    const auto correlation = [&](std::size_t lag) {
      double product = 0, a = 0, b = 0;
      for (std::size_t f = 0; f + lag < e.size(); ++f) {
        if (!seen[f] || !seen[f + lag]) continue;
        for (std::size_t k = 0; k < 3; ++k) {
          product += e[f][k] * e[f + lag][k];
          a += e[f][k] * e[f][k];
          b += e[f + lag][k] * e[f + lag][k];
        }
      }
      return a > 0 && b > 0 ? product / std::sqrt(a * b) : 0.0;
    };
    const double one = correlation(1), two = correlation(2);
    found.noise = found.rms * std::sqrt(1 - std::clamp(2 * one - two, 0.0, 1.0));
    double sum = 0.5;
    for (std::size_t lag = 1; lag < e.size(); ++lag) {
      base::leave_if_stopped();
      const double rho = correlation(lag);
      if (rho < 0.05) break;
      sum += rho;
    }
    found.seconds = step * sum;
    out.push_back(found);
  }
  return out;
}

}  // namespace parfait::motion
