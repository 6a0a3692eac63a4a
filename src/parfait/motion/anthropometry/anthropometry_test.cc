#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "parfait/base/error.h"
#include "parfait/motion/anthropometry/human.h"

namespace parfait::motion {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr Sex kSexes[] = {Sex::kFemale, Sex::kMale};
constexpr Segmentation kSegmentations[] = {Segmentation::kFiveTrunkParts,
                                           Segmentation::kThreeTrunkParts, Segmentation::kTorso};

double mass_of(Sex sex, const char* segment) {
  return de_leva(sex, segment).mass;
}

TEST(SegmentTables, MassesAddUpToTheBody) {
  for (const Sex sex : kSexes) {
    double sum = mass_of(sex, "Head") + mass_of(sex, "Trunk");
    for (const char* limb : {"Upper arm", "Forearm", "Hand", "Thigh", "Shank", "Foot"}) {
      sum += 2 * mass_of(sex, limb);
    }
    EXPECT_NEAR(sum, 100, 0.011);
    EXPECT_NEAR(
        mass_of(sex, "Upper trunk") + mass_of(sex, "Middle trunk") + mass_of(sex, "Lower trunk"),
        mass_of(sex, "Trunk"), 1e-9);
    double paired = 0;
    for (const auto& row : dumas(sex)) {
      const bool single =
          row.segment == "head+neck" || row.segment == "torso" || row.segment == "pelvis";
      paired += (single ? 1 : 2) * row.mass;
    }
    EXPECT_NEAR(paired, sex == Sex::kMale ? 100.2 : 99.9, 1e-9);
  }
}

TEST(SegmentTables, AlternativeEndpointsDescribeTheSameSegment) {
  for (const Sex sex : kSexes) {
    for (const auto& row : de_leva(sex)) {
      const auto number = row.segment.find_first_of("234");
      if (number == std::string_view::npos) continue;
      const auto& first = de_leva(sex, row.segment.substr(0, number - 1));
      EXPECT_EQ(row.mass, first.mass);
      // 0.05 % of the longer length is what rounding leaves of a radius.
      EXPECT_NEAR(row.sagittal * row.length, first.sagittal * first.length, 40) << row.segment;
      EXPECT_NEAR(row.transverse * row.length, first.transverse * first.length, 40) << row.segment;
      EXPECT_NEAR(row.longitudinal * row.length, first.longitudinal * first.length, 40)
          << row.segment;
    }
  }
}

TEST(SegmentTables, TheStatureLeavesTheHeightOfTheAnkle) {
  for (const Sex sex : kSexes) {
    const double stacked = de_leva(sex, "Head 2").length + de_leva(sex, "Trunk 2").length +
                           de_leva(sex, "Thigh").length + de_leva(sex, "Shank 2").length;
    EXPECT_NEAR(1000 * de_leva_height(sex) - stacked, sex == Sex::kMale ? 32.3 : 69.4, 1e-9);
    EXPECT_NEAR(de_leva(sex, "Upper trunk 2").length + de_leva(sex, "Middle trunk").length +
                    de_leva(sex, "Lower trunk").length,
                de_leva(sex, "Trunk 2").length, 1e-9);
  }
}

bool is_physical(const Matrix3d& inertia) {
  const Matrix3d P = 0.5 * inertia.trace() * Matrix3d::Identity() - inertia;
  return Eigen::SelfAdjointEigenSolver<Matrix3d>(P).eigenvalues()[0] > 0;
}

TEST(BodySegments, AreABodyOfTheRightMassAndHeight) {
  for (const Sex sex : kSexes) {
    for (const double height : {1.5, 1.6, 1.75, 1.9, 2.0}) {
      for (const double mass : {45.0, 60.0, 75.0, 95.0, 120.0}) {
        for (const auto segmentation : kSegmentations) {
          const auto body = make_segments({sex, height, mass}, segmentation);
          double sum = 0;
          for (const auto& segment : body.segments) {
            sum += segment.mass;
            EXPECT_GT(segment.mass, 0) << segment.id;
            EXPECT_TRUE(is_physical(segment.inertia)) << segment.id;
          }
          EXPECT_NEAR(sum, mass, 1e-12 * mass);
          EXPECT_NEAR(body.lengths.stature(), height, 1e-12);
          const std::size_t expected = segmentation == Segmentation::kFiveTrunkParts    ? 17
                                       : segmentation == Segmentation::kThreeTrunkParts ? 16
                                                                                        : 15;
          EXPECT_EQ(body.segments.size(), expected);
        }
      }
    }
  }
}

TEST(BodySegments, OfTheMeanManAreThoseOfTheTable) {
  const auto body = make_segments({Sex::kMale, 1.741, 73}, Segmentation::kThreeTrunkParts);
  const Segment& thigh = body.find("thigh_left");
  EXPECT_NEAR(thigh.mass, 0.1416 * 73, 1e-9);
  EXPECT_NEAR(thigh.center.z(), -0.4095 * 0.4222, 1e-12);
  EXPECT_NEAR(thigh.inertia(2, 2), thigh.mass * std::pow(0.149 * 0.4222, 2), 1e-12);
  // The long axis of the foot is x, and its centre lies between heel and toes, not below the ankle.
  const Segment& foot = body.find("foot_right");
  EXPECT_NEAR(foot.inertia(0, 0), foot.mass * std::pow(0.124 * 0.2581, 2), 1e-12);
  EXPECT_NEAR(foot.center.x(), 0.4415 * 0.2581 - 0.04 * 1.741, 1e-12);
}

TEST(BodySegments, HeadAndNeckTogetherAreTheHeadOfTheTable) {
  const Person person{Sex::kFemale, 1.7, 62};
  const auto five = make_segments(person, Segmentation::kFiveTrunkParts);
  const auto three = make_segments(person, Segmentation::kThreeTrunkParts);
  const Segment &head = five.find("head"), &neck = five.find("neck"), &both = three.find("head");
  EXPECT_NEAR(neck.mass, 0.0067 * 62, 1e-4 * neck.mass);  // masses are normalized
  EXPECT_NEAR(head.mass + neck.mass, both.mass, 1e-12);
  const Vector3d up(0, 0, five.lengths.neck);
  const Vector3d center = (head.mass * (head.center + up) + neck.mass * neck.center) / both.mass;
  EXPECT_LT((center - both.center).norm(), 1e-12);
  Matrix3d sum = Matrix3d::Zero();
  for (const Segment* part : {&head, &neck}) {
    const Vector3d r = part->center + (part == &head ? up : Vector3d(0, 0, 0)) - center;
    sum +=
        part->inertia + part->mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
  }
  EXPECT_LT((sum - both.inertia).norm(), 1e-13);
}

TEST(BodySegments, AnImpossibleTensorIsReplacedAndTold) {
  const auto woman = make_segments({Sex::kFemale, 1.7, 62}, Segmentation::kTorso);
  ASSERT_FALSE(woman.remarks.empty());
  EXPECT_NE(woman.remarks[0].find("torso: no body has the tensor"), std::string::npos);
  const Matrix3d possible = Vector3d(1, 2, 2.5).asDiagonal();
  EXPECT_EQ(nearest_physical(possible), possible);
  const Matrix3d impossible = Vector3d(1, 2, 4).asDiagonal();
  EXPECT_TRUE(is_physical(nearest_physical(impossible)));
}

TEST(BodySegments, LeftAndRightAreMirrorImages) {
  const auto body = make_segments({Sex::kFemale, 1.7, 62}, Segmentation::kTorso);
  const Segment &left = body.find("upper_arm_left"), &right = body.find("upper_arm_right");
  const Vector3d mirror(1, -1, 1);
  EXPECT_LT((left.center - mirror.cwiseProduct(right.center)).norm(), 1e-15);
  const Matrix3d M = mirror.asDiagonal();
  EXPECT_LT((left.inertia - M * right.inertia * M).norm(), 1e-15);
  EXPECT_GT(std::abs(right.center.y()), 1e-3);  // the table has a side
  EXPECT_LT(right.center.y() * -0.028, 0);      // z right is -2.8 %: to the left, y > 0
}

TEST(BodySegments, TakeMeasuredLengths) {
  Person person{Sex::kMale, 1.8, 80, {{"thigh", 0.45}, {"shank", 0.43}}};
  const auto body = make_segments(person, Segmentation::kFiveTrunkParts);
  EXPECT_EQ(body.lengths.thigh, 0.45);
  EXPECT_NEAR(body.find("thigh_left").center.z(), -0.4095 * 0.45, 1e-12);
  ASSERT_EQ(body.remarks.size(), 1u);
  EXPECT_NE(body.remarks[0].find("m tall, not 1.800 m"), std::string::npos);
}

void expect_refused(const Person& person, const std::string& part) {
  try {
    make_segments(person, Segmentation::kFiveTrunkParts);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(BodySegments, RefuseTheImpossible) {
  expect_refused({Sex::kMale, 0.5, 70}, "height = 0.5 m");
  expect_refused({Sex::kMale, std::nan(""), 70}, "height = nan m");
  expect_refused({Sex::kMale, 1.8, -3}, "mass = -3 kg");
  expect_refused({Sex::kMale, 2.2, 30}, "kg/m^2");
  expect_refused({Sex::kMale, 1.8, 80, {{"tigh", 0.4}}}, "Did you mean \"thigh\"?");
  expect_refused({Sex::kMale, 1.8, 80, {{"thigh", -0.4}}}, "length thigh = -0.4 m");
}

/// The height of the highest point of the head's segment frame chain and of the soles.
TEST(Human, StandsOnTheGroundAtItsHeight) {
  for (const auto segmentation : kSegmentations) {
    HumanRequest request;
    request.person = {Sex::kFemale, 1.65, 60};
    request.segmentation = segmentation;
    const Human human = make_human(request);
    EXPECT_EQ(human.model.bodies.size(), human.body.segments.size());
    EXPECT_EQ(human.model.joints.size(), human.body.segments.size() - 1);
    for (const auto& body : human.model.bodies) {
      if (body.id == "head") {
        const double neck =
            segmentation == Segmentation::kFiveTrunkParts ? human.body.lengths.neck : 0;
        EXPECT_NEAR(body.o[2] + human.body.lengths.head - neck, 1.65, 1e-3);
      }
      if (body.id == "foot_left") {
        EXPECT_NEAR(body.o[2], human.body.lengths.ankle_height, 1e-12);
      }
    }
  }
}

TEST(Human, SitsWithThighsForward) {
  HumanRequest request;
  request.segmentation = Segmentation::kFiveTrunkParts;
  request.posture = Posture::kSitting;
  request.recline = 0.2;
  const Human human = make_human(request);
  double hip = 0, knee = 0, head = 0;
  for (const auto& body : human.model.bodies) {
    if (body.id == "thigh_left") hip = body.o[0];
    if (body.id == "shank_left") knee = body.o[0];
    if (body.id == "head") head = body.o[0];
  }
  EXPECT_NEAR(knee - hip, human.body.lengths.thigh, 1e-12);
  EXPECT_LT(head, -0.1);
}

}  // namespace
}  // namespace parfait::motion
