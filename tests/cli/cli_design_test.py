#!/usr/bin/env python3
"""parfait design: from a file to the next problem, which can be synthesized and fitted."""
import csv
import json
import math
import re
import subprocess
import unittest

from cli import SOURCE, CliTest
from json_schema import Schema

SCHEMA = Schema(json.loads((SOURCE / "docs/schema/result.schema.json").read_text()))
TUTORIAL = (SOURCE / "docs/tutorials/design.md").read_text()
CHAIN, DESIGN = re.findall(r"```xml\n(.*?)```", TUTORIAL, re.S)[:2]


class Design(CliTest):
    def tutorial(self, **changes):
        self.write("chain.xml", CHAIN)
        text = DESIGN
        for old, new in changes.items():
            text = text.replace(*new)
        return self.write("design.xml", text)

    def test_tutorial_predicts_what_the_fit_finds(self):
        text = self.run_cli("design", self.tutorial(), "--out", "plan").stdout
        self.assertIn("certified", text)
        plan = self.result("plan")
        self.assertEqual(SCHEMA.errors(plan), [])
        self.assertTrue(plan["choice"]["certified"])
        times = plan["experiments"][0]["times"]
        self.assertEqual(len(times), 6)
        self.assertTrue(all(b - a > 0.5 - 1e-9 for a, b in zip(times, times[1:])), times)
        self.assertEqual([p["sd_known"] for p in plan["parameters"]], [None, None])
        self.assertLess(plan["measures"]["psi"], plan["start"]["psi"])
        self.run_cli("synthesize", "plan/problem_next.xml", "--seed", "1")
        self.run_cli("fit", "plan/problem_next.xml", "--out", "fitted", "--quiet")
        fit = self.result("fitted")
        beta = math.sqrt(fit["beta2"]) if "beta2" in fit else None
        for planned, found in zip(plan["parameters"], fit["parameters"]):
            self.assertLess(abs(found["value"] - planned["value"]), 5 * planned["sd_design"])
            if beta:
                self.assertAlmostEqual(found["sd"] / beta / planned["sd_design"], 1, delta=0.1)

        # The next one begins where the fit ended.
        self.write("third.xml", '''<design criterion="max_sd"> <problem file="plan/problem_next.xml" result="fitted"/>
          <experiment id="third" model="chain.xml"> <samples from="0" to="10" count="21"/>
          <observe column="B" quantity="B" sigma="0.01"/> <choose samples="2" repeat="2"/> </experiment> </design>''')
        self.run_cli("design", "third.xml", "--out", "again", "--quiet")
        again = self.result("again")
        for p, found in zip(again["parameters"], fit["parameters"]):
            self.assertEqual(p["value"], found["value"])
            self.assertLess(p["sd_design"], p["sd_known"])
        self.run_cli("synthesize", "again/problem_next.xml", "--out", "made", "--quiet")
        self.run_cli("fit", "made/problem_next.xml", "--out", "fitted2", "--quiet")

    def test_markers_are_the_known_ones(self):
        example = SOURCE / "examples/design_markers/design.xml"
        for count, trace, det, chosen in ((1, 0.102885384, 23.5703301, ["lower_100"]),
                                          (2, 0.0557576103, 25.4103808, ["lower_80", "lower_100"]),
                                          (3, 0.040360143, 26.3823283, ["lower_60", "lower_80", "lower_100"])):
            text = example.read_text().replace('markers="2"', f'markers="{count}"')
            text = text.replace('model="pendulum.xml"', f'model="{example.parent / "pendulum.xml"}"')
            self.write("markers.xml", text)
            for criterion in "ADET":
                self.run_cli("design", "markers.xml", "--criterion", criterion, "--out", "r", "--quiet")
                result = self.result("r")
                self.assertAlmostEqual(result["measures"]["trace_C"] / trace, 1, delta=1e-7)
                self.assertAlmostEqual(result["measures"]["log_det_M"], det, delta=1e-6)
                with open(self.folder / "r/samples.csv", newline="") as file:
                    rows = [row["what"] for row in csv.DictReader(file) if float(row["count"]) > 0.5]
                self.assertEqual(rows, chosen)

    def test_inputs_go_into_a_model_of_the_next_problem(self):
        example = SOURCE / "examples/design_reactor/design.xml"
        self.run_cli("design", example, "--starts", "1", "--out", "r", "--quiet")
        result = self.result("r")
        self.assertEqual(SCHEMA.errors(result), [])
        self.assertLess(result["measures"]["psi"], result["start"]["psi"])
        self.assertAlmostEqual(result["start"]["log_det_M"] / math.log(10), 11.882191133995, delta=1e-7)
        self.assertIn("central differences", result["gradient"])
        self.run_cli("synthesize", "r/problem_next.xml", "--out", "made", "--quiet")
        self.run_cli("fit", "made/problem_next.xml", "--out", "f", "--quiet")
        fit = self.result("f")
        for planned, found in zip(result["parameters"], fit["parameters"]):
            self.assertLess(abs(found["value"] - planned["value"]), 5 * planned["sd_design"])

    def test_fit_says_which_measurement_would_help(self):
        """A alone says nothing about k2; with B measured as well the fit has the deviation that was promised."""
        self.write("chain.xml", CHAIN)
        text = """<problem> <estimate parameter="k1" initial="0.7"/> <estimate parameter="k2" initial="0.2"/>
          <experiment id="run" model="chain.xml"> <samples from="0.5" to="10" count="20"/>
          <observe column="A" quantity="A" sigma="0.01"/> {} </experiment> <options sigma="known"/> </problem>"""
        self.write("one.xml", text.format(""))
        self.write("two.xml", text.format('<observe column="B" quantity="B" sigma="0.01"/>'))
        for name in ("one", "two"):
            self.run_cli("synthesize", f"{name}.xml", "--out", f"{name}_made", "--quiet")
        out = self.run_cli("fit", "one_made/one.xml", "--out", "f1").stdout
        self.assertIn("Which experiment would help?", out)
        first = self.result("f1")
        self.assertEqual(SCHEMA.errors(first), [])
        best = first["suggestions"][0]
        self.assertIn("measure B", best["what"])
        self.assertIsNone(best["worst_before"])
        self.assertEqual(best["undetermined"], 0)
        self.assertTrue(any("A(0)" in s["what"] for s in first["suggestions"]))
        self.assertTrue(all(s["worst_after"] is None for s in first["suggestions"][1:]))
        self.run_cli("fit", "two_made/two.xml", "--out", "f2", "--quiet")
        second = self.result("f2")
        self.assertNotIn("suggestions", second)
        worst = max(second["parameters"], key=lambda p: p["sd"] / p["value"])
        self.assertEqual(best["worst"], worst["id"])
        self.assertAlmostEqual(best["worst_after"] / (worst["sd"] / worst["value"]), 1, delta=0.1)
        self.run_cli("fit", "two_made/two.xml", "--suggest", "--out", "f3", "--quiet")
        for s in self.result("f3")["suggestions"]:
            self.assertLessEqual(s["worst_after"], s["worst_before"])

    def test_schema_accepts_what_the_reader_accepts(self):
        schema = SOURCE / "docs/schema/design.xsd"
        files = sorted((SOURCE / "examples").glob("design_*/design.xml")) + [self.tutorial()]
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            done = subprocess.run(["xmllint", "--noout", "--schema", schema, file], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        wrong = self.tutorial(change=('criterion="D"', 'criterion="Q"'))
        self.assertNotEqual(subprocess.run(["xmllint", "--noout", "--schema", schema, wrong], capture_output=True, cwd=self.folder).returncode, 0)

    def test_copies_are_shared_out(self):
        self.write("chain.xml", CHAIN)
        one = '''<experiment id="{}" model="chain.xml"> <samples times="{}"/> <observe column="B" quantity="B" sigma="0.01"/> </experiment>'''
        self.write("design.xml", '<design> <estimate parameter="k1"/> <estimate parameter="k2"/>'
                   + one.format("early", "1.2") + one.format("late", "6.9") + one.format("never", "20") +
                   '<choose copies="4"/> </design>')
        self.run_cli("design", "design.xml", "--out", "r", "--quiet")
        self.assertEqual([e["copies"] for e in self.result("r")["experiments"]], [2, 2, 0])
        self.run_cli("synthesize", "r/problem_next.xml", "--quiet")
        self.run_cli("fit", "r/problem_next.xml", "--out", "f", "--quiet")

    def test_switching_times_and_saturation(self):
        """The single mass of docs/theory/design.md, by Newton's method and as Oberpeilsteiner does it."""
        self.write("mass.xml", """<ode> <parameter id="c" initial="1"/> <input id="u" t="0" value="0" interpolation="previous"/>
          <state id="x" initial="0"/> <state id="v" initial="0"/> <derivative of="x"> v </derivative> <derivative of="v"> -c*x + u </derivative> </ode>""")
        design = """<design criterion="T" scale="absolute"> <estimate parameter="c"/> <experiment id="e" model="mass.xml">
          <samples from="0" to="6.283185307179586" count="80"/> <observe column="x" quantity="x" sigma="1"/> <continuous rule="gauss"/>
          <input id="u" pieces="5" lower="-1" upper="1" initial="0.5 -0.5 -0.5 -0.5 -0.5" {}/> </experiment> <starts count="1" {}/> </design>"""
        schema = SOURCE / "docs/schema/design.xsd"
        found = {}
        for name, how, method in (("newton", 'breaks="newton"', ""), ("arctan", 'saturation="arctan"', 'method="gradient" max_iterations="8"')):
            file = self.write(f"{name}.xml", design.format(how, method))
            done = subprocess.run(["xmllint", "--noout", "--schema", schema, file], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            found[name] = (self.run_cli("design", file, "--out", name).stdout, self.result(name))
            self.assertEqual(SCHEMA.errors(found[name][1]), [])
            self.assertIn("along recorded steps", found[name][1]["gradient"])
        text, newton = found["newton"]
        self.assertIn("the switching function has no other root", text)
        self.assertAlmostEqual(newton["switching"]["times"][0], 1.242422041699229536, delta=1e-11)
        self.assertAlmostEqual(math.exp(-newton["switching"]["psi"]) / 2, 16.93775383610923681, delta=1e-10)
        self.assertTrue(newton["switching"]["keeps_sign"] and newton["switching"]["is_minimum"])
        arctan = found["arctan"][1]
        self.assertEqual(arctan["method"], "gradient")
        self.assertIsNone(arctan["switching"])
        self.assertTrue(all(abs(v["value"]) < 1 for v in arctan["variables"]))
        self.assertLess(arctan["measures"]["psi"], arctan["start"]["psi"])
        self.assertLess(newton["measures"]["psi"], arctan["measures"]["psi"])
        for how, message in (('breaks="free" saturation="arctan"', "never reach their bounds"), ('saturation="tanh"', "tanh"),
                             ('breaks="newton" to="3"', "last to the end"), ('breaks="sometimes"', "sometimes")):
            self.write("wrong.xml", design.format(how, ""))
            self.assertIn(message, self.run_cli("design", "wrong.xml", "--out", "wrong", code=2).stderr)

    def test_wrong_files_are_refused_with_their_place(self):
        for old, new, message in (
                ('criterion="D"', 'criterion="Q"', 'design.xml:1:'),
                ('samples="6"', 'samples="0"', 'at least one'),
                ('samples="6"', 'samples="60"', '60 are to be chosen, but there are only 21 with a spacing'),
                ('quantity="B"', 'quantity="A"', 'k2 would not be determined'),
                ('<choose', '<chose', 'chose'),
                ('<estimate parameter="k2"/>', '<estimate parameter="k9"/>', 'k9'),
                ('</experiment>', '<input id="u" pieces="2" lower="0" upper="1"/> </experiment>', 'is not an input of the model'),
                ('</experiment>', '<variable parameter="k7" lower="0" upper="1"/> </experiment>', 'is not a parameter of the model'),
                ('model="chain.xml"', 'model="none.xml"', 'none.xml')):
            with self.subTest(new=new):
                file = self.tutorial(change=(old, new))
                self.assertIn(message, self.run_cli("design", file, "--out", "r", code=2).stderr)
                self.assertFalse((self.folder / "r").exists())


if __name__ == "__main__":
    unittest.main()
