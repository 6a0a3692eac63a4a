#include "parfait/io/motion_files/external_loads.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace external_loads_file {
namespace {

std::string last_word(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// "Unassigned" and the like mean nothing.
std::string identifier(const XmlView& element, const char* name) {
  const auto text = element.text_of(name).value_or("");
  return text == "Unassigned" ? "" : text;
}

int body_number(const std::string& name, const base::Place& place,
                const mechanism::Description& description, const tree::MechanismTree& mechanism) {
  if (name == "ground" || name == mechanism::kInertial || name.empty()) return -1;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    if (description.bodies[i].id == name) return mechanism.tree_body(static_cast<int>(i));
    ids.push_back(description.bodies[i].id);
  }
  throw base::InputError(place, fmt::format("\"{}\" is not a body of the model.{} Bodies: {}.",
                                            name, base::suggestion(name, ids), base::listing(ids)));
}

std::vector<math::Vec3<double>> columns_of(const MotionTable& table, const std::string& name,
                                           const base::Place& place) {
  std::vector<math::Vec3<double>> out;
  if (name.empty()) return out;
  int found[3] = {-1, -1, -1};
  for (int k = 0; k < 3; ++k) {
    for (const char letter : {static_cast<char>('x' + k), static_cast<char>('1' + k)}) {
      for (const char* between : {"", "_", "."}) {
        if (found[k] < 0) found[k] = table.find(name + between + letter);
      }
    }
    if (found[k] >= 0) continue;
    throw base::InputError(
        place, fmt::format("{} has no column \"{}{}\".{} Columns: {}.", table.file, name,
                           static_cast<char>('x' + k),
                           base::suggestion(name + static_cast<char>('x' + k), table.columns),
                           base::listing(table.columns)));
  }
  out.reserve(table.num_rows());
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    double r[3];
    for (int k = 0; k < 3; ++k) {
      r[k] = table.values[static_cast<std::size_t>(found[k])][row];
      if (std::isfinite(r[k])) continue;
      throw base::InputError(
          {table.file},
          fmt::format("column \"{}\" has no value in row {} (t = {:g}).",
                      table.columns[static_cast<std::size_t>(found[k])], row + 1, table.time[row]));
    }
    out.push_back({r[0], r[1], r[2]});
  }
  return out;
}

}  // namespace
}  // namespace external_loads_file

ExternalLoadsFile read_external_loads_text(std::string_view text, const std::string& file_name) {
  using external_loads_file::identifier;
  using external_loads_file::last_word;
  const XmlSource source(text, file_name);
  const XmlView root(source, source.root());
  const XmlView set = root.name() == "ExternalLoads" ? root : root.child("ExternalLoads");
  if (!set) root.fail(fmt::format("<{}> has no <ExternalLoads>.", root.name()));
  ExternalLoadsFile out;
  out.file = file_name;
  out.data_file = set.text_of("datafile").value_or("");
  for (const auto& element : set.child("objects").children()) {
    if (element.name() != "ExternalForce" && element.name() != "PrescribedForce") {
      element.fail(fmt::format("<{}>: only <ExternalForce> can be read.", element.name()));
    }
    ExternalLoadsFile::Load load;
    load.place = element.place();
    load.name = element.attribute("name").value_or("");
    const bool acts = element.truth_of("appliesForce").value_or(true) &&
                      !element.truth_of("isDisabled").value_or(false);
    if (!acts) {
      out.left_out.push_back(
          fmt::format("{}: load \"{}\" is switched off.", load.place.text(), load.name));
      continue;
    }
    const auto body = element.text_of("applied_to_body");
    if (!body) element.fail(fmt::format("load \"{}\" needs <applied_to_body>.", load.name));
    load.body = last_word(*body);
    load.force_in = last_word(element.text_of("force_expressed_in_body").value_or("ground"));
    load.point_in = last_word(element.text_of("point_expressed_in_body").value_or("ground"));
    load.force = identifier(element, "force_identifier");
    load.point = identifier(element, "point_identifier");
    load.moment = identifier(element, "torque_identifier");
    if (load.force.empty() && load.moment.empty()) {
      element.fail(
          fmt::format("load \"{}\" needs <force_identifier> or <torque_identifier>.", load.name));
    }
    out.loads.push_back(load);
  }
  return out;
}

ExternalLoadsFile read_external_loads(const std::filesystem::path& file) {
  return read_external_loads_text(read_text_file(file), file.string());
}

std::vector<motion::ExternalLoad> external_loads(const ExternalLoadsFile& file,
                                                 const MotionTable& table,
                                                 const mechanism::Description& description,
                                                 const tree::MechanismTree& mechanism) {
  using external_loads_file::body_number;
  using external_loads_file::columns_of;
  std::vector<motion::ExternalLoad> out;
  for (const auto& written : file.loads) {
    motion::ExternalLoad load;
    load.name = written.name;
    load.body = body_number(written.body, written.place, description, mechanism);
    if (load.body < 0) {
      throw base::InputError(written.place,
                             fmt::format("load \"{}\" acts on the ground.", written.name));
    }
    load.force_in = body_number(written.force_in, written.place, description, mechanism);
    load.point_in = body_number(written.point_in, written.place, description, mechanism);
    load.time = table.time;
    load.force = columns_of(table, written.force, written.place);
    load.point = columns_of(table, written.point, written.place);
    load.moment = columns_of(table, written.moment, written.place);
    out.push_back(std::move(load));
  }
  return out;
}

}  // namespace parfait::io
