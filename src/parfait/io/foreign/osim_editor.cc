#include "parfait/io/foreign/osim_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/number.h"

namespace parfait::io {
namespace osim_editor {
namespace {

using Triple = OsimChanges::Triple;
using Matrix = std::array<Triple, 3>;  ///< rows

std::string last_part(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Body-fixed turns about x, y', z''.
Matrix rotation(const Triple& a) {
  const double cx = std::cos(a[0]), sx = std::sin(a[0]), cy = std::cos(a[1]), sy = std::sin(a[1]),
               cz = std::cos(a[2]), sz = std::sin(a[2]);
  return {{{cy * cz, -cy * sz, sy},
           {cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy},
           {sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy}}};
}

std::string triple_text(const Triple& a) {
  return number_text(a[0]) + " " + number_text(a[1]) + " " + number_text(a[2]);
}

Triple product(const Triple& a, const Triple& b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

class Editor {
 public:
  Editor(std::string_view text, const std::string& file_name, const OsimChanges& changes,
         std::vector<std::string>& told)
      : source_(text, file_name), changes_(changes), told_(told) {}

  std::string run() {
    const XmlView root(source_, source_.root());
    if (root.name() != "OpenSimDocument") root.fail("is not an OpenSim model.");
    visit(root, "");
    if (has_muscles_ && !changes_.scale.empty()) {
      told_.emplace_back("fibre and tendon lengths of muscles were not scaled with their paths.");
    }
    std::string out = source_.text();
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
    for (const Edit& edit : edits_) out.replace(edit.begin, edit.end - edit.begin, edit.text);
    return out;
  }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  /// Factors of a body; null: it is not scaled.
  const Triple* scale_of(const std::string& body) const {
    const auto found = changes_.scale.find(body);
    return found == changes_.scale.end() ? nullptr : &found->second;
  }

  /// The text inside an element, from its first to its last character that is no white space.
  void set_text(const XmlView& element, const std::string& text) {
    if (!element || !element.node().first_child()) return;
    const auto begin = static_cast<std::size_t>(element.node().first_child().offset_debug());
    const std::string& all = source_.text();
    std::size_t first = begin, last = std::min(all.find('<', begin), all.size());
    while (first < last && std::isspace(static_cast<unsigned char>(all[first]))) ++first;
    while (last > first && std::isspace(static_cast<unsigned char>(all[last - 1]))) --last;
    edits_.push_back({first, last, text});
  }
  void scale_text(const XmlView& parent, const char* name, const Triple& factors) {
    if (const auto value = parent.vector_of(name)) {
      set_text(parent.child(name), triple_text(product(*value, factors)));
    }
  }

  /// The body that an element is attached to, over at most one frame.
  static std::string body_of(const XmlView& element) {
    for (const char* name :
         {"socket_parent_frame", "socket_parent", "socket_parent_frame_connectee_name", "body"}) {
      if (const auto text = element.text_of(name)) return last_part(*text);
    }
    for (const auto& connector : element.child("connectors").children()) {
      if (const auto text = connector.text_of("connectee_name")) return last_part(*text);
    }
    return "";
  }

  void visit(const XmlView& element, const std::string& body) {
    std::string inside = body;
    const std::string name = element.name();
    if (name == "Body") {
      inside = element.attribute("name").value_or("");
      edit_body(element, inside);
    } else if (name == "Marker") {
      edit_marker(element);
      return;
    } else if (name.ends_with("Joint") && element.attribute("name")) {
      edit_joint(element, body);
      return;
    } else if (name == "PathPoint" || name == "ConditionalPathPoint") {
      has_muscles_ = true;
      if (const Triple* s = scale_of(body_of(element))) scale_text(element, "location", *s);
    } else if (name == "MovingPathPoint") {
      has_muscles_ = true;
      if (scale_of(body_of(element))) {
        told_.push_back(fmt::format("the moving path point \"{}\" was not scaled.",
                                    element.attribute("name").value_or("")));
      }
    } else if (name == "Mesh" || name == "DisplayGeometry") {
      if (const Triple* s = scale_of(body)) scale_text(element, "scale_factors", *s);
    } else if (name.starts_with("Wrap") && !name.ends_with("Set")) {
      if (const Triple* s = scale_of(body)) scale_text(element, "translation", *s);
    }
    for (const auto& child : element.children()) visit(child, inside);
  }

  void edit_body(const XmlView& body, const std::string& id) {
    const Triple* s = scale_of(id);
    const Triple one{1, 1, 1};
    const double m = changes_.mass_factor;
    if (!s && m == 1) return;
    const Triple f = s ? *s : one;
    if (const auto mass = body.number_of("mass"))
      set_text(body.child("mass"), number_text(*mass * m));
    scale_text(body, "mass_center", f);
    // Second moments of the mass distribution stretch with the squares of the factors.
    const auto stretched = [&](const Triple& I) {
      const double half = 0.5 * (I[0] + I[1] + I[2]);
      const Triple second{(half - I[0]) * f[0] * f[0], (half - I[1]) * f[1] * f[1],
                          (half - I[2]) * f[2] * f[2]};
      return Triple{m * (second[1] + second[2]), m * (second[0] + second[2]),
                    m * (second[0] + second[1])};
    };
    if (const XmlView inertia = body.child("inertia")) {
      const auto v = inertia.numbers(6);
      const Triple I = stretched({v[0], v[1], v[2]});
      set_text(
          inertia,
          fmt::format("{} {} {} {}", triple_text(I), number_text(m * v[3] * f[0] * f[1]),
                      number_text(m * v[4] * f[0] * f[2]), number_text(m * v[5] * f[1] * f[2])));
      return;
    }
    const auto xx = body.number_of("inertia_xx"), yy = body.number_of("inertia_yy"),
               zz = body.number_of("inertia_zz");
    if (!xx || !yy || !zz) return;
    const Triple I = stretched({*xx, *yy, *zz});
    set_text(body.child("inertia_xx"), number_text(I[0]));
    set_text(body.child("inertia_yy"), number_text(I[1]));
    set_text(body.child("inertia_zz"), number_text(I[2]));
    const std::pair<const char*, double> products[] = {
        {"inertia_xy", f[0] * f[1]}, {"inertia_xz", f[0] * f[2]}, {"inertia_yz", f[1] * f[2]}};
    for (const auto& [name, factor] : products) {
      if (const auto v = body.number_of(name))
        set_text(body.child(name), number_text(m * *v * factor));
    }
  }

  void edit_marker(const XmlView& marker) {
    const auto given = changes_.markers.find(marker.attribute("name").value_or(""));
    if (given != changes_.markers.end()) {
      set_text(marker.child("location"), triple_text(given->second));
    } else if (const Triple* s = scale_of(body_of(marker))) {
      scale_text(marker, "location", *s);
    }
  }

  /// `owner`: the body that contains the joint (versions before 4), or empty.
  void edit_joint(const XmlView& joint, const std::string& owner) {
    std::string parent, child = owner;
    Triple orientation{};
    if (!owner.empty()) {
      parent = joint.text_of("parent_body").value_or(body_of(joint));
      orientation = joint.vector_of("orientation_in_parent").value_or(Triple{});
      const auto frame = changes_.joints.find(child);
      if (frame != changes_.joints.end()) {
        set_text(joint.child("location_in_parent"), triple_text(frame->second.translation));
        set_text(joint.child("orientation_in_parent"), triple_text(frame->second.orientation));
      } else if (const Triple* s = scale_of(parent)) {
        scale_text(joint, "location_in_parent", *s);
      }
      if (const Triple* s = scale_of(child)) scale_text(joint, "location", *s);
    } else {
      edit_frames(joint, parent, child, orientation);
    }
    const auto frame = changes_.joints.find(child);
    const Triple axes = frame == changes_.joints.end() ? orientation : frame->second.orientation;
    if (const Triple* s = scale_of(parent)) edit_displacements(joint, *s, axes);
  }

  void edit_frames(const XmlView& joint, std::string& parent, std::string& child,
                   Triple& orientation) {
    const std::string parent_frame = last_part(joint.text_of("socket_parent_frame").value_or(""));
    const std::string child_frame = last_part(joint.text_of("socket_child_frame").value_or(""));
    for (const auto& frame : joint.child("frames").children()) {
      const std::string id = frame.attribute("name").value_or("");
      if (id == parent_frame) {
        parent = body_of(frame);
        orientation = frame.vector_of("orientation").value_or(Triple{});
      } else if (id == child_frame) {
        child = body_of(frame);
      }
    }
    if (parent.empty()) parent = parent_frame;
    if (child.empty()) child = child_frame;
    for (const auto& frame : joint.child("frames").children()) {
      const std::string id = frame.attribute("name").value_or("");
      const auto given = changes_.joints.find(child);
      if (id == parent_frame && given != changes_.joints.end()) {
        set_text(frame.child("translation"), triple_text(given->second.translation));
        set_text(frame.child("orientation"), triple_text(given->second.orientation));
      } else if (const Triple* s = scale_of(body_of(frame))) {
        scale_text(frame, "translation", *s);
      }
    }
  }

  void edit_displacements(const XmlView& joint, const Triple& s, const Triple& orientation) {
    const Matrix R = rotation(orientation);
    for (const auto& axis : joint.child("SpatialTransform").children()) {
      const std::string name = axis.attribute("name").value_or("");
      if (!name.starts_with("translation")) continue;
      XmlView function = function_of(axis);
      if (!function) continue;
      if (function.name() == "LinearFunction") {
        const auto coefficients = function.child("coefficients").numbers(-1);
        if (coefficients.size() == 2 && coefficients[0] == 1 && coefficients[1] == 0) continue;
      }
      if (is_zero(function)) continue;
      Triple a = axis.vector_of("axis").value_or(Triple{1, 0, 0});
      const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
      for (double& x : a) x /= length;
      Triple in_parent{}, scaled{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) in_parent[i] += R[i][j] * a[j];
        in_parent[i] *= s[i];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) scaled[i] += R[j][i] * in_parent[j];
      }
      const double factor =
          std::sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2]);
      Triple direction{scaled[0] / factor, scaled[1] / factor, scaled[2] / factor};
      double turned = 0;
      for (std::size_t i = 0; i < 3; ++i) turned = std::max(turned, std::abs(direction[i] - a[i]));
      if (turned > 1e-15) set_text(axis.child("axis"), triple_text(direction));
      multiply(function, factor);
    }
  }

  static XmlView function_of(const XmlView& axis) {
    for (const auto& child : axis.children()) {
      if (child.name() == "function") {
        const auto inside = child.children();
        return inside.empty() ? XmlView() : inside.front();
      }
      if (child.name().find("Function") != std::string::npos || child.name() == "Constant" ||
          child.name().find("Spline") != std::string::npos) {
        return child;
      }
    }
    return {};
  }

  static bool is_zero(const XmlView& function) {
    return function.name() == "Constant" && function.number_of("value").value_or(0) == 0;
  }

  void multiply(const XmlView& function, double factor) {
    if (function.name() == "MultiplierFunction") {
      const double before = function.number_of("scale").value_or(1);
      if (function.child("scale")) {
        set_text(function.child("scale"), number_text(before * factor));
        return;
      }
    }
    // The function as it stands becomes the one that is multiplied.
    const std::string& all = source_.text();
    const auto name_at = static_cast<std::size_t>(function.node().offset_debug());
    const std::size_t begin = all.rfind('<', name_at);
    const std::string closing = "</" + function.name() + ">";
    std::size_t end = all.find(closing, name_at);
    const std::size_t tag_end = all.find('>', name_at);
    if (tag_end != std::string::npos && all[tag_end - 1] == '/') {
      end = tag_end + 1;
    } else if (end == std::string::npos) {
      function.fail("its end was not found.");
    } else {
      end += closing.size();
    }
    const std::string inside = all.substr(begin, end - begin);
    edits_.push_back({begin, end,
                      "<MultiplierFunction name=\"function\"><function>" + inside +
                          "</function><scale>" + number_text(factor) +
                          "</scale></MultiplierFunction>"});
  }

  XmlSource source_;
  const OsimChanges& changes_;
  std::vector<std::string>& told_;
  std::vector<Edit> edits_;
  bool has_muscles_ = false;
};

}  // namespace
}  // namespace osim_editor

std::string changed_osim(std::string_view text, const std::string& file_name,
                         const OsimChanges& changes, std::vector<std::string>& told) {
  return osim_editor::Editor(text, file_name, changes, told).run();
}

}  // namespace parfait::io
