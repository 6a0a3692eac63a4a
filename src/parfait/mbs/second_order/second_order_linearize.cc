#include <algorithm>

#include "parfait/mbs/evaluation/external_states.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/bilinear_row.h"
#include "parfait/mbs/second_order/second_order.h"

// Sparse derivatives of r = f - G^T lambda, g and e'. Rows of g are bilinear, so theirs are written
// down; those of a force follow from the local Jacobian of its element.
namespace parfait::mbs {
namespace {

using dynamics::Linearization;
using dynamics::Triplets;

class Linearizer {
 public:
  Linearizer(const ModelData& model, ModelWorkspace& workspace, Linearization& result)
      : m(model),
        w(workspace),
        out_(result),
        ground_(m.kernel.structure.num_bodies),
        jacobian_(workspace.second.jacobian) {}

  void run() {
    for (Triplets* x : {&out_.dr_dq, &out_.dr_dv, &out_.dr_de, &out_.G, &out_.dedot_dq,
                        &out_.dedot_dv, &out_.dedot_de}) {
      x->clear();
    }
    for_each_row(m.kernel, [&](int row, const RowId& id) {
      add_row(row, row_form<double>(m.kernel, w.bound.kernel, w.seed, id));
    });
    for (const ForceSpec& force : m.force.elements) add_force(force);
    if (m.external.num_formulas > 0) {
      hold_parameters();
      add_external();
    }
  }

 private:
  void add_row(int row, const BilinearRow<double>& form) {
    const auto vectors = [&](int side, int i) {
      const double* u = w.second.u.data() + 12 * form.body[side] + 3 * i;
      return Vec3<double>{u[0], u[1], u[2]};
    };
    if (form.component >= 0) {
      for (int side = 0; side < 2; ++side) {
        if (form.body[side] == ground_) continue;
        for (int i = 0; i < 4; ++i) {
          out_.G.add(row, 12 * form.body[side] + 3 * i + form.component, form.xi[side][i]);
        }
      }
      return;
    }
    const Vec3<double> x = combine_vectors(form.xi, vectors);
    const Vec3<double> y = combine_vectors(form.eta, vectors);
    const double factor = -form.s * w.second.lambda[row];
    for (int side = 0; side < 2; ++side) {
      if (form.body[side] == ground_) continue;
      for (int i = 0; i < 4; ++i) {
        const Vec3<double> g = form.s * (form.xi[side][i] * y + form.eta[side][i] * x);
        const int at = 12 * form.body[side] + 3 * i;
        out_.G.add(row, at, g.x);
        out_.G.add(row, at + 1, g.y);
        out_.G.add(row, at + 2, g.z);
        for (int other = 0; other < 2; ++other) {
          if (form.body[other] == ground_) continue;
          for (int j = 0; j < 4; ++j) {
            const double curvature = factor * (form.xi[side][i] * form.eta[other][j] +
                                               form.eta[side][i] * form.xi[other][j]);
            for (int k = 0; k < 3; ++k) {
              out_.dr_dq.add(at + k, 12 * form.body[other] + 3 * j + k, curvature);
            }
          }
        }
      }
    }
  }

  /// Nothing but the state moves.
  void hold_parameters() {
    std::fill(w.seed.inertia.begin(), w.seed.inertia.end(), nullptr);
    std::fill(w.seed.geometry.begin(), w.seed.geometry.end(), nullptr);
    std::fill(w.formula.lanes.begin(), w.formula.lanes.end(), Lane{});
    w.seed.constants = w.seed.zero.data();
  }

  /// An end: its vectors are linear in those of its body, point = sum c_j u_j, and so is what its
  /// forces do to them.
  struct LinearEnd {
    int body = 0;
    unsigned use = 0;
    /// c of the point, then of the axes, in the user's coordinates.
    std::array<std::array<double, 4>, 4> c{};
  };

  LinearEnd linear_end(const EndSpec& spec) const {
    LinearEnd out{spec.body, spec.use, {}};
    const End<double> end = end_of(w.bound.kernel, w.k, spec);
    const auto center = w.bound.kernel.center(spec.body);
    for (int vector = 0; vector < 4; ++vector) {
      const double* r = vector == 0 ? end.rho_local : end.axes[vector - 1];
      std::array<double, 4> canonical{vector == 0 ? 1.0 : 0.0, r[0], r[1], r[2]};
      for (int i = 0; vector == 0 && i < 3; ++i) canonical[1 + i] += center[i];
      const auto& A = m.kernel.maps[spec.body].A;
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) out.c[vector][i] += A[i][j] * canonical[j];
      }
    }
    return out;
  }

  void add_force(const ForceSpec& force) {
    auto at = look_at(m, w, force);
    if (force.law >= 0) {
      w.force.law.gradient = w.formula.gradients.data() + w.formula.gradient_first[force.law];
      w.force.law.value = &w.formula.law_values[force.law];
    }
    force.element->jacobian(at, jacobian_);
    ends_.clear();
    for (const EndSpec& spec : force.ends) {
      ends_.push_back(spec.body == ground_ ? LinearEnd{ground_, 0, {}} : linear_end(spec));
    }
    for (std::size_t column = 0; column < ends_.size(); ++column) {
      if (ends_[column].body == ground_) continue;
      for (int level = 0; level < 2; ++level) add_columns(force, static_cast<int>(column), level);
    }
    for (int i = 0; i < force.num_states; ++i) {
      add_state_column(force, jacobian_.first_state() + i, force.first_state + i, 1.0);
    }
    if (force.law < 0) return;
    // The law's own column, times what its formula makes of the states.
    const auto& law = m.force.laws[force.law];
    const auto used = law.used_slots();
    for (int j = 0; j < law.num_used(); ++j) {
      const int state = used[j] - m.slots.first_state;
      if (state < 0 || state >= m.sizes.ne) continue;
      add_state_column(force, jacobian_.law_column(), state, at.law->gradient[j]);
    }
  }

  /// Column of vector `vector` (0: point) of an end at level 0, or of its rate at level 1.
  static int column_of(int end, int vector, int level) {
    using J = mechanism::ForceJacobian;
    const int first = vector == 0
                          ? (level == 0 ? J::kPointColumn : J::kVelocityColumn)
                          : (level == 0 ? J::kAxisColumn : J::kRateColumn) + 3 * (vector - 1);
    return J::kEndColumns * end + first;
  }

  /// d(forces on the coordinates of all ends) / d(coordinates of one, or their rates), and d(rates
  /// of its states).
  void add_columns(const ForceSpec& force, int column_end, int level) {
    const LinearEnd& from = ends_[column_end];
    dynamics::Triplets& dr = level == 0 ? out_.dr_dq : out_.dr_dv;
    dynamics::Triplets& dedot = level == 0 ? out_.dedot_dq : out_.dedot_dv;
    for (int l = 0; l < 4; ++l) {
      for (int n = 0; n < 3; ++n) {
        const int column = 12 * from.body + 3 * l + n;
        const auto along = [&](int row) {
          double sum = 0;
          for (int vector = 0; vector < 4; ++vector) {
            sum += jacobian_(row, column_of(column_end, vector, level) + n) * from.c[vector][l];
          }
          return sum;
        };
        add_rows(along, [&](int row, double value) { dr.add(row, column, value); });
        for (int i = 0; i < force.num_states; ++i) {
          dedot.add(force.first_state + i, column, along(jacobian_.first_state_row() + i));
        }
      }
    }
  }

  /// Rows of the coordinates of all ends from those of the Jacobian along some column.
  template <class Along, class Add>
  void add_rows(const Along& along, const Add& add) {
    for (std::size_t e = 0; e < ends_.size(); ++e) {
      const LinearEnd& to = ends_[e];
      if (to.body == ground_) continue;
      double d[4][3] = {};
      for (int vector = 0; vector < 4; ++vector) {
        const bool given = vector == 0 ? (to.use & mechanism::kForce) != 0
                                       : mechanism::gives_axis_force(to.use, vector - 1);
        for (int k = 0; given && k < 3; ++k) {
          d[vector][k] =
              along(mechanism::ForceJacobian::kEndRows * static_cast<int>(e) + 3 * vector + k);
        }
      }
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < 3; ++k) {
          double sum = 0;
          for (int vector = 0; vector < 4; ++vector) sum += to.c[vector][j] * d[vector][k];
          add(12 * to.body + 3 * j + k, sum);
        }
      }
    }
  }

  void add_state_column(const ForceSpec& force, int column, int state, double factor) {
    const auto along = [&](int row) { return jacobian_(row, column) * factor; };
    add_rows(along, [&](int row, double value) { out_.dr_de.add(row, state, value); });
    for (int i = 0; i < force.num_states; ++i) {
      out_.dedot_de.add(force.first_state + i, state, along(jacobian_.first_state_row() + i));
    }
  }

  /// A formula of a state may name any quantity, so its row is full.
  void add_external() {
    const int nq = m.sizes.nq, ny = m.sizes.ny(), ne = m.sizes.ne;
    auto& dy = w.second.state_lanes;
    dy.assign(ny, Lane{});
    w.second.rate_lanes.resize(ne);
    const int formulas = m.external.num_formulas;
    for (int first = 0; first < ny; first += math::kLanes) {
      const int count = std::min(math::kLanes, ny - first);
      for (int lane = 0; lane < count; ++lane) dy[first + lane][lane] = 1;
      for (int i = 0; i < ne; ++i) w.formula.lanes[m.slots.first_state + i] = dy[2 * nq + i];
      place_lanes(m, w, dy.data(), true);
      external_directions(m, w, w.second.rate_lanes.data());
      for (int lane = 0; lane < count; ++lane) {
        const int column = first + lane;
        Triplets& to = column < nq       ? out_.dedot_dq
                       : column < 2 * nq ? out_.dedot_dv
                                         : out_.dedot_de;
        for (int i = 0; i < formulas; ++i)
          to.add(i, column < 2 * nq ? column % nq : column - 2 * nq, w.second.rate_lanes[i][lane]);
        dy[column] = Lane{};
      }
    }
  }

  const ModelData& m;
  ModelWorkspace& w;
  Linearization& out_;
  int ground_;
  std::vector<LinearEnd> ends_;
  mechanism::ForceJacobian& jacobian_;
};

}  // namespace

void linearize_second_order(const ModelData& m, ModelWorkspace& w, Linearization& out) {
  Linearizer(m, w, out).run();
}

}  // namespace parfait::mbs
