#!/usr/bin/env python3
"""What a loop of small simulations costs from Python, beside the same loop in C++ through `run`.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_loop.py build/bench/bench/bench_loop [TIMES]

A pendulum, 1 s in 101 rows, the model read once. CPU seconds, in turns, so that a busy machine slows both alike; both loops
must see the same last values. Exit code 1 if they do not."""

import pathlib
import subprocess
import sys
import time

import parfait as pf

MODEL = pathlib.Path(__file__).resolve().parents[1] / "examples" / "pendulum" / "pendulum.xml"
UNTIL, STEP, TURNS = 1, 0.01, 10


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    model = pf.Model.from_xml(MODEL)
    first = next(iter(model.simulate(until=UNTIL, step=STEP)))
    cpp = python = 0.0
    for _ in range(TURNS):
        seconds, expected = map(float, subprocess.run([program, MODEL, str(times // TURNS), str(UNTIL), str(STEP)],
                                                      capture_output=True, text=True, check=True).stdout.split())
        cpp += seconds
        begun, found = time.process_time(), 0.0
        for _ in range(times // TURNS):
            found += float(model.simulate(until=UNTIL, step=STEP)[first][-1])
        python += time.process_time() - begun
        if found != expected:
            sys.exit(f"the sums of the last values differ: {found!r} from Python, {expected!r} from C++")
    print(f"{times} simulations: {cpp:.2f} CPU s in C++, {python:.2f} from Python: {python / cpp:.3f} times as much")


if __name__ == "__main__":
    main()
