#include "parfait/base/stop.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "parfait/base/sha256.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/petab/petab.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/design/design.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/fit/gradient.h"
#include "parfait/run/fit/minimization.h"
#include "parfait/run/fit/synthesis.h"
#include "parfait/run/job/job.h"
#include "parfait/run/motion/calibrate.h"
#include "parfait/run/motion/inverse_kinematics.h"
#include "parfait/run/motion/scale.h"
#include "parfait/run/simulation/simulation.h"

namespace parfait::run {
namespace stop_test {

const std::string kSource = std::string(PARFAIT_SOURCE_DIR) + "/";
const std::string kExamples = kSource + "examples/";

using Pieces = std::map<std::string, std::function<void()>>;

Pieces readers() {
  const auto motion = [](const std::string& file) {
    return [file] { static_cast<void>(io::read_motion_file(kSource + file)); };
  };
  return {
      {"bytes", [] { static_cast<void>(io::read_bytes(kSource + "README.md")); }},
      {"hash", [] { static_cast<void>(base::sha256(std::string(100, 'x'))); }},
      {"table", [] { static_cast<void>(io::read_csv_text("t,x\n1,2\n", "table.csv")); }},
      {"model", [] { static_cast<void>(io::read_any_model(kExamples + "pendulum/pendulum.xml")); }},
      {"problem", [] { static_cast<void>(io::parse_problem(kExamples + "pendulum/problem.xml")); }},
      {"osim", [] { static_cast<void>(io::read_any_model(kExamples + "gait_ik/subject.osim")); }},
      {"C3D", motion("tests/motion_files/data/MACsample.c3d")},
      {"TRC", motion("examples/gait_ik/walking1.trc")},
      {"MOT", motion("examples/urdf_arm/motion.mot")},
      {"PEtab",
       [] {
         static_cast<void>(io::read_petab(kSource + "tests/estimation/data/petab/Weber_BMC2015/"
                                                    "Weber_BMC2015.yaml"));
       }},
  };
}

TEST(Stop, LeavesEveryReader) {
  std::atomic<bool> stop = false;
  const base::StopScope scope(stop);
  for (const auto& [name, read] : readers()) {
    stop = false;
    EXPECT_NO_THROW(read()) << name;
    stop = true;
    EXPECT_THROW(read(), base::Stopped) << name;
  }
}

TEST(Stop, HoldsForItsScopeAlone) {
  std::atomic<bool> outer = false, inner = true;
  const base::StopScope scope(outer);
  {
    const base::StopScope within(inner);
    EXPECT_THROW(base::leave_if_stopped(), base::Stopped);
  }
  EXPECT_NO_THROW(base::leave_if_stopped());
  outer = true;
  EXPECT_THROW(base::leave_if_stopped(), base::Stopped);
}

TEST(Stop, EndsWorkThatOnlyReadWithNothing) {
  Callbacks callbacks;
  callbacks.stop = [] { return true; };
  const Pieces pieces = {
      {"simulate", [&] { simulate({.file = kExamples + "pendulum/pendulum.xml"}, callbacks); }},
      {"fit", [&] { fit({.file = kExamples + "pendulum/problem.xml"}, callbacks); }},
      {"gradient",
       [&] { find_gradient({.file = kExamples + "gradient/pendulum_problem.xml"}, callbacks); }},
      {"minimize",
       [&] { minimize({.file = kExamples + "gradient/pendulum_problem.xml"}, callbacks, {}); }},
      {"design", [&] { design({.file = kExamples + "design_reactor/design.xml"}, callbacks); }},
      {"synthesize",
       [&] { synthesize({.file = kExamples + "pendulum/problem.xml", .force = true}, callbacks); }},
      {"ik",
       [&] {
         inverse_kinematics({.model = kExamples + "gait_ik/subject.osim",
                             .trials = {kExamples + "gait_ik/walking1.trc"}},
                            callbacks);
       }},
      {"calibrate",
       [&] {
         calibrate({.model = kExamples + "subject_calibration/generic.osim",
                    .trials = {kExamples + "subject_calibration/static1.trc"}},
                   callbacks);
       }},
      {"scale",
       [&] { scale({.setup = kSource + "tests/motion_files/data/scale/setup.xml"}, callbacks); }},
  };
  for (const auto& [name, work] : pieces) EXPECT_THROW(work(), base::Stopped) << name;
}

/// The second of several searches is left at once, and the design is that of the first.
TEST(Stop, KeepsTheBestDesignSoFar) {
  const DesignRequest request{.file = kExamples + "design_reactor/design.xml", .starts = 3};
  int searches = 0;
  Callbacks callbacks;
  callbacks.on_progress = [&](double, const std::string&) { ++searches; };
  callbacks.stop = [&] { return searches > 0; };
  const auto run = design(request, callbacks);
  EXPECT_EQ(searches, 1);
  EXPECT_EQ(run.result.verdict.status, "interrupted");
  DesignRequest one = request;
  one.starts = 1;
  EXPECT_EQ(run.result.measures.psi, design(one).result.measures.psi);
  EXPECT_EQ(run.next.options.integrator.stop, nullptr);
}

}  // namespace stop_test
}  // namespace parfait::run
