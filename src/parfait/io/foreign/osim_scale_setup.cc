#include "parfait/io/foreign/osim_scale_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace osim_scale_setup {
namespace {

using Setup = OsimScaleSetup;

/// A file that an element names; OpenSim writes Unassigned for none.
std::filesystem::path file_of(const XmlView& parent, const char* name,
                              const std::filesystem::path& folder) {
  const auto text = parent.text_of(name);
  if (!text || *text == "Unassigned") return {};
  return folder / *text;
}

std::optional<Setup::Window> window_of(const XmlView& parent) {
  const XmlView element = parent.child("time_range");
  if (!element || element.text().empty()) return {};
  const auto t = element.numbers(2);
  if (t[1] < t[0]) element.fail("the time range ends before it begins.");
  return Setup::Window{t[0], t[1]};
}

Setup::Measurement read_measurement(const XmlView& element) {
  Setup::Measurement out;
  out.name = element.attribute("name").value_or("");
  out.place = element.place();
  for (const auto& pair : element.child("MarkerPairSet").child("objects").children("MarkerPair")) {
    const auto words = words_of(pair.child("markers").text());
    if (words.size() != 2) pair.fail("<markers> must name two markers.");
    out.pairs.push_back({words[0], words[1], pair.place()});
  }
  for (const auto& body : element.child("BodyScaleSet").child("objects").children("BodyScale")) {
    Setup::Measurement::Target target;
    target.body = body.required_attribute("name");
    target.place = body.place();
    for (const auto& axis : words_of(body.child("axes").text())) {
      const auto at = std::string("XYZ").find(axis);
      if (axis.size() != 1 || at == std::string::npos) {
        body.child("axes").fail(fmt::format("\"{}\" is not one of X, Y, Z.", axis));
      }
      target.axes[at] = true;
    }
    out.bodies.push_back(target);
  }
  if (out.pairs.empty()) element.fail(fmt::format("measurement \"{}\" has no pair.", out.name));
  return out;
}

void read_scaler(const XmlView& scaler, const std::filesystem::path& folder, Setup& out) {
  out.scales = scaler && scaler.truth_of("apply").value_or(true);
  if (!out.scales) return;
  if (const auto order = scaler.text_of("scaling_order")) {
    out.order = words_of(*order);
    for (const auto& word : out.order) {
      if (word != "measurements" && word != "manualScale") {
        scaler.child("scaling_order")
            .fail(fmt::format("\"{}\" is not one of measurements, manualScale.", word));
      }
    }
  }
  for (const auto& element :
       scaler.child("MeasurementSet").child("objects").children("Measurement")) {
    if (element.truth_of("apply").value_or(true)) {
      out.measurements.push_back(read_measurement(element));
    }
  }
  for (const auto& element : scaler.child("ScaleSet").child("objects").children("Scale")) {
    if (!element.truth_of("apply").value_or(true)) continue;
    const auto body = element.text_of("segment");
    const auto factors = element.vector_of("scales");
    if (!body || !factors) element.fail("a <Scale> needs <segment> and <scales>.");
    for (const double s : *factors) {
      if (!(s > 0)) element.child("scales").fail("factors must be > 0.");
    }
    out.manual.push_back({*body, *factors, element.place()});
  }
  out.scaling_trial = file_of(scaler, "marker_file", folder);
  out.scaling_window = window_of(scaler);
  out.keeps_mass_distribution = scaler.truth_of("preserve_mass_distribution").value_or(false);
}

void read_placer(const XmlView& placer, const std::filesystem::path& folder, Setup& out) {
  out.places_markers = placer && placer.truth_of("apply").value_or(true);
  if (!out.places_markers) return;
  for (const auto& element : placer.child("IKTaskSet").child("objects").children()) {
    const bool applies = element.truth_of("apply").value_or(true);
    const double weight = applies ? element.number_of("weight").value_or(1) : 0;
    if (!(weight >= 0)) element.fail("the weight of a task must be at least 0.");
    const std::string name = element.required_attribute("name");
    if (element.name() == "IKMarkerTask") {
      out.marker_tasks.push_back({name, weight, element.place()});
    } else if (element.name() == "IKCoordinateTask") {
      Setup::CoordinateTask task{name, weight, {}, element.place()};
      const std::string kind = element.text_of("value_type").value_or("default_value");
      if (kind == "manual_value") task.value = element.number_of("value").value_or(0);
      if (kind == "from_file") {
        if (weight > 0) {
          out.left_out.push_back(fmt::format(
              "{}: the task of \"{}\" takes its value from a file, which is not read: the default "
              "is its value.",
              element.place().text(), name));
        }
      } else if (kind != "default_value" && kind != "manual_value") {
        element.child("value_type")
            .fail(
                fmt::format("\"{}\" is not one of default_value, manual_value, from_file.", kind));
      }
      out.coordinate_tasks.push_back(task);
    }
  }
  out.static_trial = file_of(placer, "marker_file", folder);
  out.static_window = window_of(placer);
  if (placer.number_of("max_marker_movement").value_or(-1) > 0) {
    out.left_out.push_back(fmt::format("{}: max_marker_movement is not checked.",
                                       placer.child("max_marker_movement").place().text()));
  }
}

std::string marker_element(const OsimMarker& marker, bool has_sockets, const std::string& indent) {
  const std::string where =
      has_sockets
          ? fmt::format("<socket_parent_frame>/bodyset/{}</socket_parent_frame>", marker.body)
          : fmt::format("<body>{}</body>", marker.body);
  return fmt::format(
      "{0}<Marker name=\"{1}\">\n{0}\t{2}\n{0}\t<location>{3}</location>\n{0}\t<fixed>{4}</fixed>\n"
      "{0}</Marker>\n",
      indent, marker.name, where,
      list_text({marker.location[0], marker.location[1], marker.location[2]}),
      marker.fixed ? "true" : "false");
}

/// Where an element begins, and behind its end.
std::pair<std::size_t, std::size_t> extent(const std::string& all, const XmlView& element) {
  const auto name = static_cast<std::size_t>(element.node().offset_debug());
  const std::size_t begin = all.rfind('<', name), tag = all.find('>', name);
  if (tag != std::string::npos && all[tag - 1] == '/') return {begin, tag + 1};
  const std::string closing = "</" + element.name() + ">";
  const std::size_t end = all.find(closing, name);
  if (end == std::string::npos) element.fail("its end was not found.");
  return {begin, end + closing.size()};
}

}  // namespace
}  // namespace osim_scale_setup

OsimScaleSetup read_osim_scale_setup(const std::filesystem::path& file) {
  const XmlSource source(read_text_file(file), file.string());
  const XmlView root(source, source.root());
  const XmlView tool = root.name() == "ScaleTool" ? root : root.child("ScaleTool");
  if (!tool) root.fail("has no <ScaleTool>: it is not a setup file of OpenSim's scale tool.");
  const auto folder = file.parent_path();
  OsimScaleSetup out;
  out.name = tool.attribute("name").value_or("");
  const double mass = tool.number_of("mass").value_or(-1);
  out.mass = mass > 0 ? mass : 0;
  const XmlView maker = tool.child("GenericModelMaker");
  out.model = osim_scale_setup::file_of(maker, "model_file", folder);
  out.markers = osim_scale_setup::file_of(maker, "marker_set_file", folder);
  osim_scale_setup::read_scaler(tool.child("ModelScaler"), folder, out);
  osim_scale_setup::read_placer(tool.child("MarkerPlacer"), folder, out);
  return out;
}

std::vector<OsimMarker> read_osim_marker_set(const std::filesystem::path& file) {
  const XmlSource source(read_text_file(file), file.string());
  const XmlView root(source, source.root());
  const XmlView set = root.name() == "MarkerSet" ? root : root.child("MarkerSet");
  if (!set) root.fail("has no <MarkerSet>.");
  std::vector<OsimMarker> out;
  for (const auto& element : set.child("objects").children("Marker")) {
    OsimMarker marker;
    marker.name = element.required_attribute("name");
    auto body = element.text_of("body");
    if (!body) body = element.text_of("socket_parent_frame");
    if (!body) element.fail(fmt::format("marker \"{}\" has no body.", marker.name));
    marker.body = body->substr(body->rfind('/') + 1);
    const auto location = element.vector_of("location");
    if (!location) element.fail(fmt::format("marker \"{}\" has no location.", marker.name));
    marker.location = *location;
    marker.fixed = element.truth_of("fixed").value_or(false);
    out.push_back(marker);
  }
  return out;
}

std::string with_markers(std::string_view text, const std::string& file_name,
                         const std::vector<OsimMarker>& markers) {
  const XmlSource source(text, file_name);
  const std::string& all = source.text();
  const XmlView root(source, source.root());
  const XmlView model = root.name() == "Model" ? root : root.child("Model");
  if (!model) root.fail("has no <Model>.");
  const bool has_sockets = static_cast<bool>(model.child("JointSet"));
  std::string added;
  for (const auto& marker : markers)
    added += osim_scale_setup::marker_element(marker, has_sockets, "\t\t\t\t");
  const XmlView set = model.child("MarkerSet");
  if (!set) {
    const std::size_t end = all.rfind("</Model>");
    return all.substr(0, end) + "<MarkerSet>\n\t\t\t<objects>\n" + added +
           "\t\t\t</objects>\n\t\t</MarkerSet>\n\t" + all.substr(end);
  }
  // Elements of the same name go; the new ones stand at the end of the list.
  std::string out;
  std::size_t at = 0;
  const XmlView objects = set.child("objects");
  if (!objects || objects.children().empty()) {
    const auto [begin, end] = osim_scale_setup::extent(all, objects ? objects : set);
    const std::string inside = "<objects>\n" + added + "\t\t\t</objects>";
    return all.substr(0, begin) +
           (objects ? inside : "<MarkerSet>\n\t\t\t" + inside + "\n\t\t</MarkerSet>") +
           all.substr(end);
  }
  for (const auto& element : objects.children()) {
    const std::string name = element.attribute("name").value_or("");
    if (std::none_of(markers.begin(), markers.end(),
                     [&](const OsimMarker& marker) { return marker.name == name; })) {
      continue;
    }
    const auto [begin, end] = osim_scale_setup::extent(all, element);
    out.append(all, at, begin - at);
    at = end;
  }
  const std::size_t end =
      osim_scale_setup::extent(all, objects).second - std::string("</objects>").size();
  out.append(all, at, end - at);
  return out + added + "\t\t\t" + all.substr(end);
}

}  // namespace parfait::io
