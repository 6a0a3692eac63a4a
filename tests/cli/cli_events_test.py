#!/usr/bin/env python3
"""parfait simulate with events: what the tables and the summary say of them."""
import math
import unittest

from cli import SOURCE, CliTest

BALL = """<ode>
  <state id="h" initial="1"/> <state id="v" initial="0"/>
  <parameter id="g" initial="9.81"/>
  <derivative of="h"> v </derivative> <derivative of="v"> -g </derivative>
  <event id="bounce" when="h" direction="falling"> <set state="v"> -0.8*v </set> </event>
</ode>"""
FIRST = math.sqrt(2 / 9.81)


class Events(CliTest):
    def test_bounces_are_listed_with_their_times(self):
        model = self.write("ball.xml", BALL)
        done = self.run_cli("simulate", model, "--until", "2", "--out", "r")
        events = self.result("r")["events"]
        times = [FIRST * (1 + 2 * sum(0.8 ** i for i in range(1, n + 1))) for n in range(3)]
        self.assertEqual([event["name"] for event in events], ["bounce"] * 3)
        for event, t in zip(events, times):
            self.assertAlmostEqual(event["t"], t, delta=1e-9)
            self.assertTrue(event["jumped"])
            self.assertEqual(event["mode"], 1)
        self.assertIn("3 events\n", done.stdout)
        self.assertRegex(done.stdout, r"t = 0\.4515\d+ +bounce  jump")

    def test_contacts_of_a_mechanism_happen_once_whatever_projection_moves(self):
        model = SOURCE / "tests/cases/models/hitting_pendulum.xml"
        for rtol in ("1e-4", "1e-6", "1e-8"):
            self.run_cli("simulate", model, "--rtol", rtol, "--out", "r")
            seen = [(event["name"], event["mode"]) for event in self.result("r")["events"]]
            self.assertEqual(seen, [("Floor: touch", 1), ("Floor: touch", -1), ("Wall", 1),
                                    ("Floor: touch", 1), ("Floor: touch", -1)])

    def test_every_step_shows_both_sides_of_a_jump(self):
        model = self.write("ball.xml", BALL)
        self.run_cli("simulate", model, "--until", "1", "--every-step", "--out", "r")
        rows = self.trajectory("r")
        result = self.result("r")
        self.assertEqual(len(rows), result["steps"] + 2)  # the start, and the other side of the bounce
        self.assertEqual([row["t"] for row in rows], sorted(row["t"] for row in rows))
        before, after = [row for row in rows if abs(row["t"] - FIRST) < 1e-9]
        self.assertEqual(before["t"], after["t"])
        self.assertAlmostEqual(after["v"], -0.8 * before["v"], delta=1e-12)
        self.assertIsNone(result["options"]["step"])

    def test_rates_on_both_sides_of_a_switch_are_those_of_their_side(self):
        model = self.write("kink.xml", """<ode> <state id="x" initial="0"/>
          <derivative of="x"> 2 + sign(x - 1) </derivative> </ode>""")
        self.run_cli("simulate", model, "--until", "2", "--every-step", "--observe", "x,x.rate", "--out", "r")
        before, after = [row for row in self.trajectory("r") if abs(row["x"] - 1) < 1e-9]
        self.assertEqual((before["x.rate"], after["x.rate"]), (1, 3))

    def test_a_row_at_the_time_of_an_event_is_the_one_before_it(self):
        model = self.write("kick.xml", """<ode> <state id="x" initial="0"/>
          <derivative of="x"> 1 </derivative>
          <event id="kick" at="1"> <set state="x"> x + 10 </set> </event> </ode>""")
        self.run_cli("simulate", model, "--until", "2", "--step", "0.5", "--out", "r")
        for row, x in zip(self.trajectory("r"), (0, 0.5, 1, 11.5, 12)):
            self.assertAlmostEqual(row["x"], x, delta=1e-12)
        self.run_cli("simulate", model, "--until", "2", "--every-step", "--out", "r")
        at_kick = [row["x"] for row in self.trajectory("r") if row["t"] == 1]
        self.assertEqual(len(at_kick), 2)
        self.assertAlmostEqual(at_kick[1], at_kick[0] + 10, delta=1e-12)

    def test_terminal_event_ends_the_run_and_the_table(self):
        model = self.write("drop.xml", """<ode> <state id="h" initial="1"/> <state id="v" initial="0"/>
          <derivative of="h"> v </derivative> <derivative of="v"> -9.81 </derivative>
          <event id="ground" when="h" direction="falling" terminal="true"/> </ode>""")
        done = self.run_cli("simulate", model, "--until", "2", "--step", "0.1", "--out", "r")
        result = self.result("r")
        self.assertEqual((result["status"], result["partial"]), ("terminated", False))
        self.assertIn('ended by event "ground"', done.stdout)
        self.assertNotIn("last_state", result)
        rows = self.trajectory("r")
        self.assertEqual([round(row["t"], 9) for row in rows[:-1]], [0, 0.1, 0.2, 0.3, 0.4])
        self.assertAlmostEqual(rows[-1]["t"], FIRST, delta=1e-9)
        self.assertAlmostEqual(rows[-1]["h"], 0, delta=1e-9)

    def test_impact_of_a_body_is_an_event_too(self):
        model = self.write("impact.xml", """<model>
          <body id="A" mass="2" moment_of_inertia="1 1 1"> <position o="0 0 1"/> </body>
          <force key="Gravitation" id="g" constants="-9.81"/>
          <event key="Impact" id="floor" restitution="0.5"> <begin id="Inertial"/> <end id="A"/> </event>
        </model>""")
        self.run_cli("simulate", model, "--until", "0.6", "--step", "0.6", "--out", "r")
        self.assertAlmostEqual(self.result("r")["events"][0]["t"], FIRST, delta=1e-9)
        s = 0.6 - FIRST
        self.assertAlmostEqual(self.trajectory("r")[-1]["A.com.z"], 0.5 * 9.81 * FIRST * s - 9.81 * s * s / 2, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
