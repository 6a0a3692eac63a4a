#include "parfait/io/motion_files/coordinate_motion.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/tree/structure/function.h"

namespace parfait::io {
namespace {

/// "knee_angle_r" of "knee_angle_r" and "/jointset/knee_r/knee_angle_r/value"; empty for speeds.
std::string coordinate_of_column(const std::string& column) {
  if (!column.starts_with("/")) return column;
  const auto last = column.rfind('/');
  if (column.substr(last + 1) != "value") return "";
  const auto before = column.rfind('/', last - 1);
  return column.substr(before + 1, last - before - 1);
}

}  // namespace

std::vector<double> CoordinateMotion::position(const tree::MechanismTree& mechanism,
                                               std::size_t row) const {
  std::vector<double> q = mechanism.q();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int at = mechanism.coordinates()[i].q;
    if (at >= 0) q[at] = values[i][row];
  }
  return q;
}

CoordinateMotion coordinate_motion(const tree::MechanismTree& mechanism, const MotionTable& table) {
  const auto& coordinates = mechanism.coordinates();
  CoordinateMotion out;
  out.time = table.time;
  out.values.assign(coordinates.size(), {});
  const double degree = table.angles == AngleUnit::kDegrees ? std::numbers::pi / 180 : 1.0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const int found = mechanism.find_coordinate(coordinate_of_column(table.columns[column]));
    if (found < 0) {
      out.ignored.push_back(table.columns[column]);
      continue;
    }
    if (!out.values[found].empty()) {
      throw base::InputError(
          {table.file}, fmt::format("coordinate \"{}\" has two columns.", coordinates[found].id));
    }
    const bool is_angle = coordinates[found].kind == mechanism::Coordinate::Kind::kRotation;
    for (std::size_t row = 0; row < table.num_rows(); ++row) {
      const double value = table.values[column][row];
      if (!std::isfinite(value)) {
        throw base::InputError({table.file},
                               fmt::format("coordinate \"{}\" has no value in row {} (t = {:g}).",
                                           coordinates[found].id, row + 1, table.time[row]));
      }
      out.values[found].push_back(is_angle ? degree * value : value);
    }
  }
  if (out.ignored.size() == table.columns.size()) {
    std::vector<std::string> ids;
    ids.reserve(coordinates.size());
    for (const auto& c : coordinates) ids.push_back(c.id);
    throw base::InputError({table.file},
                           fmt::format("no column is a coordinate of the model. Columns: {}. "
                                       "Coordinates: {}.",
                                       base::listing(table.columns),
                                       ids.empty() ? "none have names" : base::listing(ids)));
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].follows >= 0 || !out.values[i].empty()) continue;
    out.missing.push_back(coordinates[i].id);
    out.values[i].assign(table.num_rows(), coordinates[i].initial);
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto& c = coordinates[i];
    if (c.follows < 0) continue;
    out.values[i].assign(table.num_rows(), c.initial);
    if (c.function < 0) continue;  // follows a held one
    const tree::Function& f = mechanism.tree().functions[c.function];
    tree::Coefficients<double> prepared;
    tree::prepare(f, f.constants.data(), prepared);
    std::vector<double> scratch(tree::scratch_size(f));
    for (std::size_t row = 0; row < table.num_rows(); ++row) {
      out.values[i][row] =
          tree::evaluate(f, prepared, out.values[c.follows][row], scratch.data()).f;
    }
  }
  return out;
}

}  // namespace parfait::io
