#include <algorithm>

#include "parfait/mbs/bilinear_row.h"
#include "parfait/mbs/external_states.h"
#include "parfait/mbs/observation.h"
#include "parfait/mbs/second_order.h"

// Sparse derivatives of r = f - G^T lambda, g and e'. Rows of g are bilinear, so theirs are written
// down; a force is differentiated along the columns of its two bodies.
namespace parfait::mbs {
namespace {

using dynamics::Linearization;
using dynamics::Triplets;

class Linearizer {
 public:
  Linearizer(const ModelData& model, ModelWorkspace& workspace, Linearization& result)
      : m(model), w(workspace), out_(result), ground_(m.structure.num_bodies) {}

  void run() {
    for (Triplets* x : {&out_.dr_dq, &out_.dr_dv, &out_.dr_de, &out_.G, &out_.dedot_dq,
                        &out_.dedot_dv, &out_.dedot_de}) {
      x->clear();
    }
    for_each_row(m, [&](int row, const RowId& id) { add_row(row, row_form<double>(m, w, id)); });
    hold_parameters();
    for (std::size_t i = 0; i < m.forces.size(); ++i) add_force(static_cast<int>(i));
    if (m.sizes.ne > 0) add_external();
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
    std::fill(w.inertia_seed.begin(), w.inertia_seed.end(), nullptr);
    std::fill(w.geometry_seed.begin(), w.geometry_seed.end(), nullptr);
    std::fill(w.slot_lanes.begin(), w.slot_lanes.end(), Lane{});
    w.constant_now = w.zero_lanes.data();
  }

  /// Points the lanes of an end's body at its columns.
  void seed_body(int side) {
    BodyLanes& lanes = w.d.lanes[pair_[side]];
    lanes.D = canonical_[side][0] + 3;
    lanes.V = canonical_[side][1] + 3;
    const auto c = w.bound.center(pair_[side]);
    for (int level = 0; level < 2; ++level) {
      const Lane* d = canonical_[side][level];
      for (int k = 0; k < 3; ++k) {
        (level == 0 ? lanes.rc : lanes.vc)[k] =
            d[k] + d[3 + k] * c[0] + d[6 + k] * c[1] + d[9 + k] * c[2];
      }
    }
  }

  void add_force(int index) {
    const ForceSpec& force = m.forces[index];
    pair_[0] = force.body[0];
    pair_[1] = force.body[1];
    for (int level = 0; level < 2; ++level) {
      for (int side = 0; side < 2; ++side) {
        if (pair_[side] == ground_) continue;
        for (int first = 0; first < 12; first += math::kLanes) {
          const int count = std::min(math::kLanes, 12 - first);
          clear_seeds();
          for (int lane = 0; lane < count; ++lane) seed_column(side, level, first + lane, lane);
          force_columns(force, index);
          emit(level == 0 ? out_.dr_dq : out_.dr_dv, 12 * pair_[side] + first, count);
        }
      }
    }
    if (force.law < 0) return;
    for (int first = 0; first < m.sizes.ne; first += math::kLanes) {
      const int count = std::min(math::kLanes, m.sizes.ne - first);
      clear_seeds();
      for (int lane = 0; lane < count; ++lane) {
        w.slot_lanes[m.slots.first_state + first + lane][lane] = 1;
      }
      force_columns(force, index);
      emit(out_.dr_de, first, count);
      for (int lane = 0; lane < count; ++lane) {
        w.slot_lanes[m.slots.first_state + first + lane] = Lane{};
      }
    }
  }

  void clear_seeds() {
    for (auto& side : canonical_) {
      for (auto& level : side) std::fill(std::begin(level), std::end(level), Lane{});
    }
  }

  /// Column 3 i + k of the user's coordinates moves canonical vectors j by A_ij along k.
  void seed_column(int side, int level, int column, int lane) {
    const auto& A = m.maps[pair_[side]].A[column / 3];
    for (int j = 0; j < 4; ++j) canonical_[side][level][3 * j + column % 3][lane] = A[j];
  }

  void force_columns(const ForceSpec& force, int index) {
    for (int side = 0; side < 2; ++side) {
      if (pair_[side] != ground_) seed_body(side);
    }
    for (auto& side : result_) std::fill(std::begin(side), std::end(side), Lane{});
    if (force.side != Side::kBoth && !w.force_acts[index]) return;
    const auto site = force_site_directions(w, force);
    const auto measured = force.element->measure(site);
    Lane* const ends[2] = {result_[0], result_[1]};
    add_pair(w, force, force_directions(m, w, force, index, measured), measured, site, ends);
  }

  void emit(Triplets& to, int first_column, int count) {
    for (int side = 0; side < 2; ++side) {
      if (pair_[side] == ground_) continue;
      Lane user[12];
      pull_back(m.maps[pair_[side]], result_[side], user);
      for (int lane = 0; lane < count; ++lane) {
        for (int r = 0; r < 12; ++r)
          to.add(12 * pair_[side] + r, first_column + lane, user[r][lane]);
      }
    }
  }

  /// A formula of a state may name any quantity, so its row is full.
  void add_external() {
    const int nq = m.sizes.nq, ny = m.sizes.ny(), ne = m.sizes.ne;
    auto& dy = w.second.state_lanes;
    dy.assign(ny, Lane{});
    w.second.rate_lanes.resize(ne);
    for (int first = 0; first < ny; first += math::kLanes) {
      const int count = std::min(math::kLanes, ny - first);
      for (int lane = 0; lane < count; ++lane) dy[first + lane][lane] = 1;
      for (int i = 0; i < ne; ++i) w.slot_lanes[m.slots.first_state + i] = dy[2 * nq + i];
      place_lanes(m, w, dy.data(), true);
      external_directions(m, w, w.second.rate_lanes.data());
      for (int lane = 0; lane < count; ++lane) {
        const int column = first + lane;
        Triplets& to = column < nq       ? out_.dedot_dq
                       : column < 2 * nq ? out_.dedot_dv
                                         : out_.dedot_de;
        for (int i = 0; i < ne; ++i)
          to.add(i, column < 2 * nq ? column % nq : column - 2 * nq, w.second.rate_lanes[i][lane]);
        dy[column] = Lane{};
      }
    }
  }

  const ModelData& m;
  ModelWorkspace& w;
  Linearization& out_;
  int ground_;
  int pair_[2] = {0, 0};
  Lane canonical_[2][2][12];  ///< per end, positions and velocities
  Lane result_[2][12];
};

}  // namespace

void linearize_second_order(const ModelData& m, ModelWorkspace& w, Linearization& out) {
  Linearizer(m, w, out).run();
}

}  // namespace parfait::mbs
