#include <fmt/format.h>

#include <algorithm>

#include "command.h"
#include "parfait/mbs/registry.h"
#include "run_folder.h"

// parfait elements: every joint, force and event a model may use, with its constants.
namespace parfait::app {
namespace {

Json constants_json(const std::vector<mbs::ConstantInfo>& constants) {
  Json list = Json::array();
  for (const auto& constant : constants) {
    list.push_back({{"name", constant.name},
                    {"unit", constant.unit},
                    {"meaning", constant.meaning},
                    {"default", constant.fallback ? Json(*constant.fallback) : Json(nullptr)}});
  }
  return list;
}

Json as_json(const mbs::Registry& registry) {
  Json joints = Json::array(), forces = Json::array();
  for (const auto& joint : registry.joints()) {
    joints.push_back({{"key", joint.key},
                      {"summary", joint.summary},
                      {"constraints", joint.rows.size()},
                      {"free_translations", joint.free_translations},
                      {"free_rotations", joint.free_rotations},
                      {"constants", constants_json(joint.constants)}});
  }
  for (const auto& force : registry.forces()) {
    forces.push_back({{"key", force.key},
                      {"summary", force.summary},
                      {"between_bodies", force.between_bodies},
                      {"law", force.has_law},
                      {"one_sided", force.may_be_one_sided()},
                      {"constants", constants_json(force.constants_of(mbs::Side::kPush))}});
  }
  Json events = Json::array();
  for (const auto& event : registry.events()) {
    events.push_back({{"key", event.key},
                      {"summary", event.summary},
                      {"between_bodies", event.between_bodies},
                      {"constants", constants_json(event.constants)}});
  }
  return {{"joints", joints}, {"forces", forces}, {"events", events}};
}

void print_constants(const std::vector<mbs::ConstantInfo>& constants) {
  std::size_t name = 0, unit = 0;
  for (const auto& c : constants) {
    name = std::max(name, c.name.size());
    unit = std::max(unit, c.unit.size());
  }
  for (const auto& c : constants) {
    const std::string fallback = c.fallback ? fmt::format("default {:g}", *c.fallback) : "required";
    fmt::print("      {:<{}}  {:<{}}  {:<14}  {}\n", c.name, name, c.unit, unit, fallback,
               c.meaning);
  }
}

void print(const mbs::Registry& registry) {
  std::size_t width = 0;
  for (const auto& key : registry.joint_keys()) width = std::max(width, key.size());
  for (const auto& key : registry.force_keys()) width = std::max(width, key.size());

  fmt::print("Joints: <joint key=\"...\"> (constraints; translations + rotations left free)\n");
  for (const auto& joint : registry.joints()) {
    fmt::print("  {:<{}}  {}; {} + {}  {}\n", joint.key, width, joint.rows.size(),
               joint.free_translations, joint.free_rotations, joint.summary);
    print_constants(joint.constants);
  }
  fmt::print("\nForces: <force key=\"...\">\n");
  for (const auto& force : registry.forces()) {
    fmt::print("  {:<{}}  {}{}\n", force.key, width, force.summary,
               force.has_law ? " (takes a formula)" : "");
    print_constants(force.constants_of(mbs::Side::kPush));
  }
  fmt::print("\nEvents: <event key=\"...\">\n");
  for (const auto& event : registry.events()) {
    fmt::print("  {:<{}}  {}\n", event.key, width, event.summary);
    print_constants(event.constants);
  }
}

}  // namespace

Command add_elements(CLI::App& app, const Common& common) {
  auto* parser =
      app.add_subcommand("elements", "list every joint, force and event with its constants");
  return {parser, [&common] {
            if (common.json) {
              fmt::print("{}\n", as_json(mbs::registry()).dump(2));
            } else if (!common.quiet) {
              print(mbs::registry());
            }
            return kDone;
          }};
}

}  // namespace parfait::app
