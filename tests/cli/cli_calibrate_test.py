#!/usr/bin/env python3
"""parfait calibrate: a subject's model from a generic one and measured markers."""
import csv
import re
import unittest

import cli_joints_test
from cli import SOURCE, CliTest

GAIT = SOURCE / "examples/gait_ik"
SUBJECT = SOURCE / "examples/subject_calibration"
OPTIONS = ("--static", SUBJECT / "static1.trc", "--priors", SUBJECT / "priors.csv", "--every", "walking1=5", "--every", "STS1=5",
           "--every", "static1=5", "--relabel")


class Calibrate(CliTest):
    def calibrate(self, out, *options):
        return self.run_cli("calibrate", SUBJECT / "generic.osim", GAIT / "walking1.trc", SUBJECT / "STS1.trc", *options, "--out", out)

    def test_a_generic_model_becomes_the_subjects(self):
        text = self.calibrate("r", *OPTIONS).stdout
        self.assertIn("markers do not tell 12 of 171 directions; priors decide there", text)
        result = self.result("r")
        self.assertEqual((result["status"], result["num_undetermined"], len(result["parameters"])), ("converged", 12, 171))
        self.assertLessEqual(result["iterations"], 12)
        # The lab's own scaling by hand has 9.8 mm, AddBiomechanics 10.3 mm.
        self.assertLess(1e3 * result["rms"], 5.8)
        for trial, limit in zip(result["trials"], (5.6, 6.2, 5.3)):
            self.assertLess(1e3 * trial["rms_all"], limit, trial["trial"])
            self.assertGreater(1e3 * trial["start_rms"], 80)
            self.assertLess(trial["effective_frames"], trial["frames"] + 1e-9)
        lengths = {length["name"]: length for length in result["lengths"]}
        femur = lengths["femur_r (to tibia_r)"]
        self.assertAlmostEqual(1e3 * femur["value"], 406, delta=2)
        self.assertTrue(femur["naive_sd"] < femur["sd"] < 0.01)
        self.assertAlmostEqual(1e3 * lengths["pelvis (femur_r to femur_l)"]["value"], 175, delta=3)
        with open(self.folder / "r/parameters.csv", newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), 171)
        # Depth of the humerus: only the prior says something.
        self.assertLess(float(rows["humerus.scale.x"]["told_by_data"]), 0.05)

    def test_the_model_that_is_written_is_the_users_with_other_numbers(self):
        self.calibrate("r", *OPTIONS, "--quiet")
        trials = {trial["trial"]: trial["rms_all"] for trial in self.result("r")["trials"]}
        self.run_cli("ik", "r/model.osim", SUBJECT / "STS1.trc", "--out", "again", "--quiet")
        self.assertAlmostEqual(self.result("again")["trials"][0]["errors"]["rms"], trials["STS1"], delta=1e-5)
        number = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")
        old = (SUBJECT / "generic.osim").read_text()
        new = (self.folder / "r/model.osim").read_text()
        self.assertNotEqual(old, new)
        # Displacements of the knees, which follow polynomials, are multiplied now.
        new = re.sub(r'<MultiplierFunction name="function"><function>(.*?)</function><scale>[^<]*</scale></MultiplierFunction>', r"\1", new, flags=re.S)
        self.assertEqual(number.sub("#", old), number.sub("#", new))

    def test_only_scales_with_markers_where_they_are(self):
        (self.folder / "priors.csv").write_text("what,name,sd\nscale,ulna radius,0.3\nscale,*,0.3\nmarker,anatomical,0\n")
        options = list(OPTIONS)
        options[3] = "priors.csv"
        self.calibrate("r", *options, "--quiet")
        for trial in self.result("r")["trials"]:
            self.assertLess(1e3 * trial["rms_all"], 9.0, trial["trial"])

    def test_without_priors_it_arrives_and_says_what_is_infinite(self):
        self.calibrate("r", *OPTIONS[:2], "--priors", "none", *OPTIONS[4:], "--quiet")
        result = self.result("r")
        self.assertEqual(result["status"], "converged")
        # Twelve directions change no marker at all; those that are told worse than the thirtieth part of what is known
        # of bodies beforehand count as well.
        self.assertGreaterEqual(result["num_undetermined"], 12)
        self.assertLess(result["num_undetermined"], len(result["parameters"]) / 2)
        self.assertEqual(len(result["undetermined"]), result["num_undetermined"])
        unknown = [p for p in result["parameters"] if p["sd"] is None]
        self.assertTrue(unknown)
        for p in result["parameters"]:
            self.assertIsNone(p["prior_sd"])
            self.assertEqual(p["told_by_data"], 0 if p["sd"] is None else 1)
        # Data alone fit at least as well as with priors.
        self.calibrate("p", *OPTIONS, "--quiet")
        self.assertLess(result["rms"], self.result("p")["rms"])

    def test_what_makes_no_sense_is_refused(self):
        files = ("calibrate", SUBJECT / "generic.osim", SUBJECT / "STS1.trc", "--out", "bad")
        bad = self.folder / "bad.csv"
        bad.write_text("what,name,sd\nscale,femor,0.1\n")
        for options, words in ((("--free", "bones"), "is not one of scales, markers, joints"),
                               (("--priors", bad), 'Did you mean "femur"?'),
                               (("--height", "1.8"), "needs --model-height"),
                               (("--every", "walk=2"), 'no trial "walk"')):
            self.assertIn(words, self.error_of(*files, *options))
        bad.write_text("what,name,sd\nbone,femur,0.1\n")
        self.assertIn("bad.csv:2:1", self.error_of(*files, "--priors", bad))


class HeiMan(CliTest):
    """The demo trial of Puppeteer: what Felis (2015) adjusted by hand."""
    HEIMAN = SOURCE / "examples/heiman_subject"
    CENTRE = cli_joints_test.Joints.CENTRE

    def calibrate(self, model, out, priors=None):
        return self.run_cli("calibrate", model, self.HEIMAN / "walk.trc", "--free", "joints,markers", "--priors", priors or self.HEIMAN / "priors.csv",
                            "--every", "walk=8", "--out", out)

    def mean_errors(self, file):
        with open(self.folder / file, newline="") as text:
            rows = list(csv.DictReader(text))
        out = {}
        for name in rows[0]:
            values = [float(row[name]) for row in rows if row[name] and name != "t"]
            if values:
                out[name] = 1e3 * sum(values) / len(values)
        return out

    def test_lengths_and_markers_are_found_together(self):
        self.run_cli("human", "--heiman", "--height", 1.86, "--mass", 80, "--out", "h.lua", "--quiet")
        text = self.calibrate("h.lua", "r").stdout
        self.assertIn("markers do not tell 15 of 108 directions", text)
        self.assertIn("A trial in which UpperArmRight_RX and UpperArmLeft_RX", text)
        result = self.result("r")
        self.assertAlmostEqual(1e3 * result["trials"][0]["start_rms"], 48.4, delta=0.3)
        errors = self.mean_errors("r/walk.marker_errors.csv")
        self.assertEqual(len(errors), 32)
        self.assertLess(sum(errors.values()) / 32, 2.6)  # 2.3; by hand about 10
        self.assertLess(max(errors.values()), 7)  # 5.9
        # Half the distance of the hips with its interval, which holds what Harrington's regression says: 96.4 mm.
        hips = next(l for l in result["lengths"] if l["name"] == "Pelvis (ThighRight to ThighLeft)")
        self.assertTrue(85 < 500 * hips["value"] < 108)
        self.assertTrue(500 * hips["low"] < 96.4 < 500 * hips["high"])
        shapes = {s["name"]: s for s in result["shapes"]}
        self.assertAlmostEqual(1e3 * shapes["hip of ThighRight (Harrington), z"]["prior_mean"], 96.4, delta=0.2)
        # The model that is written fits as well, and few steps find its poses.
        self.run_cli("ik", "r/model.lua", self.HEIMAN / "walk.trc", "--out", "again", "--quiet")
        again = self.result("again")["trials"][0]
        self.assertAlmostEqual(again["errors"]["rms"], result["trials"][0]["rms_all"], delta=1e-6)
        self.assertLess(again["mean_iterations"], 8)

    def test_one_command_without_a_model_file(self):
        self.run_cli("calibrate", "heiman", self.HEIMAN / "walk.trc", "--height", 1.86, "--mass", 80, "--every", "walk=8", "--out", "one", "--quiet")
        one = self.result("one")
        self.run_cli("human", "--heiman", "--height", 1.86, "--mass", 80, "--out", "h.lua", "--quiet")
        self.calibrate("h.lua", "r")
        self.assertAlmostEqual(one["rms"], self.result("r")["rms"], delta=1e-8)
        self.assertTrue((self.folder / "one/model.lua").exists())
        self.assertTrue((self.folder / "one/report.html").exists())
        self.assertIn("no file says the mass", self.error_of("calibrate", "heiman", self.HEIMAN / "walk.trc", "--height", 1.86, "--out", "two"))
        self.assertIn("Is it in mm or cm?", self.error_of("calibrate", "heiman", self.HEIMAN / "walk.trc", "--height", 186, "--mass", 80, "--out", "two"))

    def renamed_trial(self, names):
        """The trial as another laboratory would name its markers."""
        lines = (self.HEIMAN / "walk.trc").read_text().split("\n")
        lines[3] = "\t".join(names.get(cell, cell) for cell in lines[3].split("\t"))
        (self.folder / "walk.trc").write_text("\n".join(lines))

    def test_markers_of_other_names(self):
        heiman = ("calibrate", "heiman", "walk.trc", "--height", 1.86, "--mass", 80, "--every", "walk=20", "--quiet", "--out")
        self.run_cli(*heiman[:2], self.HEIMAN / "walk.trc", *heiman[3:], "own")
        own = self.result("own")
        self.assertEqual((own["trials"][0]["markers"], own["trials"][0]["only_model"]), (32, []))
        names = {"LASI": "L.ASIS", "RANK": "r mall", "C7": "CV7", "RTHI": "Wand"}
        self.renamed_trial(names)
        # Told, but not taken.
        self.run_cli(*heiman, "told")
        told = self.result("told")
        self.assertEqual(told["trials"][0]["only_model"], ["LASI", "RTHI", "RANK", "C7"])
        self.assertIn("perhaps L.ASIS is LASI, r mall is RANK, CV7 is C7: --names guess", " ".join(told["warnings"]))
        # What nobody measured is no parameter.
        self.assertEqual(len(own["parameters"]) - len(told["parameters"]), 12)
        # Taken by what they mean, and the one that means nothing by hand: the same to the last bit.
        (self.folder / "names.csv").write_text("model,file\n" + "".join(f"{a},{b}\n" for a, b in names.items()))
        for out, options in (("guess", ("--names", "guess", "--name", "RTHI=Wand")), ("table", ("--names", "names.csv"))):
            self.run_cli(*heiman, out, *options)
            self.assertEqual(self.result(out)["parameters"], own["parameters"])
        for option, words in (("RTHY=Wand", 'Did you mean "RTHI"?'), ("RTHI=wend", 'no file has a marker "wend"'), ("RTHI", "must be MARKER=LABEL")):
            self.assertIn(words, self.error_of(*heiman, "bad", "--name", option))

    def test_functional_hips_are_witnesses_and_priors(self):
        heiman = ("calibrate", "heiman", self.HEIMAN / "walk.trc", "--height", 1.86, "--mass", 80, "--every", "walk=20", "--out")
        # A left hip 65 mm behind, 95 mm beside and 80 mm below the middle of the ASIS.
        cli_joints_test.Joints.write_trial(self, False)
        functional = ("--functional", "trial.trc", "--segment", "ThighLeft=T1,T2,T3")
        text = self.run_cli(*heiman, "r", *functional).stdout
        self.assertIn("centre of ThighLeft (trial, a prior)", text)
        result = self.result("r")
        self.assertEqual([(j["joint"], j["what"], j["is_prior"]) for j in result["functional"]], [("ThighLeft", "centre", True)])
        joint = result["functional"][0]
        shapes = {s["name"]: s for s in result["shapes"]}
        rows = [shapes["hip of ThighLeft (functional), " + axis] for axis in "xyz"]
        for row, known in zip(rows, (-65, -80, -95)):
            self.assertAlmostEqual(1e3 * row["prior_mean"], known, delta=0.1)
            self.assertAlmostEqual(1e3 * row["prior_sd"], 6, delta=0.1)
        # The way between both, once by the markers' axes and once by the prior's rows: forward, left, up; forward, up, right.
        x, y, z = (row["value"] - row["prior_mean"] for row in rows)
        for found, known in zip(joint["apart"], (x, -z, y)):
            self.assertAlmostEqual(found, known, delta=1e-9)
        self.assertGreater(1e3 * joint["distance"], 1)
        # Only a witness: farther away than with the prior.
        (self.folder / "priors.csv").write_text("what,name,sd\nhip,functional,inf\n")
        self.run_cli(*heiman, "w", *functional, "--priors", "priors.csv", "--quiet")
        witness = self.result("w")["functional"][0]
        self.assertFalse(witness["is_prior"])
        self.assertGreater(witness["distance"], joint["distance"])
        self.assertTrue((self.folder / "w/functional_joints.csv").exists())
        self.assertIn("Functional joints", (self.folder / "w/report.html").read_text())
        self.assertIn("needs --functional", self.error_of(*heiman, "bad", "--segment", "ThighRight=T1"))
        self.assertIn("must be BODY=MARKER", self.error_of(*heiman, "bad", *functional[:2], "--segment", "ThighRight"))
        self.assertIn('Did you mean "ThighRight"?', self.error_of(*heiman, "bad", *functional[:2], "--segment", "ThighRigth=T1"))

    def test_our_own_format_gives_the_same(self):
        rms = []
        for model in ("h.lua", "h.xml"):
            self.run_cli("human", "--heiman", "--height", 1.86, "--mass", 80, "--out", model, "--quiet")
            self.calibrate(model, "r")
            rms.append(self.result("r")["rms"])
            self.run_cli("ik", "r/model" + model[1:], self.HEIMAN / "walk.trc", "--out", "again", "--quiet")
        self.assertAlmostEqual(rms[0], rms[1], delta=1e-6)

    def test_without_the_regression_hips_go_too_far_apart(self):
        self.run_cli("human", "--heiman", "--height", 1.86, "--mass", 80, "--out", "h.lua", "--quiet")
        free = self.folder / "free.csv"
        free.write_text((self.HEIMAN / "priors.csv").read_text().replace("harrington,0.006", "harrington,inf"))
        self.calibrate("h.lua", "r", free)
        result = self.result("r")
        self.assertEqual(result["shapes"], [])
        hips = next(l for l in result["lengths"] if l["name"] == "Pelvis (ThighRight to ThighLeft)")
        self.assertGreater(500 * hips["value"], 100)


if __name__ == "__main__":
    unittest.main()
