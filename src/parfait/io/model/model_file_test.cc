#include "parfait/io/model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <numbers>

#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kModels = fs::path(PARFAIT_SOURCE_DIR) / "tests/cases/models";

mechanism::Description read(const std::string& content) {
  return read_model_text("<model>" + content + "</model>", "m.xml");
}

std::string message_of(const std::string& content) {
  try {
    read(content);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<fs::path> valid_models() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kModels)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  return files;
}

TEST(ModelFile, ReadsThePendulumAsPrintedByKraus) {
  const auto d = read_model(kModels / "pendulum.xml");
  ASSERT_EQ(d.bodies.size(), 1U);
  const auto& body = d.bodies[0];
  EXPECT_EQ(body.id, "Body1");
  EXPECT_EQ(body.o, (mechanism::Number3{0, 0, 0}));
  EXPECT_EQ(body.z, (mechanism::Number3{0, 0, 1}));
  EXPECT_EQ(body.mass.number, 2.0);
  EXPECT_EQ(body.center_of_mass[0].number, 0.5);
  EXPECT_EQ(body.inertia[0][0].number, 2.5);
  EXPECT_EQ(body.inertia[2][2].number, 2.0);
  EXPECT_EQ(body.about, mechanism::InertiaPoint::kCenterOfMass);
  EXPECT_FALSE(body.v || body.omega);

  ASSERT_EQ(d.joints.size(), 1U);
  EXPECT_EQ(d.joints[0].key, "Revolute");
  EXPECT_EQ(d.joints[0].id, "Joint1");
  EXPECT_EQ(d.joints[0].begin.body, mechanism::kInertial);
  EXPECT_EQ(d.joints[0].end.body, "Body1");
  EXPECT_EQ(d.joints[0].end.frame.y[0].number, 1.0);
  EXPECT_TRUE(d.joints[0].end.frame.has_x && d.joints[0].end.frame.has_y);

  ASSERT_EQ(d.forces.size(), 1U);
  EXPECT_EQ(d.forces[0].id, "Gravitation");
  ASSERT_EQ(d.forces[0].constants.size(), 1U);
  EXPECT_EQ(d.forces[0].constants[0].name, "Constant_0");
  EXPECT_EQ(d.forces[0].constants[0].value.number, -9.81);

  ASSERT_EQ(d.parameters.size(), 1U);
  EXPECT_THAT(d.parameters[0].targets, ElementsAre("Gravitation.Constant_0"));
  EXPECT_EQ(mechanism::parameter_name(d, d.parameters[0]), "Gravitation.g");
  EXPECT_EQ(mechanism::start_value(d, d.parameters[0]), -9.81);
}

TEST(ModelFile, AllValidModelsPassTheCheck) {
  const auto files = valid_models();
  ASSERT_GE(files.size(), 4U);
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(mechanism::check(read_model(file)));
  }
}

TEST(ModelFile, ATableMayStandInTheFileItself) {
  const auto d = read("<body id='B' mass='1'/><input id='u' t='0 1 3' value='2 -1 0.5'/>");
  ASSERT_EQ(d.inputs.size(), 1U);
  EXPECT_THAT(d.inputs[0].t, ElementsAre(0, 1, 3));
  EXPECT_THAT(d.inputs[0].value, ElementsAre(2, -1, 0.5));
  const auto again = read_model_text(model_text(d), "m.xml");
  EXPECT_EQ(again.inputs[0].t, d.inputs[0].t);
  EXPECT_EQ(again.inputs[0].value, d.inputs[0].value);
}

TEST(ModelFile, AnglesAreSuccessiveTurnsAboutTheMovingAxes) {
  const auto d = read("<body id='B' mass='1'><position angles='0.3 -0.8 1.9'/></body>");
  const Eigen::Matrix3d R = (Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()) *
                             Eigen::AngleAxisd(-0.8, Eigen::Vector3d::UnitY()) *
                             Eigen::AngleAxisd(1.9, Eigen::Vector3d::UnitZ()))
                                .toRotationMatrix();
  const auto& body = d.bodies[0];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<int>(i);
    EXPECT_NEAR(body.x[i], R(row, 0), 1e-15);
    EXPECT_NEAR(body.y[i], R(row, 1), 1e-15);
    EXPECT_NEAR(body.z[i], R(row, 2), 1e-15);
  }
}

TEST(ModelFile, RightAnglesInDegreesAreExact) {
  const auto d = read(
      "<body id='B' mass='1'><position><angles unit='deg'> 90 -180 270 "
      "</angles></position></body>");
  const auto& body = d.bodies[0];
  // Rx(90) Ry(180) Rz(270): worked out by hand.
  EXPECT_EQ(body.x, (mechanism::Number3{0, 0, -1}));
  EXPECT_EQ(body.y, (mechanism::Number3{-1, 0, 0}));
  EXPECT_EQ(body.z, (mechanism::Number3{0, 1, 0}));
  const auto half = read("<body id='B' mass='1'><position angles='0 0 60' unit='deg'/></body>");
  EXPECT_NEAR(half.bodies[0].x[0], 0.5, 1e-15);
  EXPECT_NEAR(half.bodies[0].x[1], std::sqrt(0.75), 1e-15);
}

TEST(ModelFile, UnitsOfAnglesAreConverted) {
  const auto d = read_model(kModels / "everything.xml");
  for (const auto& body : d.bodies) {
    if (body.id == "Plate") {
      EXPECT_NEAR((*body.omega)[2], std::numbers::pi, 1e-15);
    }
  }
  for (const auto& force : d.forces) {
    if (force.id == "Return") {
      EXPECT_NEAR(force.constants[0].value.number, std::numbers::pi / 6, 1e-15);
    }
  }
}

TEST(ModelFile, ListsTakeFormulasInParentheses) {
  const auto d =
      read("<force key='Spring' id='F'><constants> 1 2*k (2 * k) f(a, b) </constants></force>");
  const auto& constants = d.forces[0].constants;
  ASSERT_EQ(constants.size(), 4U);
  EXPECT_EQ(constants[0].value.number, 1.0);
  EXPECT_EQ(constants[1].value.formula, "2*k");
  EXPECT_EQ(constants[2].value.formula, "2 * k");
  EXPECT_EQ(constants[3].value.formula, "f(a, b)");
}

TEST(ModelFile, InputTablesLeaveOutWhatWasNotMeasured) {
  const auto d = read_model(kModels / "everything.xml");
  ASSERT_EQ(d.inputs.size(), 2U);
  EXPECT_THAT(d.inputs[0].t, ElementsAre(0, 0.5, 1.5));
  EXPECT_THAT(d.inputs[0].value, ElementsAre(1, 1.5, -0.25));
  EXPECT_THAT(d.inputs[1].value, ElementsAre(0, 0.01, 0, -0.01));
}

TEST(ModelFile, EveryElementKnowsItsPlace) {
  const std::string text =
      "<model>\n"
      "  <body id='B'>\n"
      "    <mass>\n"
      "      2*k </mass>\n"
      "    <marker id='m' o=' 1 2 k'/>\n"
      "  </body>\n"
      "  <joint key='Free' id='J'><begin body='B' marker='m'/><end id='Inertial'/></joint>\n"
      "  <parameter id='k' drives='a.b\n"
      "                            c.d'/>\n"
      "  <simulation output='x y'/>\n"
      "</model>";
  const auto d = read_model_text(text, "m.xml");
  EXPECT_EQ(d.bodies[0].place.text(), "m.xml:2:3");
  EXPECT_EQ(d.bodies[0].mass.place.text(), "m.xml:4:7");
  EXPECT_EQ(d.bodies[0].markers[0].place.text(), "m.xml:5:5");
  EXPECT_EQ(d.bodies[0].markers[0].frame.o[2].place.text(), "m.xml:5:28");
  EXPECT_EQ(d.joints[0].begin.place.text(), "m.xml:7:28");
  EXPECT_EQ(d.joints[0].begin.body_place.text(), "m.xml:7:41");
  EXPECT_EQ(d.joints[0].begin.reference_place.text(), "m.xml:7:52");
  EXPECT_EQ(d.parameters[0].target_places[1].text(), "m.xml:9:29");
  EXPECT_EQ(d.simulation.outputs[1].place.text(), "m.xml:10:25");
}

TEST(ModelFile, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(
      message_of("<remark>\u00e4\u00f6\u00fc</remark><bdy/>"),
      "m.xml:1:28: unknown element <bdy> in <model>. Did you mean \"body\"? Known here: body, "
      "joint, coupling, constraint, force, state, input, event, parameter, skin_marker, "
      "simulation, remark, … (13 in all).");
}

TEST(ModelFile, ValuesMustBeFiniteNumbers) {
  for (const char* bad : {"nan", "NaN", "inf", "-Infinity", "1e999"}) {
    const auto message = message_of(std::string("<body id='B' mass='") + bad + "'/>");
    EXPECT_THAT(message, HasSubstr("m.xml:1:27: body \"B\": mass: \"")) << bad;
  }
  EXPECT_EQ(message_of("<state id='s' initial='2k'/>"),
            "m.xml:1:31: state \"s\": initial: \"2k\" is not a number.");
}

TEST(ModelFile, TheRootMayNameItsSchemaForEditors) {
  const auto d = read_model_text(
      "<model xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
      "xsi:noNamespaceSchemaLocation='model.xsd' id='m'/>",
      "m.xml");
  EXPECT_EQ(d.id, "m");
}

TEST(ModelFile, AFileThatIsNotThereIsAnInputErrorWithItsName) {
  try {
    read_model("nowhere/model.xml");
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "cannot read \"nowhere/model.xml\": No such file or directory.");
  }
}

}  // namespace
}  // namespace parfait::io
