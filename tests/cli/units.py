"""A mechanical model, and a problem about it, in other units: all constants are numbers, and the table of elements knows what
they measure."""

import csv
import re
import xml.etree.ElementTree as ElementTree

# Exponents of length, mass and time.
UNITS = {"m": (1, 0, 0), "kg": (0, 1, 0), "s": (0, 0, 1), "N": (1, 1, -2), "J": (2, 1, -2), "rad": (0, 0, 0), "1": (0, 0, 0), "": (0, 0, 0)}


def dimension(unit):
    """(length, mass, time) of "N s/m", "kg m^2", "m/s2"."""
    sums = [0, 0, 0]
    sign = 1
    for part in re.split(r"(/)", unit.replace("*", " ")):
        if part == "/":
            sign = -1
            continue
        for word in part.split():
            name, power = re.fullmatch(r"([A-Za-z]+|1)\^?(-?\d*)", word).groups()
            for i, exponent in enumerate(UNITS[name]):
                sums[i] += sign * exponent * int(power or 1)
    return tuple(sums)


class System:
    """A system of units: how many of its units are a metre, a kilogram and a second."""

    def __init__(self, name, length, mass, time):
        self.name, self.scales = name, (length, mass, time)

    def factor(self, unit):
        product = 1.0
        for scale, exponent in zip(self.scales, dimension(unit)):
            product *= scale ** exponent
        return product

    def list(self, text, unit):
        return " ".join(repr(float(word) * self.factor(unit)) for word in text.split())


SYSTEMS = [System("mm-g-ms", 1e3, 1e3, 1e3), System("km-t-h", 1e-3, 1e-3, 1 / 3600)]


def convert_model(text, system, elements):
    """The model in other units. `elements`: what `parfait elements --json` says."""
    constants = {kind: {e["key"]: e["constants"] for e in elements[kind + "s"]} for kind in ("joint", "force", "event")}
    root = ElementTree.fromstring(text)

    def scale(node, name, unit):
        if name in node.attrib:
            node.set(name, system.list(node.get(name), unit))
        child = node.find(name)
        if child is not None and child.text:
            child.text = system.list(child.text, unit)

    for node in root.iter():
        if node.tag == "body":
            scale(node, "mass", "kg")
            scale(node, "center_of_mass", "m")
            scale(node, "moment_of_inertia", "kg m^2")
        elif node.tag in ("position", "marker", "begin", "end"):
            scale(node, "o", "m")
        elif node.tag == "velocity":
            scale(node, "o", "m/s")
            scale(node, "omega", "1/s")
        elif node.tag == "simulation":
            scale(node, "until", "s")
            scale(node, "step", "s")
        elif node.tag == "parameter":
            unit = node.get("unit", "kg" if node.get("drives", "").endswith(".mass") else "")
            for name in ("initial", "lower", "upper", "scale"):
                scale(node, name, unit)
            node.attrib.pop("unit", None)
        elif node.tag in constants:
            own = constants[node.tag].get(node.get("key"), [])
            for constant in own:
                scale(node, constant["name"], constant["unit"])
            if "constants" in node.attrib:
                words = node.get("constants").split()
                units = [c["unit"] for c in own] + [own[-1]["unit"]] * (len(words) - len(own))  # a vector of gravity
                node.set("constants", " ".join(system.list(word, unit) for word, unit in zip(words, units)))
    return ElementTree.tostring(root, encoding="unicode")


def convert_problem(text, system, parameter_units, column_units):
    """The problem in other units; its data files are to be converted by convert_table()."""
    root = ElementTree.fromstring(text)
    for node in root.iter():
        unit = parameter_units.get(node.get("parameter"), "") if node.tag == "estimate" else None
        if node.tag == "samples":
            for name in ("from", "to", "step"):
                if name in node.attrib:
                    node.set(name, system.list(node.get(name), "s"))
        elif node.tag == "observe":
            unit = column_units[node.get("column")]
            for name in ("sigma", "absolute"):
                if name in node.attrib:
                    node.set(name, system.list(node.get(name), unit))
        elif node.tag == "estimate":
            for name in ("initial", "true", "lower", "upper", "scale"):
                if name in node.attrib:
                    node.set(name, system.list(node.get(name), unit))
    return ElementTree.tostring(root, encoding="unicode")


def convert_table(text, system, column_units):
    rows = list(csv.reader(line for line in text.splitlines() if line and not line.startswith("#")))
    units = ["s" if name == "t" else column_units[name] for name in rows[0]]
    out = [",".join(rows[0])]
    for row in rows[1:]:
        out.append(",".join(system.list(cell, unit) if cell else "" for cell, unit in zip(row, units)))
    return "\n".join(out) + "\n"
