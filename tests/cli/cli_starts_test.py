#!/usr/bin/env python3
"""parfait fit --starts and --profile: many starts, walked profiles, on any number of workers, interrupted and resumed."""
import csv
import json
import math
import signal
import subprocess
import time
import unittest

from cli import PARFAIT, SOURCE, CliTest
from cli_mpi_test import ENVIRONMENT, MPIRUN
from json_schema import Schema

SCHEMA = Schema(json.loads((SOURCE / "docs/schema/result.schema.json").read_text()))


class StartsTest(CliTest):
    WAVE = """<problem>
      <estimate parameter="w" initial="0.9" lower="0.5" upper="6" true="3.1"/>
      <experiment id="run" data="wave.csv"> <observe column="eta" quantity="sin(w*t)" sigma="0.1"/> </experiment>
      <options sigma="known"/> </problem>"""

    def setUp(self):
        super().setUp()
        self.write("wave.csv", "t,eta\n" + "".join(
            f"{0.1 * i},{math.sin(0.31 * i) + 0.1 * math.sin(17.0 * i * i)}\n" for i in range(61)))
        self.write("wave.xml", self.WAVE)

    def table(self, folder, name):
        with open(self.folder / folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_waterfall(self):
        one = self.run_cli("fit", "wave.xml", "--out", "one")
        out = self.run_cli("fit", "wave.xml", "--out", "r", "--starts", "40", "--seed", "7").stdout
        self.assertIn("40 starts within the bounds (seed 7)", out)
        self.assertIn("minimum", out)
        result = self.result("r")
        self.assertEqual(SCHEMA.errors(result), [])
        self.assertLess(result["objective"], 0.1 * self.result("one")["objective"])
        starts = result["starts"]
        self.assertEqual((starts["count"], starts["seed"], len(starts["list"])), (40, 7, 41))
        # The fit is the best start, done again: the same bits.
        best = starts["list"][0]
        self.assertEqual((best["number"], best["objective"]), (starts["reported"], result["objective"]))
        self.assertEqual(best["values"], [p["value"] for p in result["parameters"]])
        self.assertEqual(best["initial"], [p["initial"] for p in result["parameters"]])
        rows = self.table("r", "starts.csv")
        self.assertEqual([row["rank"] for row in rows], [str(i + 1) for i in range(41)])
        objectives = [float(row["objective"]) for row in rows if row["objective"]]
        self.assertEqual(objectives, sorted(objectives))
        self.assertEqual(float(rows[0]["w"]), best["values"][0])
        report = (self.folder / "r/report.html").read_text()
        self.assertIn('data-plot="waterfall"', report)
        self.assertNotIn('data-plot="waterfall"', (self.folder / "one/report.html").read_text())
        # Made again from the folder, the report is the same.
        self.run_cli("report", "r")
        self.assertEqual((self.folder / "r/report.html").read_text(), report)
        self.assertEqual(one.stderr, "")

    def test_workers_do_not_matter(self):
        options = ("--starts", "12", "--seed", "3", "--profile", "w")
        self.run_cli("fit", "wave.xml", "--out", "r1", "--threads", "1", *options)
        self.run_cli("fit", "wave.xml", "--out", "r2", "--threads", "2", *options)
        folders = ["r2"]
        if MPIRUN:
            for size in ("2", "3"):
                done = subprocess.run([MPIRUN, "--oversubscribe", "-n", size, PARFAIT, "fit", "wave.xml", "--out", "m" + size,
                                       "--threads", "1", *options],
                                      cwd=self.folder, capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                folders.append("m" + size)
        for folder in folders:
            for name in ("result.json", "starts.csv", "profile.csv", "report.html"):
                self.assertEqual((self.folder / "r1" / name).read_bytes(), (self.folder / folder / name).read_bytes(), name)

    def test_interrupted_and_resumed(self):
        # Each start integrates fast oscillations for a while.
        self.write("model.xml", """<ode> <parameter id="k" initial="1"/>
          <state id="x" initial="1" derivative="300*k*y"/> <state id="y" initial="0" derivative="-300*k*x"/> </ode>""")
        self.write("slow.csv", "t,x\n" + "".join(f"{t},{math.cos(0.3 * t)}\n" for t in range(20)))
        self.write("slow.xml", """<problem> <estimate parameter="k" initial="0.001" lower="1e-4" upper="0.3" transform="log"/>
          <experiment id="run" model="model.xml" data="slow.csv"> <observe column="x" quantity="x" sigma="0.1"/> </experiment>
          <options sigma="known" max_iterations="30"/> </problem>""")
        options = ("--starts", "200", "--seed", "2")
        begin = time.monotonic()
        self.run_cli("fit", "slow.xml", "--out", "whole", "--quiet", *options)
        seconds = time.monotonic() - begin
        run = subprocess.Popen([PARFAIT, "fit", "slow.xml", "--out", "r", *options], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.4 * seconds)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 1, out + err)
        partial = self.result("r")
        self.assertEqual((partial["status"], partial["partial"]), ("interrupted", True))
        statuses = [start["status"] for start in partial["starts"]["list"]]
        self.assertGreater(statuses.count("not_begun"), 0)
        self.assertGreater(len(statuses) - statuses.count("not_begun") - statuses.count("interrupted"), 2)
        # The best so far is what the parameters are.
        finished = [s for s in partial["starts"]["list"] if s["number"] == partial["starts"]["reported"]][0]
        self.assertEqual(partial["parameters"][0]["value"], finished["values"][0])
        # Another seed, other options or other data are something else.
        for changed in (("--starts", "200", "--seed", "3"), (*options, "--set", "k=0.002")):
            message = self.run_cli("fit", "slow.xml", "--out", "r", "--resume", *changed, code=2).stderr
            self.assertIn("--resume", message)
        self.run_cli("fit", "slow.xml", "--out", "r", "--resume", *options)
        for name in ("result.json", "starts.csv"):
            self.assertEqual((self.folder / "r" / name).read_text(), (self.folder / "whole" / name).read_text())
        # More starts go on from there, too.
        before = {s["number"]: s for s in self.result("r")["starts"]["list"]}
        self.run_cli("fit", "slow.xml", "--out", "r", "--resume", "--starts", "204", "--seed", "2", "--quiet")
        after = {s["number"]: s for s in self.result("r")["starts"]["list"]}
        self.assertEqual(len(after), 205)
        for number, start in before.items():
            self.assertEqual({**start, "minimum": 0}, {**after[number], "minimum": 0})

    def test_bad_input(self):
        self.assertIn("--starts 0: must be at least 1", self.error_of("fit", "wave.xml", "--starts", "0"))
        self.assertIn("--starts is missing", self.error_of("fit", "wave.xml", "--resume"))
        self.assertIn("nothing can be resumed", self.error_of("fit", "wave.xml", "--starts", "3", "--resume"))
        self.write("open.xml", self.WAVE.replace(' upper="6"', ""))
        self.assertIn("no estimated parameter has a lower and an upper bound", self.error_of("fit", "open.xml", "--starts", "3"))


class ProfileTest(CliTest):
    Y = (1.03, 0.98, 1.01, 0.99)

    def objective(self, k):
        """x = a (1 - exp(-k t)) with the best a."""
        z = [1 - math.exp(-k * (i + 1)) for i in range(4)]
        a = sum(p * q for p, q in zip(z, self.Y)) / sum(p * p for p in z)
        return sum(((a * p - q) / 0.03) ** 2 for p, q in zip(z, self.Y))

    def test_a_parameter_that_is_not_determined_to_first_order(self):
        self.write("model.xml", """<ode>
          <parameter id="a" initial="1"/> <parameter id="k" initial="1e5" lower="1e-3" upper="1e6"/>
          <state id="x" initial="0" derivative="k*(a - x)"/> </ode>""")
        rows = "\n".join(f"{i + 1},{y}" for i, y in enumerate(self.Y))
        self.write("problem.xml", f"""<problem>
          <estimate parameter="a"/> <estimate parameter="k" transform="log"/>
          <experiment id="e" model="model.xml"> <table>
t,x
{rows}
          </table> <observe column="x" quantity="x" sigma="0.03"/> </experiment>
          <options sigma="known" integrator="bdf"/> </problem>""")
        done = self.run_cli("fit", "problem.xml", "--set", "k=1000", "--profile", "k", "--out", "r")
        profile = self.result("r")["profiles"][0]
        # Where the objective crosses the threshold, by bisection of the formula.
        threshold = self.objective(1e3) + 1.959963984540054 ** 2
        low, high = math.log(1e-3), math.log(1e3)
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if self.objective(math.exp(middle)) > threshold else (low, middle)
        self.assertAlmostEqual(profile["threshold"], threshold, delta=1e-5)
        self.assertAlmostEqual(profile["interval"][0], math.exp(low), delta=1e-4 * math.exp(low))
        self.assertEqual((profile["interval"][1], profile["low_end"], profile["high_end"]), (1e6, "threshold", "bound"))
        self.assertGreater(len(profile["points"]), 10)
        self.assertIn("above: the bound; the objective stays below the threshold up to it", done.stdout)
        with open(self.folder / "r/profile.csv", newline="") as file:
            for row in csv.DictReader(file):
                self.assertAlmostEqual(float(row["objective"]), self.objective(float(row["value"])), delta=1e-3)
                self.assertAlmostEqual(float(row["k"]) / float(row["value"]), 1, delta=1e-9)
        self.assertIn('data-plot="profile"', (self.folder / "r/report.html").read_text())


if __name__ == "__main__":
    unittest.main()
