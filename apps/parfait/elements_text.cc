#include <fmt/format.h>

#include <algorithm>

#include "elements_text.h"
#include "parfait/io/results/elements_json.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/run/summary/text_table.h"

namespace parfait::app {
namespace {

constexpr const char* kOfConstants = "      ";

/// Names, units, whether they must be given, and meanings: a line for each.
class ConstantLines {
 public:
  /// `when`: where the constants do not always belong to the element.
  void add(const std::vector<mechanism::ConstantInfo>& constants, const std::string& when = "") {
    for (const auto& constant : constants) {
      const std::string need =
          constant.fallback ? fmt::format("default {:g}", *constant.fallback) : "required";
      table_.add({constant.name, constant.unit, need + when, constant.meaning});
    }
  }
  void print() const { fmt::print("{}", table_.text(kOfConstants)); }

 private:
  run::TextTable table_{{"", "", "", ""}, {0, 1, 2, 3}};
};

void print_joints(const mechanism::Registry& registry, std::size_t width) {
  fmt::print("Joints: <joint key=\"...\"> (constraints; translations + rotations left free)\n");
  for (const auto& joint : registry.joints()) {
    fmt::print("  {:<{}}  {}; {} + {}  {}\n", joint.key, width, joint.rows.size(),
               joint.free_translations, joint.free_rotations, joint.summary);
    ConstantLines lines;
    lines.add(joint.constants);
    lines.print();
  }
}

void print_constraints(std::size_t width) {
  fmt::print(
      "\nConstraints: <constraint key=\"...\" begin_axis=\"z\" end_axis=\"z\" offset=\"r\">, one "
      "equation each\n"
      "  begin and end are the origins of the two markers, begin_axis and end_axis (x, y or z) "
      "axes of them;\n"
      "  r is a number or, to drive the motion, a formula of t, parameters and inputs\n");
  for (const auto& constraint : mechanism::constraint_types()) {
    const auto& r = constraint.offset;
    fmt::print("  {:<{}}  {}; r in {}, {}\n", constraint.key, width, constraint.summary, r.unit,
               r.fallback ? fmt::format("default {:g}", *r.fallback) : "required");
  }
}

void print_forces(const mechanism::Registry& registry, std::size_t width) {
  fmt::print("\nForces: <force key=\"...\"> (one-sided: with side=\"push\" or side=\"pull\")\n");
  for (const auto& force : registry.forces()) {
    fmt::print("  {:<{}}  {}{}\n", force.key, width, force.summary,
               force.has_law ? " (takes a formula)" : "");
    const auto always = force.constants_of(mechanism::Side::kBoth);
    const auto one_sided = force.constants_of(mechanism::Side::kPush);
    ConstantLines lines;
    lines.add(always);
    lines.add({one_sided.begin() + static_cast<std::ptrdiff_t>(always.size()), one_sided.end()},
              ", one-sided only");
    lines.add(force.alternative, ", instead");
    lines.print();
  }
}

void print_events(const mechanism::Registry& registry, std::size_t width) {
  fmt::print("\nEvents: <event key=\"...\">\n");
  for (const auto& event : registry.events()) {
    fmt::print("  {:<{}}  {}\n", event.key, width, event.summary);
    ConstantLines lines;
    lines.add(event.constants);
    lines.print();
  }
}

template <class Families>
void print_families(const Families& families) {
  run::TextTable table({"", "", ""}, {0, 1, 2});
  for (const auto& family : families) {
    table.add({io::full_pattern(family), family.unit, family.meaning});
  }
  fmt::print("{}", table.text("  "));
}

}  // namespace

void print_elements(const mechanism::Registry& registry) {
  std::size_t width = 0;
  for (const auto& keys : {registry.joint_keys(), registry.force_keys(), registry.event_keys()}) {
    for (const auto& key : keys) width = std::max(width, key.size());
  }
  print_joints(registry, width);
  print_constraints(width);
  print_forces(registry, width);
  print_events(registry, width);
  fmt::print(
      "\nQuantities: --observe, <output>, <observe quantity=\"...\">, alone or in formulas; "
      "vectors in world axes\n");
  print_families(mechanism::quantity_families());
  fmt::print(
      "\nConstants that parameters may drive: <parameter drives=\"...\">, besides those "
      "listed with joints, forces and events\n");
  print_families(mechanism::driven_constants());
}

}  // namespace parfait::app
