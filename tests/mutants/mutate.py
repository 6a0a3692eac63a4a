#!/usr/bin/env python3
"""Plants the defects of this folder, one at a time, in a scratch copy of the sources: a test must notice each.

    tests/mutants/mutate.py [--minutes 60] [--build DIR] [--check] [NAME...]

A patch begins with a sentence that says what is wrong with it. The programs that test its room are built and run
first, then everything; the first test that fails catches it. A patch that no longer applies is an error: the code it
was about has changed, and it must be written again; one that does not compile says nothing about the tests and counts
as a survivor. --check only looks whether all apply. Exit code 0: all were caught; 1: some survived, or the time was
up; 2: a patch does not apply."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
# The test program of each room, where it differs from <room>_test.
PROGRAMS = {"base": "foundation_test", "math": "foundation_test", "expr": "foundation_test", "dynamics": "foundation_test",
            "mechanism": "mbs_test", "mbs": "mbs_test", "io": "estimate_test", "result": "estimate_test", "motion": "run_test"}
# Tests of the tool that are closer to a room than the rest.
COMMANDS = {"run": ("run_folder", "interrupt", "simulate", "fit"), "io": ("faults", "run_folder"), "integrate": ("events",)}
EVERYTHING = ("foundation_test", "mbs_test", "tree_test", "integrate_test", "estimate_test", "report_test", "run_test")


def run(command, timeout, **options):
    """(whether it went well, what it said, whether it took too long)"""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, **options)
        return done.returncode == 0, done.stdout + done.stderr, False
    except subprocess.TimeoutExpired:
        return False, "", True


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        text = path.read_text()
        self.why = text.split("\n", 1)[0]
        self.file = re.search(r"^\+\+\+ b/(\S+)", text, re.M).group(1)
        self.room = self.file.split("/")[2]

    def apply(self, folder, check=False, back=False):
        arguments = ["patch", "-p1", "-s", "-f", "--no-backup-if-mismatch", "-r", "-", "-i", str(self.path)]
        return subprocess.run(arguments + ["--dry-run"] * check + ["-R"] * back, cwd=folder, capture_output=True).returncode == 0


def copy_sources(target):
    """Only what differs, so that times of files stay and the next build is short."""
    target.mkdir(parents=True, exist_ok=True)
    for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=SOURCE, capture_output=True,
                               text=True, check=True).stdout.splitlines():
        source, copy = SOURCE / name, target / name
        if not source.is_file():
            continue
        if copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)  # with the time of now: what was built since the change is older than it


class Bench:
    def __init__(self, folder):
        self.source, self.build = folder / "source", folder / "build"
        copy_sources(self.source)
        ok, text, _ = run(["cmake", "-S", str(self.source), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPARFAIT_UNITY=OFF"], 600)
        if not ok:
            sys.exit(text)
        print("building the scratch copy", flush=True)
        self.must_build(*EVERYTHING, "parfait", "cli_fault_injection", "cli_test_plugin")

    def must_build(self, *targets):
        ok, text, _ = self.make(*targets)
        if not ok:
            sys.exit(text)

    def make(self, *targets):
        return run(["cmake", "--build", str(self.build), "--target", *targets], 3600)

    def program(self, name):
        found = [p for p in self.build.rglob(name) if p.is_file()]
        return str(found[0])

    def notices(self, mutant):
        """The first test that fails, or None."""
        own = PROGRAMS.get(mutant.room, f"{mutant.room}_test")
        for program in [own] + [p for p in EVERYTHING if p != own]:
            ok, text, _ = self.make(program)
            if not ok:
                sys.stderr.write(text[-2000:])
                return None
            ok, text, late = run([self.program(program), "--gtest_fail_fast", "--gtest_brief=1"], 600)
            if late:
                return f"{program} takes too long"
            if not ok:
                failed = re.search(r"\[  FAILED  \] ([\w/.]+)", text)
                return failed.group(1) if failed else f"{program} crashes"
            if program == own:
                caught = self.commands(mutant, COMMANDS.get(mutant.room, ()))
                if caught:
                    return caught
        return self.commands(mutant, ("",))

    def commands(self, mutant, names):
        if not names:
            return None
        ok, text, _ = self.make("parfait")
        if not ok:
            sys.stderr.write(text[-2000:])
            return None
        for name in names:
            ok, text, late = run(["ctest", "--test-dir", str(self.build), "-R", f"^cli\\.{name}", "--stop-on-failure"], 1200)
            if late:
                return f"cli.{name} takes too long"
            if not ok:
                failed = re.search(r"Test +#\d+: (\S+) .*\*\*\*", text)
                return failed.group(1) if failed else f"cli.{name}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/mutants")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    mutants = [Mutant(path) for path in sorted(HERE.glob("*.patch"))]
    stale = [m.name for m in mutants if not m.apply(SOURCE, check=True)]
    if stale:
        print("no longer apply:", ", ".join(stale))
        return 2
    if options.check:
        print(len(mutants), "patches apply")
        return 0
    if options.names:
        mutants = [m for m in mutants if m.name in options.names]
    bench = Bench(options.build)
    begin = time.monotonic()
    survivors, done = [], 0
    print(f"{'mutant':<42}{'room':<11}{'seconds':>8}  noticed by")
    for mutant in mutants:
        if time.monotonic() - begin > 60 * options.minutes:
            break
        start = time.monotonic()
        mutant.apply(bench.source)
        try:
            noticed = bench.notices(mutant)
        finally:
            mutant.apply(bench.source, back=True)
        done += 1
        print(f"{mutant.name:<42}{mutant.room:<11}{time.monotonic() - start:8.1f}  {noticed or 'NOBODY: ' + mutant.why}", flush=True)
        if not noticed:
            survivors.append(mutant.name)
    print(f"{done} of {len(mutants)} mutants tried in {(time.monotonic() - begin) / 60:.1f} minutes, {len(survivors)} survived")
    return 0 if done == len(mutants) and not survivors else 1


if __name__ == "__main__":
    sys.exit(main())
