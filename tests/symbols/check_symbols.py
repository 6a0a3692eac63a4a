#!/usr/bin/env python3
"""Checks the dictionary of symbols against the headers: each code name must stand in the header its row names.

    check_symbols.py ROOT         0 if all are there, otherwise 1 and one line per missing name

A row of docs/theory/symbols.md is
    | maths | `code` `code` | shape, unit | meaning | `room/header.h` |
A name is looked up as a whole word, in the code and not in its comments. A row whose code cell is empty is prose and
is not checked.
"""

import pathlib
import re
import sys


def rows(text):
    for number, line in enumerate(text.splitlines(), start=1):
        # \| inside a cell is a bar, not a border.
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) == 7 and not cells[0] and not cells[-1] and not set(cells[1]) <= set("-: "):
            if cells[1] != "maths":
                yield number, cells[2], cells[5]


def problems(root):
    table = root / "docs" / "theory" / "symbols.md"
    checked = 0
    for number, code, header in rows(table.read_text(encoding="utf-8")):
        names = re.findall(r"`([^`]+)`", code)
        headers = re.findall(r"`([^`]+)`", header)
        if not names:
            continue
        texts = []
        for name in headers:
            path = root / "src" / "parfait" / name
            if path.is_file():
                texts.append(re.sub(r"//.*", "", path.read_text(encoding="utf-8")))
            else:
                yield f"{table}:{number}: there is no header {name}."
        if not headers:
            yield f"{table}:{number}: names no header."
        for name in names:
            checked += 1
            word = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")
            if texts and not any(word.search(text) for text in texts):
                yield f"{table}:{number}: `{name}` does not stand in {', '.join(headers)}."
    if checked == 0:
        yield f"{table}: no row could be read."


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
