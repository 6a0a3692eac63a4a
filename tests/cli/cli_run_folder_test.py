#!/usr/bin/env python3
"""The run folder: nothing of somebody else is touched, and whatever happens the old or the new result is there."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from cli import PARFAIT, CliTest

FAULTS = os.environ["PARFAIT_FAULT_INJECTION"]
MODEL = """<ode> <state id="x" initial="1"/> <parameter id="k" initial="1"/> <derivative of="x"> -k*x </derivative>
  <simulation until="1" step="0.25"/> </ode>"""
SLOW = """<ode> <state id="x" initial="1"/> <derivative of="x"> cos(t) </derivative> <simulation until="1e9" step="1e8"/> </ode>"""


def complete(folder):
    """The value of k in a result whose listed files are all there and agree with each other."""
    result = json.loads((folder / "result.json").read_text())
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert found == result["outputs"], (found, result["outputs"])
    k = result["parameters"]["k"]
    rows = (folder / "trajectory.csv").read_text().split()
    assert len(rows) == 6, rows
    assert abs(float(rows[-1].split(",")[1]) - 2.718281828459045 ** -k) < 1e-7, rows
    assert (folder / "report.html").read_text().rstrip().endswith("</html>")
    return k


class Ownership(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("m.xml", MODEL)

    def simulate(self, out, *options, code=0):
        return self.run_cli("simulate", self.model, "--out", out, *options, code=code)

    def refused(self, out, *words):
        before = {path: path.is_file() and path.read_bytes() for path in self.folder.rglob("*")}
        message = self.error_of("simulate", self.model, "--out", out)
        self.assertEqual({path: path.is_file() and path.read_bytes() for path in self.folder.rglob("*")}, before)
        for word in words:
            self.assertIn(word, message)

    def test_a_result_is_replaced_by_the_next_and_nothing_else_is_left(self):
        self.simulate("r")
        self.simulate("r", "--set", "k=2")
        self.assertEqual(complete(self.folder / "r"), 2)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.xml", "r"])

    def test_a_file_of_the_user_in_a_result_folder_is_never_touched(self):
        self.simulate("r")
        (self.folder / "r" / "notes.txt").write_text("mine")
        self.refused("r", '"notes.txt"', "not part of the result")

    def test_the_user_model_and_data_in_the_result_folder_are_never_touched(self):
        self.simulate("r")
        shutil.copy(self.model, self.folder / "r" / "m.xml")
        self.refused("r", '"m.xml"')

    def test_folders_and_links_of_the_user_are_never_touched(self):
        self.simulate("r")
        (self.folder / "r" / "plots").mkdir()
        self.refused("r", '"plots"')
        (self.folder / "r" / "plots").rmdir()
        (self.folder / "r" / "steps.csv").unlink()
        (self.folder / "r" / "steps.csv").symlink_to(self.model)
        self.refused("r", '"steps.csv"')

    def test_results_without_a_list_of_files_have_documented_names(self):
        self.simulate("r")
        path = self.folder / "r" / "result.json"
        result = json.loads(path.read_text())
        del result["outputs"]
        path.write_text(json.dumps(result))
        (self.folder / "r" / "data.csv").write_text("t,x\n")
        self.refused("r", '"data.csv"')
        (self.folder / "r" / "data.csv").unlink()
        self.simulate("r", "--set", "k=2")
        self.assertEqual(complete(self.folder / "r"), 2)

    def test_a_list_that_lies_removes_nothing_elsewhere(self):
        self.simulate("r")
        victim = self.write("victim.txt", "mine")
        path = self.folder / "r" / "result.json"
        result = json.loads(path.read_text())
        result["outputs"] += ["../victim.txt", str(victim), 7]
        path.write_text(json.dumps(result))
        self.run_cli("simulate", self.model, "--out", "r")
        self.assertEqual(victim.read_text(), "mine")

    def test_hostile_result_files_make_no_result_folder(self):
        (self.folder / "r").mkdir()
        for text in ("", "{", "[" * 100_000, '{"program": "parfait"', '{"program": ["parfait"]}', "\0\xff", "null"):
            (self.folder / "r" / "result.json").write_text(text)
            self.refused("r", "no result.json of parfait")

    def test_the_current_folder_is_not_replaced(self):
        (self.folder / "here").mkdir()
        done = subprocess.run([PARFAIT, "simulate", "../m.xml", "--out", "."], cwd=self.folder / "here", capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the folder you are in", done.stderr)
        self.assertEqual(list((self.folder / "here").iterdir()), [])

    def test_a_link_to_a_result_folder_stays_a_link(self):
        self.simulate("real")
        (self.folder / "link").symlink_to("real")
        self.simulate("link", "--set", "k=3")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(complete(self.folder / "real"), 3)

    def test_folders_above_go_again_when_nothing_comes_of_it(self):
        bad = self.write("bad.xml", MODEL.replace('initial="1"', 'initial="1e400"', 1))
        self.error_of("simulate", bad, "--out", "deep/below/r")

    def test_a_file_that_appears_during_the_run_is_kept_and_so_is_the_result(self):
        slow = self.write("slow.xml", SLOW)
        (self.folder / "r").mkdir()
        for _ in range(20):
            run = subprocess.Popen([PARFAIT, "simulate", slow, "--out", "r", "--max-steps", "2000000000"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for(self.folder / ".r.lock")
            (self.folder / "r" / "notes.txt").write_text("mine")
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=60)
            if run.returncode != 2:
                break
            # On a busy machine it comes before the folder is looked at, which then refuses it: once more.
            self.assertIn("is not replaced", err)
            (self.folder / "r" / "notes.txt").unlink()
        self.assertEqual(run.returncode, 1, out + err)
        self.assertEqual((self.folder / "r" / "notes.txt").read_text(), "mine")
        self.assertEqual(self.result("r-2")["status"], "interrupted")
        self.assertIn("r-2", err)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.xml", "r", "r-2", "slow.xml"])

    def wait_for(self, path):
        deadline = time.monotonic() + 30
        while not path.exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_of_two_runs_into_one_folder_the_second_is_refused_before_it_computes(self):
        slow = self.write("slow.xml", SLOW)
        first = subprocess.Popen([PARFAIT, "simulate", slow, "--out", "r", "--max-steps", "2000000000"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.wait_for(self.folder / ".r.lock")
        done = self.run_cli("simulate", self.model, "--out", "r", code=2)
        self.assertIn("another run of parfait is writing there", done.stderr)
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)
        self.assertEqual(first.returncode, 1)
        self.assertEqual(self.result("r")["status"], "interrupted")
        self.simulate("r")  # and now it may
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.xml", "r", "slow.xml"])

    def test_many_runs_at_once_leave_one_whole_result_and_nothing_else(self):
        runs = [subprocess.Popen([PARFAIT, "simulate", self.model, "--out", "r", "--set", f"k={k}"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for k in range(1, 9)]
        codes = {}
        for k, run in enumerate(runs, 1):
            _, err = run.communicate(timeout=120)
            codes[k] = run.returncode
            if run.returncode:
                self.assertIn("another run", err)
        self.assertEqual(codes[complete(self.folder / "r")], 0)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.xml", "r"])


class Faults(CliTest):
    """Each operation on files that writing a result makes, killed or failing there."""

    def setUp(self):
        super().setUp()
        self.folder = self.folder.resolve()
        self.model = self.write("m.xml", MODEL)
        self.place = self.folder / "place"

    def run_with(self, k, code=None, **faults):
        # Sanitized builds want to come first; they are loaded by what is preloaded.
        preload = ":".join(filter(None, [os.environ.get("PARFAIT_SANITIZER"), FAULTS]))
        environment = dict(os.environ, LD_PRELOAD=preload, FAULT_ROOT=str(self.place), ASAN_OPTIONS="detect_leaks=0",
                           **{f"FAULT_{name.upper()}": str(value) for name, value in faults.items()})
        done = subprocess.run([PARFAIT, "simulate", self.model, "--out", "place/r", "--set", f"k={k}"], cwd=self.folder,
                              env=environment, capture_output=True, text=True)
        if code is not None:
            self.assertEqual(done.returncode, code, (faults, done.stdout, done.stderr))
        return done

    def prepare(self, has_old):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        if has_old:
            self.run_with(1, code=0)

    def operations(self, has_old, **faults):
        self.prepare(has_old)
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        self.run_with(2, code=0, log=log, **faults)
        return [line.split(" ", 2)[1] for line in log.read_text().splitlines()]

    def assert_clean(self):
        self.assertEqual(sorted(p.name for p in self.place.iterdir()), ["r"])

    def kill_everywhere(self, kind, has_old, allowed, **faults):
        operations = self.operations(has_old, **faults)
        self.assertGreater(len(operations), 12)
        seen = set()
        for at in range(1, len(operations) + 1):
            self.prepare(has_old)
            self.run_with(2, code=-signal.SIGKILL, kind=kind, at=at, **faults)
            state = complete(self.place / "r") if (self.place / "r").exists() else None
            self.assertIn(state, allowed, f"killed at operation {at}: {operations[at - 1]}")
            seen.add(state)
            # The next run recovers and leaves nothing of the dead one.
            self.run_with(3, code=0, **faults)
            self.assertEqual(complete(self.place / "r"), 3)
            self.assert_clean()
        return operations, seen

    def test_killed_at_any_step_the_old_or_the_new_result_is_there(self):
        operations, seen = self.kill_everywhere("kill", True, (1, 2))
        self.assertEqual(seen, {1, 2})
        self.assertEqual(operations.count("exchange"), 1)
        # Nothing of the old result goes before the new one is in its place.
        self.assertNotIn("unlink", operations[:operations.index("exchange")])

    def test_killed_in_the_middle_of_a_write(self):
        self.kill_everywhere("half", True, (1, 2))

    def test_killed_at_any_step_of_a_first_result(self):
        _, seen = self.kill_everywhere("kill", False, (None, 2))
        self.assertEqual(seen, {None, 2})

    def test_without_an_exchange_the_next_run_brings_the_old_result_back(self):
        operations, seen = self.kill_everywhere("kill", True, (None, 1, 2), no_exchange=1)
        self.assertIn(None, seen)  # between two renames
        at = operations.index("rename") + 2
        self.prepare(True)
        self.run_with(2, code=-signal.SIGKILL, kind="kill", at=at, no_exchange=1)
        self.assertFalse((self.place / "r").exists())
        # A run that is refused has recovered it, too: here by a file that cannot be replaced.
        hidden = next(p for p in self.place.iterdir() if p.name.startswith(".r.old-"))
        (hidden / "notes.txt").write_text("mine")
        done = self.run_with(3, code=2)
        self.assertIn('"notes.txt"', done.stderr)
        (self.place / "r" / "notes.txt").unlink()
        self.assertEqual(complete(self.place / "r"), 1)

    def test_a_full_disk_costs_neither_the_old_result_nor_the_numbers(self):
        operations = self.operations(True)
        for at in range(1, operations.index("exchange") + 1):
            self.prepare(True)
            done = self.run_with(2, kind="full", at=at)
            self.assertEqual(done.returncode, 1, (at, operations[at - 1], done.stdout, done.stderr))
            self.assertIn("No space left on device", done.stderr)
            self.assertIn("not saved", done.stderr)
            self.assertIn("finished at t = 1 s", done.stdout)  # what was found is still told
            self.assertNotIn("results in", done.stdout)
            self.assertEqual(complete(self.place / "r"), 1)
            self.assert_clean()


if __name__ == "__main__":
    unittest.main()
