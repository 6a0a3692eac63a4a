#include "parfait/tree/contacts/contact_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"

namespace parfait::tree {
namespace {

using Vector = Vec3<double>;

Vector contact_direction(const Vector& a) {
  const double length = std::sqrt(dot(a, a));
  if (!(length > 0)) throw base::InputError("a contact needs a direction that is not zero.");
  return (1 / length) * a;
}

/// Two unit vectors normal to the unit vector n and to each other.
std::array<Vector, 2> normals_to(const Vector& n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  const Vector e{x <= y && x <= z ? 1.0 : 0.0, x > y && y <= z ? 1.0 : 0.0,
                 z < x && z < y ? 1.0 : 0.0};
  const Vector first = contact_direction(e - dot(e, n) * n);
  return {first, cross(n, first)};
}

}  // namespace

int ContactSet::begin(const std::string& name) {
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
    throw base::InputError(fmt::format("contact \"{}\": there is another one of this name.", name));
  }
  names_.push_back(name);
  return static_cast<int>(names_.size()) - 1;
}

void ContactSet::add_point(const std::string& name, const BodyPoint& at, const Vector& place,
                           std::span<const Vector> directions, double restitution,
                           bool normal_only) {
  const int contact = begin(name);
  for (std::size_t i = 0; i < directions.size(); ++i) {
    ContactRow row;
    row.body = at.body;
    row.point = at.point;
    row.place = place;
    row.direction = contact_direction(directions[i]);
    row.restitution = i == 0 || !normal_only ? restitution : 0.0;
    row.contact = contact;
    rows_.push_back(row);
  }
}

void ContactSet::add_line(const std::string& name, const BodyPoint& at, const BodyPoint& place,
                          const Vector& along) {
  const int contact = begin(name);
  for (const Vector& d : normals_to(contact_direction(along))) {
    ContactRow row;
    row.body = at.body;
    row.other = place.body;
    row.point = at.point;
    row.place = place.point;
    row.direction = d;
    row.contact = contact;
    rows_.push_back(row);
  }
}

void ContactSet::add_plane(const std::string& name, const BodyPoint& at, const BodyPoint& place,
                           const Vector& normal, double distance, double restitution) {
  ContactRow row;
  row.contact = begin(name);
  row.body = at.body;
  row.other = place.body;
  row.point = at.point;
  row.place = place.point;
  row.direction = contact_direction(normal);
  row.value = distance;
  row.restitution = restitution;
  rows_.push_back(row);
}

void ContactSet::add_loop(const std::string& name, int body, const Transform<double>& X_B,
                          int other, const Transform<double>& X_O,
                          const std::array<bool, 6>& held) {
  const int contact = begin(name);
  const Vector axes_O[3] = {X_O.R.x, X_O.R.y, X_O.R.z};
  const Vector axes_B[3] = {X_B.R.x, X_B.R.y, X_B.R.z};
  for (int i = 0; i < 6; ++i) {
    if (!held[i]) continue;
    ContactRow row;
    row.body = body;
    row.other = other;
    row.contact = contact;
    if (i < 3) {
      row.point = X_B.p;
      row.place = X_O.p;
      row.direction = axes_O[i];
    } else {
      // No rotation about axis k: the next axis of B stays normal to the one after it of O.
      const int k = i - 3;
      row.kind = ContactRow::Kind::kAxes;
      row.axis = axes_B[(k + 1) % 3];
      row.direction = axes_O[(k + 2) % 3];
    }
    rows_.push_back(row);
  }
}

void ContactSet::add_rolling_sphere(const std::string& name, const BodyPoint& centre, double radius,
                                    const Vector& place, const Vector& normal, double restitution) {
  const Vector n = contact_direction(normal);
  add_plane(name, centre, {-1, place}, n, radius, restitution);
  for (const Vector& d : normals_to(n)) {
    ContactRow row;
    row.kind = ContactRow::Kind::kRolling;
    row.body = centre.body;
    row.point = centre.point;
    row.direction = d;
    row.arm = -radius * n;
    row.contact = static_cast<int>(names_.size()) - 1;
    rows_.push_back(row);
  }
}

void ContactSet::add_rolling_cylinder(const std::string& name, const BodyPoint& centre,
                                      const Vector& axis, double radius, const Vector& place,
                                      const Vector& normal) {
  add_rolling_sphere(name, centre, radius, place, normal);
  ContactRow row;  // the axis stays level
  row.kind = ContactRow::Kind::kAxes;
  row.body = centre.body;
  row.axis = contact_direction(axis);
  row.direction = contact_direction(normal);
  row.contact = static_cast<int>(names_.size()) - 1;
  rows_.push_back(row);
}

ContactView ContactSet::all() const {
  ContactView out;
  for (std::size_t i = 0; i < rows_.size(); ++i) out.rows.push_back(static_cast<int>(i));
  return out;
}

ContactView ContactSet::view(std::span<const std::string> names) const {
  std::vector<char> closed(names_.size(), 0);
  for (const auto& name : names) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      throw base::InputError(fmt::format("contact \"{}\": does not exist.{} Contacts: {}.", name,
                                         base::suggestion(name, names_), base::listing(names_)));
    }
    closed[found - names_.begin()] = 1;
  }
  ContactView out;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (closed[rows_[i].contact]) out.rows.push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace parfait::tree
