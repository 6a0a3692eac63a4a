#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace parfait::io {

using Bytes = std::span<const std::uint8_t>;

/// A file mapped into memory, so that large recordings are read once and not copied. InputError if
/// it cannot be opened.
class FileBytes {
 public:
  explicit FileBytes(const std::filesystem::path& file);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  Bytes bytes() const { return {data_, size_}; }
  std::string_view text() const;  ///< the same as characters

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// How the numbers of a C3D file are stored: the processor it was written on.
enum class Processor { kIntel = 84, kDec = 85, kMips = 86 };

/// Numbers at offsets into bytes. What lies outside reads as 0: callers ask `has` first where it
/// matters.
class NumberReader {
 public:
  NumberReader(Bytes bytes, Processor processor) : bytes_(bytes), processor_(processor) {}

  bool has(std::int64_t offset, std::int64_t count) const {
    const auto size = static_cast<std::int64_t>(bytes_.size());
    return offset >= 0 && count >= 0 && offset <= size && count <= size - offset;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
  Processor processor() const { return processor_; }

  std::uint8_t u8(std::int64_t offset) const { return has(offset, 1) ? bytes_[offset] : 0; }
  /// A byte in two's complement.
  int i8(std::int64_t offset) const { return u8(offset) < 128 ? u8(offset) : u8(offset) - 256; }
  std::uint16_t u16(std::int64_t offset) const;
  std::int16_t i16(std::int64_t offset) const { return static_cast<std::int16_t>(u16(offset)); }
  float f32(std::int64_t offset) const;

 private:
  Bytes bytes_;
  Processor processor_;
};

/// A float of a DEC VAX (format F) from its four bytes in file order: 16-bit words swapped,
/// exponent biased by 129 instead of 127, so that the value is a quarter of what IEEE would read;
/// no infinities and no NaN; exponent 0 is zero.
float vax_float(std::uint8_t b0, std::uint8_t b1, std::uint8_t b2, std::uint8_t b3);

/// Text of a file as UTF-8 without trailing blanks and zeros: bytes that are not UTF-8 are taken as
/// Latin-1, control characters become blanks.
std::string clean_text(std::string_view raw);

}  // namespace parfait::io
