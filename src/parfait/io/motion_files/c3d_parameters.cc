#include "parfait/io/motion_files/c3d_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "parfait/base/error.h"

namespace parfait::io {
namespace {

constexpr std::size_t kMostTexts = 100000;  // there are at most 65535 points

std::int16_t stored_i16(const std::string& data, std::size_t at) {
  const auto a = static_cast<std::uint8_t>(data[at]), b = static_cast<std::uint8_t>(data[at + 1]);
  return static_cast<std::int16_t>(b << 8U | a);
}

float stored_f32(const std::string& data, std::size_t at) {
  float value = 0;
  std::memcpy(&value, data.data() + at, 4);  // Intel bytes on an Intel machine
  return value;
}

void append_u16(std::string& out, unsigned value) {
  out += static_cast<char>(value & 0xFFU);
  out += static_cast<char>(value >> 8U & 0xFFU);
}

void append_f32(std::string& out, float value) {
  char bytes[4];
  std::memcpy(bytes, &value, 4);
  out.append(bytes, 4);
}

static_assert(std::endian::native == std::endian::little, "numbers are kept as Intel bytes");

}  // namespace

std::string c3d_list_name(const std::string& name, int k) {
  return k == 1 ? name : name + std::to_string(k);
}

std::size_t C3dParameter::size() const {
  if (type != -1) return type > 0 ? data.size() / static_cast<std::size_t>(type) : 0;
  if (dimensions.empty()) return data.empty() ? 0 : 1;
  const auto length = static_cast<std::size_t>(dimensions.front());
  if (length > 0) return (data.size() + length - 1) / length;
  std::size_t count = 1;  // strings of length 0, of which there are as many as the dimensions say
  for (std::size_t i = 1; i < dimensions.size(); ++i)
    count *= static_cast<std::size_t>(dimensions[i]);
  return dimensions.size() > 1 ? std::min<std::size_t>(count, 65535) : 0;
}

std::string C3dParameter::text(std::size_t i) const {
  if (type != -1 || i >= size()) return "";
  const std::size_t length = dimensions.empty() ? 1 : static_cast<std::size_t>(dimensions.front());
  if (i * length >= data.size()) return "";
  return clean_text(std::string_view(data).substr(i * length, length));
}

double C3dParameter::number(std::size_t i) const {
  if (i >= size()) return 0;
  switch (type) {
    case 1:
      return static_cast<std::uint8_t>(data[i]);
    case 2:
      return stored_i16(data, 2 * i);
    case 4:
      return stored_f32(data, 4 * i);
    default:
      return 0;
  }
}

double C3dParameter::count(std::size_t i) const {
  const double value = number(i);
  return type == 2 && value < 0 ? value + 65536 : value;
}

const C3dParameter* C3dParameters::find(std::string_view group, std::string_view name) const {
  const auto it = std::find_if(all.begin(), all.end(), [&](const C3dParameter& p) {
    return p.name == name && p.group == group;
  });
  return it == all.end() ? nullptr : &*it;
}

C3dParameter* C3dParameters::find(std::string_view group, std::string_view name) {
  return const_cast<C3dParameter*>(std::as_const(*this).find(group, name));
}

bool C3dParameters::has_group(std::string_view name) const {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const C3dGroup& group) { return group.name == name; });
}

std::vector<std::string> C3dParameters::texts(std::string_view group,
                                              const std::string& name) const {
  std::vector<std::string> out;
  for (int k = 1;; ++k) {
    const C3dParameter* parameter = find(group, c3d_list_name(name, k));
    if (!parameter || parameter->type != -1 || out.size() > kMostTexts) return out;
    for (std::size_t i = 0; i < parameter->size(); ++i) out.push_back(parameter->text(i));
  }
}

std::vector<double> C3dParameters::numbers(std::string_view group, const std::string& name,
                                           bool as_count) const {
  std::vector<double> out;
  for (int k = 1;; ++k) {
    const C3dParameter* parameter = find(group, c3d_list_name(name, k));
    if (!parameter || parameter->type == -1) return out;
    for (std::size_t i = 0; i < parameter->size(); ++i) {
      out.push_back(as_count ? parameter->count(i) : parameter->number(i));
    }
  }
}

std::int64_t C3dParameters::byte_of(std::string_view group, std::string_view name) const {
  if (const C3dParameter* parameter = find(group, name)) return parameter->byte;
  for (const auto& parameter : all) {
    if (parameter.group == group) return parameter.byte;
  }
  return -1;
}

C3dParameter& C3dParameters::slot(const std::string& group, const std::string& name) {
  if (C3dParameter* parameter = find(group, name)) return *parameter;
  if (!has_group(group)) {
    constexpr int kLargestId = 127;
    const auto is_taken = [&](int id) {
      return std::any_of(groups.begin(), groups.end(), [&](const auto& g) { return g.id == id; });
    };
    int id = 1;
    while (id <= kLargestId && is_taken(id)) ++id;
    if (id > kLargestId) {
      throw base::InputError(fmt::format(
          "C3D has {} groups of parameters, which this file needs for others than {}.", kLargestId,
          group));
    }
    groups.push_back({id, group, "", false});
  }
  C3dParameter parameter;
  parameter.group = group;
  parameter.name = parameter.spelling = name;
  all.push_back(std::move(parameter));
  return all.back();
}

void C3dParameters::set_texts(const std::string& group, const std::string& name,
                              const std::vector<std::string>& values) {
  std::size_t length = 1;
  for (const auto& value : values) length = std::max(length, value.size());
  length = std::min<std::size_t>(length, 127);
  const std::size_t lists = std::max<std::size_t>(1, (values.size() + 254) / 255);
  for (std::size_t k = 0; k < lists; ++k) {
    C3dParameter& parameter = slot(group, c3d_list_name(name, static_cast<int>(k) + 1));
    const std::size_t begin = 255 * k, end = std::min(values.size(), begin + 255);
    parameter.type = -1;
    parameter.dimensions = {static_cast<int>(length), static_cast<int>(end - begin)};
    parameter.data.clear();
    for (std::size_t i = begin; i < end; ++i) {
      std::string text = values[i].substr(0, length);
      text.resize(length, ' ');
      parameter.data += text;
    }
  }
  for (int k = static_cast<int>(lists) + 1; find(group, c3d_list_name(name, k)); ++k) {
    remove(group, c3d_list_name(name, k));
  }
}

void C3dParameters::set_integers(const std::string& group, const std::string& name,
                                 std::vector<int> dimensions, const std::vector<int>& values) {
  C3dParameter& parameter = slot(group, name);
  parameter.type = 2;
  parameter.dimensions = std::move(dimensions);
  parameter.data.clear();
  for (const int value : values) append_u16(parameter.data, static_cast<unsigned>(value));
}

void C3dParameters::set_floats(const std::string& group, const std::string& name,
                               std::vector<int> dimensions, const std::vector<double>& values) {
  C3dParameter& parameter = slot(group, name);
  parameter.type = 4;
  parameter.dimensions = std::move(dimensions);
  parameter.data.clear();
  for (const double value : values) append_f32(parameter.data, static_cast<float>(value));
}

void C3dParameters::remove(std::string_view group, std::string_view name) {
  std::erase_if(all, [&](const C3dParameter& p) { return p.group == group && p.name == name; });
}

std::string c3d_parameter_bytes(const C3dParameters& parameters) {
  std::string out = "\x01P";
  out += '\0';  // number of blocks, below
  out += static_cast<char>(Processor::kIntel);
  const auto entry = [&](const std::string& name, int id, bool locked, const std::string& body,
                         const std::string& description) {
    const std::string used = name.substr(0, 127);
    const std::string told = description.substr(0, 255);
    const auto length = static_cast<int>(used.size());
    out += static_cast<char>(locked ? -length : length);
    out += static_cast<char>(id);
    out += used;
    append_u16(out, static_cast<unsigned>(2 + body.size() + 1 + told.size()));
    out += body;
    out += static_cast<char>(told.size());
    out += told;
  };
  for (const auto& group : parameters.groups) {
    entry(group.name, -group.id, group.locked, "", group.description);
  }
  for (const auto& parameter : parameters.all) {
    int id = 0;
    for (const auto& group : parameters.groups) {
      if (group.name == parameter.group) id = group.id;
    }
    if (id == 0) continue;
    std::string body;
    body += static_cast<char>(parameter.type);
    body += static_cast<char>(parameter.dimensions.size());
    for (const int dimension : parameter.dimensions) body += static_cast<char>(dimension);
    // Data that were cut when they were read are filled up again, so that the dimensions stay true.
    std::size_t elements = 1;
    for (const int dimension : parameter.dimensions)
      elements = std::min<std::size_t>(elements * static_cast<std::size_t>(dimension), 65535);
    std::string data = parameter.data;
    data.resize(elements * static_cast<std::size_t>(parameter.type == -1 ? 1 : parameter.type),
                parameter.type == -1 ? ' ' : '\0');
    body += data;
    if (body.size() > 65000) continue;  // no file holds such a parameter; ours are split
    entry(parameter.spelling, id, parameter.locked, body, parameter.description);
  }
  append_u16(out, 0);  // no further name
  out.resize((out.size() + 511) / 512 * 512, '\0');
  out[2] = static_cast<char>(std::min<std::size_t>(out.size() / 512, 255));
  return out;
}

}  // namespace parfait::io
