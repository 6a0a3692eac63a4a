#!/usr/bin/env python3
"""Checks that each room (folder of src/parfait) includes only the rooms it may, and each step (subfolder of a
large room) only the steps before it.

    check_includes.py ROOT        0 if clean, otherwise 1 and one line per violation

A room is one step of the science and sees only the rooms above it in ROOMS; some see fewer. The subfolders of
a room in STEPS are the steps of its work, in this order: every file but the room's face (FACES) lies in one of them,
and a .cc there has a header of its name or a name that begins with that of the header it belongs to. Test files (*_test.cc, and
test_*.h that only they include) may also include <gtest/...>, <gmock/...>, testing/..., any room above theirs
and any step of their own room.
"""

import pathlib
import re
import sys

# In the order of the science. A room may include the rooms before it ...
ROOMS = ["base", "math", "expr", "dynamics", "mechanism", "mbs", "tree", "fem", "integrate", "estimate", "control",
         "motion", "result", "io", "report", "run"]
# ... unless it is listed here, with all it may see besides itself.
NARROWER = {
    "mbs": {"base", "math", "expr", "dynamics", "mechanism"},
    "tree": {"base", "math", "expr", "dynamics", "mechanism"},
    "integrate": {"base", "math", "expr", "dynamics"},
    "estimate": {"base", "math", "expr", "dynamics", "integrate"},
}
# Subfolders of large rooms, in the order of the work. A step may include the steps before it ...
STEPS = {
    "mechanism": ["description", "elements", "constants", "quantities", "checks", "stage"],
    "mbs": ["solver", "data", "placement", "forces", "observation", "evaluation", "events", "projection",
            "adjoint", "second_order", "build"],
    "tree": ["structure", "algorithms", "contacts", "build", "system"],
    "integrate": ["stepping", "runge_kutta", "adams", "bdf", "hht", "events", "driver"],
    "estimate": ["linear", "iteration", "problem", "objective", "experiment", "shooting", "algebraic", "statistics", "fit", "starts", "design"],
    "motion": ["anthropometry", "signals", "gait", "dynamics", "skeleton", "poses", "quality", "joints", "scaling", "calibration"],
    "io": ["text", "foreign", "model", "petab", "problem", "motion_files", "results"],
    "report": ["html", "drawing", "web", "blocks", "pages"],
    "run": ["job", "human", "scene", "simulation", "fit", "design", "import", "convert", "dynamics", "motion", "verification", "summary"],
}
# ... unless it is listed here, with all it may see besides itself.
NARROWER_STEPS = {
    "mechanism": ["description", "elements", "constants", "quantities", "checks", "stage"],
    "estimate/algebraic": {"linear", "iteration", "problem", "experiment"},
    "estimate/statistics": {"linear", "iteration", "problem", "experiment"},
}
# The face of a room: the header beside its steps that others include, and its source. Every step may include it,
# and it may include every step.
FACES = {"mbs": "model", "tree": "model"}
# Libraries that only some rooms may know: the computation tier knows no file format and prints nothing.
LIBRARIES = {
    "pugixml.hpp": {"io"},
    "nlohmann/": {"io", "report"},
    "iostream": set(),
    "fstream": {"io", "report"},
}
# Headers for programs that use the library: they lie in no room, include any, and no room includes them.
PUBLIC = {"parfait.h", "simulate.h", "fit.h", "plugin.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def allowed_rooms(room):
    return NARROWER.get(room, set(ROOMS[: ROOMS.index(room)])) | {room}


def allowed_steps(room, step):
    before = STEPS[room][: STEPS[room].index(step)]
    return NARROWER_STEPS.get(f"{room}/{step}", set(before)) | {step}


def step_violation(room, step, target):
    """What is wrong with `step` of `room` including the file `target` of the same room, or None."""
    if target == f"parfait/{room}/{FACES.get(room)}.h":
        return None
    parts = target.split("/")
    other = parts[2] if len(parts) > 3 else None
    if other not in STEPS[room]:
        return f'"{target}": {room} has no step "{other}".' if other else f'"{target}": does not lie in a step.'
    if other not in allowed_steps(room, step):
        return f"{room}/{step} must not include {room}/{other} ({target})."
    return None


def violations_of_step(path, room, names):
    """`names`: of the headers beside the file, without .h."""
    if room not in STEPS:
        return
    step = path.parent.name
    if step == room and path.stem == FACES.get(room):
        return
    if path.parent.parent.name != room or step not in STEPS[room]:
        yield f"{path}: does not lie in a step of {room}. Steps: {', '.join(STEPS[room])}."
    elif path.suffix == ".cc" and not path.name.endswith("_test.cc"):
        if not any(path.stem == name or path.stem.startswith(name + "_") for name in names):
            yield f"{path}: no header says whose part this is: name it after one in {room}/{step}."


def violations_of_file(path, room, lines):
    step = path.parent.name if room in STEPS and path.parent.name in STEPS[room] else None
    is_test = path.name.endswith("_test.cc") or (path.name.startswith("test_") and path.suffix == ".h")
    for number, line in enumerate(lines, start=1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, target = match.groups()
        where = f"{path}:{number}"
        if target.startswith("parfait/"):
            if bracket == "<":
                yield f'{where}: write "{target}" in quotes.'
            other = target.split("/")[1]
            if target.split("/")[-1].startswith("test_") and not is_test:
                yield f"{where}: only tests may include {target}."
            if other not in ROOMS:
                yield f'{where}: "{target}": there is no room "{other}".'
            elif other not in allowed_rooms(room) and not is_test:
                yield f"{where}: {room} must not include {other} ({target})."
            elif other not in allowed_rooms(room) and ROOMS.index(other) > ROOMS.index(room):
                yield f"{where}: a test of {room} must not include {other}, which comes later ({target})."
            elif other == room and step and not is_test:
                violation = step_violation(room, step, target)
                if violation:
                    yield f"{where}: {violation}"
        elif target.startswith(("gtest/", "gmock/", "testing/")):
            if not is_test:
                yield f"{where}: only tests may include {target}."
        elif bracket == '"':
            yield f'{where}: "{target}": include by its full path, parfait/{room}/...'
        else:
            for library, rooms in LIBRARIES.items():
                matches = target.startswith(library) if library.endswith("/") else target == library
                if matches and room not in rooms and not is_test:
                    yield f"{where}: {room} must not know <{target}>."


def violations(root):
    source = root / "src" / "parfait"
    files = sorted(source.rglob("*.h")) + sorted(source.rglob("*.cc"))
    if not files:
        yield f"{source}: no sources found."
    for path in files:
        parts = path.relative_to(source).parts
        room = parts[0]
        if len(parts) == 1 and room in PUBLIC:
            continue
        if len(parts) < 2 or room not in ROOMS:
            yield f"{path}: does not lie in a room. Rooms: {', '.join(ROOMS)}."
            continue
        yield from violations_of_step(path, room, [header.stem for header in path.parent.glob("*.h")])
        yield from violations_of_file(path, room, path.read_text(encoding="utf-8").splitlines())


def main():
    found = list(violations(pathlib.Path(sys.argv[1])))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
