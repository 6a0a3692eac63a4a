#!/usr/bin/env python3
"""parfait human: a model file that can be checked and simulated; impossible requests are refused and nothing is written."""
import json
import unittest
import xml.etree.ElementTree as ET

from cli import CliTest

ARGUMENTS = ["--sex", "male", "--height", "1.75", "--mass", "75"]


class Human(CliTest):
    def masses(self, file):
        return [float(body.get("mass") or body.find("mass").text) for body in ET.parse(self.folder / file).getroot().findall("body")]

    def test_models_have_the_segments_and_the_mass_asked_for(self):
        for posture, table, segments in (("standing", "deleva", 16), ("sitting", "deleva", 17), ("standing", "dumas", 15), ("sitting", "dumas", 15)):
            for sex in ("male", "female"):
                with self.subTest(posture=posture, table=table, sex=sex):
                    self.run_cli("human", "--sex", sex, "--height", 1.75, "--mass", 75, "--posture", posture, "--table", table, "--out", "h.xml")
                    masses = self.masses("h.xml")
                    self.assertEqual(len(masses), segments)
                    self.assertAlmostEqual(sum(masses), 75, places=9)
                    facts = json.loads(self.run_cli("check", "h.xml", "--json").stdout)
                    self.assertEqual(facts["redundant"], [])
                    self.assertEqual(facts["warnings"], [])

    def test_degrees_of_freedom_are_those_of_the_joints(self):
        self.run_cli("human", *ARGUMENTS, "--posture", "sitting", "--out", "h.xml")
        facts = json.loads(self.run_cli("check", "h.xml", "--json").stdout)
        # free pelvis 6, four spherical joints of the spine and six of the limbs, four hinges
        self.assertEqual(facts["degrees_of_freedom"], 6 + 3 * 10 + 4)

    def test_what_is_told(self):
        told = self.run_cli("human", *ARGUMENTS, "--length", "thigh=0.45", "--out", "h.xml").stdout
        self.assertIn("together 75.0000 kg", told)
        self.assertIn("m tall, not 1.750 m", told)
        told = self.run_cli("human", "--sex", "female", "--height", 1.65, "--mass", 60, "--table", "dumas", "--out", "h.xml").stdout
        self.assertIn("torso: no body has the tensor of the table", told)

    def refused(self, *arguments):
        error = self.error_of("human", *arguments, "--out", "x.xml")
        self.assertFalse((self.folder / "x.xml").exists())
        return error

    def test_the_impossible_is_refused(self):
        self.assertIn("height = 3 m", self.refused("--sex", "male", "--height", 3, "--mass", 75))
        self.assertIn("mass = 5 kg", self.refused("--sex", "male", "--height", 1.75, "--mass", 5))
        self.assertIn("Did you mean \"thigh\"?", self.refused(*ARGUMENTS, "--length", "thigt=0.4"))
        self.assertIn("must read name=value", self.refused(*ARGUMENTS, "--length", "thigh"))
        self.assertIn("16 or 17", self.refused(*ARGUMENTS, "--table", "dumas", "--segments", 17))
        self.assertIn("only a sitting person", self.refused(*ARGUMENTS, "--recline", 10))


class HeiMan(CliTest):
    def heiman(self, out, *options):
        return self.run_cli("human", "--heiman", "--height", 1.86, "--mass", 80, *options, "--out", out)

    def test_both_formats_are_the_same_model(self):
        for file in ("h.lua", "h.xml"):
            told = self.heiman(file).stdout
            self.assertIn("together 80.0000 kg, 34 degrees of freedom, 32 markers", told)
            self.assertEqual(json.loads(self.run_cli("check", file, "--json").stdout)["degrees_of_freedom"], 34)

    def test_parameters_and_joints_are_chosen(self):
        told = self.heiman("h.lua", "--set", "ThighLength=0.4441", "--set", "HipWidth=0.0832", "--joint", "Wrist=ry,rx").stdout
        self.assertIn("38 degrees of freedom", told)
        self.assertIn("ThighRightLength", told)
        self.assertIn("15 degrees of freedom", self.heiman("h.lua", "--dimensions", 2).stdout)
        self.assertIn("MiddleTrunkHeight", self.heiman("h.lua", "--as-published", "--set", "MiddleTrunkHeight=0.22").stdout)

    def test_what_makes_no_sense_is_refused(self):
        arguments = ("human", "--heiman", "--height", 1.86, "--mass", 80)
        for options, words in ((("--set", "Thigh=0.4", "--out", "x.lua"), 'parameter "Thigh"'),
                               (("--set", "ThighLength", "--out", "x.lua"), "name=value"),
                               (("--joint", "Hip", "--out", "x.lua"), "name=axes"),
                               (("--posture", "sitting", "--out", "x.lua"), "--posture: not for --heiman"),
                               (("--out", "x.osim"), "must end in .lua or .xml")):
            self.assertIn(words, self.error_of(*arguments, *options))
        self.assertIn("only for --heiman", self.error_of("human", *ARGUMENTS, "--set", "ThighLength=0.4", "--out", "x.xml"))


if __name__ == "__main__":
    unittest.main()
