#!/usr/bin/env python3
import csv
import pathlib
import unittest

from cli import CliTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
GRADIENT = EXAMPLES / "gradient"

TRACK = """<problem>
  <estimate parameter="c" initial="1" lower="0.1"/>
  <estimate parameter="d" initial="0.5" lower="0" upper="2"/>
  <experiment id="swing" model="oscillator.xml" end="6">
    <cost id="J"> <integral> (x - sin(t))^2 </integral> </cost>
  </experiment>
</problem>
"""


class Gradient(CliTest):
    def test_impacts_have_the_gradient_of_both_ways(self):
        text = self.run_cli("gradient", GRADIENT / "wall_pendulum_problem.xml", "--check", "--out", "r").stdout
        self.assertIn("gradient by adjoint", text)
        result = self.result("r")
        self.assertEqual(result["events"], 3)
        self.assertLess(result["difference"], 1e-11)
        values = {row["parameter"]: row["gradient"] for row in result["gradient"]}
        self.assertAlmostEqual(values["e"], 3.568269474807, delta=1e-9)
        with open(self.folder / "r" / "gradient.csv", newline="") as file:
            self.assertEqual(len(list(csv.DictReader(file))), 5)

    def test_little_memory_gives_the_same_bits(self):
        problem = GRADIENT / "wall_pendulum_problem.xml"
        self.run_cli("gradient", problem, "--out", "all")
        self.run_cli("gradient", problem, "--memory", "6KB", "--out", "few")
        self.assertEqual(self.result("all")["gradient"], self.result("few")["gradient"])
        self.assertGreater(self.result("few")["tape_stride"], 1)

    def test_bad_requests_are_told(self):
        problem = GRADIENT / "oscillator_problem.xml"
        self.assertIn("--by", self.run_cli("gradient", problem, "--by", "magic", code=2).stderr)
        self.assertIn("--memory", self.run_cli("gradient", problem, "--memory", "much", code=2).stderr)
        self.assertIn("<cost>", self.run_cli("fit", problem, code=2).stderr)

    def test_fit_by_gradients_makes_a_cost_small(self):
        self.write("oscillator.xml", (GRADIENT / "oscillator.xml").read_text())
        problem = self.write("track.xml", TRACK)
        self.run_cli("fit", problem, "--method", "lbfgs", "--contour", "c,d", "--out", "r")
        result = self.result("r")
        self.assertEqual(result["status"], "converged")
        self.assertLess(result["objective"], result["path"][0]["objective"])
        with open(self.folder / "r" / "contour.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 31 * 31)
        self.assertGreaterEqual(min(float(row["objective"]) for row in rows) + 1e-12, result["objective"])
        self.assertIn("--method", self.run_cli("fit", problem, "--method", "magic", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
