#!/usr/bin/env python3
"""Problems that once went wrong without a word: small scales, large residuals, bounds, limits (tests/cases/wild)."""
import math
import shutil
import unittest

from cli import SOURCE, CliTest


class Wild(CliTest):
    def fit(self, case, problem="problem.xml", *arguments, code=0):
        """The result of a fit of a case, and what was printed."""
        for file in (SOURCE / "tests/cases/wild" / case).iterdir():
            shutil.copy(file, self.folder)
        done = self.run_cli("fit", problem, "--out", "r", *arguments, code=code)
        return self.result("r"), done.stdout + done.stderr

    def value(self, result, parameter):
        return next(p for p in result["parameters"] if p["id"] == parameter)

    def test_a_small_rate_is_found_from_every_start_without_scale(self):
        values = []
        for problem in ("problem.xml", "problem0.xml", "scaled.xml"):
            result, _ = self.fit("scale_false_convergence", problem)
            self.assertEqual(result["status"], "converged")
            k = self.value(result, "k")
            self.assertAlmostEqual(k["value"], 4.99569e-8, delta=1e-3 * k["sd"] + 1e-13)
            values.append(k["value"])
            shutil.rmtree(self.folder / "r")
        # The minimum as golden section finds it from the closed form exp(-k t).
        data = {1e7: 0.607, 2e7: 0.369, 3e7: 0.222, 4e7: 0.136}
        objective = lambda k: sum(((math.exp(-k * t) - x) / 0.001) ** 2 for t, x in data.items())
        low, high = 1e-8, 1e-7
        for _ in range(200):
            a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
            low, high = (low, b) if objective(a) < objective(b) else (a, high)
        for value in values:
            self.assertAlmostEqual(value, low, delta=1e-3 * 7.8e-11)

    def test_a_small_inertia_is_found(self):
        result, _ = self.fit("small_inertia", "p.xml")
        self.assertEqual(result["status"], "converged")
        self.assertAlmostEqual(self.value(result, "Izz")["value"], 2e-7, delta=1e-12)

    def test_a_known_optimum_with_large_residuals_is_kept(self):
        result, said = self.fit("boehm_leaves_optimum", "p4.xml", "--globalization", "auto")
        self.assertEqual(result["status"], "converged")
        self.assertLessEqual(result["objective"], 47.97655)  # at the start 47.976547
        self.assertGreater(result["objective"], 47.97)

    def test_no_deviation_is_printed_where_there_is_none(self):
        result, said = self.fit("sd_zero_undetermined", "problem.xml", "--max-iterations", "0", code=1)
        for p in result["parameters"]:
            self.assertTrue(p["sd"] is None or p["sd"] > 0, p)
        self.assertNotIn("± 0 ", said)

    def test_bounds_do_not_stop_a_fit(self):
        result, _ = self.fit("active_set_not_settled", "fixms_h3.xml")
        self.assertEqual(result["status"], "converged")
        free, _ = self.fit("active_set_not_settled", "fixms_h3nb.xml")
        for p in result["parameters"]:
            self.assertAlmostEqual(p["value"], self.value(free, p["id"])["value"], delta=1e-2 * p["sd"])

    def test_a_profile_of_what_is_not_determined_is_walked(self):
        result, said = self.fit("profile_not_computed", "problem.xml", "--set", "k=1000", "--profile", "k")
        profile = result["profiles"][0]
        # x = a (1 - exp(-k t)), a at its minimum for each k: bisection on the objective's way up to chi2_1(95 %).
        data = {1: 1.03, 2: 0.98, 3: 1.01, 4: 0.99}
        def objective(k):
            shape = {t: 1 - math.exp(-k * t) for t in data}
            a = sum(data[t] * s for t, s in shape.items()) / sum(s * s for s in shape.values())
            return sum(((data[t] - a * s) / 0.03) ** 2 for t, s in shape.items())
        low, high = 1e-2, 100
        for _ in range(100):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if objective(middle) > objective(1e3) + 3.841458820694124 else (low, middle)
        self.assertAlmostEqual(profile["interval"][0], low, delta=1e-3 * low)
        self.assertEqual((profile["low_end"], profile["high_end"], profile["interval"][1]), ("threshold", "bound", 1e6))
        self.assertGreater(len(profile["points"]), 10)
        self.assertIn("the objective stays below the threshold up to it", said)

    def test_max_steps_is_what_was_asked_for(self):
        _, said = self.fit("max_steps_ignored", "p100.xml", "--integrator", "dop853", code=1)
        self.assertIn("limit of 100 steps", said)
        self.assertIn('The model is stiff here (rates of 1e+06 per unit of time', said)
        self.assertIn('integrator="bdf"', said)

    def test_a_stiff_model_goes_on_with_bdf(self):
        self.write("model.xml", '<ode> <parameter id="k" initial="1e6"/> <parameter id="a" initial="1"/> '
                                '<state id="x" initial="0" derivative="k*(a*cos(t) - x)"/> </ode>')
        self.write("p.xml", '<problem> <estimate parameter="a"/> <experiment id="e" model="model.xml"> <table>\nt,x\n1,0.5\n2,-0.4\n'
                            '</table> <observe column="x" quantity="x"/> </experiment> </problem>')
        done = self.run_cli("fit", "p.xml", "--integrator", "dop853", "--out", "explicit", code=1)
        self.assertIn('integrator="bdf" is made for that', done.stdout + done.stderr)
        done = self.run_cli("fit", "p.xml", "--out", "r")
        self.assertIn("the model is stiff; integrated with bdf from there on", done.stdout + done.stderr)
        # a cos(t) = x, but for 1e-6: least squares in one unknown
        self.assertAlmostEqual(self.result("r")["parameters"][0]["value"], (0.5 * math.cos(1) - 0.4 * math.cos(2)) / (math.cos(1) ** 2 + math.cos(2) ** 2), delta=1e-5)

    def test_data_that_begin_late_are_pointed_out(self):
        for file in (SOURCE / "tests/cases/wild/year_begins_at_zero").iterdir():
            shutil.copy(file, self.folder)
        said = self.run_cli("check", "problem.xml")
        self.assertIn('begin="1900"', said.stdout + said.stderr)

    def test_an_outlier_is_a_finite_statement(self):
        _, said = self.fit("outlier_inf", "problem.xml", "--max-iterations", "0", code=1)
        self.assertNotIn("inf deviations", said)
        result, said = self.fit("outlier_inf", "problem.xml")
        self.assertNotIn("inf deviations", said)


if __name__ == "__main__":
    unittest.main()
