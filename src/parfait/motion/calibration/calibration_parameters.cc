#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "parfait/base/error.h"
#include "parfait/motion/calibration/calibration.h"
#include "parfait/motion/calibration/side_names.h"

namespace parfait::motion {

const std::vector<std::string>& prior_kinds() {
  static const std::vector<std::string> kKinds{"scale", "marker", "joint", "turn",
                                               "hip",   "middle", "length"};
  return kKinds;
}

std::string without_side(const std::string& name) {
  for (const char* end : {"_r", "_l", "_R", "_L"}) {
    if (name.ends_with(end)) return name.substr(0, name.size() - 2);
  }
  for (const char* word : {"Right", "Left", "right", "left"}) {
    if (const auto at = name.find(word); at != std::string::npos) {
      std::string rest = name.substr(0, at) + name.substr(at + std::string(word).size());
      while (rest.starts_with('_')) rest.erase(0, 1);
      while (rest.ends_with('_')) rest.pop_back();
      if (!rest.empty()) return rest;
    }
  }
  for (const char* begin : {"r_", "l_", "R_", "L_"}) {
    if (name.starts_with(begin)) return name.substr(2);
  }
  return name;
}

namespace {

constexpr const char* kAxes = "xyz";

/// The word itself, or with an axis: "femur.x".
bool has_word(const std::string& list, const std::string& word, const std::string& axis) {
  const std::string with_axis = fmt::format("{}.{}", word, axis);
  std::istringstream words(list);
  for (std::string each; words >> each;) {
    if (each == word || (!axis.empty() && each == with_axis)) return true;
  }
  return false;
}

/// Without ".x", ".y" or ".z" at its end.
std::string without_axis(const std::string& name) {
  for (const char* end : {".x", ".y", ".z"}) {
    if (name.ends_with(end)) return name.substr(0, name.size() - 2);
  }
  return name;
}

bool is_shape(const std::string& what) {
  return what == "hip" || what == "middle" || what == "length";
}

class PriorTable {
 public:
  PriorTable(const Skeleton& skeleton, const CalibrationOptions& options) : options_(options) {
    for (const GeometryPrior& prior : options.own_priors) check(skeleton, prior);
  }

  /// The first that fits; null: none.
  const GeometryPrior* find(const std::string& what, const std::string& name,
                            const std::string& other, const std::string& axis = "") const {
    for (const GeometryPrior& prior : options_.own_priors) {
      if (prior.what != what) continue;
      if (prior.name == "*" || has_word(prior.name, name, axis) ||
          has_word(prior.name, other, axis)) {
        return &prior;
      }
    }
    return nullptr;
  }

 private:
  void check(const Skeleton& skeleton, const GeometryPrior& prior) const {
    std::vector<std::string> names;
    if (prior.what == "scale" || prior.what == "joint" || prior.what == "turn") {
      for (const auto& body : skeleton.tree.bodies) {
        names.push_back(body.name);
        names.push_back(without_side(body.name));
      }
    } else if (prior.what == "marker") {
      names = {"anatomical", "tracking"};
      for (const auto& marker : skeleton.markers) names.push_back(marker.name);
    } else if (is_shape(prior.what)) {
      return;
    } else {
      throw base::InputError("prior of \"" + prior.what + "\": is not one of " +
                             base::listing(prior_kinds()) + ".");
    }
    std::istringstream words(prior.name);
    for (std::string each; words >> each;) {
      const std::string bare = prior.what == "scale" ? each : without_axis(each);
      if (each != "*" && std::find(names.begin(), names.end(), each) == names.end() &&
          std::find(names.begin(), names.end(), bare) == names.end()) {
        throw base::InputError("prior of " + prior.what + " \"" + each + "\": the model has none." +
                               base::suggestion(each, names));
      }
    }
    if (std::isnan(prior.sd) || prior.sd < 0) {
      throw base::InputError("prior of " + prior.what + " \"" + prior.name +
                             "\": its standard deviation must be at least 0.");
    }
  }

  const CalibrationOptions& options_;
};

void set_prior(GeometryParameter& parameter, double mean, double sd, double natural_scale,
               bool priors) {
  parameter.initial = mean;
  parameter.prior_mean = mean;
  parameter.prior_sd = priors && std::isfinite(sd) ? sd : 0;
  parameter.scale =
      parameter.prior_sd > 0 ? std::min(parameter.prior_sd, natural_scale) : natural_scale;
}

/// Whether a marker moves when a body is scaled: it is on it, or on what the body carries.
std::vector<char> bodies_with_markers(const Skeleton& skeleton) {
  std::vector<char> carries(skeleton.tree.bodies.size(), 0);
  for (const auto& marker : skeleton.markers) {
    for (int b = marker.body; b >= 0;
         b = skeleton.tree.bodies[static_cast<std::size_t>(b)].parent) {
      carries[static_cast<std::size_t>(b)] = 1;
    }
  }
  return carries;
}

/// The body on the other side whose joint is the mirror image of this one's.
struct Mirrored {
  int other = -1;
  int axis = 1;  ///< across the mirror
};

std::vector<Mirrored> find_mirrored(const Skeleton& skeleton) {
  constexpr double kAlike = 1e-4;  // m
  const auto& tree = skeleton.tree;
  std::vector<Mirrored> out(tree.bodies.size());
  const auto place = [&](int b, int k) {
    return component(tree.constants.bodies[static_cast<std::size_t>(b)].X_PJ.p, k);
  };
  const auto is_straight = [&](int b) {
    const auto& R = tree.constants.bodies[static_cast<std::size_t>(b)].X_PJ.R;
    return std::abs(R.x.x - 1) + std::abs(R.y.y - 1) + std::abs(R.z.z - 1) < 1e-9;
  };
  std::vector<std::pair<int, int>> pairs;
  std::array<int, 3> opposite{};
  for (int b = 0; b < tree.num_bodies(); ++b) {
    for (int c = b + 1; c < tree.num_bodies(); ++c) {
      const auto& left = tree.bodies[static_cast<std::size_t>(b)];
      const auto& right = tree.bodies[static_cast<std::size_t>(c)];
      if (left.name == right.name || without_side(left.name) != without_side(right.name)) continue;
      pairs.emplace_back(b, c);
      for (int k = 0; k < 3; ++k) {
        opposite[static_cast<std::size_t>(k)] +=
            std::abs(place(b, k)) > 10 * kAlike && std::abs(place(b, k) + place(c, k)) < kAlike;
      }
    }
  }
  const int axis =
      static_cast<int>(std::max_element(opposite.begin(), opposite.end()) - opposite.begin());
  if (opposite[static_cast<std::size_t>(axis)] == 0) return out;
  for (const auto& [b, c] : pairs) {
    bool alike = is_straight(b) && is_straight(c);
    for (int k = 0; k < 3; ++k) {
      alike = alike && std::abs(place(b, k) - (k == axis ? -1 : 1) * place(c, k)) < kAlike;
    }
    if (!alike) continue;
    out[static_cast<std::size_t>(b)] = {c, axis};
    out[static_cast<std::size_t>(c)] = {b, axis};
  }
  return out;
}

}  // namespace

std::vector<GeometryParameter> make_parameters(const Skeleton& skeleton,
                                               const CalibrationOptions& options) {
  std::vector<GeometryParameter> out;
  const PriorTable table(skeleton, options);
  const auto carries = bodies_with_markers(skeleton);
  const auto num_bodies = skeleton.tree.bodies.size();
  struct Group {
    std::string name;
    std::vector<int> bodies;
    double sd, mean;
  };
  std::vector<Group> groups;
  for (std::size_t b = 0; b < num_bodies && options.free_scales; ++b) {
    if (!carries[b]) continue;
    const std::string& name = skeleton.tree.bodies[b].name;
    const std::string base = options.symmetric ? without_side(name) : name;
    const GeometryPrior* own = table.find("scale", name, without_side(name));
    const double sd = own ? own->sd : options.scale_sd;
    if (sd == 0) continue;
    const double mean = own && own->mean > 0 ? own->mean : options.scale_mean;
    // Bodies named together share their factors.
    std::string group = base;
    if (own && own->name != "*" && own->name.find(' ') != std::string::npos) {
      group = own->name;
      std::replace(group.begin(), group.end(), ' ', '+');
      if (!options.symmetric && name != base) group = base;
    }
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == group; });
    if (found != groups.end()) {
      found->bodies.push_back(static_cast<int>(b));
    } else {
      groups.push_back({group, {static_cast<int>(b)}, sd, mean});
    }
  }
  for (const Group& group : groups) {
    for (int k = 0; k < 3; ++k) {
      GeometryParameter& parameter = out.emplace_back();
      parameter.name = group.name + ".scale." + kAxes[k];
      set_prior(parameter, group.mean, group.sd, 0.1, options.priors);
      parameter.lower = 0.2;
      parameter.upper = 5;
      for (const int b : group.bodies) parameter.terms.push_back({GeometryKind::kScale, b, k, 1});
    }
  }
  const std::vector<Mirrored> mirrored =
      options.symmetric ? find_mirrored(skeleton) : std::vector<Mirrored>(num_bodies);
  for (std::size_t b = 0; b < num_bodies && options.free_joints; ++b) {
    // A joint to the ground is only where the laboratory is.
    if (skeleton.tree.bodies[b].parent < 0) continue;
    const Mirrored& pair = mirrored[b];
    if (pair.other >= 0 && pair.other < static_cast<int>(b)) continue;
    const std::string& name = skeleton.tree.bodies[b].name;
    const std::string shown = pair.other >= 0 ? without_side(name) : name;
    const auto add = [&](const char* what, GeometryKind kind, double default_sd,
                         const Vec3<double>& mean) {
      for (int k = 0; k < 3; ++k) {
        const std::string axis(1, kAxes[k]);
        const GeometryPrior* own = table.find(what, name, without_side(name), axis);
        const double sd = own ? own->sd : default_sd;
        // What moves no marker is a parameter only where it is asked for by its name.
        if (sd == 0 || (!carries[b] && (!own || own->name == "*"))) continue;
        GeometryParameter& parameter = out.emplace_back();
        parameter.name = fmt::format("{}.{}.{}", shown, what, axis);
        set_prior(parameter, component(mean, k), sd, default_sd, options.priors);
        parameter.terms.push_back({kind, static_cast<int>(b), k, 1});
        if (pair.other < 0) continue;
        // Mirrored: places change their sign across the mirror, turns about the other axes.
        const bool flips = (k == pair.axis) == (kind == GeometryKind::kParentPlace);
        parameter.terms.push_back({kind, pair.other, k, flips ? -1.0 : 1.0});
      }
    };
    add("joint", GeometryKind::kParentPlace, options.joint_sd,
        skeleton.tree.constants.bodies[b].X_PJ.p);
    add("turn", GeometryKind::kParentTurn, options.turn_sd, {0, 0, 0});
  }
  for (std::size_t m = 0; m < skeleton.markers.size() && options.free_markers; ++m) {
    const SkinMarker& marker = skeleton.markers[m];
    for (int k = 0; k < 3; ++k) {
      const GeometryPrior* own = table.find(
          "marker", marker.name, marker.is_anatomical ? "anatomical" : "tracking", {kAxes[k]});
      const double sd = own                    ? own->sd
                        : marker.is_anatomical ? options.anatomical_sd
                                               : options.tracking_sd;
      if (sd == 0) continue;
      GeometryParameter& parameter = out.emplace_back();
      parameter.name = marker.name + "." + kAxes[k];
      set_prior(parameter, component(marker.place, k), sd, 0.01, options.priors);
      parameter.terms.push_back({GeometryKind::kMarker, static_cast<int>(m), k, 1});
    }
  }
  if (out.empty()) throw base::InputError("calibration: nothing is free.");
  return out;
}

std::vector<GeometryLength> geometry_lengths(const CalibrationModel& model,
                                             const Geometry& geometry) {
  const tree::Tree& tree = model.skeleton.tree;
  std::vector<GeometryLength> out;
  /// |S (a - b)| between joint centres of body A: `a` on the parent side of body C, `b` either A's
  /// own joint (D < 0) or the parent side of body D.
  const auto add = [&](const std::string& name, int A, int C, int D) {
    const auto a = static_cast<std::size_t>(A);
    const Vec3<double> from =
        D < 0 ? geometry.child_place[a] : geometry.parent_place[static_cast<std::size_t>(D)];
    const Vec3<double> way = geometry.parent_place[static_cast<std::size_t>(C)] - from;
    const Vec3<double> v = times(geometry.scale[a], way);
    GeometryLength length;
    length.name = name;
    length.value = std::sqrt(dot(v, v));
    length.gradient = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.parameters.size()));
    if (!(length.value > 0.02)) return;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      for (const auto& term : model.parameters[i].terms) {
        const double along = component(v, term.axis) / length.value;
        double d = 0;
        if (term.kind == GeometryKind::kScale && term.index == A) {
          d = along * component(way, term.axis);
        } else if (term.kind == GeometryKind::kParentPlace &&
                   (term.index == C || term.index == D)) {
          d = (term.index == C ? 1 : -1) * along * component(geometry.scale[a], term.axis);
        } else if (term.kind == GeometryKind::kChildPlace && D < 0 && term.index == A) {
          d = -along * component(geometry.scale[a], term.axis);
        }
        length.gradient[static_cast<Eigen::Index>(i)] += term.factor * d;
      }
    }
    out.push_back(length);
  };
  for (int c = 0; c < tree.num_bodies(); ++c) {
    const auto& body = tree.bodies[static_cast<std::size_t>(c)];
    if (body.parent < 0) continue;
    const auto& parent = tree.bodies[static_cast<std::size_t>(body.parent)];
    // From the parent's own joint to this one, where the parent is a link of a chain.
    if (parent.parent >= 0) add(parent.name + " (to " + body.name + ")", body.parent, c, -1);
    for (int d = 0; d < c; ++d) {
      const auto& other = tree.bodies[static_cast<std::size_t>(d)];
      if (other.parent == body.parent && other.name != body.name &&
          without_side(other.name) == without_side(body.name)) {
        add(parent.name + " (" + other.name + " to " + body.name + ")", body.parent, c, d);
      }
    }
  }
  return out;
}

std::vector<ShapePrior> make_shape_priors(const Skeleton& skeleton,
                                          const std::vector<CalibrationTrial>& trials,
                                          const CalibrationOptions& options) {
  std::vector<ShapePrior> out;
  if (!options.priors) return out;
  std::vector<const MatchedMarkers*> data;
  data.reserve(trials.size());
  for (const auto& trial : trials) data.push_back(&trial.markers);
  const auto body_named = [&](const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t b = 0; b < skeleton.tree.bodies.size(); ++b) {
      names.push_back(skeleton.tree.bodies[b].name);
      if (names.back() == name && skeleton.tree.bodies[b].parent >= 0) return static_cast<int>(b);
    }
    throw base::InputError("prior of a joint of \"" + name + "\": the model has none." +
                           base::suggestion(name, names));
  };
  bool hips = options.free_joints;
  double hip_sd = 0.006;
  bool functional = true;
  double functional_sd = 0.006;
  for (const GeometryPrior& prior : options.own_priors) {
    if (prior.what == "hip") {
      if (prior.name == "functional") {
        functional = std::isfinite(prior.sd);
        functional_sd = prior.sd;
        continue;
      }
      if (prior.name != "harrington") {
        throw base::InputError("prior of hip \"" + prior.name +
                               "\": is neither harrington nor functional.");
      }
      hips = std::isfinite(prior.sd);
      hip_sd = prior.sd;
    } else if (prior.what == "middle") {
      // Joint, marker, marker.
      std::istringstream words(prior.name);
      std::string body, markers[2];
      words >> body >> markers[0] >> markers[1];
      const int c = body_named(body);
      const int parent = skeleton.tree.bodies[static_cast<std::size_t>(c)].parent;
      const int m[2] = {skeleton.find_marker(markers[0]), skeleton.find_marker(markers[1])};
      for (int i = 0; i < 2; ++i) {
        if (m[i] < 0) {
          throw base::InputError("prior of middle \"" + prior.name +
                                 "\": must be a body and two markers of one body; \"" + markers[i] +
                                 "\" is no marker of the model.");
        }
      }
      const int on = skeleton.markers[static_cast<std::size_t>(m[0])].body;
      if (on != skeleton.markers[static_cast<std::size_t>(m[1])].body ||
          (on != c && on != parent)) {
        throw base::InputError("prior of middle \"" + prior.name +
                               "\": both markers must be on one of the joint's two bodies.");
      }
      ShapePrior& shape = out.emplace_back();
      shape.name = "joint of " + body + " between " + markers[0] + " and " + markers[1];
      shape.kind = ShapePrior::Kind::kMiddle;
      shape.body = on;
      shape.points = {{on == c ? GeometryKind::kChildPlace : GeometryKind::kParentPlace, c},
                      {GeometryKind::kMarker, m[0]},
                      {GeometryKind::kMarker, m[1]}};
      shape.value = {0, 0, 0};
      shape.sd = prior.sd;
    } else if (prior.what == "length") {
      // From the joint of a body to that of the next.
      const int c = body_named(prior.name);
      const int parent = skeleton.tree.bodies[static_cast<std::size_t>(c)].parent;
      if (!(prior.mean > 0)) {
        throw base::InputError("prior of length \"" + prior.name + "\": needs a mean in m, > 0.");
      }
      ShapePrior& shape = out.emplace_back();
      shape.name = "length of " + skeleton.tree.bodies[static_cast<std::size_t>(parent)].name;
      shape.kind = ShapePrior::Kind::kLength;
      shape.body = parent;
      shape.points = {{GeometryKind::kChildPlace, parent}, {GeometryKind::kParentPlace, c}};
      shape.value = {prior.mean};
      shape.sd = prior.sd;
    } else {
      continue;
    }
    if (prior.what != "hip" && !(std::isfinite(prior.sd) && prior.sd > 0)) {
      throw base::InputError("prior of " + prior.what + " \"" + prior.name +
                             "\": its standard deviation must be > 0.");
    }
  }
  if ((hips && !(hip_sd > 0)) || (functional && !(functional_sd > 0))) {
    throw base::InputError("prior of hip: its standard deviation must be > 0.");
  }
  if (hips) {
    const auto found = harrington_priors(skeleton, data, hip_sd);
    out.insert(out.end(), found.begin(), found.end());
  }
  if (functional) {
    const auto found = functional_priors(options.functional, skeleton, functional_sd);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace parfait::motion
