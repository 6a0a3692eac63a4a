#!/usr/bin/env python3
"""Reaction of the spine to vertical vibration: transmissibility from the seat rail to the head, and apparent mass at the seat.

    transmissibility.py [PARFAIT [OUT_DIR]]

Simulates sitting_human.xml at 1, 1.5, ... 20 Hz with an acceleration amplitude of 1 m/s^2 until the motion repeats, and writes
transmissibility.csv and transmissibility.svg: ratios of root mean squares over whole periods of the vertical accelerations of head and rail, and of the
force on the seat surface (its change, contact forces of buttocks and thighs along z) and the acceleration of the rail.
"""
import csv
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PARFAIT = sys.argv[1] if len(sys.argv) > 1 else "build/release/apps/parfait/parfait"
OUT = sys.argv[2] if len(sys.argv) > 2 else "run/transmissibility"
TILT = math.radians(5)
SEAT = "+".join(f"seat_{part}_{side}.force" for part in ("pelvis", "thigh") for side in ("left", "right"))


def rms(x):
    mean = sum(x) / len(x)
    return math.sqrt(sum((v - mean) ** 2 for v in x) / len(x))


def respond(frequency):
    period = 1 / frequency
    measured = max(1, math.ceil(1.0 * frequency)) * period      # whole periods, a second or more
    until = math.ceil(4.0 / period) * period + measured
    step = period / 64
    amplitude = 1 / (2 * math.pi * frequency) ** 2
    folder = os.path.join(OUT, f"{frequency:04.1f}Hz")
    subprocess.run([PARFAIT, "--quiet", "simulate", os.path.join(HERE, "sitting_human.xml"), "--set", f"frequency={frequency}",
                    "--set", f"amplitude={amplitude:.12g}", "--until", f"{until:.12g}", "--step", f"{step:.12g}",
                    "--observe", f"car.origin.az,head.com.az,{SEAT}", "--out", folder], check=True)
    with open(os.path.join(folder, "trajectory.csv")) as file:
        rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
    last = [row for row in rows if row[0] > until - measured + 0.5 * step]
    car, head, force = (rms([row[i] for row in last]) for i in (1, 2, 3))
    return head / car, math.cos(TILT) * force / car


def plot(table, file):
    width, height, left, bottom = 640, 420, 60, 50
    x = lambda f: left + (width - left - 70) * (f - 1) / 19
    y = lambda v, top: height - bottom - (height - bottom - 30) * v / top
    tops = (math.ceil(2 * max(t for _, t, _ in table)) / 2, 20 * math.ceil(max(m for _, _, m in table) / 20))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for f in range(2, 21, 2):
        lines.append(f'<text x="{x(f):.1f}" y="{height - bottom + 20}" text-anchor="middle">{f}</text>')
        lines.append(f'<line x1="{x(f):.1f}" x2="{x(f):.1f}" y1="30" y2="{height - bottom}" stroke="#ddd"/>')
    for i in range(5):
        v = i / 4
        lines.append(f'<text x="{left - 8}" y="{y(v, 1) + 4:.1f}" text-anchor="end" fill="#0072b2">{v * tops[0]:.3g}</text>')
        lines.append(f'<text x="{width - 62}" y="{y(v, 1) + 4:.1f}" fill="#d55e00">{v * tops[1]:.3g}</text>')
        lines.append(f'<line x1="{left}" x2="{width - 70}" y1="{y(v, 1):.1f}" y2="{y(v, 1):.1f}" stroke="#ddd"/>')
    for column, color, dash in ((1, "#0072b2", ""), (2, "#d55e00", ' stroke-dasharray="6 3"')):
        points = " ".join(f"{x(row[0]):.1f},{y(row[column], tops[column - 1]):.1f}" for row in table)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
    lines.append(f'<text x="{left}" y="20" fill="#0072b2">transmissibility seat to head</text>')
    lines.append(f'<text x="{width - 62}" y="20" text-anchor="end" fill="#d55e00">apparent mass [kg] (dashed)</text>')
    lines.append(f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">frequency [Hz]</text></svg>')
    with open(file, "w") as out:
        out.write("\n".join(lines) + "\n")


def main():
    os.makedirs(OUT, exist_ok=True)
    table = []
    for i in range(39):
        frequency = 1 + 0.5 * i
        transmissibility, mass = respond(frequency)
        table.append((frequency, transmissibility, mass))
        print(f"{frequency:5.1f} Hz   {transmissibility:7.3f}   {mass:8.2f} kg", flush=True)
    with open(os.path.join(OUT, "transmissibility.csv"), "w") as file:
        file.write("frequency,transmissibility,apparent_mass\n")
        file.writelines(f"{f:g},{t:.4f},{m:.3f}\n" for f, t, m in table)
    plot(table, os.path.join(OUT, "transmissibility.svg"))
    for column, what in ((1, "transmissibility"), (2, "apparent mass")):
        best = max(table, key=lambda row: row[column])
        print(f"largest {what}: {best[column]:.3g} at {best[0]:g} Hz")


main()
