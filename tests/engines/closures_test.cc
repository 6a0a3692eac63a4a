#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "models.h"
#include "parfait/base/error.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/io/model/any_model_file.h"
#include "random_mechanisms.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"
#include "two_engines.h"

/// Loops, constraints, forces, events and states: the same mechanisms in both engines.
namespace parfait {
namespace {

using testing_support::compare_motion;
using testing_support::largest_difference;
using testing_support::TwoEngines;

mechanism::Description read(const std::string& file) {
  const auto model = io::read_any_model(std::string(PARFAIT_SOURCE_DIR) + "/" + file);
  if (const auto* mechanism = std::get_if<mechanism::Description>(&model)) return *mechanism;
  throw base::InputError(file + " is not a mechanism.");
}

/// Why an engine refuses a mechanism; empty: it takes it.
template <class Build>
std::string refusal(const Build& build) {
  try {
    build();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

/// Every mechanical example and reference model that both engines take; what one of them refuses
/// is counted.
struct Examples {
  std::vector<std::string> both, only_natural, only_joints;
};
const Examples& examples() {
  static const Examples found = [] {
    namespace fs = std::filesystem;
    Examples out;
    for (const char* folder : {"examples", "tests/reference/models"}) {
      for (const auto& entry :
           fs::recursive_directory_iterator(fs::path(PARFAIT_SOURCE_DIR) / folder)) {
        const auto ending = entry.path().extension();
        if (ending != ".xml" && ending != ".urdf") continue;
        const std::string file = fs::relative(entry.path(), PARFAIT_SOURCE_DIR).string();
        std::optional<mechanism::Description> description;
        refusal([&] { description = read(file); });
        if (!description) continue;  // formulas, problems, designs
        const bool natural = refusal([&] { mbs::build(*description); }).empty();
        const bool joints = refusal([&] { tree::build(*description); }).empty();
        EXPECT_TRUE(natural || joints) << file;
        (natural && joints ? out.both
         : natural         ? out.only_natural
                           : out.only_joints)
            .push_back(file);
      }
    }
    for (auto* files : {&out.both, &out.only_natural, &out.only_joints}) std::ranges::sort(*files);
    return out;
  }();
  return found;
}

/// A state that is consistent and moves, after 0.1 s of motion.
std::vector<double> moved_state(const tree::Model& model, double until) {
  const auto ws = model.make_workspace(0);
  integrate::State state;
  state.y = model.initial_state();
  integrate::Options options;
  options.rtol = 1e-10;
  options.atol = 1e-11;
  const auto result = integrate::Integrator(model, *ws, options).run(state, until);
  EXPECT_TRUE(result.finished()) << result.message();
  model.project(*ws, until, state.y, dynamics::Norm::kMass, 1e-13);
  return state.y;
}

TEST(TwoEngines, TakeEveryExampleUnlessItIsMadeForTheOther) {
  EXPECT_EQ(examples().only_natural,
            (std::vector<std::string>{"examples/hexapod/hexapod_extensible.xml",
                                      "examples/hexapod/hexapod_extensible_end_masses.xml"}));
  EXPECT_EQ(examples().only_joints, (std::vector<std::string>{"examples/urdf_arm/arm.urdf"}));
  EXPECT_GE(examples().both.size(), 20U);
}

TEST(TwoEngines, SeeEveryExampleAlike) {
  for (const auto& file : examples().both) {
    SCOPED_TRACE(file);
    TwoEngines engines(read(file));
    EXPECT_EQ(engines.natural().degrees_of_freedom(), engines.joints().degrees_of_freedom());
    const auto worst = largest_difference(engines, 0.05, moved_state(engines.joints(), 0.05));
    EXPECT_TRUE(worst.is_same()) << worst.value << ' ' << worst.name;
  }
}

TEST(TwoEngines, MoveEveryExampleAlike) {
  for (const auto& file : examples().both) {
    SCOPED_TRACE(file);
    double until = 0.5;
    for (const char* fast : {"andrews", "engine_damper"}) {
      if (file.find(fast) != std::string::npos) until = 0.005;
    }
    if (file.find("sitting_human") != std::string::npos) until = 0.1;
    const auto d = compare_motion(read(file), until, false);
    EXPECT_TRUE(d.is_same()) << d.motion << " own " << d.own << ' ' << d.end.name << d.message;
  }
}

TEST(TwoEngines, SeeGalleryModelsAlike) {
  const std::vector<std::pair<const char*, mechanism::Description>> models = {
      {"four_bar", testing_support::four_bar()},
      {"bricard", testing_support::bricard()},
      {"hexapod", testing_support::hexapod()},
      {"loop", testing_support::loop(2)},
      {"driven_pendulum", testing_support::driven_pendulum().description},
      {"skate", testing_support::skate()},
      {"constant_speed_pair", testing_support::constant_speed_pair()}};
  for (const auto& [name, description] : models) {
    SCOPED_TRACE(name);
    TwoEngines engines(description);
    EXPECT_EQ(engines.natural().degrees_of_freedom(), engines.joints().degrees_of_freedom());
    const auto worst = largest_difference(engines, 0.05, moved_state(engines.joints(), 0.05));
    EXPECT_TRUE(worst.is_same()) << worst.value << ' ' << worst.name;
  }
}

TEST(TwoEngines, PushRandomTreesAlike) {
  testing_support::RandomModelOptions options;
  options.forces = 8;
  options.general_laws = true;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    options.bodies = 2 + static_cast<int>(seed % 5);
    options.tree = seed % 2 == 0;
    TwoEngines engines(testing_support::random_model(seed, options).description);
    const auto worst = largest_difference(engines, 0.3, engines.joints().initial_state());
    EXPECT_LT(worst.value, 1e-9) << worst.name;
  }
}

TEST(TwoEngines, MoveRandomMechanismsAlikeWithTheirSensitivities) {
  int loops = 0, events = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto mechanism = testing_support::random_mechanism(seed);
    TwoEngines engines(mechanism.description);
    const auto at = largest_difference(engines, 0, engines.start());
    EXPECT_TRUE(at.is_same()) << at.value << ' ' << at.name;
    const auto d = compare_motion(mechanism.description, 0.3, true);
    EXPECT_TRUE(d.is_same()) << "motion " << d.motion << " own " << d.own << "; sensitivity "
                             << d.sensitivity << " own " << d.own_sensitivity << "; events "
                             << d.event_times << "; end " << d.end.value << ' ' << d.end.name << ' '
                             << d.message;
    loops += mechanism.has_loop;
    events += d.num_events;
  }
  EXPECT_GT(loops, 3);
  EXPECT_GT(events, 3);
}

/// Closures hold points in world axes. Of three rows that are worth two (94) or one (88) those that
/// are kept at the start imply nothing, or each other, where bodies have turned. Rows of a joint
/// that the tree has already (198) are rounding and nothing else.
TEST(TwoEngines, ChooseRowsAnewWhereBodiesHaveTurned) {
  for (const unsigned seed : {88U, 94U, 198U}) {
    SCOPED_TRACE(seed);
    TwoEngines engines(testing_support::random_mechanism(seed).description);
    const auto worst = largest_difference(engines, 1, moved_state(engines.joints(), 1));
    EXPECT_TRUE(worst.is_same()) << worst.value << ' ' << worst.name;
  }
}

/// A row that the others imply is implied at the velocities up to the error of the positions, times
/// more than 10 |v| in this mechanism: positions have to go on until it holds, too. A length of the
/// loop cannot change alone: both engines say so, and nothing is compared along it.
TEST(TwoEngines, MeetImpliedVelocityRowsByBetterPositions) {
  const auto mechanism = testing_support::random_mechanism(94);
  const auto d = compare_motion(mechanism.description, 0.3, true);
  EXPECT_TRUE(d.is_same()) << "motion " << d.motion << "; sensitivity " << d.sensitivity << " own "
                           << d.own_sensitivity << "; " << d.message;
  EXPECT_EQ(d.without_sensitivity, std::vector<std::string>{"place"});
}

/// The laws of a System, on the manifold and beside it.
void expect_laws(const mechanism::Description& description, double off) {
  const tree::Model model(description);
  testing_support::LawPoint point;
  point.t = 0.1;
  point.y = model.initial_state();
  testing_support::Random random(7);
  for (double& y : point.y) y += off * random.uniform(-1, 1);
  for (const auto& info : model.parameters()) point.p.push_back(info.initial);
  testing_support::LawOptions options;
  options.step = 1e-3;
  options.quantities = model.quantity_names();
  const auto report = check_system_laws(model, point, options);
  EXPECT_GT(report.num_nonzero, report.num_compared / 50);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, report.violations.size()); ++i) {
    ADD_FAILURE() << report.violations[i] << " (" << report.violations.size() << " in all)";
  }
}

mechanism::Parameter drives(const std::string& id, const std::string& target) {
  mechanism::Parameter p;
  p.id = id;
  p.targets = {target};
  return p;
}

TEST(TreeModel, ObeysTheLawsWithLoopsAndForces) {
  auto legs = testing_support::hexapod();
  legs.parameters = {drives("m", "load.mass"), drives("k", "spring_1.stiffness")};
  {
    SCOPED_TRACE("four bar");
    auto d = testing_support::four_bar();
    d.parameters = {drives("m", "body_2.mass"), drives("o", d.joints[3].id + ".end.o.x")};
    expect_laws(d, 0);
  }
  {
    SCOPED_TRACE("hexapod");
    expect_laws(legs, 0);
    expect_laws(legs, 1e-3);
  }
  {
    SCOPED_TRACE("driven pendulum");
    expect_laws(testing_support::driven_pendulum().description, 0);
    expect_laws(testing_support::driven_pendulum().description, 1e-2);
  }
  {
    SCOPED_TRACE("skate");
    expect_laws(testing_support::skate(), 1e-2);
  }
  {
    SCOPED_TRACE("constant speed");
    expect_laws(testing_support::constant_speed_pair(), 1e-2);
  }
}

TEST(TreeModel, ObeysTheLawsWithEveryKindOfForce) {
  testing_support::RandomModelOptions options;
  options.forces = 10;
  options.general_laws = true;
  options.bodies = 3;
  for (unsigned seed = 40; seed <= 43; ++seed) {
    SCOPED_TRACE(seed);
    expect_laws(testing_support::random_model(seed, options).description, 0);
  }
}

TEST(TreeModel, ObeysTheLawsWithEvents) {
  int events = 0, impacts = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const auto mechanism = testing_support::random_mechanism(seed);
    for (const auto& event : mechanism.description.events) {
      events += event.key == "General";
      impacts += event.key == "Impact";
    }
    expect_laws(mechanism.description, 0);
  }
  EXPECT_GT(events, 2);
  EXPECT_GT(impacts, 2);
}

}  // namespace
}  // namespace parfait
