#!/usr/bin/env python3
"""Prints a fit of problem.xml beside Table 14.2 of Kraus 2006: table.py RUN_FOLDER"""
import json
import os
import sys

# Exact and initial values, solution and standard deviation as printed.
KRAUS = {"bushing_pelvis_lumbus": (0.33, 0.67, 0.33, 0.03), "bushing_lumbus_thorax": (1.0, 2.5, 1.15, 0.20),
         "wobble_pelvis_stiffness": (1e7, 1.3e7, 1.01e7, 0.01e7), "wobble_lumbus_stiffness": (1e7, 1.3e7, 0.94e7, 0.07e7),
         "wobble_thorax_stiffness": (1e7, 1.3e7, 1.04e7, 0.05e7), "wobble_lumbus_damping": (100, 150, 98, 12),
         "elbow_left_stiffness": (50, 75, 32, 9), "elbow_right_stiffness": (50, 75, 49, 5),
         "elbow_left_damping": (4.0, 6.5, 6.6, 1.3), "elbow_right_damping": (4.0, 6.5, 4.1, 0.7)}

folder = sys.argv[1]
with open(os.path.join(folder, "result.json")) as file:
    result = json.load(file)
with open(os.path.join(folder, "timing.json")) as file:
    timing = json.load(file)
print(f"{'parameter':<26}{'exact':>10}{'initial':>10}   {'Parfait':>22}   {'Kraus 2006':>22}")
for p in result["parameters"]:
    exact, initial, value, sd = KRAUS[p["id"]]
    ours = f"{p['value']:.4g} +- {p['sd']:.2g}" if p["sd"] is not None else f"{p['value']:.4g} (not determined)"
    print(f"{p['id']:<26}{exact:>10.4g}{initial:>10.4g}   {ours:>22}   {f'{value:.4g} +- {sd:.2g}':>22}")
experiments, nodes, states, parameters = len(result["experiments"]), 5, 672, len(result["parameters"])
print(f"\n{result['measurements']} measurements; variables of Kraus: {experiments} x {nodes} nodes x {states} states + {parameters} = "
      f"{experiments * nodes * states + parameters}, ours, without the first nodes, which are known: "
      f"{experiments * (nodes - 1) * states + parameters}")
print(f"{result['iterations']} iterations ({result['status']}); Kraus: 7 iterations, 4.5 hours")
