#include <Eigen/Dense>

#include "parfait/math/dense_solves.h"
#include "parfait/math/directions_matrix.h"
#include "parfait/math/finite.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/invariants.h"
#include "parfait/mbs/projection/projection.h"
#include "parfait/mbs/solver/body_step.h"

// The two projections K compares with: positions and velocities together in the Euclidean norm
// (8.20), and with a fixed set of independent variables (8.19). Dense: they couple everything.
namespace parfait::mbs {
namespace {

using dynamics::Norm;
using dynamics::ProjectionReport;
using dynamics::Status;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMaxIterations = 60;
constexpr double kRank = 1e-9;

class DenseProjection {
 public:
  DenseProjection(const Model& model, const ModelData& data, ModelWorkspace& workspace)
      : model_(model),
        m(data),
        w(workspace),
        nx(2 * m.sizes.nq),
        ng(m.sizes.num_pos + m.sizes.num_vel) {}

  /// g and the Jacobian with respect to the user's (q, v) at x; frames are placed there.
  void linearize(const VectorXd& x, VectorXd& g, MatrixXd& jacobian) {
    w.dense.y.assign(x.data(), x.data() + nx);
    w.dense.y.resize(m.sizes.ny());
    g.resize(ng);
    model_.invariants(w, w.projection.t, w.dense.y, {g.data(), static_cast<std::size_t>(ng)});
    jacobian.resize(ng, nx);
    w.dense.dy.resize(m.sizes.ny(), math::kLanes);
    w.dense.lanes.resize(std::max(ng, nx));
    for (int first = 0; first < nx; first += math::kLanes) {
      const int count = std::min(math::kLanes, nx - first);
      for (int i = 0; i < count; ++i) w.dense.dy(first + i, i) = 1;
      place(w.dense.dy);
      invariant_directions(m, w, w.dense.lanes.data());
      for (int r = 0; r < ng; ++r) {
        for (int i = 0; i < count; ++i) jacobian(r, first + i) = w.dense.lanes[r][i];
      }
      for (int i = 0; i < count; ++i) w.dense.dy(first + i, i) = 0;
    }
  }

  /// Directions of g with the state fixed: parameters alone, all chunks.
  MatrixXd parameter_directions(int count) {
    MatrixXd out(ng, count);
    w.dense.dy.resize(m.sizes.ny(), math::kLanes);
    for (int chunk = 0; chunk * math::kLanes < count; ++chunk) {
      seed_chunk(m, w, {}, chunk);
      place_lanes(m, w, reinterpret_cast<const Lane*>(w.dense.dy.chunk(0)), true);
      invariant_directions(m, w, w.dense.lanes.data());
      for (int i = 0; i < math::kLanes && chunk * math::kLanes + i < count; ++i) {
        for (int r = 0; r < ng; ++r) out(r, chunk * math::kLanes + i) = w.dense.lanes[r][i];
      }
    }
    return out;
  }

  /// Columns (sum_j lambda_j Hessian g_j) dx_i + parameter terms, in the user's coordinates.
  MatrixXd curvature(const VectorXd& lambda, const MatrixXd& dx, bool parameters) {
    MatrixXd out(nx, dx.cols());
    std::vector<double> gradient(nx);
    AlignedVector<Lane> lanes(nx), user(nx);
    w.dense.dy.resize(m.sizes.ny(), math::kLanes);
    for (int first = 0; first < dx.cols(); first += math::kLanes) {
      const int count = std::min<int>(math::kLanes, static_cast<int>(dx.cols()) - first);
      for (int r = 0; r < nx; ++r) {
        for (int i = 0; i < count; ++i) w.dense.dy(r, i) = dx(r, first + i);
      }
      if (parameters) {
        seed_chunk(m, w, {}, first / math::kLanes);
      } else {
        unseed();
      }
      place_lanes(m, w, reinterpret_cast<const Lane*>(w.dense.dy.chunk(0)), true);
      invariant_gradient(m, w, lambda.data(), gradient.data(), lanes.data());
      for (int b = 0; b < 2 * m.kernel.structure.num_bodies; ++b) {
        // canonical = u A, so a gradient is pulled back with A.
        const auto& A = m.kernel.maps[b % m.kernel.structure.num_bodies].A;
        for (int i = 0; i < 4; ++i) {
          for (int k = 0; k < 3; ++k) {
            Lane sum{};
            for (int j = 0; j < 4; ++j) sum += A[i][j] * lanes[12 * b + 3 * j + k];
            user[12 * b + 3 * i + k] = sum;
          }
        }
      }
      for (int r = 0; r < nx; ++r) {
        for (int i = 0; i < count; ++i) out(r, first + i) = user[r][i];
      }
    }
    return out;
  }

  ProjectionReport project(VectorXd& x, Norm norm, double asked) {
    const VectorXd x0 = x;
    const auto tolerances = projection_tolerance(m, x.data(), x.data() + m.sizes.nq, asked);
    const double tolerance = std::max(tolerances.position, tolerances.velocity);
    ProjectionReport report;
    VectorXd g;
    MatrixXd jacobian;
    linearize(x, g, jacobian);
    if (norm == Norm::kPartition && !choose_dependent(x, jacobian)) {
      report.residual = g.cwiseAbs().maxCoeff();
      report.status = Status::kProjectionFailed;
      return report;
    }
    VectorXd step;
    for (;; ++report.iterations) {
      report.residual = g.cwiseAbs().maxCoeff();
      const bool settled = report.iterations > 0 && step.cwiseAbs().maxCoeff() <= 10 * tolerance;
      if (report.residual <= tolerance && (settled || report.residual == 0)) break;
      if (!(report.residual < HUGE_VAL) || report.iterations >= kMaxIterations) {
        report.status = Status::kProjectionFailed;
        return report;
      }
      if (norm == Norm::kPartition) {
        step = VectorXd::Zero(nx);
        const VectorXd part = decompose(dependent_columns(jacobian)).solve(-g);
        for (int i = 0; i < part.size(); ++i) step(dependent_[i]) = part(i);
      } else {
        const auto solver = decompose(jacobian, rank_tolerance(g));
        step = (x0 - x) - solver.solve(jacobian * (x0 - x) + g);
      }
      x += step;
      linearize(x, g, jacobian);
    }
    if (norm == Norm::kEuclidean) {
      // x - x0 + Ghat^T lambda = 0.
      lambda_ = decompose(jacobian.transpose()).solve(x0 - x);
    }
    report.distance_q = (x - x0).head(m.sizes.nq).norm();
    report.distance_v = (x - x0).tail(m.sizes.nq).norm();
    return report;
  }

  void directions(const VectorXd& x, Norm norm, const VectorXd& lambda,
                  const std::vector<int>& dependent, MatrixXd& dx) {
    VectorXd g;
    MatrixXd jacobian;
    unseed();
    linearize(x, g, jacobian);
    const MatrixXd dg = parameter_directions(static_cast<int>(dx.cols()));
    if (norm == Norm::kPartition) {
      dependent_ = dependent;
      MatrixXd fixed = dx;
      for (int i : dependent_) fixed.row(i).setZero();
      const MatrixXd part =
          decompose(dependent_columns(jacobian)).solve(MatrixXd(-(jacobian * fixed) - dg));
      for (std::size_t i = 0; i < dependent_.size(); ++i) {
        fixed.row(dependent_[i]) = part.row(static_cast<int>(i));
      }
      dx = fixed;
      return;
    }
    // dx = P (dx0 - curvature(dx)) - Ghat^+ dg, iterated; P projects onto the null space of Ghat.
    const auto solver = decompose(jacobian);
    const MatrixXd dx0 = dx;
    const MatrixXd particular = solver.solve(dg);
    for (int iteration = 0; iteration < 4 * kMaxIterations; ++iteration) {
      const MatrixXd free = dx0 - curvature(lambda, dx, true);
      const MatrixXd next = free - solver.solve(MatrixXd(jacobian * free)) - particular;
      const double change = (next - dx).cwiseAbs().maxCoeff();
      dx = next;
      if (change <= 1e-14 * (1 + dx.cwiseAbs().maxCoeff())) break;
    }
  }

  const VectorXd& lambda() const { return lambda_; }
  const std::vector<int>& dependent() const { return dependent_; }

  void unseed() {
    std::fill(w.seed.inertia.begin(), w.seed.inertia.end(), nullptr);
    std::fill(w.seed.geometry.begin(), w.seed.geometry.end(), nullptr);
    std::fill(w.formula.lanes.begin(), w.formula.lanes.end(), Lane{});
    w.seed.constants = w.seed.zero.data();
  }

 private:
  void place(const math::Directions& dy) {
    place_lanes(m, w, reinterpret_cast<const Lane*>(dy.chunk(0)), true);
  }

  static math::OrthogonalDecomposition decompose(const MatrixXd& a, double tolerance = kRank) {
    return math::OrthogonalDecomposition(a, tolerance);
  }

  /// Far away, redundant rows do not look redundant: the tolerance follows |g|.
  static double rank_tolerance(const VectorXd& g) {
    return std::max(kRank, std::min(g.cwiseAbs().maxCoeff(), 1e-2));
  }

  /// Dependent variables: the pivot columns of a QR with column pivoting (Kraus 2006,
  /// section 8.5.2), as many as the rows have rank where they hold. False if no such point is
  /// found.
  bool choose_dependent(const VectorXd& x, const MatrixXd& jacobian) {
    VectorXd nearest = x, g;
    MatrixXd jacobian_there;
    if (project(nearest, Norm::kEuclidean, 1e-10).status != Status::kOk) return false;
    linearize(nearest, g, jacobian_there);
    const auto rank = decompose(jacobian_there).rank();
    const math::PivotedQr qr(jacobian);
    dependent_.clear();
    for (Eigen::Index i = 0; i < rank; ++i) dependent_.push_back(static_cast<int>(qr.column(i)));
    return true;
  }

  MatrixXd dependent_columns(const MatrixXd& jacobian) const {
    MatrixXd out(ng, dependent_.size());
    for (std::size_t i = 0; i < dependent_.size(); ++i) {
      out.col(static_cast<int>(i)) = jacobian.col(dependent_[i]);
    }
    return out;
  }

  const Model& model_;
  const ModelData& m;
  ModelWorkspace& w;
  int nx, ng;
  VectorXd lambda_;
  std::vector<int> dependent_;
};

}  // namespace

ProjectionReport project_dense(const Model& model, const ModelData& m, ModelWorkspace& w,
                               dynamics::Vec y, double tolerance) {
  const int nx = 2 * m.sizes.nq;
  w.make_direction_room(m);
  DenseProjection projection(model, m, w);
  projection.unseed();
  VectorXd x = VectorXd::Map(y.data(), nx);
  const auto report = projection.project(x, w.projection.norm, tolerance);
  if (report.status != Status::kOk) return report;
  std::copy(x.data(), x.data() + nx, y.data());
  w.dense.x.assign(x.data(), x.data() + nx);
  w.dense.lambda.assign(projection.lambda().data(),
                        projection.lambda().data() + projection.lambda().size());
  w.dense.dependent = projection.dependent();
  return report;
}

Status project_dense_directions(const Model& model, const ModelData& m, ModelWorkspace& w,
                                math::Directions& dy) {
  const int nx = 2 * m.sizes.nq;
  MatrixXd dx = math::to_matrix(dy).topRows(nx);
  DenseProjection projection(model, m, w);
  projection.directions(VectorXd::Map(w.dense.x.data(), nx), w.projection.norm,
                        VectorXd::Map(w.dense.lambda.data(), w.dense.lambda.size()),
                        w.dense.dependent, dx);
  math::copy_top_left(dx, dy);
  return math::all_finite(dx) ? Status::kOk : Status::kNotFinite;
}

}  // namespace parfait::mbs
