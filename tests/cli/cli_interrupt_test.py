#!/usr/bin/env python3
"""Signals, closed pipes and full disks: what was found is kept and marked, and the exit code says that something is missing."""
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import pathlib

from cli import PARFAIT, SIX_BAR, SOURCE, CliTest

CASES = SOURCE / "tests/cases/went_wrong"
ENDLESS = """<ode> <state id="x" initial="1"/> <derivative of="x"> cos(t) </derivative> <simulation until="1e9" step="1e6"/> </ode>"""
# A fit whose every linearization takes a while.
MODEL = """<ode> <state id="x" initial="1"/> <state id="v" initial="0"/> <parameter id="k" initial="1"/> <parameter id="c" initial="0.01"/>
  <derivative of="x"> v </derivative> <derivative of="v"> -k*x - c*v </derivative> </ode>"""
PROBLEM = """<problem> <estimate parameter="k" initial="1.02"/> <estimate parameter="c" initial="0.011"/>
  <experiment id="e" model="m.xml" data="d.csv"> <observe column="x" quantity="x" sigma="0.01"/> </experiment>
  <options rtol="1e-13"/> </problem>"""


def fit_data():
    import math
    w = math.sqrt(1 - 0.005 ** 2)
    rows = [f"{t},{math.exp(-0.005 * t) * (math.cos(w * t) + 0.005 / w * math.sin(w * t)) + 0.01 * math.sin(7 * t)}"
            for t in range(1, 301)]
    return "t,x\n" + "\n".join(rows) + "\n"


class Signals(CliTest):
    def begin(self, *arguments, **options):
        return subprocess.Popen([PARFAIT, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def wait_for(self, path):
        deadline = time.monotonic() + 60
        while not path.exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def begin_endless(self, **options):
        self.write("m.xml", ENDLESS)
        run = self.begin("simulate", "m.xml", "--max-steps", "2000000000", "--out", "r", **options)
        self.wait_for(self.folder / ".r.lock")
        return run

    def test_each_signal_leaves_the_same_marked_result(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            run = self.begin_endless()
            time.sleep(0.3)
            run.send_signal(number)
            asked = time.monotonic()
            out, err = run.communicate(timeout=60)
            self.assertLess(time.monotonic() - asked, 5)  # 0.1 s on a machine that does nothing else
            self.assertEqual(run.returncode, 1, out + err)
            result = self.result("r")
            self.assertEqual(result["status"], "interrupted")
            self.assertTrue(result["partial"])
            self.assertEqual(len(self.trajectory("r")), int(result["t"] / 1e6) + 1)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.xml", "r"])

    def test_the_second_signal_ends_at_once(self):
        run = self.begin_endless()
        run.send_signal(signal.SIGSTOP)
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGCONT)
        run.communicate(timeout=60)
        self.assertIn(run.returncode, (-signal.SIGINT, -signal.SIGTERM))
        # What it left is in nobody's way.
        self.run_cli("simulate", "m.xml", "--until", "1", "--step", "1", "--out", "r")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.xml", "r"])

    def test_an_ignored_hangup_stays_ignored(self):
        run = self.begin_endless(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)

    def test_while_a_file_is_read_there_is_nothing_to_keep(self):
        self.write("m.xml", MODEL)
        self.write("p.xml", PROBLEM)
        os.mkfifo(self.folder / "d.csv")  # reading it does not end
        run = self.begin("fit", "p.xml", "--out", "r")
        pipe = os.open(self.folder / "d.csv", os.O_WRONLY)  # opens once the other side reads
        os.write(pipe, b"t,x\n1,1\n")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        os.close(pipe)
        self.assertEqual(run.returncode, 1, out + err)
        self.assertIn("nothing was written", err)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["d.csv", "m.xml", "p.xml"])

    def test_a_start_that_cannot_be_integrated_is_a_status_and_advice(self):
        for name in ("m.xml", "p.xml", "d.csv"):
            shutil.copy(CASES / "start_explodes" / name, self.folder)
        done = self.run_cli("fit", "p.xml", "--out", "r", code=1)
        result = self.result("r")
        self.assertEqual(result["status"], "integration_failed")
        self.assertTrue(result["partial"])
        self.assertIn('experiment "e": the trajectory at the first guess cannot be integrated', result["message"])
        self.assertRegex(result["message"], r"interval 1 of 4, which begins at t = 0: .*t = 1 s")
        self.assertIn("nodes=", result["message"])
        self.assertIn(result["message"], done.stdout)
        self.assertEqual(result["parameters"][0]["value"], 1)  # what is known: the first guess

    def test_a_start_that_is_interrupted(self):
        self.write("m.xml", """<ode> <state id="x" initial="1"/> <parameter id="k" initial="1"/>
          <derivative of="x"> k*cos(1000*t) </derivative> </ode>""")
        self.write("p.xml", """<problem> <estimate parameter="k"/> <options max_steps="2000000000"/>
          <experiment id="e" model="m.xml" data="d.csv"> <observe column="x" quantity="x" sigma="0.1"/> <grid intervals="2"/>
          </experiment> </problem>""")
        self.write("d.csv", "t,x\n1e9,1\n")
        run = self.begin("fit", "p.xml", "--out", "r")
        self.wait_for(self.folder / ".r.lock")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1, out + err)
        # A limit on the steps of a fit may come first.
        self.assertIn(self.result("r")["status"], ("interrupted", "integration_failed"))

    def test_random_moments_of_simulations_and_fits(self):
        """PARFAIT_INTERRUPTS=500 for a longer look."""
        count = int(os.environ.get("PARFAIT_INTERRUPTS", "30"))
        self.write("m.xml", MODEL)
        self.write("p.xml", PROBLEM)
        self.write("d.csv", fit_data())
        seen = {"nothing": 0, "interrupted": 0, "done": 0}
        chance = random.Random(4)
        kinds = {"fit": ("fit", "p.xml", "--profile", "k", "--out", "r"),
                 "simulate": ("simulate", SIX_BAR, "--until", "4", "--out", "r")}
        spans = {}
        for kind, arguments in kinds.items():
            begin = time.monotonic()
            self.run_cli(*arguments)
            spans[kind] = time.monotonic() - begin
        for i in range(count):
            kind = ("fit", "simulate")[i % 2]
            shutil.rmtree(self.folder / "r", ignore_errors=True)
            run = self.begin(*kinds[kind])
            time.sleep(chance.uniform(0, 1.1 * spans[kind]))
            run.send_signal(chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
            out, err = run.communicate(timeout=120)
            # Before main() a signal ends the program as it always does.
            self.assertIn(run.returncode, (0, 1, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP), out + err)
            self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [], out + err)
            if not (self.folder / "r").exists():
                self.assertNotEqual(run.returncode, 0)
                seen["nothing"] += 1
                continue
            result = self.result("r")
            files = sorted(str(p.relative_to(self.folder / "r")) for p in (self.folder / "r").rglob("*"))
            self.assertEqual(files, result["outputs"])
            if run.returncode == 0:
                self.assertFalse(result["partial"])
                seen["done"] += 1
            elif result["partial"]:
                self.assertEqual(result["status"], "interrupted")
                seen["interrupted"] += 1
            else:
                self.assertIn(run.returncode, (-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP))  # after everything was done
                seen["done"] += 1
        self.assertGreater(seen["interrupted"], 0, seen)
        if count > 30:
            print(seen)


class Output(CliTest):
    """Standard output that cannot be written costs no result, and the exit code is not 0."""

    def setUp(self):
        super().setUp()
        self.write("m.xml", MODEL)
        self.write("p.xml", PROBLEM)
        self.write("d.csv", fit_data())

    def complete(self, done_code, err, status):
        self.assertEqual(done_code, 1, err)
        self.assertIn("cannot write to standard output", err)
        self.assertEqual(self.result("r")["status"], status)
        self.assertTrue((self.folder / "r" / "report.html").exists())

    def test_a_reader_that_goes_away(self):
        for command, status in (("fit", "converged"), ("simulate", "finished")):
            read, write = os.pipe()
            os.close(read)
            file = "p.xml" if command == "fit" else "m.xml"
            done = subprocess.run([PARFAIT, command, file, "--out", "r"], cwd=self.folder, stdout=write, stderr=subprocess.PIPE, text=True)
            os.close(write)
            self.complete(done.returncode, done.stderr, status)
            shutil.rmtree(self.folder / "r")

    def test_a_full_disk(self):
        for options in ((), ("--json",)):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PARFAIT, "fit", "p.xml", "--out", "r", *options], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True)
            self.complete(done.returncode, done.stderr, "converged")

    def test_an_error_that_cannot_be_told_is_still_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PARFAIT, "fit", "nowhere.xml"], cwd=self.folder, stdout=full, stderr=full)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
