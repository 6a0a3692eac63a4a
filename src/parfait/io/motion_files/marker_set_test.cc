#include "parfait/io/motion_files/marker_set.h"

#include <gtest/gtest.h>

#include "parfait/base/error.h"

namespace parfait::io {
namespace {

TEST(MarkerSet, OldAndNewVersionsOfOpenSimAreRead) {
  const MarkerSet set = read_marker_set_text(
      "<OpenSimDocument>\n<MarkerSet name=\"gait\"><objects>\n"
      "<Marker name=\"R.ASIS\"><body> pelvis </body><location> 0.02 0.03 0.128 "
      "</location><fixed>true</fixed></Marker>\n"
      "<Marker "
      "name=\"R.Knee\"><socket_parent_frame>/bodyset/femur_r</socket_parent_frame><location>0 -0.4 "
      "0.05</location></Marker>\n"
      "<Marker name=\"lost\"><body>x</body></Marker>\n<Marker "
      "name=\"R.ASIS\"><body>x</body><location>1 2 3</location></Marker>\n"
      "</objects></MarkerSet></OpenSimDocument>\n",
      "m.xml");
  EXPECT_EQ(set.name, "gait");
  ASSERT_EQ(set.markers.size(), 2U);
  EXPECT_EQ(set.markers[0].body, "pelvis");
  EXPECT_TRUE(set.markers[0].fixed);
  EXPECT_EQ(set.markers[1].body, "femur_r");
  EXPECT_EQ(set.markers[1].location, (Vec3{0, -0.4, 0.05}));
  EXPECT_EQ(set.markers[1].line, 4);
  ASSERT_EQ(set.warnings.size(), 2U);
  EXPECT_EQ(set.warnings[0].text(),
            "line 5: marker \"lost\" has no location of three numbers; left out");
  EXPECT_EQ(set.warnings[1].text(), "line 6: marker \"R.ASIS\" is there twice; the first counts");

  const MarkerSet again = read_marker_set_text(marker_set_text(set), "again.xml");
  ASSERT_EQ(again.markers.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again.markers[i].name, set.markers[i].name);
    EXPECT_EQ(again.markers[i].body, set.markers[i].body);
    EXPECT_EQ(again.markers[i].location, set.markers[i].location);
    EXPECT_EQ(again.markers[i].fixed, set.markers[i].fixed);
  }
}

TEST(MarkerSet, FilesWithoutMarkersAreRefused) {
  EXPECT_THROW(read_marker_set_text("<a></a>", "m.xml"), base::InputError);
  EXPECT_THROW(read_marker_set_text("no XML", "m.xml"), base::InputError);
}

}  // namespace
}  // namespace parfait::io
