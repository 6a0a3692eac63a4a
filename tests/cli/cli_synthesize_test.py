#!/usr/bin/env python3
"""parfait synthesize: data as the model makes them, where they go, and that they can be fitted."""
import csv
import json
import math
import statistics
import unittest

from cli import CliTest
from fit_problem import MODEL, TRUTH, problem


class Synthesize(CliTest):
    def setUp(self):
        super().setUp()
        self.write("model.xml", MODEL)
        self.write("problem.xml", problem([0.5, 2]))

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def exact(self, t, u):
        """Closed form of the model at the true parameters."""
        k, c = TRUTH["k"], TRUTH["c"]
        a = u / k
        x = a + (1 - a) * math.exp(-k * t)
        y = u / c + k * (1 - a) / (c - k) * math.exp(-k * t)
        return x, y - (u / c + k * (1 - a) / (c - k)) * math.exp(-c * t)

    def test_noise_has_the_deviation_of_the_problem(self):
        self.write("problem.xml", problem([0.5]).replace('count="21"', 'count="1001"'))
        self.run_cli("synthesize", "problem.xml", "--seed", "3")
        rows = self.rows("run1.csv")
        self.assertEqual(len(rows), 1001)
        self.assertEqual([rows[0]["t"], rows[500]["t"], rows[-1]["t"]], [0, 2.5, 5])
        off = [[row[name] - value for name, value in zip("xy", self.exact(row["t"], 0.5))] for row in rows]
        for i, sigma in enumerate((0.01, 0.02)):
            noise = [pair[i] for pair in off]
            # Four standard errors.
            self.assertLess(abs(statistics.mean(noise)), 4 * sigma / math.sqrt(1001))
            self.assertLess(abs(statistics.stdev(noise) / sigma - 1), 4 / math.sqrt(2 * 1001))

    def test_seed_decides(self):
        texts = []
        for seed in ("1", "1", "2"):
            self.run_cli("synthesize", "problem.xml", "--seed", seed, "--force")
            texts.append((self.folder / "run1.csv").read_bytes())
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_files_that_exist_are_kept_unless_forced(self):
        done = self.run_cli("synthesize", "problem.xml")
        self.assertIn("run2.csv: 42 measurements", done.stdout)
        self.assertIn("seed 1; next: parfait fit problem.xml", done.stdout)
        (self.folder / "run1.csv").unlink()
        self.assertRegex(self.error_of("synthesize", "problem.xml"), r"problem\.xml:\d+:\d+: .*run2\.csv exists and is not replaced")
        self.run_cli("synthesize", "problem.xml", "--force")

    def test_samples_say_when_and_data_only_without_them(self):
        self.run_cli("synthesize", "problem.xml")
        text = (self.folder / "problem.xml").read_text()
        self.write("problem.xml", text.replace('to="5" count="21"', 'to="3" count="4"'))
        done = self.run_cli("synthesize", "problem.xml", "--force")
        self.assertIn("run1.csv: 8 measurements, at the times of <samples>", done.stdout)
        self.assertEqual([row["t"] for row in self.rows("run1.csv")], [0, 1, 2, 3])
        self.write("problem.xml", text.replace('<samples from="0" to="5" count="21"/>', ""))
        done = self.run_cli("synthesize", "problem.xml", "--force", "--seed", "2")
        self.assertIn("run1.csv: 8 measurements, where the old data have them", done.stdout)
        self.assertEqual([row["t"] for row in self.rows("run1.csv")], [0, 1, 2, 3])
        # Deviations that stand in the data need the data.
        rows = "t,x,y,s\n" + "".join(f"{t},1,1,0.3\n" for t in (0, 2))
        self.write("run1.csv", rows)
        self.write("run2.csv", rows)
        self.write("problem.xml", text.replace('sigma="0.01"', 'sigma_column="s"'))
        done = self.run_cli("--json", "synthesize", "problem.xml", "--force")
        self.assertEqual([e["times"] for e in json.loads(done.stdout)["experiments"]], ["data", "data"])
        self.assertEqual([row["t"] for row in self.rows("run1.csv")], [0, 2])

    def test_a_model_that_explodes_is_an_error_and_writes_nothing(self):
        for derivative in ("x*x*x", "1/(x - 1)", "200*x", "exp(x*x)", "if(t > 2, log(-x*x), u)"):
            self.write("model.xml", MODEL.replace("u - k*x", derivative))
            for out in ((), ("--out", "copy")):
                message = self.error_of("synthesize", "problem.xml", *out)
                self.assertIn("problem.xml: the model cannot be simulated at the true parameters: experiment", message, derivative)
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["model.xml", "problem.xml"])

    def test_a_folder_of_its_own_can_be_fitted(self):
        (self.folder / "models").mkdir()
        # Its feed is a table beside the model.
        self.write("models/feed.csv", "t,u\n0,1\n2,3\n5,0\n")
        self.write("models/fed.xml", MODEL.replace('<parameter id="u" initial="1"/>', '<input id="u" file="feed.csv"/>'))
        text = problem([1]).replace("model.xml", "models/fed.xml").replace('<set parameter="u" value="1"/>', "")
        self.write("problem.xml", text.replace(' data="run1.csv"', ""))
        self.run_cli("synthesize", "problem.xml", "--seed", "5", "--out", "copy")
        self.assertEqual(sorted(str(path.relative_to(self.folder / "copy")) for path in (self.folder / "copy").rglob("*.*")),
                         ["models/fed.xml", "models/feed.csv", "problem.xml", "result.json", "run1.csv"])
        self.assertEqual(self.result("copy")["seed"], 5)
        self.assertIn("names no data file", self.error_of("synthesize", "problem.xml"))
        # The copy stands alone.
        (self.folder / "copy").rename(self.folder / "elsewhere")
        (self.folder / "models/fed.xml").unlink()
        self.run_cli("fit", "elsewhere/problem.xml", "--out", "r")
        for p in self.result("r")["parameters"]:
            self.assertLess(abs(p["value"] - TRUTH[p["id"]]), 4 * p["sd"])
        # Ours may be replaced, others' not.
        self.write("models/fed.xml", MODEL)
        self.run_cli("synthesize", "problem.xml", "--out", "elsewhere", "--set", "u=1")
        self.assertIn("not replaced", self.error_of("synthesize", "problem.xml", "--out", "models"))

    def test_set_changes_the_truth(self):
        self.run_cli("synthesize", "problem.xml", "--set", "k=2", "--set", "u=1", "--out", "copy")
        self.run_cli("fit", "copy/problem.xml", "--out", "r")
        result = self.result("r")
        self.assertAlmostEqual(result["parameters"][0]["value"], 2, delta=5 * result["parameters"][0]["sd"])
        self.assertLess(result["sigma_scale"], 1.5)  # the copy knows the new feed

    def test_measured_cells_are_those_that_were_measured(self):
        self.write("run1.csv", "t,x,y\n0,1,\n1,,5\n2,1,1\n")
        self.write("problem.xml", problem([0.5]).replace('<samples from="0" to="5" count="21"/>', ""))
        self.run_cli("synthesize", "problem.xml", "--force")
        with open(self.folder / "run1.csv") as file:
            cells = [line.strip().split(",") for line in file][1:]
        self.assertEqual([[cell == "" for cell in row] for row in cells],
                         [[False, False, True], [False, True, False], [False, False, False]])

    def test_samples_that_make_no_sense(self):
        samples = '<samples from="0" to="5" count="21"/>'
        for wrong, words in [
            ('<samples from="0" count="21"/>', '"to"'),
            ('<samples from="0" to="5"/>', '"count"'),
            ('<samples from="0" to="5" count="1"/>', "count = 1: must be at least 2"),
            ('<samples from="5" to="5" count="3"/>', "must end later"),
            ('<samples times="0 2 1"/>', "times must not descend"),
            ('<samples times="0 1" count="3"/>', "not both"),
            ('<samples times="0 much"/>', "much"),
            ("", "run1.csv"),
        ]:
            self.write("problem.xml", problem([0.5]).replace(samples, wrong))
            self.assertIn(words, self.error_of("synthesize", "problem.xml"), wrong)
        self.write("problem.xml", problem([0.5]).replace(samples, '<samples times="0 1 4"/>'))
        self.run_cli("synthesize", "problem.xml")
        self.assertEqual([row["t"] for row in self.rows("run1.csv")], [0, 1, 4])


if __name__ == "__main__":
    unittest.main()
