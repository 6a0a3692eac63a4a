#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/dynamics/second_order.h"
#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/differences.h"
#include "testing/example_elements.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"

// Elements that are no measure with a law, in a model: several ends, states of their own, events
// that change them.
namespace parfait::mbs {
namespace {

using Eigen::VectorXd;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::Random;
using testing_support::RandomModelOptions;

void add_example_elements() {
  if (mechanism::registry().find_force("BreakingBushing")) return;
  mechanism::registry().add(example_elements::bushing_type());
  mechanism::registry().add(example_elements::cord_type());
}

Marker at(const std::string& body, Random& random) {
  return testing_support::marker(
      body, testing_support::axes_frame(random.vector(0.4), random.rotation()));
}

Force bushing(Random& random, double limit) {
  Force f;
  f.key = "BreakingBushing";
  f.id = "B";
  f.begin = at("body_1", random);
  f.end = at("body_2", random);
  for (int i = 1; i <= 6; ++i) {
    for (int j = i; j <= 6; ++j) {
      f.constants.push_back(
          {"c" + std::to_string(i) + std::to_string(j), Value(i == j ? 3.0 + i : 0.1 * (i + j))});
    }
  }
  f.constants.push_back({"damping", Value(0.3)});
  f.constants.push_back({"limit", Value(limit)});
  return f;
}

Force cord(Random& random) {
  Force f;
  f.key = "CreepingCord";
  f.id = "C";
  f.begin = at("body_1", random);
  f.via = {at("body_2", random), at(kInertial, random)};
  f.end = at("body_3", random);
  f.constants = {{"stiffness", Value(5.0)}, {"damping", Value(2.0)}, {"rest_length", Value(1.1)}};
  return f;
}

/// Three bodies, the first free, with both elements; `general`: frames that are not orthonormal,
/// some bodies released.
Description model_with_elements(unsigned seed, bool general) {
  add_example_elements();
  RandomModelOptions options;
  options.bodies = 3;
  options.joints = {"Spherical", "Free"};
  options.free_root = true;
  options.gravity = false;
  options.general_frames = general;
  options.release_constraints = general;
  auto d = testing_support::random_model(seed, options).description;
  Random random(seed + 40);
  d.forces = {bushing(random, 40.0), cord(random)};
  return d;
}

Parameter parameter(const std::string& id, const std::string& target) {
  Parameter p;
  p.id = id;
  p.targets = {target};
  return p;
}

void drive(Description& d) {
  d.parameters = {parameter("stiff", "B.c22"),      parameter("coupled", "B.c35"),
                  parameter("loss", "B.damping"),   parameter("limit", "B.limit"),
                  parameter("intact", "B.intact"),  parameter("place", "B.begin.o.y"),
                  parameter("k", "C.stiffness"),    parameter("start", "C.rest_length"),
                  parameter("eyelet", "C.via2.o.x")};
}

TEST(GeneralElements, HaveStatesThatBeginWithTheirConstants) {
  auto d = model_with_elements(1, false);
  drive(d);
  const Model model(d);
  const auto names = model.state_names();
  ASSERT_EQ(model.sizes().ne, 2);
  EXPECT_EQ(names[names.size() - 2], "B.intact");
  EXPECT_EQ(names.back(), "C.rest_length");
  const VectorXd y = start_state(model);
  EXPECT_EQ(y[y.size() - 2], 1.0);
  EXPECT_EQ(y[y.size() - 1], 1.1);
  auto ws = model.make_workspace(0);
  VectorXd p = start_parameters(model);
  p[7] = 1.6;
  model.bind(*ws, view(p));
  VectorXd started = y;
  model.start(*ws, view(started), {});
  EXPECT_EQ(started[y.size() - 1], 1.6);
}

/// y' = ..., switching functions, jumps, start and quantities against differences.
TEST(GeneralElements, HaveExactDirectionsOnAndOffTheManifold) {
  for (unsigned seed : {1u, 2u, 3u}) {
    for (const bool general : {false, true}) {
      auto d = model_with_elements(seed, general);
      drive(d);
      const Model model(d);
      for (const double off : {0.0, 0.02}) {
        testing_support::LawPoint point;
        point.t = 0.3;
        const VectorXd y = start_state(model) + Random(seed).vector(model.sizes().ny(), off);
        const VectorXd p = start_parameters(model);
        point.y.assign(y.begin(), y.end());
        point.p.assign(p.begin(), p.end());
        testing_support::LawOptions options;
        options.step = 2e-3;
        options.quantities = {"B.energy", "B.dissipation",    "C.length",
                              "C.force",  "energy.potential", "C.rest_length"};
        const auto report = check_system_laws(model, point, options);
        EXPECT_THAT(report.violations, IsEmpty()) << seed << general << off;
        EXPECT_GT(report.num_nonzero, 1000);
      }
    }
  }
}

/// Power of the elements: the rate of the whole energy is minus what they dissipate.
TEST(GeneralElements, LoseTheEnergyThatTheyDissipate) {
  for (unsigned seed : {1u, 2u, 3u}) {
    const Model model(model_with_elements(seed, false));
    auto ws = model.make_workspace(0);
    const VectorXd y = start_state(model);
    const VectorXd ydot = rates(model, *ws, 0, y);
    const auto rate = testing_support::differentiate([&](double h) -> VectorXd {
      return VectorXd::Constant(1, observed(model, *ws, 0, y + h * ydot, "energy.total"));
    });
    const double F = observed(model, *ws, 0, y, "C.force");
    const double lost = observed(model, *ws, 0, y, "B.dissipation") + F * F / 2.0;
    EXPECT_GT(lost, 0.1);
    EXPECT_NEAR(rate.value[0], -lost, 1e-8 * lost);
  }
}

TEST(GeneralElements, LeaveTheMomentumOfFreeBodiesAsItIs) {
  // Without the end on the ground: begin, one via, end on the three bodies.
  for (const bool general : {false, true}) {
    auto d = model_with_elements(2, general);
    d.forces[1].via.pop_back();
    auto free = d;
    free.forces.clear();
    const Model model(d);
    auto ws = model.make_workspace(0);
    const VectorXd y = start_state(model);
    const testing_support::DenseModel dense(free);
    const VectorXd a = rates(model, *ws, 0, y).segment(36, 36);
    const VectorXd q = y.head(36);
    EXPECT_GT(a.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT(dense.momentum(a).norm(), 1e-11 * a.cwiseAbs().maxCoeff());
    EXPECT_LT(dense.angular_momentum(q, a).norm(), 1e-10 * a.cwiseAbs().maxCoeff());
  }
}

TEST(GeneralElements, JumpWhereTheBushingBreaks) {
  auto d = model_with_elements(1, false);
  const Model model(d);
  auto ws = model.make_workspace(0);
  const VectorXd y = start_state(model);
  const auto infos = model.switch_infos();
  ASSERT_EQ(infos.size(), 1U);
  EXPECT_EQ(infos[0].name, "B: break");
  EXPECT_EQ(infos[0].jump, dynamics::SwitchInfo::Jump::kFalling);
  dynamics::Point point;
  point.y = view(y);
  VectorXd after = y;
  ASSERT_EQ(model.jump(*ws, 0, point, view(after)), dynamics::Status::kOk);
  EXPECT_EQ(after[after.size() - 2], 0.0);
  EXPECT_EQ((after - y).cwiseAbs().sum(), 1.0);  // nothing else
  EXPECT_GT(observed(model, *ws, 0, y, "B.energy"), 0.01);
  EXPECT_EQ(observed(model, *ws, 0, after, "B.energy"), 0.0);
  // Broken, it does nothing.
  auto without = d;
  without.forces.erase(without.forces.begin());
  const Model torn(without);
  auto other = torn.make_workspace(0);
  const VectorXd expected = rates(torn, *other, 0, start_state(torn)).head(72);
  EXPECT_LT((rates(model, *ws, 0, after).head(72) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

/// r = f - G^T lambda and e' along every state, from the blocks of the elements and from
/// directions.
TEST(GeneralElements, AreLinearizedAsTheirDirectionsSay) {
  for (const bool general : {false, true}) {
    auto d = model_with_elements(3, general);
    const Model model(d);
    const auto* second = model.second_order();
    ASSERT_TRUE(second);
    const auto& sizes = model.sizes();
    auto ws = model.make_workspace(sizes.ny());
    const VectorXd y = start_state(model) + Random(8).vector(sizes.ny(), 0.02);
    const VectorXd lambda = Random(9).vector(sizes.num_pos, 1.0);
    VectorXd r(sizes.nq), g(sizes.num_pos), edot(sizes.ne);
    dynamics::Point point;
    point.y = view(y);
    const auto evaluate = [&] {
      return second->evaluate(*ws, point, view(lambda), view(r), view(g), view(edot));
    };
    ASSERT_EQ(evaluate(), dynamics::Status::kOk);
    dynamics::Linearization blocks;
    second->linearize(*ws, blocks);
    Eigen::MatrixXd dr = Eigen::MatrixXd::Zero(sizes.nq, sizes.ny());
    Eigen::MatrixXd de = Eigen::MatrixXd::Zero(sizes.ne, sizes.ny());
    const auto put = [](const dynamics::Triplets& from, int first, Eigen::MatrixXd& to) {
      for (std::size_t i = 0; i < from.value.size(); ++i) {
        to(from.row[i], first + from.column[i]) += from.value[i];
      }
    };
    put(blocks.dr_dq, 0, dr);
    put(blocks.dr_dv, sizes.nq, dr);
    put(blocks.dr_de, 2 * sizes.nq, dr);
    put(blocks.dedot_dq, 0, de);
    put(blocks.dedot_dv, sizes.nq, de);
    put(blocks.dedot_de, 2 * sizes.nq, de);
    math::Directions dy(sizes.ny(), sizes.ny()), ddr(sizes.nq, sizes.ny()),
        dg(sizes.num_pos, sizes.ny()), dedot(sizes.ne, sizes.ny());
    for (int i = 0; i < sizes.ny(); ++i) dy(i, i) = 1;
    dynamics::PointDirections directions;
    directions.dy = &dy;
    ASSERT_EQ(evaluate(), dynamics::Status::kOk);
    second->directions(*ws, directions, ddr, dg, dedot);
    double error = 0;
    for (int j = 0; j < sizes.ny(); ++j) {
      for (int i = 0; i < sizes.nq; ++i) error = std::max(error, std::abs(dr(i, j) - ddr(i, j)));
      for (int i = 0; i < sizes.ne; ++i) error = std::max(error, std::abs(de(i, j) - dedot(i, j)));
    }
    EXPECT_GT(dr.rightCols(sizes.ne).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_GT(de.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT(error, 1e-12 * dr.cwiseAbs().maxCoeff());
  }
}

std::string refusal_of(const Description& d) {
  try {
    const Model model(d);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GeneralElements, SayHowManyEndsTheyHave) {
  auto d = model_with_elements(1, false);
  d.forces[1].via.clear();
  EXPECT_THAT(refusal_of(d),
              HasSubstr("CreepingCord has 3 to 9 ends (<begin>, <via>, <end>), found 2."));
  d = model_with_elements(1, false);
  d.forces[0].via = d.forces[1].via;
  EXPECT_THAT(refusal_of(d), HasSubstr("BreakingBushing has 2 ends"));
  d = model_with_elements(1, false);
  d.forces[1].end.reset();
  EXPECT_THAT(refusal_of(d), HasSubstr("acts between several bodies: <end> is missing."));
  d = model_with_elements(1, false);
  d.forces[1].via[0].body = "nobody";
  EXPECT_THAT(refusal_of(d), HasSubstr("via1: \"nobody\" is not a body."));
}

}  // namespace
}  // namespace parfait::mbs
