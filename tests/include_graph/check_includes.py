#!/usr/bin/env python3
"""Checks that each room (folder of src/parfait) includes only the rooms it may.

    check_includes.py ROOT        0 if clean, otherwise 1 and one line per violation

A room is one step of the science and sees only the rooms above it in ROOMS; some see fewer. Test files
(*_test.cc, and test_*.h that only they include) may also include <gtest/...>, <gmock/...>, testing/... and any
room above theirs.
"""

import pathlib
import re
import sys

# In the order of the science. A room may include the rooms before it ...
ROOMS = ["base", "math", "expr", "dynamics", "mbs", "tree", "fem", "integrate", "estimate", "control",
         "motion", "io", "report"]
# ... unless it is listed here, with all it may see besides itself.
NARROWER = {
    "integrate": {"base", "math", "expr", "dynamics"},
    "estimate": {"base", "math", "expr", "dynamics", "integrate"},
}
# Libraries that only some rooms may know: the computation tier knows no file format and prints nothing.
LIBRARIES = {
    "pugixml.hpp": {"io"},
    "nlohmann/": {"io", "report"},
    "iostream": set(),
    "fstream": {"io", "report"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def allowed_rooms(room):
    return NARROWER.get(room, set(ROOMS[: ROOMS.index(room)])) | {room}


def violations_of_file(path, room, lines):
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
        if len(parts) < 2 or room not in ROOMS:
            yield f"{path}: does not lie in a room. Rooms: {', '.join(ROOMS)}."
            continue
        yield from violations_of_file(path, room, path.read_text(encoding="utf-8").splitlines())


def main():
    found = list(violations(pathlib.Path(sys.argv[1])))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
