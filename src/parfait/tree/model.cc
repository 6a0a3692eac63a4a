#include "parfait/tree/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "parfait/base/counted.h"
#include "parfait/math/finite.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/tree/system/model_scene.h"

namespace parfait::tree {

using dynamics::Directions;
using dynamics::Status;
using mechanism::Description;

namespace {

std::vector<dynamics::ParameterInfo> parameter_infos(const Description& d,
                                                     const mechanism::ConstantTable& table) {
  std::vector<dynamics::ParameterInfo> out;
  for (std::size_t i = 0; i < d.parameters.size(); ++i) {
    dynamics::ParameterInfo info;
    info.id = table.parameter_ids()[i];
    info.initial = table.parameter_initial()[i];
    info.lower = d.parameters[i].lower;
    info.upper = d.parameters[i].upper;
    info.scale = d.parameters[i].scale.value_or(std::max(std::abs(info.initial), 1.0));
    out.push_back(info);
  }
  return out;
}

ClosureData closures_of(const Description& d, const MechanismTree& tree,
                        const mechanism::ElementSet& elements) {
  ClosureData out;
  const auto add = [&](const mechanism::Row& row, int owner) {
    ClosureRow r;
    r.kind = row.kind;
    r.begin = static_cast<int>(out.sites.size()) - 2;
    r.end = r.begin + 1;
    r.a_axis = row.a_axis ? row.a_axis - 'x' : 0;
    r.b_axis = row.b_axis ? row.b_axis - 'x' : 0;
    r.owner = owner;
    r.is_velocity = row.kind >= mechanism::RowKind::kV0x;
    out.has_quadratic |= row.kind == mechanism::RowKind::kVVX;
    if (!r.is_velocity) out.positions.push_back(out.num_rows());
    out.rows.push_back(r);
  };
  for (const int j : tree.closures()) {
    const mechanism::Joint& joint = d.joints[j];
    const auto& type = mechanism::type_of(joint);
    const int site = elements.first_joint_site + 2 * j;
    out.sites.insert(out.sites.end(), {site, site + 1});
    for (const auto& row : type.rows) {
      add(row, j);
      if (row.offset_constant < 0) continue;
      out.rows.back().constant =
          tree.table().index(joint.id + "." + type.constants[row.offset_constant].name);
    }
  }
  for (std::size_t i = 0; i < d.constraints.size(); ++i) {
    const mechanism::Constraint& c = d.constraints[i];
    const int number = static_cast<int>(i), site = elements.first_constraint_site + 2 * number;
    out.sites.insert(out.sites.end(), {site, site + 1});
    add({mechanism::find_constraint(c.key)->kind, c.begin_axis, c.end_axis, -1},
        static_cast<int>(d.joints.size()) + number);
    out.rows.back().constraint = number;
  }
  out.order.resize(out.rows.size());
  for (int i = 0; i < out.num_rows(); ++i) out.order[i] = i;
  return out;
}

template <class S>
void bind_sites(const ModelData& m, const S* all, const BoundConstants<S>& bound,
                BoundSites<S>& out) {
  const auto in_node = [&](int body, const Vec3<S>& o, const Vec3<S>* axes, SiteFrame<S>& site) {
    if (body < 0) {
      site.o = o;
      for (int i = 0; i < 3; ++i) site.axis[i] = axes[i];
      return;
    }
    const Transform<S>& X = bound.X_NB[m.mechanism.tree_body(body)];
    site.arm = X.R * o;
    site.o = X.p + site.arm;
    for (int i = 0; i < 3; ++i) site.axis[i] = X.R * axes[i];
  };
  const auto& sites = m.elements.sites;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Transform<S> X = m.mechanism.marker_frame(sites[i], all);
    const Vec3<S> axes[3] = {X.R.x, X.R.y, X.R.z};
    in_node(sites[i].body, X.p, axes, out.elements[i]);
  }
  for (std::size_t i = 0; i < m.closures.sites.size(); ++i) {
    const auto& site = sites[m.closures.sites[i]];
    const auto frame = m.mechanism.given_frame(site, all);
    in_node(site.body, frame.o, frame.axis, out.rows[i]);
  }
}

void bind_chunk(const ModelData& m, ModelWorkspace& w, int index) {
  auto& chunk = w.chunks[index];
  const auto& table = m.mechanism.table();
  const bool moves = index < static_cast<int>(w.chunks.size()) - 1;
  for (int i = 0; i < table.size(); ++i) {
    chunk.all[i] = Dual(w.elements.constants[i]);
    const int driven = table.driven_index(i);
    if (driven < 0 || !moves) continue;
    alignas(64) double lane[math::kLanes];
    table.directions(w.table_gradients.data(), w.dp.chunk(index), driven, lane);
    chunk.all[i].d = math::load(lane);
  }
  for (int i = 0; i < m.sizes.np; ++i) {
    chunk.dp[i] = moves ? math::load(w.dp.chunk(index) + i * math::kLanes) : Lane{};
  }
  m.mechanism.bind(chunk.all.data(), chunk.constants);
  derive(m.tree(), chunk.constants, chunk.bound);
  bind_sites(m, chunk.all.data(), chunk.bound, chunk.sites);
  chunk.is_current = true;
}

}  // namespace

ModelData::ModelData(const Description& given)
    : description(given),
      warnings(mechanism::check(given)),
      mechanism(given),
      elements(description, mechanism.table()),
      closures(closures_of(description, mechanism, elements)) {
  parameters = parameter_infos(description, mechanism.table());
  sizes.nq = tree().nq;
  sizes.nv = tree().nv;
  sizes.ne = static_cast<int>(elements.states.size());
  sizes.nu = tree().nv;
  sizes.np = static_cast<int>(parameters.size());
  sizes.num_pos = static_cast<int>(tree().quaternions.size()) + closures.num_pos();
  sizes.num_vel = closures.num_rows();
  sizes.num_switches = elements.num_switches;
  carried.assign(description.joints.size(), -1);
  for (int b = 0; b < tree().num_bodies(); ++b) {
    if (mechanism.joint(b) >= 0) carried[mechanism.joint(b)] = b;
  }
  start.described = mechanism.q();
  start.described.insert(start.described.end(), mechanism.v().begin(), mechanism.v().end());
  for (const auto& state : elements.states) start.described.push_back(state.initial);
  start.assembled = start.described;
}

namespace {

constexpr int kMaxSteps = 60;

void resize(const ModelData& m, SeenPoint& point) {
  point.y.resize(m.sizes.ny());
  point.u.resize(m.sizes.nu);
  point.mode.resize(m.sizes.num_switches);
  point.vdot.resize(m.sizes.nv);
  point.lambda.resize(m.closures.num_rows());
}

}  // namespace

ModelWorkspace::ModelWorkspace(const ModelData& m, int max_directions)
    : table_scratch(m.mechanism.table().scratch_size()),
      table_gradients(m.mechanism.table().gradient_size()),
      point(m.tree()),
      elements(m.elements, m.mechanism.table().size()),
      wrenches(m.tree().num_bodies()),
      tau(m.sizes.nv),
      zero_v(m.sizes.nv),
      residuals(m.sizes.num_pos + m.sizes.num_vel),
      rates(m.sizes.ny()),
      buffer_q(m.sizes.nq),
      buffer_v(m.sizes.nv),
      chunks((max_directions + math::kLanes - 1) / math::kLanes + 1),
      dp(m.sizes.np, max_directions),
      room(m.tree()),
      dual_wrenches(m.tree().num_bodies()),
      qdot(m.sizes.nq),
      dual_v(m.sizes.nv),
      lanes(m.sizes.nv),
      row_lanes(m.closures.num_rows()),
      dy_lanes(std::max(m.sizes.ny(), 2 * m.closures.num_rows())),
      rate_lanes(std::max(m.sizes.nv, m.sizes.ne)) {
  resize(m, evaluated);
  resize(m, looked);
  sites.elements.resize(m.elements.sites.size());
  sites.rows.resize(m.closures.sites.size());
  closures.resize(m.closures.num_rows(), m.sizes.nv);
  jump.response.resize(m.sizes.nv);
  jump.lambda.resize(m.closures.num_rows());
  auto& P = projection;
  const int steps = m.closures.num_rows() > 0 ? kMaxSteps : 0;
  P.q.assign(steps + 1, std::vector<double>(m.sizes.nq));
  P.v.assign(steps + 1, std::vector<double>(m.sizes.nv));
  P.delta_q.assign(steps, std::vector<double>(m.sizes.nv));
  P.delta_v = P.delta_q;
  P.lambda_q.assign(steps, std::vector<double>(m.closures.num_rows()));
  P.lambda_v = P.lambda_q;
  P.rest.resize(m.sizes.ne);
  for (Chunk& each : chunks) {
    each.all.resize(m.mechanism.table().size());
    each.dp.resize(m.sizes.np);
    each.sites.elements.resize(sites.elements.size());
    each.sites.rows.resize(sites.rows.size());
  }
}

Model::Model(const Description& description) : data_(std::make_unique<ModelData>(description)) {
  assemble();
  const auto& simulation = description.simulation;
  for (const auto& output : simulation.outputs) {
    try {
      make_observer(std::span(&output.text, 1));
    } catch (const base::InputError& error) {
      throw base::InputError(mechanism::place_or(output.place, simulation.place),
                             fmt::format("simulation: output: {}", error.what()));
    }
  }
}
Model::~Model() = default;

std::shared_ptr<const Model> build(const Description& description) {
  return std::make_shared<const Model>(description);
}

const dynamics::Sizes& Model::sizes() const {
  return data_->sizes;
}
const std::vector<dynamics::ParameterInfo>& Model::parameters() const {
  return data_->parameters;
}
const Description& Model::description() const {
  return data_->description;
}
const AssemblyReport& Model::assembly() const {
  return data_->start.report;
}
const std::vector<std::string>& Model::warnings() const {
  return data_->warnings;
}
std::vector<std::string> Model::quantity_names() const {
  return data_->quantities().names();
}
std::vector<std::string> Model::driven() const {
  const auto& elements = data_->elements;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < elements.offsets.size(); ++i) {
    const int formula = elements.offsets[i].formula;
    if (formula < 0 || !elements.offset_formulas[formula].uses(0)) continue;  // slot of t
    ids.push_back(elements.constraint_ids[i]);
  }
  return ids;
}
std::vector<double> Model::initial_state() const {
  return data_->start.assembled;
}
std::vector<double> Model::time_breaks() const {
  return data_->elements.time_breaks();
}

std::vector<std::string> Model::default_quantities() const {
  std::vector<std::string> names;
  for (const auto& body : data_->description.bodies) {
    for (const char* c : {".com.x", ".com.y", ".com.z"}) names.push_back(body.id + c);
  }
  for (const auto& state : data_->elements.states) names.push_back(state.id);
  names.insert(names.end(), {"energy.kinetic", "energy.potential", "energy.total"});
  return names;
}

std::vector<std::string> Model::state_names() const {
  const Tree& tree = data_->tree();
  std::vector<std::string> q(tree.nq), v(tree.nv);
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const BodyInfo& info = tree.bodies[b];
    const int joint = data_->mechanism.joint(b);
    const std::string id = joint < 0 ? info.name : data_->description.joints[joint].id;
    for (int k = 0; k < info.nq; ++k) q[info.q + k] = id + ".q" + std::to_string(k + 1);
    for (int k = 0; k < info.nv; ++k) v[info.v + k] = id + ".v" + std::to_string(k + 1);
  }
  for (const auto& c : data_->mechanism.coordinates()) {
    if (c.q < 0) continue;
    q[c.q] = c.id;
    v[c.v] = c.id + ".rate";
  }
  q.insert(q.end(), v.begin(), v.end());
  for (const auto& state : data_->elements.states) q.push_back(state.id);
  return q;
}

std::unique_ptr<dynamics::Workspace> Model::make_workspace(int max_directions) const {
  auto ws = std::make_unique<ModelWorkspace>(*data_, max_directions);
  bind(*ws, data_->mechanism.table().parameter_initial());
  bind_directions(*ws, Directions(data_->sizes.np, max_directions));
  for (std::size_t i = 0; i < ws->chunks.size(); ++i) bind_chunk(*data_, *ws, static_cast<int>(i));
  return ws;
}

std::unique_ptr<dynamics::Workspace> Model::make_bound_copy(const dynamics::Workspace& ws,
                                                            int max_directions) const {
  auto copy = make_workspace(max_directions);
  bind(*copy, static_cast<const ModelWorkspace&>(ws).elements.p);
  return copy;
}

void Model::bind(dynamics::Workspace& ws, dynamics::ConstVec p) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& table = m.mechanism.table();
  std::copy(p.begin(), p.end(), w.elements.p.begin());
  table.bind(w.elements.p.data(), w.elements.constants.data(), w.table_scratch.data());
  table.gradients(w.elements.p.data(), w.table_gradients.data(), w.table_scratch.data());
  m.mechanism.bind(w.elements.constants.data(), w.constants);
  w.is_possible =
      std::ranges::all_of(w.constants.bodies, [](const auto& b) { return b.mass >= 0; });
  w.point.bind(m.tree(), w.constants);
  bind_sites(m, w.elements.constants.data(), w.point.bound, w.sites);
  for (auto& chunk : w.chunks) chunk.is_current = false;
}

void Model::bind_directions(dynamics::Workspace& ws, const Directions& dp) const {
  ModelWorkspace& w = cast(ws);
  w.dp.resize(data_->sizes.np, dp.count());
  std::copy(dp.data(), dp.data() + dp.size(), w.dp.data());
  for (auto& chunk : w.chunks) chunk.is_current = false;
}

void choose_chunk(const ModelData& m, ModelWorkspace& w, int chunk) {
  const int last = static_cast<int>(w.chunks.size()) - 1;
  const int index = chunk < w.dp.chunks() && chunk < last ? chunk : last;
  if (!w.chunks[index].is_current) bind_chunk(m, w, index);
  w.chunk = &w.chunks[index];
}

namespace {

bool any_sets_start(const ModelData& m) {
  return std::ranges::any_of(m.elements.forces,
                             [](const auto& force) { return force.element->sets_start(); });
}

/// Where the description puts the bodies, external states with what they begin with.
SeenPoint described_point(const ModelData& m, const ModelWorkspace& w) {
  SeenPoint at = w.looked;
  at.t = 0;
  at.has_inputs = at.has_mode = false;
  at.y = m.start.described;
  const int first = m.sizes.nq + m.sizes.nv;
  for (const auto& held : m.elements.held_parameters) {
    at.y[first + held.state] = w.elements.p[held.source];
  }
  for (const auto& own : m.elements.element_states) {
    at.y[first + own.state] = w.elements.constants[own.source];
  }
  return at;
}

}  // namespace

void Model::start(dynamics::Workspace& ws, dynamics::Vec y, dynamics::Vec /*z*/) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const SeenPoint at = described_point(m, w);
  std::copy(at.y.begin(), at.y.end(), y.begin());
  if (!any_sets_start(m)) return;
  // States that elements find themselves (fibres of a muscle at rest).
  place_point(m, w, at);
  for (const auto& force : m.elements.forces) {
    if (!force.element->sets_start()) continue;
    const auto seen = mechanism::look_at(m.elements, force, TreeSurroundings(m, w), w.elements);
    force.element->start(seen, y.subspan(m.sizes.nq + m.sizes.nv + force.first_state,
                                         static_cast<std::size_t>(force.num_states)));
  }
}

void Model::start_directions(dynamics::Workspace& ws, Directions& dy) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  dy.resize(m.sizes.ny(), dy.count());
  const int first = m.sizes.nq + m.sizes.nv;
  for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
    choose_chunk(m, w, chunk);
    double* out = dy.chunk(chunk);
    for (const auto& held : m.elements.held_parameters) {
      math::store(out + (first + held.state) * math::kLanes, w.chunk->dp[held.source]);
    }
    for (const auto& own : m.elements.element_states) {
      math::store(out + (first + own.state) * math::kLanes, w.chunk->all[own.source].d);
    }
  }
  if (!any_sets_start(m)) return;
  const SeenPoint at = described_point(m, w);
  place_point(m, w, at);
  mechanism::prepare_laws(m.elements, TreeSurroundings(m, w), w.elements);
  dynamics::PointDirections along;
  along.dy = &dy;
  std::vector<Dual> states(m.elements.states.size());
  for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
    seed_chunk(m, w, at, along, chunk);
    const ChunkInRoom bound(w);
    place_room(m, w);
    move_room(m, w, w.room.v.data());
    Lane* out = reinterpret_cast<Lane*>(dy.chunk(chunk)) + first;
    for (const auto& force : m.elements.forces) {
      if (!force.element->sets_start()) continue;
      for (int i = 0; i < force.num_states; ++i) {
        const int state = force.first_state + i;
        states[i] = {at.y[first + state], out[state]};
      }
      force.element->start(
          mechanism::look_at_with_directions(m.elements, force, TreeSurroundings(m, w), w.elements),
          {states.data(), static_cast<std::size_t>(force.num_states)});
      for (int i = 0; i < force.num_states; ++i) out[force.first_state + i] = states[i].d;
    }
  }
}

std::string Model::row_name(int row) const {
  const ModelData& m = *data_;
  const ClosureRow& r = m.closures.rows[row];
  const int joints = static_cast<int>(m.description.joints.size());
  std::string name = (r.owner < joints ? m.description.joints[r.owner].id
                                       : m.description.constraints[r.owner - joints].id) +
                     "." + mechanism::key_of(r.kind);
  const char a = static_cast<char>('x' + r.a_axis), b = static_cast<char>('x' + r.b_axis);
  if (r.kind == mechanism::RowKind::kDDX) return fmt::format("{}({},{})", name, a, b);
  if (mechanism::uses_a(r.kind)) return fmt::format("{}({})", name, a);
  return name;
}

std::string Model::invariant_name(int i) const {
  const ModelData& m = *data_;
  const int quaternions = static_cast<int>(m.tree().quaternions.size());
  if (i < quaternions) {
    for (int b = 0; b < m.tree().num_bodies(); ++b) {
      const BodyInfo& info = m.tree().bodies[b];
      const int first = m.tree().quaternions[i];
      if (first >= info.q && first < info.q + info.nq) return info.name + ".quaternion";
    }
  }
  if (i < m.sizes.num_pos) return row_name(m.closures.positions[i - quaternions]);
  return row_name(i - m.sizes.num_pos);
}

double Model::rank_tolerance() const {
  return data_->closures.rank_tolerance;
}

bool Model::may_drop_rows() const {
  return data_->closures.num_rows() > 0;
}

std::vector<int> Model::position_rows() const {
  const ModelData& m = *data_;
  std::vector<int> out(m.closures.num_rows(), -1);
  for (int i = 0; i < m.closures.num_pos(); ++i) {
    out[m.closures.positions[i]] = static_cast<int>(m.tree().quaternions.size()) + i;
  }
  return out;
}

std::vector<std::string> Model::joints_in_loops_of(const std::vector<int>& rows) const {
  const ModelData& m = *data_;
  const Description& d = m.description;
  const int joints = static_cast<int>(d.joints.size());
  std::set<int> owners;
  const auto way = [&](int described) {  // bodies of the tree from here to the ground
    std::set<int> out;
    for (int b = described < 0 ? -1 : m.mechanism.tree_body(described); b >= 0;
         b = m.tree().bodies[b].parent) {
      out.insert(b);
    }
    return out;
  };
  for (const int row : rows) {
    const ClosureRow& r = m.closures.rows[row];
    owners.insert(r.owner);
    const auto a = way(m.elements.sites[m.closures.sites[r.begin]].body);
    const auto b = way(m.elements.sites[m.closures.sites[r.end]].body);
    std::vector<int> loop;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(loop));
    for (const int body : loop) {
      if (m.mechanism.joint(body) >= 0) owners.insert(m.mechanism.joint(body));
    }
  }
  std::vector<std::string> ids;
  ids.reserve(owners.size());
  for (const int owner : owners) {
    ids.push_back(owner < joints ? d.joints[owner].id : d.constraints[owner - joints].id);
  }
  return ids;
}

}  // namespace parfait::tree
