#!/usr/bin/env python3
"""The include check itself: each planted violation is found, each permitted include is not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_includes.py")


def findings(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / "src" / "parfait" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == (1 if lines else 0), done.stderr
    return lines


class Includes(unittest.TestCase):
    def expect_clean(self, name, text):
        self.assertEqual(findings({name: text}), [])

    def expect_one(self, name, text, words):
        found = findings({name: text})
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_room_may_include_rooms_above_it_and_itself(self):
        self.expect_clean("tree/structure/a.h", '#include "parfait/tree/structure/b.h"\n#include "parfait/dynamics/system.h"\n'
                                       '#include <vector>\n#include <Eigen/Core>\n')

    def test_a_room_must_not_include_a_room_below_it(self):
        self.expect_one("dynamics/a.h", '\n#include "parfait/mbs/model.h"\n',
                        "a.h:2: dynamics must not include mbs")

    def test_a_mechanism_knows_no_engine_and_engines_do_not_know_each_other(self):
        self.expect_clean("tree/structure/a.h", '#include "parfait/mechanism/description.h"\n')
        self.expect_one("mechanism/elements/a.h", '#include "parfait/mbs/model.h"\n', "mechanism must not include mbs")
        self.expect_one("tree/structure/a.h", '#include "parfait/mbs/model.h"\n', "tree must not include mbs")

    def test_integrate_must_not_know_bodies(self):
        self.expect_one("integrate/stepping/a.h", '#include "parfait/mbs/model.h"\n',
                        "integrate must not include mbs")

    def test_estimate_sees_integrate_but_not_mbs(self):
        self.expect_clean("estimate/fit/a.h", '#include "parfait/integrate/integrate.h"\n')
        self.expect_one("estimate/fit/a.h", '#  include "parfait/tree/model.h"\n',
                        "estimate must not include tree")

    def test_tests_may_use_gtest_and_the_testing_folder(self):
        self.expect_clean("math/a_test.cc", '#include <gtest/gtest.h>\n#include "testing/near.h"\n')
        self.expect_one("math/a.cc", "#include <gtest/gtest.h>\n", "only tests")
        self.expect_one("math/a.h", '#include "testing/near.h"\n', "only tests")

    def test_headers_for_tests_are_for_tests_only(self):
        self.expect_clean("tree/structure/test_state.h", "#include <gtest/gtest.h>\n")
        self.expect_clean("tree/structure/a_test.cc", '#include "parfait/tree/structure/test_state.h"\n')
        self.expect_one("tree/structure/a.h", '#include "parfait/tree/structure/test_state.h"\n', "only tests")

    def test_tests_may_not_include_later_rooms_either(self):
        self.expect_one("math/a_test.cc", '#include "parfait/io/text/csv.h"\n', "comes later")

    def test_a_test_of_integrate_may_move_a_multibody_system(self):
        self.expect_clean("integrate/driver/a_test.cc", '#include "parfait/mbs/model.h"\n')

    def test_the_computation_tier_knows_no_file_format(self):
        self.expect_one("tree/structure/a.h", "#include <pugixml.hpp>\n", "must not know <pugixml.hpp>")
        self.expect_one("tree/structure/a.h", "#include <fstream>\n", "must not know <fstream>")
        self.expect_one("io/text/a.h", "#include <iostream>\n", "must not know <iostream>")
        self.expect_clean("io/text/a.h", "#include <pugixml.hpp>\n#include <fstream>\n")

    def test_files_outside_a_room_and_short_paths_are_found(self):
        self.expect_one("utils/a.h", "", "does not lie in a room")
        self.expect_one("math/a.cc", '#include "a.h"\n', "by its full path")
        self.expect_one("math/a.cc", '#include "parfait/utils/a.h"\n', "there is no room")

    def test_a_step_of_a_room_includes_steps_before_it(self):
        self.expect_clean("estimate/shooting/a.h", '#include "parfait/estimate/linear/block.h"\n'
                                                   '#include "parfait/estimate/shooting/b.h"\n')
        self.expect_one("estimate/linear/a.h", '#include "parfait/estimate/fit/fit.h"\n',
                        "estimate/linear must not include estimate/fit")

    def test_the_two_kinds_of_experiments_do_not_see_each_other(self):
        self.expect_one("estimate/algebraic/a.h", '#include "parfait/estimate/shooting/a.h"\n',
                        "estimate/algebraic must not include estimate/shooting")

    def test_a_test_may_include_every_step_of_its_room(self):
        self.expect_clean("estimate/linear/a_test.cc", '#include "parfait/estimate/fit/fit.h"\n')

    def test_files_of_a_room_with_steps_lie_in_one(self):
        self.expect_one("estimate/a.h", "", "does not lie in a step of estimate")
        self.expect_one("estimate/drawer/a.h", "", "does not lie in a step of estimate")
        self.expect_one("estimate/fit/a.h", '#include "parfait/estimate/problem.h"\n', "does not lie in a step")
        self.expect_one("estimate/fit/a.h", '#include "parfait/estimate/drawer/a.h"\n', 'no step "drawer"')

    def test_a_source_in_a_step_is_named_after_its_header(self):
        self.assertEqual(findings({"estimate/fit/fit.h": "", "estimate/fit/fit_summary.cc": ""}), [])
        self.expect_one("estimate/fit/summary.cc", "", "no header says whose part this is")

    def test_the_face_of_a_room_lies_beside_its_steps(self):
        self.expect_clean("mbs/model.cc", '#include "parfait/mbs/build/assembly.h"\n')
        self.expect_clean("mbs/solver/a.h", '#include "parfait/mbs/model.h"\n')
        self.expect_one("mbs/other.h", "", "does not lie in a step of mbs")
        self.expect_one("mbs/solver/a.h", '#include "parfait/mbs/other.h"\n', "does not lie in a step")

    def test_an_empty_tree_is_not_clean(self):
        self.assertIn("no sources found", findings({})[0])


if __name__ == "__main__":
    unittest.main()
