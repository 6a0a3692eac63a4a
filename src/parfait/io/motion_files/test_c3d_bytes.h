#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "parfait/io/motion_files/file_bytes.h"

/// C3D files made byte by byte for tests, in every encoding and with every mistake. Written from
/// the description of the format, not with the writer that is tested.
namespace parfait::io {

class C3dBuilder {
 public:
  explicit C3dBuilder(Processor processor = Processor::kIntel, bool is_float = true)
      : processor_(processor), is_float_(is_float) {}

  // Header.
  int num_points = 0, analog_per_frame = 0, first = 1, last = 1, samples = 1;
  double scale = 0.25, rate = 100;  ///< the sign of the scale follows from the encoding
  std::string events;               ///< bytes 298 ... 467 of the header, if any
  int parameter_block = 2;
  int data_block = 0;  ///< 0: behind the parameters
  std::string before;  ///< bytes before the header
  std::string behind;  ///< bytes behind the data

  void word(std::string& out, int value) const {
    const auto low = static_cast<char>(value & 0xFF), high = static_cast<char>(value >> 8 & 0xFF);
    if (processor_ == Processor::kMips) {
      out += high;
      out += low;
    } else {
      out += low;
      out += high;
    }
  }
  void real(std::string& out, double value) const {
    auto number = static_cast<float>(value);
    if (processor_ == Processor::kDec) number *= 4;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, 4);
    const char b[4] = {static_cast<char>(bits), static_cast<char>(bits >> 8U),
                       static_cast<char>(bits >> 16U), static_cast<char>(bits >> 24U)};
    switch (processor_) {
      case Processor::kIntel:
        out.append({b[0], b[1], b[2], b[3]});
        break;
      case Processor::kDec:
        out.append({b[2], b[3], b[0], b[1]});
        break;
      case Processor::kMips:
        out.append({b[3], b[2], b[1], b[0]});
        break;
    }
  }

  void group(int id, const std::string& name) { entry(-id, name, "", 0); }
  void texts(int id, const std::string& name, const std::vector<std::string>& values,
             std::size_t length = 0) {
    for (const auto& value : values) length = std::max(length, value.size());
    std::string body{static_cast<char>(-1), 2, static_cast<char>(length),
                     static_cast<char>(values.size())};
    for (std::string value : values) {
      value.resize(length, ' ');
      body += value;
    }
    entry(id, name, body, 0);
  }
  void integers(int id, const std::string& name, const std::vector<int>& dimensions,
                const std::vector<int>& values) {
    std::string body{2};
    append_dimensions(body, dimensions);
    for (const int value : values) word(body, value);
    entry(id, name, body, 0);
  }
  void reals(int id, const std::string& name, const std::vector<int>& dimensions,
             const std::vector<double>& values) {
    std::string body{4};
    append_dimensions(body, dimensions);
    for (const double value : values) real(body, value);
    entry(id, name, body, 0);
  }
  /// `skew` is added to the offset to the next entry.
  void entry(int id, const std::string& name, const std::string& body, int skew) {
    places.push_back(static_cast<std::int64_t>(section_.size()));
    section_ += static_cast<char>(name.size());
    section_ += static_cast<char>(id);
    section_ += name;
    word(section_, static_cast<int>(2 + body.size() + 1) + skew);
    section_ += body;
    section_ += '\0';
  }
  /// Where entry i (from 0, in the order of calls) begins in the file, if the section begins in
  /// block 2.
  std::int64_t byte_of_entry(std::size_t i) const { return 512 + 4 + places[i]; }
  std::int64_t byte_of_last() const { return byte_of_entry(places.size() - 1); }

  /// One number of the data section: coordinates and analog samples. Integers in integer files.
  void number(double value) {
    if (is_float_) {
      real(data_, value);
    } else {
      word(data_, static_cast<int>(value));
    }
  }
  /// A point by its integers, which the scale turns into lengths; `word4` negative: missing.
  void point(int x, int y, int z, int word4 = 0) {
    const double factor = is_float_ ? scale : 1;
    for (const int coordinate : {x, y, z}) number(coordinate * factor);
    number(word4);
  }
  void clear_data() { data_.clear(); }

  std::string bytes() const {
    std::string parameters{1, 0x50, 0, static_cast<char>(processor_)};
    parameters += section_;
    parameters += std::string(2, '\0');
    parameters.resize((parameters.size() + 511) / 512 * 512, '\0');
    parameters[2] = static_cast<char>(parameters.size() / 512);
    const int blocks = static_cast<int>(parameters.size() / 512);
    const int begin = data_block > 0 ? data_block : parameter_block + blocks;
    std::string out{static_cast<char>(parameter_block), 0x50};
    word(out, num_points);
    word(out, analog_per_frame);
    word(out, first);
    word(out, last);
    word(out, 0);
    real(out, is_float_ ? -scale : scale);
    word(out, begin);
    word(out, samples);
    real(out, rate);
    out.resize(298, '\0');
    out += events;
    out.resize(512, '\0');
    out.resize(512 * static_cast<std::size_t>(parameter_block - 1), '\xFF');
    out += parameters;
    out.resize(512 * static_cast<std::size_t>(begin - 1), '\xFF');
    return before + out + data_ + behind;
  }

  std::vector<std::int64_t> places;

 private:
  static void append_dimensions(std::string& body, const std::vector<int>& dimensions) {
    body += static_cast<char>(dimensions.size());
    for (const int dimension : dimensions) body += static_cast<char>(dimension);
  }

  Processor processor_;
  bool is_float_;
  std::string section_, data_;
};

inline Bytes as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace parfait::io
