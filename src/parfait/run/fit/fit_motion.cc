#include "parfait/run/fit/fit_motion.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "parfait/estimate/fit/prediction.h"
#include "parfait/mechanism/stage/mechanical_system.h"
#include "parfait/run/fit/fitted_values.h"
#include "parfait/run/scene/scene.h"

namespace parfait::run {
namespace fit_motion {
namespace {

using estimate::ExperimentDescription;

constexpr std::size_t kMostMotions = 100;

const mechanism::MechanicalSystem* mechanics_of(const ExperimentDescription& e) {
  return dynamic_cast<const mechanism::MechanicalSystem*>(e.system.get());
}

/// "Load.com.x" → "Load.com" and 0.
struct PointQuantity {
  std::string point;
  std::size_t axis;
};
std::optional<PointQuantity> point_quantity(const std::string& quantity) {
  const auto last = quantity.rfind('.');
  if (last == std::string::npos || quantity.size() != last + 2) return std::nullopt;
  const auto axis = std::string_view("xyz").find(quantity[last + 1]);
  if (axis == std::string_view::npos) return std::nullopt;
  return PointQuantity{quantity.substr(0, last), axis};
}

/// Where that point of a body lies; nothing if there is none of that name.
std::optional<result::ScenePlace> find_point(const result::Scene& scene, const std::string& name) {
  for (const auto& marker : scene.markers) {
    if (marker.id == name) return marker.place;
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    result::ScenePlace place;
    place.body = static_cast<int>(i);
    if (name == scene.bodies[i].id + ".origin") return place;
    place.o = scene.bodies[i].com;
    if (name == scene.bodies[i].id + ".com") return place;
  }
  return std::nullopt;
}

/// The measured points of an experiment: coordinates that were measured at the same time belong
/// together.
std::vector<result::MeasuredMarker> measured_markers(const result::Scene& scene,
                                                     const result::FittedExperiment& experiment,
                                                     const result::FitTables& tables) {
  std::map<std::string, PointQuantity> columns;
  for (const auto& observed : experiment.observed) {
    const auto quantity = point_quantity(observed.quantity);
    if (quantity && find_point(scene, quantity->point)) {
      columns.emplace(observed.column, *quantity);
    }
  }
  std::map<std::string, std::map<double, result::Point3>> points;
  for (const auto& r : tables.residuals) {
    if (r.experiment != experiment.id || r.prior) continue;
    const auto column = columns.find(r.column);
    if (column == columns.end()) continue;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    auto [point, is_new] =
        points[column->second.point].try_emplace(r.t, result::Point3{kNone, kNone, kNone});
    point->second[column->second.axis] = r.measured;
  }
  std::vector<result::MeasuredMarker> out;
  for (const auto& [name, at] : points) {
    auto& marker = out.emplace_back();
    marker.marker = name;
    marker.place = *find_point(scene, name);
    for (const auto& [t, point] : at) {
      marker.t.push_back(t);
      marker.points.push_back(point);
    }
  }
  return out;
}

/// The scene's index; a scene like one that is there already is not added again.
int add_scene(result::Scene scene, std::vector<result::Scene>& scenes) {
  const auto known = std::find(scenes.begin(), scenes.end(), scene);
  const auto index = known - scenes.begin();
  if (known == scenes.end()) scenes.push_back(std::move(scene));
  return static_cast<int>(index);
}

/// A mechanism of an experiment and what its motion consists of.
struct Mechanism {
  result::Scene scene;
  MotionQuantities quantities;
};
using Mechanisms = std::map<std::string, Mechanism>;  ///< by experiment

Mechanisms mechanisms_of(const estimate::Problem& problem, const result::Fit& fit) {
  Mechanisms out;
  for (const auto& e : problem.experiments) {
    const auto* model = mechanics_of(e);
    if (!model || out.size() == kMostMotions) continue;
    auto scene = make_scene(model->description(), fitted_values(e, fit));
    scene.model = e.model;
    auto quantities = motion_quantities(model->description(), scene);
    out.emplace(e.id, Mechanism{std::move(scene), std::move(quantities)});
  }
  return out;
}

/// How they move at x.
std::vector<result::Motion> motions_at(estimate::PreparedProblem& prepared,
                                       const Mechanisms& mechanisms, estimate::VecIn x) {
  const auto choose = [&](const ExperimentDescription& e) {
    const auto found = mechanisms.find(e.id);
    return found == mechanisms.end() ? std::vector<std::string>() : found->second.quantities.names;
  };
  std::vector<result::Motion> out;
  for (const auto& prediction : estimate::predict_values(prepared, x, choose)) {
    auto& motion = out.emplace_back();
    motion.experiment = prediction.experiment;
    motion.t = prediction.t;
    const auto& quantities = mechanisms.at(prediction.experiment).quantities;
    std::vector<double> row(quantities.names.size());
    for (Eigen::Index i = 0; i < prediction.values.cols(); ++i) {
      for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = prediction.values(static_cast<Eigen::Index>(j), i);
      }
      append_frame(quantities, row, motion);
    }
  }
  return out;
}

}  // namespace
}  // namespace fit_motion

result::Scenes scenes_at(estimate::PreparedProblem& prepared, estimate::VecIn x) {
  const auto mechanisms = fit_motion::mechanisms_of(prepared.problem(), {});
  result::Scenes out;
  if (mechanisms.empty()) return out;
  out.motions = fit_motion::motions_at(prepared, mechanisms, x);
  for (auto& motion : out.motions) {
    motion.scene = fit_motion::add_scene(mechanisms.at(motion.experiment).scene, out.scenes);
  }
  return out;
}

result::Scenes make_scenes(estimate::PreparedProblem& prepared, const estimate::FitResult& fit,
                           const result::Fit& result, const result::FitTables& tables) {
  result::Scenes out;
  if (!fit.has_values()) return out;
  const auto mechanisms = fit_motion::mechanisms_of(prepared.problem(), result);
  if (mechanisms.empty()) return out;
  out.motions = fit_motion::motions_at(prepared, mechanisms, fit.x);
  for (auto& motion : out.motions) {
    const auto& scene = mechanisms.at(motion.experiment).scene;
    for (const auto& experiment : result.experiments) {
      if (experiment.id != motion.experiment) continue;
      motion.measured = fit_motion::measured_markers(scene, experiment, tables);
    }
    motion.scene = fit_motion::add_scene(scene, out.scenes);
  }
  if (fit.start.size() != fit.x.size()) return out;
  for (auto& guess : fit_motion::motions_at(prepared, mechanisms, fit.start)) {
    for (auto& motion : out.motions) {
      const bool same =
          motion.experiment == guess.experiment && motion.frames.size() == guess.frames.size();
      if (same) motion.initial = std::move(guess.frames);
    }
  }
  return out;
}

}  // namespace parfait::run
