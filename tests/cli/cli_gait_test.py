#!/usr/bin/env python3
"""parfait gait: events, strides and curves of somebody made of sines."""
import csv
import math
import unittest

from cli import CliTest

SPEED, T = 1.25, 1.0


def trc(file, labels=("SACR", "LHEE", "LTOE", "RHEE", "RTOE")):
    """Walks along x, y is up, mm; left strikes at whole seconds, right ones between them."""
    rows = []
    for i in range(451):
        t = i / 100
        row = [i + 1, t, 1000 * SPEED * t, 1000, 0]
        for phase, across in ((0, -80), (math.pi, 80)):
            swing = 350 * math.cos(2 * math.pi * t / T - phase)
            lift = 30 * max(0.0, math.sin(2 * math.pi * t / T - phase + math.pi))
            for ahead in (0, 200):
                row += [1000 * SPEED * t + swing + ahead, 40 + lift, across]
        rows.append("\t".join(f"{x:.6g}" if isinstance(x, float) else str(x) for x in row))
    header = ["PathFileType\t4\t(X/Y/Z)\t" + file.name,
              "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
              f"100\t100\t{len(rows)}\t{len(labels)}\tmm\t100\t1\t{len(rows)}",
              "Frame#\tTime\t" + "\t\t\t".join(labels),
              "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, len(labels) + 1)), ""]
    file.write_text("\n".join(header + rows) + "\n")


class Gait(CliTest):
    def test_strides_and_curves_of_a_known_walk(self):
        trc(self.folder / "walk.trc")
        mot = ["knee", "nRows=451", "nColumns=3", "inDegrees=yes", "endheader", "time\tknee_l\tknee_r"]
        for i in range(451):
            t = i / 100
            mot.append(f"{t}\t{30 * math.sin(2 * math.pi * t)}\t{30 * math.sin(2 * math.pi * (t - 0.5)) + 5}")
        (self.folder / "knee.mot").write_text("\n".join(mot) + "\n")
        text = self.run_cli("gait", "walk.trc", "--curves", "knee.mot", "--out", "g").stdout
        self.assertIn("stride length", text)
        result = self.result("g")
        trial = result["trials"][0]
        self.assertEqual(trial["source"], "kinematics")
        self.assertIn("SACR", trial["points"])
        self.assertEqual(len(trial["strides"]), 6)  # left 1-2-3-4, right 0.5-1.5-2.5-3.5
        found = {(p["name"], p["side"]): p for p in result["parameters"]}
        for side in ("left", "right"):
            self.assertAlmostEqual(found["stride length", side]["mean"], SPEED * T, delta=2e-3)
            self.assertAlmostEqual(found["speed", side]["mean"], SPEED, delta=2e-3)
            self.assertAlmostEqual(found["cadence", side]["mean"], 120, delta=0.2)
            self.assertAlmostEqual(found["step length", side]["mean"], 0.7, delta=2e-3)
            self.assertAlmostEqual(found["step width", side]["mean"], 0.16, delta=1e-6)
        with open(self.folder / "g/cycles.csv") as file:
            rows = {(row["curve"], row["side"], row["percent"]): row for row in csv.DictReader(file)}
        # Both knees move alike over their own cycles; the right one is 5 degrees further.
        self.assertAlmostEqual(float(rows["knee", "left", "25"]["mean"]), 30, delta=0.1)
        self.assertAlmostEqual(float(rows["knee", "right", "25"]["mean"]), 35, delta=0.1)
        self.assertLess(float(rows["knee", "left", "10"]["sd"]), 0.1)
        page = (self.folder / "g/report.html").read_text()
        for words in ("Gait parameters", "Over the gait cycle", "stride length", 'data-plot="cycle"'):
            self.assertIn(words, page)

    def test_what_is_missing_is_told(self):
        trc(self.folder / "odd.trc", ("A", "B", "C", "D", "E"))
        text = self.run_cli("gait", "odd.trc", "--out", "g").stdout
        self.assertIn("no markers of pelvis, heels and toes", text)
        error = self.run_cli("gait", "odd.trc", "--curves", "a.mot", "b.mot", "--out", "h", code=2).stderr
        self.assertIn("2 files for 1 trials", error)
        self.assertFalse((self.folder / "h").exists())


if __name__ == "__main__":
    unittest.main()
