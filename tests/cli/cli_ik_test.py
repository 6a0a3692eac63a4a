#!/usr/bin/env python3
"""parfait ik: poses of models of others from their markers."""
import csv
import unittest

from cli import SOURCE, CliTest

DATA = SOURCE / "tests/motion_files/data"
GAIT = SOURCE / "examples/gait_ik"


def motion(file):
    """Columns of a MOT file."""
    lines = open(file).read().splitlines()
    lines = lines[[line.strip() for line in lines].index("endheader") + 1:]
    rows = [line.split() for line in lines if line.strip()]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


class InverseKinematics(CliTest):
    def test_opensims_own_example_is_reproduced(self):
        # Synthetic markers of OpenSim's test; its tolerance is 0.2 degrees.
        self.run_cli("ik", DATA / "gait2354_subject01.osim", DATA / "subject01_synthetic_marker_data.trc", "--out", "r")
        trial = self.result("r")["trials"][0]
        self.assertEqual(trial["frames"], 73)
        self.assertLess(trial["errors"]["rms"], 0.0131e-3)
        found = motion(self.folder / "r/subject01_synthetic_marker_data.mot")
        expected = motion(DATA / "std_subject01_walk1_ik.mot")
        compared = 0
        for name, values in expected.items():
            if name == "time" or name not in found or name in trial["unseen"]:
                continue
            compared += 1
            limit = 5e-4 if name in ("pelvis_tx", "pelvis_ty", "pelvis_tz") else 0.05
            for a, b in zip(values, found[name]):
                self.assertLess(abs(a - b), limit, name)
        self.assertGreaterEqual(compared, 20)

    def test_a_measured_walk_has_the_optimum_that_is_known(self):
        text = self.run_cli("ik", GAIT / "subject.osim", GAIT / "walking1.trc", "--out", "r").stdout
        for words in ("45 markers of the model", "not measured: r_mknee", "missing: 125 places",
                      "no marker sees mtp_angle_r, mtp_angle_l", "at a limit: pro_sup_r"):
            self.assertIn(words, text)
        trial = self.result("r")["trials"][0]
        self.assertAlmostEqual(1e3 * trial["errors"]["rms"], 10.336, delta=0.005)
        self.assertEqual(trial["unseen"], ["mtp_angle_r", "mtp_angle_l"])
        self.assertEqual((trial["max_marker"], trial["not_converged"]), ("r_thigh3", 0))
        with open(self.folder / "r/walking1.angles.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 131)
        self.assertEqual(rows[5]["pro_sup_r.sd [rad]"], "")  # at its limit
        self.assertTrue(0.005 < float(rows[5]["hip_flexion_r.sd [rad]"]) < 0.05)
        for row in rows:
            self.assertGreaterEqual(float(row["knee_angle_r [rad]"]), 0)
        self.run_cli("ik", GAIT / "subject.osim", GAIT / "walking1.trc", "--limits", "off", "--out", "free", "--quiet")
        self.assertAlmostEqual(1e3 * self.result("free")["trials"][0]["errors"]["rms"], 10.240, delta=0.005)

    def test_the_damped_method_arrives_at_the_same_place_later(self):
        options = ("ik", DATA / "gait2354_subject01.osim", DATA / "subject01_synthetic_marker_data.trc", "--quiet")
        self.run_cli(*options, "--method", "damped", "--out", "damped")
        self.run_cli(*options, "--limits", "off", "--out", "free")
        damped, free = (self.result(name)["trials"][0] for name in ("damped", "free"))
        self.assertAlmostEqual(damped["errors"]["rms"], free["errors"]["rms"], delta=1e-7)
        self.assertGreater(damped["mean_iterations"], free["mean_iterations"])

    def test_threads_change_no_bit(self):
        for threads in ("1", "4"):
            self.run_cli("ik", GAIT / "subject.osim", GAIT / "walking1.trc", "--threads", threads, "--out", f"r{threads}", "--quiet")
        for name in ("walking1.angles.csv", "walking1.marker_errors.csv", "result.json"):
            self.assertEqual((self.folder / "r1" / name).read_bytes(), (self.folder / "r4" / name).read_bytes(), name)

    def test_a_marker_that_does_not_exist_has_no_weight(self):
        for options, words in ((("--weight", "r_kneee=2"), 'no marker "r_kneee". Did you mean "r_knee"?'),
                               (("--weight", "r_knee"), "must be MARKER=number"),
                               (("--axes", "x,y,y"), "axes")):
            error = self.error_of("ik", GAIT / "subject.osim", GAIT / "walking1.trc", *options, "--out", "bad")
            self.assertIn(words, error)


if __name__ == "__main__":
    unittest.main()
