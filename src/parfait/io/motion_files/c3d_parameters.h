#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/file_warnings.h"

/// The parameter section of a C3D file: groups of named arrays. It begins with four bytes, of which
/// the first two mean nothing (many readers insist on them, wrongly), the third is the number of
/// 512-byte blocks and the fourth the processor + 83. Then follow groups and parameters in any
/// order:
///
///   name length (negative: locked), id (negative: a group), name, offset to the next one, ...
///   a parameter: type (-1 text, 1 byte, 2 integer, 4 float), number of dimensions, dimensions,
///   data both: length of the description, description
namespace parfait::io {

struct C3dGroup {
  int id = 0;  ///< positive
  std::string name;
  std::string description;
  bool locked = false;
};

struct C3dParameter {
  std::string group;  ///< in capitals; "#7" if the file does not name group 7
  std::string name;   ///< in capitals
  int type = 0;       ///< -1, 1, 2 or 4: bytes per element
  std::vector<int> dimensions;
  std::string data;  ///< the bytes, numbers as on Intel processors whatever the file has
  std::string description;
  std::string spelling;  ///< the name as the file writes it
  bool locked = false;
  std::int64_t byte = -1;  ///< where it begins in the file

  std::size_t size() const;                   ///< elements present; of text: strings
  std::string text(std::size_t i = 0) const;  ///< clean; "" outside
  double number(std::size_t i = 0) const;     ///< 0 outside; integers signed
  /// 16-bit integers without sign; other types as `number`. For counts and frames.
  double count(std::size_t i = 0) const;
};

class C3dParameters {
 public:
  std::vector<C3dGroup> groups;
  std::vector<C3dParameter> all;

  const C3dParameter* find(std::string_view group, std::string_view name) const;
  C3dParameter* find(std::string_view group, std::string_view name);
  bool has_group(std::string_view name) const;

  /// The strings of LABELS, LABELS2, LABELS3, ... one after the other: a dimension cannot exceed
  /// 255.
  std::vector<std::string> texts(std::string_view group, const std::string& name) const;
  /// Likewise numbers; `as_count`: see C3dParameter::count.
  std::vector<double> numbers(std::string_view group, const std::string& name,
                              bool as_count = false) const;
  /// The byte where the parameter or else its group's first parameter begins, -1 if there is
  /// neither.
  std::int64_t byte_of(std::string_view group, std::string_view name) const;

  /// Replaces the data, or adds the parameter (and its group). Descriptions and locks stay.
  void set_texts(const std::string& group, const std::string& name,
                 const std::vector<std::string>& values);
  void set_integers(const std::string& group, const std::string& name, std::vector<int> dimensions,
                    const std::vector<int>& values);
  void set_floats(const std::string& group, const std::string& name, std::vector<int> dimensions,
                  const std::vector<double>& values);
  void remove(std::string_view group, std::string_view name);

 private:
  C3dParameter& slot(const std::string& group, const std::string& name);
};

/// Reads the section that begins at `begin` and ends before `end` (the data, or the end of the
/// file). Wrong offsets, overlaps, unknown types and everything else that can be wrong is told and
/// passed over.
C3dParameters read_c3d_parameters(const NumberReader& file, std::int64_t begin, std::int64_t end,
                                  WarningLog& log);

/// The section as Intel bytes, padded to whole blocks of 512.
std::string c3d_parameter_bytes(const C3dParameters& parameters);

/// The name of continuation k of a list: LABELS, LABELS2, LABELS3, ...
std::string c3d_list_name(const std::string& name, int k);

}  // namespace parfait::io
