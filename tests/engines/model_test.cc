#include "parfait/tree/model.h"

#include <gtest/gtest.h>

#include "models.h"
#include "parfait/base/error.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/mbs/model.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "parfait/tree/contacts/contact_dynamics.h"
#include "testing/allocations.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"

/// A mechanism in joint coordinates as a dynamics::System, and beside natural coordinates.
namespace parfait {
namespace {

mechanism::Parameter parameter(const std::string& id, const std::string& target) {
  mechanism::Parameter p;
  p.id = id;
  p.targets = {target};
  return p;
}

mechanism::Description random_tree(unsigned seed, int bodies) {
  testing_support::RandomModelOptions options;
  options.joints = {"Spherical",   "Revolute",  "Revolute_2", "Universal",
                    "Cylindrical", "Prismatic", "Fixed",      "Free"};
  options.bodies = bodies;
  options.tree = true;
  options.general_frames = seed % 2 == 0;
  mechanism::Description d = testing_support::random_model(seed, options).description;
  // Where the constants of a marker stand that a joint may share with its body.
  const auto constant = [&](int joint, bool end, const char* which) {
    const mechanism::Joint& j = d.joints[joint];
    const mechanism::Marker& marker = end ? j.end : j.begin;
    const std::string own = j.id + (end ? ".end" : ".begin");
    return (marker.reference.empty() ? own : marker.body + "." + marker.reference) + which;
  };
  d.parameters = {parameter("m", "body_2.mass"),
                  parameter("c", "body_1.com.y"),
                  parameter("I", "body_2.inertia.xy"),
                  parameter("o", constant(1, false, ".o.x")),
                  parameter("e", constant(2, true, ".o.z")),
                  parameter("axis", constant(3, true, ".z.y"))};
  return d;
}

std::vector<double> initial_parameters(const dynamics::System& system) {
  std::vector<double> p;
  for (const auto& info : system.parameters()) p.push_back(info.initial);
  return p;
}

TEST(TreeModel, ObeysTheLawsOfASystem) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const tree::Model model(random_tree(seed, 5));
    testing_support::LawPoint point;
    point.y = model.initial_state();
    point.p = initial_parameters(model);
    testing_support::LawOptions options;
    options.quantities = {"body_3.com.x", "body_4.origin.vy", "body_5.com.az",
                          "body_2.e1.x",  "body_2.e2.vy",     "body_5.wz",
                          "energy.total", "m*energy.kinetic", "t"};
    for (const auto& name : model.quantity_names()) {
      if (name.starts_with("joint_3.") || name.starts_with("joint_4.")) {
        options.quantities.push_back(name);
      }
    }
    const auto report = check_system_laws(model, point, options);
    EXPECT_GT(report.num_nonzero, report.num_compared / 20);
    for (const auto& violation : report.violations) ADD_FAILURE() << violation;
  }
}

/// Coordinates with names are states of the model where they are free; the patella follows the knee
/// by a line, and what is locked keeps its value.
TEST(TreeModel, NamedCoordinatesAreQuantities) {
  const auto file = io::read_any_model(PARFAIT_SOURCE_DIR "/tests/cases/models/axes.xml");
  const tree::Model model(std::get<mechanism::Description>(file));
  const auto names = model.state_names();
  std::vector<std::string> coordinates;
  for (const auto& joint : model.description().joints) {
    for (const auto& c : joint.motion.coordinates) {
      coordinates.push_back(c.id);
      coordinates.push_back(c.id + ".rate");
    }
  }
  ASSERT_FALSE(coordinates.empty());
  testing_support::LawPoint point;
  point.y = model.initial_state();
  testing_support::Random random(3);
  for (double& y : point.y) y += random.uniform(-0.2, 0.2);
  point.p = initial_parameters(model);
  const auto ws = model.make_workspace(0);
  const auto observer = model.make_observer(coordinates);
  std::vector<double> values(coordinates.size());
  dynamics::Point at;
  at.y = point.y;
  ASSERT_EQ(model.observe(*ws, *observer, at, values), dynamics::Status::kOk);
  int free = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto state = std::ranges::find(names, coordinates[i]);
    if (state == names.end()) continue;
    ++free;
    EXPECT_EQ(values[i], point.y[state - names.begin()]) << coordinates[i];
  }
  EXPECT_EQ(free, 6);  // flexion of hip and knee, lift, and their rates
  const auto value = [&](const std::string& name) {
    return values[std::ranges::find(coordinates, name) - coordinates.begin()];
  };
  EXPECT_DOUBLE_EQ(value("patella_angle"), 0.9 * value("flexion") + 0.05);
  EXPECT_DOUBLE_EQ(value("patella_angle.rate"), 0.9 * value("flexion.rate"));
  EXPECT_EQ(value("hip_adduction"), 0);
  EXPECT_EQ(value("hip_adduction.rate"), 0);
  testing_support::LawOptions options;
  options.quantities = coordinates;  // their directions
  for (const auto& violation : check_system_laws(model, point, options).violations) {
    ADD_FAILURE() << violation;
  }
}

TEST(TwoEngines, ObserveAlike) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    mechanism::Description d = random_tree(seed, 6);
    d.parameters.resize(3);  // what does not move bodies: mass, centre and inertia
    const tree::Model joints(d);
    const mbs::Model natural(d);
    const std::vector<std::string> names = joints.quantity_names();
    ASSERT_EQ(names, natural.quantity_names());
    std::vector<double> values[2];
    math::Directions directions[2];
    const dynamics::System* systems[2] = {&joints, &natural};
    math::Directions dp(3, 3);
    for (int i = 0; i < 3; ++i) dp(i, i) = 1;
    for (int e = 0; e < 2; ++e) {
      const auto ws = systems[e]->make_workspace(3);
      systems[e]->bind(*ws, initial_parameters(*systems[e]));
      systems[e]->bind_directions(*ws, dp);
      const auto observer = systems[e]->make_observer(names);
      const std::vector<double> y = systems[e]->initial_state();
      dynamics::Point point;
      point.y = y;
      values[e].resize(names.size());
      ASSERT_EQ(systems[e]->observe(*ws, *observer, point, values[e]), dynamics::Status::kOk);
      directions[e].resize(observer->size(), 3);
      systems[e]->observe_directions(*ws, *observer, {}, directions[e]);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double scale = 1 + std::abs(values[1][i]);
      EXPECT_NEAR(values[0][i], values[1][i], 1e-9 * scale) << names[i];
      for (int k = 0; k < 3; ++k) {
        const int row = static_cast<int>(i);
        EXPECT_NEAR(directions[0](row, k), directions[1](row, k),
                    1e-8 * (1 + std::abs(directions[1](row, k))))
            << names[i] << " direction " << k;
      }
    }
  }
}

TEST(TwoEngines, MoveTheHumanAlikeWithItsSensitivities) {
  mechanism::Description d = bench::human();
  d.parameters = {parameter("thorax", "Thorax.mass"), parameter("g", "Gravity.g"),
                  parameter("hand", "LeftHand.com.z")};
  const std::vector<std::string> names = {"Pelvis.com.x",    "Head.com.y",      "LeftHand.com.z",
                                          "RightFoot.com.x", "LeftFoot.com.vz", "energy.total"};
  std::vector<double> values[2];
  math::Directions directions[2];
  for (int e = 0; e < 2; ++e) {
    std::unique_ptr<dynamics::System> system;
    if (e == 0) {
      system = std::make_unique<tree::Model>(d);
    } else {
      system = std::make_unique<mbs::Model>(d);
    }
    const auto ws = system->make_workspace(3);
    math::Directions dp(3, 3);
    for (int i = 0; i < 3; ++i) dp(i, i) = 1;
    system->bind(*ws, initial_parameters(*system));
    system->bind_directions(*ws, dp);
    integrate::State state;
    state.y = system->initial_state();
    state.W.resize(system->sizes().ny(), 3);
    integrate::Options options;
    options.rtol = 1e-11;
    options.atol = 1e-12;
    const auto result = integrate::Integrator(*system, *ws, options).run(state, 0.5);
    ASSERT_TRUE(result.finished()) << result.message();
    const auto observer = system->make_observer(names);
    dynamics::Point point;
    point.t = 0.5;
    point.y = state.y;
    values[e].resize(names.size());
    ASSERT_EQ(system->observe(*ws, *observer, point, values[e]), dynamics::Status::kOk);
    directions[e].resize(observer->size(), 3);
    dynamics::PointDirections moving;
    moving.dy = &state.W;
    system->observe_directions(*ws, *observer, moving, directions[e]);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_NEAR(values[0][i], values[1][i], 1e-9) << names[i];
    for (int k = 0; k < 3; ++k) {
      const int row = static_cast<int>(i);
      EXPECT_NEAR(directions[0](row, k), directions[1](row, k), 1e-8) << names[i] << ' ' << k;
    }
  }
  EXPECT_GT(std::abs(directions[0](2, 0)), 1e-5);  // the thorax moves the hand
}

TEST(TreeModel, AllocatesNothingOnceTheWorkspaceIsMade) {
  const tree::Model model(random_tree(3, 8));
  const auto ws = model.make_workspace(16);
  const auto p = initial_parameters(model);
  std::vector<double> y = model.initial_state(), dydt(y.size());
  math::Directions dp(model.sizes().np, 16), dy(model.sizes().ny(), 16), ddydt = dy;
  dynamics::Point point;
  point.y = y;
  dynamics::PointDirections moving;
  moving.dy = &dy;
  const long before = testing_support::num_allocations();
  model.bind(*ws, p);
  model.bind_directions(*ws, dp);
  for (int i = 0; i < 3; ++i) {
    y[0] += 0.1;
    model.evaluate(*ws, point, dydt, {});
    model.directions(*ws, moving, ddydt, nullptr);
    model.project(*ws, 0, y, dynamics::Norm::kMass, 1e-12);
  }
  EXPECT_EQ(testing_support::num_allocations(), before);
}

TEST(TreeContacts, AllocateNothingOnceTheWorkspaceIsMade) {
  const tree::MechanismTree model(random_tree(3, 8));
  const tree::Tree& tree = model.tree();
  const tree::Vec3<double> axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  tree::ContactSet set;
  const int last = static_cast<int>(tree.bodies.size()) - 1;
  set.add_point("heel", {last, {-0.1, 0, 0}}, {0, 0, 0}, axes);
  set.add_point("toe", {last, {0.2, 0, 0}}, {0, 0, 0}, axes);
  const auto view = set.all();
  tree::Workspace ws(tree);
  tree::ContactWorkspace room(tree, set);
  tree::DirectionWorkspace lanes(tree);
  auto q = model.q();
  const auto v = model.v();
  std::vector<double> tau(tree.nv), vdot(tree.nv), after(tree.nv);
  std::vector<math::Lane> dvdot(tree.nv), dlambda(view.rows.size());
  const long before = testing_support::num_allocations();
  for (int i = 0; i < 3; ++i) {
    q[0] += 0.1;
    for (int k = 0; k < tree.nq; ++k) lanes.q[k] = math::Dual(q[k]);
    for (int k = 0; k < tree.nv; ++k) lanes.v[k] = math::Dual(v[k]);
    tree::forward_dynamics_with_contacts(tree, set, view, q, v, tau, {}, ws, room, vdot);
    tree::contact_dynamics_directions(tree, set, view, vdot, {}, nullptr, room, lanes, dvdot.data(),
                                      dlambda.data());
    tree::contact_impulses(tree, set, view, q, v, {}, ws, room, after);
  }
  EXPECT_EQ(testing_support::num_allocations(), before);
  EXPECT_FALSE(room.redundant.empty());  // least forces, too
}

TEST(TreeModel, RefusesByNameWhatOnlyNaturalCoordinatesHave) {
  const auto message = [](const mechanism::Description& d) -> std::string {
    try {
      const tree::Model model(d);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  auto stretched = bench::revolute_chain(2);
  mechanism::NaturalBody body;
  body.released.xx = true;
  stretched.natural.bodies[stretched.bodies[1].id] = body;
  EXPECT_NE(message(stretched).find(stretched.bodies[1].id), std::string::npos);
  EXPECT_EQ(message(bench::loop(1)), "");
  EXPECT_EQ(message(bench::spring_chain(2)), "");
}

}  // namespace
}  // namespace parfait
