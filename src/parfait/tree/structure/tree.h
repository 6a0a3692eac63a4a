#pragma once

#include <string>
#include <vector>

#include "parfait/tree/structure/joint.h"
#include "parfait/tree/structure/spatial.h"

/// A kinematic tree of rigid bodies in joint coordinates: structure and numbers, nothing that
/// moves.
namespace parfait::tree {

/// The numbers of a body: all that can be differentiated with respect to, besides gravity and the
/// constants of functions.
template <class S>
struct BodyConstants {
  Transform<S> X_PJ;          ///< the joint's frame on the parent
  Transform<S> X_BJ;          ///< the joint's frame on the body
  S mass{};                   ///< kg
  Vec3<S> center{};           ///< m, body frame
  Sym3<S> Theta{};            ///< kg m^2, about the centre, body axes
  std::vector<Vec3<S>> axes;  ///< of the joint's steps (unused for kBall and kDisplacement)
};

template <class S>
struct Constants {
  std::vector<BodyConstants<S>> bodies;
  std::vector<std::vector<S>> functions;  ///< constants of Tree::functions
  Vec3<S> gravity{};                      ///< m/s^2, world axes
};

/// What one node of the tree can do. A joint becomes a chain of nodes, one for each step; all but
/// the last are without mass. So five kinds are enough for every joint.
enum class NodeKind : std::uint8_t {
  kFixed,
  kRevolute,      ///< about its axis z
  kPrismatic,     ///< along its axis z
  kDisplacement,  ///< along its axes x, y, z
  kBall,          ///< unit quaternion; velocity in its own axes
};

/// Nodes are numbered so that a parent stands before its children. Node frames lie where the step
/// ends, with z along the axis; world axes turn into them by constants and coordinates alone.
struct Node {
  NodeKind kind = NodeKind::kFixed;
  int parent = -1;        ///< node; -1: ground
  int theta = 0;          ///< first of its positions in theta
  int w = 0;              ///< first of its rates in w
  int num_w = 0;          ///< 0, 1 or 3
  int body = -1;          ///< the body that ends here; -1: without mass
  bool displaced = true;  ///< its origin may differ from the parent's
};

/// How the rate w[k] of a node follows a velocity: theta = f(q), w = f'(q) v; q and v are indices.
struct Drive {
  int q = 0, v = 0;
  int inner = -1, outer = -1;  ///< functions: theta = outer(inner(q)); -1: identity
  bool is_scalar = true;       ///< false: one of three rates of a ball or a displacement
};

struct BodyInfo {
  std::string name;
  int parent = -1;  ///< body; -1: ground
  int first_node = 0, node = 0;
  int q = 0, nq = 0;  ///< its own coordinates and velocities (of a joint without coupled ones)
  int v = 0, nv = 0;
};

/// Immutable once built.
///
/// Two levels of coordinates: theta and w, one entry per elementary motion, and the independent q
/// and v, which drive them (w = E(q) v). In a plain tree they are the same; where several motions
/// follow one coordinate (helical and function joints, coupled coordinates) they differ.
struct Tree {
  std::vector<BodyInfo> bodies;
  std::vector<Node> nodes;
  std::vector<Drive> drives;  ///< one per entry of w
  std::vector<Function> functions;
  Constants<double> constants;  ///< as described
  int nq = 0, nv = 0;
  int ntheta = 0, nw = 0;
  bool plain = true;  ///< theta = q and w = v

  /// What can differ from zero below the diagonal of H and of its factor L: row k has the columns
  /// row_columns[row_start[k] ... row_start[k + 1]), ascending. Rows are nested: those of a column
  /// of row k begin like row k itself, so that elimination from the last row to the first makes no
  /// fill and works on contiguous numbers. Where coordinates are coupled across branches every
  /// entry counts.
  std::vector<int> row_start, row_columns;
  /// The same by columns: rows of column j, and where their entries stand among row_columns.
  std::vector<int> column_start, column_rows, column_entries;

  /// For each entry of w the one that carries it (nearest before it on the way to the ground), -1.
  std::vector<int> parent_w;
  /// The nodes of quaternions: their first coordinates in q.
  std::vector<int> quaternions;

  int num_bodies() const { return static_cast<int>(bodies.size()); }
  int num_nodes() const { return static_cast<int>(nodes.size()); }
  /// All rotations zero, quaternions one.
  std::vector<double> neutral_position() const;
};

/// A body to be added.
struct Body {
  std::string name;
  int parent = -1;
  Joint joint;
  Transform<double> X_PJ, X_BJ;  ///< the joint's frame on the parent and on the body
  double mass = 0;
  Vec3<double> center{};
  Sym3<double> Theta{};  ///< moments of inertia about the centre
};

class TreeBuilder {
 public:
  /// Index of the new body. InputError for an unknown parent, an axis without direction, a negative
  /// mass or a step that names a function or coordinate its joint does not have.
  int add(const Body& body);

  /// Scalar coordinate `coordinate` of `body` follows another: q_d = f(q_i). It is then no
  /// coordinate of the tree. The other one must be independent.
  void couple(int body, int coordinate, int to_body, int to_coordinate, const Function& f);

  void set_gravity(const Vec3<double>& gravity) { gravity_ = gravity; }

  Tree build() const;

 private:
  struct Coupling {
    int body, coordinate, to_body, to_coordinate;
    Function f;
  };
  std::vector<Body> bodies_;
  std::vector<Coupling> couplings_;
  Vec3<double> gravity_{0, 0, -9.81};
};

}  // namespace parfait::tree
