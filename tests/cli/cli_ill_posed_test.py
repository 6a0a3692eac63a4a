#!/usr/bin/env python3
"""Mechanisms whose motion does not tell what is asked: the fit ends well and says what it cannot know."""
import math
import shutil
import unittest

from cli import SOURCE, CliTest

HINGED = """  <body id="{id}" mass="2" center_of_mass="0.5 0 0" moment_of_inertia="0.1 0.2 0.2"> <position o="0 {y} 0"/> </body>
  <joint key="Revolute" id="Hinge{id}"> <begin id="Inertial" o="0 {y} 0" z="0 1 0"/> <end id="{id}" z="0 1 0"/> </joint>
"""
SPRING = """  <force key="Spring" id="{id}" rest_length="0.5" stiffness="{k}">
    <begin id="Inertial" o="1 {y} 1"/> <end id="{body}" o="1 0 0"/>
  </force>
"""
PROBLEM = """<problem>
{estimates}  <experiment id="run" model="model.xml" data="run.csv">
    <samples from="0.05" to="1" count="20"/>
    <observe column="x" quantity="{body}.com.x" sigma="0.005"/>
    <observe column="z" quantity="{body}.com.z" sigma="0.005"/>
    <grid intervals="3"/>
  </experiment>
</problem>
"""


class IllPosed(CliTest):
    def fit(self, model, body, guesses):
        """What is printed about a fit of synthetic data, and its result."""
        parameters = "".join(f'  <parameter id="{p}" drives="{drives}"/>\n' for p, drives, _, _ in guesses)
        estimates = "".join(f'  <estimate parameter="{p}" initial="{start}" true="{true}"/>\n' for p, _, start, true in guesses)
        gravity = '  <force key="Gravitation" id="Gravity" g="-9.81"/>\n'
        self.write("model.xml", f'<model id="m">\n{parameters}{model}{gravity}</model>\n')
        self.write("problem.xml", PROBLEM.format(estimates=estimates, body=body))
        self.run_cli("synthesize", "problem.xml")
        done = self.run_cli("fit", "problem.xml", "--out", "r", code=0)
        self.assertEqual(done.stderr, "")
        return done.stdout, self.result("r")

    def test_of_two_springs_in_parallel_only_the_sum_is_known(self):
        model = HINGED.format(id="Bar", y=0) + "".join(
            SPRING.format(id=id, body="Bar", y=0, k=k) for id, k in (("One", 30), ("Two", 20)))
        said, result = self.fit(model, "Bar", [("k1", "One.stiffness", 10, 30), ("k2", "Two.stiffness", 16, 20)])
        self.assertRegex(said, r"k1 +[0-9.]+ +not determined +10 +30")
        self.assertIn("""  What the data cannot determine:
  - The data determine only k1 + k2: k1 and k2 cannot be told apart.
""", said)
        self.assertIn("warning: the data determine 1 of 2 free directions only", said)
        self.assertAlmostEqual(sum(p["value"] for p in result["parameters"]), 50, delta=1)
        self.assertEqual([p["sd"] for p in result["parameters"]], [None, None])

    def test_a_stone_falls_as_fast_whatever_its_mass(self):
        stone = '  <body id="Stone" mass="2" moment_of_inertia="0.1 0.2 0.25"> <velocity v="1 0 3" omega="1 2 3"/> </body>\n'
        said, result = self.fit(stone, "Stone", [("mass", "Stone.mass", 5, 2), ("gravity", "Gravity.g", -5, -9.81)])
        self.assertRegex(said, r"mass has .*influence on .*measurement")
        mass, gravity = result["parameters"]
        self.assertEqual((mass["value"], mass["determined"]), (5, "undetermined"))
        self.assertLess(abs(gravity["value"] + 9.81), 4 * gravity["sd"])

    def test_parameters_of_a_body_that_nobody_watches_are_named(self):
        model = "".join(HINGED.format(id=id, y=y) + SPRING.format(id="Spring" + id, body=id, y=y, k=30)
                        for id, y in (("Left", 0), ("Right", 2)))
        said, result = self.fit(model, "Left", [("k_left", "SpringLeft.stiffness", 20, 30),
                                                ("k_right", "SpringRight.stiffness", 20, 30), ("m_right", "Right.mass", 1, 2)])
        self.assertIn("""  What the data cannot determine:
  - k_right has no influence on any measurement.
  - m_right has no influence on any measurement.
""", said)
        self.assertEqual([p["determined"] for p in result["parameters"]], ["by_data", "undetermined", "undetermined"])

    def test_no_mass_is_found_below_zero(self):
        """Nonsense for data: a pendulum that hangs nearly still. A second arm of -214 kg would fit them best."""
        for file in ("crane_mm.xml", "p.xml", "d.csv"):
            shutil.copy(SOURCE / "tests/cases/went_wrong/projection_tolerance" / file, self.folder)
        self.run_cli("fit", "p.xml", "--out", "r", code=None)
        result = self.result("r")
        self.assertGreaterEqual(result["parameters"][0]["value"], 0)
        self.assertLessEqual(result["objective"], 2.00023077e8 * (1 + 1e-6), "never worse than the start")

    def test_an_inertia_that_no_body_has_is_told(self):
        """Only the moment about the axis is seen, and data of 3 beside 1 and 1 kg m^2 want it larger than their sum."""
        self.write("model.xml", """<model id="m">
  <body id="Rotor" mass="1" moment_of_inertia="1 1 1.5"><position o="0 0 0" x="0.8 0.6 0" y="-0.6 0.8 0"/></body>
  <joint key="Revolute" id="J"><begin id="Inertial" z="0 0 1"/><end id="Rotor" z="0 0 1"/></joint>
  <force key="Rotational_Spring" id="Wire" stiffness="12"><begin id="Inertial" z="0 0 1"/><end id="Rotor" z="0 0 1"/></force>
  <parameter id="Izz" drives="Rotor.inertia.zz"/>
</model>
""")
        start = math.atan2(0.6, 0.8)
        self.write("data.csv", "t,angle\n" + "".join(f"{t / 10},{start * math.cos(2 * t / 10):.9f}\n" for t in range(1, 20)))
        self.write("problem.xml", """<problem>
  <estimate parameter="Izz"/>
  <experiment id="e" model="model.xml" data="data.csv"><observe column="angle" quantity="J.angle" sigma="1e-3"/></experiment>
</problem>
""")
        done = self.run_cli("fit", "problem.xml", "--out", "r")
        result = self.result("r")
        self.assertAlmostEqual(result["parameters"][0]["value"], 3, delta=1e-4)
        self.assertIn("with these estimates the model is impossible", done.stdout)
        self.assertIn("exceeds the sum of the others", result["warnings"][-1])


if __name__ == "__main__":
    unittest.main()
