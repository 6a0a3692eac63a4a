#!/usr/bin/env python3
"""Models of other programs: convert, check and simulate."""
import unittest

from cli import SOURCE, CliTest

DATA = SOURCE / "tests/motion_files/data"
ROBOT = """<robot name="r"><link name="base"/><link name="a"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link><link name="tool"><inertial><mass value="0.2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="tip" type="fixed"><parent link="a"/><child link="tool"/><origin xyz="0 0 -1"/></joint></robot>"""


class Convert(CliTest):
    def test_a_converted_model_moves_as_the_original(self):
        self.write("r.urdf", ROBOT)
        for file, name in ((DATA / "arm26.osim", "arm"), (DATA / "gait912.lua", "gait"), ("r.urdf", "robot")):
            text = self.run_cli("convert", file, f"{name}.xml").stdout
            self.assertIn(f"{name}.xml: ", text)
            self.run_cli("check", f"{name}.xml")
            for model, out in ((file, "a"), (f"{name}.xml", "b")):
                self.run_cli("simulate", model, "--coordinates", "joint", "--until", "0.2", "--out", out, "--quiet")
            first, second = self.trajectory("a"), self.trajectory("b")
            self.assertEqual(len(first), len(second))
            for key, value in first[-1].items():
                self.assertAlmostEqual(value, second[-1][key], delta=1e-9, msg=key)

    def test_what_is_left_out_is_told(self):
        self.write("r.urdf", ROBOT.replace("</robot>", "<transmission/><gazebo/></robot>"))
        self.assertIn("left out: 1 gazebo, 1 transmission.", self.run_cli("convert", "r.urdf", "r.xml").stdout)

    def test_fixed_links_and_the_root_of_a_robot(self):
        self.write("r.urdf", ROBOT)
        self.assertIn("1 body, 1 joint, 1 named coordinate", self.run_cli("convert", "r.urdf", "r.xml").stdout)
        self.assertIn("2 bodies, 2 joints", self.run_cli("convert", "r.urdf", "r.xml", "--keep-fixed").stdout)

    def test_the_same_format_keeps_the_file(self):
        self.run_cli("convert", DATA / "arm26.osim", "copy.osim")
        self.assertEqual((self.folder / "copy.osim").read_text(), (DATA / "arm26.osim").read_text())
        self.run_cli("convert", DATA / "gait912.lua", "a.lua")
        self.run_cli("convert", "a.lua", "b.lua")
        self.assertEqual((self.folder / "a.lua").read_text(), (self.folder / "b.lua").read_text())
        self.assertIn("animation_settings", (self.folder / "a.lua").read_text())

    def test_what_cannot_be_written_is_refused(self):
        self.assertIn('b.urdf: a model cannot be written as ".urdf": .xml, or the format it comes in (.osim).',
                      self.error_of("convert", DATA / "arm26.osim", "b.urdf"))
        self.write("ode.xml", '<ode><state id="x" initial="1" derivative="-x"/></ode>')
        self.assertIn("only mechanisms can be converted.", self.error_of("convert", "ode.xml", "b.xml"))
        self.assertIn("--keep-fixed and --floating are for robots",
                      self.error_of("convert", DATA / "arm26.osim", "b.xml", "--floating"))

    def test_natural_coordinates_say_what_they_do_not_have(self):
        self.assertIn("natural coordinates have no joints by axes", self.error_of("check", DATA / "arm26.osim", "--coordinates", "natural"))


if __name__ == "__main__":
    unittest.main()
