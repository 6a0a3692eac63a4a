#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parfait/mechanism/constants/constant_table.h"
#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/stage/element_set.h"
#include "parfait/tree/structure/tree.h"

namespace parfait::tree {

/// A mechanism in joint coordinates: the spanning tree of its joints.
///
/// Spanning tree  Bodies are reached from the ground over joints in the order of the description;
///                a joint may carry its `begin` body, too. A body nobody reaches floats: three
///                displacements and a quaternion, and carries the next ones. Joints between bodies
///                that are both reached already close loops.
/// Coordinates    Revolute: the angle about z. Universal: about x of begin, then y of end.
///                Cylindrical: displacement, angle. Prismatic: displacement. Spherical: quaternion.
///                Axes: those it names, in their order; coupled ones are no coordinates of the tree.
///                All from the frame on the body that carries to the one on the body that is
///                carried, which are completed and made orthonormal from the axes the joint uses.
/// Bodies         Body b of the tree is described body `described(b)`, in its canonical frame
///                (mechanism/description/general_frame.h).
///
/// Locked         coordinates keep their initial values: they are no coordinates of the tree,
/// unless
///                `locked` asks for them (inverse kinematics and dynamics, which know their values).
class MechanismTree {
 public:
  enum class Locked { kHeld, kFree };
  /// InputError for what needs natural coordinates (mechanism/description/natural_coordinates.h),
  /// and for a joint by axes that closes a loop.
  explicit MechanismTree(const mechanism::Description& description, Locked locked = Locked::kHeld);

  const Tree& tree() const { return tree_; }
  const mechanism::ConstantTable& table() const { return table_; }
  /// The described state, as far as joints leave it free.
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& v() const { return v_; }

  int described(int body) const { return links_[body].body; }
  int tree_body(int described) const { return number_[described]; }
  /// A coordinate that has a name.
  struct NamedCoordinate {
    std::string id;
    mechanism::Coordinate::Kind kind = mechanism::Coordinate::Kind::kRotation;
    double initial = 0;  ///< of a coupled one: its function at the start
    double lower = 0, upper = 0;
    bool clamped = false, locked = false;
    int body = -1;       ///< of the tree, whose joint has it
    int q = -1, v = -1;  ///< its place in q and v; -1: it is coupled, or locked and held
    int follows = -1;    ///< of a coupled one: the coordinate it follows, among these ...
    int function = -1;   ///< ... by this function, among tree().functions
  };
  /// In the order of the description's joints.
  const std::vector<NamedCoordinate>& coordinates() const { return coordinates_; }
  int find_coordinate(std::string_view id) const;  ///< among coordinates(); -1: there is none

  /// Joints of the description that close loops.
  const std::vector<int>& closures() const { return closures_; }

  using Marker = mechanism::Site;
  /// A marker with its axes as they are given, in the canonical frame of its body; missing axes
  /// complete a right-handed frame around z.
  template <class S>
  struct GivenFrame {
    Vec3<S> o, axis[3];
  };
  template <class S>
  GivenFrame<S> given_frame(const Marker& marker, const S* constants) const;
  /// Its orthonormal frame in the canonical frame of its body: z keeps its direction, x its half
  /// plane.
  template <class S>
  Transform<S> marker_frame(const Marker& marker, const S* constants) const;
  /// Described axis j of a body is the sum over i of general_frame(body)[i][j] times axis i of its
  /// canonical frame.
  const double (*general_frame(int described) const)[3] { return bodies_[described].S; }
  /// Whether the joint that carries a body of the tree has its `begin` on it; -1 if it floats.
  bool is_reversed(int body) const { return links_[body].reversed; }
  int joint(int body) const { return links_[body].joint; }

  /// Constants of the tree from those of the mechanism (one per entry of table()), as numbers or
  /// with directions.
  template <class S>
  void bind(const S* constants, Constants<S>& out) const;

 private:
  enum class Kind {
    kFloating,
    kFixed,
    kRevolute,
    kUniversal,
    kCylindrical,
    kPrismatic,
    kSpherical,
    kAxes
  };
  struct Link {
    int body = 0, parent = -1;  ///< described body; body of the tree
    int joint = -1;             ///< described; -1: floats
    Kind kind = Kind::kFloating;
    bool reversed = false;    ///< the begin body is carried
    bool by_normals = false;  ///< Revolute_2: the axis is normal to x and y of end, not of begin
    Marker begin, end;
    std::vector<Step> steps;
    Joint axes{};                ///< of kAxes
    double flip[3] = {1, 1, 1};  ///< signs of the axes on the body, so that both frames can meet
  };
  template <class S>
  struct JointFrames {
    Transform<S> begin, end;
    Vec3<S> slide;  ///< axis of translations, in the frame on begin
  };

  void span(const mechanism::Description& description);
  void read_coordinates(const mechanism::Description& description);
  void couple(const mechanism::Description& description, Locked locked, TreeBuilder& builder);
  void number_coordinates();
  Joint joint_of(const Link& link) const;
  template <class S>
  JointFrames<S> joint_frames(const Link& link, const S* constants) const;
  template <class S>
  void bind_link(const Link& link, const S* constants, BodyConstants<S>& out) const;
  void choose_flip(const mechanism::Description& description, Link& link,
                   const std::vector<double>& constants);
  void set_state(const mechanism::Description& description, const std::vector<double>& constants);

  struct BodySpec {
    int first_constant = 0;
    bool from_cholesky = false, about_origin = false;
    double S[3][3] = {};  ///< described to canonical frame
  };
  Tree tree_;
  mechanism::ConstantTable table_;
  std::vector<Link> links_;
  std::vector<BodySpec> bodies_;  ///< described order
  std::vector<int> number_;
  std::vector<int> closures_;
  struct Gravity {
    int first_constant = 0;
    bool is_vector = false;
  };
  std::vector<Gravity> gravity_;  ///< they add up
  std::vector<NamedCoordinate> coordinates_;
  std::vector<double> coordinate_rates_;
  std::vector<double> q_, v_;
};

}  // namespace parfait::tree
