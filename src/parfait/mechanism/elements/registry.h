#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/mechanism/description/description.h"

/// The element types a model may name, each under its key. Parfait's own register here like any
/// plug-in's do: a shared library given with --plugin that calls registry().add(...) at load adds a
/// force without a line changed in Parfait.
namespace parfait::mechanism {

class ForceElement;  // force.h
class EventElement;  // event.h

struct ConstantInfo {
  std::string name;
  std::string unit;
  std::string meaning;
  std::optional<double> fallback;  ///< used if the model does not give it; none: required
  double lower = -std::numeric_limits<double>::infinity();  ///< checked for events
  double upper = std::numeric_limits<double>::infinity();
};

/// One row of Kraus 2006, appendix C.1. `a` is the begin marker (body 1), `b` the end marker (body
/// 2).
enum class RowKind { kB0x, kB0y, kB0z, kDDX, kBBDX, kBBX, kV0x, kV0y, kV0z, kVVDX, kVVX };

struct Row {
  RowKind kind;
  char a_axis = 0;           ///< DDX, BBDX, VVDX: the axis of the begin marker
  char b_axis = 0;           ///< DDX: the axis of the end marker
  int offset_constant = -1;  ///< index of the joint constant that is the offset r; -1: r = 0
};

struct JointType {
  std::string key;
  std::string summary;
  std::vector<Row> rows;
  std::vector<ConstantInfo> constants;
  int free_translations = 0;  ///< what the joint leaves free
  int free_rotations = 0;
};

/// A quantity that elements of a type offer as "<force>.<name>".
struct QuantityInfo {
  std::string name;
  std::string unit;
  std::string meaning;
};

/// A state of an element: "<force>.<name of the constant>", which begins with that constant.
struct ElementState {
  int constant = 0;
  bool is_held = false;  ///< of rate 0: events alone change it
};

struct ForceType {
  std::string key;
  std::string summary;
  std::vector<ConstantInfo> constants;
  /// An element that acts where its ends are, or the weight of all bodies.
  enum class Kind { kElement, kWeight } kind = Kind::kElement;
  /// <begin>, any number of <via>, <end>, which the element sees in this order; a single end is
  /// <begin>.
  int min_ends = 2, max_ends = 2;
  /// The element of a description that has been checked.
  std::function<std::unique_ptr<ForceElement>(const Force&)> make{};
  std::vector<QuantityInfo> quantities{};
  std::vector<ElementState> states{};
  /// Its power is minus the rate of its potential energy minus its dissipation.
  bool accounts_for_power = false;
  /// What the formula of its law calls s; the law is required (General_*), or a formula given for
  /// the constant `law_constant` (Actuator).
  std::string measure{};
  bool has_law = false;
  int law_constant = -1;
  /// Where a one-sided element (Force::side) touches: s equals the constant of this index or, if
  /// the law has none, the further constant `touch` that one-sided elements get. Neither: always
  /// both sides.
  int rest_constant = -1;
  std::optional<ConstantInfo> touch{};
  bool elastic = false;  ///< F depends on s alone and passes zero at the rest value
  std::vector<ConstantInfo> alternative{};  ///< may be given instead: gravity as a vector

  bool is_element() const { return kind == Kind::kElement; }
  bool may_be_one_sided() const { return rest_constant >= 0 || touch; }
  /// The constants of an element that acts on this side.
  std::vector<ConstantInfo> constants_of(Side side) const;
};

struct EventType {
  std::string key;
  std::string summary;
  std::vector<ConstantInfo> constants;
  bool between_bodies = true;  ///< has begin and end markers; otherwise a formula says when
  std::function<std::unique_ptr<EventElement>()> make{};
};

class Registry {
 public:
  void add(JointType type);  ///< InputError if the key is taken
  void add(ForceType type);
  void add(EventType type);

  const JointType* find_joint(const std::string& key) const;
  const ForceType* find_force(const std::string& key) const;
  const EventType* find_event(const std::string& key) const;
  const std::vector<JointType>& joints() const { return joints_; }
  const std::vector<ForceType>& forces() const { return forces_; }
  const std::vector<EventType>& events() const { return events_; }
  std::vector<std::string> joint_keys() const;
  std::vector<std::string> force_keys() const;
  std::vector<std::string> event_keys() const;

 private:
  std::vector<JointType> joints_;
  std::vector<ForceType> forces_;
  std::vector<EventType> events_;
};

/// The one registry, with Parfait's own elements in it.
Registry& registry();

}  // namespace parfait::mechanism
