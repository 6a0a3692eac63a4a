#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/mechanism/description.h"

/// The element types a model may name, each under its key. Parfait's own register here like any
/// plug-in's do: a shared library given with --plugin that calls registry().add(...) at load adds a
/// force without a line changed in Parfait.
namespace parfait::mbs {
class ForceElement;  // mbs/force.h
class EventElement;  // mbs/event.h
}  // namespace parfait::mbs

namespace parfait::mechanism {

struct ConstantInfo {
  std::string name;
  std::string unit;
  std::string meaning;
  std::optional<double> fallback;  ///< used if the model does not give it; none: required
  double lower = -std::numeric_limits<double>::infinity();  ///< checked for events
  double upper = std::numeric_limits<double>::infinity();
};

/// One row of K appendix C.1. `a` is the begin marker (body 1), `b` the end marker (body 2).
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

inline constexpr int kMaxForceConstants = 32;  ///< Registry::add refuses more

struct ForceType {
  std::string key;
  std::string summary;
  std::vector<ConstantInfo> constants;
  bool between_bodies = true;  ///< has begin and end markers
  bool has_law = false;        ///< General_*: takes a formula
  std::function<std::unique_ptr<mbs::ForceElement>()> make{};
  /// Where a one-sided element (Force::side) touches: s equals the constant of this index or, if
  /// the law has none, the further constant `touch` that one-sided elements get. Neither: always
  /// both sides.
  int rest_constant = -1;
  std::optional<ConstantInfo> touch{};
  bool elastic = false;  ///< F depends on s alone and passes zero at the rest value
  std::vector<ConstantInfo> alternative{};  ///< may be given instead: gravity as a vector

  bool may_be_one_sided() const { return rest_constant >= 0 || touch; }
  /// The constants of an element that acts on this side.
  std::vector<ConstantInfo> constants_of(Side side) const;
};

struct EventType {
  std::string key;
  std::string summary;
  std::vector<ConstantInfo> constants;
  bool between_bodies = true;  ///< has begin and end markers; otherwise a formula says when
  std::function<std::unique_ptr<mbs::EventElement>()> make{};
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
