#!/usr/bin/env python3
"""examples/sitting_human: what it consists of, that it rests where it starts, and where the energy of its motion goes."""
import json
import unittest

from cli import SOURCE, CliTest

MODEL = SOURCE / "examples/sitting_human/sitting_human.xml"


class SittingHuman(CliTest):
    def test_bodies_and_degrees_of_freedom_are_those_of_kraus(self):
        facts = json.loads(self.run_cli("check", MODEL, "--json").stdout)
        self.assertEqual(len(facts["bodies"]), 28)
        self.assertEqual(facts["states"], 672)
        self.assertEqual((facts["degrees_of_freedom"], facts["driven"]), (81, ["excitation"]))
        self.assertEqual(facts["redundant"], [])
        self.assertIn("81 free + 1 driven", self.run_cli("check", MODEL).stdout)

    def test_the_posture_stored_is_a_stable_equilibrium(self):
        self.run_cli("modes", MODEL, "--set", "amplitude=0", "--out", "m")
        modes = self.result("m")
        self.assertTrue(modes["equilibrium"]["message"].endswith(", stable"), modes["equilibrium"]["message"])
        self.assertLess(modes["equilibrium"]["moved"], 1e-6)

    def test_energy_is_what_came_in_minus_what_was_lost(self):
        self.run_cli("simulate", MODEL, "--until", 1, "--step", 0.002, "--rtol", "1e-8", "--atol", "1e-10", "--observe",
                     "energy.total-energy.supplied+energy.dissipated,power.supplied,energy.dissipated", "--out", "r")
        rows = self.trajectory("r")
        balance = [row["energy.total-energy.supplied+energy.dissipated"] for row in rows]
        work = sum(abs(row["power.supplied"]) for row in rows) * 0.002
        self.assertGreater(rows[-1]["energy.dissipated"], 10)
        self.assertLess(max(abs(b - balance[0]) for b in balance), 1e-6 * work)
        names = [event["name"] for event in self.result("r")["events"]]
        for contact in ("seat_pelvis_left: contact", "back_thorax_left: contact", "floor_toe_left: contact"):
            self.assertIn(contact, names)


if __name__ == "__main__":
    unittest.main()
