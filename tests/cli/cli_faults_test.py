#!/usr/bin/env python3
"""parfait simulate when something goes wrong: the status, the message, what is kept, the exit code."""
import math
import signal
import subprocess
import time
import unittest

from cli import DOUBLE_PENDULUM, PARFAIT, SIX_BAR, CliTest

OSCILLATOR = """<ode> <state id="x" initial="1"/> <state id="v" initial="0"/> <parameter id="k" initial="1"/>
  <derivative of="x"> v </derivative> <derivative of="v"> -k*x </derivative> </ode>"""
DAE = """<dae> <state id="x" initial="1"/> <algebraic id="z" initial="1"/>
  <derivative of="x"> -z </derivative> <equation> z = x </equation> </dae>"""


class BadInput(CliTest):
    """Exit code 2, one message, nothing written."""

    def test_start_that_cannot_be_assembled(self):
        rods = """<model> <body id="A" mass="1" moment_of_inertia="1 1 1"> <position o="0.5 0 -0.8"/> </body>
          <joint key="FixedDistance" id="Left" distance="{}"> <begin id="Inertial"/> <end id="A"/> </joint>
          <joint key="FixedDistance" id="Right" distance="0.9"> <begin id="Inertial" o="1 0 0"/> <end id="A"/> </joint>
          <parameter id="L" drives="Left.distance"/> </model>"""
        message = self.error_of("simulate", self.write("far.xml", rods.format(2.5)))
        self.assertRegex(message, r"far\.xml:\d+:\d+: the model cannot be assembled")
        # The same from the command line: the geometry is assembled with what was set.
        model = self.write("near.xml", rods.format(1))
        message = self.error_of("simulate", model, "--set", "L=2.5")
        self.assertIn("cannot be assembled", message)
        self.assertIn("--set L=2.5", message)
        self.run_cli("simulate", model, "--set", "L=1.1", "--until", "0.1", "--step", "0.1", "--out", "r",
                     "--observe", "A.com.x,A.com.y,A.com.z")
        row = self.trajectory("r")[0]
        self.assertAlmostEqual(math.hypot(row["A.com.x"], row["A.com.y"], row["A.com.z"]), 1.1, delta=1e-10)

    def test_a_table_with_a_value_that_is_no_number(self):
        model = self.write("m.xml", """<ode> <state id="x" initial="0"/> <input id="u" file="u.csv"/>
          <derivative of="x"> u </derivative> </ode>""")
        for cell in ("nan", "inf", "1e999", "much"):
            self.write("u.csv", f"t,u\n0,1\n1,{cell}\n2,1\n")
            self.assertRegex(self.error_of("simulate", model), r"u\.csv:3:3: ")
        # An empty cell was not measured, and the others are joined across it.
        self.write("u.csv", "t,u\n0,0\n1,\n2,2\n")
        self.run_cli("simulate", model, "--until", "2", "--out", "r")
        self.assertAlmostEqual(self.trajectory("r")[-1]["x"], 2, delta=1e-9)

    def test_an_integrator_that_does_not_exist_or_does_not_fit(self):
        ode, dae = self.write("ode.xml", OSCILLATOR), self.write("dae.xml", DAE)
        self.assertIn('Did you mean "dop853"?', self.error_of("simulate", ode, "--integrator", "dop583"))
        self.assertIn("hht", self.error_of("simulate", ode, "--integrator", "hht"))
        for method in ("dop853", "dopri5", "abm"):
            self.assertIn("only bdf can integrate", self.error_of("simulate", dae, "--integrator", method))
        self.assertIn("hht", self.error_of("simulate", dae, "--integrator", "hht"))
        named = self.write("named.xml", OSCILLATOR.replace("<ode>", '<ode>\n <simulation integrator="magic"/>'))
        self.assertRegex(self.error_of("simulate", named), r"named\.xml:2:\d+: .*\"magic\" is unknown")

    def test_options_that_would_do_nothing(self):
        model = self.write("m.xml", OSCILLATOR)
        for options, words in [
            (("--hht-alpha", "-0.1"), "--hht-alpha: is for --integrator hht; this is dop853"),
            (("--max-order", "3"), "--max-order: is for --integrator abm and bdf"),
            (("--max-order", "8", "--integrator", "bdf"), "orders 1 to 5"),
            (("--projection", "mass"), "no constraints"),
            (("--projection-tolerance", "1e-9"), "no constraints"),
            (("--tolerance", "positions=1e-6,1e-6"), "has no positions"),
            (("--step", "0.1", "--every-step"), "--every-step"),
        ]:
            self.assertIn(words, self.error_of("simulate", model, *options))

    def test_values_out_of_range(self):
        for options, words in [
            (("--tolerance", "velocites=1e-6,1e-6"), 'Did you mean "velocities"?'),
            (("--tolerance", "velocities=1e-6"), "group=rtol,atol"),
            (("--tolerance", "velocities=small,1e-6"), '"small" is not a number'),
            (("--tolerance", "velocities=-1,1e-6"), "rtol = -1"),
            (("--first-step", "-1"), "first_step = -1"),
            (("--max-step", "-1"), "max_step = -1"),
            (("--max-steps", "0"), "max_steps = 0"),
            (("--projection", "mas"), 'Did you mean "mass"?'),
            (("--projection-tolerance", "0"), "projection_tolerance = 0"),
            (("--integrator", "hht", "--hht-alpha", "0.5"), "hht_alpha = 0.5"),
            (("--integrator", "abm", "--max-order", "13"), "abm has the orders 1 to 12"),
        ]:
            self.assertIn(words, self.error_of("simulate", DOUBLE_PENDULUM, *options))

    def test_a_folder_of_someone_else(self):
        (self.folder / "thesis").mkdir()
        (self.folder / "thesis" / "chapter.txt").write_text("long")
        self.assertIn("not replaced", self.error_of("simulate", SIX_BAR, "--out", "thesis"))
        self.write("file", "text")
        self.assertIn("not replaced", self.error_of("simulate", SIX_BAR, "--out", "file"))


class Failed(CliTest):
    """Exit code 1; what was computed is written and marked."""

    def fails(self, model, *options):
        done = self.run_cli("simulate", model, "--out", "r", *options, code=1)
        result = self.result("r")
        self.assertTrue(result["partial"])
        self.assertIn(result["message"], done.stdout)
        self.assertIn("partial results in r", done.stdout)
        self.assertEqual(result["t"], result["last_state"]["t"])
        return result

    def test_blow_up_to_infinity(self):
        # x = 1 / (1 - t)
        model = self.write("m.xml", """<ode> <state id="x" initial="1"/> <derivative of="x"> x*x </derivative> </ode>""")
        for method in ("dop853", "dopri5", "abm", "bdf"):
            result = self.fails(model, "--until", "2", "--step", "0.1", "--integrator", method)
            self.assertIn(result["status"], ("step_too_small", "system_failed", "newton_failed"), method)
            self.assertAlmostEqual(result["t"], 1, delta=1e-3)
            self.assertGreater(result["last_state"]["y"]["x"], 1e3)
            self.assertEqual([round(row["t"], 9) for row in self.trajectory("r")][:10], [round(0.1 * i, 9) for i in range(10)])

    def test_step_size_underflow(self):
        # x = sqrt(1 - 2 t) ends at t = 1/2 with an infinite slope.
        model = self.write("m.xml", """<ode> <state id="x" initial="1"/> <derivative of="x"> -1/x </derivative> </ode>""")
        result = self.fails(model, "--until", "2")
        self.assertIn(result["status"], ("step_too_small", "system_failed"))
        self.assertAlmostEqual(result["t"], 0.5, delta=1e-6)
        self.assertIn("stopped at t = 0.5 s", result["message"])

    def test_a_value_that_is_not_defined(self):
        model = self.write("m.xml", """<ode> <state id="x" initial="1"/> <derivative of="x"> -1 - 0*sqrt(x) </derivative> </ode>""")
        result = self.fails(model, "--until", "2", "--step", "0.25")
        self.assertEqual(result["status"], "system_failed")
        self.assertIn("infinite or undefined", result["message"])
        self.assertAlmostEqual(result["t"], 1, delta=1e-6)

    def test_a_quantity_that_is_not_defined_is_named(self):
        model = self.write("m.xml", OSCILLATOR)
        result = self.fails(model, "--until", "3", "--step", "0.5", "--observe", "x,log(x)")
        self.assertIn("log(x) became infinite or undefined", result["message"])
        self.assertEqual([row["t"] for row in self.trajectory("r")], [0, 0.5, 1, 1.5])

    def test_a_ball_that_comes_to_rest_never_stops_bouncing(self):
        model = self.write("m.xml", """<ode> <state id="h" initial="1"/> <state id="v" initial="0"/>
          <derivative of="h"> v </derivative> <derivative of="v"> -9.81 </derivative>
          <event id="bounce" when="h" direction="falling"> <set state="v"> -0.5*v </set> </event> </ode>""")
        result = self.fails(model, "--until", "10", "--step", "0.1")
        self.assertEqual(result["status"], "chattering")
        self.assertIn('"bounce"', result["message"])
        rest = math.sqrt(2 / 9.81) * 3  # t1 (1 + 2 (1/2 + 1/4 + ...))
        self.assertAlmostEqual(result["t"], rest, delta=1e-6)
        self.assertLess(len(result["events"]), 100)
        self.assertAlmostEqual(self.trajectory("r")[-1]["t"], 1.3, delta=1e-9)

    def test_sliding_on_a_switch_is_chattering(self):
        model = self.write("m.xml", """<ode> <state id="x" initial="0.25"/> <derivative of="x"> -sign(x) </derivative> </ode>""")
        result = self.fails(model, "--until", "1")
        self.assertEqual(result["status"], "chattering")
        self.assertAlmostEqual(result["t"], 0.25, delta=1e-9)

    def test_too_many_steps(self):
        result = self.fails(SIX_BAR, "--until", "10", "--max-steps", "20")
        self.assertEqual(result["status"], "too_many_steps")
        self.assertEqual(result["steps"] + result["rejected"], 20)
        self.assertEqual(len(result["last_state"]["y"]), 120)

    def test_a_body_that_can_never_rest_is_not_settled(self):
        model = self.write("m.xml", """<model> <body id="A" mass="1" moment_of_inertia="1 1 1"/>
          <force key="Gravitation" id="g" constants="-9.81"/> </model>""")
        result = self.fails(model, "--settle")
        self.assertEqual(result["status"], "not_settled")
        self.assertEqual((result["t"], result["steps"], result["rows"]), (0, 0, 0))

    def test_quiet_and_json_tell_on_standard_error(self):
        model = self.write("m.xml", """<ode> <state id="x" initial="1"/> <derivative of="x"> x*x </derivative> </ode>""")
        done = self.run_cli("simulate", model, "--quiet", code=1)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"^stopped at t = 1 s: .*\n$")


class Interrupted(CliTest):
    def test_writes_what_there_is(self):
        run = subprocess.Popen([PARFAIT, "simulate", str(SIX_BAR), "--until", "1e6", "--step", "1", "--out", "r"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1, out + err)
        result = self.result("r")
        self.assertEqual(result["status"], "interrupted")
        self.assertTrue(result["partial"])
        self.assertEqual(len(self.trajectory("r")), math.floor(result["t"]) + 1)
        self.assertGreater(result["t"], 1)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["r"])


if __name__ == "__main__":
    unittest.main()
