#include "parfait/tree/structure/tree.h"

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"

namespace parfait::tree {
namespace {

bool is_scalar(StepKind kind) {
  return kind == StepKind::kRotation || kind == StepKind::kTranslation;
}

NodeKind node_kind(StepKind kind) {
  switch (kind) {
    case StepKind::kRotation:
      return NodeKind::kRevolute;
    case StepKind::kTranslation:
      return NodeKind::kPrismatic;
    case StepKind::kBall:
      return NodeKind::kBall;
    default:
      return NodeKind::kDisplacement;
  }
}

/// Where the independent coordinates of a joint stand, and where each of its steps begins.
struct Numbering {
  std::vector<int> q, v;            ///< of scalar coordinates; -1: coupled to another
  std::vector<int> step_q, step_v;  ///< of steps with coordinates of their own
};

/// What can differ from zero in H = E^T H_w E, in nested rows.
void find_pattern(Tree& tree) {
  const int n = tree.nv;
  std::vector<char> filled(static_cast<std::size_t>(n) * n, 0);
  const auto entry = [&](int i, int j) -> char& {
    return filled[static_cast<std::size_t>(std::max(i, j)) * n + std::min(i, j)];
  };
  for (int k = 0; k < tree.nw; ++k) {
    for (int j = k; j >= 0; j = tree.parent_w[j]) entry(tree.drives[k].v, tree.drives[j].v) = 1;
  }
  // Nested: every column i of row k has in its own row exactly the columns of row k before i.
  bool nested = true;
  for (int k = 0; k < n && nested; ++k) {
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < i && entry(k, i); ++j) nested = nested && entry(k, j) == entry(i, j);
    }
  }
  if (!nested) std::fill(filled.begin(), filled.end(), 1);
  tree.row_start.assign(n + 1, 0);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < k; ++j) {
      if (entry(k, j)) tree.row_columns.push_back(j);
    }
    tree.row_start[k + 1] = static_cast<int>(tree.row_columns.size());
  }
  tree.column_start.assign(n + 1, 0);
  for (int j = 0; j < n; ++j) {
    for (int k = j + 1; k < n; ++k) {
      for (int at = tree.row_start[k]; at < tree.row_start[k + 1]; ++at) {
        if (tree.row_columns[at] != j) continue;
        tree.column_rows.push_back(k);
        tree.column_entries.push_back(at);
      }
    }
    tree.column_start[j + 1] = static_cast<int>(tree.column_rows.size());
  }
}

}  // namespace

std::vector<double> Tree::neutral_position() const {
  std::vector<double> q(static_cast<std::size_t>(nq), 0.0);
  for (const int first : quaternions) q[first] = 1;
  return q;
}

int TreeBuilder::add(const Body& body) {
  const std::string where = "body \"" + body.name + "\": ";
  const int index = static_cast<int>(bodies_.size());
  if (body.parent < -1 || body.parent >= index) {
    throw base::InputError(where + "parent " + std::to_string(body.parent) +
                           " is not a body added before.");
  }
  if (!(body.mass >= 0)) throw base::InputError(where + "its mass is negative.");
  for (const Step& step : body.joint.steps) {
    if (!is_scalar(step.kind)) continue;
    if (!(dot(step.axis, step.axis) > 0)) {
      throw base::InputError(where + "an axis of its joint has no direction.");
    }
    if (step.coordinate < 0 || step.function >= static_cast<int>(body.joint.functions.size())) {
      throw base::InputError(where +
                             "a step of its joint names a coordinate or function that the "
                             "joint does not have.");
    }
  }
  bodies_.push_back(body);
  return index;
}

void TreeBuilder::couple(int body, int coordinate, int to_body, int to_coordinate,
                         const Function& f) {
  const auto check = [&](int b, int c) {
    if (b < 0 || b >= static_cast<int>(bodies_.size()) || c < 0 ||
        c >= bodies_[b].joint.num_scalar_coordinates()) {
      throw base::InputError("coupled coordinate: there is no coordinate " + std::to_string(c) +
                             " of body " + std::to_string(b) + ".");
    }
  };
  check(body, coordinate);
  check(to_body, to_coordinate);
  const auto is_dependent = [&](int b, int c) {
    return std::any_of(couplings_.begin(), couplings_.end(), [&](const Coupling& other) {
      return other.body == b && other.coordinate == c;
    });
  };
  const bool carries = std::any_of(couplings_.begin(), couplings_.end(), [&](const Coupling& o) {
    return o.to_body == body && o.to_coordinate == coordinate;
  });
  if (is_dependent(body, coordinate) || is_dependent(to_body, to_coordinate) || carries ||
      (body == to_body && coordinate == to_coordinate)) {
    throw base::InputError("coupled coordinate " + std::to_string(coordinate) + " of body \"" +
                           bodies_[body].name +
                           "\": it must follow one coordinate, which is independent.");
  }
  couplings_.push_back({body, coordinate, to_body, to_coordinate, f});
}

Tree TreeBuilder::build() const {
  Tree tree;
  tree.constants.gravity = gravity_;

  // Numbers of the independent coordinates.
  std::vector<Numbering> numbers(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Joint& joint = bodies_[b].joint;
    Numbering& number = numbers[b];
    BodyInfo info;
    info.name = bodies_[b].name;
    info.parent = bodies_[b].parent;
    info.q = tree.nq;
    info.v = tree.nv;
    number.step_q.assign(joint.steps.size(), -1);
    number.step_v.assign(joint.steps.size(), -1);
    for (std::size_t s = 0; s < joint.steps.size(); ++s) {
      const Step& step = joint.steps[s];
      if (is_scalar(step.kind)) {
        while (static_cast<int>(number.q.size()) <= step.coordinate) {
          const int c = static_cast<int>(number.q.size());
          const bool follows =
              std::any_of(couplings_.begin(), couplings_.end(), [&](const Coupling& coupling) {
                return coupling.body == static_cast<int>(b) && coupling.coordinate == c;
              });
          number.q.push_back(follows ? -1 : tree.nq++);
          number.v.push_back(follows ? -1 : tree.nv++);
        }
        continue;
      }
      number.step_q[s] = tree.nq;
      number.step_v[s] = tree.nv;
      if (step.kind == StepKind::kBall) tree.quaternions.push_back(tree.nq);
      tree.nq += step.kind == StepKind::kBall ? 4 : 3;
      tree.nv += 3;
    }
    info.nq = tree.nq - info.q;
    info.nv = tree.nv - info.v;
    tree.bodies.push_back(info);
  }

  const auto add_function = [&](const Function& f) {
    tree.functions.push_back(f);
    tree.constants.functions.push_back(f.constants);
    return static_cast<int>(tree.functions.size()) - 1;
  };
  std::vector<int> coupling_function;
  for (const Coupling& coupling : couplings_) coupling_function.push_back(add_function(coupling.f));

  std::vector<int>
      last_w;  // of each node: the last rate on its way to the ground, its own included
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const int num_steps = static_cast<int>(body.joint.steps.size());
    std::vector<int> function_number;
    for (const Function& f : body.joint.functions) function_number.push_back(add_function(f));

    BodyConstants<double> constants{body.X_PJ, body.X_BJ, body.mass, body.center, body.Theta, {}};
    int parent = body.parent < 0 ? -1 : tree.bodies[body.parent].node;
    tree.bodies[b].first_node = tree.num_nodes();
    for (int s = 0; s < std::max(num_steps, 1); ++s) {
      Node node;
      node.parent = parent;
      node.theta = tree.ntheta;
      node.w = tree.nw;
      node.displaced = s == 0;
      int carried_by = parent < 0 ? -1 : last_w[parent];
      if (num_steps > 0) {
        const Step& step = body.joint.steps[s];
        constants.axes.push_back(step.axis);
        node.kind = node_kind(step.kind);
        node.displaced = node.displaced || node.kind == NodeKind::kPrismatic ||
                         node.kind == NodeKind::kDisplacement;
        Drive drive;
        if (is_scalar(step.kind)) {
          node.num_w = 1;
          drive.outer = step.function < 0 ? -1 : function_number[step.function];
          drive.q = numbers[b].q[step.coordinate];
          drive.v = numbers[b].v[step.coordinate];
          if (drive.q < 0) {
            for (std::size_t c = 0; c < couplings_.size(); ++c) {
              const Coupling& coupling = couplings_[c];
              if (coupling.body != static_cast<int>(b) || coupling.coordinate != step.coordinate) {
                continue;
              }
              drive.inner = coupling_function[c];
              drive.q = numbers[coupling.to_body].q[coupling.to_coordinate];
              drive.v = numbers[coupling.to_body].v[coupling.to_coordinate];
            }
          }
          tree.plain = tree.plain && drive.q == tree.ntheta && drive.v == tree.nw &&
                       drive.inner < 0 && drive.outer < 0;
          tree.drives.push_back(drive);
          tree.ntheta += 1;
        } else {
          node.num_w = 3;
          drive.is_scalar = false;
          for (int k = 0; k < 3; ++k) {
            drive.q = numbers[b].step_q[s];
            drive.v = numbers[b].step_v[s] + k;
            tree.drives.push_back(drive);
          }
          tree.plain =
              tree.plain && numbers[b].step_q[s] == tree.ntheta && numbers[b].step_v[s] == tree.nw;
          tree.ntheta += step.kind == StepKind::kBall ? 4 : 3;
        }
      }
      for (int k = 0; k < node.num_w; ++k) {
        tree.parent_w.push_back(carried_by);
        carried_by = tree.nw++;
      }
      last_w.push_back(carried_by);
      parent = tree.num_nodes();
      tree.nodes.push_back(node);
    }
    tree.nodes.back().body = static_cast<int>(b);
    tree.bodies[b].node = parent;
    tree.constants.bodies.push_back(constants);
  }
  tree.plain = tree.plain && tree.nq == tree.ntheta && tree.nv == tree.nw;
  find_pattern(tree);
  return tree;
}

}  // namespace parfait::tree
