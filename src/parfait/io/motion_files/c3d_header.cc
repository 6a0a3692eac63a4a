#include "parfait/io/motion_files/c3d_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "parfait/base/error.h"

namespace parfait::io {
namespace {

constexpr std::int64_t kBlock = 512;
constexpr int kEventKey = 12345;  // word 150: events with labels of four characters are there

bool is_processor(int code) {
  return code >= 84 && code <= 86;
}

/// Whether the parameter section may begin there: its fourth byte names a processor and the first
/// entry has a written name.
bool may_be_parameters(const NumberReader& file, std::int64_t at) {
  if (!file.has(at, 8) || !is_processor(file.u8(at + 3))) return false;
  const int length = std::abs(file.i8(at + 4));
  if (length == 0 || file.u8(at + 5) == 0) return false;
  for (int i = 0; i < length; ++i) {
    if (file.u8(at + 6 + i) < ' ' || file.u8(at + 6 + i) > '~') return false;
  }
  return true;
}

C3dHeader header_numbers(const NumberReader& file, std::int64_t start) {
  C3dHeader header;
  header.start = start;
  header.processor = file.processor();
  header.num_points = file.u16(start + 2);
  header.analog_per_frame = file.u16(start + 4);
  header.first_frame = file.u16(start + 6);
  header.last_frame = file.u16(start + 8);
  header.scale = file.f32(start + 12);
  header.data = file.u16(start + 16);
  header.samples_per_frame = file.u16(start + 18);
  header.rate = file.f32(start + 20);
  return header;
}

/// How many numbers of a header make sense when read as this processor would have written them.
int plausibility(const C3dHeader& header, const NumberReader& file) {
  const bool data = header.data > 1 && (header.data - 1) * kBlock < file.size();
  const bool frames = header.first_frame <= header.last_frame;
  const bool rate = header.rate > 0.01F && header.rate < 1e5F;
  const bool scale = std::abs(header.scale) > 1e-6F && std::abs(header.scale) < 1e4F;
  return 2 * data + frames + rate + scale;
}

void read_header_events(const NumberReader& file, C3dHeader& header, WarningLog& log) {
  const std::int64_t start = header.start;
  if (file.u16(start + 298) != kEventKey) return;
  int count = file.u16(start + 300);
  if (count > 18) {
    log.at_byte(
        start + 300,
        fmt::format("the header claims {} events; it has room for 18, and none is taken from it",
                    count));
    return;
  }
  for (int i = 0; i < count; ++i) {
    TrialEvent event;
    event.time = file.f32(start + 304 + 4 * i);
    std::string raw;
    for (int k = 0; k < 4; ++k) raw += static_cast<char>(file.u8(start + 396 + 4 * i + k));
    event.label = clean_text(raw);
    if (!std::isfinite(event.time)) {
      log.at_byte(start + 304 + 4 * i,
                  "the time of an event in the header is not a number; left out");
      continue;
    }
    header.events.push_back(std::move(event));
  }
}

/// Something that a parameter and the header both say.
template <class Value>
struct Said {
  Value value{};
  std::int64_t byte = -1;
};

/// What is larger, or no number at all, says nothing about a file.
constexpr double kLargest = 1e15;

std::optional<Said<double>> said(const C3dParameters& parameters, const char* group,
                                 const char* name) {
  const C3dParameter* parameter = parameters.find(group, name);
  if (!parameter || parameter->type == -1 || parameter->size() == 0) return std::nullopt;
  const double value = parameter->count();
  if (!(std::abs(value) < kLargest)) return std::nullopt;
  return Said<double>{value, parameter->byte};
}

/// A 32-bit count in two 16-bit words, the low one first.
std::optional<Said<double>> said_in_two_words(const C3dParameters& parameters, const char* name) {
  const C3dParameter* parameter = parameters.find("TRIAL", name);
  if (!parameter || parameter->type != 2 || parameter->size() < 1) return std::nullopt;
  return Said<double>{parameter->count(0) + 65536.0 * parameter->count(1), parameter->byte};
}

class LayoutFinder {
 public:
  LayoutFinder(const NumberReader& file, const C3dHeader& header, const C3dParameters& parameters,
               const std::string& file_name, WarningLog& log)
      : file_(file), header_(header), parameters_(parameters), name_(file_name), log_(log) {}

  C3dLayout find();

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw base::InputError({name_, 0, 0}, "no frame can be decoded: " + why + ".");
  }
  void find_data();
  void find_scale_and_rate();
  void find_points();
  void find_analog();
  void find_frames();
  std::int64_t room() const;

  const NumberReader& file_;
  const C3dHeader& header_;
  const C3dParameters& parameters_;
  const std::string& name_;
  WarningLog& log_;
  C3dLayout layout_;
};

void LayoutFinder::find_data() {
  const auto parameter = said(parameters_, "POINT", "DATA_START");
  const std::int64_t by_header = header_.data > 0 ? header_.start + (header_.data - 1) * kBlock : 0;
  const std::int64_t by_parameter =
      parameter && parameter->value >= 1
          ? header_.start + (static_cast<std::int64_t>(parameter->value) - 1) * kBlock
          : 0;
  const auto inside = [&](std::int64_t at) {
    return at >= header_.start + kBlock && at < file_.size();
  };
  if (by_parameter > 0 && by_header > 0 && by_parameter != by_header) {
    log_.at_byte(
        parameter->byte,
        fmt::format("POINT:DATA_START leads to byte {}, the header to byte {}; the {} is believed",
                    by_parameter, by_header, inside(by_header) ? "header" : "parameter"));
  }
  layout_.data = inside(by_header) ? by_header : by_parameter;
  if (!inside(layout_.data)) {
    fail(fmt::format("the data begin at byte {}, but the file has {} bytes",
                     std::max(by_header, by_parameter), file_.size()));
  }
}

void LayoutFinder::find_scale_and_rate() {
  const auto usable = [](double x) { return std::isfinite(x) && x != 0 && std::abs(x) < 1e30; };
  const C3dParameter* scale = parameters_.find("POINT", "SCALE");
  const double by_parameter = scale ? scale->number() : 0;
  double value = header_.scale;
  if (!usable(value) || std::abs(value) < 1e-30) {
    value = by_parameter;
    log_.at_byte(header_.start + 12,
                 fmt::format("the scale in the header is {}; POINT:SCALE is used", header_.scale));
  } else if (usable(by_parameter) && std::abs(by_parameter - value) > 1e-5 * std::abs(value)) {
    // Of the files known to disagree, those with integers have a human size by the header's scale
    // only.
    log_.at_byte(scale->byte,
                 fmt::format("POINT:SCALE is {:g}, the header says {:g}, which is used",
                             by_parameter, value));
  }
  layout_.is_float = value < 0;
  layout_.scale = static_cast<float>(std::abs(value));
  if (!usable(layout_.scale)) {
    log_.at_byte(header_.start + 12,
                 "neither header nor POINT:SCALE have a scale; 1 and floats are assumed");
    layout_.is_float = true;
    layout_.scale = 1;
  }

  const auto is_rate = [](double x) { return std::isfinite(x) && x > 0 && x < 1e7; };
  const C3dParameter* rate = parameters_.find("POINT", "RATE");
  const double rate_by_parameter = rate ? rate->number() : 0;
  layout_.rate = is_rate(rate_by_parameter) ? rate_by_parameter : header_.rate;
  if (rate && !is_rate(rate_by_parameter)) {
    log_.at_byte(rate->byte, fmt::format("POINT:RATE is {:g}; the header's {:g} is used",
                                         rate_by_parameter, header_.rate));
  } else if (rate && is_rate(header_.rate) &&
             std::abs(header_.rate - rate_by_parameter) > 1e-4 * rate_by_parameter) {
    log_.at_byte(rate->byte,
                 fmt::format("POINT:RATE is {:g}, the header says {:g}; the parameter is used",
                             rate_by_parameter, header_.rate));
  }
  if (!is_rate(layout_.rate)) {
    log_.at_byte(header_.start + 20, "no rate is given anywhere; 1 frame per second is assumed");
    layout_.rate = 1;
  }
}

void LayoutFinder::find_points() {
  layout_.num_points = static_cast<std::size_t>(header_.num_points);
  const auto used = said(parameters_, "POINT", "USED");
  if (used && used->value != header_.num_points && std::isfinite(used->value)) {
    const bool header_too_large =
        header_.num_points > 0 &&
        layout_.data + 4 * layout_.number_bytes() * header_.num_points > file_.size();
    const bool believe =
        (header_.num_points == 0 || header_too_large) && used->value >= 0 && used->value <= 65535;
    if (believe) layout_.num_points = static_cast<std::size_t>(used->value);
    log_.at_byte(used->byte,
                 fmt::format("POINT:USED is {}, the header says {} points; {} is believed",
                             used->value, header_.num_points, layout_.num_points));
  }
}

void LayoutFinder::find_analog() {
  const auto used = said(parameters_, "ANALOG", "USED");
  const auto per_frame = static_cast<std::size_t>(header_.analog_per_frame);
  auto samples = static_cast<std::size_t>(header_.samples_per_frame);
  layout_.samples_per_frame = 1;
  if (per_frame == 0) {
    if (used && used->value > 0) {
      log_.at_byte(
          used->byte,
          fmt::format("ANALOG:USED is {}, but the header says that frames hold no analog samples",
                      used->value));
    }
    return;
  }
  const auto channels =
      used && used->value >= 1 && used->value <= 65535 ? static_cast<std::size_t>(used->value) : 0;
  if (samples == 0 || per_frame % samples != 0) {
    const std::size_t guess = channels > 0 && per_frame % channels == 0 ? per_frame / channels : 1;
    log_.at_byte(
        header_.start + 18,
        fmt::format("the header has {} analog samples per frame of {} numbers; {} is assumed",
                    samples, per_frame, guess));
    samples = guess;
  }
  layout_.samples_per_frame = samples;
  layout_.num_channels = per_frame / samples;
  if (used && used->value != static_cast<double>(layout_.num_channels)) {
    log_.at_byte(
        used->byte,
        fmt::format("ANALOG:USED is {}, but the header says {} channels, which is believed",
                    used->value, layout_.num_channels));
  }
}

/// Bytes between the beginning of the data and whatever follows them.
std::int64_t LayoutFinder::room() const {
  std::int64_t end = file_.size();
  // Rotations lie behind the points and must not be taken for frames.
  const auto rotations = said(parameters_, "ROTATION", "DATA_START");
  if (rotations && std::isfinite(rotations->value) && rotations->value >= 1 &&
      rotations->value < 1e12) {
    const std::int64_t at =
        header_.start + (static_cast<std::int64_t>(rotations->value) - 1) * kBlock;
    if (at > layout_.data) end = std::min(end, at);
  }
  return end - layout_.data;
}

void LayoutFinder::find_frames() {
  const std::int64_t bytes = layout_.frame_bytes();
  if (bytes == 0) fail("there are neither points nor analog channels");
  const std::int64_t whole_frames = room() / bytes;
  const auto held = static_cast<double>(whole_frames);
  if (held < 1) {
    fail(fmt::format("a frame needs {} bytes, but only {} follow where the data begin (byte {})",
                     bytes, room(), layout_.data));
  }

  // Each statement in the order of trust; header words saturate at 65535.
  struct Statement {
    const char* who;
    double frames;
    std::int64_t byte;
  };
  std::vector<Statement> statements;
  const auto start = said_in_two_words(parameters_, "ACTUAL_START_FIELD");
  const auto stop = said_in_two_words(parameters_, "ACTUAL_END_FIELD");
  const bool trial = start && stop && stop->value >= start->value;
  if (trial) {
    statements.push_back({"TRIAL:ACTUAL_END_FIELD", stop->value - start->value + 1, stop->byte});
  } else if (start && stop) {
    log_.at_byte(
        stop->byte,
        fmt::format("TRIAL:ACTUAL_END_FIELD {} is before ACTUAL_START_FIELD {}; both are ignored",
                    stop->value, start->value));
  }
  if (const auto frames = said(parameters_, "POINT", "LONG_FRAMES"); frames && frames->value >= 1) {
    statements.push_back({"POINT:LONG_FRAMES", std::floor(frames->value), frames->byte});
  }
  if (const auto frames = said(parameters_, "POINT", "FRAMES"); frames) {
    // -1 and 65535 mean: more than 16 bits can say.
    if (frames->value >= 1 && frames->value != 65535)
      statements.push_back({"POINT:FRAMES", std::floor(frames->value), frames->byte});
  }
  const bool saturated = header_.last_frame == 65535;
  const double by_header = header_.last_frame - header_.first_frame + 1;
  if (by_header >= 1 && !saturated)
    statements.push_back({"the header", by_header, header_.start + 6});

  layout_.first_frame = trial ? static_cast<std::int64_t>(start->value) : header_.first_frame;
  if (layout_.first_frame == 0) {
    log_.at_byte(trial ? start->byte : header_.start + 6,
                 "the first frame has the number 0; C3D counts from 1");
  }
  double frames = held;
  if (statements.empty()) {
    log_.at_byte(
        header_.start + 6,
        fmt::format("nothing says how many frames there are; the file has room for {:.0f}", held));
  } else {
    frames = statements.front().frames;
    for (const auto& other : statements) {
      if (other.frames == frames) continue;
      log_.at_byte(other.byte,
                   fmt::format("{} says {:.0f} frames, {} says {:.0f}, which is believed",
                               other.who, other.frames, statements.front().who, frames));
    }
    if (frames > held) {
      log_.at_byte(layout_.data + static_cast<std::int64_t>(held) * bytes,
                   fmt::format("the file ends after {:.0f} of {:.0f} frames", held, frames));
    }
  }
  layout_.num_frames = static_cast<std::size_t>(std::min(frames, held));
}

C3dLayout LayoutFinder::find() {
  find_data();
  find_scale_and_rate();
  find_points();
  find_analog();
  find_frames();
  return layout_;
}

}  // namespace

C3dHeader read_c3d_header(Bytes bytes, const std::string& file_name, WarningLog& log) {
  const base::Place place{file_name, 0, 0};
  const NumberReader any(bytes, Processor::kIntel);
  std::int64_t start = 0;
  while (start < any.size() && any.u8(start) == 0) ++start;
  if (start > 0 && any.u8(start + 1) != 0x50) start = 0;
  if (any.size() - start < 2 * kBlock) {
    throw base::InputError(
        place,
        fmt::format("no frame can be decoded: {} bytes are too few for a C3D file.", any.size()));
  }
  if (start > 0) log.at_byte(0, fmt::format("{} zero bytes stand before the header", start));

  std::int64_t section = start + (any.u8(start) - 1) * kBlock;
  if (any.u8(start) < 2 || !may_be_parameters(any, section)) {
    std::int64_t found = -1;
    for (std::int64_t block = 1; block < 256 && found < 0; ++block) {
      if (may_be_parameters(any, start + block * kBlock)) found = start + block * kBlock;
    }
    if (found < 0 && any.u8(start + 1) != 0x50) {
      throw base::InputError(place,
                             "no frame can be decoded: this is no C3D file (its second byte is not "
                             "0x50 and no parameters "
                             "can be found).");
    }
    if (found >= 0) {
      log.at_byte(
          start,
          fmt::format(
              "no parameters begin in block {}, where the header says; those at byte {} are read",
              any.u8(start), found));
    }
    if (found >= 0 || section < start + kBlock || section >= any.size())
      section = std::max(found, start + kBlock);
  }
  if (any.u8(start + 1) != 0x50) {
    log.at_byte(start + 1,
                fmt::format("the second byte is 0x{:02x} instead of 0x50", any.u8(start + 1)));
  }

  int code = any.u8(section + 3);
  if (!is_processor(code)) {
    int best = -1;
    const int said = code;
    for (const int candidate : {84, 86, 85}) {
      const NumberReader file(bytes, static_cast<Processor>(candidate));
      const int score = plausibility(header_numbers(file, start), file);
      if (score > best) {
        best = score;
        code = candidate;
      }
    }
    log.at_byte(
        section + 3,
        fmt::format("the processor is given as {}; numbers make most sense as {}", said, code));
  }
  const NumberReader file(bytes, static_cast<Processor>(code));
  C3dHeader header = header_numbers(file, start);
  header.parameters = section;
  read_header_events(file, header, log);
  return header;
}

C3dLayout find_c3d_layout(const NumberReader& file, const C3dHeader& header,
                          const C3dParameters& parameters, const std::string& file_name,
                          WarningLog& log) {
  return LayoutFinder(file, header, parameters, file_name, log).find();
}

}  // namespace parfait::io
