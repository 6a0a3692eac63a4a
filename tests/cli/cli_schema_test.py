#!/usr/bin/env python3
"""docs/schema/result.schema.json describes every result.json that the examples leave, and nothing else."""
import copy
import json
import re
import subprocess
import unittest

from cli import PARFAIT, SOURCE, CliTest
from json_schema import Schema

SCHEMA = Schema(json.loads((SOURCE / "docs/schema/result.schema.json").read_text()))
EXAMPLES = SOURCE / "examples"


class ResultSchema(CliTest):
    def valid(self, *arguments, code=0):
        """The result of a command, which the schema must describe."""
        self.run_cli(*arguments, "--out", "r", "--quiet", code=code)
        result = self.result("r")
        self.assertEqual(SCHEMA.errors(result), [], arguments)
        self.assertEqual(result["format"], 1)
        return result

    def test_every_example(self):
        commands = set()
        for file in sorted(EXAMPLES.glob("*/*.xml")):
            text = re.sub(r"<!--.*?-->|<\?.*?\?>", "", file.read_text(), flags=re.S)
            root = re.search(r"<(\w+)", text).group(1)
            runs = [["fit", file], ["synthesize", file]] if root == "problem" else [
                ["simulate", file, "--until", "0.1"], ["modes", file]]
            if root == "problem" and "data=" not in text and "<table" not in text:
                runs = [["synthesize", file]]
            if root == "design":
                runs = [["design", file, "--starts", "1"]] if file.parent.name != "design_cart" else []  # a minute
            if "<cost" in text:  # what is made small, without data
                runs = [["gradient", file]]
            if file.parent.name == "sitting_human" and root == "problem":  # minutes: one of them, at its start
                runs = [["fit", file, "--max-iterations", "0"]] if file.name == "problem.xml" else []
            for command in runs:
                with self.subTest(command=command):
                    self.run_any(command)
                    result = self.result("r")
                    self.assertEqual(SCHEMA.errors(result), [])
                    commands.add(result["command"])
        self.assertEqual(commands, {"simulate", "modes", "fit", "synthesize", "gradient", "design"})

    def run_any(self, command):
        """Some examples show what does not converge or never comes to rest."""
        done = subprocess.run([PARFAIT, *map(str, command), "--out", "r", "--quiet"], cwd=self.folder, capture_output=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_what_only_options_ask_for(self):
        pendulum = EXAMPLES / "double_pendulum/double_pendulum.xml"
        abm = self.valid("simulate", pendulum, "--until", "1", "--integrator", "abm", "--tolerance", "velocities=1e-6,1e-8")
        self.assertIn("steps_of_order", abm)
        self.assertIn("tolerance", abm["options"])
        self.assertIn("hht_alpha", self.valid("simulate", pendulum, "--until", "0.1", "--integrator", "hht")["options"])
        self.assertIn("equilibrium", self.valid("simulate", pendulum, "--until", "0.1", "--settle", "--every-step"))
        self.assertIn("last_state", self.valid("simulate", pendulum, "--max-steps", "3", code=1))
        problem = EXAMPLES / "lotka_volterra/problem.xml"
        fit = self.valid("fit", problem, "--profile", "p1", "--certify", "--set", "p2=0.4")
        self.assertIn("profiles", fit)
        self.assertIn("shift", fit["parameters"][0])
        self.assertEqual(self.valid("fit", problem, "--max-iterations", "1", code=1)["status"], "max_iterations")

    def test_imports(self):
        data = SOURCE / "tests/motion_files/data"
        for name in ("type1_standing.c3d", "Analysis.c3d", "exampleFormat.trc", "qIK.csv", "test_freebvh.bvh"):
            result = self.valid("import", data / name)
            self.assertEqual((result["trial"] is None, result["table"] is None), (name == "qIK.csv", name not in ("qIK.csv", "test_freebvh.bvh")))

    def test_inverse_dynamics(self):
        data = SOURCE / "tests/motion_files/data"
        result = self.valid("id", data / "arm26.osim", data / "arm26_InverseKinematics.mot", "--filter", "6")
        self.assertEqual([c["unit"] for c in result["coordinates"]], ["N m", "N m"])

    def test_verification(self):
        result = json.loads(self.run_cli("verify", "--json").stdout)
        self.assertEqual(SCHEMA.errors(result), [])

    def test_finds_what_is_wrong(self):
        good = self.valid("fit", EXAMPLES / "lotka_volterra/problem.xml")

        def error(change):
            bad = copy.deepcopy(good)
            change(bad)
            errors = SCHEMA.errors(bad)
            self.assertNotEqual(errors, [])
            return errors[0]

        self.assertIn("objective is missing", error(lambda r: r.pop("objective")))
        self.assertIn("surprise is not described", error(lambda r: r.update(surprise=1)))
        self.assertIn("$.iterations: 3.5 is not of type integer", error(lambda r: r.update(iterations=3.5)))
        self.assertIn("$.parameters[0].value", error(lambda r: r["parameters"][0].update(value="two")))
        self.assertIn("$.parameters[0].ci95: fewer than 2", error(lambda r: r["parameters"][0].update(ci95=[1])))
        self.assertIn("$.partial", error(lambda r: r.update(partial=0)))
        self.assertIn("$.format", error(lambda r: r.update(format=2)))
        good.pop("format")  # version 0.1.0
        self.assertEqual(SCHEMA.errors(good), [])

    def test_a_keyword_that_is_not_checked_is_an_error(self):
        with self.assertRaises(ValueError):
            Schema({"multipleOf": 2}).errors(4)


if __name__ == "__main__":
    unittest.main()
