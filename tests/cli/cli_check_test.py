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

    def write_problem(self, estimate='<estimate parameter="k" initial="2"/>'):
        self.write("m.xml", """<ode> <parameter id="k" initial="1" lower="0"/> <parameter id="c" initial="3"/>
          <state id="x" initial="c" derivative="-k*x"/> </ode>""")
        self.write("d.csv", "t,x\n0,3\n0.5,\n1,1.1\n")
        return self.write("p.xml", f"""<problem> {estimate}
          <experiment id="run1" model="m.xml" data="d.csv"> <observe column="x" quantity="x"/>
            <initial fixed="false"/> <grid intervals="4"/> </experiment>
          <experiment id="run2" model="m.xml" data="d.csv"> <local parameter="c" initial="1"/>
            <observe column="x" quantity="2*x" sigma="0.1"/> <require at="1"> x >= 0 </require> </experiment>
        </problem>""")

    def test_a_problem_is_counted(self):
        facts = json.loads(self.run_cli("check", self.write_problem(), "--json").stdout)
        self.assertEqual([e["id"] for e in facts["experiments"]], ["run1", "run2"])
        self.assertEqual((facts["measurements"], facts["nodes"], facts["requirements"]), (4, 5, 1))
        # k; run1: the free start and three later nodes; run2: c.
        self.assertEqual(facts["unknowns"], 1 + 4 + 1)
        self.assertEqual([(p["id"], p["experiment"], p["lower"]) for p in facts["parameters"]],
                         [("k", None, 0), ("c", "run2", None)])
        self.assertEqual(facts["warnings"], [])

    def test_a_problem_in_words(self):
        text = self.run_cli("check", self.write_problem()).stdout
        for words in ("p.xml is a problem", "run1: m.xml, d.csv: 2 measurements in 3 rows, from 0 to 1, 4 nodes",
                      "k = 2   in [0, inf]", "c = 1   in [-inf, inf], only in run2"):
            self.assertIn(words, text)

    def test_a_wrong_problem_is_refused_with_its_place(self):
        error = self.error_of("check", self.write_problem('<estimate parameter="kk" initial="2"/>'))
        self.assertIn('p.xml:1:11: estimate "kk": no experiment has a parameter "kk". Did you mean "k"?', error)


if __name__ == "__main__":
    unittest.main()
