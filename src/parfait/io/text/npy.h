#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parfait::io {

/// Arrays as NumPy stores them (format 1.0, float32, little endian, rows first). numpy.load() reads
/// them.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

std::string npy_bytes(std::span<const float> values, const std::vector<std::size_t>& shape);
/// InputError if the bytes are no such array.
NpyArray read_npy(std::string_view bytes, const std::string& file);

}  // namespace parfait::io
