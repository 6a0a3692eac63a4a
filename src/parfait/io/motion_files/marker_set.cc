#include "parfait/io/motion_files/marker_set.h"

#include <fmt/format.h>

#include <cmath>
#include <pugixml.hpp>
#include <set>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/text_lines.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/xml_element.h"

namespace parfait::io {
namespace {

std::string body_of(const pugi::xml_node& marker) {
  for (const char* tag : {"socket_parent_frame", "socket_parent_frame_connectee_name", "body"}) {
    std::string body(trimmed(marker.child_value(tag)));
    if (body.empty()) continue;
    return body.substr(body.rfind('/') == std::string::npos ? 0 : body.rfind('/') + 1);
  }
  return "";
}

/// All elements of that name below a node, in the order of the file, without recursion.
std::vector<pugi::xml_node> all_below(const pugi::xml_node& root, const char* name) {
  std::vector<pugi::xml_node> found;
  pugi::xml_node node = root.first_child();
  while (node) {
    if (node.name() == std::string_view(name)) found.push_back(node);
    if (node.first_child()) {
      node = node.first_child();
      continue;
    }
    while (node && node != root && !node.next_sibling()) node = node.parent();
    if (!node || node == root) break;
    node = node.next_sibling();
  }
  return found;
}

}  // namespace

MarkerSet read_marker_set(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  return read_marker_set_text(bytes.text(), file.string());
}

MarkerSet read_marker_set_text(std::string_view text, const std::string& file_name) {
  const XmlSource source(text, file_name);
  const pugi::xml_node document = source.root().parent();
  MarkerSet set;
  WarningLog log;
  std::set<std::string> names;
  std::vector<std::string_view> words;
  for (const auto& node : all_below(document, "Marker")) {
    const int line = source.place(static_cast<std::size_t>(node.offset_debug())).line;
    MarkerPlace marker;
    marker.name = clean_text(node.attribute("name").value());
    marker.body = clean_text(body_of(node));
    marker.line = line;
    marker.fixed = same_word(trimmed(node.child_value("fixed")), "true");
    split_words(node.child_value("location"), words);
    bool placed = words.size() == 3;
    for (std::size_t k = 0; placed && k < 3; ++k) {
      marker.location[k] = cell_value(words[k]).value;
      placed = !std::isnan(marker.location[k]);
    }
    if (!placed || marker.body.empty() || marker.name.empty()) {
      log.at_line(line, fmt::format("marker \"{}\" has no {}; left out", marker.name,
                                    !placed               ? "location of three numbers"
                                    : marker.body.empty() ? "body"
                                                          : "name"));
      continue;
    }
    if (!names.insert(marker.name).second) {
      log.at_line(line, fmt::format("marker \"{}\" is there twice; the first counts", marker.name));
      continue;
    }
    set.markers.push_back(std::move(marker));
  }
  if (set.markers.empty())
    throw base::InputError({file_name, 0, 0}, "there is no <Marker> with a body and a location.");
  const auto sets = all_below(document, "MarkerSet");
  if (!sets.empty()) set.name = clean_text(sets.front().attribute("name").value());
  set.warnings = log.take();
  return set;
}

std::string marker_set_text(const MarkerSet& set) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OpenSimDocument "
      "Version=\"30000\">\n\t<MarkerSet name=\"{}\">\n\t\t<objects>\n",
      xml_escaped(set.name));
  for (const auto& marker : set.markers) {
    out += fmt::format(
        "\t\t\t<Marker name=\"{}\">\n\t\t\t\t<body>{}</body>\n\t\t\t\t<location>{} {} "
        "{}</location>\n\t\t\t\t<fixed>{}</fixed>\n\t\t\t</Marker>\n",
        xml_escaped(marker.name), xml_escaped(marker.body), number_text(marker.location[0]),
        number_text(marker.location[1]), number_text(marker.location[2]),
        marker.fixed ? "true" : "false");
  }
  return out + "\t\t</objects>\n\t</MarkerSet>\n</OpenSimDocument>\n";
}

}  // namespace parfait::io
