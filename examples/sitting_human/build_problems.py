#!/usr/bin/env python3
"""Writes the problems of Table 14.2: problem.xml and its variants. See README.md.

    build_problems.py [free]       then: parfait synthesize problem.xml --seed 2, and the same for the others

With "free" also free_prior.xml and free.xml, with the data of problem.xml; they are large and take minutes.
"""
import re
import sys

MARKERS = [("breast", "thorax"), ("right_shoulder", "thorax"), ("left_shoulder", "thorax"), ("right_hand", "hand_right"),
           ("left_hand", "hand_left"), ("right_hip", "pelvis"), ("left_hip", "pelvis"), ("right_thigh", "thigh_right"),
           ("left_thigh", "thigh_left"), ("forehead", "head")]
# Table 14.2: exact, initial.
ESTIMATES = [("bushing_pelvis_lumbus", 0.33, 0.67), ("bushing_lumbus_thorax", 1.0, 2.5), ("wobble_pelvis_stiffness", 1e7, 1.3e7),
             ("wobble_lumbus_stiffness", 1e7, 1.3e7), ("wobble_thorax_stiffness", 1e7, 1.3e7), ("wobble_lumbus_damping", 100, 150),
             ("elbow_left_stiffness", 50, 75), ("elbow_right_stiffness", 50, 75), ("elbow_left_damping", 4, 6.5),
             ("elbow_right_damping", 4, 6.5)]
# Frequency [Hz] and amplitude [m] of eight experiments: 4.3 to 5 g each.
EXCITATIONS = [(3, 0.120), (4, 0.070), (5, 0.045), (6, 0.032), (8, 0.018), (10, 0.012), (12, 0.008), (15, 0.0055)]
IDENTICAL = [(5, 0.045)] * 8


# Free initial states: 5 mm and 0.05 m/s, at the origin of a body and, by its axes, 0.25 m away from it.
LEVER = 0.25


def priors():
    bodies = re.findall(r'<body id="(\w+)"', open("sitting_human.xml").read())
    rows = []
    for body in bodies:
        for vector, size in (("o", 1), ("e1", LEVER), ("e2", LEVER), ("e3", LEVER)):
            for rate, sigma in (("", 0.005), ("v", 0.05)):
                rows += [f'<initial state="{body}.{vector}.{rate}{k}" sigma="{sigma / size:g}"/>' for k in "xyz"]
    return "".join("    " + " ".join(rows[i:i + 3]) + "\n" for i in range(0, len(rows), 3))


def experiment(number, excitation, data, axes, initial):
    frequency, amplitude = excitation
    out = [f'  <experiment id="ride{number}" model="sitting_human.xml" data="{data}_{number}.csv">\n'
           f'    <set parameter="frequency" value="{frequency:g}"/> <set parameter="amplitude" value="{amplitude:g}"/>\n'
           f'    <samples times="{" ".join(f"{i / 120:.12g}" for i in range(1, 25))}"/>\n']
    for marker, body in MARKERS:
        out += [f'    <observe column="{marker}_{k}" quantity="{body}.{marker}.{k}" sigma="0.001"/>\n' for k in axes]
    out.append(initial)
    out.append('    <grid intervals="4" end_node="true"/>\n  </experiment>\n')
    return "".join(out)


def write(file, remark, excitations, data, axes="z", initial=""):
    out = [f"<problem>\n  <remark> {remark} </remark>\n"]
    out += [f'  <estimate parameter="{name}" initial="{start:g}" true="{exact:g}"/>\n' for name, exact, start in ESTIMATES]
    out += [experiment(i, e, data, axes, initial) for i, e in enumerate(excitations, 1)]
    out.append('  <options tol="1e-2" rtol="1e-6" atol="1e-8"/>\n</problem>\n')
    with open(file, "w") as f:
        f.write("".join(out))


TABLE = "Kraus 2006, Table 14.2: ten parameters from z of ten markers, 0.2 s at 120 Hz, 1 mm;"
write("problem.xml", TABLE + " eight excitations.", EXCITATIONS, "ride")
write("identical.xml", TABLE + " eight times the same excitation, as Kraus has it.", IDENTICAL, "identical")
write("xyz.xml", TABLE + " eight excitations, x, y and z of the markers.", EXCITATIONS, "xyz", "xyz")
write("single.xml", TABLE + " one experiment only.", [(5, 0.045)], "single")
if "free" in sys.argv[1:]:
    write("free_prior.xml", TABLE + " eight excitations, initial states free with priors.", EXCITATIONS, "ride", initial=priors())
    write("free.xml", TABLE + " eight excitations, initial states free.", EXCITATIONS, "ride", initial='    <initial fixed="false"/>\n')
