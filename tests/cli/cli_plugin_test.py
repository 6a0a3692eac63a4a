#!/usr/bin/env python3
import json
import unittest

from cli import PLUGIN, CliTest

MODEL = """<model>
  <body id="Puck" mass="1" moment_of_inertia="1 1 1">
    <velocity v="1 0 0"/>
  </body>
  <joint key="PlanarContact" id="Table">
    <begin id="Inertial"/> <end id="Puck"/>
  </joint>
  <force key="Gravitation" id="Gravity" constants="-9.81"/>
</model>
"""


class Plugin(CliTest):
    def test_its_element_is_listed_only_when_loaded(self):
        keys = lambda *options: [joint["key"] for joint in
                                 json.loads(self.run_cli("elements", "--json", *options).stdout)["joints"]]
        self.assertNotIn("PlanarContact", keys())
        self.assertIn("PlanarContact", keys("--plugin", PLUGIN))

    def test_its_element_moves_a_model(self):
        model = self.write("puck.xml", MODEL)
        self.assertIn("PlanarContact", self.error_of("simulate", model))
        self.run_cli("simulate", model, "--plugin", PLUGIN, "--until", "2", "--out", "puck")
        last = self.trajectory("puck")[-1]
        self.assertAlmostEqual(last["Puck.com.x"], 2, delta=1e-9)  # slides
        self.assertAlmostEqual(last["Puck.com.z"], 0, delta=1e-9)  # and does not fall


if __name__ == "__main__":
    unittest.main()
