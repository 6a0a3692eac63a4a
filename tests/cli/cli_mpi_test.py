#!/usr/bin/env python3
"""mpirun -n N parfait fit: the experiments are shared, the numbers are those of one process."""
import os
import shutil
import subprocess
import unittest

from cli import PARFAIT, CliTest
from fit_problem import MODEL, problem

MPIRUN = shutil.which("mpirun")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1",
                   ASAN_OPTIONS="detect_leaks=0")  # for sanitized builds: Open MPI keeps what it has


@unittest.skipUnless(MPIRUN, "there is no mpirun")
class Mpi(CliTest):
    def setUp(self):
        super().setUp()
        self.write("model.xml", MODEL)
        self.write("problem.xml", problem([0.5, 2, 1, 0.2, 3]))
        self.run_cli("synthesize", "problem.xml", "--seed", "2")

    def run_team(self, size, *arguments, code=0):
        done = subprocess.run([MPIRUN, "--oversubscribe", "-n", str(size), PARFAIT, *map(str, arguments)],
                              cwd=self.folder, capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_two_and_three_processes_give_the_bytes_of_one(self):
        alone = self.run_cli("fit", "problem.xml", "--out", "r1", "--certify", "--threads", "1")
        for size in (2, 3):
            out = f"r{size}"
            done = self.run_team(size, "fit", "problem.xml", "--out", out, "--certify", "--threads", "1")
            for name in ("result.json", "parameters.csv", "residuals.csv", "covariance.csv", "trajectory.csv", "nodes.csv"):
                self.assertEqual((self.folder / "r1" / name).read_bytes(), (self.folder / out / name).read_bytes(), name)
            # One of them talks.
            self.assertEqual(done.stdout.count("degrees of freedom"), 1)
            self.assertEqual(done.stdout.count("iter "), alone.stdout.count("iter "))
        # The work was shared, and adds up.
        self.assertGreater(self.result("r3")["work"]["right_hand_sides"], 0)

    def test_more_processes_than_experiments(self):
        self.write("problem.xml", problem([0.5, 2]))
        self.run_cli("fit", "problem.xml", "--out", "r1")
        self.run_team(3, "fit", "problem.xml", "--out", "r3")
        self.assertEqual((self.folder / "r1/result.json").read_bytes(), (self.folder / "r3/result.json").read_bytes())

    def test_bad_input_is_told_once(self):
        done = self.run_team(2, "fit", "problem.xml", "--fix", "u", code=2)
        self.assertEqual(done.stderr.count("--fix u: is not an estimated parameter"), 1)
        self.assertFalse((self.folder / "run").exists())

    def test_an_experiment_that_fails_fails_for_all(self):
        # The third run grows without bound; its owner is the third process.
        self.write("model.xml", MODEL.replace("u - k*x", "u - k*x + max(u - 2.5, 0)*x^3"))
        alone = self.run_cli("fit", "problem.xml", "--out", "r1", "--quiet", code=1)
        self.run_team(3, "fit", "problem.xml", "--out", "r3", "--quiet", code=1)
        self.assertEqual(self.result("r1")["status"], "integration_failed")
        self.assertEqual((self.folder / "r1/result.json").read_bytes(), (self.folder / "r3/result.json").read_bytes())

    def test_a_process_that_fails_alone_does_not_leave_the_others_waiting(self):
        done = subprocess.run([MPIRUN, "--oversubscribe", "-n", "1", PARFAIT, "fit", "problem.xml", ":",
                               "-n", "1", PARFAIT, "fit", "nowhere.xml"],
                              cwd=self.folder, capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn('process 1: cannot read "nowhere.xml"', done.stderr)
        self.assertFalse((self.folder / "run").exists())

    def test_other_commands_do_not_mind(self):
        done = self.run_team(2, "check", "model.xml")
        self.assertEqual(done.stdout.count("is a model"), 2)


if __name__ == "__main__":
    unittest.main()
