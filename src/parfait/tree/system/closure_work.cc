#include "parfait/tree/system/closure_work.h"

#include <algorithm>

#include "parfait/tree/algorithms/row_batch.h"
#include "parfait/tree/system/model_scene.h"

// Rows of closures as generalized forces, and the solution of (T31).
namespace parfait::tree {

using mechanism::RowGradient;

void ClosureWork::resize(int rows, int velocities) {
  solver.resize(rows, velocities);
  used.assign(rows, 0);
  dependent.assign(velocities, 1);
  weights.assign(velocities, 1.0);
  lambda.assign(rows, 0.0);
  gamma.assign(rows, 0.0);
  motions.resize(rows);
  speeds.resize(rows);
}

void generalized_forces(const ModelData& m, ModelWorkspace& w, const std::vector<Force<double>>& F,
                        double* out) {
  std::fill_n(out, m.sizes.nv, 0.0);
  for (std::size_t b = 0; b < F.size(); ++b) {
    const int node = m.tree().bodies[b].node;
    const auto about = about_node(w.point.bound, w.point.nodes, static_cast<int>(b), node, F[b]);
    add_generalized_force(m.tree(), w.point, node, sized(about),
                          [out](int k, double value, double) { out[k] += value; });
  }
}

void compute_rows(const ModelData& m, ModelWorkspace& w) {
  ClosureWork& c = w.closures;
  const Scene<double> scene = scene_of(m, w);
  c.solver.begin(m.closures.num_rows());
  RowBatch at_begin(m.tree(), w.point, c.solver), at_end(m.tree(), w.point, c.solver);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    const auto& motion = c.motions[i] = scene.row_motion(row);
    const RowGradient<double> grad = row_gradient(row.kind, motion);
    const int node_a = scene.row_node(row.begin), node_b = scene.row_node(row.end);
    if (node_a >= 0) {
      const Vec3<double> r = scene.row_arm(row.begin);
      at_begin.add(i, node_a, {cross(r, grad.n) + cross(motion.a, grad.e_a), grad.n});
    }
    if (node_b >= 0) {
      const Vec3<double> r = scene.row_arm(row.end);
      at_end.add(i, node_b, {cross(motion.b, grad.e_b) - cross(r, grad.n), -grad.n});
    }
  }
}

void use_metric(const ModelData& m, ModelWorkspace& w, dynamics::Norm norm) {
  ClosureWork& c = w.closures;
  if (norm == dynamics::Norm::kMass) {
    c.solver.use_mass(m.tree(), w.point);
    return;
  }
  for (int k = 0; k < m.sizes.nv; ++k) {
    c.weights[k] = norm == dynamics::Norm::kPartition && !c.dependent[k] ? 0.0 : 1.0;
  }
  c.solver.use_diagonal(c.weights);
}

void factor_rows(const ModelData& m, ModelWorkspace& w, Rows rows, dynamics::Norm norm,
                 bool repivot) {
  static const std::vector<int> by_size;
  // Rows in world axes turn past each other when bodies do: of three that are worth two, those that
  // were best at the start may be the same, or nothing, a quarter turn later. Errors grow with the
  // inverse root of the quality.
  constexpr double kPoor = 1e-2;
  ClosureWork& c = w.closures;
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    c.used[i] = rows == Rows::kAll || !m.closures.rows[i].is_velocity;
  }
  use_metric(m, w, norm);
  c.solver.factor(repivot ? by_size : m.closures.order, c.used, m.closures.rank_tolerance);
  const bool has_choice = c.solver.rank() < static_cast<int>(c.solver.order().size());
  if (repivot || !has_choice || c.solver.quality() > kPoor) return;
  c.solver.factor(by_size, c.used, m.closures.rank_tolerance);
}

}  // namespace parfait::tree
