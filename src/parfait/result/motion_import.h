#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// What is in a motion file: `parfait import`.
namespace parfait::result {

/// Markers, channels, plates and events of a C3D, TRC or BVH file.
struct TrialFacts {
  struct Output {
    std::string name;
    std::string kind;  ///< "angle", "force", ...
    std::string unit;
    bool operator==(const Output&) const = default;
  };
  struct Channel {
    std::string name;
    std::string unit;
    bool operator==(const Channel&) const = default;
  };
  struct Plate {
    int type = 0;
    std::vector<std::vector<double>> corners;  ///< [m]
    std::vector<std::string> channels;         ///< empty: not in the file
    bool has_wrench = false;
    bool turned_round = false;  ///< the channels told the force on the plate
    bool operator==(const Plate&) const = default;
  };
  struct Event {
    double t = 0;  ///< [s]
    std::string label, context;
    bool operator==(const Event&) const = default;
  };
  std::size_t frames = 0;
  std::int64_t first_frame = 1;
  double rate = 0;            ///< frames per second
  double start = 0, end = 0;  ///< [s]
  std::string unit_of_file, unit_reason;
  std::string up, up_reason;         ///< "+z", in the axes of the tables; "unknown"
  std::vector<std::string> markers;  ///< names
  std::size_t missing = 0;           ///< of frames * markers positions
  std::vector<Output> outputs;
  double analog_rate = 0;
  std::vector<Channel> channels;
  std::vector<Plate> plates;
  std::vector<Event> events;
  bool operator==(const TrialFacts&) const = default;
};

/// Columns over time of a MOT, STO, BVH or MeshUp file.
struct TableFacts {
  std::size_t rows = 0;
  std::vector<std::string> columns;  ///< without the time
  double start = 0, end = 0;         ///< [s]
  std::string angles;                ///< "degrees" or "radians"
  bool angles_stated = false;        ///< by the file; otherwise assumed
  bool operator==(const TableFacts&) const = default;
};

struct MotionImport {
  Verdict verdict;  ///< warnings: everything odd about the file, with byte or line
  std::string file;
  std::string format;  ///< "C3D, Intel, float"
  std::optional<TrialFacts> trial;
  std::optional<TableFacts> table;
  std::vector<std::string> files;  ///< tables that were written
  bool operator==(const MotionImport&) const = default;
};

}  // namespace parfait::result
