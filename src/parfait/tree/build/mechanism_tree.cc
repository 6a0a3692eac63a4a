#include "parfait/tree/build/mechanism_tree.h"

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/description/general_frame.h"
#include "parfait/mechanism/description/inertia.h"
#include "parfait/mechanism/description/natural_coordinates.h"
#include "parfait/tree/build/described_motion.h"

namespace parfait::tree {

using math::Dual;
using mechanism::Description;

namespace {

template <class S>
Vec3<S> unit(const Vec3<S>& a) {
  using std::sqrt;
  return (S(1.0) / sqrt(dot(a, a))) * a;
}

/// The part of a normal to the unit vector n, of length one.
template <class S>
Vec3<S> unit_beside(const Vec3<S>& a, const Vec3<S>& n) {
  return unit(a - dot(a, n) * n);
}

template <class S>
struct MarkerAxes {
  Vec3<S> o, x, y, z;
};

/// Given axes as they are; missing ones complete a right-handed frame around z.
template <class S>
MarkerAxes<S> marker_axes(const S* constants, bool has_x, bool has_y, const double (*map)[3]) {
  const auto vector = [&](int i) {
    const S* r = constants + 3 * i;
    if (!map) return Vec3<S>{r[0], r[1], r[2]};
    return Vec3<S>{S(map[0][0]) * r[0] + S(map[0][1]) * r[1] + S(map[0][2]) * r[2],
                   S(map[1][1]) * r[1] + S(map[1][2]) * r[2], S(map[2][2]) * r[2]};
  };
  MarkerAxes<S> f{vector(0), {}, {}, vector(3)};
  if (has_x) {
    f.x = vector(1);
    f.y = has_y ? vector(2) : unit(cross(f.z, f.x));
  } else if (has_y) {
    f.y = vector(2);
    f.x = unit(cross(f.y, f.z));
  } else {
    const double a[3] = {std::abs(math::value_of(f.z.x)), std::abs(math::value_of(f.z.y)),
                         std::abs(math::value_of(f.z.z))};
    const int least = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    const Vec3<S> e{S(least == 0 ? 1.0 : 0.0), S(least == 1 ? 1.0 : 0.0),
                    S(least == 2 ? 1.0 : 0.0)};
    f.x = unit(e - (dot(e, f.z) / dot(f.z, f.z)) * f.z);
    f.y = unit(cross(f.z, f.x));
  }
  return f;
}

/// Orthonormal axes with z as it is, or normal to x and y, and x as near as possible.
template <class S>
Transform<S> about_z(const MarkerAxes<S>& f, bool by_normal) {
  const Vec3<S> z = unit(by_normal ? cross(f.x, f.y) : f.z), x = unit_beside(f.x, z);
  return {{x, cross(z, x), z}, f.o};
}

Function function_of(const mechanism::CoordinateFunction& f) {
  using Kind = mechanism::CoordinateFunction::Kind;
  switch (f.kind) {
    case Kind::kLinear:
      return Function::linear(f.constants[0], f.constants[1]);
    case Kind::kPolynomial:
      return Function::polynomial(f.constants);
    case Kind::kNaturalSpline:
      return Function::spline(FunctionKind::kNaturalSpline, f.knots, f.constants);
    case Kind::kSimmSpline:
      return Function::spline(FunctionKind::kSimmSpline, f.knots, f.constants);
    case Kind::kPiecewiseLinear:
      return Function::spline(FunctionKind::kPiecewiseLinear, f.knots, f.constants);
    default:
      return Function::of_formula(f.formula);
  }
}

/// The steps of a joint by axes. Seen from end to begin (`reversed`) they go backwards, each the
/// other way round its axis. An axis without a coordinate is a constant of the first one.
Joint joint_of_axes(const mechanism::Joint& joint, bool reversed) {
  Joint out;
  const auto& coordinates = joint.motion.coordinates;
  for (const auto& axis : joint.motion.axes) {
    Step step;
    step.kind = axis.turns ? StepKind::kRotation : StepKind::kTranslation;
    const double sign = reversed ? -1 : 1;
    step.axis = {sign * axis.axis[0], sign * axis.axis[1], sign * axis.axis[2]};
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      if (coordinates[c].id == axis.coordinate) step.coordinate = static_cast<int>(c);
    }
    if (!axis.function.is_identity()) {
      step.function = static_cast<int>(out.functions.size());
      out.functions.push_back(function_of(axis.function));
    }
    out.steps.push_back(step);
  }
  if (reversed) std::reverse(out.steps.begin(), out.steps.end());
  return out;
}

double value_of_function(const Function& f, double q) {
  Coefficients<double> prepared;
  prepare(f, f.constants.data(), prepared);
  std::vector<double> scratch(scratch_size(f));
  return evaluate(f, prepared, q, scratch.data()).f;
}

}  // namespace

MechanismTree::MechanismTree(const Description& description, Locked locked) : table_(description) {
  mechanism::refuse_natural_features(description, "joint coordinates");
  for (const auto& body : description.bodies) {
    BodySpec spec;
    spec.first_constant = table_.index(body.id + ".mass");
    spec.from_cholesky = table_.any_driven(spec.first_constant + 10, 10);
    spec.about_origin =
        body.about == mechanism::InertiaPoint::kOrigin &&
        !mechanism::constant_number(description, body.id + ".inertia.xx").has_value();
    const auto frame = mechanism::GeneralFrame::of(body);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) spec.S[i][j] = frame.S[i][j];
    }
    bodies_.push_back(spec);
  }
  for (const auto& force : description.forces) {
    if (force.key != "Gravitation") continue;
    const bool is_vector = table_.has(force.id + ".gx");
    gravity_.push_back({table_.index(force.id + (is_vector ? ".gx" : ".g")), is_vector});
  }
  span(description);

  std::vector<double> p = table_.parameter_initial(), constants(table_.size()),
                      scratch(table_.scratch_size());
  table_.bind(p.data(), constants.data(), scratch.data());
  TreeBuilder builder;
  for (Link& link : links_) {
    link.steps = joint_of(link).steps;
    choose_flip(description, link, constants);
    BodyConstants<double> numbers;
    bind_link(link, constants.data(), numbers);
    Body body;
    body.name = description.bodies[link.body].id;
    body.parent = link.parent;
    body.joint = joint_of(link);
    for (std::size_t s = 0; s < numbers.axes.size(); ++s) {
      body.joint.steps[s].axis = numbers.axes[s];
    }
    body.X_PJ = numbers.X_PJ;
    body.X_BJ = numbers.X_BJ;
    body.mass = numbers.mass;
    body.center = numbers.center;
    body.Theta = numbers.Theta;
    builder.add(body);
  }
  read_coordinates(description);
  couple(description, locked, builder);
  tree_ = builder.build();
  number_coordinates();
  bind(constants.data(), tree_.constants);
  set_state(description, constants);
}

void MechanismTree::read_coordinates(const Description& description) {
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    int body = -1;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].joint == static_cast<int>(j)) body = static_cast<int>(i);
    }
    for (const auto& c : description.joints[j].motion.coordinates) {
      NamedCoordinate named;
      named.id = c.id;
      named.kind = c.kind;
      named.initial = c.initial;
      named.lower = c.lower;
      named.upper = c.upper;
      named.clamped = c.clamped;
      named.locked = c.locked;
      named.body = body;
      coordinates_.push_back(named);
      coordinate_rates_.push_back(c.rate);
    }
  }
  for (const auto& coupling : description.couplings) {
    NamedCoordinate& c = coordinates_[find_coordinate(coupling.coordinate)];
    c.follows = find_coordinate(coupling.follows);
    c.locked = false;  // where the other one leads it
  }
}

int MechanismTree::find_coordinate(std::string_view id) const {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    if (coordinates_[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

/// Coupled coordinates follow others; held ones are constant functions of any that moves, best of
/// one on their own way to the ground, so that the mass matrix stays sparse.
void MechanismTree::couple(const Description& description, Locked locked, TreeBuilder& builder) {
  std::vector<int> place(coordinates_.size(), 0);  // among those of the joint
  for (std::size_t i = 1; i < coordinates_.size(); ++i) {
    place[i] = coordinates_[i].body == coordinates_[i - 1].body ? place[i - 1] + 1 : 0;
  }
  const auto is_held = [&](const NamedCoordinate& c) {
    return locked == Locked::kHeld && c.locked && c.follows < 0;
  };
  const auto follow = [&](std::size_t i, int leader, const Function& f) {
    builder.couple(coordinates_[i].body, place[i], coordinates_[leader].body, place[leader], f);
  };
  int number = 0;
  for (const auto& coupling : description.couplings) {
    const int i = find_coordinate(coupling.coordinate), leader = coordinates_[i].follows;
    const Function f = function_of(coupling.function);
    NamedCoordinate& c = coordinates_[i];
    c.initial = value_of_function(f, coordinates_[leader].initial);
    if (is_held(coordinates_[leader])) continue;  // is held itself, below
    c.function = number++;
    follow(i, leader, f);
  }
  const auto leader_of = [&](const NamedCoordinate& c) {
    int best = -1;
    for (int body = c.body; body >= 0; body = links_[body].parent) {
      for (std::size_t i = 0; i < coordinates_.size(); ++i) {
        const NamedCoordinate& other = coordinates_[i];
        if (other.body == body && other.follows < 0 && !is_held(other)) return static_cast<int>(i);
      }
    }
    for (std::size_t i = 0; i < coordinates_.size() && best < 0; ++i) {
      if (coordinates_[i].follows < 0 && !is_held(coordinates_[i])) best = static_cast<int>(i);
    }
    return best;
  };
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    NamedCoordinate& c = coordinates_[i];
    const bool is_led_by_held = c.follows >= 0 && is_held(coordinates_[c.follows]);
    if (!is_held(c) && !is_led_by_held) continue;
    const int leader = leader_of(c);
    if (leader < 0) {
      throw base::InputError("coordinate \"" + c.id +
                             "\" is locked, and no coordinate of the model is free to move.");
    }
    follow(i, leader, Function::linear(0, c.initial));
  }
}

void MechanismTree::number_coordinates() {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    NamedCoordinate& c = coordinates_[i];
    // A coordinate of the tree is one that a drive of its joint uses without an inner function.
    int place = 0;
    for (std::size_t k = 0; k < i; ++k) place += coordinates_[k].body == c.body ? 1 : 0;
    const Joint& joint = links_[c.body].axes;
    const BodyInfo& info = tree_.bodies[c.body];
    for (std::size_t s = 0; s < joint.steps.size(); ++s) {
      if (joint.steps[s].coordinate != place) continue;
      const Drive& drive = tree_.drives[tree_.nodes[info.first_node + static_cast<int>(s)].w];
      if (drive.inner >= 0) continue;
      c.q = drive.q;
      c.v = drive.v;
    }
  }
}

void MechanismTree::span(const Description& description) {
  const int num_bodies = static_cast<int>(description.bodies.size());
  const auto index = [&](const std::string& id) {
    if (id == mechanism::kInertial) return -1;
    for (int i = 0; i < num_bodies; ++i) {
      if (description.bodies[i].id == id) return i;
    }
    return -1;  // refused by the checks of a description
  };
  number_.assign(num_bodies, -1);
  std::vector<char> used(description.joints.size(), 0);
  const auto reached = [&](int body) { return body < 0 || number_[body] >= 0; };
  const auto attach = [&](const Link& link) {
    number_[link.body] = static_cast<int>(links_.size());
    links_.push_back(link);
  };
  // Joints of the bodies reached so far, again and again until none reaches a new body.
  const auto grow = [&] {
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t j = 0; j < description.joints.size(); ++j) {
        const mechanism::Joint& joint = description.joints[j];
        if (used[j] || joint.key == "Free") continue;
        const int begin = index(joint.begin.body), end = index(joint.end.body);
        if (reached(begin) == reached(end)) continue;
        Link link;
        link.joint = static_cast<int>(j);
        link.reversed = reached(end);
        link.body = link.reversed ? begin : end;
        const int carrier = link.reversed ? end : begin;
        link.parent = carrier < 0 ? -1 : number_[carrier];
        link.by_normals = joint.key == "Revolute_2";
        if (joint.key == "Spherical") {
          link.kind = Kind::kSpherical;
        } else if (joint.key == "Revolute" || joint.key == "Revolute_2") {
          link.kind = Kind::kRevolute;
        } else if (joint.key == "Universal") {
          link.kind = Kind::kUniversal;
        } else if (joint.key == "Cylindrical") {
          link.kind = Kind::kCylindrical;
        } else if (joint.key == "Prismatic") {
          link.kind = Kind::kPrismatic;
        } else if (joint.key == "Fixed") {
          link.kind = Kind::kFixed;
        } else if (joint.key == mechanism::kAxesJoint) {
          link.kind = Kind::kAxes;
          link.axes = joint_of_axes(joint, link.reversed);
        } else {
          continue;  // holds distances or is a plug-in's: a closure
        }
        link.begin = mechanism::site_of(description, table_, joint.begin, joint.id + ".begin");
        link.end = mechanism::site_of(description, table_, joint.end, joint.id + ".end");
        used[j] = 1;
        attach(link);
        grown = true;
      }
    }
  };
  grow();
  for (int body = 0; body < num_bodies; ++body) {
    if (number_[body] >= 0) continue;
    Link link;
    link.body = body;
    attach(link);
    grow();
  }
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    if (used[j] || description.joints[j].key == "Free") continue;
    if (description.joints[j].key == mechanism::kAxesJoint) {
      throw base::InputError(
          description.joints[j].place,
          "joint \"" + description.joints[j].id +
              "\": a joint by axes cannot close a loop: both of its bodies are carried by other "
              "joints.");
    }
    closures_.push_back(static_cast<int>(j));
  }
}

template <class S>
MechanismTree::GivenFrame<S> MechanismTree::given_frame(const Marker& marker,
                                                        const S* constants) const {
  const MarkerAxes<S> f = marker_axes(constants + marker.first_constant, marker.has_x, marker.has_y,
                                      marker.body < 0 ? nullptr : bodies_[marker.body].S);
  return {f.o, {f.x, f.y, f.z}};
}

template MechanismTree::GivenFrame<double> MechanismTree::given_frame(const Marker&,
                                                                      const double*) const;
template MechanismTree::GivenFrame<Dual> MechanismTree::given_frame(const Marker&,
                                                                    const Dual*) const;

template <class S>
Transform<S> MechanismTree::marker_frame(const Marker& marker, const S* constants) const {
  return about_z(marker_axes(constants + marker.first_constant, marker.has_x, marker.has_y,
                             marker.body < 0 ? nullptr : bodies_[marker.body].S),
                 false);
}

template Transform<double> MechanismTree::marker_frame(const Marker&, const double*) const;
template Transform<Dual> MechanismTree::marker_frame(const Marker&, const Dual*) const;

Joint MechanismTree::joint_of(const Link& link) const {
  const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (link.kind) {
    case Kind::kFixed:
      return Joint::fixed();
    case Kind::kRevolute:
      return Joint::revolute(z);
    case Kind::kUniversal:
      return link.reversed ? Joint::universal(y, x) : Joint::universal(x, y);
    case Kind::kCylindrical: {
      // begin to end: slide, then turn; the other way round if begin is carried.
      const Step slide{StepKind::kTranslation, z, 0, -1}, turn{StepKind::kRotation, z, 1, -1};
      return link.reversed ? Joint{{turn, slide}, {}} : Joint{{slide, turn}, {}};
    }
    case Kind::kPrismatic:
      return Joint::prismatic(z);
    case Kind::kSpherical:
      return Joint::spherical();
    case Kind::kAxes:
      return link.axes;
    default:
      return Joint::floating();
  }
}

template <class S>
MechanismTree::JointFrames<S> MechanismTree::joint_frames(const Link& link,
                                                          const S* constants) const {
  const auto axes = [&](const Marker& end) {
    return marker_axes(constants + end.first_constant, end.has_x, end.has_y,
                       end.body < 0 ? nullptr : bodies_[end.body].S);
  };
  const MarkerAxes<S> b = axes(link.begin), e = axes(link.end);
  // What the rows of each joint hold (mechanism/elements/standard_elements_joints.cc), for axes
  // that need not be orthonormal.
  JointFrames<S> out;
  switch (link.kind) {
    case Kind::kRevolute:  // z of end is normal to x and y of begin, or the reverse
      out.begin = about_z(b, !link.by_normals);
      out.end = about_z(e, link.by_normals);
      break;
    case Kind::kUniversal: {  // x of begin is normal to y of end
      const Vec3<S> x = unit(b.x), z = unit_beside(b.z, x);
      out.begin = {{x, cross(z, x), z}, b.o};
      const Vec3<S> y = unit(e.y), w = unit_beside(e.z, y);
      out.end = {{cross(y, w), y, w}, e.o};
      break;
    }
    case Kind::kCylindrical:
      out.begin = about_z(b, false);
      out.end = about_z(e, true);
      break;
    case Kind::kPrismatic: {  // z of begin is normal to x, y of end; x of begin to y of end
      const Vec3<S> z = unit(b.z), y = unit(cross(b.z, b.x));
      out.begin = {{cross(y, z), y, z}, b.o};
      const Vec3<S> n = unit(cross(e.x, e.y)), w = unit(e.y);
      out.end = {{cross(w, n), w, n}, e.o};
      break;
    }
    case Kind::kFixed: {  // z of end is normal to x, y of begin; x of begin to y of end
      out.begin = about_z(b, true);
      const Vec3<S> z = unit(e.z), x = unit(cross(e.y, e.z));
      out.end = {{x, cross(z, x), z}, e.o};
      break;
    }
    default:
      out.begin = about_z(b, false);
      out.end = about_z(e, false);
  }
  out.slide = transposed_times(out.begin.R, unit(cross(b.x, b.y)));
  return out;
}

template <class S>
void MechanismTree::bind_link(const Link& link, const S* constants, BodyConstants<S>& out) const {
  const BodySpec& spec = bodies_[link.body];
  const S* numbers = constants + spec.first_constant;
  if (spec.from_cholesky) {
    std::array<S, 10> L;
    std::copy_n(numbers + 10, 10, L.begin());
    const auto inertia = mechanism::inertia_from_cholesky(L);
    const auto& J = inertia.J;
    out.mass = inertia.m;
    out.center = {inertia.c[0], inertia.c[1], inertia.c[2]};
    out.Theta = {J[1] + J[2], J[0] + J[2], J[0] + J[1], -J[3], -J[4], -J[5]};
  } else {
    out.mass = numbers[0];
    S center[3];
    for (int i = 0; i < 3; ++i) {
      center[i] = S(spec.S[i][i]) * numbers[1 + i];
      for (int j = i + 1; j < 3; ++j) center[i] = center[i] + S(spec.S[i][j]) * numbers[1 + j];
    }
    out.center = {center[0], center[1], center[2]};
    out.Theta = {numbers[4], numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]};
    if (spec.about_origin) {
      const Sym3<S> whole = inertia_about_origin(out.mass, out.center, Sym3<S>{}).I;
      out.Theta = out.Theta - whole;
    }
  }
  out.axes.clear();
  if (link.kind == Kind::kFloating) {
    out.axes.resize(2);
    return;
  }
  const JointFrames<S> frames = joint_frames(link, constants);
  out.X_PJ = link.reversed ? frames.end : frames.begin;
  out.X_BJ = link.reversed ? frames.begin : frames.end;
  Mat3<S>& R = out.X_BJ.R;
  R = {S(link.flip[0]) * R.x, S(link.flip[1]) * R.y, S(link.flip[2]) * R.z};
  for (const Step& step : link.steps) {
    const Vec3<double>& a = step.axis;
    Vec3<S> axis{S(a.x), S(a.y), S(a.z)};
    if (step.kind == StepKind::kTranslation && link.kind != Kind::kAxes) {
      axis = frames.slide;
      if (link.reversed) {  // in axes of begin as they are carried
        axis = {S(link.flip[0]) * axis.x, S(link.flip[1]) * axis.y, S(link.flip[2]) * axis.z};
      }
    }
    out.axes.push_back(axis);
  }
}

template <class S>
void MechanismTree::bind(const S* constants, Constants<S>& out) const {
  out.bodies.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    bind_link(links_[i], constants, out.bodies[i]);
  }
  const S zero(0.0);
  out.gravity = {zero, zero, zero};
  for (const Gravity& gravity : gravity_) {
    const S* g = constants + gravity.first_constant;
    out.gravity += gravity.is_vector ? Vec3<S>{g[0], g[1], g[2]} : Vec3<S>{zero, zero, g[0]};
  }
  // Functions of joints are numbers.
  out.functions.resize(tree_.functions.size());
  for (std::size_t i = 0; i < tree_.functions.size(); ++i) {
    const auto& numbers = tree_.functions[i].constants;
    out.functions[i].resize(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) out.functions[i][k] = S(numbers[k]);
  }
}

template void MechanismTree::bind(const double*, Constants<double>&) const;
template void MechanismTree::bind(const Dual*, Constants<Dual>&) const;

void MechanismTree::choose_flip(const Description& description, Link& link,
                                const std::vector<double>& constants) {
  if (link.kind == Kind::kFloating || link.kind == Kind::kSpherical ||
      link.kind == Kind::kUniversal || link.kind == Kind::kAxes) {
    return;
  }
  BodyConstants<double> numbers;
  bind_link(link, constants.data(), numbers);
  const DescribedMotion carrier =
      link.parent < 0 ? DescribedMotion{}
                      : described_motion(description.bodies[links_[link.parent].body]);
  const DescribedMotion carried = described_motion(description.bodies[link.body]);
  const Mat3<double> P = carrier.X.R * numbers.X_PJ.R, B = carried.X.R * numbers.X_BJ.R;
  link.flip[2] = dot(P.z, B.z) < 0 ? -1 : 1;
  const bool turns = link.kind == Kind::kRevolute || link.kind == Kind::kCylindrical;
  link.flip[0] = !turns && dot(P.x, B.x) < 0 ? -1 : 1;
  link.flip[1] = link.flip[0] * link.flip[2];
}

void MechanismTree::set_state(const Description& description,
                              const std::vector<double>& /*constants*/) {
  q_.assign(tree_.nq, 0.0);
  v_.assign(tree_.nv, 0.0);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const BodyConstants<double>& c = tree_.constants.bodies[i];
    const DescribedMotion carrier =
        link.parent < 0 ? DescribedMotion{}
                        : described_motion(description.bodies[links_[link.parent].body]);
    const RelativeMotion r =
        relative_motion(carrier, c.X_PJ, described_motion(description.bodies[link.body]), c.X_BJ);
    double *q = q_.data() + tree_.bodies[i].q, *v = v_.data() + tree_.bodies[i].v;
    const Mat3<double>& R = r.X.R;
    const double about_z = std::atan2(R.x.y - R.y.x, R.x.x + R.y.y);
    switch (link.kind) {
      case Kind::kFixed:
      case Kind::kAxes:
        break;
      case Kind::kRevolute:
        q[0] = about_z;
        v[0] = r.omega.z;
        break;
      case Kind::kUniversal:
        if (link.reversed) {
          q[0] = std::atan2(-R.x.z, R.x.x);
          q[1] = std::atan2(-R.z.y, R.y.y);
          v[0] = dot(Vec3<double>{R.x.y, R.y.y, R.z.y}, r.omega);
          v[1] = r.omega.x;
        } else {
          q[0] = std::atan2(R.y.z, R.y.y);
          q[1] = std::atan2(R.z.x, R.x.x);
          v[0] = dot(Vec3<double>{R.x.x, R.y.x, R.z.x}, r.omega);
          v[1] = r.omega.y;
        }
        break;
      case Kind::kCylindrical: {
        const Vec3<double> slide = link.reversed ? R * c.axes[1] : c.axes[0];
        q[0] = dot(slide, r.X.p);
        q[1] = about_z;
        v[0] = dot(slide, r.v);
        v[1] = r.omega.z;
        break;
      }
      case Kind::kPrismatic:
        q[0] = dot(c.axes[0], r.X.p);
        v[0] = dot(c.axes[0], r.v);
        break;
      case Kind::kFloating:
        q[0] = r.X.p.x;
        q[1] = r.X.p.y;
        q[2] = r.X.p.z;
        v[0] = r.v.x;
        v[1] = r.v.y;
        v[2] = r.v.z;
        q += 3;
        v += 3;
        [[fallthrough]];
      case Kind::kSpherical:
        to_quaternion(R, q);
        v[0] = r.omega.x;
        v[1] = r.omega.y;
        v[2] = r.omega.z;
        break;
    }
  }
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    if (coordinates_[i].q < 0) continue;
    q_[coordinates_[i].q] = coordinates_[i].initial;
    v_[coordinates_[i].v] = coordinate_rates_[i];
  }
}

}  // namespace parfait::tree
