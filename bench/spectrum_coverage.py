#!/usr/bin/env python3
"""Do estimates from spectra scatter as the fit says? An oscillator with noise in its samples, seeds 1 ... n, each window and each
thing that is compared: the standard deviation over seeds beside the predicted one, which it should meet within 3/sqrt(2 n).

  spectrum_coverage.py PARFAIT [N = 200]
"""
import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = """<ode> <parameter id="w" initial="3"/> <parameter id="d" initial="0.1"/>
  <state id="x" initial="0"/> <state id="v" initial="0"/>
  <derivative of="x"> v </derivative> <derivative of="v"> -w^2*x - 2*d*v + cos(1.7*t + 0.08*t^2) </derivative> </ode>"""
PROBLEM = """<problem> <estimate parameter="w" initial="3" true="3"/> <estimate parameter="d" initial="0.1" true="0.1"/>
  <experiment id="e" model="model.xml" data="e.csv"> <samples from="0.05" to="20" count="400"/>
  <observe column="x" spectrum="x" from="0.2" to="0.8" window="{window}" of="{of}" sigma="0.02"/> </experiment>
  <options sigma="known"/> </problem>"""


def parfait(*arguments, cwd):
    done = subprocess.run([PARFAIT, *map(str, arguments), "--quiet"], cwd=cwd, capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def estimates(folder, seed):
    """(value, sd) of both parameters."""
    made, fitted = f"made_{seed}", f"fit_{seed}"
    parfait("synthesize", "problem.xml", "--seed", seed, "--out", made, cwd=folder)
    parfait("fit", f"{made}/problem.xml", "--out", fitted, "--threads", 1, cwd=folder)
    return [(p["value"], p["sd"]) for p in json.loads((folder / fitted / "result.json").read_text())["parameters"]]


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    allowed, worst = 3 / math.sqrt(2 * n), 0
    print(f"seeds 1 ... {n}: sd over seeds / predicted sd, to be 1 within {allowed:.3f}\n\n| window | compared | w | d |\n|---|---|---|---|")
    for window in ("none", "hanning", "flat_top"):
        for of in ("coefficients", "amplitude"):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / "model.xml").write_text(MODEL)
                (folder / "problem.xml").write_text(PROBLEM.format(window=window, of=of))
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    found = list(pool.map(lambda seed: estimates(folder, seed), range(1, n + 1)))
            ratios = []
            for i in range(2):
                values, predicted = [f[i][0] for f in found], statistics.median(f[i][1] for f in found)
                ratios.append(statistics.stdev(values) / predicted)
            worst = max([worst] + [abs(r - 1) for r in ratios])
            print(f"| {window} | {of} | {ratios[0]:.3f} | {ratios[1]:.3f} |", flush=True)
    print(f"\nlargest difference {worst:.3f}: {'within' if worst <= allowed else 'NOT within'} {allowed:.3f}")
    return 0 if worst <= allowed else 1


PARFAIT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
if __name__ == "__main__":
    sys.exit(main())
