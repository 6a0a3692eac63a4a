#!/usr/bin/env python3
"""The symbol check itself: a name that is gone from its header is noticed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_symbols.py")
HEAD = "| maths | code | shape, unit | meaning | header |\n|---|---|---|---|---|\n"


def findings(table, header="struct Sizes { int nq; };  // \\|q\\|\n"):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/theory").mkdir(parents=True)
        (root / "src/parfait/dynamics").mkdir(parents=True)
        (root / "docs/theory/symbols.md").write_text(HEAD + table)
        (root / "src/parfait/dynamics/system.h").write_text(header)
        done = subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == (1 if lines else 0), done.stderr
    return lines


class Symbols(unittest.TestCase):
    def test_a_name_in_its_header_is_fine(self):
        self.assertEqual(findings("| n | `nq` | 1 | number \\| size | `dynamics/system.h` |\n"), [])

    def test_a_name_that_is_gone_is_found(self):
        self.assertIn("`nv`", findings("| n | `nq` `nv` | 1 | number | `dynamics/system.h` |\n")[0])

    def test_part_of_a_word_does_not_count(self):
        self.assertEqual(len(findings("| n | `n` | 1 | number | `dynamics/system.h` |\n")), 1)

    def test_a_name_that_only_a_comment_mentions_is_found(self):
        header = "struct Sizes { int nq; };  // nv\n"
        self.assertEqual(len(findings("| n | `nq` `nv` | 1 | number | `dynamics/system.h` |\n", header)), 1)

    def test_a_header_that_is_gone_is_found(self):
        self.assertIn("no header", findings("| n | `nq` | 1 | number | `dynamics/sizes.h` |\n")[0])

    def test_a_table_that_cannot_be_read_is_not_fine(self):
        self.assertIn("no row", findings("| n | `nq` | too | few |\n")[0])


if __name__ == "__main__":
    unittest.main()
