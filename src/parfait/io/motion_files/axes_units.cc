#include "parfait/io/motion_files/axes_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/base/error.h"

namespace parfait::io {
namespace {

/// Extent of the markers over time along each axis, over at most some hundred frames.
struct Extents {
  std::array<std::vector<double>, 3> low, high;  ///< per frame that has markers
  std::size_t num_frames = 0;
};

Extents extents_of(const Trial& trial) {
  Extents out;
  const PointSet& markers = trial.markers;
  const std::size_t step = std::max<std::size_t>(1, trial.num_frames / 300);
  for (std::size_t f = 0; f < trial.num_frames && markers.size() > 0; f += step) {
    Vec3 low{}, high{};
    std::size_t seen = 0;
    for (std::size_t p = 0; p < markers.size(); ++p) {
      if (markers.is_missing(f, p)) continue;
      const double* x = markers.at(f, p);
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = seen == 0 ? x[k] : std::min(low[k], x[k]);
        high[k] = seen == 0 ? x[k] : std::max(high[k], x[k]);
      }
      ++seen;
    }
    // Frames in which most markers are lost say nothing about the size of the subject.
    if (seen == 0 || 2 * seen < markers.size()) continue;
    ++out.num_frames;
    for (std::size_t k = 0; k < 3; ++k) {
      out.low[k].push_back(low[k]);
      out.high[k].push_back(high[k]);
    }
  }
  return out;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Spread of the inner 80 %.
double spread_of(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() * 9 / 10] - values[values.size() / 10];
}

double size_along(const Extents& extents, std::size_t axis) {
  std::vector<double> sizes;
  for (std::size_t f = 0; f < extents.num_frames; ++f)
    sizes.push_back(extents.high[axis][f] - extents.low[axis][f]);
  return median_of(std::move(sizes));
}

double largest_size(const Extents& extents) {
  return std::max({size_along(extents, 0), size_along(extents, 1), size_along(extents, 2)});
}

UpAxis up_from_word(std::string_view word) {
  UpAxis up;
  if (word.size() < 2 || (word[0] != '+' && word[0] != '-')) return up;
  const std::size_t axis = std::string_view("XYZ").find(static_cast<char>(word[1] & ~0x20));
  if (axis == std::string_view::npos) return up;
  up.axis = static_cast<int>(axis);
  up.sign = word[0] == '-' ? -1 : 1;
  return up;
}

/// The axis that the plates are normal to, and the side of it on which the markers are.
UpAxis up_from_plates(const Trial& trial, const Extents& extents) {
  UpAxis up;
  for (const ForcePlate& plate : trial.plates) {
    Vec3 spans{}, centre{};
    for (std::size_t k = 0; k < 3; ++k) {
      double low = plate.corners[0][k], high = low;
      for (const Vec3& corner : plate.corners) {
        low = std::min(low, corner[k]);
        high = std::max(high, corner[k]);
        centre[k] += corner[k] / 4;
      }
      spans[k] = high - low;
    }
    const auto thin =
        static_cast<std::size_t>(std::min_element(spans.begin(), spans.end()) - spans.begin());
    const double widest = *std::max_element(spans.begin(), spans.end());
    double second = widest;
    for (std::size_t k = 0; k < 3; ++k) {
      if (k != thin) second = std::min(second, spans[k]);
    }
    if (!(widest > 0) || !(spans[thin] < 0.2 * second)) continue;  // tilted, or no plate at all
    if (up.axis >= 0 && up.axis != static_cast<int>(thin)) return {};
    up.axis = static_cast<int>(thin);
    if (extents.num_frames == 0) return {};
    const double middle = (median_of(extents.low[thin]) + median_of(extents.high[thin])) / 2;
    up.sign = middle < centre[thin] ? -1 : 1;
    up.reason = "force plates";
  }
  return up;
}

UpAxis up_from_markers(const Extents& extents) {
  UpAxis up;
  if (extents.num_frames == 0 || !(largest_size(extents) > 0)) return up;
  double travel = 0;
  for (std::size_t k = 0; k < 3; ++k) travel = std::max(travel, spread_of(extents.low[k]));
  if (extents.num_frames > 5 && travel > 0.3 * largest_size(extents)) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      for (const int sign : {1, -1}) {
        const auto axis = static_cast<std::size_t>(k);
        // Relative to the size of the subject along the axis: sideways a walker stays in place,
        // too, but is narrow.
        const double spread = spread_of(sign > 0 ? extents.low[axis] : extents.high[axis]) /
                              size_along(extents, axis);
        if (!(spread < least)) continue;
        least = spread;
        up.axis = k;
        up.sign = sign;
      }
    }
    up.reason = "the lowest markers stay at one height";
    return up;
  }
  double tallest = 0;
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    if (size_along(extents, axis) <= tallest) continue;
    tallest = size_along(extents, axis);
    const double low = std::abs(median_of(extents.low[axis])),
                 high = std::abs(median_of(extents.high[axis]));
    // Somebody stands on a floor that is near 0; otherwise nothing is known.
    const bool floor = std::min(low, high) < 0.5 * tallest;
    up.axis = floor ? k : -1;
    up.sign = low <= high ? 1 : -1;
  }
  if (up.axis >= 0) up.reason = "the longest extent of the markers";
  return up;
}

void turn_vectors(std::vector<double>& values, const AxisMap& axes, double factor) {
  for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
    const Vec3 old{values[i], values[i + 1], values[i + 2]};
    for (std::size_t k = 0; k < 3; ++k)
      values[i + k] = factor * axes.sign[k] * old[static_cast<std::size_t>(axes.from[k])];
  }
}

void turn_vector(Vec3& value, const AxisMap& axes, double factor) {
  const Vec3 old = value;
  for (std::size_t k = 0; k < 3; ++k)
    value[k] = factor * axes.sign[k] * old[static_cast<std::size_t>(axes.from[k])];
}

}  // namespace

void find_units(Trial& trial, std::string_view said, std::int64_t byte, int line, WarningLog& log) {
  const auto tell = [&](const std::string& message) {
    line > 0 ? log.at_line(line, message) : log.at_byte(byte, message);
  };
  trial.length_unit = std::string(said);
  trial.metres_per_unit = metres_in(said);
  trial.unit_reason = "the file says so";
  const double size = largest_size(extents_of(trial));
  const double metres = size * trial.metres_per_unit;
  if (trial.metres_per_unit > 0 && (size == 0 || (metres > 0.005 && metres < 100))) return;
  if (trial.metres_per_unit > 0) {
    trial.length_unit = size > 5 ? "mm" : "m";
    trial.metres_per_unit = metres_in(trial.length_unit);
    trial.unit_reason = fmt::format("the markers of a frame are {:.4g} apart", size);
    tell(fmt::format(
        "by the unit \"{}\" the markers of a frame would be {:.3g} m apart; taken as {}", said,
        metres, trial.length_unit));
    return;
  }
  if (size == 0) {
    trial.length_unit = said.empty() ? "" : trial.length_unit;
    trial.metres_per_unit = trial.markers.size() == 0 ? 1 : 0;
    trial.unit_reason = "not known";
    if (trial.markers.size() > 0) tell("the unit of length is not known");
    return;
  }
  trial.length_unit = size > 5 ? "mm" : "m";
  trial.metres_per_unit = metres_in(trial.length_unit);
  trial.unit_reason = fmt::format("the markers of a frame are {:.4g} apart", size);
  tell(said.empty()
           ? fmt::format("no unit of length is given; taken as {}, since {}", trial.length_unit,
                         trial.unit_reason)
           : fmt::format("the unit of length is \"{}\", which is not known; taken as {}, since {}",
                         said, trial.length_unit, trial.unit_reason));
}

void find_up(Trial& trial, std::string_view screen, std::int64_t byte, WarningLog& log) {
  const Extents extents = extents_of(trial);
  UpAxis said = up_from_word(screen);
  said.reason = "POINT:Y_SCREEN";
  const UpAxis plates = up_from_plates(trial, extents);
  trial.up = said.axis >= 0 ? said : plates.axis >= 0 ? plates : up_from_markers(extents);
  if (said.axis >= 0 && plates.axis >= 0 &&
      (said.axis != plates.axis || said.sign != plates.sign)) {
    log.at_byte(byte, fmt::format("POINT:Y_SCREEN says that {} is up, but by force plates and "
                                  "markers it is {}, which is believed",
                                  said.name(), plates.name()));
    trial.up = plates;
  }
}

AxisMap parse_axes(std::string_view text) {
  AxisMap axes;
  std::array<bool, 3> used{};
  std::size_t at = 0;
  const auto wrong = [&](const char* why) -> base::InputError {
    return base::InputError(fmt::format(
        "--axes {}: {}; for example x,z,-y makes the second old axis z the new y.", text, why));
  };
  for (std::size_t k = 0; k < 3; ++k) {
    if (k > 0) {
      if (at >= text.size() || text[at] != ',')
        throw wrong("three axes with commas between are needed");
      ++at;
    }
    if (at < text.size() && (text[at] == '-' || text[at] == '+'))
      axes.sign[k] = text[at++] == '-' ? -1 : 1;
    const std::size_t axis =
        at < text.size() ? std::string_view("xyzXYZ").find(text[at]) : std::string_view::npos;
    if (axis == std::string_view::npos) throw wrong("an axis is x, y or z");
    ++at;
    if (used[axis % 3]) throw wrong("an axis is there twice");
    used[axis % 3] = true;
    axes.from[k] = static_cast<int>(axis % 3);
  }
  if (at != text.size()) throw wrong("there is something behind the third axis");
  const bool even = (axes.from[1] - axes.from[0] + 3) % 3 == 1;
  if ((even ? 1 : -1) * axes.sign[0] * axes.sign[1] * axes.sign[2] < 0)
    throw wrong("this would be a mirror image");
  return axes;
}

void to_metres(Trial& trial, const AxisMap& axes) {
  const double factor = trial.metres_per_unit;
  if (!(factor > 0)) {
    throw base::InputError(
        {trial.file, 0, 0},
        fmt::format("the unit of length \"{}\" is not known; give it with --units.",
                    trial.length_unit));
  }
  turn_vectors(trial.markers.xyz, axes, factor);
  for (float& residual : trial.markers.residuals) {
    if (residual >= 0) residual *= static_cast<float>(factor);
  }
  for (auto& point : trial.markers.points) point.unit = "m";
  // Places that a model computed are turned like markers; its angles, forces and moments are in
  // axes of its own.
  for (std::size_t p = 0; p < trial.outputs.size(); ++p) {
    if (trial.outputs.points[p].kind != PointKind::kModeled) continue;
    trial.outputs.points[p].unit = "m";
    for (std::size_t f = 0; f < trial.num_frames; ++f) {
      double* x = &trial.outputs.xyz[3 * trial.outputs.index(f, p)];
      Vec3 place{x[0], x[1], x[2]};
      turn_vector(place, axes, factor);
      std::copy(place.begin(), place.end(), x);
    }
  }
  for (ForcePlate& plate : trial.plates) {
    for (Vec3& corner : plate.corners) turn_vector(corner, axes, factor);
    for (double& x : plate.origin) x *= factor;  // in the plate's own axes
    turn_vectors(plate.wrenches.force, axes, 1);
    turn_vectors(plate.wrenches.moment, axes, factor);
    turn_vectors(plate.wrenches.pressure, axes, factor);
    for (double& x : plate.wrenches.free_moment) x *= factor;
  }
  if (trial.up.axis >= 0) {
    for (int k = 0; k < 3; ++k) {
      if (axes.from[static_cast<std::size_t>(k)] != trial.up.axis) continue;
      trial.up.sign *= axes.sign[static_cast<std::size_t>(k)];
      trial.up.axis = k;
      break;
    }
  }
  trial.length_unit = "m";
  trial.metres_per_unit = 1;
}

}  // namespace parfait::io
