#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/mbs/description.h"

/// The element types a model may name, each under its key. Parfait's own register here like any
/// plug-in's do: a shared library given with --plugin that calls registry().add(...) at load adds a
/// force without a line changed in Parfait.
namespace parfait::mbs {

class ForceElement;  // force.h

struct ConstantInfo {
  std::string name;
  std::string unit;
  std::string meaning;
  std::optional<double> fallback;  ///< used if the model does not give it; none: required
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
  std::function<std::unique_ptr<ForceElement>()> make{};
};

class Registry {
 public:
  void add(JointType type);  ///< InputError if the key is taken
  void add(ForceType type);

  const JointType* find_joint(const std::string& key) const;
  const ForceType* find_force(const std::string& key) const;
  const std::vector<JointType>& joints() const { return joints_; }
  const std::vector<ForceType>& forces() const { return forces_; }
  std::vector<std::string> joint_keys() const;
  std::vector<std::string> force_keys() const;

 private:
  std::vector<JointType> joints_;
  std::vector<ForceType> forces_;
};

/// The one registry, with Parfait's own elements in it.
Registry& registry();

}  // namespace parfait::mbs
