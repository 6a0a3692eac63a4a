#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "parfait/tree/structure/tree.h"

/// What a tree may touch: points, lines, planes, loops, rolling. A set is constant; what of it is
/// closed at the moment is a ContactView, so that phases of a motion are views of one model.
///
/// Rows    on body B against another body O (or the world), d fixed to O:
///   distance   g = d . (r_B - r_O)
///   axes       g = a . d,   a fixed to B
///   rolling    no g; g' = d . (v_C + omega x arm), arm and d fixed to the world: the velocity of
///              the material point that touches. Its rate is d . (a_C + alpha x arm): the point of
///              contact moves on, the centripetal acceleration of the material point is no slip. A
///              sphere that spins freely about the normal does not accelerate.
/// Sign    forces on the model:  H vdot + c = tau + G^T lambda,   G vdot = gamma.
/// See     docs/theory/tree.md (T34-T38).
namespace parfait::tree {

struct ContactRow {
  enum class Kind : std::uint8_t { kDistance, kAxes, kRolling };
  Kind kind = Kind::kDistance;
  int body = 0, other = -1;  ///< -1: the world
  Vec3<double> point{};      ///< on `body`, in its frame (rolling: the centre)
  Vec3<double> place{};      ///< on `other`
  Vec3<double> direction{};  ///< d, in the frame of `other`
  Vec3<double> axis{};       ///< a, in the frame of `body`
  Vec3<double> arm{};        ///< from the centre to the point of contact, world axes
  double value = 0;          ///< of g where the row holds
  double restitution = 0;    ///< of an impact: g'+ = -e g'-
  int contact = 0;           ///< which contact it belongs to
};

struct ContactView {
  std::vector<int> rows;  ///< of the set, ascending
};

/// A place on a body or (body -1) in the world, in its frame.
struct BodyPoint {
  int body = -1;
  Vec3<double> point{};
};

class ContactSet {
 public:
  /// The point of a body keeps its coordinates along directions of the world. `restitution` in all
  /// of them, or only along the first (the normal) if `normal_only`.
  void add_point(const std::string& name, const BodyPoint& at, const Vec3<double>& place,
                 std::span<const Vec3<double>> directions, double restitution = 0,
                 bool normal_only = true);
  /// The point stays on the line through `place` (of a body or the world) along `along`.
  void add_line(const std::string& name, const BodyPoint& at, const BodyPoint& place,
                const Vec3<double>& along);
  /// The point stays in the plane through `place` with that normal; at a distance if it is one.
  void add_plane(const std::string& name, const BodyPoint& at, const BodyPoint& place,
                 const Vec3<double>& normal, double distance = 0, double restitution = 0);
  /// Frames X_B on a body and X_O on another (or the world) coincide in the translations and
  /// rotations marked: three of position along the axes of X_O, three of rotation about them.
  void add_loop(const std::string& name, int body, const Transform<double>& X_B, int other,
                const Transform<double>& X_O, const std::array<bool, 6>& held);
  /// A sphere on the plane through `place` of the world with that normal rolls without slip.
  void add_rolling_sphere(const std::string& name, const BodyPoint& centre, double radius,
                          const Vec3<double>& place, const Vec3<double>& normal,
                          double restitution = 0);
  /// A cylinder with this axis (body frame) that lies on the plane and rolls without slip.
  void add_rolling_cylinder(const std::string& name, const BodyPoint& centre,
                            const Vec3<double>& axis, double radius, const Vec3<double>& place,
                            const Vec3<double>& normal);

  const std::vector<ContactRow>& rows() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  ContactView all() const;
  /// InputError for a name that no contact has.
  ContactView view(std::span<const std::string> names) const;

 private:
  int begin(const std::string& name);

  std::vector<ContactRow> rows_;
  std::vector<std::string> names_;
};

}  // namespace parfait::tree
