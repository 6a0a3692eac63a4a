#include "parfait/io/motion_files/c3d_points.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "parfait/base/stop.h"

namespace parfait::io {
namespace {

PointKind kind_of_list(const std::string& list) {
  const auto has = [&](const char* word) { return list.find(word) != std::string::npos; };
  if (has("ANGLE")) return PointKind::kAngle;
  if (has("MOMENT") || has("TORQUE")) return PointKind::kMoment;
  if (has("FORCE")) return PointKind::kForce;
  if (has("POWER")) return PointKind::kPower;
  if (has("SCALAR")) return PointKind::kScalar;
  return PointKind::kModeled;
}

/// Which labels the file lists as results of a model.
std::map<std::string, PointKind> listed_outputs(const C3dParameters& parameters) {
  std::set<std::string> lists = {"ANGLES",  "FORCES",          "MOMENTS", "POWERS",
                                 "SCALARS", "MODELED_MARKERS", "VIRTUAL"};
  // TYPE_GROUPS: pairs of the name of a list and the word for one of its members.
  const auto groups = parameters.texts("POINT", "TYPE_GROUPS");
  for (std::size_t i = 0; i + 1 < groups.size(); i += 2) lists.insert(groups[i]);
  std::map<std::string, PointKind> kinds;
  for (const auto& list : lists) {
    if (list.empty() || list == "LABELS" || list == "DESCRIPTIONS") continue;
    for (const auto& label : parameters.texts("POINT", list)) {
      if (!label.empty()) kinds.emplace(label, kind_of_list(list));
    }
  }
  return kinds;
}

std::string behind_prefix(const std::string& label) {
  const auto colon = label.rfind(':');
  return colon == std::string::npos || colon + 1 == label.size() ? label : label.substr(colon + 1);
}

/// Drops "Subject:" in front of labels where nothing is lost by it.
void drop_prefixes(std::vector<std::string>& names, std::int64_t byte, WarningLog& log) {
  std::set<std::string> whole, bare;
  std::string example;
  for (const auto& name : names) {
    const std::string rest = behind_prefix(name);
    if (rest.size() < name.size() && example.empty())
      example = name.substr(0, name.size() - rest.size());
    whole.insert(name);
    bare.insert(rest);
  }
  if (example.empty()) return;
  if (bare.size() < whole.size()) {
    log.at_byte(
        byte,
        fmt::format(
            "labels carry prefixes like \"{}\", which are kept: without them names would repeat",
            example));
    return;
  }
  for (auto& name : names) name = behind_prefix(name);
  log.at_byte(byte, fmt::format("labels carry the prefix \"{}\", which is left out", example));
}

std::string unit_of(const C3dParameters& parameters, PointKind kind) {
  const char* name = nullptr;
  switch (kind) {
    case PointKind::kMarker:
    case PointKind::kModeled:
      name = "UNITS";
      break;
    case PointKind::kAngle:
      name = "ANGLE_UNITS";
      break;
    case PointKind::kForce:
      name = "FORCE_UNITS";
      break;
    case PointKind::kMoment:
      name = "MOMENT_UNITS";
      break;
    case PointKind::kPower:
      name = "POWER_UNITS";
      break;
    case PointKind::kScalar:
      name = "SCALAR_UNITS";
      break;
  }
  const C3dParameter* parameter = parameters.find("POINT", name);
  return parameter ? parameter->text() : "";
}

/// Decodes one frame into floats; 16-bit integers become floats of the same value.
void decode_numbers(const std::uint8_t* from, std::size_t count, bool is_float, Processor processor,
                    float* to) {
  if (is_float) {
    for (std::size_t i = 0; i < count; ++i, from += 4) {
      if (processor == Processor::kDec) {
        to[i] = vax_float(from[0], from[1], from[2], from[3]);
        continue;
      }
      std::uint32_t bits = 0;
      std::memcpy(&bits, from, 4);
      if (processor == Processor::kMips) bits = __builtin_bswap32(bits);
      std::memcpy(to + i, &bits, 4);
    }
    return;
  }
  const unsigned high = processor == Processor::kMips ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i, from += 2) {
    to[i] = static_cast<std::int16_t>(from[high] << 8U | from[1 - high]);
  }
}

/// Where each point of the file goes.
struct Destination {
  PointSet* set;
  std::size_t index;
};

/// What was odd about points, with the first place of each.
struct PointOddities {
  std::int64_t zeros = 0, zeros_at = -1, not_finite = 0, not_finite_at = -1, unsigned_word = 0,
               unsigned_at = -1;

  static void count(std::int64_t& number, std::int64_t& first, std::int64_t at) {
    if (number++ == 0) first = at;
  }
};

}  // namespace

std::vector<PointLabel> c3d_point_labels(const C3dParameters& parameters, std::size_t num_points,
                                         WarningLog& log) {
  auto names = parameters.texts("POINT", "LABELS");
  const auto descriptions = parameters.texts("POINT", "DESCRIPTIONS");
  const auto outputs = listed_outputs(parameters);
  const std::int64_t byte = parameters.byte_of("POINT", "LABELS");
  if (names.size() < num_points) {
    log.at_byte(byte, fmt::format("POINT:LABELS names {} of {} points; the others are called *0001 "
                                  "and so on by their number",
                                  names.size(), num_points));
  }
  names.resize(num_points);
  std::vector<PointLabel> points(num_points);
  for (std::size_t i = 0; i < num_points; ++i) points[i].file_name = names[i];
  drop_prefixes(names, byte, log);
  for (std::size_t i = 0; i < num_points; ++i) {
    if (const auto it = outputs.find(points[i].file_name); it != outputs.end())
      points[i].kind = it->second;
    if (const auto it = outputs.find(names[i]); it != outputs.end()) points[i].kind = it->second;
    points[i].unit = unit_of(parameters, points[i].kind);
    points[i].column = static_cast<int>(i);
    if (i < descriptions.size()) points[i].description = descriptions[i];
  }
  std::vector<std::string> distinct = names;
  const int changed = make_unique(distinct, "*");
  if (changed > 0) {
    std::string example;
    for (std::size_t i = 0; i < num_points && example.empty(); ++i) {
      if (distinct[i] != names[i] && !names[i].empty())
        example = fmt::format(" (\"{}\" became \"{}\")", names[i], distinct[i]);
    }
    if (!example.empty())
      log.at_byte(byte, fmt::format("labels are there twice or empty; {} were given other names{}",
                                    changed, example));
  }
  for (std::size_t i = 0; i < num_points; ++i) points[i].name = distinct[i];
  return points;
}

AnalogCalibration c3d_analog_calibration(const C3dParameters& parameters, std::size_t num_channels,
                                         WarningLog& log) {
  AnalogCalibration calibration;
  if (num_channels == 0) return calibration;
  const C3dParameter* format = parameters.find("ANALOG", "FORMAT");
  calibration.is_unsigned = format && format->text() == "UNSIGNED";
  double general = 1;
  if (const C3dParameter* parameter = parameters.find("ANALOG", "GEN_SCALE");
      parameter && parameter->size() > 0) {
    general = parameter->number();
    if (!std::isfinite(general)) {
      log.at_byte(parameter->byte, "ANALOG:GEN_SCALE is not a number; 1 is used");
      general = 1;
    }
  }
  calibration.scale = parameters.numbers("ANALOG", "SCALE");
  if (calibration.scale.size() < num_channels) {
    log.at_byte(parameters.byte_of("ANALOG", "SCALE"),
                fmt::format("ANALOG:SCALE has {} of {} channels; the others get 1",
                            calibration.scale.size(), num_channels));
  }
  const std::string offset_name =
      parameters.find("ANALOG", "OFFSET") || !parameters.find("ANALOG", "OFFSETS") ? "OFFSET"
                                                                                   : "OFFSETS";
  calibration.offset = parameters.numbers("ANALOG", offset_name, calibration.is_unsigned);
  if (calibration.offset.size() < num_channels) {
    log.at_byte(parameters.byte_of("ANALOG", offset_name),
                fmt::format("ANALOG:OFFSET has {} of {} channels; the others get 0",
                            calibration.offset.size(), num_channels));
  } else if (offset_name != "OFFSET") {
    log.at_byte(parameters.byte_of("ANALOG", offset_name),
                "ANALOG:OFFSETS is taken for ANALOG:OFFSET");
  }
  calibration.scale.resize(num_channels, 1);
  calibration.offset.resize(num_channels, 0);
  for (std::size_t i = 0; i < num_channels; ++i) {
    if (!std::isfinite(calibration.scale[i]) || !std::isfinite(calibration.offset[i])) {
      log.once_at_byte(
          "scale", parameters.byte_of("ANALOG", "SCALE"),
          fmt::format("scale or offset of analog channel {} is not a number; 1 and 0 are used",
                      i + 1));
      calibration.scale[i] = 1;
      calibration.offset[i] = 0;
    }
    calibration.scale[i] *= general;
  }
  return calibration;
}

std::vector<AnalogChannel> c3d_analog_labels(const C3dParameters& parameters,
                                             std::size_t num_channels, WarningLog& log) {
  std::vector<AnalogChannel> channels(num_channels);
  auto names = parameters.texts("ANALOG", "LABELS");
  const auto units = parameters.texts("ANALOG", "UNITS");
  const auto descriptions = parameters.texts("ANALOG", "DESCRIPTIONS");
  if (names.size() < num_channels) {
    log.at_byte(parameters.byte_of("ANALOG", "LABELS"),
                fmt::format("ANALOG:LABELS names {} of {} channels; the others are called "
                            "channel0001 and so on by their number",
                            names.size(), num_channels));
  }
  names.resize(num_channels);
  for (std::size_t i = 0; i < num_channels; ++i) {
    channels[i].file_name = names[i];
    if (i < units.size()) channels[i].unit = units[i];
    if (i < descriptions.size()) channels[i].description = descriptions[i];
  }
  make_unique(names, "channel");
  for (std::size_t i = 0; i < num_channels; ++i) channels[i].name = names[i];
  return channels;
}

void read_c3d_frames(Bytes bytes, const C3dLayout& layout, Processor processor,
                     const AnalogCalibration& calibration, Trial& trial, WarningLog& log) {
  const std::size_t frames = layout.num_frames, points = layout.num_points,
                    channels = layout.num_channels;
  const std::size_t samples = layout.samples_per_frame, numbers = 4 * points + channels * samples;
  std::vector<Destination> to(points);
  for (PointSet* set : {&trial.markers, &trial.outputs}) {
    set->resize(frames);
    for (std::size_t i = 0; i < set->size(); ++i)
      to[static_cast<std::size_t>(set->points[i].column)] = {set, i};
  }
  for (auto& channel : trial.analog) channel.values.resize(frames * samples);

  PointOddities odd;
  std::vector<float> row(numbers);
  const float factor = layout.is_float ? 1.0F : layout.scale;
  for (std::size_t f = 0; f < frames; ++f) {
    base::leave_if_stopped();
    const std::int64_t begin = layout.data + static_cast<std::int64_t>(f) * layout.frame_bytes();
    decode_numbers(bytes.data() + begin, numbers, layout.is_float, processor, row.data());
    for (std::size_t p = 0; p < points; ++p) {
      const float* x = &row[4 * p];
      if (!(x[3] >= 0)) continue;  // missing, as the format says it; NaN likewise
      const auto where = [&] {
        return begin + static_cast<std::int64_t>(4 * p) * layout.number_bytes();
      };
      const bool is_marker = to[p].set == &trial.markers;
      // A negative 16-bit integer that was made a float as if it had no sign: -1 became 65535.
      if (layout.is_float && x[3] >= 32768.0F && x[3] < 65536.0F) {
        PointOddities::count(odd.unsigned_word, odd.unsigned_at, where());
        continue;
      }
      if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) {
        PointOddities::count(odd.not_finite, odd.not_finite_at, where());
        continue;
      }
      // The fourth number holds a 16-bit integer also in files of floats: cameras, then the
      // residual.
      const unsigned word = x[3] < 65536.0F ? static_cast<unsigned>(x[3]) : 0;
      const float residual = static_cast<float>(word & 0xFFU) * layout.scale;
      const auto cameras = static_cast<std::uint8_t>(word >> 8U & 0x7FU);
      const float place[3] = {x[0] * factor, x[1] * factor, x[2] * factor};
      if (is_marker && residual == 0 && cameras == 0 && place[0] == 0 && place[1] == 0 &&
          place[2] == 0) {
        PointOddities::count(odd.zeros, odd.zeros_at, where());
        continue;
      }
      PointSet& set = *to[p].set;
      const std::size_t i = set.index(f, to[p].index);
      for (std::size_t k = 0; k < 3; ++k) set.xyz[3 * i + k] = place[k];
      set.residuals[i] = residual;
      set.cameras[i] = cameras;
    }
    const float* value = row.data() + 4 * points;
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t c = 0; c < channels; ++c, ++value) {
        double number = *value;
        if (calibration.is_unsigned && number < 0 && !layout.is_float) number += 65536;
        trial.analog[c].values[f * samples + s] =
            (number - calibration.offset[c]) * calibration.scale[c];
      }
    }
  }
  if (odd.zeros > 0) {
    log.at_byte(
        odd.zeros_at,
        fmt::format(
            "{} marker positions are exactly 0, 0, 0 and not marked as missing; taken as missing",
            odd.zeros));
  }
  if (odd.unsigned_word > 0) {
    log.at_byte(odd.unsigned_at,
                fmt::format("{} positions are marked as missing by a number without its sign "
                            "(65535 for -1); taken as missing",
                            odd.unsigned_word));
  }
  if (odd.not_finite > 0) {
    log.at_byte(odd.not_finite_at,
                fmt::format("{} positions are not numbers; taken as missing", odd.not_finite));
  }
}

}  // namespace parfait::io
