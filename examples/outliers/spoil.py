#!/usr/bin/env python3
"""Prints clean.csv with every fifth reading replaced by what a loose cable shows, 0.2 to 0.6 too much."""
import pathlib

header, *rows = (pathlib.Path(__file__).parent / "clean.csv").read_text().splitlines()
print(header)
for i, row in enumerate(rows):
    t, second = row.split(",")
    if i % 5 == 2:
        second = f"{float(second) + 0.2 + 0.04 * (i * 7 % 11):.4f}"  # in an order that looks like none
    print(t, second, sep=",")
