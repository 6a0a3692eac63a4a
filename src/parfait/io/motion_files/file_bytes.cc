#include "parfait/io/motion_files/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "parfait/base/error.h"

namespace parfait::io {
namespace {

/// Length of the UTF-8 character that begins at `at`, 0 if there is none.
std::size_t utf8_length(std::string_view raw, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(raw[i]); };
  const std::uint8_t first = byte(at);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || at + length > raw.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  if (length == 3 &&
      ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) > 0x9F)))
    return 0;
  if (length == 4 &&
      ((first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) > 0x8F)))
    return 0;
  return length;
}

bool is_utf8(std::string_view raw) {
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t length = utf8_length(raw, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& file) {
  const auto fail = [&] {
    throw base::InputError(fmt::format("cannot read \"{}\": {}.", file.string(),
                                       std::generic_category().message(errno)));
  };
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail();
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    throw base::InputError(fmt::format("\"{}\" is not a file.", file.string()));
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      const int reason = errno;
      close(descriptor);
      errno = reason;
      fail();
    }
    data_ = static_cast<const std::uint8_t*>(mapped);
  }
  close(descriptor);
}

FileBytes::~FileBytes() {
  if (data_) munmap(const_cast<std::uint8_t*>(data_), size_);
}

std::string_view FileBytes::text() const {
  std::string_view all(reinterpret_cast<const char*>(data_), size_);
  if (all.starts_with("\xEF\xBB\xBF")) all.remove_prefix(3);
  return all;
}

std::uint16_t NumberReader::u16(std::int64_t offset) const {
  if (!has(offset, 2)) return 0;
  const unsigned a = bytes_[offset], b = bytes_[offset + 1];
  return static_cast<std::uint16_t>(processor_ == Processor::kMips ? a << 8U | b : b << 8U | a);
}

float NumberReader::f32(std::int64_t offset) const {
  if (!has(offset, 4)) return 0;
  const std::uint8_t* b = &bytes_[offset];
  if (processor_ == Processor::kDec) return vax_float(b[0], b[1], b[2], b[3]);
  std::uint32_t bits = 0;
  std::memcpy(&bits, b, 4);
  if (processor_ == Processor::kMips) bits = __builtin_bswap32(bits);
  return std::bit_cast<float>(bits);
}

float vax_float(std::uint8_t b0, std::uint8_t b1, std::uint8_t b2, std::uint8_t b3) {
  const std::uint32_t bits = std::uint32_t{b1} << 24U | std::uint32_t{b0} << 16U |
                             std::uint32_t{b3} << 8U | std::uint32_t{b2};
  const std::uint32_t exponent = bits >> 23U & 0xFFU;
  if (exponent == 0) return 0;
  if (exponent > 2) return std::bit_cast<float>(bits - (2U << 23U));
  // Too small for a normal IEEE number with its exponent lowered by two: divide instead.
  return std::bit_cast<float>(bits) * 0.25F;
}

std::string clean_text(std::string_view raw) {
  const bool utf8 = is_utf8(raw);
  std::string out;
  out.reserve(raw.size());
  for (const char c : raw) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += ' ';
    } else if (byte < 0x80 || utf8) {
      out += c;
    } else {
      out += static_cast<char>(0xC0U | byte >> 6U);
      out += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  // Last, so that what was no blank before leaves none at the ends: a name reads back as it was
  // written.
  out.erase(out.find_last_not_of(' ') + 1);
  out.erase(0, out.find_first_not_of(' '));
  return out;
}

}  // namespace parfait::io
