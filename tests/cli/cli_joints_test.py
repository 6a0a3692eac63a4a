#!/usr/bin/env python3
"""parfait joints: centre and axis of a joint from how markers move."""
import csv
import math
import unittest

from cli import CliTest


def turned(x, axis, angle):
    """Rodrigues."""
    n = math.sqrt(sum(a * a for a in axis))
    a = [v / n for v in axis]
    c, s = math.cos(angle), math.sin(angle)
    d = sum(p * q for p, q in zip(a, x))
    cross = [a[1] * x[2] - a[2] * x[1], a[2] * x[0] - a[0] * x[2], a[0] * x[1] - a[1] * x[0]]
    return [c * x[i] + s * cross[i] + (1 - c) * d * a[i] for i in range(3)]


class Joints(CliTest):
    CENTRE = [-65.0, 95.0, -80.0]

    def write_trial(self, hinge):
        pelvis = {"RASI": [0, -120, 0], "LASI": [0, 120, 0], "RPSI": [-180, -50, 0], "LPSI": [-180, 50, 0]}
        thigh = {"T1": [80, 50, -200], "T2": [50, 90, -250], "T3": [20, 100, -350]}
        names = [*pelvis, *thigh]
        lines = ["PathFileType\t4\t(X/Y/Z)\ttrial.trc", "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
                 "100\t100\t400\t7\tmm\t100\t1\t400", "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t",
                 "\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, 8)), ""]
        for k in range(400):
            t = 0.01 * k
            cells = []
            for name in names:
                if name in pelvis:
                    x = pelvis[name]
                else:
                    x = turned(thigh[name], (0.1, 1, 0), 0.6 * math.sin(2.1 * t))
                    if not hinge:
                        x = turned(turned(x, (1, 0, 0), 0.4 * math.cos(1.7 * t)), (0, 0, 1), 0.3 * math.sin(2.9 * t))
                    x = [a + b for a, b in zip(x, self.CENTRE)]
                x = turned(x, (0, 0.2, 1), 0.3 * math.sin(t))
                cells += [f"{v + o:.4f}" for v, o in zip(x, (300 * t, 0, 1000))]
            lines.append(f"{k + 1}\t{t:.2f}\t" + "\t".join(cells))
        (self.folder / "trial.trc").write_text("\n".join(lines) + "\n")

    def joints(self, *options):
        return self.run_cli("joints", "trial.trc", "--proximal", "RASI,LASI,RPSI,LPSI", "--distal", "T1,T2,T3", *options)

    def test_a_hip_is_found_in_axes_of_the_pelvis(self):
        self.write_trial(False)
        text = self.joints("--out", "hip.csv").stdout
        self.assertIn("axes of the pelvis: x forward, y left, z up", text)
        with open(self.folder / "hip.csv", newline="") as file:
            rows = {row["what"]: [float(row[k]) for k in "xyz"] for row in csv.DictReader(file)}
        for name in ("score [m]", "gamage_lasenby [m]"):
            for found, known in zip(rows[name], self.CENTRE):
                self.assertAlmostEqual(1e3 * found, known, delta=0.05)

    def test_a_hinge_is_recognized(self):
        self.write_trial(True)
        self.assertIn("the motion is that of a hinge", self.joints().stdout)
        self.assertRegex(self.joints("--hinge").stdout, r"axis \(SARA\)\s+-?0\.09")

    def test_what_makes_no_sense_is_refused(self):
        self.write_trial(False)
        self.assertIn("Did you mean", self.error_of("joints", "trial.trc", "--proximal", "RASI,LASI,RPSIS", "--distal", "T1,T2,T3"))
        self.assertIn("at least three markers", self.error_of("joints", "trial.trc", "--proximal", "RASI,LASI", "--distal", "T1,T2,T3"))


if __name__ == "__main__":
    unittest.main()
