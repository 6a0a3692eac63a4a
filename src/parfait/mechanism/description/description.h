#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/dynamics/vocabulary.h"
#include "parfait/mechanism/description/joint_motion.h"
#include "parfait/mechanism/description/natural_coordinates.h"
#include "parfait/mechanism/description/shape.h"

/// A multibody model as a person describes it: what a model file says, nothing computed, and (but
/// for `natural`) nothing about coordinates. `io` reads and writes it; an engine such as mbs::Model
/// checks it and turns it into something that moves.
namespace parfait::mechanism {

using base::Place;
using dynamics::Assignment;
using dynamics::FormulaText;
using dynamics::Input;
using dynamics::Passage;
using dynamics::Simulation;
using expr::Interpolation;
using Number3 = std::array<double, 3>;

/// A constant of an element: a number, or a formula of parameters (of time too where it says so).
struct Value {
  double number = 0;
  std::string formula;  ///< empty: `number` counts
  Place place;          ///< where its first character stands

  Value() = default;
  Value(double x) : number(x) {}  // NOLINT(google-explicit-constructor): a number is a constant
  explicit Value(const FormulaText& text) : formula(text.text), place(text.place) {}
  bool is_formula() const { return !formula.empty(); }
};
using Value3 = std::array<Value, 3>;

/// A point and three axes in coordinates of the body's frame.
struct Frame {
  Value3 o{0.0, 0.0, 0.0};
  Value3 x{1.0, 0.0, 0.0};
  Value3 y{0.0, 1.0, 0.0};
  Value3 z{0.0, 0.0, 1.0};
  /// Axes that were given. Joints use the given ones and complete the others to a right-handed
  /// frame around z (z itself defaults to (0, 0, 1)).
  bool has_x = false, has_y = false, has_z = false;
};

inline constexpr const char* kInertial = "Inertial";  ///< the id of the ground

/// A named frame on a body, or (with an empty id) the frame written inside a joint or force.
/// A joint or force may refer to a body's marker by name instead of giving a frame of its own.
struct Marker {
  std::string id;
  std::string body;       ///< body id, or kInertial
  std::string reference;  ///< id of a marker of that body, whose frame is used; empty: `frame`
  Frame frame;
  Place place;
  Place body_place, reference_place;  ///< where those two names stand
};

enum class InertiaPoint { kCenterOfMass, kOrigin };

struct Body {
  std::string id;
  Place place;
  /// Initial frame in the world; the axes need not be orthonormal (general frame): their lengths
  /// and angles are what the rigid-body constraints keep. Inertia, centre and markers are in this
  /// frame.
  Number3 o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  /// Initial velocity: rates of o, x, y, z ...
  Number3 o_rate{0, 0, 0}, x_rate{0, 0, 0}, y_rate{0, 0, 0}, z_rate{0, 0, 0};
  /// ... or the velocity of the origin and the angular velocity, both in world axes.
  std::optional<Number3> v, omega;
  Value mass{1.0};
  Value3 center_of_mass{0.0, 0.0, 0.0};
  /// Rows of the inertia tensor (kg m^2), symmetric, in body axes; for a general frame in the
  /// orthonormal frame obtained from it by Gram-Schmidt (x kept, y in the x-y plane).
  std::array<Value3, 3> inertia{Value3{0.0, 0.0, 0.0}, Value3{0.0, 0.0, 0.0},
                                Value3{0.0, 0.0, 0.0}};
  InertiaPoint about = InertiaPoint::kCenterOfMass;
  std::vector<Marker> markers;
  std::vector<Shape> shapes;  ///< looks, no mechanics
  Place position_place;       ///< where the initial frame is given
};

/// Constants by name ("stiffness") or by position ("Constant_1"), as written.
struct NamedValue {
  std::string name;
  Value value;
  Place place{};  ///< where the name stands
};

struct Joint {
  std::string key;  ///< "Revolute", ...; see registry.h
  std::string id;
  Marker begin, end;  ///< body 1 and body 2 of Kraus 2006, appendix C
  std::vector<NamedValue> constants;
  Place place;
  JointMotion motion{};  ///< of the key "Axes" only
};

/// One constraint of Kraus 2006, appendix C.1 on its own, with an offset that may depend on time.
struct Constraint {
  std::string key;  ///< B0_x B0_y B0_z DDX BBDX BBX V0_x V0_y V0_z VVDX VVX
  std::string id;
  Marker begin, end;
  char begin_axis = 'z';  ///< the vector d (DDX, BBDX, VVDX): an axis of the begin marker
  char end_axis = 'z';    ///< the second vector of DDX: an axis of the end marker
  Value offset;           ///< r; a formula of time t and parameters drives the constraint
  Place place;
};

/// Whether a force acts always, or only while its measure s is short of its rest value (it pushes:
/// contact, stop) or beyond it (it pulls: cable). See docs/theory/contact.md.
enum class Side { kBoth, kPush, kPull };

struct Force {
  std::string key;  ///< "Gravitation", "Spring", "Z_Damper", "General_Rotational", ...
  std::string id;
  std::optional<Marker> begin, end;  ///< absent for forces that act on all bodies
  std::vector<Marker> via;           ///< further ends between these two
  std::vector<NamedValue> constants;
  Value law;  ///< General_*: formula of length (or angle), rate, t, parameters, states, inputs
  Side side = Side::kBoth;
  bool adhesion = false;  ///< one-sided forces: may pull where they should push, and the reverse
  Place place;
  Place side_place;
};

/// An external variable: e' = derivative(t, e, parameters, inputs, quantities of the mechanics).
struct State {
  std::string id;
  double initial = 0;
  Value derivative;
  Place place;
};

/// Something that happens at an instant: an impact, or what a formula says (key "General").
struct Event : dynamics::Event {
  std::string key = "General";       ///< "General", "Impact", ...; see registry.h
  std::optional<Marker> begin, end;  ///< absent for General
  std::vector<NamedValue> constants;
};

/// A parameter that may drive constants of elements.
struct Parameter : dynamics::Parameter {
  /// Constants it drives: "<element>.<constant name>" or "<element>.Constant_<i>". Without `id`
  /// (Kraus' form) the parameter is called like the first; without `initial` it starts with the
  /// present value of that constant.
  std::vector<std::string> targets;
  std::vector<Place> target_places;  ///< one for each target, or empty
};

struct Description {
  std::string id;
  std::string file;
  NaturalCoordinates natural;  ///< what an engine in other coordinates refuses
  std::vector<std::string> remarks;
  Simulation simulation;
  std::vector<Shape> shapes;  ///< that stand in the world: a floor, a seat
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;  ///< between coordinates of joints with axes
  std::vector<Constraint> constraints;
  std::vector<Force> forces;
  std::vector<State> states;
  std::vector<Input> inputs;
  std::vector<Event> events;
  std::vector<Parameter> parameters;
  std::vector<SkinMarker> skin_markers;
  /// What a file of another program says and a description cannot, for a person.
  std::vector<std::string> left_out;
};

}  // namespace parfait::mechanism
