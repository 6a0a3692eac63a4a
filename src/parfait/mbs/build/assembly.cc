#include "parfait/mbs/build/assembly.h"

#include <fmt/format.h>

#include "parfait/mbs/placement/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/projection/projection.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mbs {
namespace {

constexpr double kTolerance = 1e-11;

using Number3 = std::array<double, 3>;

Number3 cross(const Number3& a, const Number3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Coordinates and rates of a body as the description gives them.
void described_state(const Body& body, BodyCoordinates coordinates, double* q, double* v) {
  const Number3 axes[3] = {body.x, body.y, body.z};
  Number3 rates[3] = {body.x_rate, body.y_rate, body.z_rate};
  const Number3 o_rate = body.v.value_or(body.o_rate);
  if (body.omega) {
    for (int i = 0; i < 3; ++i) rates[i] = cross(*body.omega, axes[i]);
  }
  const bool point[3] = {coordinates != BodyCoordinates::kOriginAndAxes,
                         coordinates == BodyCoordinates::kFourPoints,
                         coordinates == BodyCoordinates::kFourPoints};
  for (int k = 0; k < 3; ++k) {
    q[k] = body.o[k];
    v[k] = o_rate[k];
    for (int i = 0; i < 3; ++i) {
      q[3 + 3 * i + k] = axes[i][k] + (point[i] ? body.o[k] : 0.0);
      v[3 + 3 * i + k] = rates[i][k] + (point[i] ? o_rate[k] : 0.0);
    }
  }
}

Place place_of(const ModelData& m, const std::string& id) {
  if (const auto* joint = find_by_id(m.description.joints, id)) return joint->place;
  if (const auto* constraint = find_by_id(m.description.constraints, id)) return constraint->place;
  if (const auto* body = find_by_id(m.description.bodies, id)) return body->place;
  return {m.description.file, 0, 0};
}

/// What the given state leaves of the constraints, worst rows first, and the error that tells of
/// it.
[[noreturn]] void report_failure(const Model& model, const ModelData& m,
                                 const std::vector<double>& described,
                                 const std::vector<double>& projected) {
  const int num_pos = m.sizes.num_pos;
  std::vector<double> g(num_pos + m.sizes.num_vel);
  auto workspace = model.make_workspace(0);
  // If the positions came together, the velocities did not: judge them where the positions are.
  model.invariants(*workspace, 0.0, projected, g);
  const bool velocity = std::all_of(g.begin(), g.begin() + num_pos,
                                    [](double x) { return std::abs(x) <= kTolerance; });
  if (!velocity) model.invariants(*workspace, 0.0, described, g);
  const int first = velocity ? num_pos : 0;
  const int count = velocity ? m.sizes.num_vel : num_pos;
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(g[first + a]) > std::abs(g[first + b]); });
  std::vector<std::string> worst;
  std::string id;
  for (int i = 0; i < std::min(3, count); ++i) {
    const int row = order[i];
    if (!(std::abs(g[first + row]) > kTolerance)) break;
    const std::string name = model.invariant_name(first + row);
    if (id.empty()) id = name.substr(0, name.find('.'));
    worst.push_back(fmt::format("{} is off by {:.3g}", name, std::abs(g[first + row])));
  }
  throw base::InputError(
      place_of(m, id),
      fmt::format("the model cannot be assembled: no {0} near the given one satisfies all "
                  "constraints. In the given {0} {1}.",
                  velocity ? "velocity" : "position", base::listing(worst)));
}

/// Joints that align axes also allow them to point against each other; nobody means that.
void check_branches(const Model& model, const ModelData& m) {
  auto workspace = model.make_workspace(0);
  // Frames of joints come after those of named markers (and before those of impacts).
  auto first = static_cast<std::size_t>(m.kernel.first_marker_geometry);
  for (const Body& body : m.description.bodies) first += body.markers.size();
  for (std::size_t j = 0; j < m.description.joints.size(); ++j) {
    const Joint& joint = m.description.joints[j];
    const JointType& type = type_of(joint);
    if (type.free_rotations > 1 || type.rows.size() < 4) continue;
    ModelWorkspace& w = cast(*workspace);
    const std::size_t index = first + j;
    const Geometry& g = w.bound.kernel.geometry[index];
    const auto axis = [&](int side, int i) {
      const int body = m.kernel.geometry[index].end[side].body;
      const double* a = g.axis[side][i];
      Number3 out{a[0], a[1], a[2]};
      if (body < m.kernel.structure.num_bodies) {
        double q[12];
        m.kernel.maps[body].to_canonical(m.start.assembled.data() + 12 * body, q);
        for (int k = 0; k < 3; ++k) out[k] = q[3 + k] * a[0] + q[6 + k] * a[1] + q[9 + k] * a[2];
      }
      return out;
    };
    for (int i = type.free_rotations == 0 ? 0 : 2; i < 3; ++i) {
      const auto a = axis(0, i), b = axis(1, i);
      if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 0) continue;
      throw base::InputError(
          joint.place,
          fmt::format(
              "joint \"{}\": the {} axes of begin and end point in opposite directions; a {} "
              "joint makes them agree. Turn the {} axis of one marker.",
              joint.id, "xyz"[i], joint.key, "xyz"[i]));
    }
  }
}

/// A force along the line of two points has no direction where they coincide.
void check_forces(const Model& model, const ModelData& m) {
  auto workspace = model.make_workspace(0);
  ModelWorkspace& w = cast(*workspace);
  load_state(m, w, m.start.assembled.data());
  place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  auto spec = m.force.elements.begin();
  for (const Force& force : m.description.forces) {
    const ForceType& type = type_of(force);
    if (!type.is_element()) continue;
    const ForceSpec& element = *spec++;
    const bool has_length = !type.measure.empty() && (element.ends[0].use & mechanism::kForce);
    if (!has_length) continue;
    // Its rate, which is n . d(r_0 - r_1)/dt, is finite where the direction n is.
    if (std::isfinite(element.element->quantity(look_at(m, w, element), 1))) continue;
    throw base::InputError(
        force.place,
        fmt::format("force \"{}\": its ends coincide in the initial position, so that it has no "
                    "direction.",
                    force.id));
  }
}

constexpr double kAside = 0.02;  ///< more than rounding, less than another way to assemble

/// Coordinates with all axes turned by up to `angle`, in a way that no mechanism is made for. The
/// origins stay: they have a scale, and follow.
std::vector<double> displaced(std::vector<double> q, double angle) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (i % 12 >= 3) q[i] += angle * std::sin(1.7 * static_cast<double>(i) + 0.4);
  }
  return q;
}

/// The rows that are left out at a state.
Model::Partition partition_at(const Model& model, dynamics::ConstVec y) {
  auto workspace = model.make_workspace(0);
  std::vector<double> dydt(y.size());
  dynamics::Point at;
  at.y = y;
  model.evaluate(*workspace, at, dydt, {});
  return model.partition(*workspace);
}

/// Warns of rows that are redundant at the initial position but not beside it: the mechanism can
/// leave such a position in several ways, and none of them is marked.
void warn_if_singular(const Model& model, ModelData& m) {
  const auto here = partition_at(model, m.start.assembled).dropped;
  if (here.empty()) return;
  auto workspace = model.make_workspace(0);
  std::vector<double> y = m.start.assembled;
  const auto q = displaced({y.data(), y.data() + m.sizes.nq}, kAside);
  std::copy(q.begin(), q.end(), y.begin());
  std::fill_n(y.begin() + m.sizes.nq, m.sizes.nq, 0.0);
  const auto report = model.project(*workspace, 0.0, y, dynamics::Norm::kMass, kTolerance);
  if (report.status != dynamics::Status::kOk) return;
  const auto beside = partition_at(model, y).dropped;
  if (beside.size() >= here.size()) return;
  std::vector<std::string> rows;
  for (int row : here) {
    const bool stays = std::find(beside.begin(), beside.end(), row) != beside.end();
    if (!stays) rows.push_back(model.row_name(row));
  }
  m.warnings.push_back(fmt::format(
      "the initial position is singular: {} follow{} from other rows here but not beside it. The "
      "mechanism can move on in several ways; start it a little aside.",
      base::listing(rows), rows.size() == 1 ? "s" : ""));
}

/// Brings the positions in y from far away onto the constraints, if that is possible.
bool approach(const ModelData& m, dynamics::Workspace& workspace, std::vector<double>& y) {
  ModelWorkspace& w = cast(workspace);
  auto& P = w.projection;
  const std::vector<double> reached = P.q;
  // The second time a little aside: an axis at a right angle to where it belongs does not know in
  // which direction to turn.
  for (const double aside : {0.0, kAside}) {
    P.q = displaced(P.q0, aside);
    if (!approach_positions(m, w, kTolerance)) continue;
    store_coordinates(m.kernel, P.q.data(), y.data());
    return true;
  }
  P.q = reached;  // the error tells of it
  return false;
}

}  // namespace

void assemble(const Model& model, ModelData& m) {
  const int nq = m.sizes.nq;
  std::vector<double> y(m.sizes.ny());
  for (std::size_t b = 0; b < m.description.bodies.size(); ++b) {
    const auto& body = m.description.bodies[b];
    described_state(body, m.description.natural.of(body.id).coordinates, y.data() + 12 * b,
                    y.data() + nq + 12 * b);
  }
  for (std::size_t i = 0; i < m.external.states.size(); ++i)
    y[2 * nq + i] = m.external.states[i].initial;
  const std::vector<double> described = y;
  m.start.described = described;
  auto workspace = model.make_workspace(1);
  auto report = model.project(*workspace, 0.0, y, dynamics::Norm::kMass, kTolerance);
  if (report.status != dynamics::Status::kOk && approach(m, *workspace, y)) {
    // What parameters and initial values change is seen from here.
    std::copy(y.begin(), y.begin() + nq, m.start.described.begin());
    report = model.project(*workspace, 0.0, y, dynamics::Norm::kMass, kTolerance);
  }
  if (report.status != dynamics::Status::kOk) {
    // project() leaves y as it was; the positions it reached are in the workspace.
    std::vector<double> projected = described;
    store_coordinates(m.kernel, cast(*workspace).projection.q.data(), projected.data());
    report_failure(model, m, described, projected);
  }
  m.start.assembled = y;
  m.start.redundant = count_redundant_rows(m, cast(*workspace));
  m.start.report.iterations = report.iterations;
  for (int i = 0; i < nq; i += 3) {
    const auto distance = [&](int at) {
      return std::hypot(y[at] - described[at], y[at + 1] - described[at + 1],
                        y[at + 2] - described[at + 2]);
    };
    m.start.report.moved = std::max(m.start.report.moved, distance(i));
    m.start.report.velocity_change = std::max(m.start.report.velocity_change, distance(nq + i));
  }
  check_branches(model, m);
  check_forces(model, m);
  if (model.may_drop_rows()) warn_if_singular(model, m);
}

int Model::degrees_of_freedom() const {
  const auto& s = data_->kernel.structure;
  const int body_rows = s.num_vel - s.num_rows;
  const int dropped = static_cast<int>(partition_at(*this, initial_state()).dropped.size());
  return 12 * s.num_bodies - body_rows - (s.num_rows - dropped);
}

std::vector<std::string> Model::driven() const {
  const ModelData& m = *data_;
  std::vector<std::string> ids;
  for (const auto& offset : m.offset.specs) {
    if (offset.formula < 0 || !m.offset.formulas[offset.formula].uses(0)) continue;  // slot of t
    const auto& joints = m.kernel.structure.joints;
    std::size_t joint = 0;
    while (offset.row >= joints[joint].first_row + joints[joint].nrows) ++joint;
    ids.push_back(m.kernel.joint_ids[joint]);
  }
  return ids;
}

std::vector<std::string> Model::redundant_rows() const {
  std::vector<std::string> names;
  for (int row : partition_at(*this, initial_state()).dropped) names.push_back(row_name(row));
  return names;
}

}  // namespace parfait::mbs
