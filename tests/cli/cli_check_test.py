#!/usr/bin/env python3
import json
import unittest

from cli import DOUBLE_PENDULUM, SIX_BAR, CliTest


class Check(CliTest):
    def test_six_bar_has_one_freedom_and_one_redundant_row(self):
        facts = json.loads(self.run_cli("check", SIX_BAR, "--json").stdout)
        self.assertEqual(facts["degrees_of_freedom"], 1)
        self.assertEqual(len(facts["redundant"]), 1)
        self.assertEqual(facts["states"], 5 * 24)

    def test_double_pendulum_has_two_freedoms_and_no_redundant_row(self):
        facts = json.loads(self.run_cli("check", DOUBLE_PENDULUM, "--json").stdout)
        self.assertEqual(facts["bodies"], ["Upper", "Lower"])
        self.assertEqual(facts["joints"], ["Shoulder", "Elbow"])
        self.assertEqual(facts["degrees_of_freedom"], 2)
        self.assertEqual(facts["redundant"], [])
        self.assertEqual([parameter["id"] for parameter in facts["parameters"]], ["mass_of_lower"])

    def test_text_names_what_it_counts(self):
        text = self.run_cli("check", SIX_BAR).stdout
        for words in ("Rod5", "Hinge6", "degrees of freedom"):
            self.assertIn(words, text)

    def test_formula_models_are_checked_too(self):
        model = self.write("d.xml", """<dae> <state id="x" initial="1"/> <algebraic id="z" initial="1"/>
          <parameter id="k" initial="2"/> <define id="f"> k*z </define>
          <derivative of="x"> -f </derivative> <equation> z = x </equation>
          <event id="half" when="x - 0.5"/> </dae>""")
        facts = json.loads(self.run_cli("check", model, "--json").stdout)
        self.assertEqual((facts["kind"], facts["states"]), ("dae", 1))
        for key, ids in (("external_states", ["x"]), ("algebraic_states", ["z"]), ("definitions", ["f"]), ("events", ["half"])):
            self.assertEqual(facts[key], ids)
        text = self.run_cli("check", model).stdout
        for words in ("algebraic states", "half", "k = 2"):
            self.assertIn(words, text)

    def test_axes_that_point_against_each_other_are_refused(self):
        model = self.write("a.xml", """<model> <body id="A" mass="1" moment_of_inertia="1 1 1"/>
          <joint key="Revolute" id="J"> <begin id="Inertial" z="0 0 1"/> <end id="A" z="0 0 -1"/> </joint> </model>""")
        self.assertIn("opposite directions", self.error_of("check", model))

    def test_a_distance_of_zero_is_refused(self):
        model = self.write("a.xml", """<model> <body id="A" mass="1" moment_of_inertia="1 1 1"/>
          <joint key="FixedDistance" id="J" distance="0"> <begin id="Inertial"/> <end id="A"/> </joint> </model>""")
        self.assertIn("use Spherical", self.error_of("check", model))


if __name__ == "__main__":
    unittest.main()
