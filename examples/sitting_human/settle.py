#!/usr/bin/env python3
"""Makes sitting_human.xml: human, seat, and the posture at rest.

    settle.py [PARFAIT]

The human sinks into the seat for five seconds without excitation; from there `parfait modes` finds the equilibrium.
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
PARFAIT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/apps/parfait/parfait")


def run(*words): subprocess.run(words, check=True)


def build(out, *settled): run(sys.executable, os.path.join(HERE, "build_model.py"), "human.xml", out, *settled)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(PARFAIT, "--quiet", "human", "--sex", "male", "--height", "1.741", "--mass", "73", "--posture", "sitting", "--recline", "12", "--out", "human.xml")
        build("drawn.xml")
        bodies = [body.get("id") for body in ET.parse("drawn.xml").getroot().findall("body")]
        frames = [f"{body}.{part}.{k}" for body in bodies for part in ("origin", "e1", "e2", "e3") for k in "xyz"]
        run(PARFAIT, "--quiet", "simulate", "drawn.xml", "--set", "amplitude=0", "--until", "5", "--step", "0.5", "--observe", ",".join(frames),
            "--out", "sunk")
        build("sunk.xml", "sunk/trajectory.csv")
        run(PARFAIT, "modes", "sunk.xml", "--out", "settled")
        build(os.path.join(HERE, "sitting_human.xml"), "settled/equilibrium.csv")


main()
