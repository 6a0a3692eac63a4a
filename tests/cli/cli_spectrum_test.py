#!/usr/bin/env python3
"""Identification in the frequency domain. The numbers of the triple pendulum (examples/spectrum) come from an independent program."""
import csv
import math
import os
import unittest

from cli import SOURCE, CliTest

EXAMPLE = SOURCE / "examples/spectrum"
N = 1000


class Spectrum(CliTest):
    def problem(self, observe, start=(8.5, 0.15), options='<options sigma="known" rtol="1e-10" atol="1e-12"/>'):
        return f"""<problem>
          <estimate parameter="c_f" initial="{start[0]}"/> <estimate parameter="d_f" initial="{start[1]}"/>
          <experiment id="sweep" model="{EXAMPLE / 'pendulum.xml'}" data="exact.csv"> {observe} </experiment> {options} </problem>"""

    def exact(self):
        """The angle at the true values, without noise."""
        self.run_cli("simulate", EXAMPLE / "pendulum.xml", "--out", "motion", "--quiet")
        with open(self.folder / "motion/trajectory.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), N + 1)
        self.write("exact.csv", "t,phi\n" + "".join(f"{r['t']},{r['Hinge1.angle']}\n" for r in rows[1:]))
        return {float(r["t"]): float(r["Hinge1.angle"]) for r in rows}

    def band(self, of, more='sigma="1"'):
        return f'<observe column="phi" spectrum="Hinge1.angle" from="1.4" to="1.9" of="{of}" begin="0" end="10" {more}/>'

    def at_start(self, observe):
        self.write("p.xml", self.problem(observe))
        self.run_cli("fit", "p.xml", "--max-iterations", "0", "--out", "s", "--quiet", code=1)
        return self.result("s")["objective"] / 2

    def test_costs_at_the_start_are_the_known_ones(self):
        phi = self.exact()
        self.assertAlmostEqual(phi[5], 0.2126208995230, delta=2e-10)
        self.assertAlmostEqual(phi[10], -0.2660414242494, delta=2e-10)
        plain = 'sigma="1" sigma_of="coefficient"'
        time = '<observe column="phi" quantity="Hinge1.angle" sigma="10"/>'  # 1/2 dt sum r^2
        for observe, cost in ((time, 0.00796214565408), (self.band("power", plain), 9.61271395965974e-7),
                              (self.band("amplitude", plain), 4.46030104148053e-4)):
            self.assertAlmostEqual(self.at_start(observe) / cost, 1, delta=1e-6)

    def test_gradients_and_quasi_newton_know_spectra(self):
        self.exact()
        plain = 'sigma="1" sigma_of="coefficient"'
        time = '<observe column="phi" quantity="Hinge1.angle" sigma="10"/>'
        known = {time: (-0.00652277218454, 0.01600781603162), self.band("power", plain): (-2.16259230579778e-8, 8.00876257367e-6),
                 self.band("amplitude", plain): (-1.13430252539457e-4, 3.80746400165934e-3)}
        for observe, gradient in known.items():
            self.write("p.xml", self.problem(observe))
            self.run_cli("gradient", "p.xml", "--check", "--out", "g", "--quiet")
            found = self.result("g")
            self.assertLess(found["difference"], 1e-9)  # adjoint and directions
            for entry, value in zip(found["gradient"], gradient):
                self.assertAlmostEqual(entry["gradient"], value, delta=1e-5 * abs(value), msg=observe)
            # In logarithms, as published; without them BFGS runs to negative damping.
            text = self.problem(observe).replace("/> <estimate", ' transform="log"/> <estimate').replace(
                'initial="0.15"/>', 'initial="0.15" transform="log"/>')
            self.write("p.xml", text)
            self.run_cli("fit", "p.xml", "--method", "bfgs", "--tol", "1e-9", "--out", "m", "--quiet")
            found = self.result("m")
            self.assertLessEqual(found["iterations"], 30, observe)
            self.assertAlmostEqual(found["parameters"][0]["value"], 10, delta=1e-4, msg=observe)
            self.assertAlmostEqual(found["parameters"][1]["value"], 0.02, delta=1e-5, msg=observe)

    def test_deviations_at_the_truth_are_the_known_ones(self):
        self.exact()
        time = '<observe column="phi" quantity="Hinge1.angle" sigma="1"/>'
        known = {time: (1.04772119, 0.08904455), self.band("coefficients"): (1.15296, 0.102566),
                 self.band("amplitude"): (2.62979, 0.150717), self.band("power"): (2.62979, 0.150717),
                 self.band("log"): (2.62979, 0.150717)}
        for observe, sds in known.items():
            self.write("p.xml", self.problem(observe, (10, 0.02)))
            self.run_cli("fit", "p.xml", "--out", "f", "--quiet")
            for p, sd in zip(self.result("f")["parameters"], sds):
                self.assertAlmostEqual(p["sd"] / sd, 1, delta=1e-5, msg=observe)
        # All lines, none of them windowed, are the samples.
        everything = '<observe column="phi" spectrum="Hinge1.angle" begin="0" end="10" sigma="1"/>'
        self.write("p.xml", self.problem(everything, (10, 0.02)))
        self.run_cli("fit", "p.xml", "--out", "f", "--quiet")
        self.assertAlmostEqual(self.result("f")["parameters"][0]["sd"] / 1.04772119, 1, delta=1e-6)

    def test_all_find_the_truth_from_the_published_start(self):
        self.exact()
        time = '<observe column="phi" quantity="Hinge1.angle"/>'
        for observe in (time, self.band("coefficients"), self.band("amplitude"), self.band("coefficients", 'window="hanning"'),
                        self.band("amplitude", 'window="flat_top"')):
            self.write("p.xml", self.problem(observe))
            self.run_cli("fit", "p.xml", "--out", "f", "--quiet")
            fit = self.result("f")
            self.assertLessEqual(len(fit["history"]), 13)
            self.assertAlmostEqual(fit["parameters"][0]["value"], 10, delta=1e-5)
            self.assertAlmostEqual(fit["parameters"][1]["value"], 0.02, delta=1e-6)

    def test_whitened_rows_scatter_as_they_say(self):
        """chi^2 of residuals of noisy data: its mean over seeds is the number of rows less two."""
        for window in ("none", "hanning"):
            self.write("p.xml", f"""<problem> <estimate parameter="w" initial="3"/>
              <experiment id="e" model="o.xml" data="e.csv"> <samples from="0.05" to="20" count="400"/>
              <observe column="x" spectrum="x" from="0.2" to="1" window="{window}" sigma="0.1"/> </experiment>
              <options sigma="known"/> </problem>""")
            self.write("o.xml", """<ode> <parameter id="w" initial="3"/> <state id="x" initial="1"/> <state id="v" initial="0"/>
              <derivative of="x"> v </derivative> <derivative of="v"> -w^2*x </derivative> </ode>""")
            total, values, freedom = 0, [], None
            for seed in range(1, 21):
                self.run_cli("synthesize", "p.xml", "--seed", seed, "--out", "d", "--quiet")
                self.run_cli("fit", "d/p.xml", "--out", "f", "--quiet")
                fit = self.result("f")
                freedom = fit["degrees_of_freedom"]
                total += fit["objective"]
                values.append((fit["parameters"][0]["value"] - 3) / fit["parameters"][0]["sd"])
            # 20 seeds: the mean of chi^2 has the relative deviation sqrt(2 / (20 freedom)), sds of z 16 %.
            self.assertGreater(freedom, 30)
            self.assertAlmostEqual(total / 20 / freedom, 1, delta=4 * math.sqrt(2 / (20 * freedom)))
            self.assertAlmostEqual(math.sqrt(sum(z * z for z in values) / 20), 1, delta=0.5)

    def test_orders_of_the_engine_are_the_known_ones(self):
        """The sixth order of the twist at five speeds [mdeg], from an independent program; amplitudes of the measured samples."""
        engine = SOURCE / "examples/engine_damper"
        self.run_cli("simulate", engine / "engine.xml", "--until", "3.1", "--out", "motion", "--quiet")
        with open(self.folder / "motion/trajectory.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.write("run_up.csv", "t,twist\n" + "".join(f"{r['t']},{r['twist']}\n" for r in rows[1:]))
        text = (engine / "problem.xml").read_text().replace('model="engine.xml"', f'model="{engine / "engine.xml"}" data="run_up.csv"')
        text = text.replace('sigma_of="coefficient"', 'sigma_of="coefficient" of="amplitude"')
        text = text.replace(text[text.index('speeds="'):text.index(' window=')], 'speeds="3000 3500 4000 4500 5000"')
        for old in ("10000", "8000", '"8"', '"1.8"'):
            new = {"10000": "15000", "8000": "6000", '"8"': '"12"', '"1.8"': '"1.2"'}[old]
            text = text.replace(f"initial={old}" if old[0] == '"' else f'initial="{old}"', f"initial={new}" if old[0] == '"' else f'initial="{new}"')
        self.write("problem.xml", text)
        self.run_cli("fit", "problem.xml", "--fix", "c1,c2,d1,d2", "--out", "f", "--quiet")
        with open(self.folder / "f/residuals.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["column"] for row in rows], ["twist amplitude"] * 5)
        for row, known in zip(rows, (16.6376, 9.0815, 11.6728, 18.0836, 36.957)):
            self.assertAlmostEqual(math.degrees(float(row["measured"])) * 1000, known, delta=6e-4)
            self.assertAlmostEqual(float(row["model"]) / float(row["measured"]), 1, delta=1e-5)

    @unittest.skipUnless(os.environ.get("PARFAIT_SLOW_TESTS"), "takes a minute and a half; PARFAIT_SLOW_TESTS=1 runs it")
    def test_dampers_that_look_alike_are_named(self):
        """With d1 = 6 and d2 = 2 both Maxwell elements have nearly the same rate, c/d: the sixth order tells neither."""
        engine = SOURCE / "examples/engine_damper"
        self.run_cli("simulate", engine / "engine.xml", "--set", "d1=6", "--set", "d2=2", "--rtol", "1e-10", "--atol", "1e-12", "--until", "3.1",
                     "--out", "motion", "--quiet")
        with open(self.folder / "motion/trajectory.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.write("run_up.csv", "t,twist\n" + "".join(f"{r['t']},{r['twist']}\n" for r in rows[1:]))
        text = (engine / "problem.xml").read_text().replace('model="engine.xml"', f'model="{engine / "engine.xml"}" data="run_up.csv"')
        for old, new in (("10000", "15000"), ("8000", "6000"), ("8", "6"), ("1.8", "2")):
            text = text.replace(f'initial="{old}"', f'initial="{new}"')
        text = text.replace(text[text.index('speeds="'):text.index(' window=')], 'speeds="3000 3500 4000 4500 5000"')
        self.write("problem.xml", text.replace('rtol="1e-8" atol="1e-10"', 'rtol="1e-10" atol="1e-12"'))
        out = self.run_cli("fit", "problem.xml", "--out", "f").stdout
        for p in self.result("f")["parameters"]:
            self.assertGreater(p["sd"] / p["value"], 2.5)
            self.assertIn(f"{p['id']} is practically undetermined", out)
        self.assertIn("Of 4 parameters: 4 practically undetermined", out)
        self.assertIn("c1 and c2 are strongly correlated (-1.0000)", out)

    def test_what_makes_no_sense_is_refused(self):
        self.exact()
        for observe, message in (
                ('<observe column="phi" spectrum="Hinge1.angle" from="1.41" to="1.42" begin="0" end="10"/>', "no line in the band"),
                ('<observe column="phi" spectrum="Hinge1.angle" begin="0.005" end="10"/>', "equal distances"),
                ('<observe column="phi" spectrum="Hinge1.angle" window="hamming"/>', "must be none, hanning or flat_top"),
                ('<observe column="phi" spectrum="Hinge9.angle"/>', "Hinge9"),
                ('<observe column="phi" spectrum="Hinge1.angle" order="6"/>', "an order needs speeds"),
                ('<observe column="phi" spectrum="Hinge1.angle" distribution="laplace"/>', "normal errors"),
                ('<observe column="phi" quantity="Hinge1.angle" window="hanning"/>', 'belongs to observations by "spectrum"')):
            with self.subTest(observe=observe):
                self.write("p.xml", self.problem(observe))
                self.assertIn(message, self.run_cli("fit", "p.xml", "--out", "r", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
