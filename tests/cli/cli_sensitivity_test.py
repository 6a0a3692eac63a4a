#!/usr/bin/env python3
"""parfait simulate --sensitivity: closed forms, and differences of two runs."""
import math
import unittest

from cli import DOUBLE_PENDULUM, SIX_BAR, CliTest

DECAY = """<ode>
  <state id="x" initial="2*a"/>
  <parameter id="k" initial="0.5"/> <parameter id="a" initial="1.5"/>
  <derivative of="x"> -k*x </derivative>
</ode>"""

# h' = v, v' = -g, v -> -c v at h = 0.
BALL = """<ode>
  <state id="h" initial="1"/> <state id="v" initial="0"/>
  <parameter id="g" initial="9.81"/> <parameter id="c" initial="0.8"/>
  <derivative of="h"> v </derivative> <derivative of="v"> -g </derivative>
  <event id="bounce" when="h" direction="falling"> <set state="v"> -c*v </set> </event>
</ode>"""

# y1 + y2 = 1 + b is solved for y2.
DAE = """<dae>
  <state id="y1" initial="1"/> <algebraic id="y2" initial="0"/>
  <parameter id="k" initial="2"/> <parameter id="b" initial="0.25"/>
  <derivative of="y1"> -k*y1 </derivative>
  <equation> y1 + y2 = 1 + b </equation>
</dae>"""

# A four-bar linkage, the coupler of which is described some centimetres off: assembly turns both bodies,
# and by how much depends on the length of the rod that closes the loop.
FOUR_BAR = """<model>
  <body id="Crank" mass="1" center_of_mass="0.25 0 0" moment_of_inertia="0.1 0.1 0.1"/>
  <body id="Coupler" mass="1" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.2 0.2">
    <position o="0.52 0 -0.03" x="0.9 0 0.5" y="0 1 0"/>
  </body>
  <joint key="Revolute" id="A"> <begin id="Inertial" z="0 1 0"/> <end id="Crank" z="0 1 0"/> </joint>
  <joint key="Revolute" id="B"> <begin id="Crank" o="0.5 0 0" z="0 1 0"/> <end id="Coupler" z="0 1 0"/> </joint>
  <joint key="FixedDistance" id="Rod" distance="0.9"> <begin id="Inertial" o="1.5 0 -0.3"/> <end id="Coupler" o="1 0 0"/> </joint>
  <force key="Gravitation" id="g" constants="-9.81"/>
  <parameter id="L" drives="Rod.distance"/>
</model>"""


class Sensitivity(CliTest):
    def difference(self, model, parameter, value, step, columns, *options):
        """Central difference of two runs, row by row."""
        runs = []
        for sign in (1, -1):
            self.run_cli("simulate", model, "--set", f"{parameter}={value + sign * step!r}", "--out", "d", *options)
            runs.append(self.trajectory("d"))
        return [{name: (plus[name] - minus[name]) / (2 * step) for name in columns} for plus, minus in zip(*runs)]

    def test_columns_are_named_after_quantity_and_parameter(self):
        model = self.write("m.xml", DECAY)
        self.run_cli("simulate", model, "--until", "1", "--step", "1", "--sensitivity", "k,initial:x",
                     "--observe", "x,x*x", "--out", "r")
        self.assertEqual(list(self.trajectory("r")[0]), ["t", "x", "x*x", "dx/dk", "dx/dinitial:x", "dx*x/dk",
                                                         "dx*x/dinitial:x"])

    def test_decay_matches_its_closed_form_with_every_method(self):
        # x = 2 a exp(-k t)
        model = self.write("m.xml", DECAY)
        for method, delta in (("dop853", 1e-8), ("dopri5", 1e-7), ("abm", 1e-7), ("bdf", 1e-6)):
            self.run_cli("simulate", model, "--until", "2", "--step", "0.7", "--integrator", method,
                         "--sensitivity", "k,a,initial:x", "--out", "r")
            for row in self.trajectory("r"):
                e = math.exp(-0.5 * row["t"])
                self.assertAlmostEqual(row["dx/dk"], -row["t"] * 3 * e, delta=delta, msg=method)
                self.assertAlmostEqual(row["dx/da"], 2 * e, delta=delta, msg=method)
                self.assertAlmostEqual(row["dx/dinitial:x"], e, delta=delta, msg=method)

    def test_ball_that_bounced_matches_its_closed_form(self):
        # After the first bounce at t1 = sqrt(2 h0 / g): h = c g t1 s - g s^2 / 2, s = t - t1.
        model = self.write("m.xml", BALL)
        self.run_cli("simulate", model, "--until", "1", "--step", "1", "--sensitivity", "g,c,initial:h", "--out", "r")
        row = self.trajectory("r")[-1]
        g, c, t = 9.81, 0.8, 1.0
        t1 = math.sqrt(2 / g)
        s = t - t1
        h_of_t1 = c * g * (s - t1) + g * s
        for name, dt1, explicit in (("g", -t1 / (2 * g), c * t1 * s - s * s / 2), ("c", 0, g * t1 * s),
                                    ("initial:h", t1 / 2, 0)):
            self.assertAlmostEqual(row[f"dh/d{name}"], h_of_t1 * dt1 + explicit, delta=1e-9)

    def test_algebraic_states_have_theirs(self):
        model = self.write("m.xml", DAE)
        self.run_cli("simulate", model, "--until", "1", "--step", "0.5", "--sensitivity", "k,b", "--out", "r")
        self.assertEqual(self.result("r")["options"]["integrator"], "bdf")
        for row in self.trajectory("r"):
            e = math.exp(-2 * row["t"])
            self.assertAlmostEqual(row["y2"], 1.25 - e, delta=1e-6)
            self.assertAlmostEqual(row["dy2/dk"], row["t"] * e, delta=1e-6)
            self.assertAlmostEqual(row["dy2/db"], 1, delta=1e-9)

    def test_mass_agrees_with_differences_of_two_runs(self):
        options = ("--until", "1", "--step", "0.25", "--rtol", "1e-11", "--atol", "1e-13",
                   "--observe", "Lower.com.x,Elbow.angle,Lower.com.ax")
        self.run_cli("simulate", DOUBLE_PENDULUM, *options, "--sensitivity", "mass_of_lower", "--out", "r")
        rows = self.trajectory("r")
        columns = ("Lower.com.x", "Elbow.angle", "Lower.com.ax")
        differences = self.difference(DOUBLE_PENDULUM, "mass_of_lower", 2, 1e-4, columns, *options)
        for row, difference in zip(rows[1:], differences[1:]):
            for name in columns:
                self.assertAlmostEqual(row[f"d{name}/dmass_of_lower"], difference[name],
                                       delta=1e-6 * (1 + abs(difference[name])))
        self.assertGreater(abs(rows[-1]["dLower.com.x/dmass_of_lower"]), 1e-3)

    def test_samples_between_steps_stay_on_the_constraints_with_their_derivatives(self):
        length = "Lower.e1.x^2+Lower.e1.y^2+Lower.e1.z^2"
        self.run_cli("simulate", DOUBLE_PENDULUM, "--until", "2", "--step", "0.037", "--rtol", "1e-4", "--atol", "1e-4",
                     "--observe", f"Lower.e1.x,{length}", "--sensitivity", "mass_of_lower", "--out", "r")
        rows = self.trajectory("r")
        for row in rows:
            self.assertAlmostEqual(row[length], 1, delta=1e-11)
            self.assertAlmostEqual(row[f"d{length}/dmass_of_lower"], 0, delta=1e-9)
        self.assertGreater(max(abs(row["dLower.e1.x/dmass_of_lower"]) for row in rows), 0.1)

    def test_geometry_moves_the_start_and_its_derivative(self):
        model = self.write("m.xml", FOUR_BAR)
        columns = ("Coupler.com.x", "Coupler.com.z", "A.angle")
        options = ("--until", "0.5", "--step", "0.25", "--rtol", "1e-11", "--atol", "1e-13",
                   "--observe", ",".join(columns))
        self.run_cli("simulate", model, *options, "--sensitivity", "L", "--out", "r")
        rows = self.trajectory("r")
        differences = self.difference(model, "L", 0.9, 1e-4, columns, *options)
        for row, difference in zip(rows, differences):
            for name in columns:
                self.assertAlmostEqual(row[f"d{name}/dL"], difference[name], delta=1e-5)
        self.assertGreater(abs(rows[0]["dA.angle/dL"]), 0.1)

    def test_the_equilibrium_a_motion_starts_from_moves_with_the_parameters(self):
        # At rest x = w/k; later the weight doubles.
        model = self.write("spring.xml", """<ode>
          <state id="x" initial="0"/> <state id="v" initial="0"/>
          <parameter id="k" initial="4"/> <parameter id="w" initial="6"/>
          <derivative of="x"> v </derivative> <derivative of="v"> w*(1 + step(t - 1)) - k*x - 0.5*v </derivative> </ode>""")
        self.run_cli("simulate", model, "--settle", "--until", "2", "--step", "1", "--sensitivity", "k,w,initial:x", "--out", "r")
        first = self.trajectory("r")[0]
        for name, value in (("x", 1.5), ("v", 0), ("dx/dk", -6 / 16), ("dx/dw", 1 / 4), ("dv/dk", 0), ("dx/dinitial:x", 0)):
            self.assertAlmostEqual(first[name], value, delta=1e-9)
        last, columns = self.trajectory("r")[-1], ("x", "v")
        difference = self.difference(model, "k", 4, 1e-4, columns, "--settle", "--until", "2", "--step", "1", "--rtol", "1e-11")
        for name in columns:
            self.assertAlmostEqual(last[f"d{name}/dk"], difference[-1][name], delta=1e-6)

    def test_a_settled_mechanism_moves_with_its_geometry(self):
        # Where the linkage hangs at rest depends on the length of the rod. A push starts the motion.
        model = self.write("m.xml", FOUR_BAR.replace("</model>", """
          <force key="General_Rotational" id="Push" law="-50*max(t - 0.1, 0)">
            <begin id="Inertial" z="0 1 0"/> <end id="Crank" z="0 1 0"/> </force> </model>"""))
        columns = ("Coupler.com.x", "Coupler.com.z", "A.angle")
        options = ("--settle", "--until", "0.5", "--step", "0.25", "--rtol", "1e-11", "--atol", "1e-13",
                   "--observe", ",".join(columns))
        self.run_cli("simulate", model, *options, "--sensitivity", "L", "--out", "r")
        rows = self.trajectory("r")
        differences = self.difference(model, "L", 0.9, 1e-4, columns, *options)
        for row, difference in zip(rows, differences):
            for name in columns:
                self.assertAlmostEqual(row[f"d{name}/dL"], difference[name], delta=1e-5)
        self.assertGreater(abs(rows[0]["dA.angle/dL"]), 0.1)
        self.assertGreater(abs(rows[-1]["A.angle"] - rows[0]["A.angle"]), 1e-3)

    def test_controlled_sensitivities_take_more_steps(self):
        # d x/d k oscillates faster than x is large: alone it would need smaller steps.
        model = self.write("m.xml", """<ode> <state id="x" initial="1e-6"/> <state id="y" initial="0"/>
          <parameter id="k" initial="0"/>
          <derivative of="x"> 50*y + k </derivative> <derivative of="y"> -50*x </derivative> </ode>""")
        steps = []
        for options in ((), ("--control-sensitivities",)):
            self.run_cli("simulate", model, "--until", "5", "--atol", "1e-10", "--sensitivity", "k", "--out", "r",
                         *options)
            steps.append(self.result("r")["steps"])
        self.assertGreater(steps[1], 1.2 * steps[0])

    def test_unknown_names_are_refused_with_a_suggestion(self):
        error = lambda name, model=DOUBLE_PENDULUM: self.error_of("simulate", model, "--sensitivity", name)
        self.assertIn('Did you mean "mass_of_lower"?', error("mass_of_lowr"))
        self.assertIn("given twice", error("mass_of_lower,mass_of_lower"))
        self.assertIn("has no parameters", error("mass", SIX_BAR))
        model = self.write("m.xml", DECAY)
        self.assertIn("write initial:x", error("x", model))
        self.assertIn('no state "y"', error("initial:y", model))
        self.assertIn("needs --sensitivity", self.error_of("simulate", model, "--control-sensitivities"))


if __name__ == "__main__":
    unittest.main()
