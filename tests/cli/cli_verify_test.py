#!/usr/bin/env python3
"""parfait verify: every built-in problem has its digits, and the table says so."""
import json
import unittest

from cli import CliTest


class Verify(CliTest):
    def test_all_problems_have_their_digits(self):
        done = self.run_cli("verify", "--json")
        result = json.loads(done.stdout)
        self.assertEqual(result["status"], "passed")
        self.assertGreaterEqual(len(result["problems"]), 15)
        for problem in result["problems"]:
            self.assertGreaterEqual(problem["digits"], problem["expected"], problem["problem"])
            self.assertGreaterEqual(problem["expected"], 6)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
