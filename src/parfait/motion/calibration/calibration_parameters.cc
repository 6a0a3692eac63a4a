#include <algorithm>
#include <cmath>
#include <sstream>

#include "parfait/base/error.h"
#include "parfait/motion/calibration/calibration.h"

namespace parfait::motion {
namespace {

constexpr const char* kAxes = "xyz";

/// femur_r, femur_l, r_femur, RightFemur: the name without its side; the same if it has none.
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

bool has_word(const std::string& list, const std::string& word) {
  std::istringstream words(list);
  for (std::string each; words >> each;) {
    if (each == word) return true;
  }
  return false;
}

class PriorTable {
 public:
  PriorTable(const Skeleton& skeleton, const CalibrationOptions& options) : options_(options) {
    for (const GeometryPrior& prior : options.own_priors) check(skeleton, prior);
  }

  /// The first that fits; null: none.
  const GeometryPrior* find(const std::string& what, const std::string& name,
                            const std::string& other) const {
    for (const GeometryPrior& prior : options_.own_priors) {
      if (prior.what != what) continue;
      if (prior.name == "*" || has_word(prior.name, name) || has_word(prior.name, other)) {
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
    } else {
      throw base::InputError("prior of \"" + prior.what +
                             "\": is not one of scale, marker, joint, turn.");
    }
    std::istringstream words(prior.name);
    for (std::string each; words >> each;) {
      if (each != "*" && std::find(names.begin(), names.end(), each) == names.end()) {
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
  for (std::size_t b = 0; b < num_bodies && options.free_joints; ++b) {
    // A joint to the ground is only where the laboratory is.
    if (!carries[b] || skeleton.tree.bodies[b].parent < 0) continue;
    const std::string& name = skeleton.tree.bodies[b].name;
    const auto add = [&](const char* what, GeometryKind kind, double default_sd, double mean_x,
                         double mean_y, double mean_z) {
      const GeometryPrior* own = table.find(what, name, without_side(name));
      const double sd = own ? own->sd : default_sd;
      if (sd == 0) return;
      const double means[3] = {mean_x, mean_y, mean_z};
      for (int k = 0; k < 3; ++k) {
        GeometryParameter& parameter = out.emplace_back();
        parameter.name = name + "." + what + "." + kAxes[k];
        set_prior(parameter, means[k], sd, default_sd, options.priors);
        parameter.terms.push_back({kind, static_cast<int>(b), k, 1});
      }
    };
    const auto& place = skeleton.tree.constants.bodies[b].X_PJ.p;
    add("joint", GeometryKind::kParentPlace, options.joint_sd, place.x, place.y, place.z);
    add("turn", GeometryKind::kParentTurn, options.turn_sd, 0, 0, 0);
  }
  for (std::size_t m = 0; m < skeleton.markers.size() && options.free_markers; ++m) {
    const SkinMarker& marker = skeleton.markers[m];
    const GeometryPrior* own =
        table.find("marker", marker.name, marker.is_anatomical ? "anatomical" : "tracking");
    const double sd = own                    ? own->sd
                      : marker.is_anatomical ? options.anatomical_sd
                                             : options.tracking_sd;
    if (sd == 0) continue;
    for (int k = 0; k < 3; ++k) {
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

}  // namespace parfait::motion
