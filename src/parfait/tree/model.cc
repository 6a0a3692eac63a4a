#include "parfait/tree/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/math/finite.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/tree/system/model_data.h"

namespace parfait::tree {

using dynamics::Directions;
using dynamics::Status;
using mechanism::Description;

namespace {

[[noreturn]] void refuse(const base::Place& place, const std::string& element) {
  throw base::InputError(place, element +
                                    ": joint coordinates take open chains under gravity so far. "
                                    "Use natural coordinates.");
}

void refuse_what_is_missing(const Description& d, const MechanismTree& mechanism) {
  for (const int j : mechanism.closures()) {
    refuse(d.joints[j].place, "joint \"" + d.joints[j].id + "\" closes a loop");
  }
  for (const auto& c : d.constraints) refuse(c.place, "constraint \"" + c.id + "\"");
  for (const auto& f : d.forces) {
    if (f.key != "Gravitation") refuse(f.place, "force \"" + f.id + "\"");
  }
  for (const auto& s : d.states) refuse(s.place, "state \"" + s.id + "\"");
  for (const auto& e : d.events) refuse(e.place, "event \"" + e.id + "\"");
}

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

template <class S>
void bind_observed(const ModelData& m, const S* constants, Observed<S>& out) {
  m.mechanism.bind(constants, out.constants);
  out.markers.clear();
  for (const auto& marker : m.quantities.markers()) {
    out.markers.push_back(m.mechanism.marker_frame(marker, constants));
  }
}

}  // namespace

ModelData::ModelData(const Description& given)
    : description(given),
      warnings(mechanism::check(given)),
      mechanism(given),
      quantities(given, mechanism) {
  refuse_what_is_missing(description, mechanism);
  parameters = parameter_infos(description, mechanism.table());
  sizes.nq = tree().nq;
  sizes.nv = tree().nv;
  sizes.np = static_cast<int>(parameters.size());
  sizes.num_pos = static_cast<int>(tree().quaternions.size());
}

ModelWorkspace::ModelWorkspace(const ModelData& m, int max_directions)
    : p(m.sizes.np),
      constants(m.mechanism.table().size()),
      scratch(m.mechanism.table().scratch_size()),
      gradients(m.mechanism.table().gradient_size()),
      point(m.tree()),
      q(m.sizes.nq),
      v(m.sizes.nv),
      vdot(m.sizes.nv),
      no_torque(m.sizes.nv),
      tau(m.sizes.nv),
      seen_q(m.sizes.nq),
      seen_v(m.sizes.nv),
      seen_vdot(m.sizes.nv),
      before(m.sizes.nq),
      invariants(m.sizes.num_pos),
      chunks((max_directions + math::kLanes - 1) / math::kLanes),
      room(m.tree()),
      lanes(m.sizes.nv),
      qdot(m.sizes.nq),
      dual_constants(constants.size()),
      rates(m.sizes.ny()) {}

Model::Model(const Description& description) : data_(std::make_unique<ModelData>(description)) {}
Model::~Model() = default;

const dynamics::Sizes& Model::sizes() const {
  return data_->sizes;
}
const std::vector<dynamics::ParameterInfo>& Model::parameters() const {
  return data_->parameters;
}
const std::vector<std::string>& Model::warnings() const {
  return data_->warnings;
}
std::vector<std::string> Model::quantity_names() const {
  return data_->quantities.names();
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
  q.insert(q.end(), v.begin(), v.end());
  return q;
}

std::vector<double> Model::initial_state() const {
  std::vector<double> y = data_->mechanism.q();
  y.insert(y.end(), data_->mechanism.v().begin(), data_->mechanism.v().end());
  return y;
}

std::unique_ptr<dynamics::Workspace> Model::make_workspace(int max_directions) const {
  auto ws = std::make_unique<ModelWorkspace>(*data_, max_directions);
  bind(*ws, data_->mechanism.table().parameter_initial());
  bind_directions(*ws, Directions(data_->sizes.np, max_directions));
  return ws;
}

std::unique_ptr<dynamics::Workspace> Model::make_bound_copy(const dynamics::Workspace& ws,
                                                            int max_directions) const {
  auto copy = std::make_unique<ModelWorkspace>(*data_, max_directions);
  bind(*copy, static_cast<const ModelWorkspace&>(ws).p);
  bind_directions(*copy, Directions(data_->sizes.np, max_directions));
  return copy;
}

void Model::bind(dynamics::Workspace& ws, dynamics::ConstVec p) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  std::copy(p.begin(), p.end(), w.p.begin());
  m.mechanism.table().bind(w.p.data(), w.constants.data(), w.scratch.data());
  bind_observed(m, w.constants.data(), w.observed);
  w.observed.p = w.p;
  w.point.bind(m.tree(), w.observed.constants);
}

void Model::bind_directions(dynamics::Workspace& ws, const Directions& dp) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& table = m.mechanism.table();
  table.gradients(w.p.data(), w.gradients.data(), w.scratch.data());
  for (int chunk = 0; chunk < dp.chunks(); ++chunk) {
    for (int i = 0; i < table.size(); ++i) {
      const int driven = table.driven_index(i);
      w.dual_constants[i] = w.constants[i];
      if (driven < 0) continue;
      alignas(64) double lane[math::kLanes];
      table.directions(w.gradients.data(), dp.chunk(chunk), driven, lane);
      w.dual_constants[i].d = math::load(lane);
    }
    auto& out = w.chunks[chunk];
    bind_observed(m, w.dual_constants.data(), out.observed);
    derive(m.tree(), out.observed.constants, out.bound);
    out.observed.p.clear();
    for (int i = 0; i < m.sizes.np; ++i) {
      out.observed.p.emplace_back(w.p[i], math::load(dp.chunk(chunk) + i * math::kLanes));
    }
  }
}

Status Model::evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                       dynamics::Vec /*residual*/) const {
  const Tree& tree = data_->tree();
  ModelWorkspace& w = cast(ws);
  const auto q = at.y.first(tree.nq), v = at.y.subspan(tree.nq, tree.nv);
  std::copy(q.begin(), q.end(), w.q.begin());
  std::copy(v.begin(), v.end(), w.v.begin());
  position_rates(tree, w.q, w.v, dydt.first(tree.nq));
  forward_dynamics(tree, w.q, w.v, w.no_torque, {}, w.point, w.vdot);
  std::copy(w.vdot.begin(), w.vdot.end(), dydt.begin() + tree.nq);
  return math::all_finite(dydt) ? Status::kOk : Status::kNotFinite;
}

void swap_chunk(ModelWorkspace& w, int chunk) {
  std::swap(w.room.bound, w.chunks[chunk].bound);
}

void load_directions(const ModelData& m, ModelWorkspace& w, dynamics::ConstVec y,
                     const dynamics::PointDirections& d, int chunk) {
  const int nq = m.sizes.nq, nv = m.sizes.nv;
  const double* dy = d.dy ? d.dy->chunk(chunk) : nullptr;
  for (int i = 0; i < nq; ++i) {
    w.room.q[i] = Dual(y[i], dy ? math::load(dy + i * math::kLanes) : Lane());
  }
  for (int i = 0; i < nv; ++i) {
    w.room.v[i] = Dual(y[nq + i], dy ? math::load(dy + (nq + i) * math::kLanes) : Lane());
  }
}

void Model::directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                       Directions& ddydt, Directions* /*dresidual*/) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  update_positions(tree, w.q, w.point);
  std::copy(w.q.begin(), w.q.end(), w.rates.begin());
  std::copy(w.v.begin(), w.v.end(), w.rates.begin() + tree.nq);
  for (int chunk = 0; chunk < ddydt.chunks(); ++chunk) {
    load_directions(m, w, w.rates, d, chunk);
    rates_of_positions(tree, w.room.q.data(), w.room.v.data(), w.qdot.data());
    swap_chunk(w, chunk);
    forward_dynamics_directions(tree, w.vdot, nullptr, nullptr, w.point, w.room, w.lanes.data());
    swap_chunk(w, chunk);
    double* out = ddydt.chunk(chunk);
    for (int i = 0; i < tree.nq; ++i) math::store(out + i * math::kLanes, w.qdot[i].d);
    for (int i = 0; i < tree.nv; ++i) {
      math::store(out + (tree.nq + i) * math::kLanes, w.lanes[i]);
    }
  }
}

void Model::invariants(dynamics::Workspace& /*ws*/, double /*t*/, dynamics::ConstVec y,
                       dynamics::Vec g) const {
  int row = 0;
  for (const int first : data_->tree().quaternions) {
    double sum = -1;
    for (int k = 0; k < 4; ++k) sum += y[first + k] * y[first + k];
    g[row++] = sum / 2;
  }
}

void Model::invariant_directions(dynamics::Workspace& /*ws*/, double /*t*/, dynamics::ConstVec y,
                                 const dynamics::PointDirections& d, Directions& dg) const {
  for (int chunk = 0; chunk < dg.chunks(); ++chunk) {
    const double* dy = d.dy ? d.dy->chunk(chunk) : nullptr;
    double* out = dg.chunk(chunk);
    for (const int first : data_->tree().quaternions) {
      Lane sum;
      for (int k = 0; dy && k < 4; ++k) {
        sum += y[first + k] * math::load(dy + (first + k) * math::kLanes);
      }
      math::store(out, sum);
      out += math::kLanes;
    }
  }
}

dynamics::ProjectionReport Model::project(dynamics::Workspace& ws, double t, dynamics::Vec y,
                                          dynamics::Norm /*norm*/, double /*tolerance*/) const {
  const Tree& tree = data_->tree();
  ModelWorkspace& w = cast(ws);
  std::copy_n(y.begin(), tree.nq, w.before.begin());
  normalize(tree, y.first(tree.nq));
  dynamics::ProjectionReport report;
  report.iterations = tree.quaternions.empty() ? 0 : 1;
  double squares = 0;
  for (int i = 0; i < tree.nq; ++i) squares += (y[i] - w.before[i]) * (y[i] - w.before[i]);
  report.distance_q = std::sqrt(squares);
  invariants(ws, t, y, w.invariants);
  for (const double g : w.invariants) report.residual = std::max(report.residual, std::abs(g));
  if (!math::all_finite(y)) report.status = Status::kNotFinite;
  return report;
}

Status Model::project_directions(dynamics::Workspace& ws, Directions& dy) const {
  const ModelWorkspace& w = cast(ws);
  for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
    for (const int first : data_->tree().quaternions) {
      const double* q = &w.before[first];
      double* out = dy.chunk(chunk) + first * math::kLanes;
      double squares = 0;
      Lane along;
      for (int k = 0; k < 4; ++k) {
        squares += q[k] * q[k];
        along += q[k] * math::load(out + k * math::kLanes);
      }
      const double length = std::sqrt(squares);
      for (int k = 0; k < 4; ++k) {
        const Lane dq = math::load(out + k * math::kLanes);
        math::store(out + k * math::kLanes, (dq - (q[k] / squares) * along) / length);
      }
    }
  }
  return Status::kOk;
}

}  // namespace parfait::tree
