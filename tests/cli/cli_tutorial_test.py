#!/usr/bin/env python3
"""What the tutorials tell people to type works."""
import re
import shlex
import unittest

from cli import SOURCE, CliTest


class Tutorial(CliTest):
    def follow(self, name):
        """Writes the files and runs the commands of a tutorial, in their order."""
        text = (SOURCE / "docs/tutorials" / name).read_text()
        commands = 0
        for file, content, shell in re.findall(r"`([a-z_]+\.(?:xml|csv))`:\n\n```(?:xml|csv)\n(.*?)```|```sh\n(.*?)```", text, re.DOTALL):
            if file:
                self.write(file, content)
            for line in shell.splitlines():
                program, *arguments = shlex.split(line)
                self.assertEqual(program, "parfait")
                self.run_cli(*arguments)
                commands += 1
        self.assertGreater(commands, 3)

    def test_simulate_runs_as_it_stands(self):
        self.follow("simulate.md")
        self.assertEqual(self.result("run/ball")["events"][0]["name"], "bounce")
        self.assertIn("dh/dinitial:h", self.trajectory("run/sensitivity")[0])
        # SUNDIALS, example cvsRoberts_FSA_dns: y1 at t = 4e3 and its derivatives.
        last = self.trajectory("run/robertson")[-1]
        for name, value in (("y1", 1.8320e-01), ("dy1/dp1", -4.7501), ("dy1/dp2", 1.8809e-05), ("dy1/dp3", -3.1348e-09)):
            self.assertAlmostEqual(last[name] / value, 1, delta=1e-4)

    def test_fit_runs_as_it_stands(self):
        self.follow("fit.md")
        text = (SOURCE / "docs/tutorials/fit.md").read_text()
        for folder, count in (("run/first", 1), ("run/second", 3), ("run/validate", 1)):
            result = self.result(folder)
            self.assertEqual((result["status"], len(result["parameters"])), ("converged", count))
            for p in result["parameters"]:  # the page prints what one sees
                self.assertRegex(text, rf"{p['id']} +{p['value']:.6g} +± {p['sd']:.2g} ")
        first, second, test = (self.result("run/" + name)["goodness_of_fit"]["chi2_p_value"] for name in ("first", "second", "validate"))
        self.assertLess(first, 1e-100)
        self.assertGreater(min(second, test), 0.2)


if __name__ == "__main__":
    unittest.main()
