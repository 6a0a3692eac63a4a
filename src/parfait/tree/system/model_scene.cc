#include "parfait/tree/system/model_scene.h"

#include <algorithm>

#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {

using mechanism::ElementEnd;
using mechanism::EndForce;
using mechanism::EndFrame;

void SeenPoint::set(const dynamics::Point& at) {
  t = at.t;
  std::copy(at.y.begin(), at.y.end(), y.begin());
  has_inputs = !at.u.empty();
  if (has_inputs) std::copy(at.u.begin(), at.u.end(), u.begin());
  has_mode = !at.mode.empty() && !mode.empty();
  if (has_mode) std::copy(at.mode.begin(), at.mode.end(), mode.begin());
}

Scene<double> scene_of(const ModelData& m, ModelWorkspace& w) {
  return {m,
          w,
          w.point.bound,
          w.point.nodes,
          w.point.forces,
          w.constants,
          w.sites,
          w.elements.constants.data()};
}

Scene<Dual> dual_scene_of(const ModelData& m, ModelWorkspace& w) {
  return {m,
          w,
          w.room.bound,
          w.room.nodes,
          w.room.forces,
          w.chunk->constants,
          w.chunk->sites,
          w.chunk->all.data()};
}

namespace {

template <class S>
void place_end(const Scene<S>& scene, const ElementEnd& end, EndFrame<S>& out) {
  const SiteFrame<S>& site = scene.sites.elements[end.site];
  const int node = scene.m.node_of(scene.m.elements.sites[end.site].body);
  const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
  if (node < 0) {
    out.point = site.o;
    out.velocity = zero;
    for (int i = 0; i < 3; ++i) {
      out.axis[i] = site.axis[i];
      out.axis_rate[i] = zero;
    }
    return;
  }
  const NodeMotion<S>& at = scene.nodes[node];
  const Vec3<S> r = at.R * site.o;
  out.point = at.p + r;
  out.velocity = at.v + cross(at.omega, r);
  for (int i = 0; i < 3; ++i) {
    if (!mechanism::reads_axis(end.use, i) && !mechanism::gives_axis_force(end.use, i) &&
        !mechanism::reads_axis_rate(end.use, i)) {
      continue;
    }
    out.axis[i] = at.R * site.axis[i];
    out.axis_rate[i] = cross(at.omega, out.axis[i]);
  }
}

/// The wrench of what acts on an end, about the origin of the body's frame. (W5)
template <class S>
void push_end(const Scene<S>& scene, const ElementEnd& end, const EndFrame<S>& frame,
              const EndForce<S>& given, std::vector<Force<S>>& wrenches) {
  const int body = scene.m.elements.sites[end.site].body;
  if (body < 0) return;
  Force<S>& out = wrenches[scene.m.mechanism.tree_body(body)];
  if (end.use & mechanism::kForce) {
    const Vec3<S> r = scene.nodes[scene.m.node_of(body)].R * scene.sites.elements[end.site].arm;
    out.n += cross(r, given.force);
    out.f += given.force;
  }
  for (int i = 0; i < 3; ++i) {
    if (mechanism::gives_axis_force(end.use, i)) out.n += cross(frame.axis[i], given.axis[i]);
  }
}

template <class S>
void clear(std::vector<Force<S>>& wrenches) {
  const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
  std::fill(wrenches.begin(), wrenches.end(), Force<S>{zero, zero});
}

template <class S>
RowTarget<S> target_of(const ClosureRow& row, const S& r, const S& r_d, const S& r_dd) {
  const auto o = mechanism::row_offset(row.kind, r, r_d, r_dd);
  if (row.is_velocity) return {S(0.0), o.value, o.rate};
  return {o.value, o.rate, o.acceleration};
}

}  // namespace

void TreeSurroundings::place(std::span<const ElementEnd> ends, EndFrame<double>* out) const {
  const Scene<double> scene = scene_of(m, w);
  for (const ElementEnd& end : ends) place_end(scene, end, *out++);
}

void TreeSurroundings::place(std::span<const ElementEnd> ends, EndFrame<Dual>* out) const {
  const Scene<Dual> scene = dual_scene_of(m, w);
  for (const ElementEnd& end : ends) place_end(scene, end, *out++);
}

double TreeSurroundings::value(const Quantity& quantity) const {
  return quantity_value(scene_of(m, w), quantity);
}
Dual TreeSurroundings::value_with_directions(const Quantity& quantity) const {
  return quantity_value(dual_scene_of(m, w), quantity);
}

RowTarget<double> row_target(const ModelData& m, ModelWorkspace& w, const ClosureRow& row) {
  if (row.constraint >= 0) {
    const auto r = mechanism::offset_of(m.elements, row.constraint, w.elements);
    return target_of(row, r.f, r.df, r.ddf);
  }
  if (row.constant < 0) return {};
  return target_of(row, w.elements.constants[row.constant], 0.0, 0.0);
}

RowTarget<Dual> dual_row_target(const ModelData& m, ModelWorkspace& w, const ClosureRow& row) {
  if (row.constraint >= 0) {
    Dual r[3];
    mechanism::offset_directions(m.elements, row.constraint, w.elements, r);
    return target_of(row, r[0], r[1], r[2]);
  }
  if (row.constant < 0) return {};
  return target_of(row, w.elements.dual_constants[row.constant], Dual(0.0), Dual(0.0));
}

template <class S>
void push_row(const Scene<S>& scene, const ClosureRow& row, const S& lambda,
              std::vector<Force<S>>& wrenches) {
  const auto motion = scene.row_motion(row);
  const auto grad = row_gradient(row.kind, motion);
  const auto push = [&](int site, const SiteFrame<S>& frame, const Vec3<S>& f,
                        const Vec3<S>& torque) {
    const int body = scene.m.elements.sites[scene.m.closures.sites[site]].body;
    if (body < 0) return;
    Force<S>& out = wrenches[scene.m.mechanism.tree_body(body)];
    const Vec3<S> r = scene.nodes[scene.m.node_of(body)].R * frame.arm;
    out.f -= lambda * f;
    out.n -= lambda * (cross(r, f) + torque);
  };
  push(row.begin, scene.sites.rows[row.begin], grad.n, cross(motion.a, grad.e_a));
  push(row.end, scene.sites.rows[row.end], -grad.n, cross(motion.b, grad.e_b));
}

template void push_row(const Scene<double>&, const ClosureRow&, const double&,
                       std::vector<Force<double>>&);
template void push_row(const Scene<Dual>&, const ClosureRow&, const Dual&,
                       std::vector<Force<Dual>>&);

void place_point(const ModelData& m, ModelWorkspace& w, const SeenPoint& at) {
  const Tree& tree = m.tree();
  mechanism::set_point(m.elements, at.t, at.y.data() + tree.nq + tree.nv, at.mode_span(),
                       w.elements);
  update_velocities(tree, {at.y.data(), static_cast<std::size_t>(tree.nq)},
                    {at.y.data() + tree.nq, static_cast<std::size_t>(tree.nv)}, w.point);
}

void push_elements(const ModelData& m, ModelWorkspace& w) {
  clear(w.wrenches);
  if (m.elements.forces.empty()) return;
  const TreeSurroundings around(m, w);
  const Scene<double> scene = scene_of(m, w);
  for (const auto& force : m.elements.forces) {
    if (force.rests(w.elements.mode)) continue;
    mechanism::act(m.elements, force, around, w.elements);
    for (std::size_t i = 0; i < force.ends.size(); ++i) {
      push_end(scene, force.ends[i], w.elements.frames[i], w.elements.forces[i], w.wrenches);
    }
  }
}

void push_elements_with_directions(const ModelData& m, ModelWorkspace& w) {
  clear(w.dual_wrenches);
  if (m.elements.forces.empty()) return;
  const TreeSurroundings around(m, w);
  const Scene<Dual> scene = dual_scene_of(m, w);
  for (const auto& force : m.elements.forces) {
    if (force.rests(w.elements.mode)) continue;
    mechanism::act_with_directions(m.elements, force, around, w.elements);
    for (std::size_t i = 0; i < force.ends.size(); ++i) {
      push_end(scene, force.ends[i], w.elements.dual_frames[i], w.elements.dual_forces[i],
               w.dual_wrenches);
    }
  }
}

void push_impulse(const ModelData& m, ModelWorkspace& w, const mechanism::ActingEvent& event) {
  clear(w.wrenches);
  const TreeSurroundings around(m, w);
  const auto measured = mechanism::measure(event, around, w.elements);
  mechanism::push_apart(-1.0, measured, {event.ends[0].use, event.ends[1].use},
                        w.elements.forces.data());
  for (int i = 0; i < 2; ++i) {
    push_end(scene_of(m, w), event.ends[i], w.elements.frames[i], w.elements.forces[i], w.wrenches);
  }
}

void push_impulse_with_directions(const ModelData& m, ModelWorkspace& w,
                                  const mechanism::ActingEvent& event) {
  clear(w.dual_wrenches);
  const TreeSurroundings around(m, w);
  const auto measured = mechanism::measure_with_directions(event, around, w.elements);
  mechanism::push_apart(Dual(-1.0), measured, {event.ends[0].use, event.ends[1].use},
                        w.elements.dual_forces.data());
  for (int i = 0; i < 2; ++i) {
    push_end(dual_scene_of(m, w), event.ends[i], w.elements.dual_frames[i],
             w.elements.dual_forces[i], w.dual_wrenches);
  }
}

void clear_wrenches(std::vector<Force<double>>& wrenches) {
  clear(wrenches);
}
void clear_wrenches(std::vector<Force<Dual>>& wrenches) {
  clear(wrenches);
}

void place_room(const ModelData& m, ModelWorkspace& w) {
  const Tree& tree = m.tree();
  DirectionWorkspace& room = w.room;
  const Dual* theta = room.q.data();
  if (!tree.plain) {
    drive_positions(tree, room.bound, theta, room.driven, room.scratch.data());
    theta = room.driven.theta.data();
  }
  place_nodes(tree, room.bound, theta, room.nodes);
  turn_inertias(tree, room.bound, room.nodes);
}

void move_room(const ModelData& m, ModelWorkspace& w, const Dual* v) {
  const Tree& tree = m.tree();
  if (!tree.plain) {
    drive_velocities(tree, v, w.room.driven);
    v = w.room.driven.w.data();
  }
  move_nodes(tree, v, w.room.nodes);
}

void newton_euler_room(const ModelData& m, ModelWorkspace& w, const Dual* v, const Dual* vdot,
                       const Vec3<Dual>& a0, const Force<Dual>* wrenches) {
  const Tree& tree = m.tree();
  DirectionWorkspace& room = w.room;
  Dual* tau = room.tau.data();
  if (!tree.plain) {
    drive_accelerations(tree, v, vdot, room.driven);
    vdot = room.driven.wdot.data();
    tau = room.driven.tau.data();
  }
  newton_euler(tree, room.bound, room.nodes, vdot, a0, wrenches, room.forces, tau);
  if (!tree.plain) collect_forces(tree, room.driven, room.tau.data());
}

namespace {

const Lane* chunk_of(const dynamics::Directions* d, int chunk) {
  return d ? reinterpret_cast<const Lane*>(d->chunk(chunk)) : nullptr;
}

}  // namespace

void seed_chunk(const ModelData& m, ModelWorkspace& w, const SeenPoint& at,
                const dynamics::PointDirections& d, int chunk) {
  const Tree& tree = m.tree();
  choose_chunk(m, w, chunk);
  Lane dt{};
  for (int i = 0; i < math::kLanes; ++i) {
    const std::size_t index = static_cast<std::size_t>(chunk) * math::kLanes + i;
    if (index < d.dt.size()) dt[i] = d.dt[index];
  }
  const Lane* dy = chunk_of(d.dy, chunk);
  w.du = chunk_of(d.du, chunk);
  mechanism::seed(m.elements, dt, w.chunk->dp.data(), dy ? dy + tree.nq + tree.nv : nullptr,
                  w.elements);
  std::copy(w.chunk->all.begin(), w.chunk->all.end(), w.elements.dual_constants.begin());
  for (int i = 0; i < tree.nq; ++i) w.room.q[i] = Dual(at.y[i], dy ? dy[i] : Lane());
  for (int i = 0; i < tree.nv; ++i) {
    w.room.v[i] = Dual(at.y[tree.nq + i], dy ? dy[tree.nq + i] : Lane());
  }
}

}  // namespace parfait::tree
