#!/usr/bin/env python3
"""Random models through simulate, synthesize, fit and report for a given time, with laws that must hold:

- every run ends with exit code 0 or 1, and 1 only with a result that is marked partial;
- the energy of a conservative model stays, and its constraints hold;
- the same run twice, with one thread and with two, leaves the same bytes (timing.json apart);
- a fit that converged is not worse than its start, and a report is made of it again.

    tests/soak/soak.py [--minutes 10] [--seed 0] [--build build/release]

Prints a line a minute, and for a broken law the folder that shows it, which is kept. Exit code 1 if there was one."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROBLEM = """<problem> <estimate parameter="soak" true="{truth}" initial="{start}"/>
  <experiment id="e" model="m.xml" data="d.csv"> {observe} <samples from="0.05" to="0.5" count="10"/> </experiment> </problem>"""


class Broken(Exception):
    pass


class Soak:
    def __init__(self, build):
        self.parfait = build / "apps/parfait/parfait"
        self.models = next(p for p in build.rglob("soak_models") if p.is_file())
        self.count = {"models": 0, "simulated": 0, "failed": 0, "fitted": 0, "not converged": 0}

    def run(self, folder, *arguments, codes=(0, 1)):
        done = subprocess.run([self.parfait, *arguments], cwd=folder, capture_output=True, text=True, timeout=600)
        if done.returncode not in codes:
            raise Broken(f"parfait {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    @staticmethod
    def bytes_of(folder):
        return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "timing.json"}

    def twice(self, folder, *arguments, threads=False):
        """The result, the same both times."""
        for i in (1, 2):
            self.run(folder, *arguments, "--out", f"r{i}", *(("--threads", str(i)) if threads else ()))
        if self.bytes_of(folder / "r1") != self.bytes_of(folder / "r2"):
            raise Broken(f"parfait {arguments[0]}: two runs differ")
        result = json.loads((folder / "r1/result.json").read_text())
        if result["partial"] != (result["status"] not in ("finished", "converged", "terminated")):
            raise Broken(f"status {result['status']} and partial {result['partial']}")
        return result

    def model(self, seed, folder):
        kind = subprocess.run([self.models, str(seed), folder / "m.xml"], capture_output=True, text=True, check=True).stdout.strip()
        self.count["models"] += 1
        result = self.twice(folder, "simulate", "m.xml", "--until", "0.5", "--step", "0.05")
        if result["status"] != "finished":
            self.count["failed"] += 1
            return
        self.count["simulated"] += 1
        drift = result["drift"]
        if kind == "conservative" and drift.get("energy_relative", 0) > 1e-5:
            raise Broken(f"energy changed by {drift['energy_relative']:.1e}")
        if drift.get("constraints", 0) > 1e-9:
            raise Broken(f"constraints are off by {drift['constraints']:.1e}")
        self.fit(folder)

    def fit(self, folder):
        text = (folder / "m.xml").read_text()
        mass = re.search(r'<body id="(\w+)"[^>]* mass="([^"]+)"', text)
        if not mass:
            return
        body, value = mass.group(1), float(mass.group(2))
        (folder / "m.xml").write_text(text.replace("</model>", f'  <parameter id="soak" drives="{body}.mass"/>\n</model>'))
        observe = "".join(f'<observe column="{c}" quantity="{body}.com.{c}" sigma="0.001"/>' for c in "xyz")
        (folder / "p.xml").write_text(PROBLEM.format(truth=value, start=1.05 * value, observe=observe))
        if self.run(folder, "synthesize", "p.xml", codes=(0, 2)).returncode:
            return  # a mass that moves nothing
        shutil.rmtree(folder / "r1"), shutil.rmtree(folder / "r2")
        result = self.twice(folder, "fit", "p.xml", threads=True)
        self.count["fitted" if result["status"] == "converged" else "not converged"] += 1
        history = result["history"]
        if result["status"] == "converged" and history[-1]["objective"] > history[0]["objective"] * (1 + 1e-9) + 1e-12:
            raise Broken("a fit that converged is worse than its start")
        before = (folder / "r1/report.html").read_bytes()
        self.run(folder, "report", "r1", codes=(0,))
        if (folder / "r1/report.html").read_bytes() != before:
            raise Broken("a report made again differs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    options = parser.parse_args()
    soak, broken, seed = Soak(options.build.resolve()), 0, options.seed
    begin = said = time.monotonic()
    while time.monotonic() - begin < 60 * options.minutes:
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"parfait_soak_{seed}_"))
        try:
            soak.model(seed, folder)
            shutil.rmtree(folder)
        except (Broken, subprocess.SubprocessError) as error:
            broken += 1
            print(f"seed {seed}: {error}\n  kept in {folder}", flush=True)
        seed += 1
        if time.monotonic() - said >= 60 or time.monotonic() - begin >= 60 * options.minutes:
            said = time.monotonic()
            print(f"{(said - begin) / 60:5.1f} min  next seed {seed}  " + ", ".join(f"{n} {k}" for k, n in soak.count.items())
                  + f", {broken} broken", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
