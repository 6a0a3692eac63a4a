#include "parfait/mbs/model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/observation/observation.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/invariants.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/loops.h"
#include "parfait/mechanism/elements/constraint_types.h"

namespace parfait::mbs {

const dynamics::Sizes& Model::sizes() const {
  return data_->sizes;
}
const std::vector<dynamics::ParameterInfo>& Model::parameters() const {
  return data_->parameters;
}
std::vector<double> Model::initial_state() const {
  return data_->start.assembled;
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
  return data_->quantities.names();
}

std::unique_ptr<dynamics::Workspace> Model::make_workspace(int max_directions) const {
  auto w = std::make_unique<ModelWorkspace>(*data_, max_directions);
  bind(*w, data_->constants.parameter_initial());
  return w;
}

std::unique_ptr<dynamics::Workspace> Model::make_bound_copy(const dynamics::Workspace& ws,
                                                            int max_directions) const {
  auto copy = std::make_unique<ModelWorkspace>(*data_, max_directions);
  const auto& original = dynamic_cast<const ModelWorkspace&>(ws);
  copy->bound.rank_tolerance = original.bound.rank_tolerance;
  bind(*copy, original.bound.p);
  return copy;
}

std::vector<std::string> Model::state_names() const {
  std::vector<std::string> names;
  for (const char* rate : {"", "v"}) {
    for (const auto& body : data_->description.bodies) {
      const auto coordinates = data_->description.natural.of(body.id).coordinates;
      const bool points = coordinates == BodyCoordinates::kFourPoints;
      const bool two = coordinates == BodyCoordinates::kTwoPointsTwoVectors;
      const char* vectors[4] = {"o", points || two ? "p1" : "e1", points ? "p2" : "e2",
                                points ? "p3" : "e3"};
      for (const char* vector : vectors) {
        for (const char* c : {"x", "y", "z"}) {
          names.push_back(body.id + "." + vector + "." + rate + c);
        }
      }
    }
  }
  for (const auto& state : data_->external.states) names.push_back(state.id);
  return names;
}

std::vector<std::string> Model::default_quantities() const {
  std::vector<std::string> names;
  for (const auto& body : data_->description.bodies) {
    for (const char* c : {".com.x", ".com.y", ".com.z"}) names.push_back(body.id + c);
  }
  for (const auto& state : data_->external.states) names.push_back(state.id);
  names.insert(names.end(), {"energy.kinetic", "energy.potential", "energy.total"});
  return names;
}

std::vector<double> Model::time_breaks() const {
  std::vector<double> out;
  for (const auto* formulas : {&data_->force.laws, &data_->external.formulas,
                               &data_->offset.formulas, &data_->event.formulas}) {
    for (const auto& f : *formulas) f.time_breaks(out, 2);
  }
  return out;
}

std::string Model::row_name(int row) const {
  const auto& joints = data_->kernel.structure.joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int i = row - joints[j].first_row;
    if (i < 0 || i >= joints[j].nrows) continue;
    const RowShape& shape = joints[j].rows[i];
    std::string name = data_->kernel.joint_ids[j] + "." + key_of(shape.kind);
    const auto& axis = data_->kernel.geometry[j].axis;
    if (shape.kind == RowKind::kDDX) {
      name += std::string("(") + axis[0][shape.a_axis] + "," + axis[1][shape.b_axis] + ")";
    } else if (shape.kind == RowKind::kBBDX || shape.kind == RowKind::kVVDX) {
      name += std::string("(") + axis[0][shape.a_axis] + ")";
    }
    return name;
  }
  return "";
}

namespace {

std::string body_row_name(const ModelData& m, int row) {
  static constexpr const char* kNames[] = {"e1.e1", "e2.e2", "e3.e3", "e1.e2", "e1.e3", "e2.e3"};
  for (int b = 0; b < m.kernel.structure.num_bodies; ++b) {
    for (int e = 0; e < 6; ++e) {
      if (m.kernel.structure.body_row[b][e] == row)
        return m.description.bodies[b].id + "." + kNames[e];
    }
  }
  return "";
}

/// Joint row of a row of g_pos.
int joint_row_of(const ModelData& m, int pos_row) {
  for (const auto& shape : m.kernel.structure.joints) {
    int row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      if (shape.rows[i].is_velocity()) continue;
      if (row++ == pos_row) return shape.first_row + i;
    }
  }
  return -1;
}

}  // namespace

std::string Model::invariant_name(int i) const {
  const ModelData& m = *data_;
  const int body_rows = m.sizes.num_vel - m.kernel.structure.num_rows;
  const bool velocity = i >= m.sizes.num_pos;
  const int row = velocity ? i - m.sizes.num_pos : i;
  if (row < body_rows) return body_row_name(m, row);
  return row_name(velocity ? row - body_rows : joint_row_of(m, row));
}

double Model::rank_tolerance() const {
  return data_->description.natural.rank_tolerance;
}

bool Model::may_drop_rows() const {
  return data_->kernel.structure.plan.tests_any();
}

std::vector<std::string> Model::joints_in_loops_of(const std::vector<int>& rows) const {
  const auto& joints = data_->kernel.structure.joints;
  std::vector<std::array<int, 2>> ends;
  ends.reserve(joints.size());
  for (const auto& shape : joints) ends.push_back({shape.body[0], shape.body[1]});
  const auto loop = loops_of_joints(ends, data_->kernel.structure.num_bodies + 1);
  std::set<int> touched;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const bool has_row = std::any_of(rows.begin(), rows.end(), [&](int row) {
      return row >= joints[j].first_row && row < joints[j].first_row + joints[j].nrows;
    });
    if (has_row) touched.insert(loop[j]);
  }
  std::vector<std::string> ids;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (loop[j] >= 0 && touched.contains(loop[j])) ids.push_back(data_->kernel.joint_ids[j]);
  }
  return ids;
}

void Model::invariants(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                       dynamics::Vec g) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  w.state.t = t;
  load_state(m, w, y.data());
  evaluate_offsets(m.offset, w.bound, w.state, w.formula, w.offset, w.k);
  place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  evaluate_invariants(m.kernel, m.offset, w, g.data(), g.data() + m.sizes.num_pos);
}

void evaluate_invariants(const KernelData& kernel, const OffsetData& offset,
                         const ModelWorkspace& w, double* pos, double* vel) {
  const auto& s = kernel.structure;
  for (int b = 0; b < s.num_bodies; ++b) {
    // X^T X - I and its rate, as the user's axes see it.
    const BodyFrame& f = w.k.frames[b];
    std::array<double, 6> P, V;
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = kPair[e];
      P[e] = dot3(f.X[i], f.X[j]) - (i == j ? 1.0 : 0.0);
      V[e] = dot3(f.X[i], f.Xd[j]) + dot3(f.X[j], f.Xd[i]);
    }
    if (!kernel.maps[b].is_orthonormal) {
      P = congruent(kernel.maps[b].S, P);
      V = congruent(kernel.maps[b].S, V);
    }
    for (int e = 0; e < 6; ++e) {
      const int row = s.body_row[b][e];
      if (row < 0) continue;
      pos[row] = (e < 3 ? 0.5 : 1.0) * P[e];
      vel[row] = (e < 3 ? 0.5 : 1.0) * V[e];
    }
  }
  double* joint_vel = vel + s.num_vel - s.num_rows;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    int pos_row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      const RowShape& row = shape.rows[i];
      const auto motion = row_motion(shape, w.bound.kernel.geometry[j], w.k.frames.data(), row);
      const int index = shape.first_row + i;
      const bool has_offset = offset.row_has_offset[index];
      if (!row.is_velocity()) {
        pos[pos_row++] = row_position(row.kind, motion) - (has_offset ? w.offset.pos[index] : 0.0);
      }
      joint_vel[index] = row_velocity(row.kind, motion) - (has_offset ? w.offset.vel[index] : 0.0);
    }
  }
}

void Model::set_rank_tolerance(dynamics::Workspace& ws, double tolerance) {
  cast(ws).bound.rank_tolerance = tolerance;
}

dynamics::ConstVec Model::multipliers(dynamics::Workspace& ws) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  for (std::size_t j = 0; j < m.kernel.structure.joints.size(); ++j) {
    const JointShape& shape = m.kernel.structure.joints[j];
    for (int i = 0; i < shape.nrows; ++i) {
      w.solution.lambda[shape.first_row + i] = w.k.multiplier[8 * j + i];
    }
  }
  return w.solution.lambda;
}

Model::Partition Model::partition(dynamics::Workspace& ws) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  Partition out;
  finalize_frames(m.kernel.structure, w.k, w.solution);
  for (std::size_t j = 0; j < m.kernel.structure.joints.size(); ++j) {
    const JointShape& shape = m.kernel.structure.joints[j];
    for (int i = 0; i < shape.nrows; ++i) {
      const double inverse = w.k.factors.inverse[8 * j + i];
      if (inverse != 0) {
        const double pivot = 1 / (inverse * w.k.factors.diagonal0[8 * j + i]);
        out.smallest_kept_pivot = std::min(out.smallest_kept_pivot, pivot);
        continue;
      }
      out.dropped.push_back(shape.first_row + i);
      const auto motion =
          row_motion(shape, w.bound.kernel.geometry[j], w.k.frames.data(), shape.rows[i]);
      double residual = row_acceleration(shape.rows[i].kind, motion);
      if (w.k.has_offset) residual -= w.k.offset_acc[shape.first_row + i];
      if (!(std::abs(residual) <= out.largest_residual)) {  // a NaN stays
        out.largest_residual = std::abs(residual);
        out.worst_row = shape.first_row + i;
      }
    }
  }
  return out;
}

}  // namespace parfait::mbs
