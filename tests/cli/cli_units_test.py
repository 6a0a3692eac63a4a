#!/usr/bin/env python3
"""A model in mm, g and ms, in SI, and in km, t and h gives the same digits: tolerances follow the model, not its units."""
import json
import math
import unittest

import units
from cli import SOURCE, CliTest

RTOL = 1e-8  # the default
EXAMPLES = SOURCE / "examples"
# All mechanical examples whose constants are numbers (the sitting human has tables with units of their own).
SIMULATED = ["double_pendulum/double_pendulum.xml", "six_bar/six_bar.xml", "pendulum/pendulum.xml", "bricard/bricard.xml",
             "spring_double_pendulum/spring_double_pendulum.xml", "four_bar/four_bar.xml", "bricard_spring/bricard_spring.xml",
             "hexapod/hexapod.xml", "hexapod/hexapod_end_masses.xml", "hexapod/hexapod_extensible.xml", "hexapod/hexapod_extensible_end_masses.xml",
             "triple_pendulum/triple_pendulum.xml", "triple_pendulum/held.xml", "design_markers/pendulum.xml"]
FITTED = ["pendulum", "spring_double_pendulum", "bricard_spring", "four_bar", "hexapod"]


class Units(CliTest):
    @classmethod
    def setUpClass(cls):
        import subprocess
        from cli import PARFAIT
        cls.elements = json.loads(subprocess.run([PARFAIT, "elements", "--json"], capture_output=True, text=True, check=True).stdout)

    def assert_same(self, a, b, scale, what):
        self.assertLess(abs(a - b), 100 * RTOL * scale, what)

    def columns(self, folder):
        rows = self.trajectory(folder)
        return {name: [row[name] for row in rows] for name in rows[0]}

    def test_simulations(self):
        for name in SIMULATED:
            text = (EXAMPLES / name).read_text()
            self.write("si.xml", text)
            self.run_cli("simulate", "si.xml", "--until", "1", "--step", "0.05", "--out", "si")
            unit_of = self.result("si")["units"]
            expected = self.columns("si")
            for system in units.SYSTEMS:
                self.write("other.xml", units.convert_model(text, system, self.elements))
                T = system.factor("s")
                self.run_cli("simulate", "other.xml", "--until", repr(T), "--step", repr(0.05 * T), "--out", "other")
                found = self.columns("other")
                self.assertEqual(len(found["t"]), len(expected["t"]))
                compared = 0
                for column, values in expected.items():
                    if column not in unit_of or "reaction" in column:  # not unique with redundant constraints
                        continue
                    # Lengths of one point are as accurate as the longest.
                    stem = column.rsplit(".", 1)[0]
                    scale = max(max(map(abs, expected[c])) for c in expected if c.rsplit(".", 1)[0] == stem)
                    factor = system.factor(unit_of[column])
                    for a, b in zip(values, found[column]):
                        self.assert_same(a, b / factor, scale, f"{name} in {system.name}: {column}")
                    compared += 1
                self.assertGreater(compared, 3, name)
                self.assertLess(self.result("other")["steps"], 2 * self.result("si")["steps"] + 20, f"{name} in {system.name}")

    def test_fits(self):
        for name in FITTED:
            folder = EXAMPLES / name
            problem = (folder / "problem.xml").read_text()
            model = next(folder.glob(f"{name}.xml"))
            data = next(folder.glob("*.csv"))
            for file in (folder / "problem.xml", model, data):
                (self.folder / file.name).write_text(file.read_text())
            self.run_cli("fit", "problem.xml", "--out", "si")
            expected = self.result("si")
            parameter_units = {p["id"]: p.get("unit", "") for p in expected["parameters"]}
            column_units = {o["column"]: o["unit"] for e in expected["experiments"] for o in e["observed"]}
            for system in units.SYSTEMS:
                self.write(model.name, units.convert_model(model.read_text(), system, self.elements))
                self.write(data.name, units.convert_table(data.read_text(), system, column_units))
                self.write("problem.xml", units.convert_problem(problem, system, parameter_units, column_units))
                self.run_cli("fit", "problem.xml", "--out", "other")
                for p, q in zip(expected["parameters"], self.result("other")["parameters"]):
                    factor = system.factor(parameter_units[p["id"]])
                    what = f"{name} in {system.name}: {p['id']}"
                    # What is known to its deviation only has no more digits than that.
                    self.assert_same(p["value"], q["value"] / factor, max(abs(p["value"]), p["sd"]), what)
                    self.assertLess(abs(q["sd"] / factor / p["sd"] - 1), 1e-5, what)


class Sizes(CliTest):
    OSCILLATOR = """<ode> <state id="x" initial="{a}"/> <state id="v" initial="0"/>
      <derivative of="x"> v </derivative> <derivative of="v"> -x </derivative> <simulation until="10" step="1"/> </ode>"""

    def test_a_small_oscillation_is_as_accurate_as_a_large_one(self):
        for a in (1e-9, 1e-3, 1, 1e6):
            for method in ("dop853", "dopri5", "abm", "bdf"):
                self.write("m.xml", self.OSCILLATOR.format(a=a))
                self.run_cli("simulate", "m.xml", "--integrator", method, "--out", "r")
                for row in self.trajectory("r"):
                    # measured: 2e-7 (dopri5), 2e-5 (bdf)
                    self.assertAlmostEqual(row["x"] / a, math.cos(row["t"]), delta=1e-4 if method == "bdf" else 1e-6, msg=f"{a} {method}")

    def test_states_that_begin_at_zero(self):
        self.write("m.xml", """<ode> <state id="x" initial="0"/> <derivative of="x"> 1e-9*cos(t) </derivative> </ode>""")
        self.run_cli("simulate", "m.xml", "--until", "10", "--step", "1", "--out", "r")
        for row in self.trajectory("r"):
            self.assertAlmostEqual(1e9 * row["x"], math.sin(row["t"]), delta=1e-6)

    def test_a_tolerance_that_was_given_is_taken_as_it_is(self):
        self.write("m.xml", self.OSCILLATOR.format(a=1e-9))
        self.run_cli("simulate", "m.xml", "--atol", "1e-10", "--out", "r")
        steps = self.result("r")["steps"]
        self.run_cli("simulate", "m.xml", "--out", "r")
        self.assertGreater(self.result("r")["steps"], 2 * steps)


if __name__ == "__main__":
    unittest.main()
