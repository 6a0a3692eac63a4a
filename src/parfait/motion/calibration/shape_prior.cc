#include "parfait/motion/calibration/shape_prior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/math/dual.h"
#include "parfait/motion/calibration/side_names.h"
#include "parfait/motion/skeleton/marker_names.h"

namespace parfait::motion {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace shape_prior {
namespace {

using math::Dual;

const Vec3<double>& place_of(const ShapePrior::Point& point, const Geometry& geometry) {
  const auto i = static_cast<std::size_t>(point.index);
  return point.kind == GeometryKind::kMarker        ? geometry.place[i]
         : point.kind == GeometryKind::kParentPlace ? geometry.parent_place[i]
                                                    : geometry.child_place[i];
}

/// The rows from places in axes of the body.
std::array<Dual, 3> rows_of(ShapePrior::Kind kind, const std::vector<Vec3<Dual>>& x) {
  const auto unit = [](const Vec3<Dual>& a) { return (Dual(1) / sqrt(dot(a, a))) * a; };
  if (kind == ShapePrior::Kind::kLength) {
    const auto d = x[1] - x[0];
    return {sqrt(dot(d, d)), 0.0, 0.0};
  }
  if (kind == ShapePrior::Kind::kMiddle) {
    const auto d = x[0] - Dual(0.5) * (x[1] + x[2]);
    return {d.x, d.y, d.z};
  }
  const auto front = Dual(0.5) * (x[0] + x[1]), back = Dual(0.5) * (x[2] + x[3]);
  const auto right = unit(x[0] - x[1]);
  const auto way = front - back;
  const auto forward = unit(way - dot(way, right) * right);
  const auto up = cross(right, forward);
  const auto d = x[4] - front;
  return {dot(forward, d), dot(up, d), dot(right, d)};
}

/// A landmark by the names that laboratories use; -1: none.
int find_landmark(const Skeleton& skeleton, const char* landmark) {
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    if (landmark_of(skeleton.markers[static_cast<std::size_t>(m)].name) == landmark) return m;
  }
  return -1;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace
}  // namespace shape_prior

double ShapePrior::sd_of(Index row) const {
  return covariance.size() == 0 ? sd : std::sqrt(covariance(row, row));
}

MatrixXd ShapePrior::weighted(const MatrixXd& rows) const {
  if (covariance.size() == 0) return rows / sd;
  return Eigen::LLT<MatrixXd>(covariance).matrixL().solve(rows);
}

VectorXd shape_of(const ShapePrior& prior, const Geometry& geometry,
                  const std::vector<GeometryParameter>* parameters, MatrixXd* jacobian) {
  using math::Dual;
  const auto& scale = geometry.scale[static_cast<std::size_t>(prior.body)];
  const int num_directions = 3 * static_cast<int>(prior.points.size());
  const int num_rows = prior.num_rows();
  VectorXd out(num_rows);
  MatrixXd by_points = MatrixXd::Zero(num_rows, num_directions);
  for (int first = 0; first < num_directions; first += math::kLanes) {
    std::vector<Vec3<Dual>> x;
    for (std::size_t i = 0; i < prior.points.size(); ++i) {
      const auto place = times(scale, shape_prior::place_of(prior.points[i], geometry));
      Vec3<Dual> point{place.x, place.y, place.z};
      for (int k = 0; k < 3; ++k) {
        const int lane = 3 * static_cast<int>(i) + k - first;
        if (lane < 0 || lane >= math::kLanes) continue;
        (k == 0 ? point.x : k == 1 ? point.y : point.z).d[lane] = 1;
      }
      x.push_back(point);
    }
    const auto rows = shape_prior::rows_of(prior.kind, x);
    for (int r = 0; r < num_rows; ++r) {
      out[r] = rows[static_cast<std::size_t>(r)].v;
      for (int lane = 0; lane < math::kLanes && first + lane < num_directions; ++lane) {
        by_points(r, first + lane) = rows[static_cast<std::size_t>(r)].d[lane];
      }
    }
    if (!jacobian) break;
  }
  if (!jacobian) return out;
  // Point = S u: a factor moves it by u, a place by S.
  jacobian->setZero(num_rows, static_cast<Index>(parameters->size()));
  for (std::size_t j = 0; j < parameters->size(); ++j) {
    for (const auto& term : (*parameters)[j].terms) {
      for (std::size_t i = 0; i < prior.points.size(); ++i) {
        double d = 0;
        if (term.kind == GeometryKind::kScale && term.index == prior.body) {
          d = component(shape_prior::place_of(prior.points[i], geometry), term.axis);
        } else if (term.kind == prior.points[i].kind && term.index == prior.points[i].index) {
          d = component(scale, term.axis);
        }
        if (d == 0) continue;
        jacobian->col(static_cast<Index>(j)) +=
            term.factor * d * by_points.col(3 * static_cast<Index>(i) + term.axis);
      }
    }
  }
  return out;
}

std::vector<double> harrington_hip(double breadth, double depth) {
  return {-0.24 * depth - 0.0099, -0.30 * breadth - 0.0109, 0.28 * depth + 0.16 * breadth + 0.0079};
}

std::vector<ShapePrior> harrington_priors(const Skeleton& skeleton,
                                          const std::vector<const MatchedMarkers*>& trials,
                                          double sd) {
  const std::array<const char*, 4> landmarks{"rasi", "lasi", "rpsi", "lpsi"};
  std::array<int, 4> m{};
  for (std::size_t i = 0; i < 4; ++i) {
    m[i] = shape_prior::find_landmark(skeleton, landmarks[i]);
    if (m[i] < 0) return {};
    if (skeleton.markers[static_cast<std::size_t>(m[i])].body !=
        skeleton.markers[static_cast<std::size_t>(m[0])].body) {
      return {};
    }
  }
  const int pelvis = skeleton.markers[static_cast<std::size_t>(m[0])].body;
  // What cameras saw of its size.
  std::vector<double> breadths, depths;
  for (const MatchedMarkers* trial : trials) {
    for (int f = 0; f < trial->num_frames; ++f) {
      std::array<Vec3<double>, 4> x;
      bool all = true;
      for (std::size_t i = 0; i < 4; ++i) {
        all = all && !trial->is_missing(f, m[i]);
        const double* y = trial->frame(f).data() + 3 * static_cast<std::size_t>(m[i]);
        x[i] = {y[0], y[1], y[2]};
      }
      if (!all) continue;
      const auto across = x[0] - x[1], along = 0.5 * (x[0] + x[1] - x[2] - x[3]);
      breadths.push_back(std::sqrt(dot(across, across)));
      depths.push_back(std::sqrt(dot(along, along)));
    }
  }
  if (breadths.empty()) return {};
  const auto hip = harrington_hip(shape_prior::median(breadths), shape_prior::median(depths));
  // The two joints of the pelvis that are a pair.
  std::vector<int> pair;
  for (int c = 0; c < skeleton.tree.num_bodies(); ++c) {
    const auto& body = skeleton.tree.bodies[static_cast<std::size_t>(c)];
    if (body.parent != pelvis || without_side(body.name) == body.name) continue;
    pair.push_back(c);
  }
  if (pair.size() != 2) return {};
  const auto distance = [&](int c, int marker) {
    const auto d = skeleton.tree.constants.bodies[static_cast<std::size_t>(c)].X_PJ.p -
                   skeleton.markers[static_cast<std::size_t>(marker)].place;
    return std::sqrt(dot(d, d));
  };
  std::vector<ShapePrior> out;
  for (const int c : pair) {
    const bool is_right = distance(c, m[0]) < distance(c, m[1]);
    ShapePrior& prior = out.emplace_back();
    prior.name =
        "hip of " + skeleton.tree.bodies[static_cast<std::size_t>(c)].name + " (Harrington)";
    prior.kind = ShapePrior::Kind::kHip;
    prior.body = pelvis;
    for (const int marker : m) prior.points.push_back({GeometryKind::kMarker, marker});
    prior.points.push_back({GeometryKind::kParentPlace, c});
    prior.value = {hip[0], hip[1], is_right ? hip[2] : -hip[2]};
    prior.sd = sd;
  }
  return out;
}

ShapeExperiment::ShapeExperiment(std::shared_ptr<const CalibrationModel> model,
                                 std::vector<ShapePrior> priors)
    : model_(std::move(model)), priors_(std::move(priors)) {
  layout_.id = "shape";
  for (const auto& prior : priors_) {
    for (int r = 0; r < prior.num_rows(); ++r) {
      estimate::ResidualInfo info;
      info.column = prior.name;
      info.measured = prior.value[static_cast<std::size_t>(r)];
      info.sigma = prior.sd_of(r);
      info.prior = true;
      layout_.residuals.push_back(info);
    }
  }
}

bool ShapeExperiment::initialize(estimate::VecIn p, VectorXd& x) {
  x.resize(0);
  return evaluate(x, p);
}

bool ShapeExperiment::evaluate(estimate::VecIn, estimate::VecIn p) {
  const Geometry geometry =
      geometry_at(model_->skeleton, model_->parameters, model_->unknowns.values(p));
  residuals_.resize(static_cast<Index>(layout_.residuals.size()));
  Index row = 0;
  for (const auto& prior : priors_) {
    const VectorXd value = shape_of(prior, geometry);
    const Eigen::Map<const VectorXd> known(prior.value.data(), value.size());
    residuals_.segment(row, value.size()) = prior.weighted(value - known);
    row += value.size();
  }
  return residuals_.allFinite();
}

bool ShapeExperiment::linearize(estimate::VecIn x, estimate::VecIn p) {
  if (!evaluate(x, p)) return false;
  const auto np = static_cast<Index>(model_->parameters.size());
  const Geometry geometry =
      geometry_at(model_->skeleton, model_->parameters, model_->unknowns.values(p));
  const VectorXd scale = model_->unknowns.derivatives(p);
  block_ = estimate::Block::zero(0, np, residuals_.size(), 0, 0);
  Index row = 0;
  for (const auto& prior : priors_) {
    MatrixXd J;
    shape_of(prior, geometry, &model_->parameters, &J);
    block_.B.middleRows(row, J.rows()) = prior.weighted(J * scale.asDiagonal());
    row += J.rows();
  }
  block_.right.b = residuals_;
  return true;
}

estimate::RightSide ShapeExperiment::right_side() const {
  return {residuals_, VectorXd(0), VectorXd(0)};
}

}  // namespace parfait::motion
