#!/usr/bin/env python3
"""Checks that a reader finds what a source file belongs to: a .cc of src/parfait has a header of its name beside it, or its
name begins with that of such a header ("bdf_dae.cc" is a part of "bdf.h"), or PARTS says whose part it is.

    check_names.py ROOT        0 if clean, otherwise 1 and one line per violation
"""

import pathlib
import sys

# Sources whose name does not say whose part they are, and the header in their folder that declares what they define.
PARTS = {
    "dynamics/formula_check.cc": "formula_data.h",
    "dynamics/formula_compile.cc": "formula_data.h",
    "dynamics/formula_events.cc": "formula_system_impl.h",
    "dynamics/formula_observer.cc": "formula_system_impl.h",
    "dynamics/formula_scope.cc": "formula_data.h",
}


def names_its_header(path):
    headers = {header.stem for header in path.parent.glob("*.h")}
    return path.stem in headers or any(path.stem.startswith(header + "_") for header in headers)


def violations(root, parts):
    source = root / "src" / "parfait"
    listed = dict(parts)
    for path in sorted(source.rglob("*.cc")):
        if path.name.endswith("_test.cc"):
            continue
        name = path.relative_to(source).as_posix()
        header = listed.pop(name, None)
        if header is None:
            if not names_its_header(path):
                yield f"{name}: no header has this name or begins it. Rename the file, or say in PARTS whose part it is."
        elif names_its_header(path):
            yield f"{name}: need not be listed in PARTS, a header says whose part it is."
        elif not (path.parent / header).exists():
            yield f"{name}: PARTS says it belongs to {header}, which does not exist."
        elif f'/{header}"' not in path.read_text(encoding="utf-8"):
            yield f"{name}: PARTS says it belongs to {header}, which it does not include."
    for name in listed:
        yield f"{name}: is listed in PARTS but does not exist."


def main():
    found = list(violations(pathlib.Path(sys.argv[1]), PARTS))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
