#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

#include "parfait/io/motion_files/c3d_parameters.h"

namespace parfait::io {
namespace {

constexpr int kMostDimensions = 7;
constexpr std::size_t kMostParameters = 10000;  // real files have at most some hundreds

std::string in_capitals(std::string_view name) {
  std::string out = clean_text(name);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

/// What stands at a place of the section, taken at its word.
struct Entry {
  std::int64_t begin = 0;
  int name_length = 0;
  int id = 0;
  std::int64_t offset_field = 0;  ///< where the offset to the next entry stands
  int offset = 0;
  int type = 0;
  int num_dimensions = 0;
  std::int64_t data = 0;   ///< of a parameter
  std::int64_t bytes = 0;  ///< of its data, as the dimensions say
  std::int64_t stop = 0;   ///< behind the description, as the lengths say

  bool is_end() const { return name_length == 0; }
  bool is_group() const { return id < 0; }
  std::int64_t target() const { return offset_field + offset; }
};

class SectionReader {
 public:
  SectionReader(const NumberReader& file, std::int64_t begin, std::int64_t end, WarningLog& log)
      : file_(file), begin_(begin), end_(std::min(end, file.size())), log_(log) {}

  C3dParameters read();

 private:
  bool look_at(std::int64_t at, Entry& entry) const;
  bool is_plausible(std::int64_t at, bool strictly) const;
  std::int64_t after(const Entry& entry);
  void take(const Entry& entry, std::int64_t next);
  void take_parameter(const Entry& entry, std::int64_t next);
  std::string bytes(std::int64_t at, std::int64_t count) const;
  void name_groups();

  const NumberReader& file_;
  std::int64_t begin_, end_;
  WarningLog& log_;
  C3dParameters found_;
  std::vector<int> ids_;  ///< group of each parameter
};

/// False if the section ends before the entry says what it is.
bool SectionReader::look_at(std::int64_t at, Entry& entry) const {
  entry = {};
  entry.begin = at;
  if (at < begin_ || at + 2 > end_) return false;
  entry.name_length = std::abs(file_.i8(at));
  entry.id = file_.i8(at + 1);
  if (entry.is_end() || entry.id == 0) return true;
  entry.offset_field = at + 2 + entry.name_length;
  if (entry.offset_field + 2 > end_) return false;
  entry.offset = file_.u16(entry.offset_field);
  std::int64_t behind = entry.offset_field + 2;
  if (!entry.is_group()) {
    if (behind + 2 > end_) return false;
    entry.type = file_.i8(behind);
    entry.num_dimensions = file_.u8(behind + 1);
    entry.data = behind + 2 + entry.num_dimensions;
    if (entry.data > end_) return false;
    entry.bytes = std::abs(entry.type);
    for (int i = 0; i < std::min(entry.num_dimensions, kMostDimensions); ++i) {
      entry.bytes *= file_.u8(behind + 2 + i);
    }
    behind = entry.data + entry.bytes;
  }
  entry.stop = behind < end_ ? behind + 1 + file_.u8(behind) : behind;
  return true;
}

/// Whether an entry may begin there. Strictly: a written name, and an offset that agrees with the
/// lengths; for a search through bytes that mean nothing.
bool SectionReader::is_plausible(std::int64_t at, bool strictly) const {
  Entry entry;
  if (!look_at(at, entry)) return false;
  if (entry.is_end()) return !strictly;
  if (entry.id == 0) return false;
  for (std::int64_t i = at + 2; i < entry.offset_field; ++i) {
    const std::uint8_t c = file_.u8(i);
    const bool word =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (strictly ? !word : c < ' ') return false;
  }
  if (!entry.is_group()) {
    const bool known = entry.type == -1 || entry.type == 1 || entry.type == 2 || entry.type == 4;
    if (!known || entry.num_dimensions > kMostDimensions) return false;
  }
  if (!strictly) return entry.target() <= end_;
  return entry.name_length >= 2 && entry.stop <= end_ && entry.target() == entry.stop;
}

/// Where the next entry begins; end_ if there is none. Always behind entry.begin.
std::int64_t SectionReader::after(const Entry& entry) {
  if (entry.offset == 0) return end_;
  const std::int64_t target = entry.target();
  if (target == entry.stop) return target;
  const bool overlaps = target < entry.stop;
  if (is_plausible(target, false)) {
    // Some programs leave room behind an entry: that is no oddity.
    if (overlaps && !entry.is_group() && target < entry.data + entry.bytes) {
      log_.at_byte(entry.begin, fmt::format("the parameter claims to be {} bytes long, but the "
                                            "next one begins inside, at byte {}; "
                                            "its data are cut there",
                                            entry.data + entry.bytes - entry.begin, target));
    } else if (overlaps) {
      log_.once_at_byte(
          "description", entry.begin,
          fmt::format("the offset to the next parameter leads into the description of this one, "
                      "to byte {}; descriptions are left out where this is so",
                      target));
    }
    return target;
  }
  if (is_plausible(entry.stop, false)) {
    log_.at_byte(entry.offset_field,
                 fmt::format("the offset to the next parameter leads to byte {}, where "
                             "none begins; went on at byte {}, behind this one's data",
                             target, entry.stop));
    return entry.stop;
  }
  for (std::int64_t at = entry.offset_field + 2; at < end_; ++at) {
    if (is_plausible(at, true)) {
      log_.at_byte(
          entry.offset_field,
          fmt::format("the offset to the next parameter leads nowhere; the next that can be "
                      "recognized begins at byte {}",
                      at));
      return at;
    }
  }
  log_.at_byte(entry.offset_field,
               "the offset to the next parameter leads nowhere, and none can be recognized "
               "behind it; parameters that may follow are lost");
  return end_;
}

std::string SectionReader::bytes(std::int64_t at, std::int64_t count) const {
  count = std::clamp<std::int64_t>(count, 0, end_ - std::min(at, end_));
  std::string out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) out += static_cast<char>(file_.u8(at + i));
  return out;
}

void SectionReader::take_parameter(const Entry& entry, std::int64_t next) {
  C3dParameter parameter;
  parameter.byte = entry.begin;
  parameter.locked = file_.i8(entry.begin) < 0;
  parameter.spelling = bytes(entry.begin + 2, entry.name_length);
  parameter.name = in_capitals(parameter.spelling);
  parameter.type = entry.type;
  const bool known = entry.type == -1 || entry.type == 1 || entry.type == 2 || entry.type == 4;
  if (!known || entry.num_dimensions > kMostDimensions) {
    log_.at_byte(
        entry.begin,
        fmt::format("parameter {} has type {} and {} dimensions, which no C3D file may have; "
                    "left out",
                    parameter.name, entry.type, entry.num_dimensions));
    return;
  }
  for (int i = 0; i < entry.num_dimensions; ++i) {
    parameter.dimensions.push_back(file_.u8(entry.offset_field + 4 + i));
  }
  const std::int64_t limit = std::min(next, end_);
  std::int64_t count = entry.bytes;
  if (entry.data + count > limit) {
    count =
        std::max<std::int64_t>(0, limit - entry.data) / std::abs(entry.type) * std::abs(entry.type);
    if (limit == end_) {
      log_.at_byte(
          entry.begin,
          fmt::format("parameter {} reaches beyond the parameter section; only {} of its {} bytes "
                      "were read",
                      parameter.name, count, entry.bytes));
    }
  }
  parameter.data = bytes(entry.data, count);
  if (entry.type == 2 || entry.type == 4) {
    // Numbers are kept as on Intel processors.
    for (std::int64_t i = 0; i < count; i += entry.type) {
      std::uint32_t bits = 0;
      if (entry.type == 2) {
        bits = file_.u16(entry.data + i);
      } else {
        bits = std::bit_cast<std::uint32_t>(file_.f32(entry.data + i));
      }
      for (int k = 0; k < entry.type; ++k) {
        parameter.data[static_cast<std::size_t>(i + k)] =
            static_cast<char>(bits >> (8 * k) & 0xFFU);
      }
    }
  }
  const std::int64_t description = entry.data + entry.bytes;
  if (description + 1 <= limit) {
    const std::int64_t length = file_.u8(description);
    if (description + 1 + length <= limit) parameter.description = bytes(description + 1, length);
  }
  found_.all.push_back(std::move(parameter));
  ids_.push_back(entry.id);
}

void SectionReader::take(const Entry& entry, std::int64_t next) {
  if (!entry.is_group()) return take_parameter(entry, next);
  C3dGroup group;
  group.id = -entry.id;
  group.locked = file_.i8(entry.begin) < 0;
  group.name = in_capitals(bytes(entry.begin + 2, entry.name_length));
  const std::int64_t length = file_.u8(entry.offset_field + 2);
  group.description =
      bytes(entry.offset_field + 3, std::min(length, end_ - entry.offset_field - 3));
  for (const auto& other : found_.groups) {
    if (other.id == group.id) {
      log_.at_byte(
          entry.begin,
          fmt::format("group {} has the number {}, which is that of {}; its parameters are "
                      "taken as parameters of the latter",
                      group.name, group.id, other.name));
      return;
    }
  }
  found_.groups.push_back(std::move(group));
}

void SectionReader::name_groups() {
  std::map<int, std::string> names;
  for (const auto& group : found_.groups) names[group.id] = group.name;
  std::map<std::string, bool> seen;
  int twice = 0;
  std::string first_twice;
  std::int64_t twice_at = -1;
  std::vector<C3dParameter> kept;
  for (std::size_t i = 0; i < found_.all.size(); ++i) {
    C3dParameter& parameter = found_.all[i];
    const auto it = names.find(ids_[i]);
    if (it == names.end()) {
      const std::string name = fmt::format("#{}", ids_[i]);
      names[ids_[i]] = name;
      found_.groups.push_back({ids_[i], name, "", false});
      log_.at_byte(parameter.byte,
                   fmt::format("parameter {} belongs to group {}, which has no name",
                               parameter.name, ids_[i]));
    }
    parameter.group = names[ids_[i]];
    if (!seen.try_emplace(parameter.group + ":" + parameter.name, true).second) {
      if (twice++ == 0) {
        first_twice = parameter.group + ":" + parameter.name;
        twice_at = parameter.byte;
      }
      continue;
    }
    kept.push_back(std::move(parameter));
  }
  found_.all = std::move(kept);
  if (twice > 0) {
    log_.at_byte(
        twice_at,
        fmt::format("{} parameters are there twice, {} is the first; of each the first counts",
                    twice, first_twice));
  }
}

C3dParameters SectionReader::read() {
  const std::int64_t nominal = begin_ + 512 * std::int64_t{file_.u8(begin_ + 2)};
  bool told = file_.u8(begin_ + 2) == 0;
  for (std::int64_t at = begin_ + 4; at < end_;) {
    Entry entry;
    if (!look_at(at, entry)) {
      log_.at_byte(at, "the parameter section ends in the middle of a parameter");
      break;
    }
    if (entry.is_end()) break;
    if (entry.id == 0) {
      log_.at_byte(at,
                   "an entry of the parameter section is neither group nor parameter; what follows "
                   "is left out");
      break;
    }
    const std::int64_t next = after(entry);
    if (!told && std::min(entry.stop, next) > nominal) {
      told = true;
      log_.at_byte(
          at,
          fmt::format(
              "the parameter section says that it ends at byte {}, but goes on; read to its end",
              nominal));
    }
    take(entry, next);
    at = next;
    if (found_.all.size() == kMostParameters) {
      log_.at_byte(at,
                   fmt::format("more than {} parameters; the rest is left out", kMostParameters));
      break;
    }
  }
  name_groups();
  return std::move(found_);
}

}  // namespace

C3dParameters read_c3d_parameters(const NumberReader& file, std::int64_t begin, std::int64_t end,
                                  WarningLog& log) {
  return SectionReader(file, begin, end, log).read();
}

}  // namespace parfait::io
