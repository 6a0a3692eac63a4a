"""Runs the command line tool as a person would, in an empty folder."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PARFAIT = os.environ["PARFAIT"]
SOURCE = pathlib.Path(os.environ["PARFAIT_SOURCE"])
PLUGIN = os.environ["PARFAIT_TEST_PLUGIN"]
DOUBLE_PENDULUM = SOURCE / "examples/double_pendulum/double_pendulum.xml"
SIX_BAR = SOURCE / "examples/six_bar/six_bar.xml"


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_cli(self, *arguments, code=0):
        """`code`: the exit code it must have; None: any."""
        done = subprocess.run([PARFAIT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def error_of(self, *arguments):
        """The message of a bad input: exit code 2, nothing on standard output, nothing written."""
        before = sorted(self.folder.rglob("*"))
        done = self.run_cli(*arguments, code=2)
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return done.stderr

    def result(self, folder):
        return json.loads((self.folder / folder / "result.json").read_text())

    def trajectory(self, folder):
        with open(self.folder / folder / "trajectory.csv", newline="") as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path
