#pragma once

#include "parfait/mechanism/elements/constraint_row.h"
#include "parfait/tree/system/model_data.h"

/// Bodies, markers and rows where they are, written once for numbers and for numbers with
/// directions. Internal to the room.
namespace parfait::tree {

/// A point and axes on a body in motion, world axes.
template <class S>
struct MovingFrame {
  Vec3<S> point, velocity, omega;
  Vec3<S> acceleration;  ///< only where inverse dynamics has been computed
  Vec3<S> axis[3];

  Vec3<S> axis_rate(int i) const { return cross(omega, axis[i]); }
};

template <class S>
struct Scene {
  const ModelData& m;
  ModelWorkspace& w;
  const BoundConstants<S>& bound;
  const std::vector<NodeMotion<S>>& nodes;
  const std::vector<NodeForces<S>>& forces;
  const Constants<S>& constants;
  const BoundSites<S>& sites;
  const S* all;  ///< constants of the mechanism

  MovingFrame<S> frame(int node, const SiteFrame<S>& site) const {
    MovingFrame<S> out;
    const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
    if (node < 0) {
      out.point = site.o;
      out.velocity = out.omega = out.acceleration = zero;
      for (int i = 0; i < 3; ++i) out.axis[i] = site.axis[i];
      return out;
    }
    const NodeMotion<S>& at = nodes[node];
    const NodeForces<S>& rate = forces[node];
    const Vec3<S> r = at.R * site.o;
    out.point = at.p + r;
    out.velocity = at.v + cross(at.omega, r);
    out.omega = at.omega;
    // Accelerations of inverse dynamics contain that of the ground, minus gravity.
    out.acceleration =
        rate.a + bound.gravity + cross(rate.alpha, r) + cross(at.omega, cross(at.omega, r));
    for (int i = 0; i < 3; ++i) out.axis[i] = at.R * site.axis[i];
    return out;
  }
  /// The frame of a site of the ElementSet.
  MovingFrame<S> site(int index) const {
    return frame(m.node_of(m.elements.sites[index].body), sites.elements[index]);
  }
  /// Positions, rates and accelerations that a row is a function of, and no others: axes as given.
  /// Accelerations have a meaning after inverse dynamics.
  mechanism::RowMotion<S> row_motion(const ClosureRow& row) const {
    mechanism::RowMotion<S> out;
    if (mechanism::uses_delta(row.kind)) {
      const PointMotion a = row_point(row.begin), b = row_point(row.end);
      out.delta = a.r - b.r;
      out.delta_d = a.v - b.v;
      out.delta_dd = a.a - b.a;
    }
    if (mechanism::uses_a(row.kind)) {
      turn_axis(row.begin, row.a_axis, out.a, out.a_d, out.a_dd);
    }
    if (mechanism::uses_b(row.kind)) {
      turn_axis(row.end, row.b_axis, out.b, out.b_d, out.b_dd);
    }
    return out;
  }
  /// The node that carries an end of a row; -1: the ground.
  int row_node(int site) const { return m.node_of(m.elements.sites[m.closures.sites[site]].body); }
  /// From the origin of that node to the end.
  Vec3<S> row_arm(int site) const { return nodes[row_node(site)].R * sites.rows[site].o; }

 private:
  struct PointMotion {
    Vec3<S> r, v, a;
  };
  PointMotion row_point(int site) const {
    const int node = row_node(site);
    if (node < 0) return {sites.rows[site].o, {}, {}};
    const NodeMotion<S>& at = nodes[node];
    const NodeForces<S>& rate = forces[node];
    const Vec3<S> r = at.R * sites.rows[site].o, r_d = cross(at.omega, r);
    return {at.p + r, at.v + r_d,
            rate.a + bound.gravity + cross(rate.alpha, r) + cross(at.omega, r_d)};
  }
  void turn_axis(int site, int i, Vec3<S>& axis, Vec3<S>& axis_d, Vec3<S>& axis_dd) const {
    const int node = row_node(site);
    axis = sites.rows[site].axis[i];
    if (node < 0) return;
    const NodeMotion<S>& at = nodes[node];
    axis = at.R * axis;
    axis_d = cross(at.omega, axis);
    axis_dd = cross(forces[node].alpha, axis) + cross(at.omega, axis_d);
  }
};

Scene<double> scene_of(const ModelData& m, ModelWorkspace& w);
Scene<Dual> dual_scene_of(const ModelData& m, ModelWorkspace& w);

/// What a row has to be: of positions, of velocities, of accelerations.
template <class S>
struct RowTarget {
  S position{}, velocity{}, acceleration{};
};
RowTarget<double> row_target(const ModelData& m, ModelWorkspace& w, const ClosureRow& row);
RowTarget<Dual> dual_row_target(const ModelData& m, ModelWorkspace& w, const ClosureRow& row);

/// Adds the force n at begin and -n at end and the torques that pull on the axes, times -lambda, to
/// wrenches: -G^T lambda as forces on bodies.
template <class S>
void push_row(const Scene<S>& scene, const ClosureRow& row, const S& lambda,
              std::vector<Force<S>>& wrenches);

template <class S>
S quantity_value(const Scene<S>& scene, const Quantity& quantity);

/// What elements see of the bodies of a workspace.
class TreeSurroundings final : public mechanism::Surroundings {
 public:
  TreeSurroundings(const ModelData& model, ModelWorkspace& workspace) : m(model), w(workspace) {}
  void place(std::span<const mechanism::ElementEnd> ends,
             mechanism::EndFrame<double>* out) const override;
  void place(std::span<const mechanism::ElementEnd> ends,
             mechanism::EndFrame<Dual>* out) const override;
  double value(const Quantity& quantity) const override;
  Dual value_with_directions(const Quantity& quantity) const override;

 private:
  const ModelData& m;
  ModelWorkspace& w;
};

/// Bodies and elements at a point.
void place_point(const ModelData& m, ModelWorkspace& w, const SeenPoint& at);
/// Forces of all elements on bodies, into w.wrenches; rates of their states.
void push_elements(const ModelData& m, ModelWorkspace& w);

/// w.chunk with the constants and parameters of a chunk, bound again if others were bound since.
/// Chunks beyond those that were bound do not move them.
void choose_chunk(const ModelData& m, ModelWorkspace& w, int chunk);
/// Directions of parameters, time, state and inputs in a chunk: w.chunk, the seeds of the elements,
/// q and v in w.room with their directions, and w.du. `dy` null: zero.
void seed_chunk(const ModelData& m, ModelWorkspace& w, const SeenPoint& at,
                const dynamics::PointDirections& d, int chunk);
/// The chunk's constants go to the room and back.
class ChunkInRoom {
 public:
  explicit ChunkInRoom(ModelWorkspace& workspace) : w(workspace) {
    std::swap(w.room.bound, w.chunk->bound);
  }
  ~ChunkInRoom() { std::swap(w.room.bound, w.chunk->bound); }
  ChunkInRoom(const ChunkInRoom&) = delete;
  ChunkInRoom& operator=(const ChunkInRoom&) = delete;

 private:
  ModelWorkspace& w;
};
/// Nodes of the room from its q and, with velocities `v`, their motion.
void place_room(const ModelData& m, ModelWorkspace& w);
void move_room(const ModelData& m, ModelWorkspace& w, const Dual* v);
/// Inverse dynamics in the room, from nodes that are placed and moved: tau into room.tau.
void newton_euler_room(const ModelData& m, ModelWorkspace& w, const Dual* v, const Dual* vdot,
                       const Vec3<Dual>& a0, const Force<Dual>* wrenches);
void push_elements_with_directions(const ModelData& m, ModelWorkspace& w);
/// The unit impulse of an event on both bodies instead.
void push_impulse(const ModelData& m, ModelWorkspace& w, const mechanism::ActingEvent& event);
void push_impulse_with_directions(const ModelData& m, ModelWorkspace& w,
                                  const mechanism::ActingEvent& event);
void clear_wrenches(std::vector<Force<double>>& wrenches);
void clear_wrenches(std::vector<Force<Dual>>& wrenches);

/// Directions of a and lambda at the evaluated point for the seeded chunk, into w.lanes and
/// w.row_lanes; w.dual_wrenches then holds the forces of elements and of rows with lambda as it is.
/// `dddphi`: directions of the offsets of rows, or null. Call prepare_acceleration_directions()
/// once at the point, and place and move the room for the chunk.
void prepare_acceleration_directions(const ModelData& m, ModelWorkspace& w);
void acceleration_directions(const ModelData& m, ModelWorkspace& w, const Lane* dddphi);

// closure_work.cc

/// Forces along the velocities that wrenches on bodies do, into `out` (nv).
void generalized_forces(const ModelData& m, ModelWorkspace& w, const std::vector<Force<double>>& F,
                        double* out);
/// G of all rows where bodies are, for their present velocities.
void compute_rows(const ModelData& m, ModelWorkspace& w);
enum class Rows { kAll, kPositions };
/// A and its factors for G as computed. Pivots in the order of the model, or by size where rows are
/// left out and that order is a poor one, or with `repivot`.
void factor_rows(const ModelData& m, ModelWorkspace& w, Rows rows, dynamics::Norm norm,
                 bool repivot = false);
/// The metric of a norm, for G as computed.
void use_metric(const ModelData& m, ModelWorkspace& w, dynamics::Norm norm);
/// x := x - W G^T lambda so that G x = gamma; lambda of rows left out is zero.
inline void hold_rows(ModelWorkspace& w, const double* gamma, double* lambda, double* x) {
  w.closures.solver.hold(gamma, lambda, x, w.buffer_v.data());
}
inline void hold_rows(ModelWorkspace& w, const Lane* gamma, Lane* lambda, Lane* x) {
  w.closures.solver.hold(gamma, lambda, x, w.rate_lanes.data());
}

// model_data_projection.cc
void evaluate_invariants(const ModelData& m, ModelWorkspace& w, double* pos, double* vel);

}  // namespace parfait::tree
