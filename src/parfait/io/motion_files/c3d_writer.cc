#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/c3d.h"
#include "parfait/io/motion_files/c3d_points.h"
#include "parfait/io/text/text_file.h"

// The writer asks what a reader would make of the parameters that are there, and changes only those
// that say something else than the trial.
namespace parfait::io {
namespace {

constexpr std::size_t kMostInDimension = 255;
constexpr double kMostIn16Bits = 65535;

struct PointPlace {
  const PointSet* set;
  std::size_t index;

  const PointLabel& label() const { return set->points[index]; }
};

/// The points in the order of the file.
std::vector<PointPlace> points_in_order(const Trial& trial) {
  std::vector<PointPlace> places;
  for (const PointSet* set : {&trial.markers, &trial.outputs}) {
    for (std::size_t i = 0; i < set->size(); ++i) places.push_back({set, i});
  }
  std::stable_sort(places.begin(), places.end(), [](const PointPlace& a, const PointPlace& b) {
    return a.label().column < b.label().column;
  });
  return places;
}

class C3dWriter {
 public:
  explicit C3dWriter(const C3dFile& file)
      : trial_(file.trial), parameters_(file.parameters), scale_(file.scale) {}

  std::string bytes();

 private:
  void put_count(const std::string& group, const std::string& name, double value);
  void put_number(const std::string& group, const std::string& name, double value);
  void put_text(const std::string& group, const std::string& name, const std::string& value);
  void put_list(const std::string& group, const std::string& name, std::size_t rows,
                const std::vector<double>& values);
  void put_frames();
  void put_points();
  void put_analog();
  void put_events();
  void put_plates();
  std::string header(std::size_t parameter_blocks) const;
  void append_data(std::string& out) const;

  const Trial& trial_;
  C3dParameters parameters_;
  double scale_;
  std::vector<PointPlace> points_;
  AnalogCalibration calibration_;
  std::size_t samples_ = 1;  ///< analog samples per frame
};

void C3dWriter::put_count(const std::string& group, const std::string& name, double value) {
  const C3dParameter* there = parameters_.find(group, name);
  if (there && there->type != -1 && there->size() > 0 && there->count() == value) return;
  parameters_.set_integers(group, name, {}, {static_cast<int>(value)});
}

void C3dWriter::put_number(const std::string& group, const std::string& name, double value) {
  const C3dParameter* there = parameters_.find(group, name);
  if (there && there->type == 4 && there->size() > 0 &&
      static_cast<float>(there->number()) == static_cast<float>(value))
    return;
  parameters_.set_floats(group, name, {}, {value});
}

void C3dWriter::put_text(const std::string& group, const std::string& name,
                         const std::string& value) {
  const C3dParameter* there = parameters_.find(group, name);
  if (there && there->text() == value) return;
  parameters_.set_texts(group, name, {value});
}

/// Numbers, `rows` per item, in lists of at most 255 items.
void C3dWriter::put_list(const std::string& group, const std::string& name, std::size_t rows,
                         const std::vector<double>& values) {
  const std::size_t items = values.size() / rows,
                    lists = std::max<std::size_t>(1, (items + 254) / kMostInDimension);
  for (std::size_t k = 0; k < lists; ++k) {
    const std::size_t begin = k * kMostInDimension, end = std::min(items, begin + kMostInDimension);
    std::vector<int> dimensions{static_cast<int>(end - begin)};
    if (rows > 1) dimensions.insert(dimensions.begin(), static_cast<int>(rows));
    parameters_.set_floats(group, c3d_list_name(name, static_cast<int>(k) + 1), dimensions,
                           {values.begin() + static_cast<std::ptrdiff_t>(begin * rows),
                            values.begin() + static_cast<std::ptrdiff_t>(end * rows)});
  }
  for (int k = static_cast<int>(lists) + 1; parameters_.find(group, c3d_list_name(name, k)); ++k) {
    parameters_.remove(group, c3d_list_name(name, k));
  }
}

void C3dWriter::put_frames() {
  const auto frames = static_cast<double>(trial_.num_frames);
  put_count("POINT", "FRAMES", std::min(frames, kMostIn16Bits));
  if (frames >= kMostIn16Bits || parameters_.find("POINT", "LONG_FRAMES"))
    put_number("POINT", "LONG_FRAMES", frames);
  const std::int64_t first = trial_.first_frame,
                     last = first + static_cast<std::int64_t>(trial_.num_frames) - 1;
  if (last >= 65535 || parameters_.find("TRIAL", "ACTUAL_START_FIELD") ||
      parameters_.find("TRIAL", "ACTUAL_END_FIELD")) {
    const auto put_two_words = [&](const char* name, std::int64_t value) {
      const C3dParameter* there = parameters_.find("TRIAL", name);
      if (there && there->type == 2 &&
          there->count(0) + 65536 * there->count(1) == static_cast<double>(value))
        return;
      parameters_.set_integers(
          "TRIAL", name, {2},
          {static_cast<int>(value & 0xFFFF), static_cast<int>(value >> 16 & 0xFFFF)});
    };
    put_two_words("ACTUAL_START_FIELD", first);
    put_two_words("ACTUAL_END_FIELD", last);
  }
}

void C3dWriter::put_points() {
  points_ = points_in_order(trial_);
  put_count("POINT", "USED", static_cast<double>(points_.size()));
  put_number("POINT", "SCALE", -scale_);
  put_number("POINT", "RATE", trial_.rate);
  const C3dParameter* units = parameters_.find("POINT", "UNITS");
  if (!trial_.length_unit.empty() &&
      (!units || metres_in(units->text()) != trial_.metres_per_unit)) {
    put_text("POINT", "UNITS", trial_.length_unit);
  }
  WarningLog ignored;
  const auto there = c3d_point_labels(parameters_, points_.size(), ignored);
  bool same = true;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const PointLabel& label = points_[i].label();
    same &= there[i].name == label.name && there[i].kind == label.kind &&
            there[i].description == label.description;
  }
  if (same) return;
  std::vector<std::string> names, descriptions;
  std::map<PointKind, std::vector<std::string>> outputs;
  bool described = false;
  for (const PointPlace& place : points_) {
    names.push_back(place.label().name);
    descriptions.push_back(place.label().description);
    described |= !descriptions.back().empty();
    if (place.label().kind != PointKind::kMarker)
      outputs[place.label().kind].push_back(names.back());
  }
  parameters_.set_texts("POINT", "LABELS", names);
  if (described || parameters_.find("POINT", "DESCRIPTIONS"))
    parameters_.set_texts("POINT", "DESCRIPTIONS", descriptions);
  parameters_.remove("POINT", "TYPE_GROUPS");
  const std::pair<PointKind, const char*> lists[] = {
      {PointKind::kAngle, "ANGLES"},   {PointKind::kForce, "FORCES"},
      {PointKind::kMoment, "MOMENTS"}, {PointKind::kPower, "POWERS"},
      {PointKind::kScalar, "SCALARS"}, {PointKind::kModeled, "MODELED_MARKERS"}};
  for (const auto& [kind, list] : lists) {
    if (outputs.count(kind) > 0 || parameters_.find("POINT", list))
      parameters_.set_texts("POINT", list, outputs[kind]);
  }
}

void C3dWriter::put_analog() {
  const std::size_t channels = trial_.analog.size();
  samples_ = trial_.num_frames > 0
                 ? std::max<std::size_t>(1, trial_.num_samples() / trial_.num_frames)
                 : 1;
  if (channels == 0 && !parameters_.has_group("ANALOG")) return;
  put_count("ANALOG", "USED", static_cast<double>(channels));
  if (channels == 0) return;
  put_number("ANALOG", "RATE", trial_.analog_rate);
  if (!parameters_.find("ANALOG", "GEN_SCALE")) put_number("ANALOG", "GEN_SCALE", 1);
  if (parameters_.numbers("ANALOG", "SCALE").size() < channels)
    put_list("ANALOG", "SCALE", 1, std::vector<double>(channels, 1));
  if (parameters_.numbers("ANALOG", "OFFSET").size() < channels &&
      parameters_.numbers("ANALOG", "OFFSETS").size() < channels) {
    put_list("ANALOG", "OFFSET", 1, std::vector<double>(channels, 0));
  }
  WarningLog ignored;
  calibration_ = c3d_analog_calibration(parameters_, channels, ignored);
  const auto there = c3d_analog_labels(parameters_, channels, ignored);
  std::vector<std::string> names, units, descriptions;
  bool same_names = true, same_units = true, same_descriptions = true;
  for (std::size_t i = 0; i < channels; ++i) {
    names.push_back(trial_.analog[i].name);
    units.push_back(trial_.analog[i].unit);
    descriptions.push_back(trial_.analog[i].description);
    same_names &= there[i].name == names[i];
    same_units &= there[i].unit == units[i];
    same_descriptions &= there[i].description == descriptions[i];
  }
  if (!same_names) parameters_.set_texts("ANALOG", "LABELS", names);
  if (!same_units) parameters_.set_texts("ANALOG", "UNITS", units);
  if (!same_descriptions) parameters_.set_texts("ANALOG", "DESCRIPTIONS", descriptions);
}

void C3dWriter::put_events() {
  WarningLog ignored;
  const auto there = c3d_events(parameters_, ignored);
  const auto& events = trial_.events;
  const auto equal = [](const TrialEvent& a, const TrialEvent& b) {
    return std::abs(a.time - b.time) <= 1e-6 * (1 + std::abs(b.time)) && a.label == b.label &&
           a.context == b.context && a.subject == b.subject && a.description == b.description;
  };
  if (std::equal(there.begin(), there.end(), events.begin(), events.end(), equal)) return;
  std::vector<double> times;
  std::vector<std::string> labels, contexts, subjects, descriptions;
  for (const TrialEvent& event : events) {
    const double minutes = std::floor(event.time / 60);
    times.push_back(minutes);
    times.push_back(event.time - 60 * minutes);
    labels.push_back(event.label);
    contexts.push_back(event.context);
    subjects.push_back(event.subject);
    descriptions.push_back(event.description);
  }
  put_count("EVENT", "USED", static_cast<double>(events.size()));
  put_list("EVENT", "TIMES", 2, times);
  parameters_.set_texts("EVENT", "LABELS", labels);
  parameters_.set_texts("EVENT", "CONTEXTS", contexts);
  parameters_.set_texts("EVENT", "SUBJECTS", subjects);
  parameters_.set_texts("EVENT", "DESCRIPTIONS", descriptions);
}

void C3dWriter::put_plates() {
  WarningLog ignored;
  const auto there = c3d_plates(parameters_, trial_.analog.size(), ignored);
  const auto& plates = trial_.plates;
  const auto as_floats = [](const auto& values) {
    return std::vector<float>(values.begin(), values.end());
  };
  const auto equal = [&](const ForcePlate& a, const ForcePlate& b) {
    bool same = a.type == b.type && a.channels == b.channels &&
                as_floats(a.origin) == as_floats(b.origin) &&
                as_floats(a.calibration) == as_floats(b.calibration);
    for (std::size_t k = 0; k < 4; ++k) same &= as_floats(a.corners[k]) == as_floats(b.corners[k]);
    return same;
  };
  if (std::equal(there.begin(), there.end(), plates.begin(), plates.end(), equal)) return;
  const std::string group =
      parameters_.has_group("FORCE_PLATEFORM") ? "FORCE_PLATEFORM" : "FORCE_PLATFORM";
  const auto count = static_cast<int>(std::min(plates.size(), kMostInDimension));
  std::vector<int> types, channels;
  std::vector<double> corners, origins, matrices;
  std::size_t rows = 6;
  bool calibrated = false;
  for (const ForcePlate& plate : plates) {
    rows = std::max(rows, std::min(plate.channels.size(), kMostInDimension));
    calibrated |= !plate.calibration.empty();
  }
  for (const ForcePlate& plate : plates) {
    types.push_back(plate.type);
    for (std::size_t i = 0; i < rows; ++i)
      channels.push_back(i < plate.channels.size() ? plate.channels[i] + 1 : 0);
    for (const Vec3& corner : plate.corners)
      corners.insert(corners.end(), corner.begin(), corner.end());
    origins.insert(origins.end(), plate.origin.begin(), plate.origin.end());
    for (std::size_t i = 0; i < 36; ++i)
      matrices.push_back(plate.calibration.size() == 36 ? plate.calibration[i] : 0);
  }
  put_count(group, "USED", count);
  parameters_.set_integers(group, "TYPE", {count}, types);
  parameters_.set_integers(group, "CHANNEL", {static_cast<int>(rows), count}, channels);
  parameters_.set_floats(group, "CORNERS", {3, 4, count}, corners);
  parameters_.set_floats(group, "ORIGIN", {3, count}, origins);
  if (calibrated) parameters_.set_floats(group, "CAL_MATRIX", {6, 6, count}, matrices);
  if (!parameters_.find(group, "ZERO")) parameters_.set_integers(group, "ZERO", {2}, {0, 0});
}

std::string C3dWriter::header(std::size_t parameter_blocks) const {
  std::string out(512, '\0');
  const auto put_word = [&](std::size_t at, double value) {
    const auto word = static_cast<unsigned>(std::clamp(value, 0.0, kMostIn16Bits));
    out[at] = static_cast<char>(word & 0xFFU);
    out[at + 1] = static_cast<char>(word >> 8U);
  };
  const auto put_float = [&](std::size_t at, double value) {
    const auto number = static_cast<float>(value);
    std::memcpy(&out[at], &number, 4);
  };
  out[0] = 2;
  out[1] = 0x50;
  put_word(2, static_cast<double>(points_.size()));
  put_word(4, static_cast<double>(trial_.analog.size() * samples_));
  put_word(6, static_cast<double>(trial_.first_frame));
  put_word(8, static_cast<double>(trial_.first_frame) + static_cast<double>(trial_.num_frames) - 1);
  put_float(12, -scale_);
  put_word(16, static_cast<double>(2 + parameter_blocks));
  put_word(18, static_cast<double>(samples_));
  put_float(20, trial_.rate);
  put_word(298,
           12345);  // event labels of four characters; the events themselves are in the group EVENT
  return out;
}

void C3dWriter::append_data(std::string& out) const {
  const std::size_t numbers = 4 * points_.size() + trial_.analog.size() * samples_;
  std::vector<float> row(numbers);
  const std::size_t begin = out.size();
  out.resize(begin + 4 * numbers * trial_.num_frames);
  for (std::size_t f = 0; f < trial_.num_frames; ++f) {
    float* x = row.data();
    for (const PointPlace& place : points_) {
      const std::size_t i = place.set->index(f, place.index);
      const double* from = &place.set->xyz[3 * i];
      if (std::isnan(from[0])) {
        x[0] = x[1] = x[2] = 0;
        x[3] = -1;
      } else {
        for (std::size_t k = 0; k < 3; ++k) x[k] = static_cast<float>(from[k]);
        const double residual = i < place.set->residuals.size() ? place.set->residuals[i] : 0;
        const unsigned cameras = i < place.set->cameras.size() ? place.set->cameras[i] : 0;
        const double steps = std::clamp(std::round(std::max(0.0, residual) / scale_), 0.0, 255.0);
        x[3] = static_cast<float>(cameras * 256U + static_cast<unsigned>(steps));
      }
      x += 4;
    }
    for (std::size_t s = 0; s < samples_ && !trial_.analog.empty(); ++s) {
      for (std::size_t c = 0; c < trial_.analog.size(); ++c) {
        const auto& values = trial_.analog[c].values;
        const std::size_t at = f * samples_ + s;
        const double scale = calibration_.scale[c];
        const double value = at < values.size() ? values[at] : 0;
        *x++ = scale == 0 ? 0.0F : static_cast<float>(value / scale + calibration_.offset[c]);
      }
    }
    if (numbers > 0) std::memcpy(&out[begin + 4 * numbers * f], row.data(), 4 * numbers);
  }
}

std::string C3dWriter::bytes() {
  put_frames();
  put_points();
  put_analog();
  put_events();
  put_plates();
  // Its value does not change the size of the section.
  if (!parameters_.find("POINT", "DATA_START"))
    parameters_.set_integers("POINT", "DATA_START", {}, {0});
  const std::size_t blocks = c3d_parameter_bytes(parameters_).size() / 512;
  if (points_.size() > 65535 || blocks > 65000)
    throw base::InputError({trial_.file, 0, 0}, "too many points or parameters for a C3D file.");
  put_count("POINT", "DATA_START", static_cast<double>(2 + blocks));
  std::string out = header(blocks) + c3d_parameter_bytes(parameters_);
  append_data(out);
  return out;
}

}  // namespace

std::string c3d_bytes(const C3dFile& file) {
  return C3dWriter(file).bytes();
}

void write_c3d(const C3dFile& file, const std::filesystem::path& path) {
  write_text_file(path, c3d_bytes(file));
}

}  // namespace parfait::io
