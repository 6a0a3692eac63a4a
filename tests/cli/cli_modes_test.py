#!/usr/bin/env python3
import csv
import hashlib
import json
import math
import unittest

from cli import DOUBLE_PENDULUM, SIX_BAR, CliTest

SPRING = """<model>
  <body id="Mass" mass="2" moment_of_inertia="1 1 1"> <position o="0 0 -0.5"/> </body>
  <joint key="Prismatic" id="Rail"> <begin id="Inertial"/> <end id="Mass"/> </joint>
  <force key="Gravitation" id="Gravity" constants="-9.81"/>
  <force key="Spring_Damper" id="Spring" constants="0.4 300 7"> <begin id="Inertial"/> <end id="Mass"/> </force>
  <parameter id="stiffness" drives="Spring.stiffness"/>
</model>
"""


class Modes(CliTest):
    def table(self, folder, name):
        with open(self.folder / folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_mass_on_a_spring_has_the_frequency_and_damping_of_the_textbook(self):
        model = self.write("spring.xml", SPRING)
        for k in (300, 1200):
            self.run_cli("modes", model, "--set", f"stiffness={k}", "--out", "r")
            row, = self.table("r", "modes.csv")
            self.assertAlmostEqual(float(row["frequency_hz"]), math.sqrt(k / 2) / (2 * math.pi), delta=1e-11)
            self.assertAlmostEqual(float(row["damping"]), 7 / (2 * math.sqrt(k * 2)), delta=1e-12)
            self.assertAlmostEqual(float(row["time_constant"]), 2 * 2 / 7, delta=1e-11)
            point, = self.table("r", "equilibrium.csv")
            self.assertAlmostEqual(float(point["Mass.com.z"]), -(0.4 + 2 * 9.81 / k), delta=1e-11)
            result = self.result("r")
            self.assertEqual(result["stability"], "stable")
            self.assertEqual(result["equilibrium"]["status"], "found")
            self.assertEqual(result["modes"][0]["moves_most"], "Mass.com.z")
            page = (self.folder / "r/report.html").read_text()
            self.assertIn(f'<data value="{result["modes"][0]["frequency_hz"]!r}">', page)
            self.assertIn("The static equilibrium is stable.", page)
            self.assertEqual(result["origin"]["arguments"], ["modes", str(model), "--set", f"stiffness={k}"])
            digest = hashlib.sha256(SPRING.encode()).hexdigest()
            self.assertEqual([(f["kind"], f["sha256"]) for f in result["origin"]["files"]], [("model", digest)])
            self.assertIn(digest, page)
            self.assertIn('data-plot="eigenvalues"', page)

    def test_double_pendulum_matches_its_eigenproblem_and_shapes_say_how(self):
        text = self.run_cli("modes", DOUBLE_PENDULUM, "--out", "r").stdout
        self.assertIn("equilibrium found", text)
        # m = 2, centre at 0.5, length 1, 2 kg m2 about the centre; angles against the vertical.
        a, b, c = 2 + 0.5 + 2, 1, 2.5
        k1, k2 = 3 * 9.81, 9.81
        p, q, r = a * c - b * b, -(k1 * c + k2 * a), k1 * k2
        root = math.sqrt(q * q - 4 * p * r)
        rows = self.table("r", "modes.csv")
        self.assertEqual(len(rows), 2)
        shapes = {row["quantity"]: row for row in self.table("r", "shapes.csv")}
        for i, square in enumerate(((-q - root) / (2 * p), (-q + root) / (2 * p))):
            self.assertAlmostEqual(float(rows[i]["frequency_hz"]), math.sqrt(square) / (2 * math.pi), delta=1e-10)
            self.assertEqual(self.result("r")["stability"], "marginal")
            mode = f"mode{i + 1}_re"
            first = float(shapes["Shoulder.angle"][mode])
            second = first + float(shapes["Elbow.angle"][mode])
            self.assertAlmostEqual((k1 - square * a) * first - square * b * second, 0, delta=1e-8)
        self.assertIn("Lower.e1.x", shapes)

    def test_count_leaves_the_slowest(self):
        self.run_cli("modes", DOUBLE_PENDULUM, "--count", "1", "--out", "r")
        self.assertEqual(len(self.table("r", "modes.csv")), 1)
        self.assertEqual(self.result("r")["num_modes"], 2)

    def test_initial_position_is_told_not_to_be_an_equilibrium(self):
        text = self.run_cli("modes", DOUBLE_PENDULUM, "--at", "initial", "--out", "r").stdout
        self.assertIn("not an equilibrium", text)
        point, = self.table("r", "equilibrium.csv")
        self.assertAlmostEqual(float(point["Lower.com.x"]), 1.5, delta=1e-9)

    def test_loop_with_a_redundant_row_has_one_mode(self):
        self.run_cli("modes", SIX_BAR, "--out", "r")
        self.assertEqual(self.result("r")["degrees_of_freedom"], 1)
        self.assertEqual(self.result("r")["num_modes"], 1)

    def test_what_falls_has_no_equilibrium_and_is_named(self):
        model = self.write("f.xml", """<model> <body id="Rock" mass="3" moment_of_inertia="1 1 1"/>
          <force key="Gravitation" id="g" constants="-9.81"/> </model>""")
        done = self.run_cli("modes", model, "--out", "r", code=1)
        self.assertIn("Rock.o.z", done.stderr)
        result = self.result("r")
        self.assertEqual(result["status"], "no_equilibrium")
        self.assertTrue(result["partial"])

    def test_json_prints_the_result_and_quiet_nothing(self):
        printed = json.loads(self.run_cli("modes", DOUBLE_PENDULUM, "--json", "--out", "r").stdout)
        self.assertEqual(printed, self.result("r"))
        self.assertEqual(self.run_cli("modes", DOUBLE_PENDULUM, "--quiet", "--out", "r").stdout, "")

    def test_same_input_gives_the_same_bytes(self):
        for out in ("a", "b"):
            self.run_cli("modes", SIX_BAR, "--out", out)
        for name in ("modes.csv", "shapes.csv", "equilibrium.csv", "result.json"):
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())

    def test_formula_models_have_modes_too(self):
        model = self.write("lv.xml", """<ode>
          <state id="prey" initial="0.4"/> <state id="predator" initial="1"/>
          <parameter id="p1" initial="1.2"/>
          <derivative of="prey"> p1*prey - 0.7*prey*predator </derivative>
          <derivative of="predator"> -0.9*predator + 0.5*prey*predator </derivative>
        </ode>""")
        self.run_cli("modes", model, "--out", "r")
        row, = self.table("r", "modes.csv")
        self.assertAlmostEqual(float(row["frequency_hz"]), math.sqrt(1.2 * 0.9) / (2 * math.pi), delta=1e-12)

    def test_bad_values_are_named(self):
        for arguments, words in [
            (("--count", "0"), "--count 0"),
            (("--at", "nowhere"), "nowhere"),
            (("--set", "mass_of_lowr=1"), 'Did you mean "mass_of_lower"?'),
        ]:
            self.assertIn(words, self.error_of("modes", DOUBLE_PENDULUM, "--out", "r", *arguments))


if __name__ == "__main__":
    unittest.main()
