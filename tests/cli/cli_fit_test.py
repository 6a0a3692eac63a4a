#!/usr/bin/env python3
"""parfait fit: the estimates, what is said about them, what is written, and how a run is changed."""
import csv
import json
import math
import re
import signal
import subprocess
import time
import unittest

from cli import PARFAIT, CliTest
from fit_problem import MODEL, TRUTH, problem


class FitTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("model.xml", MODEL)
        self.make("problem.xml", problem([0.5, 2]))

    def make(self, name, text):
        self.write(name, text)
        self.run_cli("synthesize", name, "--seed", "7", "--force", "--quiet")

    def table(self, folder, name):
        with open(self.folder / folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def parameters(self, folder):
        return {p["id"]: p for p in self.result(folder)["parameters"]}

    def fitted(self, *options, out="r"):
        self.run_cli("fit", "problem.xml", "--out", out, *options)
        return self.result(out)


class Converged(FitTest):
    def test_true_parameters_lie_within_their_deviations(self):
        done = self.run_cli("fit", "problem.xml")
        result = self.result("run/problem")
        self.assertEqual((result["status"], result["partial"]), ("converged", False))
        self.assertEqual([p["id"] for p in result["parameters"]], ["k", "c"])
        for p in result["parameters"]:
            self.assertEqual(p["true"], TRUTH[p["id"]])
            self.assertLess(abs(p["value"] - p["true"]), 4 * p["sd"])
            self.assertGreater(abs(p["value"] - p["true"]), 1e-9)  # there was noise
            self.assertLess(p["ci95"][0], p["value"])
            self.assertFalse(p["at_bound"])
        self.assertEqual([(s["experiment"], s["id"]) for s in result["initial_states"]],
                         [("run1", "x"), ("run2", "x")])
        self.assertEqual(result["measurements"], 84)
        self.assertEqual(result["degrees_of_freedom"], 84 - 4)
        self.assertAlmostEqual(result["sigma_scale"], math.sqrt(result["objective"] / 80), delta=1e-12)
        self.assertIn("beta^2 = objective / degrees of freedom", result["convention"])
        # sd and covariance are one statement.
        for i, p in enumerate(result["parameters"]):
            self.assertAlmostEqual(result["covariance"][i][i] / p["sd"] ** 2, 1, delta=1e-9)
        # The table while it runs, then words.
        lines = done.stdout.splitlines()
        header = [i for i, line in enumerate(lines) if line.split()[:2] == ["iter", "objective"]][0]
        self.assertEqual(lines[header].split(),
                         ["iter", "objective", "constraints", "|dx|", "step", "omega", "kappa", "rank", "cond"])
        self.assertEqual(len(result["history"]), result["iterations"] + 1)
        for i, entry in enumerate(result["history"]):
            words = lines[header + 1 + i].split()
            self.assertEqual(int(words[0]), entry["iter"])
            self.assertAlmostEqual(float(words[1]) / entry["objective"], 1, delta=1e-7)
        for words in ("converged", "degrees of freedom", "initial state", "Residuals", "results in run/problem"):
            self.assertIn(words, done.stdout)

    def test_tables_say_the_same_as_the_result(self):
        result = self.fitted()
        self.assertEqual(sorted(path.name for path in (self.folder / "r").iterdir()),
                         ["covariance.csv", "nodes.csv", "parameters.csv", "report.html", "residuals.csv", "result.json",
                          "timing.json", "trajectory.csv", "trajectory_initial.csv"])
        rows = self.table("r", "parameters.csv")
        self.assertEqual([row["id"] for row in rows], ["k", "c", "x", "x"])
        for row, p in zip(rows, result["parameters"]):
            self.assertEqual(float(row["value"]), p["value"])
            self.assertEqual(float(row["sd"]), p["sd"])
            self.assertEqual([float(row["ci_low"]), float(row["ci_high"])], p["ci95"])
        covariance = self.table("r", "covariance.csv")
        self.assertEqual(list(covariance[0]), ["name", "k", "c", "x(0) (run1)", "x(0) (run2)"])
        self.assertEqual(float(covariance[0]["c"]), result["covariance"][0][1])
        residuals = self.table("r", "residuals.csv")
        self.assertEqual(len(residuals), 84)
        self.assertAlmostEqual(sum(float(row["weighted"]) ** 2 for row in residuals) / result["objective"], 1, delta=1e-9)
        for row in residuals:
            off = (float(row["model"]) - float(row["measured"])) / float(row["sigma"])
            self.assertAlmostEqual(off, float(row["weighted"]), delta=1e-9)
        # The trajectory passes through what the residuals say, with the same deviation.
        motion = {(row["experiment"], float(row["t"])): row for row in self.table("r", "trajectory.csv")}
        self.assertGreater(len(motion), 400)
        for row in residuals:
            there = motion[row["experiment"], float(row["t"])]
            self.assertAlmostEqual(float(there[row["column"]]), float(row["model"]), delta=1e-6)
            self.assertAlmostEqual(float(there[row["column"] + ".sd"]), float(row["model.sd"]), delta=1e-6)
        nodes = self.table("r", "nodes.csv")
        self.assertEqual([float(row["t"]) for row in nodes if row["experiment"] == "run1"], [0, 1.25, 2.5, 3.75])
        self.assertEqual(float(nodes[0]["y"]), 0)  # fixed
        self.assertGreater(json.loads((self.folder / "r/timing.json").read_text())["total"], 0)

    def test_threads_do_not_change_a_byte(self):
        for threads in ("1", "2"):
            self.fitted("--threads", threads, "--certify", "--profile", "k", out="r" + threads)
        for name in ("result.json", "trajectory.csv", "residuals.csv", "covariance.csv", "nodes.csv"):
            self.assertEqual((self.folder / "r1" / name).read_bytes(), (self.folder / "r2" / name).read_bytes(), name)

    def test_json_and_quiet(self):
        done = self.run_cli("fit", "problem.xml", "--out", "r", "--json")
        self.assertEqual(json.loads(done.stdout), self.result("r"))
        self.assertEqual(self.run_cli("fit", "problem.xml", "--out", "r", "--quiet").stdout, "")

    def test_certificate_and_profile(self):
        result = self.fitted("--certify", "--profile", "k,c")
        for p in result["parameters"]:
            self.assertLess(abs(p["shift"]), 1e-3)
        self.assertEqual([p["parameter"] for p in result["profiles"]], ["k", "c"])
        for profile, p in zip(result["profiles"], result["parameters"]):
            low, high = profile["interval"]
            self.assertLess(low, p["value"])
            # Nearly linear: nearly the interval of the covariance.
            self.assertAlmostEqual((high - low) / (p["ci95"][1] - p["ci95"][0]), 1, delta=0.05)
            self.assertGreater(profile["threshold"], result["objective"])
        self.assertGreater(len(self.table("r", "profile.csv")), 6)


class Changed(FitTest):
    """A run that differs from what the file says."""

    def test_set_is_the_start_of_an_estimate_and_a_condition_otherwise(self):
        before = self.fitted()
        after = self.fitted("--set", "k=2", out="other")
        self.assertEqual(self.parameters("other")["k"]["initial"], 2)
        self.assertAlmostEqual(after["objective"] / before["objective"], 1, delta=1e-9)
        # Another feed in both runs: the data do not fit any more.
        self.assertGreater(self.fitted("--set", "u=1", out="third")["objective"], 10 * before["objective"])

    def test_fixed_parameters_are_held(self):
        result = self.fitted("--fix", "c", "--set", "c=0.4")
        self.assertEqual([p["id"] for p in result["parameters"]], ["k"])
        self.assertEqual(result["degrees_of_freedom"], 84 - 3)
        free = self.fitted(out="free")
        self.assertGreater(result["objective"], free["objective"])
        self.assertLess(result["parameters"][0]["sd"], free["parameters"][0]["sd"])

    def test_initial_states_alone_can_be_estimated(self):
        free = self.fitted(out="free")
        result = self.fitted("--fix", "k,c", "--set", f"k={free['parameters'][0]['value']!r}", "--set", f"c={free['parameters'][1]['value']!r}")
        self.assertEqual(result["parameters"], [])
        self.assertEqual([s["id"] for s in result["initial_states"]], ["x", "x"])
        self.assertEqual(result["degrees_of_freedom"], 84 - 2)
        self.assertAlmostEqual(result["objective"] / free["objective"], 1, delta=1e-6)
        for held, s in zip(result["initial_states"], free["initial_states"]):
            self.assertAlmostEqual(held["value"], s["value"], delta=1e-4 * s["sd"])

    def test_everything_fixed_is_the_problem_at_the_given_values(self):
        for intervals in ("1", "4"):
            text = problem([0.5, 2], "  <require> k - 3*c = 0 </require>\n").replace('<initial state="x" fixed="false"/>', "")
            self.make("problem.xml", text.replace('intervals="4"', f'intervals="{intervals}"'))
            done = self.run_cli("fit", "problem.xml", "--fix", "k,c", "--set", "k=1.1", "--set", "c=0.4", "--out", "r")
            self.assertIn("nothing is estimated: this is the problem at the given values", done.stdout)
            result = self.result("r")
            self.assertEqual((result["status"], result["parameters"], result["degrees_of_freedom"]), ("converged", [], 84))
            rows = self.table("r", "residuals.csv")
            self.assertEqual(len(rows), 84)
            # x' = u - k x from 1, in closed form.
            for row in rows:
                if row["column"] != "x":
                    continue
                a = (0.5 if row["experiment"] == "run1" else 2) / 1.1
                x = a + (1 - a) * math.exp(-1.1 * float(row["t"]))
                self.assertAlmostEqual(float(row["model"]), x, delta=1e-6)
            squares = sum(float(row["weighted"]) ** 2 for row in rows)
            self.assertAlmostEqual(result["objective"] / squares, 1, delta=1e-9)
            self.assertGreater(result["objective"], 200)  # far from the true k

    def test_parameters_of_single_experiments(self):
        text = problem([0.5, 2]).replace('  <estimate parameter="c" initial="1" lower="0" true="0.4"/>\n', "")
        text = text.replace('<set parameter="u" value="0.5"/>', '<set parameter="u" value="0.5"/> <local parameter="c" initial="1" true="0.4"/>')
        text = text.replace('<set parameter="u" value="2"/>', '<set parameter="u" value="2"/> <local parameter="c" initial="1" true="0.9"/>')
        self.make("problem.xml", text)
        result = self.fitted("--tol", "1e-9")
        self.assertEqual([(p["id"], p.get("experiment")) for p in result["parameters"]],
                         [("k", None), ("c", "run1"), ("c", "run2")])
        for p in result["parameters"]:
            self.assertLess(abs(p["value"] - p["true"]), 4 * p["sd"])
        self.assertEqual([row["name"] for row in self.table("r", "covariance.csv")],
                         ["k", "c (run1)", "c (run2)", "x(0) (run1)", "x(0) (run2)"])
        again = self.fitted("--start", "r", "--tol", "1e-9", out="again")
        self.assertEqual(again["iterations"], 0)
        started = self.fitted("--set", "c=0.7", out="set")
        self.assertEqual([p["initial"] for p in started["parameters"][1:]], [0.7, 0.7])
        held = self.fitted("--fix", "c", "--start", "r", "--tol", "1e-9", out="held")
        self.assertEqual([p["id"] for p in held["parameters"]], ["k"])
        self.assertAlmostEqual(held["objective"] / result["objective"], 1, delta=1e-9)

    def test_a_requirement_knows_what_is_fixed(self):
        self.make("problem.xml", problem([0.5, 2], "  <require> k - 3*c = 0 </require>\n"))
        self.fitted("--fix", "c", "--set", "c=0.4")
        self.assertAlmostEqual(self.parameters("r")["k"]["value"], 1.2, delta=1e-9)

    def test_a_result_starts_the_next_run_where_it_ended(self):
        first = self.fitted()
        self.assertGreater(first["iterations"], 0)
        for start in ("r/result.json", "r"):
            again = self.fitted("--start", start, out="again")
            self.assertEqual((again["status"], again["iterations"]), ("converged", 0))
            for a, b in zip(first["parameters"], again["parameters"]):
                self.assertAlmostEqual(b["initial"] / a["value"], 1, delta=1e-14)
                self.assertAlmostEqual(b["sd"] / a["sd"], 1, delta=1e-9)
            self.assertEqual(len(again["variables"]["x"]), len(first["variables"]["x"]))
            for a, b in zip(first["variables"]["x"], again["variables"]["x"]):
                self.assertAlmostEqual(a, b, delta=1e-14 * (1 + abs(a)))
        # Another grid has other unknowns: the names still agree.
        self.write("coarse.xml", problem([0.5, 2]).replace('intervals="4"', 'intervals="2"'))
        self.run_cli("fit", "coarse.xml", "--start", "r", "--out", "coarse")
        self.assertAlmostEqual(self.parameters("coarse")["k"]["initial"], first["parameters"][0]["value"], delta=1e-14)
        self.assertLess(self.result("coarse")["iterations"], first["iterations"])
        # What is typed has the last word.
        self.fitted("--start", "r", "--set", "k=0.9", out="typed")
        self.assertEqual(self.parameters("typed")["k"]["initial"], 0.9)

    def test_a_fixed_parameter_with_a_start(self):
        first = self.fitted("--tol", "1e-9")
        result = self.fitted("--start", "r", "--fix", "c", "--tol", "1e-9", out="held")
        self.assertAlmostEqual(result["objective"] / first["objective"], 1, delta=1e-9)

    def test_a_parameter_at_its_bound_has_no_deviation(self):
        self.write("problem.xml", problem([0.5, 2]).replace('upper="10"', 'upper="1"'))
        self.fitted()
        k = self.parameters("r")["k"]
        self.assertEqual((k["value"], k["sd"], k["at_bound"], k["determined"]), (1, None, True, "at_upper"))
        done = self.run_cli("fit", "problem.xml")
        self.assertIn("at upper bound", done.stdout)

    def test_what_cannot_be_told_apart_is_named(self):
        self.write("model.xml", MODEL.replace("u - k*x", "u - k*c*x").replace("k*x - c*y", "k*c*x - y"))
        self.make("problem.xml", problem([0.5, 2]))
        done = self.run_cli("fit", "problem.xml", "--out", "r")
        result = self.result("r")
        self.assertFalse(result["identifiability"]["all_determined"])
        self.assertEqual(result["identifiability"]["findings"][0]["parameters"], ["k", "c"])
        self.assertIn(result["identifiability"]["findings"][0]["text"], done.stdout)
        self.assertIsNone(result["parameters"][0]["sd"])


class NotConverged(FitTest):
    def test_too_few_iterations(self):
        done = self.run_cli("fit", "problem.xml", "--out", "r", "--max-iterations", "1", code=1)
        result = self.result("r")
        self.assertEqual((result["status"], result["partial"], result["iterations"]), ("max_iterations", True, 1))
        self.assertIn("partial results in r", done.stdout)
        self.assertEqual(len(result["parameters"]), 2)
        self.assertEqual(len(self.table("r", "residuals.csv")), 84)

    def test_a_model_that_cannot_be_evaluated(self):
        self.write("model.xml", MODEL.replace("u - k*x", "u - k*x + x*x*x*exp(50 - 100*k)"))
        done = self.run_cli("fit", "problem.xml", "--set", "k=0", "--out", "r", "--quiet", code=1)
        result = self.result("r")
        self.assertEqual((result["status"], result["partial"]), ("integration_failed", True))
        self.assertIn(result["message"], done.stderr)
        self.assertEqual([p["id"] for p in result["parameters"]], ["k", "c"])
        self.assertIsNone(result["objective"])

    def test_interrupted(self):
        # Full steps jump about a minimum that is not stable, for ever.
        rows = "\n".join(f"{i},{-1 if i % 2 else 1}" for i in range(2000))
        self.write("data.csv", "i,z\n" + rows + "\n")
        self.write("endless.xml", """<problem> <estimate parameter="p" initial="0.3"/>
          <experiment id="run" data="data.csv">
            <observe column="z" quantity="if(z > 0, -p, p - 2 - 2*p^2)"/> </experiment>
          <options globalization="full" max_iterations="100000000"/> </problem>""")
        run = subprocess.Popen([PARFAIT, "fit", "endless.xml", "--out", "r"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(10):  # the table has begun
            run.stdout.readline()
        time.sleep(0.2)
        before = sorted(path.name for path in self.folder.iterdir() if path.name != ".r.lock")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 1, err)
        result = self.result("r")
        self.assertEqual((result["status"], result["partial"]), ("interrupted", True))
        self.assertNotIn("r", before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(before + ["r"]))
        self.assertIn("partial results in r", out)


    def stopped(self, problem, wait, *args, after=""):
        """A fit that Ctrl-C reaches `wait` seconds after the first line of output that contains the pattern `after`: result,
        output from there on and how long it took to stop."""
        run = subprocess.Popen([PARFAIT, "fit", problem, "--out", "r", *args], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not re.search(after, run.stdout.readline()):
            self.assertIsNone(run.poll(), f"ended without a line that contains {after!r}")
        time.sleep(wait)
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 1, err)
        result = self.result("r")
        self.assertEqual((result["status"], result["partial"]), ("interrupted", True))
        self.assertIn("partial results in r", out)
        return result, out, time.monotonic() - begin

    def test_interrupted_within_an_iteration(self):
        # Fast oscillations: an interval takes a moment, 400 of them far longer than a person waits.
        self.write("model.xml", """<ode>
          <parameter id="k" initial="1"/>
          <state id="x" initial="1" derivative="3000*k*y"/> <state id="y" initial="0" derivative="-3000*k*x"/> </ode>""")
        self.write("slow.csv", "t,x\n" + "".join(f"{t},1\n" for t in range(401)))
        self.write("slow.xml", """<problem> <estimate parameter="k" initial="1"/>
          <experiment id="run" model="model.xml" data="slow.csv"> <observe column="x" quantity="x"/>
            <initial fixed="false"/> <grid intervals="400" nodes="measured"/> </experiment>
          <options rtol="1e-10" reduction="none" max_steps="10000000"/> </problem>""")
        result, _, seconds = self.stopped("slow.xml", 0.5, "--threads", "1")
        self.assertEqual(result["iterations"], 0)
        self.assertEqual(result["history"], [])  # not even the first linearization was finished
        self.assertLess(seconds, 10)
        self.assertEqual([p["value"] for p in result["parameters"]], [1])
        self.assertEqual(len(result["initial_states"]), 2)

    def test_interrupted_profile(self):
        rows = "\n".join(f"{i},{math.exp(-0.001 * i) + 0.01 * math.sin(7 * i)}" for i in range(10000))
        self.write("data.csv", "i,z\n" + rows + "\n")
        self.write("profile.xml", """<problem> <estimate parameter="a" initial="0.7"/> <estimate parameter="p" initial="0.0012"/>
          <experiment id="run" data="data.csv"> <observe column="z" quantity="a*exp(-p*i)"/> </experiment> </problem>""")
        whole = self.run_cli("fit", "profile.xml", "--out", "whole", "--profile", "a,p")
        self.assertIn("Profile likelihood of p", whole.stdout)
        timing = json.loads((self.folder / "whole/timing.json").read_text())
        last_iteration = r"\s-\s+-\s"  # the confirming increment is not applied: no step, no omega
        result, out, _ = self.stopped("profile.xml", 0.4 * timing["profile"], "--profile", "a,p", after=last_iteration)
        self.assertIn("interrupted afterwards", result["message"])
        self.assertEqual([p["id"] for p in result["parameters"]], ["a", "p"])
        self.assertTrue(all(p["sd"] > 0 for p in result["parameters"]))
        self.assertLess(sum(not p["interrupted"] for p in result.get("profiles", [])), 2)


class BadInput(FitTest):
    """Exit code 2, one message, nothing written."""

    def test_messages(self):
        for options, words in [
            (("--set", "kk=1"), 'there is no parameter "kk"'),
            (("--set", "k=-1"), "--set k=-1: must lie between 0 and 10"),
            (("--set", "k"), "must read id=value"),
            (("--fix", "u"), "--fix u: is not an estimated parameter"),
            (("--fix", "k,c,x"), "--fix x: is not an estimated parameter"),
            (("--profile", "u"), "--profile u: is not a parameter that is estimated"),
            (("--threads", "0"), "--threads 0: must be at least 1"),
            (("--globalization", "rtm"), 'Did you mean "rmt"?'),
            (("--tol", "0"), "tol = 0: must be > 0"),
            (("--max-iterations", "-1"), "max_iterations = -1: must be >= 0"),
            (("--start", "nowhere.json"), "nowhere.json"),
            (("--start", "model.xml"), "is not a result.json of parfait fit"),
        ]:
            self.assertIn(words, self.error_of("fit", "problem.xml", *options), options)

    def test_a_result_of_another_problem(self):
        self.fitted()
        self.write("model.xml", MODEL.replace('"k"', '"rate"').replace("k*x", "rate*x").replace('"c"', '"loss"').replace("c*y", "loss*y"))
        other = problem([0.5, 2]).replace('parameter="k"', 'parameter="rate"').replace('parameter="c"', 'parameter="loss"')
        self.write("other.xml", other.replace('id="run', 'id="trial'))
        self.assertIn("has no parameter of this problem", self.error_of("fit", "other.xml", "--start", "r"))
        # A file of ours that is damaged.
        text = (self.folder / "r/result.json").read_text().replace('"initial_states"', '"final_states"')
        self.write("damaged.json", text)
        self.assertIn("missing or damaged", self.error_of("fit", "other.xml", "--start", "damaged.json"))

    def test_a_file_that_is_no_problem(self):
        self.assertIn("the root of a problem file is <problem>", self.error_of("fit", "model.xml"))
        self.assertIn("nowhere.xml", self.error_of("fit", "nowhere.xml"))

    def test_data_that_do_not_exist_yet(self):
        (self.folder / "run1.csv").unlink()
        message = self.error_of("fit", "problem.xml")
        self.assertRegex(message, r'problem\.xml:\d+:\d+: experiment "run1": there is no measurement yet')
        self.assertIn("parfait synthesize", message)

    def test_a_folder_of_someone_else(self):
        (self.folder / "thesis").mkdir()
        (self.folder / "thesis" / "chapter.txt").write_text("long")
        self.assertIn("not replaced", self.error_of("fit", "problem.xml", "--out", "thesis"))


if __name__ == "__main__":
    unittest.main()
