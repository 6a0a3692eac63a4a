#include "parfait/motion/calibration/marker_trial.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace parfait::motion {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using estimate::VecIn;

namespace {

constexpr int kFramesPerChunk = 16;
/// Pivots of S beside B^T B scaled to a diagonal of 1: below, S is rounding.
constexpr double kRankTolerance = 1e-12;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

estimate::Unknowns make_unknowns(const std::vector<GeometryParameter>& parameters) {
  std::vector<estimate::Estimate> estimates;
  estimates.reserve(parameters.size());
  for (const auto& parameter : parameters) {
    estimate::Estimate e;
    e.parameter = parameter.name;
    e.initial = parameter.initial;
    e.lower = parameter.lower;
    e.upper = parameter.upper;
    e.scale = parameter.scale;
    if (parameter.prior_sd > 0) e.prior = estimate::Prior{parameter.prior_mean, parameter.prior_sd};
    estimates.push_back(e);
  }
  return estimate::Unknowns(estimates);
}

/// P A P^T = L L^T by columns, the largest remaining diagonal first; how many pivots are no
/// rounding. L is what A holds afterwards; row i of it belongs to row order[i] of A.
Index factorize(MatrixXd& A, std::vector<Index>& order) {
  const Index n = A.rows();
  order.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index k = 0; k < n; ++k) {
    Index at = k;
    for (Index i = k + 1; i < n; ++i) {
      if (A(i, i) > A(at, at)) at = i;
    }
    if (!(A(at, at) > kRankTolerance)) return k;
    if (at != k) {
      A.row(at).swap(A.row(k));
      A.col(at).swap(A.col(k));
      std::swap(order[static_cast<std::size_t>(at)], order[static_cast<std::size_t>(k)]);
    }
    A.col(k).head(k).setZero();
    A.col(k).tail(n - k) /= std::sqrt(A(k, k));
    for (Index j = k + 1; j < n; ++j) {
      A.col(j).tail(n - k - 1) -= A(j, k) * A.col(k).tail(n - k - 1);
    }
  }
  return n;
}

}  // namespace

CalibrationModel::CalibrationModel(Skeleton skeleton_in,
                                   std::vector<GeometryParameter> parameters_in)
    : skeleton(std::move(skeleton_in)),
      parameters(std::move(parameters_in)),
      marker_plan(skeleton),
      geometry_plan(skeleton, parameters),
      unknowns(make_unknowns(parameters)) {}

/// What one task works with.
struct MarkerTrial::Chunk {
  Chunk(const CalibrationModel& model, const PoseOptions& options)
      : solver(model.skeleton, model.marker_plan, options),
        columns(model.skeleton, model.geometry_plan) {}

  PoseSolver solver;
  GeometryColumns columns;
  MatrixXd S;   ///< lower triangle
  RowMatrix Z;  ///< of all frames of the chunk, one above the other, with 1/sigma
  struct Factor {
    std::vector<int> free;
    std::vector<double> U;
    Index first = 0;  ///< row of Z
  };
  std::vector<Factor> factors;  ///< of the frames
  VectorXd diagonal;            ///< of B^T B

  /// Adds A^T W r and B^T W r of a frame to h and g (weights alone), and with `C` A^T W B to it and
  /// B^T W B / sigma^2 to S. The solver and the columns stand at the pose; r has 3 per marker, NaN:
  /// missing.
  void add_products(const CalibrationModel& model, const std::vector<int>& free, const double* r,
                    std::span<const double> weights, double precision, Eigen::Ref<VectorXd> h,
                    Eigen::Ref<VectorXd> g, RowMatrix* C);
  void linearize_frame(const CalibrationModel& model, const double* r,
                       std::span<const double> weights, double precision, Factor& factor,
                       Eigen::Ref<VectorXd> g);
  /// Coordinates at other parameters, by the derivative of the pose: q - U^-1 Z dp.
  void predict(const Factor& factor, const VectorXd& dp, double sigma, const Skeleton& skeleton,
               std::vector<double>& q) const;
};

void MarkerTrial::Chunk::add_products(const CalibrationModel& model, const std::vector<int>& free,
                                      const double* r, std::span<const double> weights,
                                      double precision, Eigen::Ref<VectorXd> h,
                                      Eigen::Ref<VectorXd> g, RowMatrix* C) {
  const auto& kinematics = solver.kinematics();
  std::vector<int> place(static_cast<std::size_t>(model.skeleton.num_coordinates()), -1);
  for (std::size_t j = 0; j < free.size(); ++j) place[free[j]] = static_cast<int>(j);
  for (int m = 0; m < model.skeleton.num_markers(); ++m) {
    const double w = weights[m];
    if (!(w > 0) || std::isnan(r[3 * m] + r[3 * m + 1] + r[3 * m + 2])) continue;
    const auto& parameters = model.geometry_plan.markers[m].parameters;
    const auto nl = parameters.size();
    const double* B = columns.rows(m);
    const auto& coordinates = kinematics.columns(m);
    const auto nc = coordinates.size();
    const double* J = kinematics.jacobian(m);
    const double rx = w * r[3 * m], ry = w * r[3 * m + 1], rz = w * r[3 * m + 2];
    for (std::size_t c = 0; c < nc; ++c) {
      const int row = place[coordinates[c]];
      if (row < 0) continue;
      h[row] += J[c] * rx + J[nc + c] * ry + J[2 * nc + c] * rz;
      if (!C) continue;
      const double x = w * J[c], y = w * J[nc + c], z = w * J[2 * nc + c];
      double* out = C->row(row).data();
      for (std::size_t l = 0; l < nl; ++l) {
        out[parameters[l]] += x * B[l] + y * B[nl + l] + z * B[2 * nl + l];
      }
    }
    for (std::size_t l = 0; l < nl; ++l) {
      g[parameters[l]] += B[l] * rx + B[nl + l] * ry + B[2 * nl + l] * rz;
      if (!C) continue;
      const double x = w * precision * B[l], y = w * precision * B[nl + l],
                   z = w * precision * B[2 * nl + l];
      double* out = S.col(parameters[l]).data();
      for (std::size_t k = l; k < nl; ++k) {
        out[parameters[k]] += x * B[k] + y * B[nl + k] + z * B[2 * nl + k];
      }
    }
  }
}

void MarkerTrial::Chunk::linearize_frame(const CalibrationModel& model, const double* r,
                                         std::span<const double> weights, double precision,
                                         Factor& factor, Eigen::Ref<VectorXd> g) {
  factor.free = solver.free_coordinates();
  const auto n = static_cast<Index>(factor.free.size());
  const auto np = static_cast<Index>(model.geometry_plan.num_parameters);
  factor.U.assign(solver.factor().begin(), solver.factor().begin() + n * n);
  factor.first = Z.rows();
  RowMatrix C = RowMatrix::Zero(n, np);
  VectorXd h = VectorXd::Zero(n);
  g.setZero();
  add_products(model, factor.free, r, weights, precision, h, g, &C);
  // Z = U^-T C by forward substitution, all parameters at once; likewise h.
  const double* U = factor.U.data();
  for (Index a = 0; a < n; ++a) {
    const double inverse = 1 / U[a * n + a];
    C.row(a) *= inverse;
    h[a] *= inverse;
    for (Index b = a + 1; b < n; ++b) {
      const double f = U[a * n + b];
      if (f == 0) continue;
      C.row(b) -= f * C.row(a);
      h[b] -= f * h[a];
    }
  }
  g.noalias() -= C.transpose() * h;
  g *= precision;
  Z.conservativeResize(factor.first + n, np);
  Z.bottomRows(n) = std::sqrt(precision) * C;
}

void MarkerTrial::Chunk::predict(const Factor& factor, const VectorXd& dp, double sigma,
                                 const Skeleton& skeleton, std::vector<double>& q) const {
  const auto n = static_cast<Index>(factor.free.size());
  VectorXd d = Z.middleRows(factor.first, n) * dp;
  d *= -sigma;
  for (Index a = n - 1; a >= 0; --a) {
    const double* row = &factor.U[static_cast<std::size_t>(a * n)];
    for (Index b = a + 1; b < n; ++b) d[a] -= row[b] * d[b];
    d[a] /= row[a];
  }
  std::vector<double> delta(static_cast<std::size_t>(skeleton.num_coordinates()), 0.0);
  for (Index a = 0; a < n; ++a) delta[factor.free[static_cast<std::size_t>(a)]] = d[a];
  const std::vector<double> from = q;
  tree::displace(skeleton.tree, from, delta, q);
}

MarkerTrial::MarkerTrial(std::string id, std::shared_ptr<const CalibrationModel> model,
                         const MatchedMarkers& markers, const std::vector<int>& frames,
                         std::vector<double> weights, const std::vector<std::vector<double>>& start,
                         const Options& options)
    : model_(std::move(model)), frames_(frames), weights_(std::move(weights)), options_(options) {
  layout_.id = std::move(id);
  const Skeleton& skeleton = model_->skeleton;
  const char* axes = "xyz";
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    const auto y = markers.frame(frames_[f]);
    measured_.insert(measured_.end(), y.begin(), y.end());
    first_row_.push_back(static_cast<int>(rows_.size()));
    for (int m = 0; m < skeleton.num_markers(); ++m) {
      if (markers.is_missing(frames_[f], m) || !(weights_[m] > 0)) continue;
      for (int k = 0; k < 3; ++k) {
        rows_.push_back({static_cast<int>(f), m, k});
        layout_.residuals.push_back({skeleton.markers[m].name + "." + axes[k],
                                     static_cast<double>(frames_[f]), y[3 * m + k],
                                     options_.sigma / std::sqrt(weights_[m]), false});
      }
    }
    FramePose pose;
    pose.q = start[f];
    accepted_.push_back(pose);
  }
  first_row_.push_back(static_cast<int>(rows_.size()));
  poses_ = accepted_;
  residuals_ = VectorXd::Zero(static_cast<Index>(rows_.size()));
  for (std::size_t f = 0; f < frames_.size(); f += kFramesPerChunk) {
    chunks_.push_back(std::make_unique<Chunk>(*model_, options_.poses));
  }
}

MarkerTrial::~MarkerTrial() = default;

bool MarkerTrial::initialize(VecIn /*p*/, VectorXd& x) {
  x.resize(0);
  return true;
}

int MarkerTrial::num_free_coordinates() const {
  int count = 0;
  for (const FramePose& pose : poses_) count += pose.num_free();
  return count;
}

bool MarkerTrial::solve(VecIn p) {
  if (p_.size() == p.size() && p_ == p && why_.empty()) return true;
  p_ = p;
  why_.clear();
  const VectorXd values = model_->unknowns.values(p);
  geometry_ = std::make_unique<Geometry>(geometry_at(model_->skeleton, model_->parameters, values));
  bound_ = std::make_unique<BoundGeometry>();
  bind(model_->skeleton, *geometry_, *bound_);
  const auto stride = 3 * static_cast<std::size_t>(model_->skeleton.num_markers());
  tbb::parallel_for(std::size_t{0}, chunks_.size(), [&](std::size_t c) {
    PoseSolver& solver = chunks_[c]->solver;
    solver.bind(*bound_);
    const std::size_t last = std::min(frames_.size(), (c + 1) * kFramesPerChunk);
    for (std::size_t f = c * kFramesPerChunk; f < last && !options_.poses.is_stopped(); ++f) {
      poses_[f] = accepted_[f];
      if (accepted_p_.size() > 0) {
        chunks_[c]->predict(chunks_[c]->factors[f - c * kFramesPerChunk], values - accepted_p_,
                            options_.sigma, model_->skeleton, poses_[f].q);
      }
      const std::span<const double> y(measured_.data() + f * stride, stride);
      solver.solve(y, weights_, poses_[f]);
      const auto& x = solver.positions();
      for (int i = first_row_[f]; i < first_row_[f + 1]; ++i) {
        const Row& row = rows_[static_cast<std::size_t>(i)];
        residuals_[i] = (component(x[row.marker], row.axis) - y[3 * row.marker + row.axis]) *
                        std::sqrt(weights_[row.marker]) / options_.sigma;
      }
    }
  });
  if (options_.poses.is_stopped() || !residuals_.allFinite()) {
    why_ = options_.poses.is_stopped()
               ? "interrupted"
               : "trial \"" + layout_.id + "\": a marker of the model has no place";
    p_.resize(0);
    return false;
  }
  return true;
}

bool MarkerTrial::evaluate(VecIn /*x*/, VecIn p) {
  return solve(p);
}

bool MarkerTrial::linearize(VecIn /*x*/, VecIn p) {
  if (!solve(p)) return false;
  const auto np = static_cast<Index>(model_->parameters.size());
  const auto stride = 3 * static_cast<std::size_t>(model_->skeleton.num_markers());
  const double precision = 1 / (options_.sigma * options_.sigma);
  frame_gradients_.setZero(np, static_cast<Index>(frames_.size()));
  tbb::parallel_for(std::size_t{0}, chunks_.size(), [&](std::size_t c) {
    Chunk& chunk = *chunks_[c];
    chunk.S.setZero(np, np);
    chunk.Z.resize(0, np);
    std::vector<double> r(stride);
    const std::size_t last = std::min(frames_.size(), (c + 1) * kFramesPerChunk);
    chunk.factors.resize(last - c * kFramesPerChunk);
    for (std::size_t f = c * kFramesPerChunk; f < last; ++f) {
      const std::span<const double> y(measured_.data() + f * stride, stride);
      chunk.solver.factorize_at(y, weights_, poses_[f]);
      auto& kinematics = chunk.solver.kinematics();
      kinematics.differentiate();
      chunk.columns.compute(kinematics, *geometry_, *bound_);
      for (std::size_t m = 0; m < stride / 3; ++m) {
        for (int k = 0; k < 3; ++k) {
          r[3 * m + static_cast<std::size_t>(k)] =
              component(kinematics.positions()[m], k) - y[3 * m + static_cast<std::size_t>(k)];
        }
      }
      chunk.linearize_frame(*model_, r.data(), weights_, precision,
                            chunk.factors[f - c * kFramesPerChunk],
                            frame_gradients_.col(static_cast<Index>(f)));
    }
    chunk.diagonal = chunk.S.diagonal();
    chunk.S.selfadjointView<Eigen::Lower>().rankUpdate(chunk.Z.transpose(), -1.0);
  });
  information_.setZero(np, np);
  VectorXd diagonal = VectorXd::Zero(np);
  for (const auto& chunk : chunks_) {
    information_.triangularView<Eigen::Lower>() += chunk->S;
    diagonal += chunk->diagonal;
  }
  information_.triangularView<Eigen::StrictlyUpper>() = information_.transpose();
  accepted_ = poses_;
  accepted_p_ = model_->unknowns.values(p);
  accepted_geometry_ = std::make_unique<Geometry>(*geometry_);
  accepted_bound_ = std::make_unique<BoundGeometry>(*bound_);

  // S = D P^T L L^T P D with D the lengths of the columns of B.
  scale_ = model_->unknowns.derivatives(p);
  lengths_ = diagonal.cwiseSqrt();
  MatrixXd scaled(np, np);
  for (Index j = 0; j < np; ++j) {
    for (Index i = 0; i < np; ++i) {
      const double size = lengths_[i] * lengths_[j];
      scaled(i, j) = size > 0 ? information_(i, j) / size : 0.0;
    }
  }
  const Index rank = factorize(scaled, order_);
  lower_ = scaled.leftCols(rank);

  block_ = estimate::Block::zero(0, np, rank + 1, 0, 0);
  for (Index i = 0; i < np; ++i) {
    const Index k = order_[static_cast<std::size_t>(i)];
    block_.B.col(k).head(rank) = (lengths_[k] * scale_[k]) * lower_.row(i).transpose();
  }
  block_.right.b = reduced(frame_gradients_.rowwise().sum());
  return true;
}

/// b with B^T b = g, by the rows of L that have pivots, and the rest of |r| below it.
VectorXd MarkerTrial::reduced(const VectorXd& g) const {
  const Index rank = lower_.cols();
  VectorXd right(g.size());
  for (Index i = 0; i < g.size(); ++i) {
    const Index k = order_[static_cast<std::size_t>(i)];
    right[i] = lengths_[k] > 0 ? g[k] / lengths_[k] : 0.0;
  }
  VectorXd b = VectorXd::Zero(rank + 1);
  b.head(rank) = lower_.topRows(rank).triangularView<Eigen::Lower>().solve(right.head(rank));
  b[rank] = std::sqrt(std::max(0.0, residuals_.squaredNorm() - b.head(rank).squaredNorm()));
  return b;
}

estimate::RightSide MarkerTrial::right_side() const {
  const auto np = static_cast<Index>(model_->parameters.size());
  const auto stride = 3 * static_cast<std::size_t>(model_->skeleton.num_markers());
  const double precision = 1 / (options_.sigma * options_.sigma);
  MatrixXd gradients = MatrixXd::Zero(np, static_cast<Index>(frames_.size()));
  tbb::parallel_for(std::size_t{0}, chunks_.size(), [&](std::size_t c) {
    Chunk& chunk = *chunks_[c];
    chunk.solver.bind(*accepted_bound_);
    std::vector<double> r(stride);
    const std::size_t last = std::min(frames_.size(), (c + 1) * kFramesPerChunk);
    for (std::size_t f = c * kFramesPerChunk; f < last; ++f) {
      const Chunk::Factor& factor = chunk.factors[f - c * kFramesPerChunk];
      const auto n = static_cast<Index>(factor.free.size());
      auto& kinematics = chunk.solver.kinematics();
      kinematics.place(accepted_[f].q);
      kinematics.differentiate();
      chunk.columns.compute(kinematics, *accepted_geometry_, *accepted_bound_);
      std::fill(r.begin(), r.end(), std::nan(""));
      for (int i = first_row_[f]; i < first_row_[f + 1]; ++i) {
        const Row& row = rows_[static_cast<std::size_t>(i)];
        r[3 * row.marker + row.axis] =
            residuals_[i] * options_.sigma / std::sqrt(weights_[row.marker]);
      }
      VectorXd h = VectorXd::Zero(n);
      auto g = gradients.col(static_cast<Index>(f));
      chunk.add_products(*model_, factor.free, r.data(), weights_, precision, h, g, nullptr);
      for (Index a = 0; a < n; ++a) {
        h[a] /= factor.U[static_cast<std::size_t>(a * n + a)];
        for (Index b = a + 1; b < n; ++b) {
          h[b] -= factor.U[static_cast<std::size_t>(a * n + b)] * h[a];
        }
      }
      g *= precision;
      g.noalias() -= std::sqrt(precision) * (chunk.Z.middleRows(factor.first, n).transpose() * h);
    }
    chunk.solver.bind(*bound_);
  });
  return {reduced(gradients.rowwise().sum()), VectorXd(0), VectorXd(0)};
}

}  // namespace parfait::motion
