#!/usr/bin/env python3
"""How time and memory grow with the size of a task: a table, with the exponent between one size and the next.

    bench/scale.py [--build build/release] [--most SECONDS] [TASK...]

Tasks: bodies (check a chain), motion (simulate it), parameters, experiments, intervals, data (fits of two iterations).
CPU seconds of the process and its children, so that a busy machine matters little; a task stops growing after --most."""

import argparse
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
DECAY = """<ode> <parameter id="k" initial="0.5" lower="0"/> <parameter id="a" initial="1"/>
  <state id="x" initial="1"/> <derivative of="x"> -k*x </derivative> </ode>"""


def chain(n, one_line):
    parts = []
    for i in range(n):
        parts.append(f'<body id="B{i}" mass="1" center_of_mass="0.05 0 0" moment_of_inertia="0.001 0.001 0.001"><position o="{0.1 * i:.1f} 0 0"/></body>')
        begin = f'id="B{i - 1}" o="0.1 0 0"' if i else 'id="Inertial"'
        parts.append(f'<joint key="Revolute" id="J{i}"><begin {begin} z="0 1 0"/><end id="B{i}" z="0 1 0"/></joint>')
    separator = " " if one_line else "\n"
    return f'<model id="c">{separator}<simulation until="0.001" step="0.001"><output> B0.com.z </output></simulation>{separator.join(parts)}' \
           '<force key="Gravitation" id="G" g="-9.81"/></model>'


def table(n, k, begin=0.01, end=5.0):
    chance = random.Random(n)
    times = [begin + (end - begin) * i / max(1, n - 1) for i in range(n)]
    return "t,x\n" + "".join(f"{t:.9g},{math.exp(-k * t) + chance.gauss(0, 0.01):.6f}\n" for t in times)


def write(folder, name, text):
    (folder / name).write_text(text)


def bodies(folder, n):
    write(folder, "m.xml", chain(n, one_line=True))
    return ["check", "m.xml"]


def motion(folder, n):
    write(folder, "m.xml", chain(n, one_line=False))
    return ["simulate", "m.xml", "--max-steps", "5", "--out", "r"]


def parameters(folder, n):
    """n amplitudes, each seen at three times of its own column."""
    states = "".join(f'<state id="x{i}" initial="1" derivative="-k{i}*x{i}"/>' for i in range(n))
    write(folder, "m.xml", "<ode>" + "".join(f'<parameter id="k{i}" initial="0.5" lower="0"/>' for i in range(n)) + states + "</ode>")
    rows = [",".join([repr(t)] + [f"{math.exp(-0.6 * t) + 0.001 * (i % 3):.6f}" for i in range(n)]) for t in (0.5, 1.0, 2.0)]
    write(folder, "d.csv", "t," + ",".join(f"x{i}" for i in range(n)) + "\n" + "\n".join(rows) + "\n")
    write(folder, "p.xml", "<problem>" + "".join(f'<estimate parameter="k{i}"/>' for i in range(n))
          + '<experiment id="e" model="m.xml" data="d.csv">'
          + "".join(f'<observe column="x{i}" quantity="x{i}" sigma="0.01"/>' for i in range(n)) + "</experiment></problem>")
    return ["fit", "p.xml", "--max-iterations", "2", "--out", "r"]


def experiments(folder, n):
    write(folder, "m.xml", DECAY)
    inside = table(5, 0.6)
    one = '<experiment id="e{}" model="m.xml"><table> ' + inside + '</table><observe column="x" quantity="x" sigma="0.01"/></experiment>'
    write(folder, "p.xml", '<problem><estimate parameter="k"/>' + "".join(one.format(i) for i in range(n)) + "</problem>")
    return ["fit", "p.xml", "--max-iterations", "2", "--out", "r"]


def intervals(folder, n):
    write(folder, "m.xml", DECAY)
    write(folder, "d.csv", table(50, 0.6))
    write(folder, "p.xml", '<problem><estimate parameter="k"/><experiment id="e" model="m.xml" data="d.csv"><observe column="x" quantity="x" sigma="0.01"/>'
          f'<grid intervals="{n}"/></experiment></problem>')
    return ["fit", "p.xml", "--max-iterations", "2", "--out", "r"]


def data(folder, n):
    write(folder, "m.xml", DECAY)
    write(folder, "d.csv", table(n, 0.6))
    write(folder, "p.xml", '<problem><estimate parameter="k"/><experiment id="e" model="m.xml" data="d.csv"><observe column="x" quantity="x" sigma="0.01"/>'
          "</experiment></problem>")
    return ["fit", "p.xml", "--max-iterations", "2", "--out", "r"]


TASKS = {bodies: (1250, 2500, 5000, 10000, 20000), motion: (1250, 2500, 5000, 10000, 20000), parameters: (60, 125, 250, 500, 1000),
         experiments: (600, 1250, 2500, 5000, 10000), intervals: (125, 250, 500, 1000, 2000), data: (62500, 125000, 250000, 500000, 1000000)}


def measure(parfait, arguments, folder):
    """CPU seconds and megabytes."""
    process = subprocess.Popen([parfait, *arguments], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if code not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit code {code}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--most", type=float, default=60)
    options = parser.parse_args()
    parfait = options.build.resolve() / "apps/parfait/parfait"
    print(f"| {'task':<11} | {'n':>8} | {'CPU s':>8} | {'MB':>7} | time ~ n^ | memory ~ n^ |")
    print("|---|---|---|---|---|---|")
    for task, sizes in TASKS.items():
        if options.tasks and task.__name__ not in options.tasks:
            continue
        last = None
        for n in sizes:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                seconds, megabytes = measure(parfait, task(folder, n), folder)
            growth = ("", "")
            if last:
                ratio = math.log(n / last[0])
                growth = tuple(f"{math.log(max(b, 1e-9) / max(a, 1e-9)) / ratio:.1f}" for a, b in ((last[1], seconds), (last[2], megabytes)))
            print(f"| {task.__name__:<11} | {n:>8} | {seconds:>8.2f} | {megabytes:>7.0f} | {growth[0]:>9} | {growth[1]:>11} |", flush=True)
            last = (n, seconds, megabytes)
            if seconds > options.most:
                break


if __name__ == "__main__":
    main()
