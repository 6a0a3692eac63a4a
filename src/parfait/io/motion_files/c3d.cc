#include "parfait/io/motion_files/c3d.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/c3d_header.h"
#include "parfait/io/motion_files/c3d_points.h"
#include "parfait/io/motion_files/force_plate.h"

namespace parfait::io {
namespace {

std::string c3d_format(Processor processor, bool is_float) {
  const char* name = processor == Processor::kIntel ? "Intel"
                     : processor == Processor::kDec ? "DEC"
                                                    : "MIPS";
  return fmt::format("C3D, {}, {}", name, is_float ? "float" : "16-bit integer");
}

void find_analog_rate(const C3dParameters& parameters, const C3dLayout& layout, Trial& trial,
                      WarningLog& log) {
  if (layout.num_channels == 0) return;
  trial.analog_rate = layout.rate * static_cast<double>(layout.samples_per_frame);
  const C3dParameter* rate = parameters.find("ANALOG", "RATE");
  if (!rate) {
    log.at_byte(parameters.byte_of("ANALOG", "USED"),
                fmt::format("ANALOG:RATE is missing; {:g} Hz follow from the samples per frame",
                            trial.analog_rate));
  } else if (std::abs(rate->number() - trial.analog_rate) > 1e-3 * trial.analog_rate) {
    log.at_byte(rate->byte, fmt::format("ANALOG:RATE is {:g} Hz, but {} samples per frame at {:g} "
                                        "Hz are {:g} Hz, which is used",
                                        rate->number(), layout.samples_per_frame, layout.rate,
                                        trial.analog_rate));
  }
}

/// The events of the group EVENT; those of the header only where the group has none.
void find_events(const C3dParameters& parameters, const C3dHeader& header, Trial& trial,
                 WarningLog& log) {
  trial.events = c3d_events(parameters, log);
  if (trial.events.empty()) {
    trial.events = header.events;
    return;
  }
  const double near = trial.rate > 0 ? 1.5 / trial.rate : 0;
  for (const auto& old : header.events) {
    const bool known = std::any_of(
        trial.events.begin(), trial.events.end(),
        [&](const TrialEvent& event) { return std::abs(event.time - old.time) <= near; });
    if (!known) {
      log.at_byte(header.start + 304, fmt::format("the header has an event \"{}\" at {:g} s that "
                                                  "the group EVENT does not have; left out",
                                                  old.label, old.time));
    }
  }
}

/// Vicon's groups PROCESSING and, per subject, of its name have Height in mm and Bodymass in kg.
/// Numbers that no person has are nothing said.
Subject find_subject(const C3dParameters& parameters) {
  Subject out;
  for (const auto& parameter : parameters.all) {
    const double value = parameter.type == -1 ? 0 : parameter.number();
    if (parameter.name == "HEIGHT" && out.height == 0) {
      const double metres = value > 10 ? 1e-3 * value : value;
      if (metres > 0.4 && metres < 2.6) out.height = metres;
    } else if (parameter.name == "BODYMASS" && out.mass == 0) {
      if (value > 3 && value < 400) out.mass = value;
    }
  }
  return out;
}

}  // namespace

C3dFile read_c3d(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  return read_c3d_bytes(bytes.bytes(), file.string());
}

C3dFile read_c3d_bytes(Bytes bytes, const std::string& file_name) {
  WarningLog log;
  const C3dHeader header = read_c3d_header(bytes, file_name, log);
  const NumberReader numbers(bytes, header.processor);
  C3dFile file;
  file.processor = header.processor;
  // The section ends where the data begin, whatever number of blocks it claims.
  const std::int64_t data = header.data > 0 ? header.start + (header.data - 1) * 512 : 0;
  file.parameters = read_c3d_parameters(numbers, header.parameters,
                                        data > header.parameters ? data : numbers.size(), log);
  const C3dParameters& parameters = file.parameters;
  const C3dLayout layout = find_c3d_layout(numbers, header, parameters, file_name, log);
  file.is_float = layout.is_float;
  file.scale = layout.scale;

  Trial& trial = file.trial;
  trial.file = file_name;
  trial.format = c3d_format(header.processor, layout.is_float);
  trial.rate = layout.rate;
  trial.first_frame = layout.first_frame;
  trial.num_frames = layout.num_frames;
  trial.start_time =
      static_cast<double>(std::max<std::int64_t>(layout.first_frame, 1) - 1) / layout.rate;
  for (auto& label : c3d_point_labels(parameters, layout.num_points, log)) {
    (label.kind == PointKind::kMarker ? trial.markers : trial.outputs)
        .points.push_back(std::move(label));
  }
  if (layout.num_points == 0) {
    log.at_byte(header.start + 2, "there are no points, only analog channels");
  } else if (trial.markers.size() == 0) {
    log.at_byte(parameters.byte_of("POINT", "LABELS"),
                "there are no markers: all points are results of a model");
  }
  trial.analog = c3d_analog_labels(parameters, layout.num_channels, log);
  const auto calibration = c3d_analog_calibration(parameters, layout.num_channels, log);
  find_analog_rate(parameters, layout, trial, log);
  read_c3d_frames(bytes, layout, header.processor, calibration, trial, log);

  find_events(parameters, header, trial, log);
  const C3dParameter* units = parameters.find("POINT", "UNITS");
  find_units(trial, units ? units->text() : "", parameters.byte_of("POINT", "UNITS"), 0, log);
  trial.plates = c3d_plates(parameters, layout.num_channels, log);
  const C3dParameter* screen = parameters.find("POINT", "Y_SCREEN");
  find_up(trial, screen ? screen->text() : "", parameters.byte_of("POINT", "Y_SCREEN"), log);
  compute_wrenches(trial, kLoadedPlate, log);
  trial.subject = find_subject(parameters);
  trial.warnings = log.take();
  return file;
}

}  // namespace parfait::io
