#!/usr/bin/env python3
"""How long Ctrl-C takes from Python, at random moments of everything the module does.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/interrupts.py [--presses 20] [--only NAME] [--seed 1]

Each piece of work is done once to its end, to know how long it takes, and then again and again, each time with a signal at
a random moment. Shown are the longest and the median time from the signal to the exception, the processor's time of the
longest (a busy machine makes others wait for it), what the exception carried, and how often the work was done before."""

import argparse
import os
import pathlib
import random
import signal
import statistics
import struct
import tempfile
import threading
import time

import numpy as np

import parfait as pf

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
SUBJECT = EXAMPLES / "subject_calibration"
WALK = EXAMPLES / "gait_ik" / "walking1.trc"
PELVIS, THIGH = ["L.ASIS", "r.ASIS", "L.PSIS", "r.PSIS"], ["r_thigh1", "r_thigh2", "r_thigh3", "r_thigh4"]
PETAB = ROOT / "tests" / "estimation" / "data" / "petab" / "Weber_BMC2015" / "Weber_BMC2015.yaml"
FILES = ROOT / "tests" / "motion_files" / "data"


def long_csv(folder):
    """A problem with a table of a million rows."""
    file = folder / "long.csv"
    with open(file, "w", encoding="utf-8") as out:
        out.write("t,x\n")
        for i in range(1_000_000):
            out.write(f"{(i + 1) * 1e-5:.5f},{np.exp(-0.5e-5 * i):.9f}\n")
    m = pf.OdeBuilder("decay")
    m.parameter("k", 0.5)
    m.state("x", 2, "-k*x")
    m.build().save(folder / "decay.xml")
    (folder / "long.xml").write_text(
        '<problem><estimate parameter="k" initial="1"/><experiment id="long" model="decay.xml" data="long.csv">'
        '<observe column="x" quantity="x" sigma="0.01"/></experiment></problem>')
    return folder / "long.xml"


def large_model(folder, bodies=20_000):
    """Many bodies on springs."""
    file = folder / "large.xml"
    with open(file, "w", encoding="utf-8") as out:
        out.write("<model>\n")
        for i in range(bodies):
            out.write(f'<body id="B{i}" mass="1" moment_of_inertia="1 1 1"><position o="{i} 0 0"/></body>\n')
        out.write('<force key="Gravitation" id="Gravity" g="-9.81"/>\n</model>\n')
    return file


def long_c3d(folder, frames=60_000):
    """A trial of many minutes: the frames of a short one again and again."""
    raw = bytearray((FILES / "MACsample.c3d").read_bytes())
    order = "<" if raw[512 * (raw[0] - 1) + 3] != 86 else ">"
    points, per_frame = struct.unpack_from(order + "HH", raw, 2)
    first, last = struct.unpack_from(order + "HH", raw, 6)
    scale, begin = struct.unpack_from(order + "fH", raw, 12)
    size = (4 if scale < 0 else 2) * (4 * points + per_frame)
    data = 512 * (begin - 1)
    block = raw[data:data + size * (last - first + 1)]
    struct.pack_into(order + "HH", raw, 6, 1, frames)
    at = raw.find(b"FRAMES")
    struct.pack_into(order + "H", raw, at + 6 + 2 + 2, frames)
    file = folder / "long.c3d"
    file.write_bytes(raw[:data] + (block * (frames // (last - first + 1) + 1))[:size * frames])
    return file


def long_trc(folder, times=200):
    """A walk that takes very long."""
    lines = WALK.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.split("\t")[0].strip() == "1")
    rows = [line.split("\t", 2) for line in lines[head:] if line.strip()]
    rate = float(lines[2].split("\t")[0])
    words = lines[2].split("\t")
    words[2] = words[7] = str(times * len(rows))
    file = folder / "long.trc"
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join([*lines[:2], "\t".join(words), *lines[3:head]]) + "\n")
        for k in range(times * len(rows)):
            out.write(f"{k + 1}\t{k / rate:.5f}\t{rows[k % len(rows)][2]}\n")
    return file


def long_motion(folder, rows=200_000):
    """An arm that swings for long."""
    lines = (EXAMPLES / "urdf_arm" / "motion.mot").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.strip() == "endheader") + 2
    body = [line.split("\t", 1) for line in lines[head:] if line.strip()]
    step = float(body[1][0]) - float(body[0][0])
    period = 2 * len(body)
    file = folder / "long.mot"
    with open(file, "w", encoding="utf-8") as out:
        for line in lines[:head]:
            out.write((f"nRows={rows}" if line.startswith("nRows") else line) + "\n")
        for k in range(rows):
            at = k % period
            out.write(f"{k * step:.6f}\t{body[at if at < len(body) else period - 1 - at][1]}\n")
    return file


def people(folder, number=6):
    for k in range(number):
        (folder / f"subject{k}").mkdir(parents=True)
        (folder / f"subject{k}" / "walking.trc").write_bytes(WALK.read_bytes())
    return folder


def pieces(scratch):
    """Names and what they do."""
    subject = EXAMPLES / "gait_ik" / "subject.osim"
    trc, motion, problem, large = long_trc(scratch), long_motion(scratch), long_csv(scratch), large_model(scratch)
    c3d = long_c3d(scratch)
    crowd = people(scratch / "people")
    outs = iter(range(10**9))
    busy = pf.OdeBuilder("busy")
    busy.state("x", 1, "1e4*y")
    busy.state("y", 0, "-1e4*x")
    busy = busy.build()
    decay = pf.OdeBuilder("oscillator")
    decay.parameter("w", 3, lower=0.5, upper=9)
    decay.parameter("d", 0.2, lower=0, upper=2)
    decay.state("x", 1, "v")
    decay.state("v", 0, "-w^2*x - d*v")
    bounded = pf.Problem()
    bounded.estimate("w", initial=1, lower=0.5, upper=9, true=3)
    bounded.estimate("d", initial=1, lower=0, upper=2, true=0.2)
    bounded.experiment(decay.build(), samples=np.linspace(0.1, 20, 200), observe={"x": ("x", 0.01)})
    bounded = bounded.synthesize(seed=1)
    long_run = busy.simulate(until=10, step=1e-4, max_steps=10**9)
    saved = scratch / "saved"
    long_run.save(saved)
    work = {
        "simulate": lambda: busy.simulate(until=30, max_steps=10**9),
        "fit hexapod": lambda: pf.fit(EXAMPLES / "hexapod" / "problem.xml"),
        "fit sitting human": lambda: pf.fit(EXAMPLES / "sitting_human" / "problem.xml"),
        "fit spectrum": lambda: pf.fit(EXAMPLES / "spectrum" / "amplitude.xml"),
        "profile": lambda: pf.fit(EXAMPLES / "hexapod" / "problem.xml", profile=["c1", "c2"]),
        "starts": lambda: bounded.fit(starts=20),
        "design reactor": lambda: pf.design(EXAMPLES / "design_reactor" / "design.xml"),
        "design cart": lambda: pf.design(EXAMPLES / "design_cart" / "design.xml"),
        "design markers": lambda: pf.design(EXAMPLES / "design_markers" / "design.xml"),
        "ik": lambda: pf.ik(subject, [WALK, WALK, WALK, WALK]),
        "ik of a long trial": lambda: pf.ik(subject, trc),
        "calibrate": lambda: pf.calibrate(SUBJECT / "generic.osim", SUBJECT / "STS1.trc", static=SUBJECT / "static1.trc"),
        "gait of a long trial": lambda: pf.gait(trc),
        "batch": lambda: pf.batch(crowd, scratch / f"out{next(outs)}", model=subject),
        "id of a long motion": lambda: pf.id(EXAMPLES / "urdf_arm" / "arm.urdf", motion, filter=6),
        "scale": lambda: pf.scale(FILES / "scale" / "setup.xml"),
        "convert": lambda: pf.convert(subject, scratch / "subject.xml"),
        "gradient": lambda: pf.gradient(EXAMPLES / "gradient" / "pendulum_problem.xml", check=True),
        "minimize": lambda: pf.minimize(EXAMPLES / "gradient" / "pendulum_problem.xml", contour=["L", "d"]),
        "synthesize": lambda: pf.Problem.from_xml(EXAMPLES / "sitting_human" / "problem.xml").synthesize(seed=1),
        "verify": lambda: pf.verify(),
        "modes": lambda: pf.Model.from_xml(EXAMPLES / "sitting_human" / "sitting_human.xml").modes(),
        "import of a long trial": lambda: pf.import_motion(trc),
        "read PEtab": lambda: pf.Problem.from_petab(PETAB),
        "import of a long C3D": lambda: pf.import_motion(c3d),
        "check of a long table": lambda: pf.check(problem),
        "read a long table": lambda: pf.Problem.from_xml(problem),
        "fit a long table": lambda: pf.fit(problem),
        "joints": lambda: pf.joints(trc, proximal=PELVIS, distal=THIGH),
        "load": lambda: pf.load(saved),
        "report": lambda: pf.report(saved),
        "save": lambda: long_run.save(scratch / "saved again"),
        "read a large model": lambda: pf.Model.from_xml(large),
        "simulate a large file": lambda: pf.simulate(large, until=0.01),
    }
    return work


class Presser(threading.Thread):
    """Presses Ctrl-C once, after a while, unless it is called back."""

    def __init__(self, after):
        super().__init__(daemon=True)
        self.after, self.at, self.cpu, self.off = after, None, None, threading.Event()

    def run(self):
        if not self.off.wait(self.after):
            self.at, self.cpu = time.perf_counter(), time.process_time()
            os.kill(os.getpid(), signal.SIGINT)


def pressed(work, after):
    """(seconds, CPU seconds, what was found) of one interruption; None where the work was faster."""
    presser = Presser(after)
    try:
        presser.start()
        work()
        presser.off.set()
        presser.join()
        time.sleep(0.01)  # a signal that came just now
    except KeyboardInterrupt as stop:
        now, cpu = time.perf_counter(), time.process_time()
        partial = getattr(stop, "partial", None)
        return now - presser.at, cpu - presser.cpu, "nothing" if partial is None else getattr(partial, "status", "something")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--presses", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="parfait_interrupts_"))
    print(f"{'work':<26}{'takes':>8}{'longest':>10}{'CPU':>8}{'median':>9}   exceptions with")
    for name, work in pieces(scratch).items():
        if options.only and options.only not in name or options.skip and options.skip in name:
            continue
        begun = time.perf_counter()
        presser = Presser(20)  # nothing needs longer than that to be interrupted somewhere
        try:
            presser.start()
            work()
            presser.off.set()
            presser.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            pass
        takes = time.perf_counter() - begun
        found, done = [], 0
        for _ in range(options.presses):
            one = pressed(work, chance.uniform(0, min(takes, 20)))
            if one is None:
                done += 1
            else:
                found.append(one)
        if not found:
            print(f"{name:<26}{takes:8.3f}   was always faster")
            continue
        longest = max(found)
        words = {}
        for *_, word in found:
            words[word] = words.get(word, 0) + 1
        print(f"{name:<26}{takes:8.3f}{longest[0]:10.3f}{longest[1]:8.3f}{statistics.median(f[0] for f in found):9.3f}   "
              + ", ".join(f"{n} {word}" for word, n in sorted(words.items())) + (f"; {done} done before" if done else ""), flush=True)


if __name__ == "__main__":
    main()
