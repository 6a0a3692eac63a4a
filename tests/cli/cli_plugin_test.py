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

# A block hangs on a bushing and falls: it breaks where it has stretched by 5 cm, and the block falls freely.
# One axis moves: m z'' = -m g - c z - d c z', z(0) = 0.
BUSHING = """<model>
  <body id="Block" mass="2" moment_of_inertia="0.1 0.1 0.1"/>
  <force key="BreakingBushing" id="Mount" c11="900" c22="900" c33="160" c44="20" c55="20" c66="20" c15="3"
         damping="0.02" limit="0.05">
    <begin id="Inertial"/> <end id="Block"/>
  </force>
  <force key="Gravitation" id="Gravity" g="-9.81"/>
  <parameter id="c" drives="Mount.c33"/>
  <parameter id="loss" drives="Mount.damping"/>
  <parameter id="limit" drives="Mount.limit"/>
</model>
"""

# A cord from the ground through an eyelet on a sliding body to a hanging one.
CORD = """<model>
  <body id="Slider" mass="1" moment_of_inertia="0.1 0.1 0.1"/>
  <body id="Weight" mass="0.5" moment_of_inertia="0.1 0.1 0.1">
    <position o="0.4 0 -0.6"/>
  </body>
  <joint key="Prismatic" id="Rail"> <begin id="Inertial" z="1 0 0"/> <end id="Slider" z="1 0 0"/> </joint>
  <joint key="Prismatic" id="Guide"> <begin id="Inertial" o="0.4 0 0"/> <end id="Weight"/> </joint>
  <force key="CreepingCord" id="Cord" stiffness="200" damping="1e12" rest_length="1.2">
    <begin id="Inertial" o="-1 0 0.2"/> <via id="Slider" o="0.1 0 0.1"/> <end id="Weight"/>
  </force>
  <force key="Gravitation" id="Gravity" g="-9.81"/>
  <parameter id="k" drives="Cord.stiffness"/>
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

    def simulated(self, model, out, *options):
        self.run_cli("simulate", model, "--plugin", PLUGIN, "--rtol", "1e-10", "--atol", "1e-12", "--out", out, *options)
        return self.trajectory(out)

    def test_its_bushing_breaks_where_it_should(self):
        model = self.write("mount.xml", BUSHING)
        rows = self.simulated(model, "mount", "--until", "0.4", "--step", "0.001", "--observe",
                              "Block.com.z,Block.com.vz,Mount.energy,Mount.intact,energy.total,Mount.dissipation")
        event = self.result("mount")["events"][0]
        self.assertEqual(event["name"], "Mount: break")
        broken = event["t"]
        before = [row for row in rows if row["t"] < broken]
        after = [row for row in rows if row["t"] > broken]
        self.assertGreater(len(before), 50)
        self.assertGreater(len(after), 50)
        for row in before:
            self.assertEqual(row["Mount.intact"], 1)
            self.assertGreater(row["Block.com.z"], -0.05)
        # Until then the energy falls by what was dissipated (trapezoids of steps of 1 ms: 1e-6), then it is kept.
        lost = sum(0.0005 * (a["Mount.dissipation"] + b["Mount.dissipation"]) for a, b in zip(before, before[1:]))
        self.assertGreater(lost, 0.01)
        self.assertAlmostEqual(before[0]["energy.total"] - before[-1]["energy.total"], lost, delta=1e-5)
        for row in after:
            self.assertEqual(row["Mount.intact"], 0)
            self.assertEqual(row["Mount.energy"], 0)
            self.assertAlmostEqual(row["energy.total"], after[0]["energy.total"], delta=1e-9)
            # and it falls freely
            fall = after[0]["Block.com.vz"] - 9.81 * (row["t"] - after[0]["t"])
            self.assertAlmostEqual(row["Block.com.vz"], fall, delta=1e-9)

    def test_sensitivities_are_exact_across_the_break(self):
        model = self.write("mount.xml", BUSHING)
        options = ("--until", "0.4", "--step", "0.1", "--observe", "Block.com.z,Block.com.vz")
        rows = self.simulated(model, "s", "--sensitivity", "c,loss,limit", *options)
        for parameter, value, step in (("c", 160, 0.05), ("loss", 0.02, 1e-5), ("limit", 0.05, 1e-5)):
            plus = self.simulated(model, "p", "--set", f"{parameter}={value + step!r}", *options)
            minus = self.simulated(model, "m", "--set", f"{parameter}={value - step!r}", *options)
            for name in ("Block.com.z", "Block.com.vz"):
                expected = (plus[-1][name] - minus[-1][name]) / (2 * step)
                found = rows[-1][f"d{name}/d{parameter}"]
                self.assertGreater(abs(found), 1e-5)
                self.assertAlmostEqual(found, expected, delta=1e-5 * abs(expected))

    def test_a_fit_sees_what_an_event_changed(self):
        """Nodes behind the break start with a broken bushing; exact data give the parameters back."""
        model = self.write("mount.xml", BUSHING)
        rows = self.simulated(model, "data", "--until", "0.4", "--step", "0.02", "--observe", "Block.com.z")
        self.write("data.csv", "t,z\n" + "".join(f"{row['t']!r},{row['Block.com.z']!r}\n" for row in rows[1:]))
        self.write("problem.xml", """<problem>
  <estimate parameter="c" initial="150" lower="0"/>
  <estimate parameter="limit" initial="0.047" lower="0"/>
  <experiment id="fall" model="mount.xml" data="data.csv">
    <observe column="z" quantity="Block.com.z" sigma="0.001"/>
    <initial fixed="true"/>
    <grid intervals="4"/>
  </experiment>
  <options rtol="1e-9" atol="1e-11"/>
</problem>
""")
        self.run_cli("fit", "problem.xml", "--plugin", PLUGIN, "--out", "fit")
        found = {p["id"]: p["value"] for p in self.result("fit")["parameters"]}
        self.assertAlmostEqual(found["c"], 160, delta=1e-4)
        self.assertAlmostEqual(found["limit"], 0.05, delta=1e-7)

    def test_its_element_has_three_ends(self):
        model = self.write("cord.xml", CORD)
        rows = self.simulated(model, "cord", "--until", "2", "--step", "0.05", "--observe",
                              "Cord.length,Cord.force,energy.total,Slider.com.x,Weight.com.z")
        self.assertGreater(max(row["Cord.length"] for row in rows) - min(row["Cord.length"] for row in rows), 0.05)
        for row in rows:
            # A damper of 1e12 N s/m hardly moves: the energy is kept, and the length follows from the markers.
            self.assertAlmostEqual(row["energy.total"], rows[0]["energy.total"], delta=1e-6)
            x, z = row["Slider.com.x"] + 0.1, row["Weight.com.z"]
            length = ((x + 1) ** 2 + 0.1**2) ** 0.5 + ((x - 0.4) ** 2 + (z - 0.1) ** 2) ** 0.5
            self.assertAlmostEqual(row["Cord.length"], length, delta=1e-9)
        self.assertIn("CreepingCord has 3 to 9 ends", self.error_of(
            "simulate", self.write("two.xml", CORD.replace("<via id=\"Slider\" o=\"0.1 0 0.1\"/>", "")), "--plugin", PLUGIN))


if __name__ == "__main__":
    unittest.main()
