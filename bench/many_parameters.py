#!/usr/bin/env python3
"""Fits with many parameters: Gauss-Newton beside its steps by products (fit --method lsmr) and L-BFGS. A chain of n masses, each spring
with a stiffness of its own and a prior; seen are all masses, or the last alone, whose motion says little about most springs. CPU seconds
of each fit on one thread.

  many_parameters.py PARFAIT [N ...]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def model(n):
    lines = ["<ode>"] + [f'<parameter id="k{i}" initial="100"/>' for i in range(1, n + 1)]
    for i in range(1, n + 1):
        pull = f"-k{i}*(x{i} - {'0' if i == 1 else f'x{i-1}'})" + (f" + k{i+1}*(x{i+1} - x{i})" if i < n else " + sin(3*t)")
        lines.append(f'<state id="x{i}" initial="0"/> <state id="v{i}" initial="0"/>'
                     f'<derivative of="x{i}"> v{i} </derivative> <derivative of="v{i}"> {pull} - 0.2*v{i} </derivative>')
    return "\n".join(lines) + "</ode>"


def problem(n, seen):
    estimates = "\n".join(f'<estimate parameter="k{i}" initial="100" true="{100 + 10 * ((7 * i) % 5 - 2)}" prior="100" sigma="20"/>'
                          for i in range(1, n + 1))
    observed = " ".join(f'<observe column="x{i}" quantity="x{i}" sigma="1e-3"/>' for i in seen)
    return f"""<problem> {estimates} <experiment id="e" model="model.xml" data="e.csv"> <samples from="0.2" to="10" count="50"/>
      {observed} </experiment> <options sigma="known"/> </problem>"""


def run(folder, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PARFAIT, *arguments], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return after.ru_utime - before.ru_utime


def main():
    print("| springs | seen | method | CPU s | iterations | objective |\n|---|---|---|---|---|---|")
    for n in [int(a) for a in sys.argv[2:]] or [20, 50, 100]:
        for seen in (range(1, n + 1), [n]):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / "model.xml").write_text(model(n))
                (folder / "problem.xml").write_text(problem(n, seen))
                run(folder, "synthesize", "problem.xml", "--out", "made", "--quiet")
                for method in ("", "lsmr", "lbfgs"):
                    own = ["--method", method] if method else []
                    seconds = run(folder, "fit", "made/problem.xml", *own, "--threads", "1", "--out", "f", "--quiet")
                    r = json.loads((folder / "f/result.json").read_text())
                    steps = r["iterations"] if "iterations" in r else len(r["history"]) - 1
                    objective = r["objective"] if not method else 2 * r["objective"]
                    print(f"| {n} | {'all' if len(seen) > 1 else 'last'} | {method or 'Gauss-Newton'} | {seconds:.2f} | {steps} | {objective:.6g} |", flush=True)


PARFAIT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
if __name__ == "__main__":
    main()
