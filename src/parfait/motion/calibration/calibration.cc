#include "parfait/motion/calibration/calibration.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/estimate/statistics/sparse_basis.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/quantiles.h"

namespace parfait::motion {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Directions in which the markers' information, in units of the priors, is below this part of the
/// largest are not seen: rounding of what is eliminated.
constexpr double kUnseen = 1e-12;

std::vector<int> choose_frames(const CalibrationTrial& trial, int total_frames, double total_time,
                               const CalibrationOptions& options) {
  const int n = trial.markers.num_frames;
  int every = trial.every;
  if (every <= 0) {
    const double span = n > 1 ? trial.t.back() - trial.t.front() : 0;
    const double rate = span > 0 ? (n - 1) / span : 0;
    const double by_rate = rate > 0 ? rate / options.max_rate : 1;
    // All trials are thinned alike beyond that, so that long ones keep their weight.
    const double left = rate > 0 ? total_time * options.max_rate : total_frames;
    const double by_count = left > options.max_frames ? left / options.max_frames : 1;
    every = std::max(1, static_cast<int>(std::ceil(by_rate * by_count - 1e-9)));
  }
  std::vector<int> frames;
  for (int f = 0; f < n; f += every) frames.push_back(f);
  return frames;
}

/// Autocorrelation over the frames that count, pooled over markers: what is left of each marker is
/// compared with itself some frames later. All of it counts, not only what differs from its mean: a
/// constant error is one that more frames do not average out.
ResidualCorrelation correlation_of(const MarkerTrial& trial, const std::vector<double>& t) {
  ResidualCorrelation out;
  out.trial = trial.id();
  out.num_frames = trial.num_frames();
  const auto& rows = trial.rows();
  const VectorXd& r = trial.residuals();
  int num_markers = 0;
  for (const auto& row : rows) num_markers = std::max(num_markers, row.marker + 1);
  // Frame by frame, 3 numbers per marker; 0 where it is missing.
  MatrixXd e = MatrixXd::Zero(3 * num_markers, out.num_frames);
  double squares = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double value = r[static_cast<Index>(i)];
    e(3 * rows[i].marker + rows[i].axis, rows[i].frame) = value;
    squares += value * value;
  }
  const auto num_samples = static_cast<double>(rows.size()) / 3;
  out.rms = num_samples > 0 ? trial.sigma() * std::sqrt(squares / num_samples) : 0;
  double sum = 0;
  for (int lag = 1; lag < out.num_frames && squares > 0; ++lag) {
    double product = 0, a = 0, b = 0;
    for (int f = 0; f + lag < out.num_frames; ++f) {
      for (Index i = 0; i < e.rows(); ++i) {
        const double x = e(i, f), y = e(i, f + lag);
        if (x == 0 || y == 0) continue;
        product += x * y;
        a += x * x;
        b += y * y;
      }
    }
    const double rho = a > 0 && b > 0 ? product / std::sqrt(a * b) : 0;
    if (lag == 1) out.lag_one = rho;
    // Beyond the first that is noise, only noise is added.
    if (rho < 2 / std::sqrt(static_cast<double>(out.num_frames)) * 0.5 || rho < 0.02) break;
    sum += rho * (1 - static_cast<double>(lag) / out.num_frames);
  }
  out.inflation = std::min(1 + 2 * sum, static_cast<double>(std::max(out.num_frames, 1)));
  out.effective_frames = out.num_frames / out.inflation;
  const int block = std::max(1, static_cast<int>(std::ceil(3 * out.inflation)));
  out.num_blocks = (out.num_frames + block - 1) / block;
  if (out.num_frames > 1 && t.size() > 1) {
    const auto& frames = trial.frames();
    const double step =
        (t[static_cast<std::size_t>(frames.back())] - t[static_cast<std::size_t>(frames.front())]) /
        (out.num_frames - 1);
    out.seconds = step * out.inflation;
  }
  return out;
}

/// Scale factors and joints, whose numbers are named one by one; of markers only the name is.
bool is_of_bodies(const std::string& name) {
  for (const char* part : {".scale.", ".joint.", ".turn."}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string words_of(const VectorXd& direction, const std::vector<GeometryParameter>& parameters) {
  // In units of prior standard deviations; the largest first, markers by their names only.
  std::vector<std::pair<double, std::string>> parts;
  for (Index i = 0; i < direction.size(); ++i) {
    if (std::abs(direction[i]) < 0.05) continue;
    const auto& name = parameters[static_cast<std::size_t>(i)].name;
    const bool is_scale = is_of_bodies(name);
    const std::string shown = is_scale ? name : name.substr(0, name.rfind('.'));
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const auto& part) { return part.second == shown; });
    if (found == parts.end()) {
      parts.emplace_back(std::abs(direction[i]) + (is_scale ? 1e6 : 0), shown);
    } else {
      found->first = std::max(found->first, std::abs(direction[i]));
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> scales, markers;
  for (const auto& [size, name] : parts) {
    (is_of_bodies(name) ? scales : markers).push_back(name);
  }
  if (scales.empty()) {
    return "the places of " + base::listing(markers) + " can move together";
  }
  if (markers.empty() && scales.size() == 1) {
    return scales[0] + " can have any value: it moves no marker";
  }
  if (markers.empty()) return base::listing(scales) + " can change together";
  return base::listing(scales) + " can change, with the places of " + base::listing(markers) +
         " moved along";
}

/// Frames that count are far from each other, and one after the other may lead into a minimum that
/// is none of the subject's. Limbs are tried from their default as well, and frames that stay worse
/// than most from everywhere.
void improve_poses(const Skeleton& skeleton, const MarkerPlan& plan, const BoundGeometry& bound,
                   const MatchedMarkers& markers, const std::vector<double>& weights,
                   const PoseOptions& options, TrialPoses& poses) {
  const auto nq = static_cast<std::size_t>(skeleton.tree.nq);
  const std::vector<double> initial = skeleton.initial_position();
  std::vector<char> is_root(nq, 0);
  for (const auto& body : skeleton.tree.bodies) {
    if (body.parent < 0) std::fill_n(is_root.begin() + body.q, body.nq, 1);
  }
  std::vector<double> per_marker;
  for (std::size_t f = 0; f < poses.objective.size(); ++f) {
    per_marker.push_back(poses.objective[f] / std::max(1, poses.num_visible[f]));
  }
  std::vector<double> sorted = per_marker;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  const double usual = sorted[sorted.size() / 2];
  tbb::parallel_for(std::size_t{0}, per_marker.size(), [&](std::size_t f) {
    if (options.is_stopped()) return;
    PoseSolver solver(skeleton, plan, options);
    solver.bind(bound);
    const auto frame = markers.frame(static_cast<int>(f));
    double* q = &poses.q[f * nq];
    const auto keep_if_better = [&](const FramePose& pose) {
      if (!(pose.objective < poses.objective[f] * (1 - 1e-6))) return;
      std::copy(pose.q.begin(), pose.q.end(), q);
      poses.objective[f] = pose.objective;
    };
    FramePose pose;
    pose.q = initial;
    for (std::size_t i = 0; i < nq; ++i) {
      if (is_root[i]) pose.q[i] = q[i];
    }
    solver.solve(frame, weights, pose);
    keep_if_better(pose);
    if (poses.objective[f] / std::max(1, poses.num_visible[f]) < 4 * usual) return;
    pose = {};
    pose.q = initial;
    solver.solve_from_afar(frame, weights, pose);
    keep_if_better(pose);
  });
}

/// A place that no trial measures is no question to the data.
void leave_out_unmeasured(const std::vector<CalibrationTrial>& trials,
                          std::vector<GeometryParameter>& parameters) {
  std::erase_if(parameters, [&](const GeometryParameter& parameter) {
    const auto& term = parameter.terms.front();
    return term.kind == GeometryKind::kMarker &&
           std::all_of(trials.begin(), trials.end(), [&](const CalibrationTrial& trial) {
             return trial.markers.label[static_cast<std::size_t>(term.index)] < 0;
           });
  });
  if (parameters.empty()) throw base::InputError("calibration: nothing that is free is measured.");
}

/// Only the frames that count.
MatchedMarkers chosen(const MatchedMarkers& markers, const std::vector<int>& frames) {
  MatchedMarkers out = markers;
  out.y.clear();
  out.num_frames = static_cast<int>(frames.size());
  for (const int f : frames) {
    const auto y = markers.frame(f);
    out.y.insert(out.y.end(), y.begin(), y.end());
  }
  return out;
}

/// Poses of the start, and tracking markers at their mean place in them.
void find_start(const Skeleton& skeleton, const std::vector<CalibrationTrial>& trials,
                const std::vector<std::vector<int>>& frames, const std::vector<double>& weights,
                const CalibrationOptions& options, std::vector<GeometryParameter>& parameters,
                std::vector<std::vector<std::vector<double>>>& poses) {
  VectorXd p(static_cast<Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    p[static_cast<Index>(i)] = parameters[i].initial;
  const Geometry geometry = geometry_at(skeleton, parameters, p);
  BoundGeometry bound;
  bind(skeleton, geometry, bound);
  std::vector<double> anatomical = weights;
  int count = 0;
  for (std::size_t m = 0; m < anatomical.size(); ++m) {
    if (skeleton.markers[m].is_anatomical) {
      ++count;
    } else {
      anatomical[m] = 0;
    }
  }
  if (count < 3) anatomical = weights;
  const MarkerPlan plan(skeleton);
  MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  std::vector<Vec3<double>> sum(skeleton.markers.size());
  std::vector<int> number(skeleton.markers.size(), 0);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const MatchedMarkers some = chosen(trials[t].markers, frames[t]);
    auto found = solve_poses(skeleton, bound, some, anatomical, options.poses);
    improve_poses(skeleton, plan, bound, some, anatomical, options.poses, found);
    for (std::size_t k = 0; k < frames[t].size(); ++k) {
      const int f = frames[t][k];
      const auto q = found.pose(static_cast<int>(k), skeleton.tree.nq);
      poses[t].emplace_back(q.begin(), q.end());
      kinematics.place(q);
      for (int m = 0; m < skeleton.num_markers(); ++m) {
        if (trials[t].markers.is_missing(f, m)) continue;
        const double* y = trials[t].markers.frame(f).data() + 3 * static_cast<std::size_t>(m);
        const auto i = static_cast<std::size_t>(m);
        sum[i] += point_in_parent(inverse(kinematics.frame(skeleton.markers[i].body)),
                                  Vec3<double>{y[0], y[1], y[2]});
        ++number[i];
      }
    }
  }
  if (count < 3) return;
  for (GeometryParameter& parameter : parameters) {
    const auto& term = parameter.terms.front();
    if (term.kind != GeometryKind::kMarker) continue;
    const auto m = static_cast<std::size_t>(term.index);
    if (skeleton.markers[m].is_anatomical || number[m] == 0) continue;
    const auto body = static_cast<std::size_t>(skeleton.markers[m].body);
    parameter.initial = component(sum[m], term.axis) / number[m] /
                        component(geometry.scale[body], term.axis) / term.factor;
  }
}

/// Without priors the best geometries are a manifold with long valleys beside it, in which an
/// iteration wanders. So numbers are held near the mean of the default priors by priors that become
/// wider and wider, each fit beginning where the one before it ended: of all geometries that fit
/// alike, one near the start. The last of these fits that arrives is the result; the statistics
/// leave its priors out.
constexpr double kAnchors[] = {1, 3, 10};
constexpr int kAnchorIterations = 40;

void add_statistics(const std::vector<MarkerTrial*>& trials,
                    const std::vector<CalibrationTrial>& data,
                    const std::vector<ShapePrior>& shapes, double anchor, CalibrationResult& out) {
  const auto& parameters = out.model->parameters;
  const bool anchored = anchor > 0;
  const auto np = static_cast<Index>(parameters.size());
  MatrixXd S = MatrixXd::Zero(np, np);
  double squares = 0, samples = 0;
  Index rows = 0;
  int free = 0;
  for (const MarkerTrial* trial : trials) {
    S += trial->information();
    squares += trial->residuals().squaredNorm();
    rows += trial->residuals().size();
    free += trial->num_free_coordinates();
  }
  samples = static_cast<double>(rows) / 3;
  out.rms = trials.empty() || samples == 0 ? 0 : trials[0]->sigma() * std::sqrt(squares / samples);

  // All in units of the parameters' scales, and of the priors for what is undetermined.
  VectorXd unit(np), prior = VectorXd::Zero(np);
  for (Index i = 0; i < np; ++i) {
    const auto& parameter = parameters[static_cast<std::size_t>(i)];
    unit[i] = parameter.prior_sd > 0 ? parameter.prior_sd : parameter.scale;
    if (anchored) unit[i] /= anchor;
    if (parameter.prior_sd > 0 && !anchored) prior[i] = 1;
  }
  const MatrixXd scaled = unit.asDiagonal() * S * unit.asDiagonal();
  const auto pairs = math::symmetric_eigen_pairs(scaled);
  const double largest = std::max(pairs.values[np - 1], 1e-300);
  while (out.num_undetermined < np && pairs.values[out.num_undetermined] < kUnseen * largest) {
    ++out.num_undetermined;
  }
  const double as_much = anchored ? 1 / (anchor * anchor) : 1;
  out.num_by_prior = static_cast<int>((pairs.values.array() < as_much).count());
  if (out.num_undetermined > 0) {
    const MatrixXd basis =
        estimate::sparse_basis(pairs.vectors.leftCols(out.num_undetermined), 1e-4);
    for (Index j = 0; j < basis.cols(); ++j) {
      const VectorXd column = basis.col(j) / basis.col(j).cwiseAbs().maxCoeff();
      out.undetermined.push_back(words_of(column, parameters));
    }
  }

  // M^-1, of what is determined by data or priors.
  MatrixXd P = prior.asDiagonal();
  std::vector<MatrixXd> of_shapes;
  for (const ShapePrior& shape : shapes) {
    MatrixXd& J = of_shapes.emplace_back();
    shape_of(shape, out.geometry, &parameters, &J);
    const MatrixXd weighted = shape.weighted(J * unit.asDiagonal());
    P += weighted.transpose() * weighted;
  }
  const MatrixXd M = scaled + P;
  const auto whole = math::symmetric_eigen_pairs(M);
  MatrixXd inverse = MatrixXd::Zero(np, np);
  VectorXd lost = VectorXd::Zero(np);
  for (Index k = 0; k < np; ++k) {
    if (whole.values[k] > kUnseen * whole.values[np - 1]) {
      inverse += whole.vectors.col(k) * (whole.vectors.col(k).transpose() / whole.values[k]);
    } else {
      lost += whole.vectors.col(k).cwiseAbs2();
    }
  }
  const double fitted = (inverse * scaled).trace();
  const double degrees = static_cast<double>(rows) - free - fitted;
  out.variance = degrees > 0 ? squares / degrees : std::nan("");
  MatrixXd middle = P;
  out.parts.unit = unit;
  out.parts.prior = P;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    MatrixXd variance = MatrixXd::Zero(np, np);
    ResidualCorrelation correlation = correlation_of(*trials[t], data[t].t);
    correlation.by_blocks = correlation.num_blocks >= 20;
    if (correlation.by_blocks) {
      const MatrixXd& g = trials[t]->frame_gradients();
      const int block = std::max(1, static_cast<int>(std::ceil(3 * correlation.inflation)));
      // Gradients at the solution need not add up to zero, because the priors pull; their mean is
      // no error.
      const VectorXd mean = g.rowwise().mean();
      const double correction =
          static_cast<double>(correlation.num_blocks) / (correlation.num_blocks - 1);
      for (Index f = 0; f < g.cols(); f += block) {
        const Index count = std::min<Index>(block, g.cols() - f);
        const VectorXd sum = unit.cwiseProduct(g.middleCols(f, count).rowwise().sum() -
                                               static_cast<double>(count) * mean);
        variance += correction * sum * sum.transpose();
      }
    } else {
      variance = out.variance * correlation.inflation * unit.asDiagonal() *
                 trials[t]->information() * unit.asDiagonal();
    }
    middle += variance;
    out.parts.information.emplace_back(unit.asDiagonal() * trials[t]->information() *
                                       unit.asDiagonal());
    out.parts.variance.push_back(std::move(variance));
    out.trials.push_back(correlation);
  }
  const MatrixXd cov = inverse * middle * inverse;
  const MatrixXd naive = inverse * (out.variance * scaled + P) * inverse;
  out.covariance = unit.asDiagonal() * cov * unit.asDiagonal();
  out.naive_covariance = unit.asDiagonal() * naive * unit.asDiagonal();

  const double quantile = math::normal_quantile(0.975);
  const auto fill = [&](CalibratedNumber& number, const VectorXd& gradient) {
    const double unknown = gradient.cwiseProduct(unit).cwiseAbs2().dot(lost);
    const double size = gradient.cwiseProduct(unit).squaredNorm();
    const bool is_lost = unknown > 1e-8 * size;
    number.sd = is_lost ? std::numeric_limits<double>::infinity()
                        : std::sqrt(std::max(0.0, gradient.dot(out.covariance * gradient)));
    number.naive_sd = is_lost
                          ? number.sd
                          : std::sqrt(std::max(0.0, gradient.dot(out.naive_covariance * gradient)));
    number.low = number.value - quantile * number.sd;
    number.high = number.value + quantile * number.sd;
  };
  for (Index i = 0; i < np; ++i) {
    const auto& parameter = parameters[static_cast<std::size_t>(i)];
    CalibratedParameter result;
    result.name = parameter.name;
    result.value = out.p[i];
    result.initial = parameter.initial;
    result.prior_mean = parameter.prior_mean;
    result.prior_sd = anchored ? 0 : parameter.prior_sd;
    fill(result, VectorXd::Unit(np, i));
    if (result.prior_sd > 0) {
      result.moved = (out.p[i] - parameter.prior_mean) / parameter.prior_sd;
      result.told_by_data = std::clamp(1 - inverse(i, i), 0.0, 1.0);
    } else {
      result.moved = std::nan("");
      result.told_by_data = std::isfinite(result.sd) ? 1 : 0;
    }
    out.parameters.push_back(result);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const VectorXd value = shape_of(shapes[i], out.geometry);
    for (Index r = 0; r < value.size(); ++r) {
      CalibratedParameter& number = out.shapes.emplace_back();
      const char* axes[] = {", x", ", y", ", z"};
      number.name = shapes[i].name + (value.size() == 3 ? axes[r] : "");
      number.value = value[r];
      number.prior_mean = number.initial = shapes[i].value[static_cast<std::size_t>(r)];
      number.prior_sd = shapes[i].sd_of(r);
      number.moved = (number.value - number.prior_mean) / number.prior_sd;
      fill(number, of_shapes[i].row(r).transpose());
      const VectorXd scaled_row = unit.cwiseProduct(of_shapes[i].row(r).transpose());
      const double known =
          scaled_row.dot(inverse * scaled_row) / (number.prior_sd * number.prior_sd);
      number.told_by_data = std::clamp(1 - known, 0.0, 1.0);
    }
  }
  for (const GeometryLength& length : geometry_lengths(*out.model, out.geometry)) {
    CalibratedNumber number;
    number.name = length.name;
    number.value = length.value;
    fill(number, length.gradient);
    out.lengths.push_back(number);
  }
}

/// One fit, with what it needs afterwards.
struct GeometryFit {
  std::shared_ptr<const CalibrationModel> model;
  estimate::Team team;
  std::unique_ptr<estimate::Ensemble> ensemble;
  std::vector<MarkerTrial*> trials;
  estimate::GaussNewtonResult iteration;
};

std::unique_ptr<GeometryFit> fit_geometry(
    const Skeleton& skeleton, const std::vector<GeometryParameter>& parameters,
    const std::vector<ShapePrior>& shapes, const std::vector<CalibrationTrial>& trials,
    const std::vector<std::vector<int>>& frames, const std::vector<double>& weights,
    const CalibrationOptions& options, int max_iterations,
    const std::vector<std::vector<std::vector<double>>>& poses,
    const estimate::OnIteration& on_iteration) {
  auto out = std::make_unique<GeometryFit>();
  out->model = std::make_shared<const CalibrationModel>(skeleton, parameters);
  // Only rounding makes a coordinate unseen here: one that left and came back while the geometry
  // changes would make the objective jump.
  PoseOptions own_poses = options.poses;
  own_poses.unseen = 1e-10;
  std::vector<std::unique_ptr<estimate::Experiment>> experiments;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    auto trial = std::make_unique<MarkerTrial>(
        trials[t].name, out->model, trials[t].markers, frames[t], weights, poses[t],
        MarkerTrial::Options{.sigma = options.sigma, .poses = own_poses});
    out->trials.push_back(trial.get());
    experiments.push_back(std::move(trial));
  }
  if (!shapes.empty()) {
    experiments.push_back(std::make_unique<ShapeExperiment>(out->model, shapes));
  }
  out->ensemble = std::make_unique<estimate::Ensemble>(
      out->model->unknowns, std::vector<estimate::Requirement>{}, std::move(experiments),
      estimate::LinearFitOptions{}, out->team);
  VectorXd x;
  const bool exists = out->ensemble->initialize(x);
  if (!exists && !options.poses.is_stopped()) {
    throw base::InputError("calibration: " + out->ensemble->why());
  }
  estimate::GaussNewtonOptions iteration;
  iteration.convergence = estimate::Convergence::kIncrement;
  iteration.tolerance = options.tolerance;
  iteration.max_iterations = max_iterations;
  if (!exists) {
    out->iteration.status = estimate::GaussNewtonResult::Status::kInterrupted;
    out->iteration.message = "interrupted";
    out->iteration.x = out->model->unknowns.initial();
  } else {
    out->iteration = estimate::gauss_newton(*out->ensemble, x, iteration, on_iteration,
                                            [&] { return options.poses.is_stopped(); });
  }
  return out;
}

/// Iterations before poses are looked for anew.
constexpr int kRoundIterations = 40;
constexpr int kRounds = 3;

/// With one marker on a segment residuals are large beside the curvature of the markers' paths:
/// full steps go round the minimum (kappa > 1), frames change from one of their minima to another,
/// and descent takes long. After so many iterations poses are looked for anew, because frames may
/// be in minima of the start, and it goes on from there.
std::unique_ptr<GeometryFit> fit_in_rounds(
    const Skeleton& skeleton, std::vector<GeometryParameter> parameters,
    const std::vector<ShapePrior>& shapes, const std::vector<CalibrationTrial>& trials,
    const std::vector<std::vector<int>>& frames, const std::vector<double>& weights,
    const CalibrationOptions& options, std::vector<std::vector<std::vector<double>>> poses,
    const estimate::OnIteration& on_iteration) {
  std::unique_ptr<GeometryFit> fit;
  int before = 0;
  bool stopped = false;
  const auto watched = [&](const estimate::Iteration& iteration, estimate::VecIn x) {
    stopped = on_iteration && !on_iteration(iteration, x);
    return !stopped;
  };
  const MarkerPlan plan(skeleton);
  for (int round = 0; round < kRounds; ++round) {
    const int left = options.max_iterations - before;
    fit =
        fit_geometry(skeleton, parameters, shapes, trials, frames, weights, options,
                     round + 1 < kRounds ? std::min(left, kRoundIterations) : left, poses, watched);
    fit->iteration.iterations += before;
    before = fit->iteration.iterations;
    if (fit->iteration.converged() || stopped || options.poses.is_stopped() ||
        before >= options.max_iterations) {
      break;
    }
    const VectorXd p = fit->model->unknowns.values(fit->iteration.x);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].initial = p[static_cast<Index>(i)];
    }
    BoundGeometry bound;
    bind(skeleton, geometry_at(skeleton, parameters, p), bound);
    for (std::size_t t = 0; t < trials.size(); ++t) {
      const MatchedMarkers some = chosen(trials[t].markers, frames[t]);
      std::vector<KnownPose> known;
      for (std::size_t k = 0; k < frames[t].size(); ++k) {
        known.push_back({static_cast<int>(k), fit->trials[t]->poses()[k].q});
      }
      auto found = solve_poses(skeleton, bound, some, weights, options.poses, {}, known);
      improve_poses(skeleton, plan, bound, some, weights, options.poses, found);
      for (std::size_t k = 0; k < frames[t].size(); ++k) {
        const auto q = found.pose(static_cast<int>(k), skeleton.tree.nq);
        poses[t][k].assign(q.begin(), q.end());
      }
    }
  }
  return fit;
}

}  // namespace

CalibrationResult calibrate(const Skeleton& skeleton, const std::vector<CalibrationTrial>& trials,
                            const std::vector<double>& weights, const CalibrationOptions& options,
                            const estimate::OnIteration& on_iteration) {
  if (trials.empty()) throw base::InputError("calibration: there is no trial.");
  CalibrationOptions with_priors = options;
  with_priors.priors = true;
  std::vector<GeometryParameter> parameters = make_parameters(skeleton, with_priors);
  int total_frames = 0;
  double total_time = 0;
  for (const CalibrationTrial& trial : trials) {
    if (trial.markers.on_both.empty() || trial.markers.num_frames == 0) {
      throw base::InputError("trial \"" + trial.name + "\": has no marker of the model.");
    }
    total_frames += trial.markers.num_frames;
    if (trial.t.size() > 1) total_time += trial.t.back() - trial.t.front();
  }
  leave_out_unmeasured(trials, parameters);
  std::vector<std::vector<int>> frames;
  frames.reserve(trials.size());
  for (const CalibrationTrial& trial : trials) {
    frames.push_back(choose_frames(trial, total_frames, total_time, options));
  }
  std::vector<std::vector<std::vector<double>>> poses(trials.size());
  find_start(skeleton, trials, frames, weights, options, parameters, poses);

  const std::vector<ShapePrior> shapes = make_shape_priors(skeleton, trials, options);
  std::unique_ptr<GeometryFit> fit;
  double anchor = 0;
  if (options.priors) {
    fit = fit_in_rounds(skeleton, parameters, shapes, trials, frames, weights, options, poses,
                        on_iteration);
  } else {
    int before = 0;
    for (const double wider : kAnchors) {
      auto held = parameters;
      for (std::size_t i = 0; i < held.size(); ++i) held[i].prior_sd *= wider;
      if (fit) {
        const VectorXd p = fit->model->unknowns.values(fit->iteration.x);
        for (std::size_t i = 0; i < held.size(); ++i) held[i].initial = p[static_cast<Index>(i)];
        for (std::size_t t = 0; t < trials.size(); ++t) {
          poses[t].clear();
          for (const auto& pose : fit->trials[t]->poses()) poses[t].push_back(pose.q);
        }
      }
      bool stopped = false;
      auto next =
          fit_geometry(skeleton, held, {}, trials, frames, weights, options, kAnchorIterations,
                       poses, [&](const estimate::Iteration& iteration, estimate::VecIn x) {
                         stopped = on_iteration && !on_iteration(iteration, x);
                         return !stopped;
                       });
      next->iteration.iterations += before;
      before = next->iteration.iterations;
      const bool arrived = next->iteration.converged();
      if (!fit || arrived) {
        fit = std::move(next);
        anchor = wider;
      }
      if (!arrived || stopped || options.poses.is_stopped()) break;
    }
    fit->iteration.message += fmt::format(
        "; without priors: of all geometries that fit alike, one near the start was taken (held by "
        "priors {:g} times as wide as the default ones, which the statistics leave out).",
        anchor);
  }

  CalibrationResult out;
  out.model = fit->model;
  out.iteration = fit->iteration;
  out.p = out.model->unknowns.values(out.iteration.x);
  out.geometry = geometry_at(skeleton, out.model->parameters, out.p);
  out.frames = frames;
  if (!options.poses.is_stopped() && fit->ensemble->linearize(out.iteration.x).defined) {
    add_statistics(fit->trials, trials, shapes, anchor, out);
    for (std::size_t t = 0; t < trials.size(); ++t) {
      auto& poses_of_trial = out.poses.emplace_back();
      for (std::size_t k = 0; k < frames[t].size(); ++k) {
        poses_of_trial.push_back({frames[t][k], fit->trials[t]->poses()[k].q});
      }
    }
  }
  return out;
}

}  // namespace parfait::motion
