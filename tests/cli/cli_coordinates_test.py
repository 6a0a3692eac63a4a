#!/usr/bin/env python3
"""The same files in natural and in joint coordinates."""
import csv
import json
import math
import unittest

from cli import SIX_BAR, SOURCE, CliTest

PENDULUM = SOURCE / "examples/triple_pendulum/triple_pendulum.xml"
HELD = SOURCE / "examples/triple_pendulum/held.xml"
FIT = SOURCE / "examples/spring_double_pendulum/problem.xml"


class Coordinates(CliTest):
    def both(self, *arguments):
        """What a simulation gives in natural and in joint coordinates: results and trajectories."""
        out = []
        for name in ("natural", "joint"):
            self.run_cli("simulate", *arguments, "--coordinates", name, "--rtol", "1e-10", "--atol", "1e-11",
                         "--out", name, "--quiet")
            out.append((self.result(name), self.trajectory(name)))
        return out

    def assert_same(self, a, b, delta):
        self.assertEqual(len(a), len(b))
        for row, other in zip(a, b):
            self.assertEqual(row.keys(), other.keys())
            for name in row:
                self.assertAlmostEqual(row[name], other[name], delta=delta * (1 + abs(row[name])), msg=name)

    def test_motion_and_sensitivities_of_an_open_chain_are_the_same(self):
        (_, natural), (_, joint) = self.both(PENDULUM, "--until", "1")
        self.assert_same(natural, joint, 1e-7)
        # Felis 2015, Algorithm 4, corrected: -5.62664826667 rad/s2 about y at 1.2 rad.
        self.assertAlmostEqual(joint[0]["link_1.com.ax"], 5.62664826667 * math.cos(1.2), delta=1e-10)
        spring = SOURCE / "examples/spring_double_pendulum/spring_double_pendulum.xml"
        parameter = json.loads(self.run_cli("check", spring, "--json").stdout)["parameters"][0]["id"]
        (_, natural), (_, joint) = self.both(spring, "--until", "1", "--sensitivity", parameter)
        self.assert_same(natural, joint, 1e-6)

    def test_loops_are_closed_and_redundant_rows_told(self):
        (natural_result, natural), (joint_result, joint) = self.both(SIX_BAR, "--until", "1")
        self.assert_same(natural, joint, 1e-6)
        for result in (natural_result, joint_result):
            self.assertEqual(len(result["partition"]["choices"][0]["left_out"]), 1, result["partition"])
        (_, natural), (_, joint) = self.both(HELD, "--until", "0.5")
        self.assert_same(natural, joint, 1e-6)
        for name in ("natural", "joint"):
            facts = json.loads(self.run_cli("check", SIX_BAR, "--coordinates", name, "--json").stdout)
            self.assertEqual(facts["degrees_of_freedom"], 1)
            self.assertEqual(len(facts["redundant"]), 1)

    def test_modes_are_the_same(self):
        tables = []
        for name in ("natural", "joint"):
            self.run_cli("modes", SOURCE / "examples/hexapod/hexapod.xml", "--coordinates", name, "--out", name, "--quiet")
            with open(self.folder / name / "modes.csv", newline="") as file:
                tables.append([float(row["frequency_hz"]) for row in csv.DictReader(file)])
        self.assertEqual(len(tables[0]), 6)
        self.assertEqual(len(tables[1]), 6)
        for a, b in zip(*tables):
            self.assertAlmostEqual(a, b, delta=1e-8 * a)

    def test_a_fit_finds_the_same_parameters(self):
        expected = json.loads((FIT.parent / "expected.json").read_text())["fits"]["problem.xml"]["parameters"]
        # rmt and auto lose their way here with unknowns scaled by their columns: open.
        self.run_cli("fit", FIT, "--coordinates", "joint", "--globalization", "full", "--out", "r", "--quiet")
        found = {p["id"]: p for p in self.result("r")["parameters"]}
        for id, (value, sd) in expected.items():
            self.assertAlmostEqual((found[id]["value"] - value) / sd, 0, delta=1e-3, msg=id)
            self.assertAlmostEqual(found[id]["sd"] / sd, 1, delta=1e-2, msg=id)

    def test_what_does_not_exist_is_refused(self):
        self.assertIn('--coordinates joints: does not exist. Did you mean "joint"? Must be one of: natural, joint.',
                      self.error_of("simulate", PENDULUM, "--coordinates", "joints"))
        model = self.write("stretch.xml", PENDULUM.read_text().replace('<body id="link_1"', '<body id="link_1" release="xx"'))
        self.assertIn('body "link_1"', self.error_of("simulate", model, "--coordinates", "joint"))
        self.assertIn("hht", self.error_of("simulate", PENDULUM, "--coordinates", "joint", "--integrator", "hht"))


if __name__ == "__main__":
    unittest.main()
