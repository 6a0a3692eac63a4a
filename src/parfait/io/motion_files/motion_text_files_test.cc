#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/bvh.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/motion_files/trc.h"
#include "parfait/io/results/result_json.h"

namespace parfait::io {
namespace {

std::string text_data(const std::string& name) {
  return PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name;
}

std::string warnings_of(const std::vector<FileWarning>& warnings) {
  std::string out;
  for (const auto& warning : warnings) out += warning.text() + "\n";
  return out;
}

template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

const char* const kTrcHeader =
    "PathFileType\t4\t(X/Y/Z)\ta.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumF"
    "rames\n"
    "100\t100\t2\t2\tmm\t100\t1\t2\n";

TEST(Trc, RealFilesHaveTheContentsTheyAreKnownFor) {
  const Trial example = read_trc(text_data("exampleFormat.trc"));
  EXPECT_EQ(example.num_frames, 5U);
  EXPECT_EQ(example.markers.size(), 3U);
  EXPECT_TRUE(example.markers.is_missing(0, 0));  // empty cells
  EXPECT_TRUE(example.markers.is_missing(2, 1));  // Nan nan NAN
  EXPECT_EQ(example.markers.num_missing(), 2U);
  EXPECT_DOUBLE_EQ(example.start_time, 0.01);
  const Trial exponents = read_trc(text_data("dataWithEformat.trc"));
  EXPECT_EQ(exponents.markers.size(), 14U);
  EXPECT_EQ(exponents.markers.at(0, 0)[1], 0.0746);
  EXPECT_EQ(exponents.length_unit, "m");
  EXPECT_EQ(read_trc(text_data("dataWithNaNsOfDifferentCases.trc")).markers.num_missing(), 5U);
  const Trial walk = read_trc(text_data("gait10dof18musc_walk_CRLF_line_ending.trc"));
  EXPECT_EQ(walk.markers.size(), 41U);
  EXPECT_EQ(walk.num_frames, 10U);
  EXPECT_EQ(walk.rate, 60);
  EXPECT_EQ(walk.up.name(), "+y");
  EXPECT_EQ(walk.markers.at(0, 0)[1], 1055.275020);
  EXPECT_EQ(warnings_of(walk.warnings), "");
}

TEST(Trc, LabelsMayStandAnywhereAboveTheirColumns) {
  const std::string rows = "X1\n\n1\t0\t1\t2\t300\t4\t5\t6\n2\t0.01\t1\t2\t3\t\t\t\n";
  for (const std::string labels :
       {"Frame#\tTime\tA\t\t\tB b\t\t\n\t\t", "Frame#\tTime\t\tA\t\tB b\n\t\t\t"}) {
    const Trial trial = read_trc_text(fmt::format("{}{}{}", kTrcHeader, labels, rows), "a.trc");
    ASSERT_EQ(trial.markers.size(), 2U);
    EXPECT_EQ(trial.markers.points[1].name, "B b");
    EXPECT_EQ(trial.markers.at(0, 1)[2], 6);
    EXPECT_TRUE(trial.markers.is_missing(1, 1));
    EXPECT_EQ(warnings_of(trial.warnings), "");
  }
}

TEST(Trc, OddHeadersAndRowsAreReadAndToldWithTheirLine) {
  const std::string labels = "Frame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n";
  const auto told = [&](const std::string& text) {
    return warnings_of(read_trc_text(text, "a.trc").warnings);
  };
  const std::string row1 = "1\t0\t1\t2\t300\t4\t5\t6\n", row2 = "2\t0.01\t1\t2\t300\t4\t5\t6\n";
  EXPECT_EQ(told(kTrcHeader + labels + row1 + row2), "");  // no sixth line
  EXPECT_EQ(told(kTrcHeader + labels + row1), "line 3: NumFrames is 2, but there are 1\n");
  EXPECT_EQ(told(kTrcHeader + labels + row1 + "2\t0.01\t0\t0\t0\t4\t5\t300\n"),
            "line 7: 1 positions are exactly 0 0 0; taken as missing\n");
  EXPECT_EQ(told(kTrcHeader + labels + row1 + "2\t0.01\t1\t2\tthree\t4\t5\t300\n"),
            "line 7: \"three\" is not a number; such cells are taken as missing\n");
  EXPECT_EQ(told(kTrcHeader + labels + row1 + "2\t0.1\t1\t2\t300\t4\t5\t6\n"),
            "line 3: DataRate is 100, but by their times there are 10 frames per second, which is "
            "believed\n");
  EXPECT_EQ(told(kTrcHeader + labels + row1 + "2\t0\t1\t2\t300\t4\t5\t6\n"),
            "line 7: the times do not increase; they follow from DataRate\n");
  EXPECT_EQ(told(kTrcHeader + labels + "1\t0\t1\t2\t300\t4\t5\t6\t7\t8\t9\n" + row2),
            "line 6: rows have numbers for 1 markers more than there are labels; these are called "
            "*0003 and so on\n");
  std::string three = std::string(kTrcHeader) + "Frame#\tTime\tA\t\t\tB\t\t\tC\t\t\n" +
                      "\n1\t0\t1\t2\t300\t4\t5\t6\t7\t8\t9\n" + row2;
  EXPECT_EQ(told(three),
            "line 4: there are 3 labels, but NumMarkers is 2; the labels are believed\n");
  std::string no_unit = std::string(kTrcHeader) + labels + row1 + row2;
  no_unit.replace(no_unit.find("mm"), 2, "");
  EXPECT_EQ(told(no_unit),
            "line 3: no unit of length is given; taken as mm, since the markers of a frame are 294 "
            "apart\n");
}

TEST(Trc, BlanksMaySeparateAndAnyLineEndsWillDo) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = fmt::format(
        "PathFileType 4 (X/Y/Z) a.trc{0}"
        "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame{0}"
        "50 50 2 2 m 50 7{0}Frame# Time A B{0}X1 Y1 Z1 X2 Y2 Z2{0}"
        "7 0.12 1 2 3 4 5 6{0}8 0.14 1 2 3 nan nan nan{0}",
        end);
    const Trial trial = read_trc_text(text, "a.trc");
    EXPECT_EQ(trial.num_frames, 2U);
    EXPECT_EQ(trial.first_frame, 7);
    EXPECT_EQ(trial.markers.at(0, 1)[0], 4);
    EXPECT_TRUE(trial.markers.is_missing(1, 1));
    EXPECT_EQ(warnings_of(trial.warnings), "");
  }
}

TEST(Trc, ReadWriteReadGivesTheSameTrial) {
  for (const char* name :
       {"exampleFormat.trc", "dataWithEformat.trc", "dataWithNaNsOfDifferentCases.trc",
        "gait10dof18musc_walk_CRLF_line_ending.trc"}) {
    SCOPED_TRACE(name);
    const Trial trial = read_trc(text_data(name));
    const Trial again = read_trc_text(trc_text(trial), name);
    EXPECT_EQ(again.num_frames, trial.num_frames);
    EXPECT_EQ(again.rate, trial.rate);
    EXPECT_EQ(again.start_time, trial.start_time);
    EXPECT_EQ(again.first_frame, trial.first_frame);
    EXPECT_EQ(again.length_unit, trial.length_unit);
    ASSERT_EQ(again.markers.size(), trial.markers.size());
    EXPECT_EQ(again.markers.num_missing(), trial.markers.num_missing());
    for (std::size_t i = 0; i < trial.markers.xyz.size(); ++i) {
      const double a = trial.markers.xyz[i], b = again.markers.xyz[i];
      ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)));
    }
    EXPECT_EQ(trc_text(again), trc_text(trial));
  }
}

TEST(Trc, FilesWithoutFramesAreRefused) {
  EXPECT_EQ(refusal([] { read_trc_text("", "e.trc"); }),
            "e.trc: no frame can be decoded: no line begins with Frame#.");
  EXPECT_NE(
      refusal([] { read_trc(text_data("Truncated.trc")); }).find("no line begins with Frame#"),
      std::string::npos);
  EXPECT_NE(refusal([] {
              read_trc_text(std::string(kTrcHeader) + "Frame#\tTime\tA\n", "e.trc");
            }).find("no row of numbers"),
            std::string::npos);
}

TEST(Storage, RealFilesHaveTheContentsTheyAreKnownFor) {
  const MotionTable simm = read_storage(text_data("std_subject01_walk1_ik.mot"));
  EXPECT_EQ(simm.num_rows(), 73U);
  EXPECT_EQ(simm.columns.size(), 23U);
  EXPECT_EQ(simm.name, "first trial");
  EXPECT_EQ(simm.angles, AngleUnit::kDegrees);  // headers of SIMM do not say so
  EXPECT_FALSE(simm.angles_stated);
  EXPECT_NEAR(simm.time.front(), 0.4, 1e-9);
  EXPECT_EQ(warnings_of(simm.warnings), "");
  const MotionTable states = read_storage(text_data("double_pendulum_states.sto"));
  EXPECT_EQ(states.format, "STO");
  EXPECT_EQ(states.num_rows(), 46U);
  EXPECT_EQ(states.angles, AngleUnit::kRadians);
  EXPECT_EQ(states.values[static_cast<std::size_t>(states.find("q2"))][0], -1.04719755);
  const MotionTable walk = read_storage(text_data("gait10dof18musc_ik_CRLF_line_ending.mot"));
  EXPECT_EQ(walk.num_rows(), 15U);
  EXPECT_EQ(walk.columns.size(), 10U);
  EXPECT_TRUE(walk.angles_stated);
}

TEST(Storage, HeadersMayLackTheirEndAndCellsHoldVectors) {
  const MotionTable bare =
      read_storage_text("walk\nnRows=2\nnColumns=2\ntime q\n0 1\n0.5 2\n", "a.mot");
  EXPECT_EQ(
      warnings_of(bare.warnings),
      "line 4: the header has no line \"endheader\"; it ends before the names of the columns\n");
  EXPECT_EQ(bare.values[0], (std::vector<double>{1, 2}));
  const MotionTable vectors = read_storage_text(
      "DataType=Vec3\nversion=3\nendheader\n\ntime\tforce\n0\t1,2,3\n1\t4,5,6\n", "a.sto");
  EXPECT_EQ(vectors.columns, (std::vector<std::string>{"force_1", "force_2", "force_3"}));
  EXPECT_EQ(vectors.values[2], (std::vector<double>{3, 6}));
  EXPECT_EQ(vectors.angles, AngleUnit::kRadians);  // version 3 without inDegrees
  const MotionTable odd =
      read_storage_text("x\nnRows=3\nnColumns=4\nendheader\ntime\ta\ta\n0\t1\t2\n1\tx\n", "a.mot");
  EXPECT_EQ(warnings_of(odd.warnings),
            "line 5: names of columns are there twice or empty, and were given other names\n"
            "line 3: the header says 4 columns, but 3 are named\n"
            "line 7: the row has 2 cells instead of 3; what is missing is taken as empty\n"
            "line 7: \"x\" is not a number; such cells are taken as empty\n"
            "line 2: the header says 3 rows, but there are 2\n");
  EXPECT_TRUE(std::isnan(odd.values[0][1]));
}

TEST(Storage, ReadWriteReadGivesTheSameTable) {
  for (const char* name : {"std_subject01_walk1_ik.mot", "double_pendulum_states.sto",
                           "gait10dof18musc_ik_CRLF_line_ending.mot"}) {
    SCOPED_TRACE(name);
    const MotionTable table = read_storage(text_data(name));
    const MotionTable again = read_storage_text(storage_text(table), name);
    EXPECT_EQ(again.columns, table.columns);
    EXPECT_EQ(again.time, table.time);
    EXPECT_EQ(again.values, table.values);
    EXPECT_EQ(again.angles, table.angles);
    EXPECT_EQ(again.name, table.name);
    EXPECT_EQ(again.version, table.version);
    EXPECT_EQ(storage_text(again), storage_text(table));
  }
}

TEST(Meshup, AnimationsWithAndWithoutColumns) {
  const MotionTable walk = read_meshup(text_data("walkanimation.csv"));
  ASSERT_EQ(walk.columns.size(), 7U);
  EXPECT_EQ(walk.num_rows(), 5U);
  EXPECT_EQ(walk.values[6][4], 20);
  EXPECT_EQ(warnings_of(walk.warnings), "");
  MeshupColumn column;
  ASSERT_TRUE(parse_meshup_column(walk.columns[1], column));
  EXPECT_EQ(column.frame, "UPPERLEG_L");
  EXPECT_EQ(column.kind, 'R');
  EXPECT_EQ(column.axis, 1);
  EXPECT_EQ(column.sign, -1);
  EXPECT_EQ(column.unit, AngleUnit::kDegrees);
  ASSERT_TRUE(parse_meshup_column("HIP:rotation:z:rad", column));
  EXPECT_EQ(column.unit, AngleUnit::kRadians);
  EXPECT_FALSE(parse_meshup_column("HIP:turn:z", column));
  const MotionTable bare = read_meshup(text_data("qIK.csv"));
  EXPECT_EQ(bare.columns.size(), 9U);
  EXPECT_EQ(bare.num_rows(), 74U);
  EXPECT_EQ(bare.columns[0], "q1");
  EXPECT_NE(refusal([] {
              read_meshup(text_data("data_from_example.csv"));
            }).find("DATA_FROM names \"example_data.csv\""),
            std::string::npos);
  EXPECT_NE(
      refusal([] { read_meshup_text("frame, a\n0, 1\n", "t.csv"); }).find("used as data as it is"),
      std::string::npos);
  for (const MotionTable& table : {walk, read_meshup(text_data("sampleanimation.csv"))}) {
    const MotionTable again = read_meshup_text(meshup_text(table), "again.csv");
    EXPECT_EQ(again.columns, table.columns);
    EXPECT_EQ(again.values, table.values);
    EXPECT_EQ(again.time, table.time);
  }
}

TEST(Meshup, ForcesAreNineNumbersEach) {
  const MotionTable forces = read_meshup_forces(text_data("grf.ff"));
  EXPECT_EQ(forces.columns.size(), 18U);
  EXPECT_EQ(forces.num_rows(), 74U);
  EXPECT_EQ(forces.values[static_cast<std::size_t>(forces.find("force1.fz"))][0], 820.81);
  EXPECT_EQ(forces.values[static_cast<std::size_t>(forces.find("force2.px"))][0], -0.84385);
  EXPECT_EQ(read_meshup_forces_text(meshup_forces_text(forces), "again.ff").values, forces.values);
}

const char* const kArm =
    "HIERARCHY\nROOT hip\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\n"
    " JOINT arm\n {\n  OFFSET 10 0 0\n  CHANNELS 2 Zrotation Yrotation\n  End Site\n  {\n   OFFSET "
    "5 0 0\n  }\n }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.02\n1 2 3 90 0 0 0 0\n0 0 0 0 90 0 90 90\n";

TEST(Bvh, JointsAreWhereTheirChannelsPutThem) {
  const BvhFile file = read_bvh_text(kArm, "arm.bvh");
  ASSERT_EQ(file.joints.size(), 3U);
  EXPECT_EQ(file.joints[2].name, "arm.end");
  EXPECT_EQ(file.num_frames(), 2U);
  const Trial trial = bvh_trial(file);
  EXPECT_NEAR(trial.rate, 50, 1e-12);
  const auto expect_place = [&](std::size_t frame, std::size_t joint, double x, double y,
                                double z) {
    const double* p = trial.markers.at(frame, joint);
    EXPECT_NEAR(p[0], x, 1e-12);
    EXPECT_NEAR(p[1], y, 1e-12);
    EXPECT_NEAR(p[2], z, 1e-12);
  };
  expect_place(0, 0, 1, 2, 3);
  expect_place(0, 1, 1, 12, 3);  // the root turned its x axis to y
  expect_place(0, 2, 1, 17, 3);
  // Frame 1: the root turns about x, y goes to z; the arm turns z by 90 (x to y, in its parent's
  // axes), then about its own new y, which takes its x to -z: of its own, (5,0,0) becomes (0,0,-5),
  // unmoved by z, and by the root's turn (0,5,0).
  expect_place(1, 1, 10, 0, 0);
  expect_place(1, 2, 10, 5, 0);
}

TEST(Bvh, ReadWriteReadGivesTheSameFile) {
  const BvhFile real = read_bvh(text_data("test_freebvh.bvh"));
  EXPECT_EQ(real.num_frames(), 69U);
  EXPECT_NEAR(real.frame_time, 0.0333333, 1e-12);
  EXPECT_EQ(real.joints.front().name, "mixamorig:Hips");
  EXPECT_EQ(warnings_of(real.warnings), "");
  const Trial trial = bvh_trial(real);
  EXPECT_EQ(trial.length_unit, "cm");
  EXPECT_EQ(trial.up.name(), "+y");
  EXPECT_NEAR(trial.markers.at(0, 0)[1], 98.2948, 1e-12);
  for (const BvhFile& file : {real, read_bvh_text(kArm, "arm.bvh")}) {
    const BvhFile again = read_bvh_text(bvh_text(file), "again.bvh");
    ASSERT_EQ(again.joints.size(), file.joints.size());
    for (std::size_t i = 0; i < file.joints.size(); ++i) {
      EXPECT_EQ(again.joints[i].name, file.joints[i].name);
      EXPECT_EQ(again.joints[i].parent, file.joints[i].parent);
      EXPECT_EQ(again.joints[i].offset, file.joints[i].offset);
      EXPECT_EQ(again.joints[i].channels, file.joints[i].channels);
    }
    EXPECT_EQ(again.values, file.values);
    EXPECT_EQ(again.frame_time, file.frame_time);
  }
}

TEST(Bvh, AnEndWithChannelsKeepsThem) {
  const std::string text =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\nEnd Site\n{\nOFFSET 0 1 "
      "0\nCHANNELS 1 "
      "Yposition\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n1 2\n3 4\n";
  const BvhFile file = read_bvh_text(text, "a.bvh");
  const BvhFile again = read_bvh_text(bvh_text(file), "a.bvh");
  EXPECT_EQ(again.num_frames(), 2U);
  EXPECT_EQ(again.values, file.values);
}

TEST(Bvh, MistakesAreRefusedWithTheirLine) {
  const auto said = [](const std::string& from, const std::string& to) {
    std::string text = kArm;
    text.replace(text.find(from), from.size(), to);
    return refusal([&] { read_bvh_text(text, "a.bvh"); });
  };
  EXPECT_EQ(said("HIERARCHY", "TREE"),
            "a.bvh:1: no frame can be decoded: the file must begin with HIERARCHY.");
  EXPECT_EQ(said("OFFSET 10 0 0", "OFFSET 10 zero 0"),
            "a.bvh:8: no frame can be decoded: an offset must be a number, not \"zero\".");
  EXPECT_EQ(said("2 Zrotation", "2 Wrotation"),
            "a.bvh:9: no frame can be decoded: \"Wrotation\" is not a channel; channels are "
            "Xposition ... Zrotation.");
  EXPECT_EQ(said("}\nMOTION", "\nMOTION"),
            "a.bvh:16: no frame can be decoded: 1 joints are not closed with a brace.");
  EXPECT_NE(
      said("1 2 3 90 0 0 0 0\n0 0 0 0 90 0 90 90\n", "1 2 3\n").find("there is no whole frame"),
      std::string::npos);
}

TEST(AxesUnits, AxesAreTurnedNeverMirrored) {
  const AxisMap axes = parse_axes("x,z,-y");
  EXPECT_EQ(axes.from, (std::array<int, 3>{0, 2, 1}));
  EXPECT_EQ(axes.sign, (std::array<int, 3>{1, 1, -1}));
  EXPECT_NE(refusal([] { parse_axes("x,z,y"); }).find("mirror image"), std::string::npos);
  EXPECT_NE(refusal([] { parse_axes("x,y"); }).find("three axes"), std::string::npos);
  EXPECT_NE(refusal([] { parse_axes("x,y,x"); }).find("there twice"), std::string::npos);
  EXPECT_NE(refusal([] { parse_axes("x,y,w"); }).find("an axis is x, y or z"), std::string::npos);
  Trial trial = read_trc(text_data("gait10dof18musc_walk_CRLF_line_ending.trc"));
  to_metres(trial, parse_axes("x,-z,y"));
  EXPECT_EQ(trial.up.name(), "+z");
  EXPECT_NEAR(trial.markers.at(0, 0)[0], 0.617247620, 1e-12);
  EXPECT_NEAR(trial.markers.at(0, 0)[1], -0.170781980, 1e-12);
  EXPECT_NEAR(trial.markers.at(0, 0)[2], 1.055275020, 1e-12);
}

TEST(AxesUnits, UnitsThatContradictTheSizeOfTheSubjectAreNotBelieved) {
  const MotionFile planar = read_motion_file(text_data("gaitDataPlanar.c3d"));
  EXPECT_EQ(planar.trial->length_unit, "mm");  // the file says M
  EXPECT_EQ(planar.trial->up.name(), "+z");
  ASSERT_EQ(planar.warnings().size(), 1U);
  EXPECT_NE(planar.warnings()[0].message.find("taken as mm"), std::string::npos);
  for (const auto& [unit, metres] :
       {std::pair("mm", 1e-3), std::pair("MM ", 1e-3), std::pair("M", 1.0),
        std::pair("Meters", 1.0), std::pair("cm", 1e-2), std::pair("?", 0.0)}) {
    EXPECT_EQ(metres_in(unit), metres) << unit;
  }
}

TEST(MotionFile, TablesHaveEmptyCellsForWhatIsMissing) {
  const MotionFile file = read_motion_file(text_data("exampleFormat.trc"));
  const auto tables = trial_tables(*file.trial);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].first, "markers.csv");
  EXPECT_EQ(tables[0].second.substr(0, tables[0].second.find("\n0.02")),
            "t,marker1.x,marker1.y,marker1.z,marker2.x,marker2.y,marker2.z,marker3.x,marker3.y,"
            "marker3.z\n"
            "0.01,,,,-0.152,0.245,-1.71,-0.0517,0.305,-1.7");
  Trial events;
  events.events.push_back({1.5, "say \"go\", now", "", "", ""});
  EXPECT_EQ(trial_tables(events)[0].second,
            "t,label,context,subject,description\n1.5,\"say \"\"go\"\", now\",\"\",\"\",\"\"\n");
}

TEST(MotionImport, ResultReadsBackTheSame) {
  result::MotionImport import;
  import.verdict = {"9.9.9", "done", false, "done", { "byte 7: odd" }};
  import.file = "a/b.c3d";
  import.format = "C3D, DEC, float";
  import.files = {"markers.csv"};
  result::TrialFacts trial;
  trial.frames = 12;
  trial.first_frame = 480;
  trial.rate = 1.0 / 3;
  trial.start = 0.1;
  trial.end = 0.7;
  trial.unit_of_file = "mm";
  trial.unit_reason = "the file says so";
  trial.up = "-y";
  trial.up_reason = "force plates";
  trial.markers = {"A", "B"};
  trial.missing = 5;
  trial.outputs = {{"LHip", "angle", "deg"}};
  trial.analog_rate = 1080;
  trial.channels = {{"Fx", "N"}};
  trial.plates = {{2, {{1, 2, 3}, {4, 5, 6}}, {"Fx", ""}, true, true}};
  trial.events = {{0.3, "Foot Off", "Left"}};
  import.trial = trial;
  EXPECT_EQ(read_motion_import_text(result_text(import), "r"), import);
  import.trial.reset();
  import.table = result::TableFacts{3, {"q"}, 0, 2, "radians", true};
  EXPECT_EQ(read_motion_import_text(result_text(import), "r"), import);
}

TEST(InverseDynamicsResult, ReadsBackTheSame) {
  result::InverseDynamics run;
  run.verdict = {"9.9.9", "done", false, "done", {"odd"}};
  run.model = "m.osim";
  run.motion = "q.mot";
  run.loads = "l.xml";
  run.filter = 6;
  run.mass = 72.6;
  run.rate = 60;
  run.rows = 3;
  run.start = 0.5;
  run.end = 1.6;
  run.coordinates = {{"knee", "N m", 1, -2, 3, -4, 5}};
  run.cycles = {{"Right", "foot", 0.25, 1.5}};
  run.files = {"moments.csv"};
  EXPECT_EQ(read_inverse_dynamics_text(result_text(run), "r"), run);
}

}  // namespace
}  // namespace parfait::io
