#include <gtest/gtest.h>

#include "motion.h"
#include "testing/model_gallery.h"

// A mechanism that passes positions where the rank of its constraints drops.
namespace parfait::reference {
namespace {

using testing_support::axis_frame;
using testing_support::frame;
using testing_support::marker;

/// Rods of 1 m and 1 kg in the x-y plane: N + 1 upright ones on the ground, 1 m apart, and N
/// between their tops. About the normal of the plane a rod turns with 1/12 kg m^2, as a thin rod
/// does; its thickness shows only in the moment about its own axis.
mechanism::Description n_four_bar(int N) {
  constexpr double kAcross = 1.0 / 12, kThickness = 1e-4;
  mechanism::Description d;
  const auto add_rod = [&](const std::string& id, const mechanism::Number3& o, bool upright) {
    mechanism::Body rod;
    rod.id = id;
    rod.o = o;
    if (upright) {
      rod.x = {0, 1, 0};
      rod.y = {-1, 0, 0};
    }
    rod.center_of_mass = {0.5, 0.0, 0.0};
    rod.inertia[0][0] = 2 * kThickness;
    rod.inertia[1][1] = rod.inertia[2][2] = kAcross;
    // The tops move with 1 m/s along x, so the uprights turn and the others do not.
    rod.v = upright ? mechanism::Number3{0, 0, 0} : mechanism::Number3{1, 0, 0};
    rod.omega = upright ? mechanism::Number3{0, 0, -1} : mechanism::Number3{0, 0, 0};
    d.bodies.push_back(rod);
  };
  const auto hinge = [&](const std::string& a, double xa, const std::string& b, double xb) {
    mechanism::Joint joint;
    joint.key = "Revolute";
    joint.id = "Hinge" + std::to_string(d.joints.size() + 1);
    joint.begin = marker(a, axis_frame({xa, 0, 0}, {0, 0, 1}));
    joint.end = marker(b, axis_frame({xb, 0, 0}, {0, 0, 1}));
    d.joints.push_back(joint);
  };
  for (int i = 0; i <= N; ++i) {
    const std::string up = "Up" + std::to_string(i), across = "Across" + std::to_string(i);
    add_rod(up, {1.0 * i, 0, 0}, true);
    hinge(mechanism::kInertial, i, up, 0);
    if (i > 0) hinge(across, 1, up, 1);
    if (i == N) break;
    add_rod("Across" + std::to_string(i + 1), {1.0 * i, 1, 0}, false);
    hinge(up, 1, "Across" + std::to_string(i + 1), 0);
  }
  mechanism::Marker top = marker("Up0", frame({1, 0, 0}));
  top.id = "B0";
  d.bodies[0].markers.push_back(top);
  d.forces.push_back(testing_support::gravitation({0, -9.81, 0}));
  return d;
}

// Whenever the uprights lie on the ground all rods are in one line: there the mechanism could fold
// over, and the forces along the rods that make the uprights swing alike are infinite. The
// published motion goes straight through.
TEST(SingularPosition, FourBarsOfIftommA02PassTheirs) {
  for (int N : {2, 40}) {
    const std::string name = "A02, N = " + std::to_string(N);
    const auto table = read_table("iftomm_A02_Nfourbar_N" + std::to_string(N) + ".csv");
    const auto model = mbs::build(n_four_bar(N));
    EXPECT_EQ(model->degrees_of_freedom(), 1);
    EXPECT_EQ(static_cast<int>(model->redundant_rows().size()), 3 * N);
    const auto samples =
        simulate(*model, {.quantities = {"Up0.B0.x", "Up0.B0.y", "Up0.B0.vx", "Up0.B0.vy"},
                          .times = table.column("t"),
                          .options = tolerances(3e-10, 3e-12)});
    const double error = largest_error(samples, table, {"B0x", "B0y"});
    report(name, samples, error);
    EXPECT_LT(error, 1e-6) << name;
    EXPECT_LT(largest_error(samples, table, {"B0x", "B0y", "B0vx", "B0vy"}), 1e-5) << name;
  }
}

}  // namespace
}  // namespace parfait::reference
