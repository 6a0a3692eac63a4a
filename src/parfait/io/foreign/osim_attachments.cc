#include "parfait/io/foreign/osim_attachments.h"

#include <fmt/format.h>

namespace parfait::io {
namespace {

std::string last_part(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// The body that an element is attached to, in every version of the format.
std::string body_of(const XmlView& element) {
  for (const char* name :
       {"socket_parent_frame", "socket_parent", "socket_parent_frame_connectee_name", "body"}) {
    if (const auto text = element.text_of(name)) return last_part(*text);
  }
  for (const auto& connector : element.child("connectors").children()) {
    if (const auto text = connector.text_of("connectee_name")) return last_part(*text);
  }
  return "";
}

class Attachments {
 public:
  Attachments(const BodyFactors& factors, XmlEdits& edits, std::vector<std::string>& told)
      : factors_(factors), edits_(edits), told_(told) {}

  /// `body`: the one that contains the element.
  void visit(const XmlView& element, const std::string& body) {
    std::string inside = body;
    const std::string name = element.name();
    if (name == "Body") {
      inside = element.attribute("name").value_or("");
    } else if (name == "PathPoint" || name == "ConditionalPathPoint") {
      has_muscles_ = true;
      scale(element, "location", body_of(element));
    } else if (name == "MovingPathPoint") {
      has_muscles_ = true;
      if (factors_.contains(body_of(element))) {
        told_.push_back(fmt::format("the moving path point \"{}\" was not scaled.",
                                    element.attribute("name").value_or("")));
      }
    } else if (name == "Mesh" || name == "DisplayGeometry") {
      scale(element, "scale_factors", body);
    } else if (name.starts_with("Wrap") && !name.ends_with("Set")) {
      has_wraps_ = has_wraps_ || factors_.contains(body);
      scale(element, "translation", body);
    }
    for (const auto& child : element.children()) visit(child, inside);
  }
  void tell() {
    if (has_muscles_) {
      told_.emplace_back("fibre and tendon lengths of muscles were not scaled with their paths.");
    }
    if (has_wraps_) told_.emplace_back("radii of wrap objects were not scaled.");
  }

 private:
  void scale(const XmlView& element, const char* child, const std::string& body) {
    const auto found = factors_.find(body);
    const auto value = element.vector_of(child);
    if (found == factors_.end() || !value) return;
    const auto& s = found->second;
    edits_.put(element.child(child), {(*value)[0] * s[0], (*value)[1] * s[1], (*value)[2] * s[2]});
  }

  const BodyFactors& factors_;
  XmlEdits& edits_;
  std::vector<std::string>& told_;
  bool has_muscles_ = false, has_wraps_ = false;
};

}  // namespace

void scale_attachments(const XmlSource& source, const BodyFactors& factors, XmlEdits& edits,
                       std::vector<std::string>& told) {
  if (factors.empty()) return;
  Attachments attachments(factors, edits, told);
  attachments.visit(XmlView(source, source.root()), "");
  attachments.tell();
}

}  // namespace parfait::io
