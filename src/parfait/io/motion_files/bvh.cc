#include "parfait/io/motion_files/bvh.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/text_lines.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace {

constexpr std::array<std::string_view, 6> kChannelNames = {"Xposition", "Yposition", "Zposition",
                                                           "Xrotation", "Yrotation", "Zrotation"};
constexpr std::size_t kMostJoints = 10000;

/// Words of the file one after the other, with their lines.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : lines_(text) {}

  /// Empty at the end.
  std::string_view next() {
    while (at_ >= words_.size()) {
      std::string_view line;
      if (!lines_.next(line)) return {};
      split_words(line, words_);
      at_ = 0;
    }
    return words_[at_++];
  }
  /// The words that are left in the line, joined; for names with blanks. Cleaning turns other signs
  /// into blanks, of which one is left: the name reads back as it is written.
  std::string rest_of_line() {
    std::string line;
    for (; at_ < words_.size() && words_[at_] != "{"; ++at_) {
      line += std::string(words_[at_]) + ' ';
    }
    std::vector<std::string_view> words;
    const std::string clean = clean_text(line);
    split_words(clean, words);
    return fmt::format("{}", fmt::join(words, " "));
  }
  int line() const { return lines_.number(); }

 private:
  LineReader lines_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& file_name) : words_(text) {
    file_.file = file_name;
  }

  BvhFile read();

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw base::InputError({file_.file, words_.line(), 0}, "no frame can be decoded: " + why + ".");
  }
  double number(const char* of);
  void read_joint(const std::string& name, bool is_end);
  void read_channels(BvhJoint& joint);
  void read_tree();
  void read_motion();
  void name_joints();

  WordReader words_;
  WarningLog log_;
  BvhFile file_;
  std::vector<int> open_;  ///< joints whose brace is not closed yet
};

double BvhReader::number(const char* of) {
  const auto word = words_.next();
  const double value = word.empty() ? std::nan("") : cell_value(word).value;
  if (std::isnan(value))
    fail(fmt::format("{} must be a number, not \"{}\"", of, clean_text(word.substr(0, 30))));
  return value;
}

void BvhReader::read_channels(BvhJoint& joint) {
  const double count = number("the number of channels");
  const double all = static_cast<double>(joint.channels.size()) + count;  // of several lines
  if (!(count >= 0 && all <= 6)) fail(fmt::format("a joint has 0 to 6 channels, not {}", all));
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const auto word = words_.next();
    std::size_t k = 0;
    while (k < kChannelNames.size() && !same_word(word, kChannelNames[k])) ++k;
    if (k == kChannelNames.size())
      fail(fmt::format("\"{}\" is not a channel; channels are Xposition ... Zrotation",
                       clean_text(word.substr(0, 30))));
    joint.channels.push_back(static_cast<BvhChannel>(k));
  }
  file_.num_channels += static_cast<std::size_t>(count);
}

void BvhReader::read_joint(const std::string& name, bool is_end) {
  if (file_.joints.size() == kMostJoints)
    fail(fmt::format("there are more than {} joints", kMostJoints));
  BvhJoint joint;
  joint.parent = open_.empty() ? -1 : open_.back();
  joint.is_end = is_end;
  joint.name = is_end && joint.parent >= 0
                   ? file_.joints[static_cast<std::size_t>(joint.parent)].name + ".end"
                   : name;
  if (words_.next() != "{")
    fail(fmt::format("\"{{\" must follow the name of joint \"{}\"", joint.name));
  open_.push_back(static_cast<int>(file_.joints.size()));
  file_.joints.push_back(std::move(joint));
}

/// HIERARCHY, up to MOTION. Without recursion, so that no file is too deep.
void BvhReader::read_tree() {
  if (!same_word(words_.next(), "HIERARCHY")) fail("the file must begin with HIERARCHY");
  for (;;) {
    const auto word = words_.next();
    if (word.empty()) fail("the file ends within its joints");
    if (same_word(word, "MOTION")) {
      if (!open_.empty()) fail(fmt::format("{} joints are not closed with a brace", open_.size()));
      if (file_.joints.empty()) fail("there is no joint");
      return;
    }
    if (same_word(word, "ROOT") || same_word(word, "JOINT")) {
      read_joint(words_.rest_of_line(), false);
    } else if (same_word(word, "End")) {
      words_.rest_of_line();  // "Site"
      read_joint("", true);
    } else if (word == "}") {
      if (open_.empty()) fail("a brace is closed that was not opened");
      open_.pop_back();
    } else if (open_.empty()) {
      fail(fmt::format("\"{}\" stands outside of a joint", clean_text(word.substr(0, 30))));
    } else if (same_word(word, "OFFSET")) {
      for (double& x : file_.joints[static_cast<std::size_t>(open_.back())].offset)
        x = number("an offset");
    } else if (same_word(word, "CHANNELS")) {
      read_channels(file_.joints[static_cast<std::size_t>(open_.back())]);
    } else {
      log_.once_at_line("word", words_.line(),
                        fmt::format("\"{}\" is not known here; such words are left out",
                                    clean_text(word.substr(0, 30))));
    }
  }
}

void BvhReader::read_motion() {
  double said = -1;
  std::string_view word = words_.next();
  const int line = words_.line();
  if (begins_with_word(word, "Frames")) {
    if (same_word(word, "Frames")) words_.next();  // "Frames :"
    said = number("the number of frames");
    word = words_.next();
  }
  if (same_word(word, "Frame")) {
    const auto time = words_.next();  // "Time:" or "Time"
    if (same_word(time, "Time")) words_.next();
    file_.frame_time = number("the frame time");
    word = words_.next();
  }
  if (file_.num_channels == 0) fail("the joints have no channels");
  if (file_.joints.size() > 4 * file_.num_channels + 100)
    fail("nearly all joints have no channels");
  while (!word.empty()) {
    const auto value = cell_value(word);
    if (std::isnan(value.value)) {
      log_.once_at_line("value", words_.line(),
                        fmt::format("\"{}\" is not a number; 0 is used for such values",
                                    clean_text(word.substr(0, 30))));
    }
    file_.values.push_back(std::isnan(value.value) ? 0 : value.value);
    word = words_.next();
  }
  const std::size_t extra = file_.values.size() % file_.num_channels;
  if (extra != 0) {
    log_.at_line(words_.line(), fmt::format("the last frame has {} of {} values; left out", extra,
                                            file_.num_channels));
    file_.values.resize(file_.values.size() - extra);
  }
  if (file_.num_frames() == 0) fail("there is no whole frame");
  if (said != static_cast<double>(file_.num_frames())) {
    log_.at_line(line, said < 0 ? "the number of frames is not given"
                                : fmt::format("{} frames are announced, but there are {}", said,
                                              file_.num_frames()));
  }
  if (!(file_.frame_time > 0) || file_.frame_time > 1e6) {
    log_.at_line(line, "the frame time is missing or not positive; 1/30 s is assumed");
    file_.frame_time = 1.0 / 30;
  }
}

void BvhReader::name_joints() {
  std::vector<std::string> names;
  for (const auto& joint : file_.joints) names.push_back(joint.name);
  if (make_unique(names, "joint") > 0)
    log_.at_line(1, "joints have the same name or none, and were given others");
  for (std::size_t i = 0; i < names.size(); ++i) file_.joints[i].name = names[i];
}

BvhFile BvhReader::read() {
  read_tree();
  read_motion();
  name_joints();
  file_.warnings = log_.take();
  return std::move(file_);
}

/// A place and axes, x_parent = p + R x.
struct BvhFrame {
  Vec3 p{};
  std::array<double, 9> R{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< by row

  Vec3 turned(const Vec3& x) const {
    return {R[0] * x[0] + R[1] * x[1] + R[2] * x[2], R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
            R[6] * x[0] + R[7] * x[1] + R[8] * x[2]};
  }
  /// R := R R_axis(angle)
  void turn(std::size_t axis, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (std::size_t row = 0; row < 3; ++row) {
      const double x = R[3 * row + a], y = R[3 * row + b];
      R[3 * row + a] = c * x + s * y;
      R[3 * row + b] = c * y - s * x;
    }
  }
};

}  // namespace

BvhFile read_bvh(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  return read_bvh_text(bytes.text(), file.string());
}

BvhFile read_bvh_text(std::string_view text, const std::string& file_name) {
  return BvhReader(text, file_name).read();
}

std::string bvh_text(const BvhFile& file) {
  std::string out = "HIERARCHY\n";
  std::vector<int> open;
  const auto close_down_to = [&](int parent) {
    while (!open.empty() && open.back() != parent) {
      open.pop_back();
      out += std::string(open.size(), '\t') + "}\n";
    }
  };
  for (std::size_t i = 0; i < file.joints.size(); ++i) {
    const BvhJoint& joint = file.joints[i];
    close_down_to(joint.parent);
    const std::string indent(open.size(), '\t');
    const std::string name = joint.is_end ? std::string("End Site")
                                          : (joint.parent < 0 ? "ROOT " : "JOINT ") + joint.name;
    out += fmt::format("{0}{1}\n{0}{{\n", indent, name);
    out += fmt::format("{}\tOFFSET {} {} {}\n", indent, number_text(joint.offset[0]),
                       number_text(joint.offset[1]), number_text(joint.offset[2]));
    if (!joint.is_end ||
        !joint.channels.empty()) {  // an odd end has some: its numbers are in the rows
      out += fmt::format("{}\tCHANNELS {}", indent, joint.channels.size());
      for (const BvhChannel channel : joint.channels)
        out += " " + std::string(kChannelNames[static_cast<std::size_t>(channel)]);
      out += '\n';
    }
    open.push_back(static_cast<int>(i));
  }
  close_down_to(-1);
  out += fmt::format("MOTION\nFrames: {}\nFrame Time: {}\n", file.num_frames(),
                     number_text(file.frame_time));
  for (std::size_t f = 0; f < file.num_frames(); ++f) {
    for (std::size_t c = 0; c < file.num_channels; ++c)
      out += (c ? " " : "") + number_text(file.values[f * file.num_channels + c]);
    out += '\n';
  }
  return out;
}

void write_bvh(const BvhFile& file, const std::filesystem::path& path) {
  write_text_file(path, bvh_text(file));
}

Trial bvh_trial(const BvhFile& file) {
  Trial trial;
  trial.file = file.file;
  trial.format = "BVH";
  trial.rate = 1 / file.frame_time;
  trial.num_frames = file.num_frames();
  for (std::size_t i = 0; i < file.joints.size(); ++i) {
    PointLabel label;
    label.name = label.file_name = file.joints[i].name;
    label.column = static_cast<int>(i);
    trial.markers.points.push_back(std::move(label));
  }
  trial.markers.resize(trial.num_frames);
  std::vector<BvhFrame> frames(file.joints.size());
  for (std::size_t f = 0; f < trial.num_frames; ++f) {
    const double* value = &file.values[f * file.num_channels];
    for (std::size_t i = 0; i < file.joints.size(); ++i) {
      const BvhJoint& joint = file.joints[i];
      const BvhFrame parent =
          joint.parent < 0 ? BvhFrame{} : frames[static_cast<std::size_t>(joint.parent)];
      BvhFrame frame = parent;
      Vec3 place = joint.offset;
      for (const BvhChannel channel : joint.channels) {
        const auto k = static_cast<std::size_t>(channel);
        if (k < 3) {
          place[k] += *value++;
        } else {
          frame.turn(k - 3, *value++ * std::numbers::pi / 180);
        }
      }
      const Vec3 arm = parent.turned(place);
      for (std::size_t k = 0; k < 3; ++k) frame.p[k] = parent.p[k] + arm[k];
      frames[i] = frame;
      const std::size_t at = trial.markers.index(f, i);
      for (std::size_t k = 0; k < 3; ++k) trial.markers.xyz[3 * at + k] = frame.p[k];
      trial.markers.residuals[at] = 0;
    }
  }
  WarningLog log;
  double reach = 0;
  for (const auto& joint : file.joints) {
    for (const double x : joint.offset) reach = std::max(reach, std::abs(x));
  }
  // The longest offset of a person is a thigh, a shank or the trunk: 0.3 to 0.6 m.
  find_units(trial, reach > 100 ? "mm" : reach > 5 ? "cm" : "m", -1, 1, log);
  trial.unit_reason = fmt::format("the longest offset of a joint is {:.4g}", reach);
  find_up(trial, "", -1, log);
  trial.warnings = file.warnings;
  trial.warnings.push_back({fmt::format("BVH files have no unit; taken as {}, since {}",
                                        trial.length_unit, trial.unit_reason),
                            -1, 1});
  for (auto& warning : log.take()) trial.warnings.push_back(std::move(warning));
  return trial;
}

MotionTable bvh_table(const BvhFile& file) {
  MotionTable table;
  table.file = file.file;
  table.format = "BVH";
  table.angles_stated = true;
  for (const auto& joint : file.joints) {
    for (const BvhChannel channel : joint.channels) {
      table.columns.push_back(
          fmt::format("{}.{}", joint.name, kChannelNames[static_cast<std::size_t>(channel)]));
    }
  }
  make_unique(table.columns, "channel");
  table.values.resize(table.columns.size());
  for (std::size_t f = 0; f < file.num_frames(); ++f) {
    table.time.push_back(static_cast<double>(f) * file.frame_time);
    for (std::size_t c = 0; c < file.num_channels; ++c)
      table.values[c].push_back(file.values[f * file.num_channels + c]);
  }
  return table;
}

}  // namespace parfait::io
