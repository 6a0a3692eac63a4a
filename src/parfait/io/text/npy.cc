#include "parfait/io/text/npy.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "parfait/base/error.h"

namespace parfait::io {
namespace npy {
namespace {

static_assert(std::endian::native == std::endian::little, "float32 is written as it lies");

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);

/// The numbers of "(501, 13, 12)" after 'shape'.
std::vector<std::size_t> shape_of(std::string_view header, const std::string& file) {
  const auto at = header.find("'shape':");
  const auto open = header.find('(', at), close = header.find(')', at);
  if (at == std::string_view::npos || open == std::string_view::npos ||
      close == std::string_view::npos || header.find("'<f4'") == std::string_view::npos ||
      header.find("'fortran_order': False") == std::string_view::npos) {
    throw base::InputError(fmt::format("{}: is not an array of float32, rows first.", file));
  }
  std::vector<std::size_t> shape;
  for (const char* c = header.data() + open + 1; c < header.data() + close;) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(c, header.data() + close, value);
    if (error == std::errc()) shape.push_back(value);
    c = error == std::errc() ? end : c + 1;
  }
  return shape;
}

}  // namespace
}  // namespace npy

std::string npy_bytes(std::span<const float> values, const std::vector<std::size_t>& shape) {
  std::string list;
  for (const auto n : shape) list += fmt::format("{}, ", n);
  if (shape.size() > 1) list.resize(list.size() - 2);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", list);
  // Data begin at a multiple of 64, after a line end.
  const std::size_t used = npy::kMagic.size() + 2 + header.size() + 1;
  header += std::string((64 - used % 64) % 64, ' ') + '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string out(npy::kMagic);
  out += static_cast<char>(length & 0xFF);
  out += static_cast<char>(length >> 8);
  out += header;
  const std::size_t begin = out.size();
  out.resize(begin + values.size_bytes());
  if (!values.empty()) std::memcpy(out.data() + begin, values.data(), values.size_bytes());
  return out;
}

NpyArray read_npy(std::string_view bytes, const std::string& file) {
  if (bytes.size() < 10 || !bytes.starts_with(npy::kMagic)) {
    throw base::InputError(fmt::format("{}: is not a NumPy file of format 1.0.", file));
  }
  const std::size_t length = static_cast<unsigned char>(bytes[8]) +
                             256 * std::size_t{static_cast<unsigned char>(bytes[9])};
  if (bytes.size() < 10 + length) {
    throw base::InputError(fmt::format("{}: ends within its header.", file));
  }
  NpyArray out;
  out.shape = npy::shape_of(bytes.substr(10, length), file);
  const auto data = bytes.substr(10 + length);
  std::size_t count = 1;
  for (const auto n : out.shape) {
    if (n > 0 && count > data.size() / n) count = data.size() + 1;  // more than there can be
    count *= n;
  }
  if (data.size() != count * sizeof(float)) {
    throw base::InputError(fmt::format(
        "{}: holds {} bytes of data, its shape needs another number.", file, data.size()));
  }
  out.values.resize(count);
  if (count > 0) std::memcpy(out.values.data(), data.data(), data.size());
  return out;
}

}  // namespace parfait::io
