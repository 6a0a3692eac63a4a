#!/usr/bin/env python3
"""parfait import: what is in a motion file, what is odd about it, and its tables."""
import csv
import json
import unittest

from cli import SOURCE, CliTest

DATA = SOURCE / "tests/motion_files/data"


class Import(CliTest):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_a_c3d_file_is_told_and_written_in_metres(self):
        text = self.run_cli("import", DATA / "type1_standing.c3d", "--out", "r").stdout
        for words in ("38: r should", "force plate 1", "mm (the markers of a frame are", "+y (force plates)",
                      "warning: byte 624: labels are there twice", "markers.csv, analog.csv, wrenches.csv"):
            self.assertIn(words, text)
        result = self.result("r")
        self.assertEqual((result["command"], result["status"], result["file_format"]), ("import", "done", "C3D, Intel, float"))
        self.assertEqual((result["trial"]["frames"], len(result["trial"]["markers"]), len(result["warnings"])), (200, 38, 4))
        self.assertEqual(result["files"], ["markers.csv", "analog.csv", "wrenches.csv"])
        wrenches = self.rows("r/wrenches.csv")
        self.assertEqual(len(wrenches), 200)
        up = sum(float(row["plate1.fy"]) for row in wrenches) / 200
        self.assertAlmostEqual(up / 9.81, 59, delta=0.05)  # kg
        self.assertLess(abs(float(wrenches[0]["plate1.px"])), 1)  # m
        heights = [float(row["r asis.y"]) for row in self.rows("r/markers.csv") if row["r asis.y"]]
        self.assertTrue(0.5 < min(heights) < max(heights) < 2)

    def test_a_petab_problem_becomes_files_that_give_the_same_likelihood(self):
        name = "Perelson_Science1996"
        yaml = SOURCE / "tests/estimation/data/petab" / name / f"{name}.yaml"
        self.run_cli("import", yaml, "--out", "imported")
        self.assertEqual(self.result("imported")["file_format"], "PEtab 1")
        self.run_cli("check", yaml)
        likelihoods = []
        for file, out in ((yaml, "direct"), ("imported/problem.xml", "written")):
            self.run_cli("fit", file, "--out", out, "--quiet")
            result = self.result(out)
            self.assertEqual(result["status"], "converged")
            self.assertTrue(result["likelihood"]["is_objective"])
            likelihoods.append(result["likelihood"]["log_likelihood"])
        self.assertAlmostEqual(likelihoods[0], -222.28076952, delta=1e-6)  # the best value known
        self.assertAlmostEqual(likelihoods[0], likelihoods[1], delta=1e-10)

    def test_fits_of_petab_problems_end_where_they_begin(self):
        """At published minima, also where parameters that the data hardly see would drift to their bounds."""
        for name, best in (("Boehm_JProteomeRes2014", -138.22197672), ("Liu_IFACPapersOnLine2025", -723.35749132)):
            yaml = SOURCE / "tests/estimation/data/petab" / name / f"{name}.yaml"
            self.run_cli("fit", yaml, "--out", name, "--quiet")
            result = self.result(name)
            self.assertEqual(result["status"], "converged", name)
            self.assertAlmostEqual(result["likelihood"]["log_likelihood"], best, delta=1e-5, msg=name)
            self.assertLess(result["iterations"], 30, name)

    def test_axes_are_turned_in_all_tables(self):
        self.run_cli("import", DATA / "type1_standing.c3d", "--axes", "z,x,y", "--out", "r", "--quiet")
        result = self.result("r")
        self.assertEqual(result["trial"]["up"], "+z")
        self.assertGreater(float(self.rows("r/wrenches.csv")[0]["plate1.fz"]), 500)

    def test_units_are_those_that_are_given(self):
        for unit, factor in (("mm", 1e-3), ("m", 1)):
            self.run_cli("import", DATA / "exampleFormat.trc", "--units", unit, "--out", "r")
            self.assertAlmostEqual(float(self.rows("r/markers.csv")[1]["marker1.z"]), -1.57 * factor, delta=1e-9)

    def test_events_are_a_table_of_words(self):
        self.run_cli("import", DATA / "Analysis.c3d", "--out", "r")
        events = self.rows("r/events.csv")
        self.assertEqual(len(events), 6)
        self.assertEqual({event["label"] for event in events}, {"Foot Strike", "Foot Off"})
        self.assertIn("LHipAngles.x", self.rows("r/outputs.csv")[0])

    def test_tables_of_coordinates(self):
        text = self.run_cli("import", DATA / "std_subject01_walk1_ik.mot").stdout
        self.assertIn("degrees (the file does not say)", text)
        rows = self.rows("run/std_subject01_walk1_ik/motion.csv")
        self.assertEqual(len(rows), 73)
        self.assertIn("pelvis_tilt", rows[0])
        result = json.loads(self.run_cli("import", DATA / "test_freebvh.bvh", "--json").stdout)
        self.assertEqual(result["files"], ["markers.csv", "motion.csv"])
        self.assertEqual((result["trial"]["unit_of_file"], result["table"]["rows"]), ("cm", 69))

    def test_bad_input_writes_nothing(self):
        self.assertIn("no line begins with Frame#", self.error_of("import", DATA / "Truncated.trc"))
        self.assertIn("nowhere.c3d", self.error_of("import", "nowhere.c3d"))
        self.assertIn("mirror image", self.error_of("import", DATA / "MyCube.c3d", "--axes", "x,z,y"))
        self.assertIn("--units furlong", self.error_of("import", DATA / "MyCube.c3d", "--units", "furlong"))
        self.assertIn("has columns, not places", self.error_of("import", DATA / "qIK.csv", "--units", "m"))
        self.write("a.xyz", "what is this?")
        self.assertIn("no motion file", self.error_of("import", "a.xyz"))
        (self.folder / "keep").mkdir()
        self.write("keep/mine.txt", "mine")
        self.assertIn("keep", self.error_of("import", DATA / "MyCube.c3d", "--out", "keep"))


if __name__ == "__main__":
    unittest.main()
