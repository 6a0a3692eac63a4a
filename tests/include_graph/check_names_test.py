#!/usr/bin/env python3
"""The check of file names itself: each planted violation is found, each permitted name is not."""

import pathlib
import tempfile
import unittest

from check_names import violations


def findings(files, parts=None):
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            path = pathlib.Path(folder) / "src" / "parfait" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('#include "parfait/io/b.h"\n')
        return list(violations(pathlib.Path(folder), parts or {}))


class Names(unittest.TestCase):
    def test_a_source_has_a_header_of_its_name_or_is_a_part_of_one(self):
        self.assertEqual(findings(["io/a.h", "io/a.cc", "io/a_more.cc", "io/other_test.cc"]), [])

    def test_a_source_without_a_header_is_found(self):
        self.assertIn("io/ab.cc: no header", findings(["io/a.h", "io/ab.cc"])[0])

    def test_a_header_in_another_folder_does_not_count(self):
        self.assertIn("io/a.cc: no header", findings(["math/a.h", "io/a.cc"])[0])

    def test_parts_may_be_listed(self):
        self.assertEqual(findings(["io/b.h", "io/c.cc"], {"io/c.cc": "b.h"}), [])

    def test_the_list_must_be_true(self):
        self.assertIn("does not exist", findings(["io/a.h", "io/a.cc"], {"io/c.cc": "a.h"})[0])
        self.assertIn("does not exist", findings(["io/c.cc"], {"io/c.cc": "b.h"})[0])
        self.assertIn("need not be listed", findings(["io/c.h", "io/b.h", "io/c.cc"], {"io/c.cc": "b.h"})[0])
        self.assertIn("does not include", findings(["io/a.h", "io/c.cc"], {"io/c.cc": "a.h"})[0])


if __name__ == "__main__":
    unittest.main()
